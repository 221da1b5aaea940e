// SPDX-License-Identifier: GPL-2.0-only
/*
 * What LUF tracking must see, in time: events, and files of which nobody can say who writes them.
 * See luf_rules.c.
 */
#include "luf_world.h"
#include "compat/uffd_compat.h"

/* --- rule L11: events, each with a file that it concerns ---------------------------------- */

static struct inode *inode_a;
/* Each struct has its own member. */
static struct vm_area_struct *moved_a[3] = { &vma_a }, *guarded_a[3] = { NULL, NULL, &vma_a };
static struct file reading = { .f_mapping = &file_a }, writing = { &file_a, FMODE_WRITE };
static struct vm_fault write_fault = { &vma_a, FAULT_FLAG_WRITE }, read_fault = { &vma_a, 0 };
static struct vm_area_struct shared_a = { &writing, VM_SHARED };
static struct folio in_a = { .mapping = &file_a, .nr = 1 },
	nowhere = { .nr = 1 }, copied = { .mapping = &file_a, .anon = true, .nr = 1 },
	swapped = { .mapping = &file_a, .swapcache = true, .nr = 1 };

/* Where an argument is a pointer to a pointer, it is where tlbbatch_member_offset() says. */
static const struct {
	const char *symbol, *proto;
	const void *a, *b, *c;
	const char *reason;
} events[] = {
	{ "finish_fault", NULL, &write_fault, NULL, NULL, "write_fault" },
	{ "finish_fault", NULL, &read_fault, NULL, NULL, NULL },
	{ "do_wp_page", NULL, &write_fault, NULL, NULL, "write_fault" },
	{ "uprobe_mmap", NULL, &shared_a, NULL, NULL, "shared_map" },
	{ "uprobe_mmap", NULL, &vma_a, NULL, NULL, NULL },
	{ "security_file_open", NULL, &writing, NULL, NULL, "written" },
	{ "security_file_open", NULL, &reading, NULL, NULL, NULL },
	{ "security_file_permission", NULL, &writing, (void *)MAY_WRITE, NULL, "written" },
	{ "security_file_permission", NULL, &writing, (void *)4, NULL, NULL },
	{ "unmap_mapping_range", NULL, &file_a, NULL, NULL, "truncated" },
	{ "unmap_mapping_pages", NULL, &file_a, NULL, NULL, "truncated" },
	{ "uprobe_munmap", NULL, &vma_a, NULL, NULL, "unmapped" },
	{ "uprobe_munmap", NULL, &vma_none, NULL, NULL, NULL },
	{ "change_protection", "unsigned long, unsigned long, unsigned long)", NULL, &vma_a, NULL,
	  "mprotect" },
	{ "change_protection", "pgprot_t", NULL, &vma_a, NULL, "mprotect" },
	{ "madvise_guard_install", NULL, guarded_a, NULL, NULL, "mprotect" },
	{ "mfill_atomic_install_pte", "int(pmd_t *, struct vm_area_struct *, unsigned long, "
	  "struct page *, uffd", NULL, &vma_a, NULL, "userfaultfd" },
	{ "mfill_atomic_install_pte", "int(pmd_t *, struct vm_area_struct *, unsigned long, "
	  "struct page *, bool", NULL, &vma_a, NULL, "userfaultfd" },
	{ "mfill_atomic_install_pte", "int(struct mm", NULL, NULL, &vma_a, "userfaultfd" },
	{ "userfaultfd_ioctl", NULL, NULL, (void *)UFFDIO_ZEROPAGE, NULL, NULL },
	{ "move_page_tables", "pagetable_move_control", moved_a, NULL, NULL, "mremap" },
	{ "move_page_tables", "bool, bool)", &vma_a, NULL, NULL, "mremap" },
	{ "move_page_tables", "long, bool)", &vma_a, NULL, NULL, "mremap" },
	{ "try_to_migrate", NULL, &in_a, NULL, NULL, "migrated" },
	{ "try_to_migrate", NULL, &copied, NULL, NULL, NULL },
	{ "try_to_migrate", NULL, &nowhere, NULL, NULL, NULL },
	{ "try_to_migrate", NULL, &swapped, NULL, NULL, NULL },
	{ "collapse_file", "enum scan_result", NULL, NULL, &reading, "collapsed" },
	{ "collapse_file", "int(", NULL, NULL, &reading, "collapsed" },
	{ "uprobe_register", "struct uprobe *(", NULL, NULL, NULL, "uprobe" },
	{ "uprobe_register", "int(", NULL, NULL, NULL, "uprobe" },
	{ "uprobe_register_refctr", NULL, NULL, NULL, NULL, "uprobe" },
};


/* Pages are reclaimed on one CPU, and each event comes on another one, far away. */
static void test_events(unsigned int reclaiming, unsigned int acting)
{
	char what[128];
	unsigned int i;

	inode_a = file_a.host;
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		bool uprobe = !strncmp(events[i].symbol, "uprobe_r", 8);

		open_both_on(reclaiming);
		sim_cpu = acting;
		call(events[i].symbol, events[i].proto,
		     (unsigned long)(uprobe ? inode_a : events[i].a), (unsigned long)events[i].b,
		     (unsigned long)events[i].c);
		sim_cpu = 0;
		snprintf(what, sizeof(what), GIVEN_UP "given_up_%s=1", events[i].reason ?: "");
		ok(came_true(events[i].reason ? what : ""), "L11: %s %s: %s", events[i].symbol,
		   events[i].proto ?: "", events[i].reason ?: "nothing is given up");
	}
}

/* userfaultfd doesn't say which file: all of tmpfs, and no other. */
static void test_any_shmem(void)
{
	static const unsigned int commands[] = { UFFDIO_ZEROPAGE, UFFDIO_POISON, UFFDIO_WAKE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		anew();
		generation(&file_a, 100, 4, ON(0) | ON(1));
		generation(&tmpfs_file, 200, 4, ON(0) | ON(1));
		forget();
		/* Of a register that holds an int only the lower half is defined. */
		CALL("userfaultfd_ioctl", 0, commands[i] | ~0UL << 32, 0);
		want("L11: userfaultfd_ioctl() concerns all of tmpfs",
		     commands[i] == UFFDIO_WAKE ? "" : GIVEN_UP "given_up_userfaultfd=1");
	}
}

/* Every event on a file of interest walks all generations. */
static void test_interest(void)
{
	anew();
	generation(&file_a, 100, 4, ON(0) | ON(1));
	ok(tlbbatch_luf_interesting(&file_a), "L11: a file is of interest in an open generation");
	both_flush_mm_a();
	tlbbatch_luf_settle();
	ok(tlbbatch_luf_interesting(&file_a), "L11: also in one that is open as posted alone");
	alloc(100, 0);
	tlbbatch_luf_settle();
	ok(!tlbbatch_luf_interesting(&file_a), "L11: but not when it has ended");
}

/* Between two files a task moves to a CPU whose holders use another table of interest. */
static void test_moved(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 1, ON(0) | ON(1));
	sim_cpu = SIM_CPUS - 1;
	unmap(&file_b, 101, 1, ON(0) | ON(1));
	flush_a();
	want("a generation with two files is open", OPENED);
	ok(tlbbatch_luf_interesting(&file_a) && tlbbatch_luf_interesting(&file_b),
	   "L11: both files are of interest");
	alloc(100, 0);
	tlbbatch_luf_settle();
	ok(!tlbbatch_luf_interesting(&file_a) && !tlbbatch_luf_interesting(&file_b),
	   "L11: a task that moves between two files gives the interest in both back");
	sim_cpu = 0;
}

/* The file is in no other generation than one of many. */
static void test_many_files(void)
{
	static struct address_space files[TLBBATCH_LUF_FILES + 1];
	unsigned int i, last;

	for (last = 0; last < TLBBATCH_LUF_FILES; last++) {
		anew();
		current = &reclaimer;
		pass_begin();
		for (i = 0; i < TLBBATCH_LUF_FILES; i++) {
			files[i] = file_a;
			unmap(&files[i], 100 + i, 1, ON(0) | ON(1));
		}
		flush();
		pass_end();
		current = &admin;
		want("eight files are in a generation", "generation=1 open=1 open_as_posted=1");
		CALL("unmap_mapping_pages", &files[last], 0, 0);
		want("L11: an event on any of them gives it up", GIVEN_UP "given_up_truncated=1");
		if (last)
			continue;
		CALL("unmap_mapping_pages", &files[1], 0, 0);
		want("L8: it is given up once", "");
	}
	anew();
	current = &reclaimer;
	pass_begin();
	for (i = 0; i <= TLBBATCH_LUF_FILES; i++) {
		files[i] = file_a;
		unmap(&files[i], 100 + i, 1, ON(0) | ON(1));
	}
	flush();
	pass_end();
	current = &admin;
	want("L14: nine files don't fit", "generation=1 untracked=1 untracked_as_posted=1");
	ok(!sim_events("luf_begin") && !sim_events("luf_end"), "E1: of what isn't tracked no event tells");
	anew();
	current = &reclaimer;
	pass_begin();
	for (i = 0; i + 1 < TLBBATCH_LUF_FILES; i++) {
		files[i] = tmpfs_file;
		unmap(&files[i], 100 + i, 1, ON(0) | ON(1));
	}
	flush();
	pass_end();
	current = &admin;
	want("L14: files of tmpfs take one place each, and one for all of tmpfs", OPENED);
}

/* --- rules L12 and L13 ---------------------------------------------------------------------- */

static void open_a_for_writing(void)
{
	file_a.host->writers++;
	CALL("security_file_open", &writing, 0, 0);
}

static void test_early(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	truncate_a();
	flush_a();
	want("L12: an event between an unmap and its flush", BORN_HIT);
	current = &reclaimer;
	pass_begin();
	unmap(&file_b, 200, 4, ON(0) | ON(1));
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	truncate_a();
	flush_a();
	want("L12: on the second of two files", BORN_HIT);
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	sim_at_look = truncate_a;
	flush_a();
	want("L12: while the generation is made, behind the first look", BORN_HIT);
	open_both();
	current = &reclaimer;
	pass_begin();
	unmap(&file_b, 300, 4, ON(0) | ON(1));
	unmap(&file_a, 310, 4, ON(0) | ON(1));
	sim_at_look = truncate_a;
	flush_a();
	want("L12: then an older generation of its other file stays open",
	     "generation=1 open=-1 open_as_posted=-1 given_up=2 given_up_as_posted=2 "
	     "given_up_truncated=1 given_up_early=1");
	/* The event has looked for passes, and not for generations yet. */
	generation(&file_b, 300, 4, ON(0) | ON(1));
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	current = &admin;
	forget();
	sim_at_barrier = flush_a;
	truncate_a();
	want("L12: a generation that is made in the middle of an event", BORN_HIT);
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush();
	unmap(&file_b, 110, 4, ON(0) | ON(1));
	current = &admin;
	forget();
	truncate_a();
	want("an event on a file that was flushed already", GIVEN_UP "given_up_truncated=1");
	flush_a();
	want("L12: doesn't hit the pass", "generation=1 open=1 open_as_posted=1");
	/* Nothing was left to flush of one file. */
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, 0);
	unmap(&file_b, 110, 4, ON(0) | ON(1));
	truncate_a();
	flush_a();
	want("L12: nor does one on a file of which nothing was to be flushed",
	     "generation=1 open=1 open_as_posted=1");
	sim_at_writers = open_a_for_writing;
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush_a();
	file_a.host->writers = 0;
	want("L13: who opens it right behind the look is seen", BORN_HIT);
}

/* What another CPU did before a full barrier, or does when that CPU looks behind its own. */
static void test_barriers(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	sim_at_barrier = truncate_a;
	flush_a();
	sim_at_barrier = NULL;
	want("L12: an event finds the generation behind the barrier, before the second look",
	     STILLBORN "given_up_truncated=1");
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 1, 0);
	sim_at_barrier = open_a_for_writing;
	unmap(&file_a, 101, 1, ON(0) | ON(1));
	flush_a();
	sim_at_barrier = NULL;
	file_a.host->writers = 0;
	want("L13: who opens a file that is held already is seen, too", BORN_HIT);
}

static void test_writers(void)
{
	static const struct {
		struct address_space *file;
		const char *reason, *name;
	} cases[] = {
		{ &file_a, NULL, "ext4" }, { &tmpfs_file, NULL, "tmpfs" },
		{ &ramfs_file, NULL, "ramfs" }, { &device, NULL, "a device that nobody holds" },
		{ &memfd, "open_write", "a memfd" }, { &fuse_file, "remote", "FUSE" },
		{ &nfs_file, "remote", "NFS" }, { &gfs2_file, "remote", "GFS2" },
		{ &ocfs2_file, "remote", "OCFS2" },
	};
	char what[128];
	unsigned int i;
	s64 before;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		anew();
		generation(cases[i].file, 100, 4, ON(0) | ON(1));
		snprintf(what, sizeof(what), STILLBORN "given_up_%s=1", cases[i].reason ?: "");
		ok(came_true(cases[i].reason ? what : "generation=1 open=1 open_as_posted=1"),
		   "L13: %s: %s", cases[i].name, cases[i].reason ?: "tracked");
	}
	anew();
	device.host->device.bd_holder = &i;
	generation(&device, 100, 4, ON(0) | ON(1));
	device.host->device.bd_holder = NULL;
	want("L13: a device that somebody holds", STILLBORN "given_up_remote=1");
	before = stat_of("given_up_open_write");
	file_a.host->writers = 1;
	current = &reclaimer;
	pass_begin();
	unmap(&file_b, 200, 1, ON(0) | ON(1));
	unmap(&file_a, 100, 1, ON(0) | ON(1));
	unmap(&file_b, 201, 1, ON(0) | ON(1));
	flush_a();
	want("L13: one of two files is open for writing", STILLBORN "given_up_open_write=1");
	/* The same task keeps its files from one flush to the next. */
	file_a.host->writers = 0;
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 102, 1, 0);
	file_a.host->writers = 1;
	unmap(&file_a, 103, 1, ON(0) | ON(1));
	flush_a();
	file_a.host->writers = 0;
	forget();
	ok_int(stat_of("given_up_open_write") - before, 2, "L13: also if nothing was to be flushed before");
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 1, ON(0) | ON(1));
	flush();
	file_a.host->writers = 1;
	unmap(&file_a, 101, 1, ON(0) | ON(1));
	flush_a();
	file_a.host->writers = 0;
	want("L13: it is asked for each flush", "generation=2 open=1 open_as_posted=1 given_up=1 "
	     "given_up_as_posted=1 given_up_open_write=1");
}

/* Files of unmaps that are flushed already, or left nothing to flush. */
static void test_stale(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 1, 0);
	unmap(&file_a, 101, 1, ON(0) | ON(1));
	unmap(&file_b, 110, 1, ON(0) | ON(1));
	flush_a();
	want("L12: of two files the first had an unmap that left nothing to flush", OPENED);
	truncate_a();
	want("L12: the generation has both", GIVEN_UP "given_up_truncated=1");
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 1, 0);
	current->tlb_ubc.flush_required = false;
	unmap(&file_b, 110, 1, ON(0) | ON(1));
	unmap(&file_a, 111, 1, ON(0) | ON(1));
	current->tlb_ubc = (struct tlbflush_unmap_batch){ };
	unmap(&file_a, 112, 1, ON(0) | ON(1));
	CALL("unmap_mapping_pages", &file_b, 0, 0);
	flush_a();
	want("L12: an event on a file whose unmaps are flushed doesn't hit the pass", OPENED);
}

/* When a flush makes no generation, its files are of no interest any more. */
static void test_no_interest(void)
{
	unsigned int mixed;

	for (mixed = 0; mixed < 2; mixed++) {
		anew();
		file_a.host->writers = !mixed;
		current = &reclaimer;
		pass_begin();
		unmap(&file_a, 103, 1, ON(0) | ON(1));
		if (mixed)
			unmap(NULL, 104, 1, ON(0) | ON(1));
		flush_a();
		file_a.host->writers = 0;
		ok(!tlbbatch_luf_interesting(&file_a), "L11: a %s flush leaves no interest",
		   mixed ? "mixed" : "read-only");
	}
	forget();
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	test_events(0, SIM_CPUS - 1);
	test_events(SIM_CPUS - 1, 0);
	test_any_shmem();
	test_interest();
	test_moved();
	test_many_files();
	test_early();
	test_barriers();
	test_writers();
	test_stale();
	test_no_interest();
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
