/* SPDX-License-Identifier: GPL-2.0-only */
/* Which files are of interest to tracking. */
#ifndef TLBBATCH_LUF_FILES_H
#define TLBBATCH_LUF_FILES_H

#include <linux/types.h>
#include "luf/luf_size.h"

struct address_space;

/* Stands for all files of tmpfs, as one more file that they have in common. */
#define TLBBATCH_LUF_ANY_SHMEM	((const struct address_space *)&tlbbatch_luf_any_shmem)
extern const char tlbbatch_luf_any_shmem;

/**
 * struct tlbbatch_luf_files - the files that read-only unmaps belong to
 * @nr: how many
 * @table: where the interest in them is counted; see luf_files.c
 * @file: their mappings; compared, never followed
 */
struct tlbbatch_luf_files {
	unsigned int nr;
	unsigned int table;
	const struct address_space *file[TLBBATCH_LUF_FILES];
};

int tlbbatch_luf_files_init(void);
void tlbbatch_luf_files_exit(void);
unsigned int tlbbatch_luf_my_table(void);
void tlbbatch_luf_interest(unsigned int table, const struct address_space *file,
			   int by);
bool tlbbatch_luf_files_have(const struct tlbbatch_luf_files *files,
			     const struct address_space *file);
bool tlbbatch_luf_interesting(const struct address_space *file);

#endif /* TLBBATCH_LUF_FILES_H */
