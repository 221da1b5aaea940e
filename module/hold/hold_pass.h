/* SPDX-License-Identifier: GPL-2.0-only */
/* What holding does in a pass. */
#ifndef TLBBATCH_HOLD_PASS_H
#define TLBBATCH_HOLD_PASS_H

#include <linux/types.h>

struct tlbbatch_counters;
struct tlbbatch_pass;
struct tlbbatch_pass_part;
struct tlbbatch_redirects;

extern struct tlbbatch_pass_part tlbbatch_hold_part;
extern struct tlbbatch_redirects tlbbatch_hold_redirects;
extern const struct tlbbatch_counters tlbbatch_hold_counters;

const char *tlbbatch_hold_find(void);
const char *tlbbatch_hold_unfit(void);
unsigned int tlbbatch_hold_pages(void);
void tlbbatch_hold_set(unsigned int pages);
u64 tlbbatch_hold_held(void);
void tlbbatch_hold_begin(struct tlbbatch_pass *pass);
void tlbbatch_hold_end(struct tlbbatch_pass *pass);

#endif /* TLBBATCH_HOLD_PASS_H */
