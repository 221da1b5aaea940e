// SPDX-License-Identifier: GPL-2.0-only
/*
 * breaks - print the number of a rule that a debug build can take out
 *
 *	breaks luf|dirty NAME		for the parameters luf_break and dirty_break
 */
#include "common.h"
#include "module.h"

#define X(upper, lower) #lower,
static const char *const luf_names[] = { LUF_BREAKS(X) };
static const char *const dirty_names[] = { DIRTY_BREAKS(X) };
#undef X

int main(int argc, char **argv)
{
	bool luf = argc == 3 && !strcmp(argv[1], "luf");
	const char *const *names = luf ? luf_names : dirty_names;
	size_t nr = luf ? ARRAY_SIZE(luf_names) : ARRAY_SIZE(dirty_names), i;

	if (!luf && (argc != 3 || strcmp(argv[1], "dirty")))
		die_usage("breaks luf|dirty NAME");
	for (i = 0; i < nr; i++) {
		if (!strcmp(argv[2], names[i])) {
			printf("%zu\n", i);
			return STRESS_OK;
		}
	}
	die_usage("there is no rule '%s'", argv[2]);
}
