/* SPDX-License-Identifier: GPL-2.0-only */
/* What features do when reclaim flushes, in a pass. */
#ifndef TLBBATCH_FLUSH_CALLS_H
#define TLBBATCH_FLUSH_CALLS_H

#include <linux/types.h>
#include "kernel/kernel_calls.h"

struct tlbbatch_group;
struct tlbbatch_pass;

/* Never defined: they give the static calls their types. */
void tlbbatch_type_try_to_unmap_flush(void);
void tlbbatch_type_pass_flush(struct tlbbatch_pass *pass);
void tlbbatch_type_group_flush(struct tlbbatch_pass *pass, struct tlbbatch_group *group);

typedef void tlbbatch_pass_flush(struct tlbbatch_pass *pass);
typedef void tlbbatch_group_flush(struct tlbbatch_pass *pass, struct tlbbatch_group *group);

/* The kernel's own. Nothing else flushes for a pass. */
DECLARE_STATIC_CALL(tlbbatch_orig_try_to_unmap_flush,
		    tlbbatch_type_try_to_unmap_flush);

bool tlbbatch_flush_acts(unsigned long parent_ip);
void tlbbatch_hook_try_to_unmap_flush(void);
void tlbbatch_flush_batched_by(void (*flush)(struct tlbbatch_pass *pass));
void tlbbatch_flush_held_by(tlbbatch_group_flush *before, tlbbatch_pass_flush *after);
void tlbbatch_flush_deferred_by(tlbbatch_group_flush *before, tlbbatch_pass_flush *after);

#endif /* TLBBATCH_FLUSH_CALLS_H */
