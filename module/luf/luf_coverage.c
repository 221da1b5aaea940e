// SPDX-License-Identifier: GPL-2.0-only
/*
 * What flushes have covered, for each CPU and each model: the youngest generation, and
 * with it all that are older. It only ever grows.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include "debug/debug.h"
#include "luf/luf_alloc.h"
#include "luf/luf_coverage.h"
#include "luf/luf_generation.h"
#include "luf/luf_size.h"

static_assert(sizeof(struct tlbbatch_luf_coverage) == TLBBATCH_LUF_COVERAGE_BYTES);

static struct tlbbatch_luf_coverage *covered;
/* The virtual flushes of an ideal LUF, each of which reaches every CPU (rule L9). */
static u64 covered_everywhere ____cacheline_aligned_in_smp;

/**
 * tlbbatch_luf_coverage_init() - make it, for all CPUs that there can be
 *
 * Context: process context, may sleep. Return: 0 or -ENOMEM.
 */
int tlbbatch_luf_coverage_init(void)
{
	covered = tlbbatch_luf_alloc(nr_cpu_ids, sizeof(*covered));
	return covered ? 0 : -ENOMEM;
}

/**
 * tlbbatch_luf_coverage_exit() - free it
 *
 * Context: process context; nobody tracks any more.
 */
void tlbbatch_luf_coverage_exit(void)
{
	vfree(covered);
	covered = NULL;
}

static void raise_youngest(u64 *youngest, u64 number)
{
	u64 old = READ_ONCE(*youngest);

	/* A full barrier: pairs with smp_rmb() in end_generation(), luf_table.c. */
	while (old < number && !try_cmpxchg64(youngest, &old, number))
		;
}

static void cover_cpu(unsigned int cpu, enum tlbbatch_luf_model model, u64 number)
{
	raise_youngest(&covered[cpu].by[model], number);
}

/**
 * tlbbatch_luf_cover() - a flush that LUF would not have put off is complete
 * @cpu: on this CPU
 * @model: who notices it
 * @number: the youngest generation when it began
 *
 * Context: any, also interrupts off.
 */
void tlbbatch_luf_cover(unsigned int cpu, enum tlbbatch_luf_model model,
			u64 number)
{
	cover_cpu(cpu, model, number);
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_POSTED))
		cover_cpu(cpu, TLBBATCH_LUF_POSTED, number);
}

/**
 * tlbbatch_luf_cover_all() - the same, noticed in all models
 * @cpu: on this CPU
 * @number: the youngest generation when it began
 *
 * Context: any, also interrupts off.
 */
void tlbbatch_luf_cover_all(unsigned int cpu, u64 number)
{
	enum tlbbatch_luf_model model;

	for_each_tlbbatch_luf_model(model)
		cover_cpu(cpu, model, number);
}

/**
 * tlbbatch_luf_is_covered() - did flushes reach all of a generation's CPUs?
 * @mask: its CPUs
 * @model: in whose eyes
 * @number: the generation's
 *
 * Context: any.
 */
bool tlbbatch_luf_is_covered(const unsigned long *mask,
			     enum tlbbatch_luf_model model, u64 number)
{
	if (model == TLBBATCH_LUF_IDEAL && READ_ONCE(covered_everywhere) >= number)
		return true;
	return tlbbatch_luf_covered(mask, nr_cpu_ids, covered, model, number);
}

/**
 * tlbbatch_luf_flush_virtually() - LUF flushes for a generation
 * @mask: its CPUs
 * @model: in whose eyes
 * @number: the generation's
 * @when: the youngest generation when it had to
 *
 * The flush covers whatever else these CPUs put off. That of an ideal LUF reaches all
 * CPUs. If it reached fewer, an ideal LUF could need a later flush that the posted one,
 * whose generations name more CPUs, is spared.
 *
 * Context: task, preemption off: up to as many locked operations as it has CPUs.
 */
void tlbbatch_luf_flush_virtually(const unsigned long *mask,
				  enum tlbbatch_luf_model model, u64 number,
				  u64 when)
{
	unsigned int cpu;

	if (model == TLBBATCH_LUF_IDEAL) {
		raise_youngest(&covered_everywhere, when);
		return;
	}
	for_each_set_bit(cpu, mask, nr_cpu_ids)
		if (tlbbatch_luf_owes(covered, model, cpu, number))
			cover_cpu(cpu, model, when);
}
