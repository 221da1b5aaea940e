/* SPDX-License-Identifier: GPL-2.0-only */
/* Random facts, the same in every run. */
#ifndef TLBBATCH_RND_H
#define TLBBATCH_RND_H

#include "kernel/portable.h"

static u64 seed = 0x9e3779b97f4a7c15ULL;

/* xorshift64 */
static u32 rnd(u32 below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 32) % below;
}

#endif /* TLBBATCH_RND_H */
