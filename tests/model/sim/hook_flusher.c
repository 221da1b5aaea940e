// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dirty file pages: which passes are judged, and what comes of it.
 * Rules D1, D2, D3, D4, D5 and D6. And its end, rule H3.
 */
#include <tlbbatch/flusher_stats.h>
#include "hook_rules.h"
#include "core/counters.h"
#include "flusher/flusher.h"
#include "flusher/flusher_pass.h"

#define INTERVAL	msecs_to_jiffies(TLBBATCH_FLUSHER_INTERVAL_MS)
#define BLOCK		256

enum {
#define X(upper, lower) upper,
	FLUSHER_COUNTERS(X)
#undef X
	NR
};

static struct pglist_data nodes[MAX_NUMNODES];
static struct reclaim_stat stat;
static struct scan_control sc;
static struct folio folios[80];
static struct list_head list;
static unsigned int woken, ran_at_wake, ended_at_wake;
static enum wb_reason reason;
static bool sizes_unknown;

/* --- the kernel -------------------------------------------------------------------------- */

static void wakeup_flusher_threads(enum wb_reason why)
{
	woken++;
	reason = why;
	ran_at_wake = world.ran[PASS];
	ended_at_wake = world.ended;
}

static int lookup_size(unsigned long addr, unsigned long *size, unsigned long *offset)
{
	*size = BLOCK;
	*offset = 0;
	return !sizes_unknown;
}

/* In this order, each with a block of its own. */
#define PLACE(nr)	__attribute__((section(".text.sorted." #nr), aligned(BLOCK)))

static noinline PLACE(1) int shrink_inactive_list(int x)
{
	barrier();
	return fn_pass(x) + 1;
}

static noinline PLACE(2) int evict_folios(int x)
{
	barrier();
	return fn_pass(x) + 1;
}

static noinline PLACE(3) int reclaim_folio_list(int x)
{
	barrier();
	return fn_pass(x) + 1;
}

u32 sim_member_offset(const char *member)
{
#define NR_OFFSET(name)								\
	if (!strcmp(member, "nr." #name))					\
		return offsetof(struct scan_control, nr.name)
	NR_OFFSET(dirty);
	NR_OFFSET(unqueued_dirty);
	NR_OFFSET(congested);
	NR_OFFSET(writeback);
	NR_OFFSET(immediate);
	NR_OFFSET(taken);
	return 1;
}

/* --- what a test does ---------------------------------------------------------------------- */

static u64 counted(unsigned int index)
{
	return tlbbatch_counter_read(&tlbbatch_flusher_counters, index);
}

static u64 sum_before;

static u64 sum(void)
{
	u64 all = 0;
	unsigned int i;

	for (i = 0; i < NR; i++)
		all += counted(i);
	return all;
}

/* The next pass has so many folios of a page, and one of @large pages unless that is 0. */
static void take(unsigned int nr, unsigned int large)
{
	unsigned int i;

	list.next = &list;
	for (i = 0; i < nr + !!large; i++) {
		folios[i] = (struct folio){ .lru = { list.next }, .nr_pages = i < nr ? 1 : large };
		list.next = &folios[i].lru;
	}
}

/* One pass. How many wake-ups? */
static unsigned int pass(int (*caller)(int), unsigned int nid, unsigned int unqueued)
{
	unsigned int before = woken;

	stat.nr_unqueued_dirty = unqueued;
	world.folios = &list;
	world.pgdat = &nodes[nid];
	world.sc = &sc;
	world.stat = &stat;
	current = &reclaimer;
	if (caller(1) != 2)
		sim_breach("a pass has another result");
	current = &admin;
	return woken - before;
}

static unsigned int evict(unsigned int unqueued)
{
	return pass(evict_folios, 0, unqueued);
}

static struct kobj_attribute *mode_file(void)
{
	return (void *)tlbbatch_flusher_files.group->attrs[0];
}

static ssize_t write_mode(const char *text)
{
	sim_forget();
	return mode_file()->store(NULL, mode_file(), text, strlen(text));
}

static const char *mode(void)
{
	static char text[64];

	mode_file()->show(NULL, mode_file(), text);
	return text;
}

/* --- which passes are judged --------------------------------------------------------------- */

static void test_off(void)
{
	ok_str(mode(), "[off] wake account\n", "after load it is off");
	take(32, 0);
	ok_int(evict(32), 0, "off: no flusher is woken");
	ok(!sum() && nothing_attached(), "off: nothing is attached, and nothing is counted");
	ok_int(write_mode("wake\n"), 5, "on");
	ok_str(mode(), "off [wake] account\n", "it reads wake");
	ok_int(write_mode("wait\n"), -EINVAL, "no such mode");
	ok_int(mode_file()->store(NULL, mode_file(), "off\0x", 5), -EINVAL, "a NUL in the text");
	ok_str(mode(), "off [wake] account\n", "a bad text changes nothing");
}

static void test_callers(void)
{
	take(32, 0);
	ok_int(evict(32), 1, "D2: a pass of nothing but pages that wait: the flushers are woken");
	ok_int(reason, WB_REASON_VMSCAN, "for reclaim");
	ok_int(ran_at_wake, world.ran[PASS], "D2: after the pass, and its flush");
	jiffies += INTERVAL;
	sum_before = sum();
	ok_int(pass(shrink_inactive_list, 0, 32), 0, "D1: a pass of the classic LRU isn't judged");
	ok_int(pass(reclaim_folio_list, 0, 32), 0, "D1: nor is one of another caller");
	ok_int(sum() - sum_before, 0, "D1: they aren't counted either");
}

/* In its end batching flushes and writes what waits. It frees pages, too: alpha frees seven. */
static void test_batching(void)
{
	unsigned int ended = world.ended;

	take(32, 0);
	jiffies += INTERVAL;
	ok_int(on(&alpha), 0, "batching is on, too");
	stat.nr_unqueued_dirty = 32;
	current = &reclaimer;
	ok_int(evict_folios(1), 2 + 7, "a pass in which both act");
	current = &admin;
	ok_int(ended_at_wake - ended, 1, "D2: the flushers are woken behind batching's end");
	ok_int(off(&alpha), 0, "batching is off");
}

static void test_all_dirty(void)
{
	u64 all = counted(PASSES_ALL_DIRTY), passes = counted(PASSES), taken = counted(PAGES_TAKEN);

	jiffies += INTERVAL;
	ok_int(evict(31), 0, "D2: one clean page: nobody is woken");
	ok_int(evict(0), 0, "D2: all of them clean");
	take(0, 0);
	ok_int(evict(0), 0, "D2: a pass without pages");
	ok_int(counted(PASSES_ALL_DIRTY) - all, 0, "D2: none of these counts as all dirty");
	take(3, 16);
	ok_int(evict(4), 0, "D2: a large folio is clean: its pages count, not its folio");
	ok_int(evict(19), 1, "D2: nor does one that waits count as one page");
	ok_int(counted(PASSES) - passes, 5, "each was judged");
	ok_int(counted(PAGES_TAKEN) - taken, 32 + 32 + 0 + 19 + 19, "pages are counted, not folios");
}

/* --- how often ------------------------------------------------------------------------------ */

static void another_wakes(void)
{
	/* From another CPU, at the same moment: its cmpxchg comes first. */
	pass(evict_folios, 0, 32);
}

/* Another feature is being switched. */
static void at_switch(void)
{
}

static void test_rate(void)
{
	u64 limited = counted(WAKEUPS_LIMITED), wakeups = counted(WAKEUPS);
	unsigned int i, nr = 0;

	take(32, 0);
	jiffies += INTERVAL;
	for (i = 0; i < 3 * INTERVAL; i++, jiffies++)
		nr += evict(32) + evict(32);
	ok_int(nr, 3, "D3: as many wake-ups as intervals");
	ok_int(counted(WAKEUPS) - wakeups, 3, "D4: they are counted");
	ok_int(counted(WAKEUPS_LIMITED) - limited, 6 * INTERVAL - 3, "D4: so are those left out");
	jiffies += INTERVAL;
	ok_int(evict(32) + pass(evict_folios, 1, 32), 2, "D3: each node for itself");
	ok_int(evict(32) + pass(evict_folios, 1, 32), 0, "D3: and each only once");
	ok_int(counted(PASSES_ALL_DIRTY), counted(WAKEUPS) + counted(WAKEUPS_LIMITED),
	       "D4: each pass that is all dirty is counted by what came of it");
	sim_at_second_mutex = at_switch;
	ok_int(write_mode("account\n"), 8, "another mode");
	ok(!!sim_at_second_mutex, "H3: for which nobody waits, nor who writes off then");
	sim_at_second_mutex = NULL;
	ok_int(evict(32), 0, "D3: that doesn't begin a new interval");
	ok_int(write_mode("off\n"), 4, "off");
	jiffies = ULONG_MAX - 1;
	ok_int(write_mode("wake\n"), 5, "on, just before time wraps around");
	ok_int(evict(32), 1, "D3: the first one is woken for at once");
	ok_int(evict(32), 0, "D3: but not the next one");
	jiffies += INTERVAL;
	ok_int(evict(32), 1, "D3: the interval ends behind the corner");
}

static void test_rate_raced(void)
{
	unsigned int before = woken;
	struct tlbbatch_pass *mine;

	take(32, 0);
	jiffies += INTERVAL;
	stat.nr_unqueued_dirty = 32;
	mine = open_pass(&other_reclaimer);
	mine->caller = (unsigned long)evict_folios + 1;
	mine->folios = &list;
	mine->pgdat = &nodes[0];
	mine->sc = &sc;
	mine->stat = &stat;
	tlbbatch_flusher_begin(mine);
	sim_at_cmpxchg = another_wakes;
	tlbbatch_flusher_end(mine);
	close_pass(&other_reclaimer);
	ok(!sim_at_cmpxchg, "two tasks come at once");
	ok_int(woken - before, 1, "D3: one of them wakes the flushers");
	ok_int(counted(PASSES_ALL_DIRTY), counted(WAKEUPS) + counted(WAKEUPS_LIMITED),
	       "D4: each is counted");
}

/* --- what reclaim is told -------------------------------------------------------------------- */

static const struct scan_control fresh = {
	.nr_reclaimed = 77,
	.nr = { 100, 200, 300, 400, 500, 600, 700 },
	.reclaim_state = 88,
};

static void test_account(void)
{
	stat = (struct reclaim_stat){ .nr_dirty = 1, .nr_congested = 3, .nr_writeback = 4,
				      .nr_immediate = 5 };
	sc = fresh;
	take(6, 0);
	ok_int(evict(2), 0, "wake: a pass");
	ok(!memcmp(&sc, &fresh, sizeof(sc)), "D5: wake tells reclaim nothing");
	ok_int(write_mode("account\n"), 8, "account");
	ok_str(mode(), "off wake [account]\n", "it reads account");
	evict(2);
	ok_int(sc.nr.dirty, 101, "D5: dirty pages");
	ok_int(sc.nr.congested, 303, "D5: congested pages");
	ok_int(sc.nr.writeback, 404, "D5: pages under writeback");
	ok_int(sc.nr.immediate, 505, "D5: pages to wait for");
	ok_int(sc.nr.taken, 706, "D5: pages taken");
	ok(sc.nr.unqueued_dirty == 200 && sc.nr.file_taken == 600,
	   "D5: the two that the kernel adds are left alone");
	ok(sc.nr_reclaimed == 77 && sc.reclaim_state == 88, "D5: and so is all else");
	sc = fresh;
	pass(shrink_inactive_list, 0, 2);
	ok(!memcmp(&sc, &fresh, sizeof(sc)), "D1: of a pass that isn't judged nothing is told");
	jiffies += INTERVAL;
	ok_int(evict(6), 1, "account wakes, too");
	stat = (struct reclaim_stat){ };
}

static void test_pages(void)
{
	u64 unqueued = counted(PAGES_UNQUEUED), writeback = counted(PAGES_WRITEBACK);
	u64 congested = counted(PAGES_CONGESTED);

	stat = (struct reclaim_stat){ .nr_writeback = 7, .nr_congested = 9 };
	take(32, 0);
	evict(5);
	ok_int(counted(PAGES_UNQUEUED) - unqueued, 5, "pages that wait for a flusher");
	ok_int(counted(PAGES_WRITEBACK) - writeback, 7, "pages under writeback");
	ok_int(counted(PAGES_CONGESTED) - congested, 9, "congested pages");
	stat = (struct reclaim_stat){ };
}

/* --- its end -------------------------------------------------------------------------------- */

static void write_off(void)
{
	ok_int(write_mode("off\n"), 4, "another task writes off meanwhile");
}

static void others_kill(void)
{
	admin.killed = true;
}

/* Who writes off waits for a pass, and is killed. */
static void test_end_killed(void)
{
	u64 before;

	take(32, 0);
	jiffies += INTERVAL;
	stat.nr_unqueued_dirty = 32;
	open_pass(&other_reclaimer);
	sim_others = others_kill;
	ok_int(write_mode("off\n"), -EINTR, "H9: who is killed while he waits is told so");
	sim_others = NULL;
	admin.killed = false;
	close_pass(&other_reclaimer);
	ok_str(mode(), "[off] wake account\n", "H3: but it reads off");
	before = sum();
	ok_int(evict(32), 0, "H3: as nobody is woken");
	ok_int(sum() - before, 0, "H3: and nothing is counted");
	ok_int(write_mode("account\n"), 8, "it can be switched on again");
	ok_int(evict(32), 1, "H3: then passes are judged");
	sim_others = others_kill;
	open_pass(&other_reclaimer);
	ok_int(write_mode("off\n"), -EINTR, "another one is killed");
	sim_others = NULL;
	admin.killed = false;
	close_pass(&other_reclaimer);
	ok_int(write_mode("off\n"), 4, "H3: a later write detaches the hook");
	ok(nothing_attached(), "H3: nothing stays");
	ok_int(write_mode("account\n"), 8, "account again");
}

static void test_end(void)
{
	take(32, 0);
	jiffies += INTERVAL;
	sim_trouble.no_memory = 1000;
	ok_int(write_mode("off\n"), -ENOMEM, "there is no memory to detach the hook");
	sum_before = sum();
	ok_int(evict(32), 0, "H3: the hook that stays wakes nobody");
	ok_int(sum() - sum_before, 0, "H3: and counts nothing");
	ok_str(mode(), "[off] wake account\n", "H3: and it reads off");
	sim_trouble.no_memory = 0;
	ok_int(write_mode("off\n"), 4, "a later write detaches it");
	ok(nothing_attached(), "H3: nothing stays");
	sim_at_unlock = write_off;
	ok_int(write_mode("wake\n"), 5, "one task writes wake");
	ok(!sim_at_unlock && !tlbbatch_flusher.on, "H3: the later one counts");
	ok_str(mode(), "[off] wake account\n", "it is off");
	admin.killed = true;
	ok_int(write_mode("wake\n"), -EINTR, "who is killed switches nothing on");
	admin.killed = false;
	ok_int(sim_breaches(), 0, "no breach");
}

/* --- what it needs -------------------------------------------------------------------------- */

#define EVICT_ARGS	"struct lruvec *, struct scan_control *, int"

static const char *said[8];

/* When the symbols can be looked up: what would be said of other kernels? */
static void other_kernels(void)
{
	static char texts[ARRAY_SIZE(said)][TLBBATCH_REASON_LEN];
	unsigned int i = 0;

#define SAID() (said[i] = strcpy(texts[i], tlbbatch_flusher_find() ?: "nothing"), i++)
	world.no_member = "nr.unqueued_dirty";
	hook_world_proto("evict_folios", "int(unsigned long, " EVICT_ARGS ")");
	SAID();
	world.no_member = NULL;
	hook_world_proto("evict_folios", "int(" EVICT_ARGS ", bool *)");
	SAID();
	hook_world_proto("evict_folios", "long(" EVICT_ARGS ")");
	SAID();
	hook_world_proto("evict_folios", "int(" EVICT_ARGS ")");
	world.no_member = "nr.taken";
	SAID();
	world.no_member = NULL;
	world.clone = "evict_folios.constprop.0";
	world.clone_at = evict_folios;
	SAID();
	world.clone = NULL;
	sizes_unknown = true;
	SAID();
	sizes_unknown = false;
	hook_world_proto("wakeup_flusher_threads", "void(int)");
	SAID();
	hook_world_proto("wakeup_flusher_threads", "void(enum wb_reason)");
	SAID();
}

static void test_kernels(void)
{
	ok_str(said[0], "this kernel judges each pass by itself", "D6: 7.2");
	ok_str(said[1], "this kernel keeps dirty file pages out of passes", "D6: 6.1");
	ok_str(said[2], "evict_folios has another prototype", "H2: another evict_folios()");
	ok_str(said[3], "scan_control.nr.taken not found", "H2: a figure that isn't there");
	ok_str(said[4], "evict_folios is here twice", "D1: a copy of evict_folios()");
	ok_str(said[5], "evict_folios not found", "D1: its size isn't known");
	ok_str(said[6], "wakeup_flusher_threads has another prototype", "H2: another wake-up");
	ok_str(said[7], "nothing", "6.12 lacks nothing");
	strcpy(tlbbatch_flusher.unavailable, said[0]);
	ok_int(write_mode("wake\n"), -EOPNOTSUPP, "D6: where it is unavailable it can't be on");
	ok(sim_logged("flusher: cannot judge passes: this kernel judges each pass by itself"),
	   "D6: the log says why");
	ok(nothing_attached(), "nothing is attached");
	tlbbatch_flusher.unavailable[0] = '\0';
}

int main(void)
{
	unsigned int nid;

	hook_world_init();
	for (nid = 0; nid < MAX_NUMNODES; nid++)
		nodes[nid].node_id = (int)nid;
	world.found = other_kernels;
	hook_world_has("evict_folios", evict_folios, "int(" EVICT_ARGS ")");
	hook_world_has("wakeup_flusher_threads", wakeup_flusher_threads, "void(enum wb_reason)");
	hook_world_has("kallsyms_lookup_size_offset", lookup_size,
		       "int(unsigned long, unsigned long *, unsigned long *)");
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_flusher.unavailable, "", "passes can be judged");
	ok((char *)shrink_inactive_list < (char *)evict_folios &&
	   (char *)evict_folios < (char *)reclaim_folio_list, "functions are where they should be");
	test_kernels();
	test_off();
	test_callers();
	test_batching();
	test_all_dirty();
	test_rate();
	test_rate_raced();
	test_account();
	test_pages();
	test_end_killed();
	test_end();
	sim_unload();
	ok_int(sim_nr_registered() + sim_allocated() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}
