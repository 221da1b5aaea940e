// SPDX-License-Identifier: GPL-2.0-only
/* What compat/ makes of the arguments of each kernel's write-outs (rules B11, B15, B16 and H1). */
#include <sys/wait.h>
#include <unistd.h>
#include "batch_world.h"
#include "compat/pass_shapes.h"
#include "compat/reclaim_shapes.h"
#include "compat/writeout_shapes.h"
#include "pass/pass_calls.h"

static struct folio folio;

static const struct tlbbatch_target *shape(const struct tlbbatch_target *target,
					   const char *proto)
{
	while (!strstr(target->function.proto, proto))
		target++;
	return target;
}

/* --- rule B15: who writes shmem? -------------------------------------------------------- */

static struct swap_io_ctx io;
static struct swap_iocb *plug;
static struct list_head list;
static struct writeback_control reclaims = { .for_reclaim = 1, .swap_plug = &plug }, drivers;

/* The arguments that reclaim passes, and a driver's shrinker. */
static const struct {
	const char *kernels, *proto;
	const void *reclaim[3], *driver[3];
} callers[] = {
	{ "7.3", "int(struct swap_io_ctx *", { &io, &folio, &list }, { &io, &folio, NULL } },
	{ "6.16 to 7.2", "int(struct folio *", { &folio, &plug, &list }, { &folio, NULL, NULL } },
	{ "up to 6.15", "int(struct page *", { &folio, &reclaims }, { &folio, &drivers } },
};

/* How many flushes of all CPUs come before this write-out, while a pass owes one. */
static unsigned int flushes(const struct tlbbatch_target *target, const void *const *args)
{
	struct ftrace_regs fregs = { };

	anew(8);
	pass_begin(&one);
	unmap_dirty();
	current = &admin;
	memcpy(fregs.regs.args, args, 3 * sizeof(*args));
	target->passes(&fregs);
	pass_end(&one);
	return world.flushes_of_all;
}

static void test_callers(void)
{
	unsigned int i;

	folio = shmem_folio(1);
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		const struct tlbbatch_target *target =
			shape(tlbbatch_shmem_writeout_targets, callers[i].proto);

		ok(flushes(target, callers[i].driver) == 1,
		   "B15: %s: all CPUs are flushed before a driver writes", callers[i].kernels);
		ok(flushes(target, callers[i].reclaim) == 0,
		   "B15: %s: but not before reclaim does", callers[i].kernels);
	}
}

/* --- rule B18: what isn't for reclaim ------------------------------------------------------ */

static int write_page(struct page *page, struct writeback_control *wbc)
{
	struct folio *written = page_folio(page);

	written->writes++;
	folio_unlock(written);
	return 0;
}

/* In a pass, a folio comes to this write-out: does it wait? */
static bool waits_for(const struct tlbbatch_target *targets, struct writeback_control *wbc)
{
	const struct tlbbatch_target *target = shape(targets, "int(struct page *");
	int (*replacement)(struct page *page, struct writeback_control *wbc) = target->replacement;
	struct folio at_gate = targets == tlbbatch_swap_writeout_targets ? anon_folio(1) :
									   shmem_folio(1);
	bool waits;

	tlbbatch_call_set(&target->original, (unsigned long)write_page);
	anew(8);
	pass_begin(&one);
	unmap_dirty();
	at_gate.locked = true;
	at_gate.dirty = false;
	replacement(&at_gate.page, wbc);
	one.stat.nr_pageout++;
	waits = counted(TLBBATCH_FOLIOS_DEFERRED);
	pass_end(&one);
	ok_int(at_gate.writes, 1, "it is written, sooner or later");
	return waits;
}

static void test_for_reclaim(void)
{
	const struct tlbbatch_target *const both[] = {
		tlbbatch_swap_writeout_targets, tlbbatch_shmem_writeout_targets };
	struct writeback_control others = { .swap_plug = &plug };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ok(waits_for(both[i], &reclaims), "B18: up to 6.15: what is written for reclaim waits");
		ok(!waits_for(both[i], &others), "B18: up to 6.15: but not for anybody else");
	}
}

/* --- rule B16: files, and what is in none ------------------------------------------------- */

static const void *paged_out[4];
static int flushes_at_pageout;
/* The hook of the file's writer. */
static const struct tlbbatch_target *file_target;
static bool clean;

static int pageout(struct folio *of, struct address_space *mapping, struct swap_iocb **by,
		   struct list_head *split)
{
	const void *args[] = { of, mapping, by, split };

	memcpy(paged_out, args, sizeof(args));
	flushes_at_pageout = world.flushes;
	return 0;
}

static int writepage(struct page *page, struct writeback_control *wbc)
{
	return 0;
}

static const struct address_space_operations with_writer = { .writepage = writepage }, without;
static struct address_space file = { .a_ops = &with_writer }, unwritten = { .a_ops = &without };
static const struct tlbbatch_target *pageout_target;

/* pageout() of a folio with this mapping: the flushes that come before. */
static int flushes_of(struct address_space *mapping)
{
	int (*replacement)(struct folio *folio, struct address_space *mapping,
			   struct swap_iocb **plug, struct list_head *list) =
		pageout_target->replacement;

	anew(8);
	world.target = file_target;
	world.unmaps_clean = clean;
	pass_begin(&one);
	unmap_dirty();
	replacement(&folio, mapping, &plug, &list);
	pass_end(&one);
	return flushes_at_pageout;
}

/* The same in a process of its own, which may crash: -1. */
static int flushes_if_alive(struct address_space *mapping)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(flushes_of(mapping));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void test_pageout(const char *kernels, const char *proto, unsigned int nr_args)
{
	const void *args[] = { &folio, &file, &plug, &list };

	pageout_target = shape(tlbbatch_pageout_targets, proto);
	tlbbatch_call_set(&pageout_target->original, (unsigned long)pageout);
	folio = anon_folio(1);
	ok(flushes_if_alive(&file) == 1, "B16: %s: a file's folio is flushed first", kernels);
	ok(flushes_if_alive(&unwritten) == 1, "B16: %s: so is one whose file has no writer", kernels);
	ok(flushes_if_alive(NULL) == 1, "B16: %s: so is one without a mapping", kernels);
	file_target = tlbbatch_shmem_writeout_targets;
	ok(flushes_if_alive(&file) == 0, "B16: %s: one whose writer is a gate isn't", kernels);
	file_target = tlbbatch_swap_writeout_targets;
	ok(flushes_if_alive(&file) == 0, "B16: %s: nor is one that swap writes", kernels);
	file_target = NULL;
	clean = true;
	ok(flushes_if_alive(&file) == 0, "B16: %s: nothing is, if no flush is owed", kernels);
	clean = false;
	flushes_of(&file);
	ok(!memcmp(paged_out, args, nr_args * sizeof(*args)),
	   "H1: %s: it is written with the arguments that were given", kernels);
}

/* --- rule B11: the module's own plug ---------------------------------------------------------- */

static void test_plug(void)
{
	struct folio waits = anon_folio(1);

	anew(8);
	world.gathers = true;
	pass_begin(&one);
	reclaim(&waits);
	ok(!world.submitted, "a folio waits");
	pass_end(&one);
	ok(world.submitted == &world.iocb, "B11: what gathered its write is submitted");

	anew(8);
	waits = anon_folio(1);
	pass_begin(&one);
	reclaim(&waits);
	pass_end(&one);
	ok(world.written == 1 && !world.submitted, "B11: nothing is, if nothing was gathered");
}

/* --- rule B11: what gathers reclaim's writes, and its list for what is split ------------------ */

static const void *io_seen, *list_seen;
static bool as_reclaim_asks;

static int writes_ctx(struct swap_io_ctx *by, struct folio *written, struct list_head *split)
{
	io_seen = by;
	list_seen = list_seen ?: split;
	folio_unlock(written);
	return 0;
}

static int writes_plug(struct folio *written, struct swap_iocb **by, struct list_head *split)
{
	return writes_ctx((void *)by, written, split);
}

static int writes_wbc(struct page *page, struct writeback_control *wbc)
{
	as_reclaim_asks &= wbc->sync_mode == WB_SYNC_NONE && wbc->for_reclaim;
	return writes_ctx((void *)wbc->swap_plug, page_folio(page), NULL);
}

static void come_ctx(const void *replacement, struct folio *at_gate)
{
	int (*gate)(struct swap_io_ctx *by, struct folio *folio, struct list_head *split) =
		replacement;

	gate(&io, at_gate, &list);
}

static void come_plug(const void *replacement, struct folio *at_gate)
{
	int (*gate)(struct folio *folio, struct swap_iocb **by, struct list_head *split) =
		replacement;

	gate(at_gate, &plug, &list);
}

static void come_wbc(const void *replacement, struct folio *at_gate)
{
	int (*gate)(struct page *page, struct writeback_control *wbc) = replacement;

	gate(&at_gate->page, &reclaims);
}

static const struct {
	const char *kernels, *proto;
	void *original;
	void (*come)(const void *replacement, struct folio *at_gate);
	const void *io;
	bool splits;
} kinds[] = {
	{ "7.3", "int(struct swap_io_ctx *", writes_ctx, come_ctx, &io, true },
	{ "6.16 to 7.2", "int(struct folio *", writes_plug, come_plug, &plug, true },
	{ "up to 6.15", "int(struct page *", writes_wbc, come_wbc, &plug, false },
};

/* A folio waits, and the next one is written directly. */
static void test_io(const struct tlbbatch_target *targets, unsigned int kind, const char *what)
{
	const struct tlbbatch_target *target = shape(targets, kinds[kind].proto);
	bool shmem = targets == tlbbatch_shmem_writeout_targets;
	void *writer = target->writer.key->func;
	struct folio folios[2];
	unsigned int i;

	tlbbatch_call_set(&target->original, (unsigned long)kinds[kind].original);
	tlbbatch_call_set(&target->writer, (unsigned long)target->write_out);
	anew(2);
	as_reclaim_asks = true;
	pass_begin(&one);
	for (i = 0; i < 2; i++) {
		folios[i] = shmem ? shmem_folio(1) : anon_folio(1);
		unmap_dirty();
		folios[i].locked = true;
		folios[i].dirty = false;
		io_seen = list_seen = NULL;
		kinds[kind].come(target->replacement, &folios[i]);
		one.stat.nr_pageout++;
	}
	ok(io_seen == kinds[kind].io, "B11: %s, %s: reclaim gathers what waited", kinds[kind].kernels,
	   what);
	if (shmem && kinds[kind].splits)
		ok(list_seen == &list, "B14: %s: reclaim's list takes what a direct write splits",
		   kinds[kind].kernels);
	if (kinds[kind].original == writes_wbc)
		ok(as_reclaim_asks, "H1: %s, %s: what waited is written as reclaim asks for it",
		   kinds[kind].kernels, what);
	io_seen = NULL;
	pass_end(&one);
	tlbbatch_call_set(&target->writer, (unsigned long)writer);
}

/* --- the pass itself: rules B13 and H1 --------------------------------------------------------- */

static const void *shrunk[6];

static unsigned int shrink_list(struct list_head *folios, struct pglist_data *node,
				struct scan_control *sc, struct reclaim_stat *stat,
				bool ignore_references, struct mem_cgroup *memcg)
{
	const void *args[] = { folios, node, sc, stat, ignore_references ? &shrunk : NULL, memcg };

	memcpy(shrunk, args, sizeof(shrunk));
	return 7;
}

static void test_pass(const char *kernels, const char *proto, unsigned int nr_args)
{
	const struct tlbbatch_target *target = shape(tlbbatch_shrink_folio_list_targets, proto);
	unsigned int (*replacement)(struct list_head *folios, struct pglist_data *node,
				    struct scan_control *sc, struct reclaim_stat *stat,
				    bool ignore_references, struct mem_cgroup *memcg) =
		target->replacement;
	static struct scan_control sc;
	const void *args[] = { &list, &sim_nodes[1], &sc, &one.stat, NULL, &group };
	unsigned int i, ret;

	tlbbatch_call_set(&target->original, (unsigned long)shrink_list);
	for (i = 0; i < 2; i++) {
		anew(8);
		current = &one.task;
		if (!tlbbatch_pass_enter(0))
			abort();
		args[4] = i ? &shrunk : NULL;
		ret = replacement(&list, &sim_nodes[1], &sc, &one.stat, i, &group);
		ok(ret == 7 && !memcmp(args, shrunk, nr_args * sizeof(*args)),
		   "H1: %s: a pass has the arguments that it was called with, and the result", kernels);
	}
}

int main(void)
{
	unsigned int i;

	world_init();
	test_callers();
	test_for_reclaim();
	test_pageout("6.12", "struct swap_iocb **, struct list_head *)", 4);
	test_pageout("6.1", "struct swap_iocb **)", 3);
	test_plug();
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		test_io(tlbbatch_swap_writeout_targets, i, "swap");
		test_io(tlbbatch_shmem_writeout_targets, i, "shmem");
	}
	test_pass("7.2 on", "bool, struct mem_cgroup *)", 6);
	test_pass("up to 7.1", "bool)", 5);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
