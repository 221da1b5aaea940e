/* SPDX-License-Identifier: GPL-2.0-only */
/* What hook_set.c offers hook_engine.c: the sets, whose ops stay registered. */
#ifndef TLBBATCH_MODULE_HOOK_SET_H
#define TLBBATCH_MODULE_HOOK_SET_H

#include <linux/types.h>
#include "hooks/hook.h"

/* Does a hook enter and leave the filter of a set, instead of being registered whole? */
static inline bool tlbbatch_is_parked(const struct tlbbatch_redirects *redirects,
				      unsigned int index)
{
	return !redirects->whole || index >= redirects->nr;
}

struct tlbbatch_hook_set *tlbbatch_set_of(const struct tlbbatch_hook *hook);
int tlbbatch_sets_prove(const struct tlbbatch_redirects *redirects);
bool tlbbatch_sets_registered(void);
int tlbbatch_sets_unregister(void);
void tlbbatch_redirect_ops(struct ftrace_ops *ops);

#endif /* TLBBATCH_MODULE_HOOK_SET_H */
