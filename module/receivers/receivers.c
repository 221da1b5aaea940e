// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at what other CPUs have loaded: whom a flush interrupts, and who needs none.
 * docs/shootdown.md has the whole argument; in short:
 *
 * A CPU that loads an mm writes LOADED_MM_SWITCHING, has a full barrier, reads the mm's
 * tlb_gen, notes it and flushes if it was behind, and then names the mm. The caller has
 * raised the tlb_gen of each mm that it unmapped in, and has a full barrier (rule S3).
 *
 * Suppose that a CPU could still use an old entry of such an mm. Then it has read tlb_gen
 * before it was raised. So since before the caller's barrier it is switching or has that
 * mm loaded, and its note of that mm is behind. Nothing that is read here has changed since,
 * so that the order of the reads doesn't matter, and the CPU stays among the receivers.
 * Whatever is read of another CPU doesn't matter.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include "arch/x86.h"
#include "core/counters.h"
#include "debug/debug.h"
#include "kernel/symbols.h"
#include "receivers/receivers.h"
#include "targets.h"

/* Section: counters */

DEFINE_PER_CPU(struct tlbbatch_receivers_counts, tlbbatch_receivers_counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	SHOOTDOWN_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_receivers_counters = {
	.value = tlbbatch_receivers_counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};

/* Section: what shootdown/ sets */

bool tlbbatch_receivers_pruned __read_mostly;
/* Other CPUs that a flush must interrupt to be put off; 1 asks nothing. */
unsigned int tlbbatch_receivers_min __read_mostly = 1;

/**
 * tlbbatch_receivers_set_prune() - set whether flushes leave out CPUs that need none
 * @on: whether they do
 *
 * Rule S5: when it returns after @on false, no CPU is taken out of a flush any more. Whoever
 * takes one out has preemption off, which RCU waits for. A flush from which one was taken
 * before may still go out. It doesn't depend on ftrace letting go of any hook.
 *
 * Context: process context, may sleep; the mutex of the knob held.
 */
void tlbbatch_receivers_set_prune(bool on)
{
	/* Whoever made it false has waited. */
	if (!on && !tlbbatch_receivers_prunes())
		return;
	WRITE_ONCE(tlbbatch_receivers_pruned, on);
	if (!on)
		synchronize_rcu();
}

/* Section: what the kernel keeps of each CPU */

static const char __percpu *states;
static const struct mm_struct *kernel_mm;
static u32 loaded_mm_offset, loaded_mm_asid_offset, ctxs_offset;
static u32 ctx_id_offset, ctx_gen_offset, shared_is_lazy_offset, ctx_size;

#define MEMBER(name, tag, member, type)	{ tag, member, type, &name##_offset, tag "." member },
#define FIELD(name, optional)		TLBBATCH_TBL_member_##name(MEMBER)

struct member {
	const char *tag;
	const char *member;
	const char *type;
	u32 *offset;
	const char *what;
};

static const struct member of_loaded[] = { TLBBATCH_TBL_receivers_member_names(FIELD) };
static const struct member of_flushed[] = { TLBBATCH_TBL_shootdown_member_names(FIELD) };

#define NAME_OF(row)	TLBBATCH_TBL_##row(TLBBATCH_TBL_SYMBOL)

static const char *find_members(const struct member *members, unsigned int nr)
{
	for (; nr; members++, nr--)
		if (!tlbbatch_member_offset(members->tag, members->member, members->type,
					    members->offset))
			return members->what;
	return NULL;
}

/**
 * tlbbatch_receivers_find_loaded() - find what tells which mm a CPU has loaded
 *
 * It is all that tlbbatch_receivers_of() needs.
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_receivers_find_loaded(void)
{
	const char *lacks = find_members(of_loaded, ARRAY_SIZE(of_loaded));

	if (lacks)
		return lacks;
	/* arch/x86.h declares the struct with this one member. */
	if (shared_is_lazy_offset)
		return "tlb_state_shared.is_lazy";
	states = (const char __percpu __force *)
		tlbbatch_symbol_address(NAME_OF(data_cpu_tlbstate));
	return states ? NULL : NAME_OF(data_cpu_tlbstate) " not found";
}

/**
 * tlbbatch_receivers_find() - find what the kernel keeps of each CPU
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_receivers_find(void)
{
	const char *lacks = tlbbatch_receivers_find_loaded();

	if (!lacks)
		lacks = find_members(of_flushed, ARRAY_SIZE(of_flushed));
	if (lacks)
		return lacks;
	if (!tlbbatch_struct_size("tlb_context", &ctx_size))
		return "tlb_context";
	kernel_mm = (const struct mm_struct *)
		tlbbatch_symbol_address(NAME_OF(data_kernel_mm));
	return kernel_mm ? NULL : NAME_OF(data_kernel_mm) " not found";
}

/*
 * Reads the number and the tlb_gen of an mm that another CPU had loaded a moment ago. A
 * CPU holds the mm that it has loaded. If it is freed in the middle of this, then the CPU has
 * left it, and it doesn't matter what is read (rule S2). But the read mustn't fault, and
 * mustn't be taken for a use of freed memory.
 */
static bool read_mm(const struct mm_struct *mm, struct tlbbatch_cpu_facts *facts)
{
	return !copy_from_kernel_nofault(&facts->mm_id, tlbbatch_arch_mm_id_at(mm),
					 sizeof(facts->mm_id)) &&
	       !copy_from_kernel_nofault(&facts->mm_gen, tlbbatch_arch_mm_tlb_gen_at(mm),
					 sizeof(facts->mm_gen));
}

static const struct mm_struct *read_loaded(const char *state)
{
	return READ_ONCE(*(const struct mm_struct **)(state + loaded_mm_offset));
}

static void read_facts(const char *state, struct tlbbatch_cpu_facts *facts)
{
	const struct mm_struct *mm;
	const char *ctx;
	u16 asid;

	facts->loaded = TLBBATCH_LOADED_UNKNOWN;
	mm = read_loaded(state);
	if (mm == TLBBATCH_ARCH_SWITCHING) {
		facts->loaded = TLBBATCH_LOADED_SWITCHING;
		return;
	}
	if (mm == kernel_mm) {
		facts->loaded = TLBBATCH_LOADED_KERNEL;
		return;
	}
	if (!read_mm(mm, facts))
		return;
	/*
	 * It is written behind loaded_mm. In between it is the place of the mm that was
	 * loaded before, whose note has that one's number. An mm has one note at most.
	 */
	asid = READ_ONCE(*(const u16 *)(state + loaded_mm_asid_offset));
	if (asid >= TLBBATCH_ARCH_DYN_ASIDS)
		return;
	ctx = state + ctxs_offset + asid * ctx_size;
	facts->cpu_gen = READ_ONCE(*(const u64 *)(ctx + ctx_gen_offset));
	facts->cpu_id = READ_ONCE(*(const u64 *)(ctx + ctx_id_offset));
	facts->loaded = TLBBATCH_LOADED_USER;
}

/* The kernel's own look at a CPU, without pruning. */
static bool is_receiver(unsigned int cpu, const struct mm_struct *mm, bool freed_tables)
{
	if (freed_tables)
		return cpu_online(cpu);
	if (!mm)
		return tlbbatch_arch_gets_batch_flush(cpu);
	return tlbbatch_arch_gets_mm_flush(cpu, mm, read_loaded((const char __force *)
								per_cpu_ptr(states, cpu)));
}

/**
 * tlbbatch_receivers_of() - how many other CPUs would a flush of the kernel's interrupt?
 * @cpus: the CPUs that may have entries
 * @mm: whose entries; or NULL, of a batch of unmaps
 * @freed_tables: page tables are freed, too
 *
 * Nobody is left out as pruning does it.
 *
 * Context: any; after tlbbatch_receivers_find_loaded(). True for a moment.
 */
unsigned int tlbbatch_receivers_of(const struct cpumask *cpus, const struct mm_struct *mm,
				   bool freed_tables)
{
	unsigned int self = raw_smp_processor_id(), nr = 0, cpu;

	for_each_cpu(cpu, cpus)
		nr += cpu != self && is_receiver(cpu, mm, freed_tables);
	return nr;
}

/**
 * tlbbatch_receivers_look() - has a CPU anything to flush?
 * @cpu: another CPU of the running task's batch
 *
 * Who leaves the CPU out because of it has unmapped all that the flush is about, and has had a
 * full barrier since (rule S3). Who only counts needs none.
 *
 * Context: any; preemption off.
 * Return: the verdict.
 */
enum tlbbatch_verdict tlbbatch_receivers_look(unsigned int cpu)
{
	struct tlbbatch_cpu_facts facts = { };
	enum tlbbatch_verdict verdict;

	read_facts((const char __force *)per_cpu_ptr(states, cpu), &facts);
	verdict = tlbbatch_receivers_judge(&facts);
	if (verdict == TLBBATCH_VERDICT_KEPT_BEHIND &&
	    tlbbatch_shootdown_break(TLBBATCH_SHOOTDOWN_BREAK_BEHIND))
		verdict = TLBBATCH_VERDICT_PRUNED_CURRENT;
	return verdict;
}

/**
 * tlbbatch_receivers_now() - how many other CPUs would the running task's flush interrupt?
 * @enough: stop counting here
 *
 * It has no barrier, as it decides nothing of safety: a folio that doesn't wait is written behind
 * a flush of its own (rule S7).
 *
 * Context: reclaim. True for a moment: nothing depends on it but whether a folio waits.
 * Return: how many; @enough at most.
 */
unsigned int tlbbatch_receivers_now(unsigned int enough)
{
	const struct cpumask *mask = tlbbatch_arch_batch_mask(tlbbatch_arch_my_batch());
	unsigned int cpu, self, nr = 0;

	preempt_disable();
	self = smp_processor_id();
	for_each_cpu(cpu, mask) {
		if (nr >= enough)
			break;
		if (cpu == self || !tlbbatch_arch_gets_batch_flush(cpu))
			continue;
		nr += !tlbbatch_receivers_prunes() ||
		      !tlbbatch_receivers_is_spare(tlbbatch_receivers_look(cpu));
	}
	preempt_enable();
	return nr;
}
