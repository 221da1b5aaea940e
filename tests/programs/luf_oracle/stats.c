// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of LUF tracking, and what a scenario expects of them. Their names come from
 * the module's own list.
 *
 * They are compared as differences between two moments. Counters that say what became of a
 * generation must have exactly the expected values. Those that a scenario doesn't name must
 * not have moved.
 */
#include "stats.h"
#include "module.h"

static const char *const luf_names[] = {
	"generation",
	"open",
	"open_as_posted",
	/* Sums of the counters below. */
	"stats/flushes_luf",
	"stats/flushes_avoided",
	"stats/flushes_luf_as_posted",
	"stats/flushes_avoided_as_posted",
	/* From here on the module's own. */
#define X(upper, lower) "stats/" #lower,
	LUF_COUNTERS(X)
#undef X
};

#define LUF_NR		ARRAY_SIZE(luf_names)
#define LUF_OWN		7U

_Static_assert(LUF_NR <= LUF_MAX, "room for each value");
_Static_assert(LUF_NR - LUF_OWN == TLBBATCH_LUF_NR_COUNTERS,
	       "the others are as many as said");

/* The module's number of a counter, or a number that no counter has. */
static size_t number_of(size_t i)
{
	return i < LUF_OWN ? TLBBATCH_LUF_NR_COUNTERS : i - LUF_OWN;
}

static bool is_reason(size_t i)
{
	return number_of(i) >= TLBBATCH_LUF_GIVEN_UP_KEPT &&
	       number_of(i) < TLBBATCH_LUF_GIVEN_UP_KEPT + TLBBATCH_LUF_NR_REASONS;
}

/* Counters that say what became of a generation. They are zero unless a scenario names them. */
static bool is_exact(size_t i)
{
	switch (number_of(i)) {
	case TLBBATCH_LUF_PASSES_UNSEEN:
	case TLBBATCH_LUF_SAVED:
	case TLBBATCH_LUF_NEEDED:
	case TLBBATCH_LUF_UNTRACKED:
		return true;
	}
	/* The first two: how many there are, and how many are open. */
	return i < 2 || is_reason(i);
}

int luf_wrong;
struct luf luf_last;

size_t luf_index(const char *name)
{
	size_t i;

	for (i = 0; i < LUF_NR; i++) {
		const char *base = strrchr(luf_names[i], '/');

		base = base ? base + 1 : luf_names[i];
		if (!strcmp(base, name) ||
		    (!strncmp(base, "generations_", 12) &&
		     !strcmp(base + 12, name)))
			return i;
	}
	die_environment("no counter is called '%s'", name);
}

int64_t luf_read(const char *name)
{
	char path[128], text[32];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), LUF_DIR "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (got <= 0)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
	text[got] = 0;
	return (int64_t)strtoull(text, NULL, 10);
}

/*
 * A read notices completed generations. When a read finds nothing new, all values belong to
 * one moment.
 */
void luf_snapshot(struct luf *now)
{
	unsigned int tries = 10;
	struct luf before;
	size_t i;

	memset(now, 0, sizeof(*now));
	do {
		before = *now;
		for (i = 0; i < LUF_NR; i++)
			now->value[i] = luf_read(luf_names[i]);
	} while (memcmp(&before, now, sizeof(before)) && --tries);
	if (!tries)
		die_environment("the counters don't come to rest");
}

void luf_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die_environment("'%s' to %s: %s", text, path, strerror(errno));
	close(fd);
}

void luf_mode(const char *mode)
{
	luf_write(LUF_DIR "mode", mode);
}

bool luf_tracks(void)
{
	char text[32] = "";
	int fd = open(LUF_DIR "mode", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die_environment(LUF_DIR "mode: %s", strerror(errno));
	close(fd);
	return strstr(text, "[track]");
}

void luf_compare(const char *when, size_t i, int64_t got, int64_t wanted)
{
	if (got == wanted)
		return;
	say(STDOUT_FILENO, "wrong: %s: %s is %+" PRId64 ", wanted %+" PRId64 "\n",
	    when, luf_names[i], got, wanted);
	luf_wrong++;
}

/* Relations between the counters that hold at rest, whatever happened. */
void luf_relations(const char *when, const struct luf *now)
{
	const int64_t *v = now->value;
	int64_t given_up = 0;
	size_t i;

	for (i = 0; i < LUF_NR; i++)
		given_up += is_reason(i) ? v[i] : 0;
	luf_compare(when, luf_index("given_up"), v[luf_index("given_up")],
		    given_up);
	luf_compare(when, luf_index("flushes_luf"), v[luf_index("flushes_luf")],
		    v[luf_index("needed")] + given_up);
	luf_compare(when, luf_index("flushes_avoided"),
		    v[luf_index("flushes_avoided")], v[luf_index("saved")]);
	luf_compare(when, 0, v[0], v[luf_index("saved")] +
		    v[luf_index("needed")] + v[luf_index("untracked")] +
		    given_up + v[luf_index("open")]);
	luf_compare(when, luf_index("flushes_luf_as_posted"),
		    v[luf_index("flushes_luf_as_posted")],
		    v[luf_index("needed_as_posted")] +
		    v[luf_index("given_up_as_posted")]);
	luf_compare(when, luf_index("flushes_avoided_as_posted"),
		    v[luf_index("flushes_avoided_as_posted")],
		    v[luf_index("saved_as_posted")]);
	luf_compare(when, 0, v[0], v[luf_index("saved_as_posted")] +
		    v[luf_index("needed_as_posted")] +
		    v[luf_index("untracked_as_posted")] +
		    v[luf_index("given_up_as_posted")] +
		    v[luf_index("open_as_posted")]);
	/* An interrupt that wasn't sent can't be avoided. */
	if (v[luf_index("ipis_avoided")] > v[luf_index("ipis")] ||
	    v[luf_index("ipis_avoided_as_posted")] > v[luf_index("ipis")]) {
		say(STDOUT_FILENO, "wrong: %s: more interrupts avoided than sent\n",
		    when);
		luf_wrong++;
	}
}

/**
 * luf_want() - what happened since the last call must be exactly this
 * @when:	what was done, for the message
 * @format:	"name=difference ...", as for printf; what isn't named there
 *		is 0, if it says what became of a generation
 *
 * Prints what moved, and a line for each counter that is wrong.
 */
void luf_want(const char *when, const char *format, ...)
{
	int64_t wanted[LUF_NR] = { 0 };
	bool named[LUF_NR] = { false };
	char text[512], line[512], *word, *rest = NULL;
	size_t used = 0, i;
	struct luf now;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (word = strtok_r(text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(word, '=');

		if (!equals)
			die_environment("'%s' is no name=number", word);
		*equals = 0;
		i = luf_index(word);
		wanted[i] = strtoll(equals + 1, NULL, 10);
		named[i] = true;
	}

	luf_snapshot(&now);
	line[0] = 0;
	for (i = 0; i < LUF_NR; i++) {
		int64_t moved = now.value[i] - luf_last.value[i];

		if (moved && used < sizeof(line))
			used += (size_t)snprintf(line + used, sizeof(line) - used,
						 " %s=%" PRId64, luf_names[i],
						 moved);
	}
	say(STDOUT_FILENO, "%s:%s\n", when, line);
	for (i = 0; i < LUF_NR; i++)
		if (named[i] || is_exact(i))
			luf_compare(when, i, now.value[i] - luf_last.value[i],
				    wanted[i]);
	luf_relations(when, &now);
	luf_last = now;
}
