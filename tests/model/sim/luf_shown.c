// SPDX-License-Identifier: GPL-2.0-only
/* LUF tracking's files: a read accounts for all that has happened up to then. Rules L8 and L9. */
#include "luf_world.h"
#include "core/counters.h"
#include "luf/luf_check.h"
#include "luf/luf_counters.h"
#include "luf/luf_defer.h"

/* Deferral has files of its own there. */
struct kobj_attribute tlbbatch_defer_held_attr = { .attr = { "held", 0444 } };
struct kobj_attribute tlbbatch_luf_check_attr = { .attr = { "check", 0644 } };

/* A file of luf/ or luf/stats/ with this name. */
static struct kobj_attribute *file(const char *name)
{
	const struct tlbbatch_files *files = &tlbbatch_luf_sysfs_files;
	struct attribute *const *attr;
	unsigned int i;

	for (attr = files->group->attrs; *attr; attr++)
		if (!strcmp((*attr)->name, name))
			return (struct kobj_attribute *)*attr;
	for (i = 0; files->derived[i]; i++)
		if (!strcmp(files->derived[i]->attr.name, name))
			return files->derived[i];
	abort();
}

/* Knobs, and what tells only of the module, are for everybody to read. */
static unsigned int mode_of(const char *name)
{
	static const char *const knobs[] = { "mode", "batch", "age_ms", "check" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++)
		if (!strcmp(name, knobs[i]))
			return 0644;
	return strcmp(name, "held") ? 0400 : 0444;
}

static long long number(const char *name)
{
	struct kobj_attribute *attr = file(name);
	char text[64];

	attr->show(NULL, attr, text);
	return atoll(text);
}

static void covered(void)
{
	atomic_set(&mm_a.tlb_flush_batched, 5);
	pending_flush(&mm_a, 0);
	both_flush_mm_a();
	atomic_set(&mm_a.tlb_flush_batched, 0);
}

static void used(void)
{
	alloc(100, 0);
}

/* What is the first to be read then, and by how much it has grown. */
static const struct {
	const char *file;
	void (*happens)(void);
	int grows;
} reads[] = {
	{ "flushes_avoided", covered, 1 },
	{ "flushes_avoided_as_posted", covered, 1 },
	{ "flushes_luf", used, 1 },
	{ "flushes_luf_as_posted", used, 1 },
	{ "open", covered, -1 },
	{ "open_as_posted", covered, -1 },
	{ "open", used, -1 },
	{ "open_as_posted", used, -1 },
};

static void test_reads(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		long long before;

		open_one();
		before = number(reads[i].file);
		reads[i].happens();
		ok_int(number(reads[i].file) - before, reads[i].grows, reads[i].file);
		anew();
	}
}

static void test_mode(void)
{
	struct kobj_attribute *mode = file("mode");
	char text[64];

	mode->show(NULL, mode, text);
	ok_str(text, "off [track] defer\n", "the mode");
	ok_int(mode->store(NULL, mode, "off\n", 4), 4, "a mode that there is");
	mode->show(NULL, mode, text);
	ok_str(text, "[off] track defer\n", "that one");
	ok_int(mode->store(NULL, mode, "tracks\n", 7), -EINVAL, "a mode that there isn't");
	ok_int(mode->store(NULL, mode, "track\0off", 9), -EINVAL, "a mode with something behind it");
	mode->show(NULL, mode, text);
	ok_str(text, "[off] track defer\n", "then nothing changes");
	ok_int(mode->store(NULL, mode, "track", 5), 5, "the other mode");
	ok_int(number("open"), 0, "nothing is open");
	current->killed = true;
	ok_int(mode->store(NULL, mode, "off\n", 4), -EINTR, "who is killed is told so");
	current->killed = false;
	mode->show(NULL, mode, text);
	ok_str(text, "off [track] defer\n", "and changes nothing");
}

static const char *const sums[] = {
	"flushes_luf", "flushes_luf_as_posted", "flushes_avoided", "flushes_avoided_as_posted",
	"generation", "open", "open_as_posted" };

/* Covered in the eyes of an ideal LUF, and not in those of the posted series. */
static void open_as_posted_alone(void)
{
	generation(&file_a, 100, 4, ON(0) | ON(1));
	both_flush_mm_a();
	tlbbatch_luf_settle();
}

static void test_sums(void)
{
	static const int grows[] = { 1, 3, 4, 1, 5, 0, 1 };
	long long before[ARRAY_SIZE(sums)];
	unsigned int i;

	anew();
	for (i = 0; i < ARRAY_SIZE(sums); i++)
		before[i] = number(sums[i]);
	generation(&file_a, 100, 4, ON(0) | ON(1));
	truncate_a();
	open_as_posted_alone();
	truncate_a();
	open_as_posted_alone();
	alloc(100, 0);
	release(0, SIM_FRAMES);
	generation(&file_a, 100, 4, ON(0) | ON(1));
	covered();
	tlbbatch_luf_settle();
	open_as_posted_alone();
	for (i = 0; i < ARRAY_SIZE(sums); i++)
		ok_int(number(sums[i]) - before[i], grows[i], sums[i]);
	anew();
}

/* The files of the counters have no code of their own. */
static void test_counters(void)
{
	const struct tlbbatch_files *files = &tlbbatch_luf_sysfs_files;
	struct attribute *const *attr;
	unsigned int i;
	s64 before;

	open_one();
	before = stat_of("generations_saved");
	covered();
	if (files->settle)
		files->settle();
	ok_int(stat_of("generations_saved") - before, 1, "L8: a counter is read when all is settled");
	ok_int(files->counters->nr, TLBBATCH_LUF_NR_COUNTERS, "each counter has a file");
	ok_int(files->mode, 0400, "for root alone");
	for (attr = files->group->attrs; *attr; attr++)
		ok_int((*attr)->mode, mode_of((*attr)->name), (*attr)->name);
	for (i = 0; files->derived[i]; i++)
		ok_int(files->derived[i]->attr.mode, 0400, files->derived[i]->attr.name);
	anew();
}

/* --- rule H13: unload --------------------------------------------------------------- */

static void test_unload(void)
{
	unsigned long began = jiffies;

	open_one();
	sim_forget();
	world_stuck = 2;
	current->killed = true;
	tlbbatch_luf_unload();
	current->killed = false;
	ok_int(tlbbatch_luf_mode(), TLBBATCH_LUF_MODE_OFF, "H13: unload ends with tracking off");
	ok(!world_stuck && jiffies - began == 2 * 5 * HZ,
	   "H13: while ftrace doesn't let go it tries again, every five seconds");
	ok_int(sim_allocated(), 0, "H13: and all memory is given back");
	ok(sim_in_order("on_hit:nothing", "cancel_work"), "H13: nobody tells of a breach any more, or is about to");
	track(true);
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	test_reads();
	test_mode();
	test_sums();
	test_counters();
	test_unload();
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
