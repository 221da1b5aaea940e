/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks that widen passes. */
#ifndef TLBBATCH_WIDE_HOOKS_H
#define TLBBATCH_WIDE_HOOKS_H

struct tlbbatch_counters;
struct tlbbatch_redirects;

extern struct tlbbatch_redirects tlbbatch_wide_redirects;
extern const struct tlbbatch_counters tlbbatch_wide_counters;

const char *tlbbatch_wide_find(void);
void tlbbatch_wide_set(unsigned int pages);
unsigned int tlbbatch_wide_pages(void);
void tlbbatch_wide_forget(void);

#endif /* TLBBATCH_WIDE_HOOKS_H */
