/* SPDX-License-Identifier: GPL-2.0-only */
/* Which files events matter for. */
#ifndef TLBBATCH_DEFER_INTEREST_H
#define TLBBATCH_DEFER_INTEREST_H

#include <linux/hash.h>
#include <linux/types.h>

struct address_space;

/* Files are told apart by a hash: a collision only means a flush too many. */
#define TLBBATCH_DEFER_FILE_BITS	8
#define TLBBATCH_DEFER_FILES		(1U << TLBBATCH_DEFER_FILE_BITS)

/**
 * tlbbatch_defer_hash() - a file's place in the table of interest
 * @file: the file
 *
 * Context: any. Return: 0 to TLBBATCH_DEFER_FILES - 1.
 */
static inline unsigned int tlbbatch_defer_hash(const struct address_space *file)
{
	return hash_ptr((void *)file, TLBBATCH_DEFER_FILE_BITS);
}

void tlbbatch_interest_add(unsigned int hash);
void tlbbatch_interest_drop(const unsigned long *files);
bool tlbbatch_interest_in(unsigned int hash);

#endif /* TLBBATCH_DEFER_INTEREST_H */
