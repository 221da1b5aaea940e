/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few names of the kernel that pure files use, for the kernel and for user space.
 *
 * A pure file includes nothing but this header and other pure headers. It takes
 * decisions, or reads memory that it was given, and calls nothing of the kernel but the
 * allocator. It is compiled twice: into the module, and into the tests under
 * tests/unit/, with ASan and UBSan.
 *
 * The types in user space are those of the kernel: u64 is "unsigned long long" on every
 * architecture. So a format string that is right in the kernel is right in user space.
 */
#ifndef TLBBATCH_PORTABLE_H
#define TLBBATCH_PORTABLE_H

#ifdef __KERNEL__

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

#else /* !__KERNEL__ */

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef signed char s8;
typedef unsigned char u8;
typedef signed short s16;
typedef unsigned short u16;
typedef signed int s32;
typedef unsigned int u32;
typedef signed long long s64;
typedef unsigned long long u64;

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S64_MAX		((s64)(U64_MAX >> 1))

#define BIT(nr)		(1UL << (nr))
#define ARRAY_SIZE(arr)	(sizeof(arr) / sizeof((arr)[0]))

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))

#define __must_check	__attribute__((__warn_unused_result__))
#define __aligned(x)	__attribute__((__aligned__(x)))
#define fallthrough	__attribute__((__fallthrough__))

#define min(x, y) ({				\
	__auto_type _min_x = (x);		\
	__auto_type _min_y = (y);		\
	_min_x < _min_y ? _min_x : _min_y; })

#define max(x, y) ({				\
	__auto_type _max_x = (x);		\
	__auto_type _max_y = (y);		\
	_max_x > _max_y ? _max_x : _max_y; })

/* Flags are ignored. calloc() checks the product for overflow, as the kernel does. */
#define GFP_KERNEL	0
#define kvmalloc_array(n, size, flags)	((void)(flags), calloc(n, size))
#define kvfree(ptr)	free(ptr)

#endif /* __KERNEL__ */

#endif /* TLBBATCH_PORTABLE_H */
