/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TAP for tests in C. Each ok*() prints one line. main() ends with "return tap_done();",
 * which prints the plan. A program that dies before that has no plan, and so fails.
 */
#ifndef TLBBATCH_TAP_H
#define TLBBATCH_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_nr, tap_nr_failed;

/*
 * Prints one result. A format and its arguments make its name, as for printf. Evaluates to
 * @good.
 */
#define ok(good, ...) ({						\
	bool _tap_good = (good);					\
									\
	printf("%sok %d - ", _tap_good ? "" : "not ", ++tap_nr);	\
	printf(__VA_ARGS__);						\
	printf("\n");							\
	fflush(stdout);							\
	tap_nr_failed += !_tap_good;					\
	_tap_good; })

static inline void ok_int(long long got, long long want, const char *name)
{
	if (!ok(got == want, "%s", name))
		printf("# got %lld, want %lld\n", got, want);
}

static inline void ok_str(const char *got, const char *want, const char *name)
{
	if (!ok(!strcmp(got, want), "%s", name))
		printf("# got  \"%s\"\n# want \"%s\"\n", got, want);
}

/* Prints one result that can't be had here, and why. */
static inline void skip(const char *name, const char *reason)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_nr, name, reason);
}

/* The whole program can't run here: "return skip_all(reason);" before any result. */
static inline int skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	return EXIT_SUCCESS;
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_nr);
	fflush(stdout);
	return tap_nr_failed || !tap_nr ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif /* TLBBATCH_TAP_H */
