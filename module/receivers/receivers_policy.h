/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs a flush must interrupt, and whether that is worth putting it off: pure
 * functions of plain facts. No kernel type appears here: tests/unit runs the same code
 * under sanitizers.
 */
#ifndef TLBBATCH_RECEIVERS_POLICY_H
#define TLBBATCH_RECEIVERS_POLICY_H

#include <tlbbatch/shootdown_stats.h>
#include "kernel/portable.h"

/* What became of a CPU that was looked at. */
enum tlbbatch_verdict {
#define X(upper, lower) TLBBATCH_VERDICT_##upper,
	RECEIVER_VERDICTS(X)
#undef X
	TLBBATCH_VERDICTS
};

/* What a CPU has loaded. */
enum tlbbatch_loaded {
	TLBBATCH_LOADED_UNKNOWN,	/* nothing that can be judged */
	TLBBATCH_LOADED_SWITCHING,	/* it is on its way from one mm to another */
	TLBBATCH_LOADED_KERNEL,		/* init_mm: no user space at all */
	TLBBATCH_LOADED_USER,
};

/**
 * struct tlbbatch_cpu_facts - what is known of a CPU that a flush would interrupt
 * @loaded: what it has loaded
 * @mm_id: the number of the mm that is loaded; no other mm ever has it
 * @mm_gen: how often that mm's page tables were changed so that a flush is needed
 * @cpu_id: for which mm the CPU keeps the entries that it uses now
 * @cpu_gen: up to which of the changes it has flushed these
 *
 * The last four are of no meaning if @loaded isn't TLBBATCH_LOADED_USER.
 */
struct tlbbatch_cpu_facts {
	enum tlbbatch_loaded loaded;
	u64 mm_id;
	u64 mm_gen;
	u64 cpu_id;
	u64 cpu_gen;
};

/**
 * struct tlbbatch_worth - is a flush worth putting off? What a pass knows of that
 * @min: so many other CPUs must be interrupted by it; 1 asks nothing
 * @left: for so many more folios the answer is yes without a look
 */
struct tlbbatch_worth {
	unsigned int min;
	unsigned int left;
};

enum tlbbatch_verdict tlbbatch_receivers_judge(const struct tlbbatch_cpu_facts *facts);
bool tlbbatch_receivers_is_spare(enum tlbbatch_verdict verdict);
bool tlbbatch_worth_needs_look(const struct tlbbatch_worth *worth);
bool tlbbatch_worth_decide(struct tlbbatch_worth *worth, unsigned int receivers,
			   unsigned int batch_size);

#endif /* TLBBATCH_RECEIVERS_POLICY_H */
