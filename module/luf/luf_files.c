// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which files are of interest: a count for each hash of a file says how many generations
 * and passes hold pages of such files.
 *
 * In a single table all reclaimers of one file would write the same count. So there are
 * a few tables, and each holder uses that of the CPU where it began to hold files. It
 * raises and lowers counts in the same table, so that no other holder's end can hide
 * it. A reader who finds zero in all tables has missed no holder that was there before
 * it looked.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "luf/luf_alloc.h"
#include "luf/luf_files.h"
#include "luf/luf_slots.h"

static_assert(sizeof(atomic_t) == sizeof(u32));

const char tlbbatch_luf_any_shmem;

static atomic_t *interest;
static unsigned int nr_tables;

static atomic_t *interest_in(unsigned int table, const struct address_space *file)
{
	return &interest[table << TLBBATCH_LUF_TABLE_BITS |
			 hash_ptr((void *)file, TLBBATCH_LUF_TABLE_BITS)];
}

/**
 * tlbbatch_luf_files_init() - make the tables
 *
 * Context: process context, may sleep; nobody tracks. Return: 0 or -ENOMEM.
 */
int tlbbatch_luf_files_init(void)
{
	nr_tables = min(tlbbatch_luf_nr_shards(), TLBBATCH_LUF_TABLES_MAX);
	interest = tlbbatch_luf_alloc(nr_tables, TLBBATCH_LUF_TABLE_BYTES);
	return interest ? 0 : -ENOMEM;
}

/**
 * tlbbatch_luf_files_exit() - free them
 *
 * Context: process context; nobody tracks any more.
 */
void tlbbatch_luf_files_exit(void)
{
	vfree(interest);
	interest = NULL;
}

/**
 * tlbbatch_luf_my_table() - the table that a holder uses who begins here
 *
 * Context: any; a hint if preemption is on.
 */
unsigned int tlbbatch_luf_my_table(void)
{
	return tlbbatch_luf_my_shard() % nr_tables;
}

/**
 * tlbbatch_luf_interest() - begin or end to care for events on a file
 * @table: the holder's, the same at its beginning and at its end
 * @file: the file
 * @by: 1 or -1
 *
 * A full barrier: the caller looks next who may write the file, and then unmaps. Pairs
 * with get_write_access() and mapping_map_writable(), behind which an event asks
 * tlbbatch_luf_interesting(); and with smp_mb() in tlbbatch_luf_close(), luf_pass.c.
 *
 * Context: any.
 */
void tlbbatch_luf_interest(unsigned int table, const struct address_space *file,
			   int by)
{
	atomic_add_return(by, interest_in(table, file));
}

/**
 * tlbbatch_luf_files_have() - is a file one of these?
 * @files: they may be changed meanwhile, by whoever took their slot again
 * @file: the file
 *
 * Context: any.
 */
bool tlbbatch_luf_files_have(const struct tlbbatch_luf_files *files,
			     const struct address_space *file)
{
	unsigned int i;

	for (i = 0; i < min(files->nr, TLBBATCH_LUF_FILES); i++)
		if (files->file[i] == file)
			return true;
	return false;
}

/**
 * tlbbatch_luf_interesting() - does anybody hold pages of a file, perhaps?
 * @file: the file
 *
 * Context: any.
 */
bool tlbbatch_luf_interesting(const struct address_space *file)
{
	unsigned int table;

	for (table = 0; table < nr_tables; table++)
		if (atomic_read(interest_in(table, file)))
			return true;
	return false;
}
