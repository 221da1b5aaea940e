// SPDX-License-Identifier: GPL-2.0-only
/* Files, tasks, and what reclaim and others do with them. */
#include "luf_world.h"
#include "arch/x86.h"
#include "hooks/hook.h"
#include "hooks/watch.h"
#include "core/feature.h"
#include "luf/luf_counters.h"
#include "luf/luf_defer.h"
#include "luf/luf_held.h"
#include "luf/luf_pending.h"
#include "pass/pass.h"

/* Deferral isn't played here. */
struct tlbbatch_feature tlbbatch_defer = { .name = "defer", .refuses = "defer" };

void tlbbatch_held_on_hit(struct work_struct *work)
{
	sim_note("on_hit:%s", work ? "work" : "nothing");
}

void tlbbatch_held_rearm(void)
{
}

#define FS(name, magic, flags_, dev)						\
static struct file_system_type name##_type = { .fs_flags = dev };		\
static struct super_block name##_sb = { .s_magic = magic, .s_flags = flags_,	\
					.s_type = &name##_type }
#define IN(name, sb)								\
static struct inode name##_inode = { .i_sb = &sb, .i_mapping = &name };	\
struct address_space name = { .host = &name##_inode }

FS(ext4, EXT4_MAGIC, 0, FS_REQUIRES_DEV);
FS(tmpfs, TMPFS_MAGIC, 0, 0);
FS(memfd, TMPFS_MAGIC, SB_KERNMOUNT, 0);
FS(fuse, FUSE_SUPER_MAGIC, 0, FS_REQUIRES_DEV);
FS(nfs, NFS_MAGIC, 0, 0);
FS(gfs2, GFS2_MAGIC, 0, FS_REQUIRES_DEV);
FS(ocfs2, OCFS2_SUPER_MAGIC, 0, FS_REQUIRES_DEV);
FS(ramfs, RAMFS_MAGIC, 0, 0);
FS(bdev, BDEVFS_MAGIC, 0, 0);
IN(file_a, ext4_sb);
IN(file_b, ext4_sb);
IN(tmpfs_file, tmpfs_sb);
IN(memfd, memfd_sb);
IN(fuse_file, fuse_sb);
IN(nfs_file, nfs_sb);
IN(gfs2_file, gfs2_sb);
IN(ocfs2_file, ocfs2_sb);
IN(ramfs_file, ramfs_sb);
IN(device, bdev_sb);

struct file open_a = { .f_mapping = &file_a };
struct vm_area_struct vma_a = { .vm_file = &open_a }, vma_none;
/* Their addresses end in zeros. */
struct mm_struct mm_a __aligned(256) = { .context.ctx_id = 1, .cpumask.bits = { 3 } };
struct mm_struct mm_b __aligned(256) = { .context.ctx_id = 2, .cpumask.bits = { 8 } };
struct task_struct admin = { .comm = "admin", .pid = 10, .start_boottime = 10 };
struct task_struct reclaimer = { .comm = "reclaimer", .pid = 11, .start_boottime = 11,
				 .flags = PF_MEMALLOC };
struct task_struct other_reclaimer = { .comm = "other", .pid = 12, .start_boottime = 12,
				       .flags = PF_MEMALLOC };

struct page sim_pages[SIM_FRAMES];
void (*sim_at_look)(void), (*sim_at_writers)(void);
bool sim_init_on_free, sim_poison;
DEFINE_PER_CPU(struct tlb_state_shared, cpu_tlbstate_shared);

/* --- the rest of the kernel, and of the module ------------------------------------------- */

struct notifier_block *sim_memory_notifier;
unsigned int sim_hotplug_works = ~0U;
int (*sim_cpu_up)(unsigned int cpu), (*sim_cpu_down)(unsigned int cpu);

/* The kernel chooses one. */
#define CPU_STATE	(CPUHP_AP_ONLINE_DYN + 3)

int register_memory_notifier(struct notifier_block *block)
{
	if (!sim_hotplug_works--)
		return -ENOSPC;
	sim_memory_notifier = block;
	/* Something comes at once. */
	block->notifier_call(block, MEM_GOING_OFFLINE, NULL);
	return 0;
}

void unregister_memory_notifier(struct notifier_block *block)
{
	if (sim_memory_notifier != block)
		sim_breach("another notifier");
	else
		block->notifier_call(block, MEM_GOING_OFFLINE, NULL);
	sim_note("-memory");
	sim_memory_notifier = NULL;
}

int cpuhp_setup_state_nocalls(int state, const char *name, int (*up)(unsigned int cpu),
			      int (*down)(unsigned int cpu))
{
	if (!sim_hotplug_works--)
		return -ENOSPC;
	sim_cpu_up = up;
	sim_cpu_down = down;
	up(1);
	return CPU_STATE;
}

void cpuhp_remove_state_nocalls(int state)
{
	if (state != CPU_STATE)
		sim_breach("another state of hotplug");
	else
		sim_cpu_down(1);
	sim_note("-cpus");
	sim_cpu_up = sim_cpu_down = NULL;
}

int tlbbatch_feature_on(struct tlbbatch_feature *feature)
{
	const char *why = feature->unfit();
	int err;

	if (!sim_mutexes_held())
		sim_breach("it is switched on without its mutex");
	if (why) {
		sim_printk("%s", why);
		return -EOPNOTSUPP;
	}
	err = feature->start();
	if (!err && world_attaches)
		world_attaches();
	world_attaches = NULL;
	feature->on = !err;
	return err;
}

int tlbbatch_feature_off(struct tlbbatch_feature *feature, bool killable)
{
	if (!sim_mutexes_held())
		sim_breach("it is switched off without its mutex");
	feature->close();
	if (world_stuck) {
		world_stuck--;
		return -ENODEV;
	}
	/* What is seen between the close and the end. */
	sim_barrier();
	feature->stop();
	feature->on = false;
	return 0;
}

void (*world_attaches)(void);
unsigned long sim_second_node_end;
const char *world_lacks, *world_no_struct;
unsigned int world_stuck;

bool tlbbatch_symbol_matches(const char *name, const char *proto)
{
	return !world_lacks || strcmp(name, world_lacks);
}

bool tlbbatch_kernel_has(const char *tag, const char *member)
{
	return !world_no_struct || strcmp(tag, world_no_struct);
}

u32 world_lazy_at;

bool tlbbatch_member_offset(const char *tag, const char *member, const char *type, u32 *offset)
{
	if ((world_lacks && !strcmp(member, world_lacks)) || !tlbbatch_kernel_has(tag, NULL))
		return false;
	*offset = !strcmp(member, "new_tlb_gen") ? 24 : !strcmp(member, "initiating_cpu") ? 32 :
		  !strcmp(member, "vma") ? 16 : !strcmp(member, "is_lazy") ? world_lazy_at : 0;
	return true;
}

/* --- what is watched ------------------------------------------------------------------------- */

static struct tlbbatch_watched *watched(const char *symbol, const char *proto)
{
	unsigned int i;
	const struct tlbbatch_watched *at;

	for (i = 0; i < tlbbatch_luf_watches.nr_entries; i++)
		for (at = tlbbatch_luf_watches.entries[i].alternatives; at->function.symbol; at++)
			if (!strcmp(at->function.symbol, symbol) &&
			    (!proto || strstr(at->function.proto, proto)))
				return (void *)at;
	return NULL;
}

void call(const char *symbol, const char *proto, unsigned long a, unsigned long b, unsigned long c)
{
	struct ftrace_regs fregs = { .regs.args = { a, b, c, ~0UL, ~0UL, ~0UL } };
	struct tlbbatch_watched *function = watched(symbol, proto);

	if (function)
		function->see(&fregs);
}

static void *probe_of(const char *point)
{
	unsigned int i;

	for (i = 0; i < tlbbatch_luf_watches.nr_points; i++)
		if (!strcmp(tlbbatch_luf_watches.points[i].name, point))
			return tlbbatch_luf_watches.points[i].probe;
	abort();
}

static const struct tlbbatch_target *redirect(const char *symbol)
{
	unsigned int i;
	const struct tlbbatch_target *at;

	for (i = 0; i < tlbbatch_luf_redirects.nr; i++)
		for (at = tlbbatch_luf_redirects.hooks[i].targets; at->function.symbol; at++)
			if (!strcmp(at->function.symbol, symbol))
				return at;
	abort();
}

bulk_fn *bulk_replacement(void)
{
	return redirect("__alloc_pages_bulk")->replacement;
}

bulk_array_fn *bulk_array_replacement(void)
{
	return redirect("alloc_pages_bulk_noprof")->replacement;
}

void bulk_array_world(bulk_array_fn *original)
{
	tlbbatch_call_set(&redirect("alloc_pages_bulk_noprof")->original, (unsigned long)original);
}

void bulk_world(bulk_fn *original)
{
	tlbbatch_call_set(&redirect("__alloc_pages_bulk")->original, (unsigned long)original);
}

/* --- flushes ------------------------------------------------------------------------------------ */

struct info {
	struct mm_struct *mm;
	u64 start, end, new_tlb_gen;
	unsigned int initiating_cpu;
};

void traced_flush(unsigned int cpu, int reason, unsigned long pages)
{
	void (*probe)(void *data, int why, unsigned long nr) = probe_of("tlb_flush");
	unsigned int me = sim_cpu;

	sim_cpu = cpu;
	probe(NULL, reason, pages);
	sim_cpu = me;
}

static void flush_on(unsigned int cpu, struct mm_struct *mm, unsigned int from)
{
	struct info info = { .mm = mm, .initiating_cpu = from,
			     .new_tlb_gen = mm ? atomic64_read(&mm->context.tlb_gen) : 0 };
	unsigned int me = sim_cpu;

	sim_cpu = cpu;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = me;
	traced_flush(cpu, cpu == from ? TLB_LOCAL_MM_SHOOTDOWN : TLB_REMOTE_SHOOTDOWN,
		     TLB_FLUSH_ALL);
}

void part_flush(struct mm_struct *mm, unsigned int cpu, unsigned int from)
{
	struct info info = { .mm = mm, .initiating_cpu = from };
	unsigned int me = sim_cpu;

	sim_cpu = cpu;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = me;
	traced_flush(cpu, TLB_REMOTE_SHOOTDOWN, 3);
}

void mm_flush(struct mm_struct *mm, unsigned int cpu, unsigned int from)
{
	atomic64_inc_return(&mm->context.tlb_gen);
	traced_flush(from, TLB_REMOTE_SEND_IPI, TLB_FLUSH_ALL);
	flush_on(cpu, mm, from);
}

void both_flush_mm_a(void)
{
	mm_flush(&mm_a, 0, 0);
	mm_flush(&mm_a, 1, 0);
}

void pending_flush(struct mm_struct *mm, unsigned int cpu)
{
	unsigned int me = sim_cpu, at;

	sim_cpu = cpu;
	CALL("flush_tlb_batched_pending", mm, 0, 0);
	sim_cpu = me;
	atomic64_inc_return(&mm->context.tlb_gen);
	for_each_cpu(at, mm_cpumask(mm))
		if (!per_cpu(cpu_tlbstate_shared.is_lazy, at))
			flush_on(at, mm, cpu);
}

void lazy(unsigned int cpu, bool is_lazy)
{
	per_cpu(cpu_tlbstate_shared.is_lazy, cpu) = is_lazy;
}

void (*in_flush)(void);

/* The kernel's own arch_tlbbatch_flush(). */
static void original_flush(struct arch_tlbflush_unmap_batch *batch)
{
	struct cpumask *cpus = &batch->cpumask;
	void (*does)(void) = in_flush;
	unsigned int cpu;

	in_flush = NULL;
	if (does)
		does();
	for_each_cpu(cpu, cpus)
		if (!per_cpu(cpu_tlbstate_shared.is_lazy, cpu))
			flush_on(cpu, NULL, ~0U);
	memset(cpus, 0, sizeof(*cpus));
}

void flush_batch(struct arch_tlbflush_unmap_batch *batch)
{
	void (*replacement)(struct arch_tlbflush_unmap_batch *all) =
		redirect("arch_tlbbatch_flush")->replacement;

	replacement(batch);
}

void flush(void)
{
	if (!current->tlb_ubc.flush_required)
		return;
	flush_batch(&current->tlb_ubc.arch);
	current->tlb_ubc.flush_required = false;
	current->tlb_ubc.writable = false;
}

/* --- reclaim --------------------------------------------------------------------------------------- */

void pass_begin(void)
{
	CALL("shrink_folio_list", 0, 0, 0);
}

void pass_end(void)
{
	CALL("move_folios_to_lru", 0, 0, 0);
}

void unmap_folio(struct folio *folio, sim_cpus_t cpus)
{
	unsigned int i;

	CALL("try_to_unmap", folio, TTU_BATCH_FLUSH, 0);
	for (i = 0; i < SIM_CPUS; i++)
		if (cpus >> i & 1)
			set_bit(i, current->tlb_ubc.arch.cpumask.bits);
	current->tlb_ubc.flush_required |= cpus != 0;
	/* Its references are frozen before the flush. */
	for (i = 0; i < folio->nr && folio->pfn + i < SIM_FRAMES; i++)
		sim_pages[folio->pfn + i].refs = 0;
}

void unmap(struct address_space *file, unsigned long pfn, unsigned int nr, sim_cpus_t cpus)
{
	for (; nr--; pfn++)
		unmap_folio(&(struct folio){ .mapping = file, .anon = !file, .pfn = pfn, .nr = 1 },
			    cpus);
}

void generation(struct address_space *file, unsigned long pfn, unsigned int nr,
		sim_cpus_t cpus)
{
	struct task_struct *me = current;

	current = &reclaimer;
	pass_begin();
	unmap(file, pfn, nr, cpus);
	flush();
	pass_end();
	current = me;
}

void alloc(unsigned long pfn, unsigned int order)
{
	void (*probe)(void *data, struct page *page, unsigned int order_, gfp_t gfp, int type) =
		probe_of("mm_page_alloc");

	sim_pages[pfn].refs = 1;
	probe(NULL, &sim_pages[pfn], order, 0, 0);
}

void release(unsigned long pfn, unsigned int nr)
{
	while (nr--)
		sim_pages[pfn++].refs = 0;
}

/* --- what is counted ----------------------------------------------------------------------------------- */

#define NR_STATS	(TLBBATCH_LUF_NR_COUNTERS + 3)

static const char *name_of(unsigned int i)
{
	static const char *const more[] = { "open", "open_as_posted", "generation" };

	if (i >= TLBBATCH_LUF_NR_COUNTERS)
		return more[i - TLBBATCH_LUF_NR_COUNTERS];
	return tlbbatch_luf_counters.names[i];
}

static s64 value_of(unsigned int i)
{
	unsigned int cpu;
	s64 sum = 0;

	if (i == TLBBATCH_LUF_NR_COUNTERS)
		return tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL);
	if (i == TLBBATCH_LUF_NR_COUNTERS + 1)
		return tlbbatch_luf_nr_open(TLBBATCH_LUF_POSTED);
	if (i == TLBBATCH_LUF_NR_COUNTERS + 2)
		return tlbbatch_luf_youngest();
	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(&tlbbatch_luf_counters.value[i], cpu);
	return sum;
}

s64 stat_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_STATS; i++)
		if (!strcmp(name_of(i), name))
			return value_of(i);
	printf("# there is no %s\n", name);
	abort();
}

/* generations_saved is "saved" here. */
static bool asked(const char *what, unsigned int i, s64 *value)
{
	const char *name = name_of(i), *at;
	char word[64];

	name += strncmp(name, "generations_", 12) ? 0 : 12;
	snprintf(word, sizeof(word), " %s=", name);
	at = strstr(what, word);
	*value = at ? strtoll(at + strlen(word), NULL, 10) : 0;
	return at;
}

static bool is_exact(unsigned int i)
{
	return i >= TLBBATCH_LUF_SAVED;
}

bool came_true(const char *what)
{
	static s64 last[NR_STATS];
	char text[256];
	bool good = true;
	s64 now, wanted;
	unsigned int i;

	tlbbatch_luf_settle();
	tlbbatch_luf_settle();
	snprintf(text, sizeof(text), " %s ", what ?: "");
	for (i = 0; i < NR_STATS; i++) {
		now = value_of(i);
		if (what && (asked(text, i, &wanted) || is_exact(i)) && now - last[i] != wanted) {
			good = false;
			printf("# %s: %+lld, wanted %+lld\n", name_of(i), now - last[i], wanted);
		}
		last[i] = now;
	}
	return good;
}

void world_init(void)
{
	sim_init();
	current = &admin;
	tlbbatch_call_set(&redirect("arch_tlbbatch_flush")->original, (unsigned long)original_flush);
	if (tlbbatch_luf.find())
		abort();
}

int track(bool is_on)
{
	return tlbbatch_luf_set_mode(is_on ? TLBBATCH_LUF_MODE_TRACK : TLBBATCH_LUF_MODE_OFF);
}

void anew(void)
{
	track(false);
	if (track(true))
		abort();
	memset(sim_pages, 0, sizeof(sim_pages));
	memset(&reclaimer.tlb_ubc, 0, sizeof(reclaimer.tlb_ubc));
	current = &admin;
	sim_cpu = 0;
	sim_forget();
	forget();
}

void truncate_a(void)
{
	CALL("unmap_mapping_pages", &file_a, 0, 0);
}

void flush_a(void)
{
	current = &reclaimer;
	flush();
	pass_end();
	current = &admin;
}

void other_generation(void)
{
	struct task_struct *me = current;

	current = &other_reclaimer;
	pass_begin();
	unmap(&file_b, 300, 2, ON(0) | ON(1));
	flush();
	pass_end();
	current = me;
}

void leave_gone_chunks(void)
{
	unsigned long pfn;

	current = &reclaimer;
	pass_begin();
	/* In several chunks of a list. */
	for (pfn = 200; pfn < 280; pfn += 2)
		unmap(&file_b, pfn, 1, ON(0) | ON(1));
	flush_a();
	alloc(200, 0);
	tlbbatch_luf_settle();
	for (pfn = 200; pfn < 280; pfn++)
		sim_pages[pfn].gone = true;
}

void open_both_on(unsigned int cpu)
{
	anew();
	sim_cpu = cpu;
	generation(&file_a, 100, 4, ON(0) | ON(1));
	generation(&file_b, 200, 4, ON(0) | ON(1));
	sim_cpu = 0;
	forget();
}

void open_both(void)
{
	open_both_on(0);
}

void open_one(void)
{
	generation(&file_a, 100, 4, ON(0) | ON(1));
	want("a generation is open", OPENED "unmaps_readonly=4 unmaps_mixed=0 flushes=1 ipis=1");
}

bool has_slot(struct task_struct *task)
{
	struct task_struct *me = current;
	struct pass *pass;

	current = task;
	pass = tlbbatch_luf_get_pass();
	if (pass)
		tlbbatch_luf_put_pass(pass);
	current = me;
	return pass;
}
