// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table in luf/mode's document says how much memory tracking takes. This computes it
 * again from the sizes to which the module's structs are held.
 */
#include "luf/luf_size.h"
#include "tap.h"

#define DOCUMENT	TOP "/sysfs-docs/ABI/testing/sysfs-kernel-tlbbatch-luf"
#define FRAMES_PER_GIB	(1ULL << 18)
#define MIB		(1ULL << 20)
#define ROWS_MIN	4
#define STATS_DOCUMENT	DOCUMENT "-stats"
/* A chunk has as many ranges as have room beside its number and its count. */
#define RANGES_EACH	(TLBBATCH_LUF_CHUNKS_EACH * (TLBBATCH_LUF_CHUNK_BYTES - 8) / 8)
#define PAGE_BYTES	4096ULL

/* Rows as "  1024 GiB     256 CPUs     520 MiB": rounded to the next one. */
static void check_table(void)
{
	unsigned int rows = 0, gib, cpus, mib;
	FILE *file = fopen(DOCUMENT, "re");
	char line[256], name[80];

	if (!ok(file, "the document is there"))
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, " %u GiB %u CPUs %u MiB", &gib, &cpus, &mib) != 3)
			continue;
		rows++;
		snprintf(name, sizeof(name), "%u GiB and %u CPUs, in MiB", gib, cpus);
		ok_int(mib, (tlbbatch_luf_bytes(gib * FRAMES_PER_GIB, cpus) + MIB / 2) / MIB,
		       name);
	}
	fclose(file);
	ok(rows >= ROWS_MIN, "the table has %u rows", rows);
}

/* Does a document say so, wherever its lines end? */
static void check_says(const char *document, const char *what)
{
	static char text[1 << 16];
	FILE *file = fopen(document, "re");
	size_t nr = 0;
	int c;

	while (file && (c = getc(file)) != EOF && nr + 1 < sizeof(text))
		if (!strchr(" \t\n", c) || (nr && text[nr - 1] != ' '))
			text[nr++] = strchr(" \t\n", c) ? ' ' : (char)c;
	text[nr] = '\0';
	if (file)
		fclose(file);
	ok(strstr(text, what), "the document says: %s", what);
}

/* Rule L14: what fits. */
static void check_bounds(void)
{
	char what[256];

	snprintf(what, sizeof(what), " at most %u generations and %u passes.",
		 TLBBATCH_LUF_GENERATIONS, TLBBATCH_LUF_PASSES_MAX);
	check_says(DOCUMENT, what);
	snprintf(what, sizeof(what),
		 " more than %u files, more than %u ranges, or more than %u pages (%llu MiB).",
		 TLBBATCH_LUF_FILES, RANGES_EACH, TLBBATCH_LUF_PAGES_EACH,
		 TLBBATCH_LUF_PAGES_EACH * PAGE_BYTES / MIB);
	check_says(DOCUMENT, what);
	snprintf(what, sizeof(what), " (%u for each CPU, %u to %u).", TLBBATCH_LUF_PASSES_PER_CPU,
		 TLBBATCH_LUF_PASSES_MIN, TLBBATCH_LUF_PASSES_MAX);
	check_says(STATS_DOCUMENT, what);
}

int main(void)
{
	ok_int(tlbbatch_luf_shards_for(1, 8), 1, "one CPU has one part");
	ok_int(tlbbatch_luf_shards_for(9, 8), 2, "nine CPUs have two parts");
	ok_int(tlbbatch_luf_shards_for(8192, 8), TLBBATCH_LUF_SHARDS_MAX, "the number of parts has a bound");
	ok_int(tlbbatch_luf_passes_for(1), TLBBATCH_LUF_PASSES_MIN, "passes of one CPU");
	ok_int(tlbbatch_luf_passes_for(12), 128, "passes of twelve, a power of two");
	ok_int(tlbbatch_luf_passes_for(8192), TLBBATCH_LUF_PASSES_MAX, "passes of 8192");
	ok_int(TLBBATCH_LUF_GENERATION_BYTES % 64 + TLBBATCH_LUF_PASS_BYTES % 64 +
	       TLBBATCH_LUF_CHUNK_BYTES % 64 + TLBBATCH_LUF_COVERAGE_BYTES % 64, 0,
	       "structs are whole cache lines");
	check_table();
	check_bounds();
	return tap_done();
}
