/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols, fields and constants of the running kernel, found at load. */
#ifndef TLBBATCH_SYMBOLS_H
#define TLBBATCH_SYMBOLS_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct mem_cgroup;
struct scan_control;

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

bool tlbbatch_writer_is_gated(unsigned long writer);
bool tlbbatch_demotes(int nid);
struct mem_cgroup *tlbbatch_target_memcg(const struct scan_control *sc);
#ifdef TLBBATCH_DEBUG
unsigned long tlbbatch_nr_to_reclaim(const struct scan_control *sc);
int tlbbatch_priority(const struct scan_control *sc);
#endif
int tlbbatch_pageout_success(void);

#endif /* TLBBATCH_SYMBOLS_H */
