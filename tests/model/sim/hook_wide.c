// SPDX-License-Identifier: GPL-2.0-only
/* Wider passes: what they look at before they ask for more (rules W2, W3), and their end (H3). */
#include "wide_world.h"

#define OTHER_TASKS	1100	/* more than there are slots */

/* --- what an ask looks at ------------------------------------------------------------------ */

static void test_lists(void)
{
	static const enum lru_list inactive[] = { LRU_INACTIVE_ANON, LRU_INACTIVE_FILE };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		enum lru_list lru = inactive[i];

		fresh(lru);
		ok(ask_anew(lru) == WIDE, "list %u: a pass is widened", lru);
		node.vm_stat[NR_ISOLATED_ANON + !i].counter = MANY;
		ok(ask_anew(lru) == WIDE, "W2: list %u: pages of the other type are isolated", lru);
		node.vm_stat[NR_ISOLATED_ANON + !i].counter = 0;
		node.vm_stat[NR_ISOLATED_ANON + i].counter = MANY;
		ok(ask_anew(lru) == ASKED, "W2: list %u: many of its own type are isolated", lru);

		fresh(lru);
		lruvec.sizes[1][lru] = MANY;
		ok(ask_anew(lru) == WIDE, "list %u: two zones that help", lru);
		lruvec.sizes[2][lru] = 1;
		ok(ask_anew(lru) == ASKED, "W2: list %u: pages of a zone that doesn't help", lru);
	}
}

static void test_node(void)
{
	fresh(LRU_INACTIVE_FILE);
	node.vm_stat[NR_LRU_BASE + LRU_INACTIVE_ANON].counter = MANY;
	node.vm_stat[NR_LRU_BASE + LRU_INACTIVE_FILE].counter = 16 * 8;
	node.vm_stat[NR_ISOLATED_FILE].counter = 9;
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "W2: inactive pages of the other type don't count");
	fresh(LRU_INACTIVE_FILE);
	lruvec.sizes[0][LRU_INACTIVE_FILE] = 16 * WIDE;
	node.vm_stat[NR_ISOLATED_FILE].counter = 1000;
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W2: isolated pages are compared with the node's");
	fresh(LRU_INACTIVE_FILE);
	node.vm_stat[NR_ISOLATED_FILE].counter = -1;
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W2: a sum below 0 is no page");
}

static void test_inherited(void)
{
	unsigned int i;

	fresh(LRU_INACTIVE_FILE);
	lruvec.sizes[0][LRU_INACTIVE_ANON] = MANY;
	node.vm_stat[NR_LRU_BASE + LRU_INACTIVE_ANON].counter = MANY;
	for (i = 0; i < 64; i++)
		ask(LRU_INACTIVE_ANON);
	ask_anew(LRU_INACTIVE_FILE);
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "W6: the file list is ahead");
	group.css.serial_nr++;
	ask_anew(LRU_INACTIVE_FILE);
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W6: a new cgroup has no past");
}

static void test_off_on(void)
{
	fresh(LRU_INACTIVE_FILE);
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "a call gets pages early");
	ok_int(write_pass_min("0"), 1, "off");
	ok_int(write_pass_min("256"), 3, "on");
	ok_int(ask(LRU_INACTIVE_FILE), ASKED, "W3: of a list nothing is known then");
	ok_int(ask(LRU_INACTIVE_FILE), WIDE, "W3: nor of a call that began unseen");
}

static void test_no_memcg(void)
{
	fresh(LRU_INACTIVE_FILE);
	sim_no_memcg = true;
	lruvec.memcg = sc.target_mem_cgroup = NULL;
	ask(LRU_INACTIVE_FILE);
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W2: without cgroups the zones tell their sizes");
	node.node_zones[2].pages[LRU_INACTIVE_FILE] = 1;
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "W2: and that one of them doesn't help");
	ok_int(sim_breaches(), 0, "W2: no cgroup is asked");
	sim_no_memcg = false;
}

static void test_protected(void)
{
	fresh(LRU_INACTIVE_FILE);
	sc.target_mem_cgroup = &parent;
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "a cgroup of many");
	group.memory.elow = 1;
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "W2: with memory.low its pass stays as it is");
	group.memory.elow = 0;
	group.memory.emin = 1;
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "W2: with memory.min, too");
	sc.target_mem_cgroup = &group;
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W2: what reclaim begins with isn't protected");
}

static void test_generations(void)
{
	u64 widened, asked, taken;

	fresh(LRU_INACTIVE_FILE);
	lruvec.lrugen.nr_pages[0][1][2] = MANY;
	lruvec.lrugen.nr_pages[3][0][3] = MANY;
	ok_int(ask_generations(), ASKED, "W2: generations: pages of zones that don't help");
	lruvec.lrugen.nr_pages[3][0][1] = MANY;
	widened = counted(PASSES_WIDENED);
	asked = counted(PAGES_ASKED_FILE);
	taken = counted(PAGES_TAKEN_FILE);
	ok_int(ask_generations(), WIDE, "W2: generations: pages of one that helps");
	ok_int(counted(PASSES_WIDENED) - widened, 1, "W2: generations: a wide pass counts as one");
	ok_int(counted(PAGES_ASKED_FILE) - asked, ASKED, "W2: generations: what the kernel asked for counts");
	ok_int(counted(PAGES_TAKEN_FILE) - taken, WIDE, "W2: generations: and what it took");
}

static u64 asked_in_all(void)
{
	return counted(PAGES_ASKED_ANON) + counted(PAGES_ASKED_FILE);
}

static void test_generation_types(void)
{
	u64 asked;

	fresh(LRU_INACTIVE_FILE);
	lruvec.lrugen.nr_pages[0][0][0] = MANY;
	ok_int(ask_generations(), WIDE, "W2: generations: anonymous pages");
	swappiness = 0;
	ok_int(ask_generations(), ASKED, "W2: generations: with swappiness 0 they stay where they are");
	lruvec.lrugen.nr_pages[0][0][0] = 0;
	lruvec.lrugen.nr_pages[0][1][0] = MANY;
	ok_int(ask_generations(), WIDE, "W2: generations: pages of files don't");
	swappiness = 200;
	ok_int(ask_generations(), WIDE, "W2: generations: nor with a swappiness of 200");
	swappiness = 201;
	ok_int(ask_generations(), ASKED, "W2: generations: with a swappiness above 200 they do");
	swappiness = 60;
	lruvec.lrugen.nr_pages[0][1][0] = -1;
	ok_int(ask_generations(), ASKED, "W2: generations: a sum below 0 is that of no pages");

	asked = asked_in_all();
	finds_nothing = true;
	ask_generations();
	finds_nothing = false;
	ok_int(asked_in_all() - asked, 0,
	       "B13: generations: what found nothing is of no type, and isn't counted");
}

static void test_generations_of_many(void)
{
	fresh(LRU_INACTIVE_FILE);
	lruvec.lrugen.nr_pages[0][1][0] = MANY;
	ok_int(ask_generations_for(64), 64, "generations: what is as wide as it gets stays as it is");
	sc.target_mem_cgroup = &parent;
	ok_int(ask_generations_for(4), 64, "W2: generations: a cgroup of many: 16 times what was asked for");
	group.memory.elow = 1;
	ok_int(ask_generations(), ASKED, "W2: generations: with memory.low its pass stays as it is");
	group.memory.elow = 0;
	group.memory.emin = 1;
	ok_int(ask_generations(), ASKED, "W2: generations: with memory.min, too");
}

/* Others have the slot, or the place, at that moment. */
static void test_taken(void)
{
	fresh(LRU_INACTIVE_FILE);
	shrink_lruvec(&lruvec, &sc);
	sim_bit_taken = 2;
	ok_int(ask(LRU_INACTIVE_FILE), ASKED, "W4: who finds a place taken gets what he asks for");
	sim_bit_taken = 3;
	ok_int(ask(LRU_INACTIVE_FILE), WIDE, "a pass is widened");
	ok(!sim_bit_taken, "W4: its slot is asked for again");
	ok_int(ask(LRU_INACTIVE_FILE), WIDE, "W3: what couldn't be remembered leaves no ask out");
	fresh(LRU_INACTIVE_FILE);
	sim_bit_taken = hash_ptr(&lruvec, 10) + 1;
	tlbbatch_wide_forget();
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W4: a place that is in use isn't emptied");
}

static void test_write_again(void)
{
	fresh(LRU_INACTIVE_FILE);
	ok_int(write_pass_min("128"), 3, "another width");
	ok_int(write_pass_min("256"), 3, "and back");
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W6: while it is on a write forgets nothing");
}

/* --- what is remembered ---------------------------------------------------------------------- */

/* Two tasks whose calls have one slot. */
static void find_two(struct task_struct **first, struct task_struct **second)
{
	static struct task_struct tasks[OTHER_TASKS];
	unsigned int i, j;

	for (i = 0; i < OTHER_TASKS; i++)
		for (j = 0; j < i; j++)
			if (hash_ptr(&tasks[i], 10) == hash_ptr(&tasks[j], 10)) {
				*first = &tasks[i];
				*second = &tasks[j];
				return;
			}
	abort();
}

static struct task_struct *first, *second;

/* In a call of its own, in which nothing is given early. */
static void second_begins(void)
{
	struct task_struct *me = current;

	current = second;
	node.vm_stat[NR_ISOLATED_FILE].counter = MANY;
	ask_anew(LRU_INACTIVE_FILE);
	node.vm_stat[NR_ISOLATED_FILE].counter = 0;
	current = me;
}

static void test_got_meanwhile(void)
{
	fresh(LRU_INACTIVE_FILE);
	current = first;
	during = second_begins;
	ask_anew(LRU_INACTIVE_FILE);
	current = second;
	ok(!during && ask(LRU_INACTIVE_FILE) >= ASKED,
	   "W3: a task whose call took the slot meanwhile isn't left out for what another one got");
	current = &admin;
}

/* As many pages as were asked for, and the rest of a large folio. */
static void test_unwidened(void)
{
	fresh(LRU_INACTIVE_FILE);
	sc.target_mem_cgroup = &parent;
	group.memory.elow = 1;
	last_pages = 64;
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "a pass that stays as it is");
	ok(ask_for(ASKED / 2, LRU_INACTIVE_FILE), "W3: what came of itself leaves no ask out");
	last_pages = 1;
}

static void test_remembered(void)
{
	find_two(&first, &second);
	fresh(LRU_INACTIVE_FILE);
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "a call gets pages early");
	ok_int(ask(LRU_INACTIVE_FILE), 0, "W3: its next ask is left out");
	current = first;
	shrink_lruvec(&lruvec, &sc);
	current = second;
	shrink_lruvec(&lruvec, &sc);
	current = first;
	ok_int(ask(LRU_INACTIVE_FILE), WIDE, "another task's call gets pages early");
	current = second;
	ok(ask(LRU_INACTIVE_FILE) >= ASKED, "W3: a task that shares its slot isn't left out for those");
	current = &admin;
	group.css.serial_nr++;
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED,
	       "W6: of a cgroup that got a dead one's memory nothing is known");
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "W6: from then on it is");
}

/* --- the knob ---------------------------------------------------------------------------------- */

static void write_0(void)
{
	if (write_pass_min("0\n") != 2)
		sim_breach("another task can't write 0");
}

static void test_end(void)
{
	u64 asked = counted(PAGES_ASKED_FILE);

	sim_trouble.no_memory = 1000;
	ok_int(write_pass_min("0\n"), -ENOMEM, "there is no memory to detach");
	ok(sim_is_patched((unsigned long)isolate_lru_folios) && !tlbbatch_wide.on,
	   "hooks stay, and it is off");
	ok(!tlbbatch_wide_pages() && !tlbbatch_pass_width, "H3: pass_min reads 0, W5: and no batch is wider");
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "H3: hooks that stay widen nothing");
	ok_int(counted(PAGES_ASKED_FILE) - asked, 0, "H3: and count nothing");
	sim_trouble.no_memory = 0;
	ok_int(write_pass_min("0\n"), 2, "a later write detaches them");
	ok(!sim_is_patched((unsigned long)isolate_lru_folios), "H3: then none stays");

	sim_at_unlock = write_0;
	ok_int(write_pass_min("64\n"), 3, "one task writes 64, and then another one 0");
	ok(!sim_at_unlock && !tlbbatch_wide.on, "it is off");
	ok_int(tlbbatch_wide_pages(), 0, "H3: the later one counts: pass_min reads 0");
	ok_int(sim_breaches(), 0, "no breach");
}

int main(void)
{
	wide_world_init();
	ok_int(write_pass_min("257\n"), -ERANGE, "too wide");
	ok_int(write_pass_min("256\n"), 4, "passes are widened");
	test_lists();
	test_node();
	test_inherited();
	test_off_on();
	test_no_memcg();
	test_protected();
	test_generations();
	test_generation_types();
	test_generations_of_many();
	test_remembered();
	test_got_meanwhile();
	test_unwidened();
	test_taken();
	test_write_again();
	test_end();
	sim_unload();
	return hook_world_done();
}
