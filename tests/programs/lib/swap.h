/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of swap, and what /proc says of pages.
 */
#ifndef TEST_SWAP_H
#define TEST_SWAP_H

#include "common.h"

#define PAGEMAP_FRAME		((1ULL << 55) - 1)
#define PAGEMAP_SOFT_DIRTY	(1ULL << 55)
#define PAGEMAP_UFFD_WP		(1ULL << 57)
#define PAGEMAP_SWAPPED		(1ULL << 62)
#define PAGEMAP_PRESENT		(1ULL << 63)

uint64_t vmstat(const char *name);
uint64_t swap_writes(void);
uint64_t swap_reads(void);
int open_pagemap(void);
uint64_t pagemap_entry(int fd, const void *address);
size_t pagemap_count(int fd, const void *base, size_t pages, uint64_t bit);
void clear_soft_dirty(void);
void clear_referenced(void);
size_t smaps_swapped(const void *base, size_t pages);
size_t smaps_huge(const void *base, size_t pages);

#endif
