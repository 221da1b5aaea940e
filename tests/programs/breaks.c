// SPDX-License-Identifier: GPL-2.0-only
/*
 * breaks - print the number of a rule that a debug build can take out
 *
 *	breaks luf|dirty|wide|shootdown|advise|hold|defer NAME	for the parameters luf_break, dirty_break, ...
 */
#include "common.h"
#include "module.h"

#define X(upper, lower) #lower,
static const char *const luf_names[] = { LUF_BREAKS(X) };
static const char *const dirty_names[] = { DIRTY_BREAKS(X) };
static const char *const wide_names[] = { WIDE_BREAKS(X) };
static const char *const shootdown_names[] = { SHOOTDOWN_BREAKS(X) };
static const char *const advise_names[] = { ADVISE_BREAKS(X) };
static const char *const hold_names[] = { HOLD_BREAKS(X) };
static const char *const defer_names[] = { DEFER_BREAKS(X) };
#undef X

static const struct {
	const char *feature;
	const char *const *names;
	size_t nr;
} lists[] = {
	{ "luf", luf_names, ARRAY_SIZE(luf_names) },
	{ "dirty", dirty_names, ARRAY_SIZE(dirty_names) },
	{ "wide", wide_names, ARRAY_SIZE(wide_names) },
	{ "shootdown", shootdown_names, ARRAY_SIZE(shootdown_names) },
	{ "advise", advise_names, ARRAY_SIZE(advise_names) },
	{ "hold", hold_names, ARRAY_SIZE(hold_names) },
	{ "defer", defer_names, ARRAY_SIZE(defer_names) },
};

int main(int argc, char **argv)
{
	size_t list, i;

	if (argc != 3)
		die_usage("breaks luf|dirty|wide|shootdown|advise|hold|defer NAME");
	for (list = 0; list < ARRAY_SIZE(lists); list++) {
		if (strcmp(argv[1], lists[list].feature))
			continue;
		for (i = 0; i < lists[list].nr; i++) {
			if (!strcmp(argv[2], lists[list].names[i])) {
				printf("%zu\n", i);
				return STRESS_OK;
			}
		}
	}
	die_usage("there is no rule '%s' of '%s'", argv[2], argv[1]);
}
