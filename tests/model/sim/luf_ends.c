// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose a flush is, memory that goes, pages that nobody tells of, and how tracking begins and
 * ends. See luf_rules.c.
 */
#include "luf_world.h"
#include "arch/x86.h"
#include "hooks/hook.h"
#include "receivers/receivers.h"

static struct file reading = { .f_mapping = &file_a };
static struct folio in_a = { .mapping = &file_a, .nr = 1 };
static struct folio in_none = { .anon = true, .nr = 1 };

static void reclaim_a(void)
{
	generation(&file_a, 100, 4, ON(0) | ON(1));
}

/* --- rule L15: whose flush it is ---------------------------------------------------------------------- */

#define TASKS	3000
static struct task_struct tasks[TASKS];

/* Each task begins a pass, and goes on to do something else. */
static s64 unseen_of(unsigned int flags, unsigned int apart)
{
	s64 before = stat_of("passes_unseen");
	unsigned int i;

	for (i = 0; i < TASKS; i++) {
		tasks[i] = (struct task_struct){ .start_boottime = 100 + i, .flags = PF_MEMALLOC };
		current = &tasks[i];
		pass_begin();
		tasks[i].flags = flags;
		jiffies += apart;
	}
	current = &admin;
	return stat_of("passes_unseen") - before;
}

static void test_passes(void)
{
	s64 before;

	/* Soon after the boot. */
	jiffies = -60UL * HZ;
	anew();
	ok(unseen_of(PF_MEMALLOC, 0) > TASKS / 2, "L14: there is room for some passes at once");
	before = stat_of("unmaps_readonly");
	current = &tasks[TASKS - 1];
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush();
	current = &admin;
	ok_int(stat_of("unmaps_readonly"), before, "L14: a pass that finds none isn't seen");
	anew();
	ok_int(unseen_of(0, 0), 0, "L15: a task that is in no reclaim any more loses its slot");
	anew();
	ok_int(unseen_of(PF_MEMALLOC, 60 * HZ / 4), 0, "L15: so does one whose pass is long idle");
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	CALL("exit_files", &admin, 0, 0);
	flush();
	want("L15: a child that couldn't be made has none", OPENED "flushes=1");
	pass_begin();
	unmap(&file_a, 110, 4, ON(0) | ON(1));
	reclaimer.flags |= PF_EXITING;
	CALL("exit_files", &reclaimer, 0, 0);
	flush();
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush();
	reclaimer.flags &= ~(unsigned int)PF_EXITING;
	want("L15: who exits has no pass any more", "flushes=0 passes_unseen=1");
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	reclaimer.start_boottime++;
	flush();
	want("L15: nor has another task with the same address", "flushes=0");
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	CALL("try_to_migrate", &in_a, TTU_BATCH_FLUSH, 0);
	current->tlb_ubc.flush_required = true;
	flush();
	want("L15: a migration ends a pass whose end wasn't seen", "flushes=0");
	CALL("alloc_demote_page", 0, 0, 0);
	pass_begin();
	CALL("alloc_demote_page", 0, 0, 0);
	CALL("try_to_migrate", &in_a, TTU_BATCH_FLUSH, 0);
	current->tlb_ubc.flush_required = true;
	current->tlb_ubc.arch.cpumask.bits[0] = ON(1);
	flush();
	want("L15: but not one that demotes", "flushes=1 flushes_mixed=1");
	pass_begin();
	CALL("try_to_migrate", &in_a, TTU_BATCH_FLUSH, 0);
	current->tlb_ubc.flush_required = true;
	current->tlb_ubc.arch.cpumask.bits[0] = ON(1);
	flush();
	want("L15: the next one doesn't", "flushes=0");
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	CALL("try_to_unmap", &in_a, TTU_RMAP_LOCKED | TTU_BATCH_FLUSH, 0);
	flush();
	want("L15: nor one that splits", "flushes=1 flushes_mixed=1 unmaps_readonly=4");
	pass_begin();
	CALL("try_to_migrate", &in_a, TTU_SYNC, 0);
	current->tlb_ubc.flush_required = true;
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush();
	want("L15: in either way", "flushes=1 flushes_mixed=1");
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	CALL("collapse_file", 0, 0, &reading);
	current->tlb_ubc.flush_required = true;
	flush();
	want("L15: khugepaged ends it", "flushes=0");
	current = &admin;
	anew();
	current = &reclaimer;
	pass_begin();
	CALL("alloc_demote_page", 0, 0, 0);
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	CALL("try_to_migrate", &in_none, 0, 0);
	flush();
	pass_end();
	current = &admin;
	want("L15: a demotion that flushes by itself isn't in the pass's flush",
	     OPENED "flushes=1 flushes_mixed=0");
}

/* A thread reclaims, becomes the first of its process by execve(), and exits. */
static void test_exec(void)
{
	s64 before;
	unsigned int i;

	anew();
	before = stat_of("passes_unseen");
	for (i = 0; i < TASKS; i++) {
		tasks[i] = (struct task_struct){ .start_boottime = 100, .flags = PF_MEMALLOC };
		current = &tasks[i];
		pass_begin();
		tasks[i].start_boottime = 90;
		pass_begin();
		tasks[i].flags |= PF_EXITING;
		CALL("exit_files", current, 0, 0);
	}
	current = &admin;
	ok_int(stat_of("passes_unseen"), before, "L15: it keeps none of its slots when it exits");
}

/* The same, and then it reclaims once more. */
static void test_exec_goes_on(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	reclaimer.start_boottime--;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush();
	pass_end();
	reclaimer.start_boottime++;
	current = &admin;
	want("L15: passes behind an execve() are seen", OPENED "flushes=1");
	anew();
}

/* A pass that takes less than a minute, when all others want its slot. */
static void test_long_pass(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	jiffies += 59 * HZ;
	unseen_of(PF_MEMALLOC, 0);
	current = &reclaimer;
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush_a();
	want("L15: a pass keeps its slot for a minute", OPENED "flushes=1");
	anew();
}

/* In each slot of the table. */
static void test_hit_all(void)
{
	s64 unseen, early;
	unsigned int i;

	anew();
	unseen = stat_of("passes_unseen");
	early = stat_of("given_up_early");
	for (i = 0; i < TASKS; i++) {
		tasks[i] = (struct task_struct){ .start_boottime = 100 + i, .flags = PF_MEMALLOC };
		current = &tasks[i];
		pass_begin();
		unmap(&file_a, 100, 1, ON(0) | ON(1));
	}
	unseen = stat_of("passes_unseen") - unseen;
	truncate_a();
	for (i = 0; i < TASKS; i++) {
		current = &tasks[i];
		flush();
		pass_end();
	}
	current = &admin;
	ok(!stat_of("open") && stat_of("given_up_early") - early == TASKS - unseen,
	   "L12: an event hits each of all passes");
	anew();
}

/* --- who interrupts a task that holds a lock (L16) --------------------------------- */

static void interrupt(void)
{
	pass_end();
	alloc(300, 0);
	traced_flush(0, TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
	truncate_a();
}

static void test_locks(void)
{
	open_both();
	generation(&file_b, 300, 4, ON(0) | ON(1));
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 110, 4, ON(0) | ON(1));
	sim_at_look = interrupt;
	flush_a();
	ok_int(sim_breaches(), 0, "L16: neither an interrupt nor an event needs a lock");
}

/* --- rules L17, L18 and L19 ------------------------------------------------------------------------------ */

static s64 open_at_rcu;

static void count_open(void)
{
	open_at_rcu = stat_of("open");
}

static void test_hotplug(void)
{
	static const unsigned long actions[] = {
		MEM_GOING_OFFLINE, MEM_OFFLINE, MEM_GOING_ONLINE, MEM_ONLINE, MEM_CANCEL_OFFLINE };
	unsigned int i;
	bool gives_up;

	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		gives_up = i < 3;
		open_both();
		sim_forget();
		open_at_rcu = 0;
		sim_at_sync = count_open;
		ok_int(sim_memory_notifier->notifier_call(sim_memory_notifier, actions[i], NULL),
		       NOTIFY_OK, "L1: who comes next is told, too");
		want("L11: memory goes or comes", gives_up ? "open=-2 open_as_posted=-2 given_up=2 "
		     "given_up_as_posted=2 given_up_hotplug=2" : "");
		ok(sim_did("rcu") == gives_up, "L17: who looks at its pages is waited for");
		ok_int(open_at_rcu, 0, "L17: when nobody begins to look any more");
		sim_at_sync = NULL;
	}
	for (i = 0; i < 2; i++) {
		open_both();
		if (i ? sim_cpu_up : sim_cpu_down)
			ok_int((i ? sim_cpu_up : sim_cpu_down)(3), 0, "L1: a CPU may go or come");
		want("L11: a CPU goes or comes", "open=-2 open_as_posted=-2 given_up=2 "
		     "given_up_as_posted=2 given_up_hotplug=2");
	}
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	sim_cpu_down(3);
	flush_a();
	want("L12: between an unmap and its flush, whatever file it is", BORN_HIT);
}

static void memory_goes(void)
{
	unsigned long pfn;

	sim_memory_notifier->notifier_call(sim_memory_notifier, MEM_GOING_OFFLINE, NULL);
	for (pfn = 100; pfn < 104; pfn++)
		sim_pages[pfn].gone = true;
}

static unsigned int depth_at_look;

static void look_up_depth(void)
{
	depth_at_look = sim_rcu_depth;
}

static void test_gone(void)
{
	anew();
	generation(&file_a, 100, 4, ON(0) | ON(1));
	both_flush_mm_a();
	sim_at_look = look_up_depth;
	forget();
	ok(depth_at_look == 1 && !sim_rcu_depth, "L17: who looks at pages holds RCU's read lock");
	anew();
	generation(&file_a, 100, 4, ON(0) | ON(1));
	forget();
	both_flush_mm_a();
	sim_at_rcu = memory_goes;
	tlbbatch_luf_settle();
	ok_int(sim_breaches(), 0, "L17: nobody looks at pages that are gone");
	sim_at_rcu = NULL;
}

/* The generation that is looked at ends, and its list of pages becomes free. */
static void end_looked_at(void)
{
	unsigned int from = 0;

	truncate_a();
	do {
		from = tlbbatch_luf_sweep(from, 100);
	} while (from);
}

/* Lists of pages that are free have been those of generations before. */
static void test_gone_before(void)
{
	anew();
	leave_gone_chunks();
	generation(&file_a, 100, 4, ON(0) | ON(1));
	forget();
	mm_flush(&mm_a, 0, 0);
	sim_at_look = end_looked_at;
	mm_flush(&mm_a, 1, 0);
	tlbbatch_luf_settle();
	ok(!sim_at_look, "a generation ends while its pages are looked at");
	ok_int(sim_breaches(), 0, "L17: nobody looks at pages that went before");
}

static void test_unfit(void)
{
	bool *const reasons[] = { &sim_init_on_free, &sim_poison, &sim_invlpgb };
	static const char *const texts[] = { "(init_on_free)", "(page_poison)", "(INVLPGB)" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		track(false);
		*reasons[i] = true;
		sim_forget();
		ok_int(track(true), -EOPNOTSUPP, "L19: it is refused where its answer would be wrong");
		ok(sim_logged(texts[i]), "L19: the log says why: %s", texts[i]);
		*reasons[i] = false;
		ok_int(track(true), 0, "and else it isn't");
	}
}

/* Pruning leaves CPUs out that LUF would have left behind. */
static const char prune[] = "shootdown/prune";

static void test_pruned(void)
{
	ok_str(tlbbatch_receivers_claim(prune) ?: "nobody", "luf/mode", "L19: while it tracks, nobody prunes");
	track(false);
	ok(!tlbbatch_receivers_claim(prune), "L19: when it doesn't, somebody may");
	ok_int(track(true), -EBUSY, "L19: it is refused while flushes are pruned");
	ok(!sim_allocated(), "nothing is left");
	tlbbatch_receivers_release(prune);
	ok_int(track(true), 0, "and else it isn't");
}

static void test_memory(void)
{
	unsigned int nr = 0;
	int err;

	track(false);
	do {
		sim_fail_alloc(++nr);
		err = track(true);
		if (err)
			ok(err == -ENOMEM && !sim_allocated(), "without memory nothing is left: %u", nr);
		if (err && tlbbatch_receivers_claim(prune))
			sim_breach("who can't track keeps others from pruning");
		tlbbatch_receivers_release(prune);
	} while (err);
	sim_fail_alloc(0);
	ok(nr > 8, "each allocation failed once");
	track(false);
	for (nr = 0; nr < 2; nr++) {
		sim_hotplug_works = nr;
		ok_int(track(true), -ENOSPC, "hotplug can't be watched");
		ok(!sim_allocated() && !sim_cpu_up && !sim_memory_notifier, "H2: nothing is left");
	}
	sim_hotplug_works = ~0U;
	ok_int(track(true), 0, "it can");
}

/* --- rules L1 and L9: the bulk allocator ---------------------------------------------------------------------- */

static struct list_head list;
static struct page *array[8];
static unsigned int bulk_calls;

static unsigned long original_bulk(gfp_t gfp, int nid, nodemask_t *mask, int nr,
				   struct list_head *to, struct page **pages)
{
	unsigned int i;

	bulk_calls++;
	if (gfp != 7 || nid != 1 || mask || nr != 5 || (to && to != &list) || (pages && pages != array))
		sim_breach("the original has other arguments");
	for (i = 0; i < 3; i++) {
		sim_pages[101 + i].refs = 1;
		if (pages)
			pages[i + 1] = &sim_pages[101 + i];
		if (!to)
			continue;
		sim_pages[101 + i].lru.next = to->next;
		to->next = &sim_pages[101 + i].lru;
	}
	return pages ? 4 : 3;
}

/* The page that was put on the list first is its last one. */
static void test_bulk_last(void)
{
	anew();
	generation(&file_a, 101, 1, ON(0) | ON(1));
	forget();
	list.next = &list;
	bulk_replacement()(7, 1, NULL, 5, &list, NULL);
	want("L9: the last page of the bulk allocator's list is used again",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
}

/* Several pages are charged at once; their order is the third argument. */
static void test_charge(void)
{
	anew();
	generation(&file_a, 103, 1, ON(0) | ON(1));
	forget();
	CALL("__memcg_kmem_charge_page", &sim_pages[100], 0, 2);
	want("L9: the last of several pages that are charged is used again",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
}

static void test_bulk(void)
{
	bulk_fn *bulk = bulk_replacement();
	const struct tlbbatch_hook *hook = &tlbbatch_luf_redirects.hooks[1];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		anew();
		generation(&file_a, 103, 2, ON(0) | ON(1));
		forget();
		memset(array, 0, sizeof(array));
		sim_pages[60].lru.next = &list;
		list.next = &sim_pages[60].lru;
		for (; !hook->targets->function.symbol; hook--)
			;
		ok(hook->acts(0), "it acts for each caller");
		ok_int(bulk(7, 1, NULL, 5, i ? &list : NULL, i ? NULL : array), i ? 3 : 4,
		       "L1: the result is the original's");
		want("L9: pages of the bulk allocator are used again",
		     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	}
	ok(tlbbatch_luf_redirects.whole, "H14: they are registered whole");
	ok_int(bulk_calls, 2, "L1: the original is called once");
	anew();
	generation(&file_a, 60, 1, ON(0) | ON(1));
	forget();
	sim_pages[60].lru.next = &list;
	list.next = &sim_pages[60].lru;
	hook->acts(0);
	bulk(7, 1, NULL, 5, &list, NULL);
	want("L9: what was on the list before isn't taken", "");
	tlbbatch_luf_redirects.drain();
	ok(jiffies, "H13: nobody is inside any more");
	hook->acts(0);
	sim_others = NULL;
	anew();
	generation(&file_a, 100, 4, ON(0) | ON(1));
	forget();
	CALL("__isolate_free_page", &sim_pages[96], 3, 0);
	want("L9: compaction takes pages", "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	generation(&file_a, 100, 4, ON(0) | ON(1));
	forget();
	CALL("__memcg_kmem_charge_page", &sim_pages[102], 0, 0);
	want("L9: pages are charged before anybody tells of them",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
}

/* A task sleeps in the replacement; it leaves when others run. */
static void leave_bulk(void)
{
	static unsigned int times;

	/* 12 s. */
	if (++times == 120) {
		sim_note("left");
		sim_cpu = 2;
		bulk_replacement()(7, 1, NULL, 5, NULL, NULL);
		sim_cpu = 0;
		sim_others = NULL;
	}
}

static void test_drain(void)
{
	sim_others = leave_bulk;
	sim_forget();
	/* The CPU on which he entered. */
	sim_offline = ON(0);
	tlbbatch_luf_redirects.drain();
	sim_offline = 0;
	ok(sim_did("left"), "H13: who sleeps in the bulk allocator is waited for");
	ok(!sim_others, "H13: until it has left, on another CPU perhaps");
	ok(sim_times_logged("off waits for bulk") == 2 && sim_logged(" 5 s now") &&
	   sim_logged(" 10 s now"), "H13: every five seconds the log says how long that has lasted");
	tlbbatch_luf_redirects.drain();
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	bulk_world(original_bulk);
	test_passes();
	test_exec();
	test_exec_goes_on();
	test_long_pass();
	test_hit_all();
	test_locks();
	test_hotplug();
	test_gone();
	test_gone_before();
	test_unfit();
	test_pruned();
	test_memory();
	test_bulk();
	test_drain();
	test_bulk_last();
	test_charge();
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
