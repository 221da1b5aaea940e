// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that reclaim folios, and a swap device. */
#include "batch_world.h"
#include "arch/x86.h"
#include "compat/writeout_shapes.h"
#include "core/feature.h"
#include "core/knob.h"
#include "hooks/watch.h"
#include "kernel/symbols.h"
#include "pass/pass_calls.h"
#include "receivers/receivers.h"
#include "pass/group.h"

/* No group is seen here. */
bool __weak tlbbatch_group_claim(struct tlbbatch_pass *pass, struct tlbbatch_group *group)
{
	return false;
}

#define PAGE_SUCCESS	2

struct task_struct admin = { .comm = "admin", .pid = 10, .start_boottime = 10 };
struct reclaimer one = { .task = { .comm = "one", .pid = 11, .start_boottime = 11 } };
struct reclaimer two = { .task = { .comm = "two", .pid = 12, .start_boottime = 12 } };
struct address_space swap_space, shmem_file;
struct mem_cgroup group, target_group;
struct world world;

struct work_struct *sim_work;
pg_data_t sim_nodes[2] = { { .node_id = 0 }, { .node_id = 1 } };
unsigned long sim_pgactivate, sim_irqs_off;
unsigned int sim_yields;
/* Of reclaim for a cgroup, and for all. */
static struct scan_control controls[] = { { .target = &target_group }, { .target = NULL } };

/* --- the rest of the kernel --------------------------------------------------------------- */

bool folio_trylock(struct folio *folio)
{
	void (*does)(struct folio *folio) = world.at_lock;
	bool taken = !folio->locked;

	world.at_lock = NULL;
	if (does)
		does(folio);
	folio->locked = true;
	return taken;
}

void folio_unlock(struct folio *folio)
{
	if (!folio->locked)
		sim_breach("unlock of a folio that isn't locked");
	folio->locked = false;
}

bool folio_clear_dirty_for_io(struct folio *folio)
{
	bool dirty = folio->dirty;

	if (!folio->locked)
		sim_breach("a folio that isn't locked is made clean");
	folio->dirty = false;
	return dirty;
}

void folio_mark_dirty(struct folio *folio)
{
	if (!folio->locked)
		sim_breach("B5: a folio that isn't locked is marked dirty");
	folio->dirty = true;
}

void folio_set_active(struct folio *folio)
{
	if (!folio->locked)
		sim_breach("B13: a folio that isn't locked is marked active");
	folio->active = true;
}

void mapping_set_error(struct address_space *mapping, int error)
{
	if (!world.last->locked)
		sim_breach("B13: an error is recorded, and the folio isn't locked");
	mapping->error = error;
}

struct mem_cgroup *folio_memcg(struct folio *folio)
{
	if (!sim_rcu_depth)
		sim_breach("a folio's cgroup without RCU's read lock");
	return folio->memcg;
}

static void count_memcg_events(struct mem_cgroup *memcg, enum vm_event_item item,
			       unsigned long nr)
{
	if (!sim_rcu_depth)
		sim_breach("an event of a cgroup without RCU's read lock");
	if (!sim_irqs_off)
		sim_breach("an event of a cgroup with interrupts on");
	memcg->activated += nr;
}

void folios_put(struct folio_batch *batch)
{
	unsigned int i;

	world.groups++;
	for (i = 0; i < batch->nr; i++) {
		if (--batch->folios[i]->refs)
			sim_breach("B12: a folio is freed that has another reference");
		batch->folios[i]->freed = true;
	}
	batch->nr = 0;
}

static int remove_mapping(struct address_space *mapping, struct folio *folio, bool reclaimed,
			  struct mem_cgroup *target_memcg)
{
	if (!mapping || mapping != folio->mapping)
		sim_breach("B12: a folio is taken out of a mapping that it isn't in");
	/* The cache's references, and the isolation's. */
	if (!folio->locked || folio->refs != 1 + (int)folio->nr)
		return 0;
	world.evicted_from = target_memcg;
	folio->mapping = NULL;
	folio->refs = 0;
	return 1;
}

static bool swap_full(struct folio *folio)
{
	return world.swap_full;
}

static bool free_swap(struct folio *folio)
{
	world.swap_freed++;
	return true;
}

static void get_allowed_targets(pg_data_t *node, nodemask_t *lower)
{
	lower->bits = world.lower && node->node_id == world.demotes;
}

static void try_to_unmap_flush(void)
{
	if (world.at_flush)
		world.at_flush();
	world.flushes++;
	world.flushed = current->tlb_ubc.arch.cpumask;
	current->tlb_ubc = (struct tlbflush_unmap_batch){ };
}

static void flush_tlb_all(void)
{
	world.flushes_of_all++;
}

/* Like zram: a write-out is over when it returns. */
static int write_folio(struct folio *folio, struct swap_iocb **plug)
{
	int (*does)(struct folio *folio) = world.write;

	if (!folio->locked || folio->dirty)
		sim_breach("a folio is written that isn't locked, or is dirty still");
	if (current->tlb_ubc.writable)
		sim_breach("B1: a folio is written before its flush");
	if (!folio->reclaim)
		sim_breach("B13: a folio is written that isn't marked as reclaim's");
	world.write = NULL;
	world.last = folio;
	if (does)
		return does(folio);
	if (world.gathers)
		*plug = &world.iocb;
	folio->writes++;
	world.written++;
	folio_unlock(folio);
	return 0;
}

/* An entry of swap, which only a folio in the swap cache has. */
static int write_to_swap(struct folio *folio, struct swap_iocb **by)
{
	if (!folio->swapcache)
		sim_breach("a folio that isn't in the swap cache is written to swap");
	return write_folio(folio, by);
}

static int write_shmem(struct folio *folio, struct swap_iocb **by)
{
	if (folio->swapcache)
		sim_breach("a folio that isn't in its file is written as shmem");
	return write_folio(folio, by);
}

int refuses(struct folio *folio)
{
	return AOP_WRITEPAGE_ACTIVATE;
}

#ifdef SIM_7_3

#define SWAP_PROTO	"int(struct swap_io_ctx *"

static int swap_writeout(struct swap_io_ctx *io, struct folio *folio)
{
	struct swap_iocb *plug;

	return write_to_swap(folio, &plug);
}

static int shmem_writeout(struct swap_io_ctx *io, struct folio *folio, struct list_head *split)
{
	struct swap_iocb *plug;

	return write_shmem(folio, &plug);
}

static void swap_write_submit(struct swap_io_ctx *io)
{
	world.submitted = io;
}

#else

#define SWAP_PROTO	"int(struct folio *, struct swap_iocb **"

static void swap_write_unplug(struct swap_iocb *plug)
{
	if (!plug)
		sim_breach("B11: nothing is submitted");
	world.submitted = plug;
}

static int swap_writeout(struct folio *folio, struct swap_iocb **plug)
{
	return write_to_swap(folio, plug);
}

static int shmem_writeout(struct folio *folio, struct swap_iocb **plug, struct list_head *split)
{
	return write_shmem(folio, plug);
}

#endif

/* --- what CPUs have loaded ---------------------------------------------------------------- */

DEFINE_PER_CPU(struct tlb_state, cpu_tlbstate);
DEFINE_PER_CPU(struct tlb_state_shared, cpu_tlbstate_shared);
struct mm_struct init_mm;
void (*sim_at_read)(void);

int copy_from_kernel_nofault(void *to, const void *from, size_t size)
{
	if (sim_at_read)
		sim_at_read();
	if (world.faults || (uintptr_t)from < 4096)
		return -EFAULT;
	memcpy(to, from, size);
	return 0;
}

/* --- the rest of the module ----------------------------------------------------------------- */

struct tlbbatch_redirects tlbbatch_batch_redirects;
const struct tlbbatch_target *tlbbatch_target_at(unsigned long addr)
{
	return world.target;
}

int tlbbatch_feature_on(struct tlbbatch_feature *feature)
{
	tlbbatch_pass_join(feature->pass);
	feature->on = true;
	return 0;
}

int tlbbatch_feature_off(struct tlbbatch_feature *feature, bool killable)
{
	int err;

	tlbbatch_pass_leave(feature->pass);
	err = tlbbatch_passes_wait_turnover(feature->waits, killable);
	feature->on = err;
	return err;
}

int tlbbatch_knob_parse(const char *text, size_t len, unsigned int min, unsigned int max,
			unsigned int *value)
{
	return -EINVAL;
}

static bool known(const char *name)
{
	return !world.lacks || strcmp(name, world.lacks);
}

unsigned long tlbbatch_symbol_address(const char *name)
{
	if (!known(name))
		return 0;
	if (!strcmp(name, "cpu_tlbstate"))
		return (unsigned long)&cpu_tlbstate;
	return strcmp(name, "init_mm") ? (unsigned long)&world.demotion : (unsigned long)&init_mm;
}

bool tlbbatch_member_offset(const char *tag, const char *member, const char *type, u32 *offset)
{
	const struct {
		const char *name;
		u32 offset;
	} members[] = {
		{ "loaded_mm", offsetof(struct tlb_state, loaded_mm) },
		{ "loaded_mm_asid", offsetof(struct tlb_state, loaded_mm_asid) },
		{ "ctxs", offsetof(struct tlb_state, ctxs) },
		{ "ctx_id", offsetof(struct tlb_context, ctx_id) },
		{ "tlb_gen", offsetof(struct tlb_context, tlb_gen) },
		{ "is_lazy", world.lazy_at },
		{ "target_mem_cgroup", offsetof(struct scan_control, target) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++)
		if (!strcmp(member, members[i].name))
			*offset = members[i].offset;
	return known(member);
}

bool tlbbatch_struct_size(const char *tag, u32 *size)
{
	*size = sizeof(struct tlb_context);
	return known(tag);
}

bool tlbbatch_enumerator(const char *name, s64 *value)
{
	*value = PAGE_SUCCESS;
	return known(name);
}

/* world_init() sets them. */
bool tlbbatch_helpers_resolve(const struct tlbbatch_helper *helper, unsigned int nr,
			      char *missing, size_t size)
{
	while (nr--)
		if (!known(helper[nr].alternatives->symbol))
			return false;
	return true;
}

/* --- reclaim ---------------------------------------------------------------------------------- */

/* What reclaim has on its stack. */
#ifdef SIM_7_3
static struct swap_io_ctx own_io;
#else
static struct swap_iocb *plug;
#endif

static const struct tlbbatch_target *swap_target, *shmem_target;

/* This kernel's shape. */
static const struct tlbbatch_target *shape(const struct tlbbatch_target *target)
{
	while (!strstr(target->function.proto, SWAP_PROTO))
		target++;
	return target;
}

void world_init(void)
{
	sim_init();
	current = &admin;
	if (tlbbatch_batch_find() || tlbbatch_receivers_find())
		abort();
	STATIC_CALL_KEY(tlbbatch_remove_mapping).func = remove_mapping;
	STATIC_CALL_KEY(tlbbatch_mem_cgroup_swap_full).func = swap_full;
	STATIC_CALL_KEY(tlbbatch_folio_free_swap).func = free_swap;
	STATIC_CALL_KEY(tlbbatch_node_get_allowed_targets).func = get_allowed_targets;
	STATIC_CALL_KEY(tlbbatch_count_memcg_events).func = count_memcg_events;
	STATIC_CALL_KEY(tlbbatch_flush_tlb_all).func = flush_tlb_all;
#ifdef SIM_7_3
	STATIC_CALL_KEY(tlbbatch_swap_write_submit).func = swap_write_submit;
#else
	STATIC_CALL_KEY(tlbbatch_swap_write_unplug).func = swap_write_unplug;
#endif
	STATIC_CALL_KEY(tlbbatch_orig_try_to_unmap_flush).func = try_to_unmap_flush;
	tlbbatch_flush_batched_by(tlbbatch_batch_flush);
	swap_target = shape(tlbbatch_swap_writeout_targets);
	shmem_target = shape(tlbbatch_shmem_writeout_targets);
	tlbbatch_call_set(&swap_target->original, (unsigned long)swap_writeout);
	tlbbatch_call_set(&swap_target->writer, (unsigned long)swap_target->write_out);
	tlbbatch_call_set(&shmem_target->original, (unsigned long)shmem_writeout);
	tlbbatch_call_set(&shmem_target->writer, (unsigned long)shmem_target->write_out);
	tlbbatch_passes_add(&tlbbatch_batch_part);
	if (tlbbatch_passes_init())
		abort();
	tlbbatch_pass_calls(&tlbbatch_batch_part, tlbbatch_batch.pass_begin,
			    tlbbatch_batch.pass_end);
}

static u64 sum(enum tlbbatch_counter counter)
{
	u64 sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(tlbbatch_batch_counts.value[counter], cpu);
	return sum;
}

static u64 before[TLBBATCH_NR_COUNTERS];

void anew(unsigned int batch_size)
{
	unsigned int i;

	current = &admin;
	world = (struct world){ };
	sim_at_read = NULL;
	tlbbatch_receivers_pruned = false;
	tlbbatch_receivers_min = 1;
#ifndef SIM_7_3
	plug = NULL;
#endif
	sim_others = NULL;
	sim_work = NULL;
	sim_pgactivate = sim_yields = 0;
	group = target_group = (struct mem_cgroup){ };
	sim_nodes[0].written = sim_nodes[1].written = 0;
	one.nid = two.nid = 0;
	swap_space.error = shmem_file.error = 0;
	sim_forget();
	tlbbatch_batch_rearm();
	if (tlbbatch_knob_set_enabled(1) || tlbbatch_knob_set_batch_size(batch_size))
		abort();
	for (i = 0; i < TLBBATCH_NR_COUNTERS; i++)
		before[i] = sum(i);
}

u64 counted(enum tlbbatch_counter counter)
{
	return sum(counter) - before[counter];
}

struct folio anon_folio(unsigned int nr)
{
	return (struct folio){ .mapping = &swap_space, .memcg = &group, .nr = nr, .anon = true,
			       .swapcache = true, .dirty = true, .refs = 1 + (int)nr };
}

struct folio shmem_folio(unsigned int nr)
{
	struct folio folio = anon_folio(nr);

	folio.mapping = &shmem_file;
	folio.anon = folio.swapcache = false;
	return folio;
}

void pass_begin(struct reclaimer *task)
{
	current = &task->task;
	task->stat = (struct reclaim_stat){ };
	if (tlbbatch_pass_enter(0))
		tlbbatch_pass_begin(&sim_nodes[task->nid], &controls[world.for_all], &task->stat);
}

unsigned int pass_end(struct reclaimer *task)
{
	current = &task->task;
	if (tlbbatch_flush_acts(0))
		tlbbatch_hook_try_to_unmap_flush();
	else
		try_to_unmap_flush();
	return tlbbatch_pass_current() ? tlbbatch_pass_end(tlbbatch_pass_current(), 0) : 0;
}

void unmap_dirty(void)
{
	current->tlb_ubc.flush_required = true;
	/* The kernel takes it back only with a flush. */
	current->tlb_ubc.writable |= !world.unmaps_clean;
	current->tlb_ubc.arch.cpumask.bits[0] |= 3 | world.more_cpus;
	if (tlbbatch_context_acts(0))
		tlbbatch_hook_try_to_unmap_flush_dirty();
	else
		try_to_unmap_flush();
}

void reclaim_counts(const struct folio *folio)
{
#ifdef SIM_7_3
	/* Its trace event tells. */
	void (*probe)(void *data, const struct folio *of) = tlbbatch_batch_watches.points[0].probe;

	probe(NULL, folio);
#else
	((struct reclaimer *)current)->stat.nr_pageout += folio->nr;
#endif
}

/* As pageout() calls it. */
static int write_out(void *function, struct folio *folio)
{
	struct list_head split;
#ifdef SIM_7_3
	int (*writer)(struct swap_io_ctx *io, struct folio *of, struct list_head *list) = function;

	return writer(&own_io, folio, &split);
#else
	int (*writer)(struct folio *of, struct swap_iocb **by, struct list_head *list) = function;

	return writer(folio, &plug, &split);
#endif
}

int reclaim(struct folio *folio)
{
	bool shmem = !folio->swapcache;
	const struct tlbbatch_target *target = shmem ? shmem_target : swap_target;
	bool gated = shmem ? tlbbatch_context_gates_shmem(0) : tlbbatch_context_gates(0);
	int ret;

	folio->locked = true;
	unmap_dirty();
	folio->dirty = false;
	folio->reclaim = true;
	ret = write_out(gated ? (void *)target->replacement : target->original.key->func, folio);
	if (ret == AOP_WRITEPAGE_ACTIVATE) {
		folio->reclaim = false;
		folio_unlock(folio);
	} else {
		reclaim_counts(folio);
		if (!folio->writeback)
			folio->reclaim = false;
	}
	return ret;
}

void let_wait(struct folio *folio)
{
	anew(8);
	pass_begin(&one);
	reclaim(folio);
}
