/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols, fields and constants of the running kernel, found at load. */
#ifndef TLBBATCH_SYMBOLS_H
#define TLBBATCH_SYMBOLS_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include "kernel/kernel_calls.h"

/* The size in bytes of a text that says why something can't be had. */
#define TLBBATCH_REASON_LEN	96

/**
 * struct tlbbatch_function - a function of the kernel, from a row of targets.tbl
 * @symbol: its name; NULL ends a list of alternatives
 * @proto: its prototype, in the form described in btf_check.c
 */
struct tlbbatch_function {
	const char *symbol;
	const char *proto;
};

const struct tlbbatch_function *
tlbbatch_find_fit(const struct tlbbatch_function *first, size_t size,
		  const char *hook, const struct tlbbatch_function **near);

/* tlbbatch_find_fit() for an array whose rows begin with the member @function. */
#define tlbbatch_first_fit(rows, hook, near)				\
	((typeof(&(rows)[0]))tlbbatch_find_fit(&(rows)[0].function,	\
		sizeof((rows)[0]) +					\
		BUILD_BUG_ON_ZERO(offsetof(typeof((rows)[0]), function)), \
		hook, near))

/**
 * struct tlbbatch_helper - a function of the kernel that is called, never hooked
 * @alternatives: ended by one without a symbol
 * @call: the static call that it is reached by
 */
struct tlbbatch_helper {
	const struct tlbbatch_function *alternatives;
	struct tlbbatch_call call;
};

/* A call of targets.tbl, for an array of helpers: its list of rows, its static call. */
#define TLBBATCH_HELPER(rows, call_)					\
	{								\
		.alternatives = (const struct tlbbatch_function[]) {	\
			rows(TLBBATCH_HELPER_ROW)			\
			{ }						\
		},							\
		.call = TLBBATCH_CALL(call_),				\
	},
#define TLBBATCH_HELPER_ROW(code, symbol, proto)	{ symbol, proto },

int tlbbatch_symbols_init(void);
void tlbbatch_symbols_exit(void);
const char *tlbbatch_symbols_missing(void);

unsigned long tlbbatch_symbol_address(const char *name);
bool tlbbatch_is_kernel_text(unsigned long addr);
bool tlbbatch_symbol_matches(const char *name, const char *proto);
bool tlbbatch_is_cloned(const char *name);
bool tlbbatch_kernel_has(const char *tag, const char *member);
bool tlbbatch_struct_size(const char *tag, u32 *size);
bool tlbbatch_member_offset(const char *tag, const char *member,
			    const char *type, u32 *offset);
bool tlbbatch_enumerator(const char *name, s64 *value);
bool tlbbatch_helpers_resolve(const struct tlbbatch_helper *helper, unsigned int nr,
			      char *reason, size_t reason_len);
int tlbbatch_symbol_check(const char *name, const char *proto, char *reason,
			  size_t reason_len);

#endif /* TLBBATCH_SYMBOLS_H */
