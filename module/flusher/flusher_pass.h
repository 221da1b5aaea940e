/* SPDX-License-Identifier: GPL-2.0-only */
/* Dirty file pages: what is done in passes. */
#ifndef TLBBATCH_FLUSHER_PASS_H
#define TLBBATCH_FLUSHER_PASS_H

#include <linux/backing-dev-defs.h>
#include "flusher/flusher_policy.h"

struct tlbbatch_counters;
struct tlbbatch_pass;
struct tlbbatch_pass_part;

/* These are never defined: they give static calls of flusher_pass.c their types. */
void tlbbatch_type_wakeup_flusher_threads(enum wb_reason reason);
int tlbbatch_type_kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size,
					      unsigned long *offset);

extern const struct tlbbatch_counters tlbbatch_flusher_counters;
extern struct tlbbatch_pass_part tlbbatch_flusher_part;

const char *tlbbatch_flusher_find(void);
enum tlbbatch_flusher_mode tlbbatch_flusher_get(void);
void tlbbatch_flusher_set(enum tlbbatch_flusher_mode mode);
void tlbbatch_flusher_begin(struct tlbbatch_pass *pass);
void tlbbatch_flusher_end(struct tlbbatch_pass *pass);

#endif /* TLBBATCH_FLUSHER_PASS_H */
