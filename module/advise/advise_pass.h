/* SPDX-License-Identifier: GPL-2.0-only */
/* Reclaim passes, as they would be if they were batched. */
#ifndef TLBBATCH_ADVISE_PASS_H
#define TLBBATCH_ADVISE_PASS_H

#include <linux/cpumask.h>
#include "advise/advise_policy.h"
#include "pass/pass.h"

/**
 * struct tlbbatch_advise_pass - what advise remembers of a pass
 * @put_off: a feature puts flushes off in it
 * @judged: it isn't batched, and could be
 * @asked_dirty: reclaim has asked for the flush of a dirty folio, and hasn't got it yet
 * @whatif: the pass, as it would be if it were batched
 * @cpus: the CPUs that the flush which would be owed now would have to reach
 *
 * Only the owner writes to it, so it needs no lock.
 */
struct tlbbatch_advise_pass {
	bool put_off;
	bool judged;
	bool asked_dirty;
	struct tlbbatch_whatif whatif;
	struct cpumask cpus;
};

extern struct tlbbatch_pass_part tlbbatch_advise_part;

struct tlbbatch_advise_pass *tlbbatch_advise_pass_current(void);
void tlbbatch_advise_begin(struct tlbbatch_pass *pass);
void tlbbatch_advise_end(struct tlbbatch_pass *pass);
void tlbbatch_advise_asked(struct tlbbatch_advise_pass *pass, const struct cpumask *cpus);
void tlbbatch_advise_flushes(struct tlbbatch_advise_pass *pass, enum tlbbatch_cause cause,
			     const struct cpumask *cpus, unsigned int receivers);
void tlbbatch_advise_frees(struct tlbbatch_advise_pass *pass);
void tlbbatch_advise_writes(struct tlbbatch_advise_pass *pass,
			    const struct tlbbatch_whatif_folio *folio);

#endif /* TLBBATCH_ADVISE_PASS_H */
