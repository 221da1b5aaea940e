// SPDX-License-Identifier: GPL-2.0-only
/* What compat/ makes of the arguments of each kernel's write-outs (rules B11, B15 and B16). */
#include <sys/wait.h>
#include <unistd.h>
#include "batch_world.h"
#include "compat/reclaim_shapes.h"
#include "compat/writeout_shapes.h"

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
static bool waits_for(struct writeback_control *wbc)
{
	const struct tlbbatch_target *target =
		shape(tlbbatch_swap_writeout_targets, "int(struct page *");
	int (*replacement)(struct page *page, struct writeback_control *wbc) = target->replacement;
	struct folio at_gate = anon_folio(1);
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
	ok(waits_for(&reclaims), "B18: up to 6.15: what is written for reclaim waits");
	ok(!waits_for(&drivers), "B18: up to 6.15: but not for anybody else");
}

/* --- rule B16: files, and what is in none ------------------------------------------------- */

static int pageout(void)
{
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
	int nr;

	anew(8);
	pass_begin(&one);
	unmap_dirty();
	replacement(&folio, mapping, &plug, &list);
	nr = world.flushes;
	pass_end(&one);
	return nr;
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

static void test_pageout(const char *kernels, const char *proto)
{
	pageout_target = shape(tlbbatch_pageout_targets, proto);
	tlbbatch_call_set(&pageout_target->original, (unsigned long)pageout);
	folio = anon_folio(1);
	ok(flushes_if_alive(&file) == 1, "B16: %s: a file's folio is flushed first", kernels);
	ok(flushes_if_alive(&unwritten) == 1, "B16: %s: so is one whose file has no writer", kernels);
	ok(flushes_if_alive(NULL) == 1, "B16: %s: so is one without a mapping", kernels);
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

int main(void)
{
	world_init();
	test_callers();
	test_for_reclaim();
	test_pageout("6.12", "struct swap_iocb **, struct list_head *)");
	test_pageout("6.1", "struct swap_iocb **)");
	test_plug();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
