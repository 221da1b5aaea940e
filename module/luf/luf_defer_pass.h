/* SPDX-License-Identifier: GPL-2.0-only */
/* What deferral does in a pass. */
#ifndef TLBBATCH_DEFER_PASS_H
#define TLBBATCH_DEFER_PASS_H

#include <linux/types.h>

struct folio;
struct tlbbatch_group;
struct tlbbatch_pass;
struct tlbbatch_pass_part;

extern struct tlbbatch_pass_part tlbbatch_defer_part;

void tlbbatch_defer_begin(struct tlbbatch_pass *pass);
void tlbbatch_defer_end(struct tlbbatch_pass *pass);
void tlbbatch_defer_see_unmap(struct folio *folio, bool batched);
void tlbbatch_defer_hit(unsigned int hash);
void tlbbatch_defer_before_flush(struct tlbbatch_pass *pass, struct tlbbatch_group *group);
void tlbbatch_defer_after_flush(struct tlbbatch_pass *pass);

#endif /* TLBBATCH_DEFER_PASS_H */
