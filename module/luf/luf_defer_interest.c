// SPDX-License-Identifier: GPL-2.0-only
/* Which files events matter for: those of which something is held back, or about to be. */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include "luf/luf_defer_interest.h"

/* How many passes and nodes have folios of a file with that hash. */
static atomic_t interest[TLBBATCH_DEFER_FILES];

/**
 * tlbbatch_interest_add() - begin to care for events on files
 * @hash: theirs
 *
 * A full barrier: the caller looks next who may write the file, and then unmaps. Pairs with
 * get_write_access(), behind which an event asks tlbbatch_interest_in().
 *
 * Context: any.
 */
void tlbbatch_interest_add(unsigned int hash)
{
	(void)atomic_add_return(1, &interest[hash]);
}

/**
 * tlbbatch_interest_drop() - end it
 * @files: hashes
 *
 * Context: any; what made the interest is flushed, or is counted elsewhere, too.
 */
void tlbbatch_interest_drop(const unsigned long *files)
{
	unsigned int hash;

	/* Behind the flush. */
	smp_mb__before_atomic();
	for_each_set_bit(hash, files, TLBBATCH_DEFER_FILES)
		atomic_dec(&interest[hash]);
}

/**
 * tlbbatch_interest_in() - does anybody hold back folios of such a file?
 * @hash: its hash
 *
 * Context: any.
 */
bool tlbbatch_interest_in(unsigned int hash)
{
	return atomic_read(&interest[hash]);
}
