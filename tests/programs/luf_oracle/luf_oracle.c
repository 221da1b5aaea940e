// SPDX-License-Identifier: GPL-2.0-only
/*
 * luf_oracle - compare what LUF tracking says with the known right answer
 *
 * Each scenario makes files, processes that map them, and generations. It does one thing to
 * them. Then it compares every counter that says what became of a generation with the exact
 * value that it must have. Run it as root, with CPUs 0 to 3, the module loaded, and little
 * else going on.
 *
 * Prints what moved after each step, then "result=pass" (exit code 0), "result=wrong"
 * (1), or "skip=REASON" (5) where this machine can't make the scenario.
 */
#include "events.h"
#include "module.h"
#include "scenarios.h"
#include "scene.h"

#define TIMEOUT_SECONDS	600

#define WITHOUT(rule)	(1U << TLBBATCH_LUF_BREAK_##rule)

static const struct scenario {
	const char *name;
	void (*run)(void);
	enum place place;
	unsigned int wrong;
} scenarios[] = {
#define X(name, place, wrong) { #name, run_##name, place, wrong },
	SCENARIOS(X)
#undef X
};

static const char *const places[] = {
	[PLAIN] = "plain",
	[SWAP] = "swap",
	[UNTOLD] = "untold",
	[LOUD] = "loud",
};

/* The rules that luf_break can take out, as the negative controls name them. */
static const struct {
	enum tlbbatch_luf_break rule;
	const char *name;
} rules[] = {
	{ TLBBATCH_LUF_BREAK_REUSE, "reuse" },
	{ TLBBATCH_LUF_BREAK_LOOK, "the look" },
	{ TLBBATCH_LUF_BREAK_EVENTS, "events" },
	{ TLBBATCH_LUF_BREAK_ECHO, "leaving out LUF's own flushes" },
	{ TLBBATCH_LUF_BREAK_READONLY, "rule L2" },
	{ TLBBATCH_LUF_BREAK_PARTIAL, "a full flush" },
	{ TLBBATCH_LUF_BREAK_LAZY, "leaving out lazy CPUs" },
	{ TLBBATCH_LUF_BREAK_SLEEPERS, "seeing that a pass is over" },
	{ TLBBATCH_LUF_BREAK_POSTED, "telling who notices a flush" },
	{ TLBBATCH_LUF_BREAK_BULK, "what bulk allocations tell" },
};

static void usage(void)
{
	die_usage("luf_oracle [--dir DIR] [--device BLOCK] NAME | --list [plain|swap|untold|loud [RULE]] | --rules");
}

static enum place place_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (!strcmp(name, places[i]))
			return i;
	die_usage("there are no scenarios called '%s'", name);
}

/*
 * Two kinds of events show no rule, since they are right whatever is taken out: a harmless
 * event gives up nothing, and what is open when tracking ends is given up.
 */
static bool shows_rule(const struct event *event)
{
	return event->reason && strcmp(event->reason, "off");
}

/*
 * Lists all scenarios, or those of a place, or those of a place that go wrong without a
 * given rule.
 */
static void list(const char *place, const char *rule)
{
	unsigned int wrong = rule ? 1U << parse_number("rule", rule, 1, 31) : 0;
	enum place where = place ? place_of(place) : PLAIN;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		if ((!place || scenarios[i].place == where) &&
		    (!rule || scenarios[i].wrong & wrong))
			printf("%s\n", scenarios[i].name);
	for (i = 0; i < events_nr; i++)
		if (where == PLAIN && (!rule || (wrong == WITHOUT(EVENTS) &&
						 shows_rule(&events[i]))))
			printf("event:%s\n", events[i].name);
}

static void list_rules(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		printf("%u %s\n", rules[i].rule, rules[i].name);
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
		{ "rules", no_argument, NULL, 'r' },
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
			if (argc - optind > 2)
				usage();
			list(argv[optind], optind < argc ? argv[optind + 1] : NULL);
			return STRESS_OK;
		case 'r':
			list_rules();
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
	/* A generation that someone else left open would complete in the middle of the scenario. */
	if (luf_read("open"))
		die_environment("there are open generations");
	/*
	 * One that only the posted series hasn't decided must not count as this scenario's
	 * either.
	 */
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
