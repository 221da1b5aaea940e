// SPDX-License-Identifier: GPL-2.0-only
/* What advise looks at: see advise_world.h. */
#include "advise_world.h"
#include "arch/x86.h"
#include "pass/demotion.h"
#include "pass/pass_calls.h"

#define NR_MADVISE	28

struct pt_regs_of_task sim_call = { .nr = -1 };
pg_data_t sim_nodes[2] = { { 0 }, { 1 } };
bool demotion, lower;
struct mm_struct mm, other_mm;

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

noinline void flush_tlb_mm_range(struct mm_struct *of, unsigned long start,
					unsigned long end, unsigned int stride_shift,
					bool freed_tables)
{
	barrier();
}

noinline void arch_tlbbatch_flush(struct arch_tlbflush_unmap_batch *batch)
{
	memset(batch, 0, sizeof(*batch));
}

noinline void try_to_unmap_flush(void)
{
	barrier();
	if (!current->tlb_ubc.flush_required)
		return;
	arch_tlbbatch_flush(&current->tlb_ubc.arch);
	current->tlb_ubc.flush_required = current->tlb_ubc.writable = false;
}

noinline void try_to_unmap_flush_dirty(void)
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

ssize_t write_mode(const char *text)
{
	struct kobj_attribute *attr = (void *)tlbbatch_advise_files.group->attrs[0];

	return attr->store(NULL, attr, text, strlen(text));
}

const char *mode(void)
{
	static char text[64];
	struct kobj_attribute *attr = (void *)tlbbatch_advise_files.group->attrs[0];

	attr->show(NULL, attr, text);
	return text;
}

static u64 before[TLBBATCH_ADVISE_NR_COUNTERS];

void anew(void)
{
	unsigned int i;

	for (i = 0; i < TLBBATCH_ADVISE_NR_COUNTERS; i++)
		before[i] = tlbbatch_counter_read(&tlbbatch_advise_counters, i);
}

u64 counted(enum tlbbatch_advise_counter counter)
{
	return tlbbatch_counter_read(&tlbbatch_advise_counters, counter) - before[counter];
}

bool only(enum tlbbatch_advise_counter flushes, enum tlbbatch_advise_counter receivers,
		 u64 how_many)
{
	unsigned int i;

	for (i = 0; i < TLBBATCH_ADVISE_NR_COUNTERS; i++)
		if (counted(i) != (i == flushes ? 1 : i == receivers ? how_many : 0))
			return false;
	return true;
}

void flush_mm(struct mm_struct *of, bool freed_tables)
{
	struct task_struct task = *current;

	anew();
	flush_tlb_mm_range(of, 0, 4096, 12, freed_tables);
	if (memcmp(&task, current, sizeof(task)))
		sim_breach("A1: a task whose flush is seen isn't as it was");
}

void threads_run(void)
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

void unmap(unsigned long cpus, bool dirty)
{
	current->tlb_ubc.flush_required = true;
	current->tlb_ubc.writable |= dirty;
	current->tlb_ubc.arch.cpumask.bits[0] |= cpus;
}

bool to_disk;

void write_folio(bool anon, bool swapbacked, unsigned int nr)
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

void write_dirty(unsigned long cpus)
{
	unmap(cpus, true);
	write_folio(true, true, 1);
}

struct tlbbatch_pass *begin_pass(int nid)
{
	return tlbbatch_pass_enter(0) ? tlbbatch_pass_begin(&sim_nodes[nid], NULL, NULL) :
					NULL;
}

void end_pass(struct tlbbatch_pass *pass)
{
	try_to_unmap_flush();
	tlbbatch_pass_end(pass, 0);
}

void reclaims(void)
{
	threads_run();
	current->flags = PF_MEMALLOC;
	current->reclaim_state = &mm;
	anew();
}

int advise_world_init(void)
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
	return sim_load();
}
