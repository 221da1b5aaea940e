/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols, fields and constants of the running kernel, found at load. */
#ifndef TLBBATCH_SYMBOLS_H
#define TLBBATCH_SYMBOLS_H

#include <linux/build_bug.h>
#include <linux/mm_types.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct mem_cgroup;
struct scan_control;

/* Of a text that says why something can't be had. */
#define TLBBATCH_REASON_LEN	96

/**
 * struct tlbbatch_function - a function of the kernel, as a row of targets.tbl has it
 * @symbol: its name; NULL ends a list of alternatives
 * @proto: its prototype as BTF tells it, see btf.h
 */
struct tlbbatch_function {
	const char *symbol;
	const char *proto;
};

const struct tlbbatch_function *
tlbbatch_find_fit(const struct tlbbatch_function *first, size_t size,
		  const char *hook, const struct tlbbatch_function **near);

/* The same, of an array whose rows begin with a member @function. */
#define tlbbatch_first_fit(rows, hook, near)				\
	((typeof(&(rows)[0]))tlbbatch_find_fit(&(rows)[0].function,	\
		sizeof((rows)[0]) +					\
		BUILD_BUG_ON_ZERO(offsetof(typeof((rows)[0]), function)), \
		hook, near))

int tlbbatch_symbols_init(void);
void tlbbatch_symbols_exit(void);
const char *tlbbatch_symbols_missing(void);

unsigned long tlbbatch_symbol_address(const char *name);
bool tlbbatch_is_kernel_text(unsigned long addr);
bool tlbbatch_symbol_matches(const char *name, const char *proto);
bool tlbbatch_kernel_has(const char *tag, const char *member);
bool tlbbatch_member_offset(const char *tag, const char *member,
			    const char *type, u32 *offset);
int tlbbatch_symbol_check(const char *name, const char *proto, char *reason,
			  size_t reason_len);

bool tlbbatch_demotes(int nid);
struct mem_cgroup *tlbbatch_target_memcg(const struct scan_control *sc);
/* Only builds for tests have these two. */
unsigned long tlbbatch_nr_to_reclaim(const struct scan_control *sc);
int tlbbatch_priority(const struct scan_control *sc);
int tlbbatch_pageout_success(void);

#endif /* TLBBATCH_SYMBOLS_H */
