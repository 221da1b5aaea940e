// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU 0 reclaims. What CPU 1 does is a script of single stores and loads, as arch/x86/mm/tlb.c
 * of 7.2 and 7.3 has them. Its steps are placed between CPU 0's. Behind CPU 0's flush no user code
 * of CPU 1 may use an old entry, whether CPU 1 was left out or was the kernel's to flush.
 */
#include "other_cpu.h"
#include "core/counters.h"

struct mm_struct ours, others;

/* --- CPU 1 ------------------------------------------------------------------------------ */

static struct {
	const enum act *at;
	unsigned int step;
	struct mm_struct *cr3;
	unsigned int hw_asid;
	unsigned int pcids;		/* as many as it uses */
	unsigned int next;
	bool in_kernel;
	u64 entries[NR_ASIDS];		/* the oldest entries of each are of this state of its tables */
	struct mm_struct *to;
	u64 gen;
	unsigned int asid;
	bool need;
} cpu;

static u64 tables[2];	/* the state of the page tables of each mm: how often CPU 0 has unmapped */
static bool hosts;	/* CPU 1 stops where it runs the task that reclaims */
static bool covered;	/* CPU 0 takes CPU 1 for flushed */
unsigned int lost;

struct tlb_state *state(void)
{
	return per_cpu_ptr(&cpu_tlbstate, OTHER);
}

unsigned int loaded_asid(void)
{
	return cpu.hw_asid;
}

static u64 *tables_of(const struct mm_struct *mm)
{
	return &tables[mm == &others];
}

static bool *is_lazy(void)
{
	return &per_cpu(cpu_tlbstate_shared.is_lazy, OTHER);
}

static void choose_asid(void)
{
	unsigned int i;

	cpu.gen = atomic64_read(&cpu.to->context.tlb_gen);
	cpu.need = true;
	for (i = 0; cpu.pcids > 1 && i < cpu.pcids; i++) {
		if (state()->ctxs[i].ctx_id != cpu.to->context.ctx_id)
			continue;
		cpu.asid = i;
		cpu.need = state()->ctxs[i].tlb_gen < cpu.gen;
		return;
	}
	cpu.asid = cpu.next++ % cpu.pcids;
}

static void flush(void)
{
	cpu.entries[cpu.hw_asid] = *tables_of(cpu.cr3);
}

/* switch_mm_irqs_off() to another mm; returns false behind its last step */
static bool switch_step(struct mm_struct *to)
{
	switch (cpu.step++) {
	case 0:
		cpu.in_kernel = true;
		*is_lazy() = false;
		cpu.to = to;
		state()->loaded_mm = (struct mm_struct *)1;
		return true;
	case 1:
		choose_asid();
		return true;
	case 2:
		if (cpu.need)
			state()->ctxs[cpu.asid].ctx_id = to->context.ctx_id;
		return true;
	case 3:
		if (cpu.need)
			state()->ctxs[cpu.asid].tlb_gen = cpu.gen;
		return true;
	case 4:
		cpu.cr3 = to;
		cpu.hw_asid = cpu.asid;
		if (cpu.need)
			flush();
		return true;
	case 5:
		state()->loaded_mm = to;
		return true;
	}
	state()->loaded_mm_asid = cpu.asid;
	cpu.in_kernel = false;
	return false;
}

/* The same mm again, which it was lazy with: its note is ahead of its flush for a moment. */
static bool unlazy_step(void)
{
	switch (cpu.step++) {
	case 0:
		*is_lazy() = false;
		return true;
	case 1:
		cpu.gen = atomic64_read(&cpu.cr3->context.tlb_gen);
		if (state()->ctxs[cpu.hw_asid].tlb_gen != cpu.gen)
			return true;
		cpu.in_kernel = false;
		return false;
	case 2:
		state()->ctxs[cpu.hw_asid].tlb_gen = cpu.gen;
		return true;
	}
	flush();
	cpu.in_kernel = false;
	return false;
}

/* flush_tlb_func() on behalf of somebody else */
static bool ipi_step(void)
{
	switch (cpu.step++) {
	case 0:
		cpu.in_kernel = true;
		cpu.gen = atomic64_read(&cpu.cr3->context.tlb_gen);
		return true;
	case 1:
		flush();
		return true;
	}
	state()->ctxs[cpu.hw_asid].tlb_gen = cpu.gen;
	cpu.in_kernel = false;
	return false;
}

static void user(void)
{
	if (cpu.in_kernel)
		sim_breach("the script has user code in the kernel");
	if (covered && cpu.entries[cpu.hw_asid] < *tables_of(cpu.cr3))
		lost++;
}

/* What a freed mm holds is anybody's, even what would look right. */
static void free_ours(void)
{
	if (cpu.cr3 == &ours)
		sim_breach("the script frees an mm that is loaded");
	ours.context.ctx_id = others.context.ctx_id;
	ours.context.tlb_gen.counter = 0;
}

static bool act_step(void)
{
	switch (*cpu.at) {
	case TO_OURS:
		return switch_step(&ours);
	case TO_OTHERS:
		return switch_step(&others);
	case TO_KERNEL:
		return switch_step(&init_mm);
	case UNLAZY:
		return unlazy_step();
	case IPI:
		return ipi_step();
	case LAZY:
		cpu.in_kernel = true;
		*is_lazy() = true;
		return false;
	case FREE_OURS:
		free_ours();
		return false;
	case HOST:
		return false;
	default:
		user();
		return false;
	}
}

bool step(void)
{
	if (*cpu.at == END || (*cpu.at == HOST && hosts))
		return false;
	if (!act_step()) {
		cpu.at++;
		cpu.step = 0;
	}
	return true;
}

/* --- CPU 0, and the order of all steps -------------------------------------------------------- */

enum discards discards;

/*
 * pmdp_invalidate() of module/lazyfree: flush_tlb_mm_range() waits until CPU 1 has had
 * flush_tlb_func(). While it switches it isn't interrupted. What the batch has unmapped is in
 * another range, so that only a full flush ends entries of it.
 */
static void discard(void)
{
	u64 gen = ++ours.context.tlb_gen.counter, *note;

	while (cpu.step)
		step();
	note = &state()->ctxs[cpu.hw_asid].tlb_gen;
	if (cpu.cr3 != &ours || *is_lazy() || *note == gen)
		return;
	if (gen != *note + 1)
		flush();
	*note = gen;
}

/* Both have 64 bits, and mms' numbers differ in their upper halves alone. */
#define GEN(n)	((1ULL << 32) + (n))
#define ID(n)	(((u64)(n) << 32) + 1)

static struct mm_struct *const one_unmap[] = { &ours, NULL };
struct mm_struct *const *unmaps = one_unmap;
unsigned int steps_at[POINTS_MAX], looks_preempted, most_points;
static unsigned int point;

static void others_step(void)
{
	unsigned int nr = point < POINTS_MAX ? steps_at[point] : 0;

	while (nr--)
		step();
	point++;
	most_points = max(most_points, point);
}

/* Whether to look is read, and then what CPU 1 writes, behind the barrier. */
static void at_knob(void)
{
	looks_preempted += !sim_no_preempt;
}

static void at_read(void)
{
	at_knob();
	others_step();
}

static void at_barrier(void)
{
	sim_at_read = at_read;
}

static bool will_host(void)
{
	const enum act *act = cpu.at;

	while (*act != END && *act != HOST)
		act++;
	return *act == HOST;
}

/* flush_tlb_func() of a batch, on CPU 1, which isn't interrupted while it switches. */
static void interrupted(void)
{
	u64 *note;

	while (cpu.step)
		step();
	note = &state()->ctxs[cpu.hw_asid].tlb_gen;
	if (cpu.cr3 == &init_mm || *note == atomic64_read(&cpu.cr3->context.tlb_gen))
		return;
	flush();
	*note = atomic64_read(&cpu.cr3->context.tlb_gen);
}

/* The task may have moved; then the kernel flushes, and lets lazy CPUs look for themselves. */
static void at_flush(void)
{
	sim_at_read = NULL;
	if (sim_cpu == OTHER) {
		hosts = false;
		sim_cpu = MINE;
	}
	others_step();
	if (hosts && will_host()) {
		while (*cpu.at != HOST)
			step();
		sim_cpu = OTHER;
	}
	hosts = false;
	if (cpumask_test_cpu(OTHER, &current->tlb_ubc.arch.cpumask) && !*is_lazy())
		interrupted();
}

void begin(enum start start, const enum act *script, unsigned int pcids)
{
	struct tlb_state *at = state();
	struct mm_struct *mm = start == AT_OTHERS ? &others : start == AT_KERNEL ? &init_mm : &ours;

	ours.context.ctx_id = ID(10);
	others.context.ctx_id = ID(11);
	init_mm.context.ctx_id = ID(1);
	ours.context.tlb_gen.counter = init_mm.context.tlb_gen.counter = GEN(0);
	/* As many as ours will have: that must not be taken for the same. */
	others.context.tlb_gen.counter = GEN(1);
	memset(&cpu, 0, sizeof(cpu));
	memset(at, 0, sizeof(*at));
	tables[0] = tables[1] = 0;
	covered = hosts = false;
	cpu.at = script;
	cpu.pcids = pcids;
	cpu.cr3 = mm;
	/* The first slot is ours, if it isn't the only one. The next one to be taken is that, too. */
	at->ctxs[0] = (struct tlb_context){ ID(10), GEN(0) };
	cpu.hw_asid = mm == &ours || pcids == 1 ? 0 : 1;
	if (mm != &ours)
		at->ctxs[cpu.hw_asid] = (struct tlb_context){ mm->context.ctx_id,
							      mm->context.tlb_gen.counter };
	at->loaded_mm = mm;
	at->loaded_mm_asid = cpu.hw_asid;
	*is_lazy() = cpu.in_kernel = start == LAZY_AT_OURS;
}

static void unmap(struct mm_struct *mm)
{
	others_step();
	if (discards == BEFORE)
		discard();
	++*tables_of(mm);
	others_step();
	mm->context.tlb_gen.counter++;
	if (discards == BEHIND)
		discard();
}

bool leaves_out(void)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();
	struct cpumask *mask = &current->tlb_ubc.arch.cpumask;
	struct mm_struct *const *mm;

	point = 0;
	hosts = true;
	sim_cpu = *cpu.at == HOST ? OTHER : MINE;
	for (mm = unmaps; *mm; mm++)
		unmap(*mm);
	*mask = (struct cpumask){ { BIT(MINE) | BIT(OTHER) } };
	current->tlb_ubc.flush_required = true;
	sim_at_read = at_knob;
	sim_at_barrier = at_barrier;
	world.at_flush = at_flush;
	tlbbatch_flush_now(ctx);
	world.at_flush = NULL;
	sim_cpu = MINE;
	covered = true;
	return !cpumask_test_cpu(OTHER, &world.flushed);
}

static u64 counts[TLBBATCH_SHOOTDOWN_NR];

u64 since_anew(enum tlbbatch_receivers_counter counter)
{
	return tlbbatch_counter_read(&tlbbatch_receivers_counters, counter) - counts[counter];
}

void count_anew(void)
{
	unsigned int i;

	for (i = 0; i < TLBBATCH_SHOOTDOWN_NR; i++)
		counts[i] += since_anew(i);
}
