/* SPDX-License-Identifier: GPL-2.0-only */
/* What other CPUs do in the middle of something: to be included behind defer_happens.h. */
#ifndef SIM_DEFER_MEANWHILE_H
#define SIM_DEFER_MEANWHILE_H

#include <setjmp.h>

static void reclaims_meanwhile(void)
{
	struct task_struct *was = current;

	current = &other_reclaimer;
	if (tlbbatch_pass_enter(0)) {
		struct tlbbatch_pass *it = tlbbatch_pass_begin(&sim_nodes[0], NULL, &stat);

		reclaim();
		tlbbatch_pass_end(it, 0);
	}
	current = was;
}

static jmp_buf other_waits;
static unsigned int waits, held_then;

/* Another CPU would wait here until the flush is complete. */
void sim_relax(void)
{
	waits++;
	held_then = (unsigned int)tlbbatch_owed_held();
	longjmp(other_waits, 1);
}

/* The rest of what that CPU does isn't played. */
static void until_it_waits(void (*does)(void))
{
	unsigned int off = sim_preempt_off;

	if (!setjmp(other_waits))
		does();
	current = &reclaimer;
	sim_preempt_off = off;
}

static void short_meanwhile(void)
{
	until_it_waits(runs_short);
}

static bool comes_again;

static void work_comes(void)
{
	ms_pass(48);
	comes_again = queued[0]->queued;
}

static void opens_meanwhile(void)
{
	until_it_waits(opens);
}

#endif /* SIM_DEFER_MEANWHILE_H */
