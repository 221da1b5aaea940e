// SPDX-License-Identifier: GPL-2.0-only
/*
 * luf_oracle - what LUF tracking must say, where the right answer is known
 *
 * Each scenario makes files, processes that map them, and generations; does one
 * thing to them; and compares every counter that says what became of a generation
 * with what must have, to the last one. As root, with CPUs 0 to 3, the module
 * loaded, and little else going on.
 *
 * Prints what moved after each step, then "result=pass" (exit code 0), "result=wrong"
 * (1), or "skip=REASON" (5) where this machine can't make the scenario.
 */
#include "events.h"
#include "scenarios.h"
#include "scene.h"

#define TIMEOUT_SECONDS	120

static const struct scenario {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{ "private", run_private },
	{ "private_writable", run_private_writable },
	{ "open_write", run_open_write },
	{ "shared", run_shared },
	{ "shared_may", run_shared_may },
	{ "shared_writable", run_shared_writable },
	{ "mprotected", run_mprotected },
	{ "other_writable", run_other_writable },
	{ "written", run_written },
	{ "shmem_clean", run_shmem_clean },
	{ "shmem_writable", run_shmem_writable },
	{ "forked", run_forked },
	{ "hold", run_hold },
	{ "kept", run_kept },
	{ "flush", run_flush },
	{ "asleep", run_asleep },
	{ "asleep_one", run_asleep_one },
	{ "flush_pending", run_flush_pending },
	{ "flush_other", run_flush_other },
	{ "flush_many", run_flush_many },
	{ "partial", run_partial },
	{ "reuse_one", run_reuse_one },
	{ "reuse_all", run_reuse_all },
	{ "reuse_apart", run_reuse_apart },
	{ "reuse_many", run_reuse_many },
	{ "write_many", run_write_many },
	{ "bulk", run_bulk },
	{ "bulk_held", run_bulk_held },
	{ "bulk_untold", run_bulk_untold },
	{ "bulk_kprobes", run_bulk_kprobes },
	{ "compact", run_compact },
	{ "remote_device", run_remote_device },
	{ "device_write", run_device_write },
	{ "device_map", run_device_map },
	{ "memfd", run_memfd },
	{ "remote_fuse", run_remote_fuse },
	{ "early", run_early },
	{ "early_other", run_early_other },
	{ "memory", run_memory },
	{ "sleepers", run_sleepers },
	{ "anon", run_anon },
	{ "mixed_pass", run_mixed_pass },
};

static void usage(void)
{
	die_usage("luf_oracle [--dir DIR] [--device BLOCK] NAME | --list");
}

static void list(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		printf("%s\n", scenarios[i].name);
	for (i = 0; i < events_nr; i++)
		printf("event:%s\n", events[i].name);
}

static void run(const char *name)
{
	bool is_event = !strncmp(name, "event:", 6);
	size_t i;

	for (i = 0; !is_event && i < ARRAY_SIZE(scenarios); i++) {
		if (!strcmp(name, scenarios[i].name)) {
			scenarios[i].run();
			return;
		}
	}
	for (i = 0; is_event && i < events_nr; i++) {
		if (!strcmp(name + 6, events[i].name)) {
			run_event(&events[i]);
			return;
		}
	}
	die_usage("there is no scenario '%s'", name);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "device", required_argument, NULL, 'b' },
		{ "list", no_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'd':
			scene_dir = optarg;
			break;
		case 'b':
			scene_device = optarg;
			break;
		case 'l':
			list();
			return STRESS_OK;
		default:
			usage();
		}
	}
	if (optind != argc - 1)
		usage();
	start_watchdog(TIMEOUT_SECONDS);
	scene_paths(scene_dir);
	cushion_make();
	atexit(files_remove);
	if (!luf_tracks())
		luf_mode("track");
	/* What someone else left open would complete in the middle. */
	if (luf_read("open"))
		die_environment("there are open generations");
	/* Nor would what only the posted series hasn't decided count as this one's. */
	if (luf_read("open_as_posted")) {
		luf_mode("off");
		luf_mode("track");
	}
	luf_snapshot(&luf_last);
	run(argv[optind]);
	cells_end();
	printf("result=%s\n", luf_wrong ? "wrong" : "pass");
	return luf_wrong ? STRESS_DATA_ERROR : STRESS_OK;
}
