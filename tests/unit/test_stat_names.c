// SPDX-License-Identifier: GPL-2.0-only
/* Does a counter's file have the name of its enumerator? */
#include <ctype.h>
#include <string.h>
#include <tlbbatch/batch_stats.h>
#include <tlbbatch/luf_stats.h>
#include <tlbbatch/wide_stats.h>
#include "tap.h"

static const struct {
	const char *upper, *lower;
} rows[] = {
#define X(upper, lower) { #upper, #lower },
	DROP_REASONS(X)
	BATCH_COUNTERS(X)
	WIDE_COUNTERS(X)
	LUF_REASONS(X)
	LUF_COUNTERS(X)
#undef X
};

/* The enumerators whose files say more. */
static const struct {
	const char *upper, *lower;
} longer[] = {
	{ "FLUSHES_DEFERRING", "flushes_in_deferring_passes" },
	{ "LUF_SAVED", "generations_saved" },
	{ "LUF_NEEDED", "generations_needed" },
	{ "LUF_GIVEN_UP", "generations_given_up" },
	{ "LUF_UNTRACKED", "generations_untracked" },
	{ "LUF_POSTED_SAVED", "generations_saved_as_posted" },
	{ "LUF_POSTED_NEEDED", "generations_needed_as_posted" },
	{ "LUF_POSTED_GIVEN_UP", "generations_given_up_as_posted" },
	{ "LUF_POSTED_UNTRACKED", "generations_untracked_as_posted" },
	{ "LUF_POSTED_IPIS_AVOIDED", "ipis_avoided_as_posted" },
};

static const char *wanted(const char *upper)
{
	static char lower[64];
	char *to = lower;
	unsigned int i;

	for (i = 0; i < sizeof(longer) / sizeof(*longer); i++)
		if (!strcmp(longer[i].upper, upper))
			return longer[i].lower;
	if (!strncmp(upper, "LUF_", 4))
		upper += 4;
	else if (!strncmp(upper, "DROPPED_", 8))
		to = stpcpy(to, "folios_");
	while (*upper && to < lower + sizeof(lower) - 1)
		*to++ = (char)tolower((unsigned char)*upper++);
	*to = '\0';
	return lower;
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok_str(rows[i].lower, wanted(rows[i].upper), rows[i].upper);
	return tap_done();
}
