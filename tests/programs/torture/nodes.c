// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds that migrate pages between two nodes of memory.
 */
#include "torture.h"

#include <linux/mempolicy.h>

#define WANTED_NODES	2

/* A node may go while this runs, with its memory. */
static const int usual[] = { EAGAIN, EBUSY, ENOMEM, ENODEV, ENOENT, EACCES, EIO, EINVAL, 0 };
static int nodes[WANTED_NODES];

const char *cannot_nodes(void)
{
	FILE *file = fopen("/sys/devices/system/node/has_memory", "re");
	unsigned int first, last, found = 0;

	if (!file)
		return "no /sys/devices/system/node/has_memory";
	while (found < WANTED_NODES && fscanf(file, "%u", &first) == 1) {
		/* A list such as 0,2-3 */
		if (fscanf(file, "-%u", &last) != 1)
			last = first;
		for (; first <= last && found < WANTED_NODES; first++)
			nodes[found++] = (int)first;
		fgetc(file);
	}
	fclose(file);
	return found < WANTED_NODES ? "memory is on one node only" : NULL;
}

/* Where pages are, or what became of a move there. */
static bool ask(void **pages, size_t count, const int *to, int *status)
{
	return !syscall(SYS_move_pages, 0, count, pages, to, status,
			to ? MPOL_MF_MOVE : 0);
}

static size_t count_on(const struct worker *worker, size_t first, size_t length, int node)
{
	void *pages[RANGE_PAGES];
	int status[RANGE_PAGES];
	size_t i, found = 0;

	for (i = 0; i < length; i++)
		pages[i] = page_at(worker, first + i);
	if (!ask(pages, length, NULL, status))
		return 0;
	for (i = 0; i < length; i++)
		found += status[i] == node;
	return found;
}

/* Each page to the node where it isn't. */
bool act_move_pages(struct worker *worker, int argument)
{
	int before[RANGE_PAGES], status[RANGE_PAGES], to[RANGE_PAGES];
	size_t length, first = race_begin(worker, &length), moved = 0, i;
	void *pages[RANGE_PAGES];

	(void)argument;
	for (i = 0; i < length; i++)
		pages[i] = page_at(worker, first + i);
	if (!ask(pages, length, NULL, before))
		refused("move_pages", usual);
	for (i = 0; i < length; i++) {
		to[i] = nodes[before[i] == nodes[0]];
		status[i] = -1;
	}
	if (syscall(SYS_move_pages, 0, length, pages, to, status, MPOL_MF_MOVE) < 0)
		refused("move_pages", usual);
	for (i = 0; i < length; i++)
		moved += before[i] >= 0 && before[i] != to[i] && status[i] == to[i];
	race_end(worker, first, length, "move_pages");
	return moved > 0;
}

static long bind_range(void *address, size_t bytes, int mode, int node, unsigned int flags)
{
	unsigned long mask = 1UL << node;

	return syscall(SYS_mbind, address, bytes, mode, mode == MPOL_DEFAULT ? NULL : &mask,
		       sizeof(mask) * CHAR_BIT, flags);
}

/* A preference only: a node that is full must not get anybody killed. */
bool act_mbind(struct worker *worker, int argument)
{
	size_t length, first = race_begin(worker, &length), before, after;
	int node = nodes[rng_below(&worker->rng, WANTED_NODES)];
	void *address = page_at(worker, first);

	(void)argument;
	before = count_on(worker, first, length, node);
	if (bind_range(address, length * PAGE_BYTES, MPOL_PREFERRED, node, MPOL_MF_MOVE))
		refused("mbind", usual);
	after = count_on(worker, first, length, node);
	if (bind_range(address, length * PAGE_BYTES, MPOL_DEFAULT, 0, 0))
		refused("mbind", usual);
	race_end(worker, first, length, "mbind");
	return after > before;
}
