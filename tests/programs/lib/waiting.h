/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pages wait in a batch of the module's.
 */
#ifndef TEST_WAITING_H
#define TEST_WAITING_H

#include "common.h"

size_t page_that_waits(const void *base, size_t pages, unsigned int ms);

#endif
