/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a worker.
 */
#ifndef TEST_REGION_H
#define TEST_REGION_H

#include "worker.h"

void map_region(struct worker *worker);
void unmap_region(struct worker *worker);

#endif
