// SPDX-License-Identifier: GPL-2.0-only
/*
 * Advise, from its knob to its counters: it only looks (rule A1), and what it sees becomes
 * causes (A2) and predictions (A3), for passes that aren't batched (A4).
 */
#include "advise/advise.h"
#include "advise/advise_counters.h"
#include "arch/x86.h"
#include "batch/knobs.h"
#include "core/feature.h"
#include "hook_rules.h"
#include "pass/demotion.h"
#include "pass/pass_calls.h"
#include "receivers/receivers.h"

#define NR_MADVISE	28
#define NR_READ		0
#define NR_MUNMAP_32	91
#define NR_MPROTECT	10

struct pt_regs_of_task sim_call = { .nr = -1 };
pg_data_t sim_nodes[2] = { { 0 }, { 1 } };
static bool demotion, lower;
static struct mm_struct mm, other_mm;

/* The kernel's cpu_tlbstate. */
struct tlb_state {
	long unused;
	const struct mm_struct *loaded;
};

DEFINE_PER_CPU(struct tlb_state, tlb_state);
DEFINE_PER_CPU(struct tlb_state_shared, cpu_tlbstate_shared);

u32 sim_member_offset(const char *member)
{
	return strcmp(member, "is_lazy") ? offsetof(struct tlb_state, loaded) : 0;
}

/* Only pruning reads an mm. */
int copy_from_kernel_nofault(void *to, const void *from, size_t size)
{
	sim_breach("A1: advise reads an mm");
	return -EFAULT;
}

/* --- the kernel -------------------------------------------------------------------------- */

static noinline void flush_tlb_mm_range(struct mm_struct *of, unsigned long start,
					unsigned long end, unsigned int stride_shift,
					bool freed_tables)
{
	barrier();
}

static noinline void arch_tlbbatch_flush(struct arch_tlbflush_unmap_batch *batch)
{
	memset(batch, 0, sizeof(*batch));
}

static noinline void try_to_unmap_flush(void)
{
	barrier();
	if (!current->tlb_ubc.flush_required)
		return;
	arch_tlbbatch_flush(&current->tlb_ubc.arch);
	current->tlb_ubc.flush_required = current->tlb_ubc.writable = false;
}

static noinline void try_to_unmap_flush_dirty(void)
{
	barrier();
	if (current->tlb_ubc.writable)
		try_to_unmap_flush();
}

static noinline int write_event(void *data, struct folio *folio)
{
	barrier();
	return 0;
}

static noinline void node_get_allowed_targets(pg_data_t *node, nodemask_t *targets)
{
	targets->bits = lower;
}

/* --- what the tests do ---------------------------------------------------------------------- */

static ssize_t write_mode(const char *text)
{
	struct kobj_attribute *attr = (void *)tlbbatch_advise_files.group->attrs[0];

	return attr->store(NULL, attr, text, strlen(text));
}

static const char *mode(void)
{
	static char text[64];
	struct kobj_attribute *attr = (void *)tlbbatch_advise_files.group->attrs[0];

	attr->show(NULL, attr, text);
	return text;
}

static u64 before[TLBBATCH_ADVISE_NR_COUNTERS];

static void anew(void)
{
	unsigned int i;

	for (i = 0; i < TLBBATCH_ADVISE_NR_COUNTERS; i++)
		before[i] = tlbbatch_counter_read(&tlbbatch_advise_counters, i);
}

static u64 counted(enum tlbbatch_advise_counter counter)
{
	return tlbbatch_counter_read(&tlbbatch_advise_counters, counter) - before[counter];
}

#define COUNTED(name)	counted(TLBBATCH_ADVISE_##name)

/* Was nothing counted but this? */
static bool only(enum tlbbatch_advise_counter flushes, enum tlbbatch_advise_counter receivers,
		 u64 how_many)
{
	unsigned int i;

	for (i = 0; i < TLBBATCH_ADVISE_NR_COUNTERS; i++)
		if (counted(i) != (i == flushes ? 1 : i == receivers ? how_many : 0))
			return false;
	return true;
}

#define ONLY(cause, how_many)							\
	only(TLBBATCH_ADVISE_FLUSHES_##cause, TLBBATCH_ADVISE_RECEIVERS_##cause, how_many)

static void flush_mm(struct mm_struct *of, bool freed_tables)
{
	struct task_struct task = *current;

	anew();
	flush_tlb_mm_range(of, 0, 4096, 12, freed_tables);
	ok(!memcmp(&task, current, sizeof(task)), "A1: the task is as it was");
}

/* Threads of an mm run on CPUs 0 to 3; CPU 1 is lazy. CPU 4 is on another mm by now. */
static void threads_run(void)
{
	unsigned int cpu;

	mm = (struct mm_struct){ .mm_users = { 4 }, .cpumask = { { 0x1f } } };
	for_each_possible_cpu(cpu) {
		per_cpu(tlb_state.loaded, cpu) = cpu < 4 ? &mm : &other_mm;
		per_cpu(cpu_tlbstate_shared.is_lazy, cpu) = cpu == 1;
	}
	sim_cpu = 0;
	sim_offline = 0;
	sim_call = (struct pt_regs_of_task){ .nr = NR_MADVISE };
	*current = (struct task_struct){ .comm = "task", .pid = 20, .start_boottime = 20 };
}

/* --- off ------------------------------------------------------------------------------------- */

static unsigned int nr_attached(void)
{
	return sim_is_patched((unsigned long)flush_tlb_mm_range) +
	       sim_is_patched((unsigned long)arch_tlbbatch_flush) +
	       sim_is_patched((unsigned long)try_to_unmap_flush_dirty) +
	       sim_is_patched((unsigned long)try_to_unmap_flush) +
	       sim_is_patched((unsigned long)fn_pass);
}

static void test_switch(void)
{
	ok_str(tlbbatch_advise.unavailable, "", "flushes can be watched");
	ok_str(mode(), "[off] watch\n", "it is off");
	ok_int(nr_attached(), 0, "H15: nothing is attached");
	ok_int(write_mode("on\n"), -EINVAL, "there is no such mode");
	sim_invlpgb = true;
	ok_int(write_mode("watch\n"), -EOPNOTSUPP, "A1: refused where flushes send no IPI");
	ok(sim_logged("INVLPGB"), "A1: and the log says why");
	sim_invlpgb = false;
	sim_xenpv = true;
	ok_int(write_mode("watch\n"), -EOPNOTSUPP, "A1: refused where Xen flushes");
	ok(sim_logged("Xen") && !nr_attached(), "A1: and the log says why");
	sim_xenpv = false;
	sim_hyperv = true;
	sim_hyperv_hints = 1 << 2;
	ok_int(write_mode("watch\n"), -EOPNOTSUPP, "A1: refused where Hyper-V flushes");
	ok(sim_logged("Hyper-V") && !nr_attached(), "A1: and the log says why");
	/* It wants to be told of other things, but not of flushes. */
	sim_hyperv_hints = ~(1U << 2);
	ok(write_mode("watch\n") == 6 && write_mode("off\n") == 4,
	   "A1: not where Hyper-V leaves them to the guest");
	sim_hyperv = false;
	sim_hyperv_hints = ~0U;
	ok_int(write_mode("watch\n"), 6, "it watches");
	ok_str(mode(), "off [watch]\n", "and says so");
	ok_int(nr_attached(), 5, "H2: all is attached");
}

static void test_end(void)
{
	current = &admin;
	ok_int(write_mode("off\n"), 4, "it is switched off");
	ok(!nr_attached() && !tlbbatch_advise.on, "H15: nothing is attached any more");
	threads_run();
	flush_mm(&mm, false);
	ok_int(COUNTED(FLUSHES_UNMAP), 0, "and nothing is counted");
	current = &admin;
}

/* --- whom a flush interrupts ------------------------------------------------------------------ */

static void test_receivers(void)
{
	threads_run();
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 2), "A2: madvise interrupts CPUs 2 and 3, neither itself nor a lazy one");
	flush_mm(&mm, true);
	ok(ONLY(UNMAP, 4), "A2: if page tables are freed, all others of the mask");
	sim_offline = 1 << 2;
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 1), "A2: none that is offline");
	flush_mm(&mm, true);
	ok(ONLY(UNMAP, 3), "A2: not even if page tables are freed");
	sim_offline = 0;
	per_cpu(tlb_state.loaded, 3) = TLBBATCH_ARCH_SWITCHING;
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 2), "A2: one that switches, too");
	per_cpu(tlb_state.loaded, 3) = &other_mm;
	per_cpu(tlb_state.loaded, 2) = &other_mm;
	flush_mm(&mm, false);
	ok_int(COUNTED(FLUSHES_UNMAP), 0, "A2: a flush that interrupts nobody doesn't count");
}

static void test_causes(void)
{
	threads_run();
	sim_call.nr = NR_MPROTECT;
	flush_mm(&mm, false);
	ok(ONLY(MPROTECT, 2), "A2: mprotect");
	sim_call = (struct pt_regs_of_task){ NR_MUNMAP_32, true };
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 2), "A2: munmap of 32 bits");
	sim_call = (struct pt_regs_of_task){ NR_READ, false };
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: another call");
	mm.mm_users.counter = 0;
	flush_mm(&mm, false);
	ok(ONLY(EXIT, 2), "A2: an mm that nobody uses any more");
	mm.mm_users.counter = 1;
	current->flags = PF_MEMALLOC;
	flush_mm(&mm, false);
	ok(ONLY(MIGRATE, 2), "A2: direct compaction");
	current->reclaim_state = &mm;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: reclaim, outside of its passes");
	current->reclaim_state = NULL;
	current->flags = PF_KTHREAD;
	sim_call.nr = NR_MADVISE;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: a thread of the kernel is in no call");
	strscpy(current->comm, "kcompactd0", sizeof(current->comm));
	flush_mm(&mm, false);
	ok(ONLY(MIGRATE, 2), "A2: kcompactd");
	current->flags = 0;
	sim_call.nr = NR_READ;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: a program of that name isn't");
	/* It has a copy of the registers of whoever made it, who was in madvise. */
	sim_call.nr = NR_MADVISE;
	current->flags = PF_IO_WORKER;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: a worker of io_uring is in no call");
	current->flags = PF_USER_WORKER;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: nor is one of vhost");
}

/* --- passes ----------------------------------------------------------------------------- */

/* What is unmapped for a folio may be in use on these CPUs, too. */
static void unmap(unsigned long cpus, bool dirty)
{
	current->tlb_ubc.flush_required = true;
	current->tlb_ubc.writable |= dirty;
	current->tlb_ubc.arch.cpumask.bits[0] |= cpus;
}

/* With a disk a folio is under writeback when it has been written; with zram it is done. */
static bool to_disk;

static void write_folio(bool anon, bool swapbacked, unsigned int nr)
{
	struct folio folio = { .nr = nr, .anon = anon, .swapbacked = swapbacked,
			       .writeback = to_disk };
	struct tlbflush_unmap_batch batch = current->tlb_ubc;
	void (*probe)(void *data, struct folio *of) = tlbbatch_advise.watches->points[0].probe;

	try_to_unmap_flush_dirty();
	if (batch.writable && (current->tlb_ubc.writable || current->tlb_ubc.flush_required))
		sim_breach("A1: the kernel's own flush didn't come");
	probe(NULL, &folio);
}

static void write_dirty(unsigned long cpus)
{
	unmap(cpus, true);
	write_folio(true, true, 1);
}

static struct tlbbatch_pass *begin_pass(int nid)
{
	return tlbbatch_pass_enter(0) ? tlbbatch_pass_begin(&sim_nodes[nid], NULL, NULL) :
					NULL;
}

static void end_pass(struct tlbbatch_pass *pass)
{
	try_to_unmap_flush();
	tlbbatch_pass_end(pass, 0);
}

static void reclaims(void)
{
	threads_run();
	current->flags = PF_MEMALLOC;
	current->reclaim_state = &mm;
	anew();
}

static void test_pass(void)
{
	struct tlbbatch_pass *pass;
	unsigned int i;

	reclaims();
	pass = begin_pass(0);
	for (i = 0; i < 5; i++)
		write_dirty(i < 4 ? 0xf : 0x1f);
	ok(COUNTED(FLUSHES_RECLAIM_DIRTY) == 5 && COUNTED(RECEIVERS_RECLAIM_DIRTY) == 4 * 2 + 3,
	   "A2: each dirty folio has a flush");
	unmap(0xf, false);
	end_pass(pass);
	ok(COUNTED(FLUSHES_RECLAIM_LAST) == 1 && COUNTED(RECEIVERS_RECLAIM_LAST) == 2,
	   "A2: and reclaim flushes before it frees");
	ok(COUNTED(PASSES) == 1 && COUNTED(WHATIF_FLUSHES) == 6 &&
	   COUNTED(WHATIF_RECEIVERS) == 4 * 2 + 3 + 2, "A3: these are the flushes of a judged pass");
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_FOLIOS_DEFERRED) == 5,
	   "A3: one is left of them");
	ok_int(COUNTED(WHATIF_RECEIVERS_LEFT), 3, "A3: which reaches whoever one of them was to reach");
	anew();
	pass = begin_pass(0);
	write_dirty(0xf);
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES) == 1 && COUNTED(WHATIF_FLUSHES_LEFT) == 1 &&
	   COUNTED(WHATIF_RECEIVERS_LEFT) == 2, "A3: a single one is left as it is");
	anew();
	pass = begin_pass(0);
	unmap(0xf, false);
	try_to_unmap_flush_dirty();
	end_pass(pass);
	ok(!COUNTED(FLUSHES_RECLAIM_DIRTY) && COUNTED(FLUSHES_RECLAIM_LAST) == 1,
	   "A2: of a folio whose entries were clean no flush is asked for");
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_RECEIVERS_LEFT) == 2,
	   "A3: and reclaim's own flush is left, with whom it reaches");
	anew();
	pass = begin_pass(0);
	write_dirty(BIT(0) | BIT(1));
	end_pass(pass);
	ok(!COUNTED(WHATIF_FLUSHES) && !COUNTED(WHATIF_FLUSHES_LEFT) &&
	   COUNTED(WHATIF_FOLIOS_DEFERRED) == 1, "A3: a flush that interrupts nobody doesn't count");
}

/* Reclaim frees a group of folios that nobody had mapped: it has nothing to flush. */
static void test_frees(void)
{
	struct tlbbatch_pass *pass;

	reclaims();
	to_disk = true;
	pass = begin_pass(0);
	write_dirty(0xf);
	try_to_unmap_flush();
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_RECEIVERS_LEFT) == 2,
	   "A3: what is owed is flushed before reclaim frees, even if it has nothing to flush");
	try_to_unmap_flush();
	ok_int(COUNTED(WHATIF_FLUSHES_LEFT), 1, "A3: once");
	write_dirty(0x1f);
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES) == 2 && COUNTED(WHATIF_FLUSHES_LEFT) == 2 &&
	   COUNTED(WHATIF_RECEIVERS_LEFT) == 2 + 3, "A3: and what is owed since then at the end");
	to_disk = false;
	anew();
	pass = begin_pass(0);
	write_dirty(0xf);
	try_to_unmap_flush();
	ok_int(COUNTED(WHATIF_FLUSHES_LEFT), 0, "A3: with zram it frees what would wait: not yet");
	write_dirty(0x1f);
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_RECEIVERS_LEFT) == 3,
	   "A3: but at the end");
	anew();
	try_to_unmap_flush();
	ok(!COUNTED(WHATIF_FLUSHES_LEFT), "A3: outside of a pass nothing is owed");
}

static void test_kinds(void)
{
	struct tlbbatch_pass *pass;

	reclaims();
	pass = begin_pass(0);
	unmap(0xf, true);
	write_folio(true, true, 16);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 1, "A3: a large anonymous folio would wait");
	unmap(0xf, true);
	write_folio(false, true, 1);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 2, "A3: so would shmem");
	unmap(0xf, true);
	write_folio(false, true, 2);
	ok(COUNTED(WHATIF_FOLIOS_DEFERRED) == 2 && COUNTED(WHATIF_FLUSHES_LEFT) == 1,
	   "A3: large shmem wouldn't, and has its flush");
	unmap(0xf, true);
	write_folio(false, false, 1);
	ok(COUNTED(WHATIF_FOLIOS_DEFERRED) == 2 && COUNTED(WHATIF_FLUSHES_LEFT) == 2,
	   "A3: nor would a file's folio");
	end_pass(pass);
	ok_int(COUNTED(WHATIF_FLUSHES_LEFT), 2, "A3: nothing is owed at the end");
}

static void test_batch_size(void)
{
	struct tlbbatch_pass *pass;
	unsigned int i;

	reclaims();
	tlbbatch_batch_size = 2;
	pass = begin_pass(0);
	for (i = 0; i < 6; i++)
		write_dirty(i ? 0xf : 0x1f);
	end_pass(pass);
	tlbbatch_batch_size = TLBBATCH_BATCH_DEFAULT;
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 3 && COUNTED(WHATIF_FOLIOS_DEFERRED) == 3,
	   "A3: the batch_size of batching holds");
	ok_int(COUNTED(WHATIF_RECEIVERS_LEFT), 3 + 2 + 2,
	       "A3: a flush that is left reaches nobody for those before it");
}

/* Rule S7: with shootdown/defer_min_cpus, few interrupted CPUs aren't worth waiting. */
static void test_worth(void)
{
	struct tlbbatch_pass *pass;

	reclaims();
	tlbbatch_receivers_min = 3;
	pass = begin_pass(0);
	/* The pass keeps its minimum. */
	tlbbatch_receivers_min = 1;
	write_dirty(0xf);
	ok(!COUNTED(WHATIF_FOLIOS_DEFERRED) && COUNTED(WHATIF_FLUSHES_LEFT) == 1 &&
	   COUNTED(WHATIF_RECEIVERS_LEFT) == 2, "A3: S7: a flush to two isn't put off, if three must be");
	write_dirty(0x1f);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 1, "A3: S7: one to three is");
	write_dirty(0xf);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 2, "A3: S7: and what follows waits with it");
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 2 && COUNTED(WHATIF_RECEIVERS_LEFT) == 2 + 3,
	   "A3: S7: two of three flushes are left");
	anew();
	tlbbatch_receivers_min = 3;
	pass = begin_pass(0);
	tlbbatch_receivers_min = 1;
	/* It meets no gate, so that its flush stays owed. */
	unmap(0xf, true);
	try_to_unmap_flush_dirty();
	unmap(BIT(4), false);
	write_folio(true, true, 1);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 1,
	       "A3: S7: who has clean entries to flush is interrupted, too");
	end_pass(pass);
}

static unsigned int row_of(const struct tlbbatch_feature *feature)
{
	const struct tlbbatch_row *row;

	for_each_tlbbatch_feature(row)
		if (row->feature == feature)
			break;
	return row - tlbbatch_features;
}

static void test_unjudged(void)
{
	struct tlbbatch_pass *pass;

	ok(row_of(&tlbbatch_batch) < row_of(&tlbbatch_advise), "A4: batching begins in a pass first");

	reclaims();
	demotion = true;
	lower = true;
	pass = begin_pass(0);
	write_dirty(0xf);
	end_pass(pass);
	ok(COUNTED(PASSES_DEMOTING) == 1 && COUNTED(FLUSHES_RECLAIM_DIRTY) == 1,
	   "A4: a pass that demotes: its flushes have their causes");
	ok(!COUNTED(WHATIF_FLUSHES) && !COUNTED(WHATIF_FLUSHES_LEFT), "A4: but it isn't judged");
	demotion = lower = false;
	anew();
	/* As batching, which begins in the pass before advise does. */
	pass = tlbbatch_pass_enter(0) ? tlbbatch_pass_current() : NULL;
	pass->puts_off = true;
	pass->pgdat = &sim_nodes[0];
	tlbbatch_advise.pass_begin(pass);
	unmap(0xf, true);
	ok_int(COUNTED(PASSES_PUT_OFF), 1, "A4: a pass that is batched");
	/* Batching puts the flush off, and issues it later. */
	tlbbatch_advise.watches->entries[2].see(&(struct ftrace_regs){ });
	try_to_unmap_flush();
	ok(COUNTED(FLUSHES_RECLAIM_LAST) == 1 && !COUNTED(FLUSHES_RECLAIM_DIRTY),
	   "A4: what is left of its flushes are last ones");
	ok(!COUNTED(WHATIF_FLUSHES) && !COUNTED(WHATIF_FLUSHES_LEFT), "A4: and it isn't judged");
	end_pass(pass);
}

/* A pass that began before advise did, or found no slot; and no pass at all. */
static void test_outside(void)
{
	reclaims();
	unmap(0xf, true);
	try_to_unmap_flush_dirty();
	ok(ONLY(OTHER, 2), "A2: reclaim in a pass that wasn't seen");
	threads_run();
	anew();
	unmap(0xf, false);
	try_to_unmap_flush();
	ok(ONLY(MIGRATE, 2), "A2: a batch outside of reclaim is migration's");
}

/* While "off" waits for a pass, advise doesn't know those that begin. */
static void test_leaving(void)
{
	struct tlbbatch_pass *open;

	reclaims();
	open = begin_pass(0);
	tlbbatch_pass_leave(tlbbatch_advise.pass);
	write_dirty(0xf);
	ok(COUNTED(FLUSHES_RECLAIM_DIRTY) == 1 && COUNTED(WHATIF_FLUSHES) == 1,
	   "A2: a pass is counted to its end");
	end_pass(open);
	anew();
	unmap(0xf, true);
	try_to_unmap_flush_dirty();
	ok(!COUNTED(FLUSHES_OTHER) && !COUNTED(FLUSHES_MIGRATE),
	   "A2: a later one's flushes aren't taken for others'");
	threads_run();
	flush_mm(&mm, false);
	ok(!COUNTED(FLUSHES_UNMAP), "A2: nothing else is counted then, so that shares stay true");
	tlbbatch_pass_join(tlbbatch_advise.pass);
}

int main(void)
{
	hook_world_init();
	hook_world_has("flush_tlb_mm_range", flush_tlb_mm_range,
		       "void(struct mm_struct *, unsigned long, unsigned long, unsigned int, bool)");
	hook_world_has("arch_tlbbatch_flush", arch_tlbbatch_flush,
		       "void(struct arch_tlbflush_unmap_batch *)");
	hook_world_has("try_to_unmap_flush_dirty", try_to_unmap_flush_dirty, "void(void)");
	hook_world_has("try_to_unmap_flush", try_to_unmap_flush, "void(void)");
	hook_world_has("__traceiter_mm_vmscan_write_folio", write_event,
		       "int(void *, struct folio *)");
	hook_world_has("node_get_allowed_targets", node_get_allowed_targets,
		       "void(pg_data_t *, nodemask_t *)");
	hook_world_has("numa_demotion_enabled", &demotion, NULL);
	hook_world_has("cpu_tlbstate", &tlb_state, NULL);
	sim_tracepoints("mm_vmscan_write_folio", "one");
	ok_int(sim_load(), 0, "it loads");
	test_switch();
	current = &reclaimer;
	test_receivers();
	test_causes();
	test_pass();
	test_frees();
	test_kinds();
	test_batch_size();
	test_worth();
	test_unjudged();
	test_outside();
	test_leaving();
	test_end();
	sim_unload();
	ok_int(sim_nr_registered() + sim_allocated() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}
