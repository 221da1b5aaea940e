// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules L4, L5, L6, L7, L9 and L10: which flushes complete a generation, and what the use
 * of one of its pages does.
 */
#include "events.h"
#include "scenarios.h"
#include "scene.h"

/* Nothing happens: the generation stays open, and is given up when tracking ends. */
void run_hold(void)
{
	file_make(path_a);
	scene_open(path_a, A_CPU);
	scene_cushion();
	sleep_ms(500);
	luf_want("half a second", "open=0");
	luf_mode("off");
	luf_want("off", "open=-1 given_up_off=1");
	luf_mode("track");
	luf_want("track", "open=0");
}

/*
 * A flush of all CPUs of A completes A's generation. B's has other CPUs. A younger
 * generation of A isn't completed by the earlier flush.
 */
void run_flush(void)
{
	struct cell *a, *b;

	file_make(path_a);
	file_make(path_b);
	b = scene_cell(path_b, B_CPU);
	a = scene_cell(path_a, A_CPU);
	scene_open_both(a, b);
	scene_cushion();
	scene_flush(a);
	luf_want("flush of A", "open=-1 saved=1 open_as_posted=-1 saved_as_posted=1");
	cell_call(a, cell_arm, 0);
	cell_call(a, cell_touch, 0);
	scene_pageout(a);
	luf_want("another of A", "generation=1 open=1");
	scene_flush(b);
	luf_want("flush of B", "open=-1 saved=1 open_as_posted=-1 saved_as_posted=1");
	scene_flush(a);
	luf_want("flush of A again", "open=-1 saved=1");
}

/*
 * The reader sleeps, and nothing else runs on its CPU. The kernel keeps the mm there, and
 * interrupts nobody. A flush that wasn't sent can't be saved, in either model.
 */
void run_asleep(void)
{
	int64_t unsent = luf_last.value[luf_index("flushes_unsent")];
	struct cell *a;

	file_make(path_a);
	cgroup_enter();
	a = scene_cell(path_a, A_CPU);
	cgroup_leave();
	scene_ready(a);
	cell_sleep(a);
	cgroup_reclaim(a);
	if (luf_read("stats/flushes_unsent") == unsent) {
		say(STDOUT_FILENO, "wrong: no flush that went to nobody\n");
		luf_wrong++;
	}
	luf_want("reclaim", "generation=0 flushes=0 ipis=0 unmaps_readonly=%zu "
		 "unmaps_mixed=0", a->pages);
	cell_wake(a);
	scene_flush(a);
	luf_want("awake", "ipis=0 ipis_avoided=0 saved_as_posted=0");
}

/* One of two readers sleeps. So only one CPU is interrupted, and only one interrupt is saved. */
void run_asleep_one(void)
{
	struct cell *a;

	file_make(path_a);
	a = scene_cell(path_a, A_CPU);
	scene_ready(a);
	/* The CPU where its reader was stays in the mask. */
	cell_sleep(a);
	cell_call(a, cell_second, B_CPU);
	scene_pageout(a);
	luf_want("pageout", "generation=1 open=1 flushes=1 ipis=1");
	scene_cushion();
	scene_flush(a);
	luf_want("flush", "open=-1 saved=1 ipis_avoided=1 saved_as_posted=1 "
		 "ipis_avoided_as_posted=1");
}

/*
 * The kernel's own flush: reclaim leaves flushes pending for the next one who walks the
 * page tables.
 */
void run_flush_pending(void)
{
	struct cell *a;

	file_make(path_a);
	a = scene_open(path_a, A_CPU);
	scene_cushion();
	cell_call(a, cell_touch, 0);
	scene_pageout(a);
	luf_want("a second pass", "generation=1 open=0 saved=1 open_as_posted=0 "
		 "saved_as_posted=1");
}

/*
 * One of two CPUs gets a full flush. The other one gets a flush of a single page, sent by
 * IPI. Neither completes anything.
 */
void run_partial(void)
{
	struct cell *a, *local;

	file_make(path_a);
	file_make(path_b);
	local = scene_cell(path_b, B_CPU);
	cell_call(local, cell_arm, 0);
	a = scene_open(path_a, A_CPU);
	scene_cushion();
	scene_flush(local);
	luf_want("flush of CPU 0", "open=0");
	cell_call(a, cell_move, ACTOR_CPU);
	cell_call(a, cell_flush_page, 0);
	luf_want("flush of a page", "open=0");
	scene_flush(a);
	luf_want("flush of A", "open=-1 saved=1");
}

/*
 * A process that has nothing to do with the file, but runs on the same CPUs, flushes. The
 * posted series doesn't look at these flushes, so it has to make up for what it put off.
 */
void run_flush_other(void)
{
	unsigned int tries = 1000;
	struct cell *a, *other;

	file_make(path_a);
	other = scene_cell(path_b, B_CPU);
	cell_call(other, cell_arm, 0);
	a = scene_open(path_a, A_CPU);
	scene_cushion();
	cell_spin_on(other, A_CPU);
	/* A CPU that runs A's thread at that moment isn't interrupted. */
	while (tries-- && luf_read("open") == luf_last.value[luf_index("open")]) {
		cell_call(other, cell_arm, 0);
		cell_call(other, cell_flush, 0);
		sleep_ms(1);
	}
	luf_want("flush of another process", "open=-1 saved=1 open_as_posted=0 "
		 "saved_as_posted=0 ipis_avoided=1 ipis_avoided_as_posted=0");
	if (cell_call(a, cell_reuse, 1) != 1)
		die_environment("the page wasn't used again");
	luf_want("reuse", "open=0 open_as_posted=-1 needed_as_posted=1");
}

/* --- pages that are used again -------------------------------------------------- */

/* A page of each generation is used again before the next generation begins, so none is saved. */
static void do_reuse(long hits, unsigned int rounds)
{
	struct cell *a;
	unsigned int i;

	file_make(path_a);
	a = scene_cell(path_a, A_CPU);
	scene_ready(a);
	for (i = 0; i < rounds; i++) {
		cell_call(a, cell_touch, 0);
		scene_pageout(a);
		luf_want("pageout", "generation=1 open=1");
		if (cell_call(a, cell_reuse, hits) != hits)
			die_environment("the pages weren't used again");
		luf_want("reuse", "open=-1 needed=1");
	}
	cell_call(a, cell_arm, 0);
	scene_flush(a);
	luf_want("flush", "open=0");
}

void run_reuse_one(void)
{
	do_reuse(1, 1);
}

void run_reuse_all(void)
{
	do_reuse(CELL_PAGES, 8);
}

/*
 * A needs a flush of A's CPUs. B's generation has one CPU more. An ideal LUF flushes for B
 * as well, on the CPU that only B's generation has.
 */
void run_reuse_apart(void)
{
	struct cell *a, *b;

	file_make(path_a);
	file_make(path_b);
	b = scene_cell(path_b, B_CPU);
	a = scene_cell(path_a, A_CPU);
	scene_open_both(a, b);
	if (cell_call(a, cell_reuse, 1) != 1)
		die_environment("the page wasn't used again");
	luf_want("reuse in A", "open=-2 needed=1 saved=1 open_as_posted=-1 "
		 "needed_as_posted=1 saved_as_posted=0");
	scene_flush(b);
	luf_want("flush of B", "open=0 saved=0 open_as_posted=-1 saved_as_posted=1");
}

/* Makes several generations of one file, with the same CPUs. Returns how many. */
static struct cell *many_open(int64_t *made)
{
	struct cell *a;

	file_make(path_a);
	cgroup_enter();
	a = scene_cell(path_a, A_CPU);
	cgroup_leave();
	a->pages = 256;
	scene_ready(a);
	*made = luf_last.value[0];
	cgroup_reclaim(a);
	*made = luf_read("generation") - *made;
	if (*made < 2)
		luf_skip("reclaim made %" PRId64 " generations of it", *made);
	luf_want("reclaim", "generation=%" PRId64 " open=%" PRId64
		 " unmaps_readonly=%zu unmaps_mixed=0", *made, *made, a->pages);
	return a;
}

/* One page that is used again is one flush of LUF's. All the generations needed that flush. */
void run_reuse_many(void)
{
	struct cell *a;
	int64_t made;

	a = many_open(&made);
	if (cell_call(a, cell_reuse, 1) != 1)
		die_environment("the page wasn't used again");
	luf_want("reuse", "open=%" PRId64 " needed=1 saved=%" PRId64
		 " open_as_posted=%" PRId64 " needed_as_posted=1 saved_as_posted=%"
		 PRId64, -made, made - 1, -made, made - 1);
}

void run_flush_many(void)
{
	struct cell *a;
	int64_t made;

	a = many_open(&made);
	scene_flush(a);
	luf_want("flush", "open=%" PRId64 " saved=%" PRId64, -made, made);
}

void run_write_many(void)
{
	struct cell *a;
	int64_t made;

	a = many_open(&made);
	event_write(a);
	luf_want("write", "open=%" PRId64 " given_up_written=%" PRId64,
		 -made, made);
}

/* A pinned page can't be freed. It was unmapped in vain, and stays in use. */
static long pin_page(struct cell *cell, long unused)
{
	struct iovec vector = { .iov_base = cell->map, .iov_len = PAGE_BYTES };
	int ends[2];

	(void)unused;
	return pipe(ends) || vmsplice(ends[1], &vector, 1, 0) < 0;
}

void run_kept(void)
{
	struct cell *a;

	file_make(path_a);
	a = scene_cell(path_a, A_CPU);
	scene_ready(a);
	if (cell_call(a, pin_page, 0))
		die_environment("vmsplice: %s", strerror(errno));
	scene_pageout(a);
	luf_want("pageout", "generation=1 open=0 given_up_kept=1 "
		 "unmaps_readonly=%zu flushes=1", a->pages);
}
