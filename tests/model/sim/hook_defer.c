// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting flushes off: what reclaim, its callers and whoever touches a file do meanwhile; and that no
 * frame is freed while a CPU has an entry of it, none twice, none never, and that nobody sees what
 * a file had. Rules D1, D2, D3, D4, D5, D6, D7 and D8.
 */
#include <setjmp.h>
#include <tlbbatch/defer_stats.h>
#include "hook_rules.h"
#include "core/counters.h"
#include "hooks/watch.h"
#include "luf/luf_defer.h"
#include "luf/luf_defer_counters.h"
#include "luf/luf_defer_events.h"
#include "luf/luf_defer_knobs.h"
#include "luf/luf_defer_owed.h"
#include "luf/luf_defer_pass.h"
#include "pass/flush_calls.h"
#include "pass/pass_calls.h"

#define NR_FOLIOS	400
#ifdef SIM_LISTS
#define LISTS		1
#else
#define LISTS		0
#endif
#define BLOCK		4096
#define EXT4		0xEF53
#define TMPFS		0x01021994
/* CPUs 1 and 2 read; this is CPU 0. */
#define READERS		((sim_cpus_t)6)

struct pglist_data sim_nodes[SIM_NODES];
void (*sim_at_writers)(void);
struct notifier_block *sim_oom, *sim_memory, *sim_pm;
unsigned int sim_notifiers = 100;

static struct super_block ext4 = { EXT4 }, tmpfs = { TMPFS };
static struct inode inodes[2];
static struct address_space files[2];
static struct file opened[2];
static struct folio folios[NR_FOLIOS];
static struct reclaim_stat stat;
static unsigned int next, flushes, owed_flushes, early, demotes;
static bool extent_unknown;
static struct delayed_work *queued[4];

/* What reclaim makes of its folios, and what happens in the middle. */
static struct plan {
	unsigned int nr;
	struct address_space *file;
	unsigned int nr_pages, zone;
	/* of the folio with this number, from 1 */
	unsigned int anon, dirty, kept, referred, unseen, unbatched;
	unsigned int meanwhile_at;
	void (*meanwhile)(void);
} plan;

/* --- the kernel -------------------------------------------------------------------------- */

bool inode_is_open_for_write(const struct inode *inode)
{
	void (*does)(void) = sim_at_writers;
	bool writers = inode->writers > 0;

	sim_at_writers = NULL;
	if (does) {
		unsigned int off = sim_preempt_off;

		/* On another CPU, which is in no callback. */
		sim_preempt_off = 0;
		does();
		sim_preempt_off = off;
	}
	return writers;
}

int sim_register(struct notifier_block **at, struct notifier_block *block)
{
	if (!sim_notifiers)
		return -ENOMEM;
	sim_notifiers--;
	*at = block;
	return 0;
}

void queue_delayed_work(struct workqueue_struct *queue, struct delayed_work *work,
			unsigned long delay)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(queued) && queued[i] && queued[i] != work)
		i++;
	queued[i] = work;
	work->queued = true;
	work->when = jiffies + delay;
}

void cancel_delayed_work_sync(struct delayed_work *work)
{
	work->queued = false;
}

/* So much time goes by. */
static void ms_pass(unsigned int ms)
{
	unsigned int i;

	jiffies += msecs_to_jiffies(ms);
	for (i = 0; i < ARRAY_SIZE(queued) && queued[i]; i++) {
		if (!queued[i]->queued || !time_after_eq(jiffies, queued[i]->when))
			continue;
		queued[i]->queued = false;
		queued[i]->work.func(&queued[i]->work);
	}
}

static void cpus_forget(const struct cpumask *cpus)
{
	unsigned int i, cpu;

	for (i = 0; i < NR_FOLIOS; i++)
		for (cpu = 0; cpu < 8; cpu++)
			if (cpumask_test_cpu(cpu, cpus))
				folios[i].entries &= ~((sim_cpus_t)1 << cpu);
}

#ifdef SIM_LISTS
#define UNCHARGES	"__mem_cgroup_uncharge_list", uncharge, "void(struct list_head *)"
#define FREES		"free_unref_page_list", free_group, "void(struct list_head *)"
typedef struct list_head sim_group;
#define group_init	INIT_LIST_HEAD
#else
#define UNCHARGES	"__mem_cgroup_uncharge_folios", uncharge, "void(struct folio_batch *)"
#define FREES		"free_unref_folios", free_group, "void(struct folio_batch *)"
typedef struct folio_batch sim_group;
#define group_init	folio_batch_init
#endif

static noinline void uncharge(sim_group *group)
{
	barrier();
}

/* What another CPU does while a flush is under way, once. */
static void (*at_flush)(void);

static noinline void arch_flush(struct arch_tlbflush_unmap_batch *batch)
{
	void (*does)(void) = at_flush;

	barrier();
	if (sim_spinlocks_held)
		sim_breach("a flush under a lock");
	at_flush = NULL;
	if (does)
		does();
	owed_flushes++;
	sim_note("owed_flush");
	cpus_forget(&batch->cpumask);
	cpumask_clear(&batch->cpumask);
}

static noinline void try_to_unmap_flush(void)
{
	barrier();
	if (!current->tlb_ubc.flush_required)
		return;
	flushes++;
	current->tlb_ubc.flush_required = current->tlb_ubc.writable = false;
	cpus_forget(&current->tlb_ubc.arch.cpumask);
	cpumask_clear(&current->tlb_ubc.arch.cpumask);
}

static void free_folio(struct folio *folio)
{
	early += !!(folio->entries & ~(sim_cpus_t)1);
	folio->freed++;
}

static noinline void free_group(sim_group *group)
{
#ifdef SIM_LISTS
	struct folio *folio, *after;

	list_for_each_entry_safe(folio, after, group, lru) {
		if (folio->large)
			sim_breach("a large folio in a list");
		list_del(&folio->lru);
		free_folio(folio);
	}
#else
	while (group->nr)
		free_folio(group->folios[--group->nr]);
#endif
}

/* Is the group full? Lists never are, and large folios go another way there. */
static bool add(sim_group *group, struct folio *folio)
{
#ifdef SIM_LISTS
	if (folio->large) {
		try_to_unmap_flush();
		free_folio(folio);
	} else {
		list_add_tail(&folio->lru, group->next);	/* at its front */
	}
	return false;
#else
	return !folio_batch_add(group, folio);
#endif
}

static noinline int try_to_unmap(struct folio *folio, unsigned long flags)
{
	barrier();
	current->tlb_ubc.arch.cpumask.bits[0] |= (unsigned long)folio->entries;
	current->tlb_ubc.flush_required = true;
	return 0;
}

static noinline int file_open(struct file *file)
{
	barrier();
	return 0;
}

static noinline int change(void *map, struct dentry *dentry, struct iattr *attr)
{
	barrier();
	return 0;
}

static noinline int fault(struct vm_fault *vmf)
{
	barrier();
	return 0;
}

/* Private to the kernel. */
struct madvise_behavior {
	void *other;
	struct vm_area_struct *vma;
};

/* What happens while guards are made, once. */
static void (*at_guard)(void);

static noinline long guard(struct madvise_behavior *behavior)
{
	void (*does)(void) = at_guard;

	barrier();
	at_guard = NULL;
	if (does)
		does();
	return 17;
}

static noinline int isolate(unsigned long from, unsigned long to, int mode)
{
	barrier();
	return 0;
}

static noinline int isolated(unsigned long from, unsigned long to, int mode)
{
	barrier();
	return 0;
}

static noinline int traceiter(void *data, unsigned long nr, void *memcg)
{
	return 0;
}

/* A call of reclaim ends. */
static void call_ends(void)
{
	void (*probe)(void *data, unsigned long nr, void *memcg);

	probe = tlbbatch_defer_watches.points[0].probe;
	probe(NULL, 20, NULL);
}

u32 sim_member_offset(const char *member)
{
	return !strcmp(member, "vma") ? offsetof(struct madvise_behavior, vma) : SIM_NO_MEMBER;
}

const char *tlbbatch_demotion_find(void)
{
	return NULL;
}

bool tlbbatch_demotes(int nid)
{
	return demotes;
}

static noinline __attribute__((section(".text.sorted.1"), aligned(BLOCK))) void reclaim(void)
{
	sim_group group;
	unsigned int i;

	group_init(&group);
	for (i = 1; i <= plan.nr; i++) {
		struct folio *folio = &folios[next++];

		*folio = (struct folio){
			.mapping = plan.file, .anon = i == plan.anon, .nr = plan.nr_pages,
			.large = plan.nr_pages > 1, .zone = plan.zone, .entries = READERS,
			.refs = i == plan.referred,
		};
		if (i == plan.unseen) {
			/* As if a hook had been left out. */
			current->tlb_ubc.arch.cpumask.bits[0] |= (unsigned long)READERS;
			current->tlb_ubc.flush_required = true;
		} else {
			try_to_unmap(folio, i == plan.unbatched ? 0 : TTU_BATCH_FLUSH);
		}
		current->tlb_ubc.writable |= i == plan.dirty;
		if (plan.meanwhile && i == plan.meanwhile_at)
			plan.meanwhile();
		if (i == plan.kept) {
			folio->freed = 1;
			continue;
		}
		if (!add(&group, folio))
			continue;
		uncharge(&group);
		try_to_unmap_flush();
		free_group(&group);
	}
	uncharge(&group);
	try_to_unmap_flush();
	free_group(&group);
}

static int extent(unsigned long addr, unsigned long *size, unsigned long *offset)
{
	*offset = addr - (unsigned long)reclaim;
	*size = BLOCK;
	return !extent_unknown;
}

/* --- what a test does ---------------------------------------------------------------------- */

static u64 counted(enum tlbbatch_defer_counter index)
{
	return tlbbatch_counter_read(&tlbbatch_defer_counters, index);
}

static void anew(void)
{
	unsigned int i;

	/* What a check that failed has left on lists. */
	if (tlbbatch_defer.on)
		tlbbatch_owed_release_all(DEFER_CAUSE_OFF);
	memset(folios, 0, sizeof(folios));
	next = flushes = owed_flushes = early = demotes = 0;
	plan = (struct plan){ .nr = 20, .file = &files[0], .nr_pages = 1, .zone = SIM_ZONE_NORMAL };
	for (i = 0; i < 2; i++) {
		inodes[i] = (struct inode){ .i_sb = &ext4, .i_mapping = &files[i] };
		files[i] = (struct address_space){ .host = &inodes[i] };
		opened[i] = (struct file){ .f_mapping = &files[i], .f_mode = FMODE_WRITE };
		sim_nodes[i].node_id = (int)i;
		sim_nodes[i].node_zones[SIM_ZONE_NORMAL] = (struct zone){ 100000, 1000, 1250, 1500 };
		sim_nodes[i].node_zones[SIM_ZONE_DMA] = (struct zone){ 100000, 10, 20, 30 };
	}
}

/* A pass by the plan. Returns the flushes that the kernel made in it. */
static unsigned int pass_on(unsigned int nid)
{
	unsigned int before = flushes;
	struct tlbbatch_pass *it;

	current = &reclaimer;
	it = tlbbatch_pass_enter(0) ? tlbbatch_pass_begin(&sim_nodes[nid], NULL, &stat) : NULL;
	reclaim();
	if (it)
		tlbbatch_pass_end(it, 0);
	current = &admin;
	return flushes - before;
}

static unsigned int pass(void)
{
	return pass_on(0);
}

/* Nothing is owed, each folio was freed once, and behind its flush. */
static bool all_well(void)
{
	unsigned int i;

	for (i = 0; i < next; i++)
		if (folios[i].freed != 1)
			return false;
	return !early && !tlbbatch_owed_held() && !reclaimer.tlb_ubc.flush_required &&
	       counted(DEFER_PAGES_HELD) == counted(DEFER_PAGES_RELEASED);
}

/* No CPU but this one has an entry of what was reclaimed. */
static bool none_stale(void)
{
	unsigned int i;

	for (i = 0; i < next; i++)
		if (folios[i].entries & ~(sim_cpus_t)1)
			return false;
	return true;
}

static bool settles(void)
{
	ms_pass(2000);
	return all_well();
}

static struct vm_area_struct vma = { &opened[0] };

static void opens(void)
{
	inodes[0].writers++;
	file_open(&opened[0]);
}

static void opens_other(void)
{
	inodes[1].writers++;
	file_open(&opened[1]);
}

static void reads(void)
{
	struct file reader = { &files[0], 0 };

	file_open(&reader);
}

static void cuts(void)
{
	struct iattr attr = { ATTR_SIZE };
	struct dentry dentry = { &inodes[0] };

	inodes[0].writers++;
	change(NULL, &dentry, &attr);
	inodes[0].writers--;
}

static void chmods(void)
{
	struct iattr attr = { 1 };
	struct dentry dentry = { &inodes[0] };

	change(NULL, &dentry, &attr);
}

static void copies(void)
{
	struct vm_fault vmf = { &vma, FAULT_FLAG_WRITE };

	fault(&vmf);
}

static void faults(void)
{
	struct vm_fault vmf = { &vma, 0 };

	fault(&vmf);
}

static void guards(void)
{
	struct madvise_behavior behavior = { .vma = &vma };

	ok_int((int)guard(&behavior), 17, "what the kernel returns is passed on");
}

static void runs_short(void)
{
	unsigned long killed = 0;

	sim_oom->notifier_call(sim_oom, 0, &killed);
	ok_int((int)killed, 20, "D5: what was held back counts as freed");
}

static void isolates(void)
{
	isolate(0, 512, 0);
}

static void goes_offline(void)
{
	sim_memory->notifier_call(sim_memory, MEM_GOING_OFFLINE, NULL);
}

static void sleeps(void)
{
	sim_pm->notifier_call(sim_pm, PM_SUSPEND_PREPARE, NULL);
}

static void test_plain(void)
{
	u64 before = counted(DEFER_FLUSHES);

	anew();
	ok_int(pass(), 0, "a pass that unmaps pages of a file doesn't flush");
	ok_int((int)tlbbatch_owed_held(), 20, "its pages are held back");
	ok(!folios[0].freed && !folios[19].freed && !early, "D4: none of them is freed");
	ok(counted(DEFER_FLUSHES) == before + 1, "it counts");
	ok(settles() && owed_flushes == 1, "after luf/age_ms a flush comes, and they are freed");
	anew();
	plan.nr = 100;
	ok_int(pass(), 0, "three full groups and a rest: none is flushed");
	ok(counted(DEFER_FLUSHES) == before + (LISTS ? 2 : 5), "each counts");
	ok(settles() && owed_flushes == 1, "one flush for all");
	anew();
	plan.nr_pages = 4;
	ok_int(pass() > 0, LISTS, "folios of four pages: only what frees arrays frees them");
	ok_int((int)tlbbatch_owed_held(), LISTS ? 0 : 80, "pages count");
	ok(settles(), "they are freed");
}

/* Each of these makes the pass flush itself. */
static void test_refused(void)
{
	static const struct {
		const char *why;
		struct plan plan;
	} tests[] = {
		{ "D1: an anonymous folio", { .anon = 3 } },
		{ "D1: a dirty PTE", { .dirty = 3 } },
		{ "D1: an unmap that flushes by itself", { .unbatched = 3 } },
		{ "D2: a folio was kept", { .kept = 3 } },
		{ "D2: the last folio was kept", { .kept = 20 } },
		{ "D2: somebody refers to a folio", { .referred = 3 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		anew();
		plan.anon = tests[i].plan.anon;
		plan.dirty = tests[i].plan.dirty;
		plan.unbatched = tests[i].plan.unbatched;
		plan.kept = tests[i].plan.kept;
		plan.referred = tests[i].plan.referred;
		ok(pass() == 1, "%s: the pass flushes", tests[i].why);
		ok(none_stale() && all_well(), "%s: and frees all behind that", tests[i].why);
		plan = (struct plan){ .nr = 20, .file = &files[0], .nr_pages = 1,
				      .zone = SIM_ZONE_NORMAL };
		ok(pass() == 0 && settles(), "%s: the next one doesn't", tests[i].why);
	}
	anew();
	inodes[0].i_sb = &tmpfs;
	ok(pass() == 1 && all_well(), "D1: a file of tmpfs");
	anew();
	inodes[0].writers = 1;
	ok(pass() == 1 && all_well(), "D1: a file that is open for writing");
	anew();
	files[0].writably_mapped = true;
	ok(pass() == 1 && all_well(), "D1: a file that is mapped so");
	anew();
	plan.zone = SIM_ZONE_DMA;
	ok(pass() == 1 && all_well(), "D5: the DMA zone");
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1100;
	ok(pass() == 1 && all_well(), "D5: a zone that is short");
	anew();
	demotes = 1;
	ok(pass() == 1 && all_well(), "D2: a pass that demotes");
	anew();
	reclaimer.tlb_ubc.flush_required = true;
	ok(pass() == 1 && all_well(), "D2: something was unmapped before the pass");
}

/* What flushes what is owed, and what doesn't. */
static void test_events(void)
{
	static const struct {
		const char *name;
		void (*happens)(void);
		enum tlbbatch_defer_counter cause;
		bool flushes, frees;
	} tests[] = {
		{ "D3: a file is opened for writing", opens, DEFER_CAUSE_OPEN, true, false },
		{ "D3: a file is cut", cuts, DEFER_CAUSE_TRUNCATE, true, false },
		{ "D3: a private copy is written", copies, DEFER_CAUSE_COW, true, false },
		{ "D3: guard pages are made", guards, DEFER_CAUSE_GUARD, true, false },
		{ "a file is opened for reading", reads, DEFER_CAUSE_OPEN, false, false },
		{ "a file's mode changes", chmods, DEFER_CAUSE_TRUNCATE, false, false },
		{ "a page is read", faults, DEFER_CAUSE_COW, false, false },
		{ "another file is opened for writing", opens_other, DEFER_CAUSE_OPEN, false, false },
		{ "D5: memory runs out", runs_short, DEFER_CAUSE_OOM, true, true },
		{ "D6: memory is isolated", isolates, DEFER_CAUSE_ISOLATE, true, true },
		{ "D6: memory goes offline", goes_offline, DEFER_CAUSE_ISOLATE, true, true },
		{ "D5: the machine sleeps", sleeps, DEFER_CAUSE_OFF, true, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		u64 before = counted(tests[i].cause);

		anew();
		ok(pass() == 0, "%s: a flush is owed", tests[i].name);
		tests[i].happens();
		ok(none_stale() == tests[i].flushes, "%s: it is made%s", tests[i].name,
		   tests[i].flushes ? "" : " later");
		ok(counted(tests[i].cause) - before == tests[i].flushes, "%s: it counts", tests[i].name);
		ok(all_well() == tests[i].frees, "%s: pages are given back%s", tests[i].name,
		   tests[i].frees ? "" : " later");
		ok(settles(), "%s: they are", tests[i].name);
	}
}

/* In the middle of a pass: what it has unmapped isn't owed anywhere yet. */
static void test_hit(void)
{
	static const struct {
		const char *name;
		void (*happens)(void);
	} tests[] = {
		{ "opened for writing", opens }, { "cut", cuts }, { "copied", copies }, { "guarded", guards },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		anew();
		plan.meanwhile = tests[i].happens;
		plan.meanwhile_at = 10;
		ok(pass() == 1, "D3: a file is %s in the middle of a pass: it flushes",
		   tests[i].name);
		ok(none_stale() && all_well(), "D3: and nothing is owed");
	}
	anew();
	plan.meanwhile = opens_other;
	plan.meanwhile_at = 10;
	ok(pass() == 0 && settles(), "another file's event doesn't matter");
	/* The pass has asked for writers, and one comes behind that. It doesn't ask again. */
	anew();
	plan.nr = 1;
	sim_at_writers = opens;
	ok_int(pass(), 1, "D3: a writer comes right behind the pass's look: it flushes");
	ok(none_stale() && all_well(), "D3: and nothing is owed");
}

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

/* What was unmapped after the event began, and before it made its guards. */
static void test_guard_end(void)
{
	anew();
	at_guard = reclaims_meanwhile;
	guards();
	ok(none_stale(), "D3: a pass goes by while guards are made: its flush comes at their end");
	ok(settles(), "all are freed");
}

static jmp_buf other_waits;
static unsigned int waits;

/* Another CPU would wait here until the flush is complete. */
void sim_relax(void)
{
	waits++;
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

/* While a release's flush is under way. */
static void test_inflight(void)
{
	anew();
	pass();
	at_flush = opens;
	ms_pass(2000);
	ok(none_stale() && owed_flushes == 2, "D3: an event doesn't rely on a flush that is under way");
	ok(settles(), "D4: all are freed, once");
	anew();
	pass();
	at_flush = reclaims_meanwhile;
	ms_pass(200);
	ok((int)tlbbatch_owed_held() == 20 && !early,
	   "D4: what comes while a flush is under way isn't covered by it");
	ok(settles(), "D4: it has its own");
	anew();
	pass();
	at_flush = short_meanwhile;
	waits = 0;
	ms_pass(200);
	ok(waits == 1 && !early, "D4: who releases meanwhile waits for the flush");
	ok(settles(), "D4: all are freed, once");
}

static int write_knob(const struct kobj_attribute *attr, const char *text)
{
	return (int)attr->store(NULL, (void *)attr, text, strlen(text));
}

static void test_bounds(void)
{
	u64 before;

	ok_int(write_knob(&tlbbatch_defer_batch_attr, "31"), -ERANGE, "luf/batch 31");
	ok_int(write_knob(&tlbbatch_defer_batch_attr, "4097"), -ERANGE, "luf/batch 4097");
	ok_int(write_knob(&tlbbatch_defer_age_attr, "1001"), -ERANGE, "luf/age_ms 1001");
	ok(write_knob(&tlbbatch_defer_batch_attr, "40") > 0, "luf/batch 40");
	anew();
	before = counted(DEFER_CAUSE_FULL);
	pass();
	ok((int)tlbbatch_owed_held() == 20, "20 of 40 are held back");
	pass();
	ok(all_well() && owed_flushes == 1 && counted(DEFER_CAUSE_FULL) == before + 1,
	   "with 40 one flush comes, and all are freed");
	ok(write_knob(&tlbbatch_defer_batch_attr, "1024") > 0, "luf/batch 1024");
	/* Little is free: no more than what lies between the last two watermarks, 250. */
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1600;
	plan.nr = 150;
	ok(pass() == 0 && pass() == 0 && owed_flushes == 1 && tlbbatch_owed_held() <= 250,
	   "D5: no more than 250 pages are held back there: they make room for others");
	ok(settles(), "all are freed");
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1600;
	plan.nr = LISTS ? 251 : 28;
	plan.nr_pages = LISTS ? 1 : 9;
	ok(pass() == 1 && !tlbbatch_owed_held(), "D5: a group that is too large for it isn't held back");
	ok(settles(), "all are freed");
	anew();
	pass();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1100;
	call_ends();
	ok(all_well(), "D5: a call of reclaim ends, and the zone is short: all is given back");
	anew();
	pass_on(1);
	call_ends();
	ok((int)tlbbatch_owed_held() == 20, "D5: not so if it isn't");
	ok(settles(), "all are freed");
	ok(write_knob(&tlbbatch_defer_age_attr, "0") > 0, "luf/age_ms 0");
	anew();
	pass();
	ok((int)tlbbatch_owed_held() == 20, "until the call of reclaim ends they are held back");
	call_ends();
	ok(all_well(), "then they are given back");
	ok(write_knob(&tlbbatch_defer_age_attr, "100") > 0, "luf/age_ms 100");
}

static void test_kernels(void)
{
	extent_unknown = true;
	ok_int(on(&tlbbatch_defer), -EOPNOTSUPP, "D8: who calls must be known");
	extent_unknown = false;
	sim_invlpgb = true;
	ok_int(on(&tlbbatch_defer), -EOPNOTSUPP, "D8: with INVLPGB nobody is interrupted");
	sim_invlpgb = false;
	sim_notifiers = 1;
	ok_int(on(&tlbbatch_defer), -ENOMEM, "no memory for a notifier");
	ok(nothing_attached() && !sim_oom && !sim_memory && !sim_pm, "nothing is left of that");
	sim_notifiers = 100;
	ok_int(pass(), 1, "off: a pass flushes");
}

static void test_off(void)
{
	anew();
	pass();
	ok_int(off(&tlbbatch_defer), 0, "off");
	ok(all_well() && none_stale(), "D7: nothing is held back, and nothing owed");
	right(sim_in_order("owed_flush", "unregister:madvise_guard_install"), "D7: it was flushed while events were seen");
	ok(nothing_attached() && !sim_oom && !sim_memory && !sim_pm, "D7: nothing is attached");
	anew();
	ok(pass() == 1 && all_well(), "D7: passes flush");
}

int main(void)
{
	hook_world_init();
	hook_world_has(UNCHARGES);
	hook_world_has("try_to_unmap_flush", try_to_unmap_flush, "void(void)");
	hook_world_has(FREES);
	hook_world_has("kallsyms_lookup_size_offset", extent,
		       "int(unsigned long, unsigned long *, unsigned long *)");
	hook_world_has("arch_tlbbatch_flush", arch_flush, "void(struct arch_tlbflush_unmap_batch *)");
	hook_world_has("try_to_unmap", try_to_unmap, "void(struct folio *, enum ttu_flags)");
	hook_world_has("security_file_open", file_open, "int(struct file *)");
	hook_world_has("notify_change", change,
		       "int(struct mnt_idmap *, struct dentry *, struct iattr *, struct delegated_inode *)");
	hook_world_has("finish_fault", fault, "vm_fault_t(struct vm_fault *)");
	hook_world_has("madvise_guard_install", guard, "long(struct madvise_behavior *)");
	hook_world_has("start_isolate_page_range", isolate,
		       "int(unsigned long, unsigned long, enum pb_isolate_mode)");
	hook_world_has("test_pages_isolated", isolated,
		       "int(unsigned long, unsigned long, enum pb_isolate_mode)");
	hook_world_has("__traceiter_mm_vmscan_direct_reclaim_end", traceiter,
		       "int(void *, unsigned long, struct mem_cgroup *)");
	hook_world_has("__traceiter_mm_vmscan_memcg_reclaim_end", traceiter,
		       "int(void *, unsigned long, struct mem_cgroup *)");
	sim_tracepoints("mm_vmscan_direct_reclaim_end", "mm_vmscan_memcg_reclaim_end");
	anew();
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_defer.unavailable, "", "flushes can be put off");
	test_kernels();
	ok_int(on(&tlbbatch_defer), 0, "on");
	test_plain();
	test_refused();
	test_events();
	test_hit();
	test_guard_end();
	test_inflight();
	test_bounds();
	test_off();
	sim_unload();
	ok_int(sim_nr_registered() + sim_allocated() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}
