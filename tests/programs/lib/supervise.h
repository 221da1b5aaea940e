/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The outermost process.
 */
#ifndef TEST_SUPERVISE_H
#define TEST_SUPERVISE_H

#include "common.h"

void *map_shared_locked(size_t bytes);
void supervise(void (*tell)(void));
void be_killed(const char *when);

#endif
