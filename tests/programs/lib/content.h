/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of a page under test, from which every byte of it follows.
 */
#ifndef TEST_CONTENT_H
#define TEST_CONTENT_H

#include "common.h"

enum page_word {
	WORD_ID,	/* number of the page, never 0 */
	WORD_SEQUENCE,	/* which write of this page, from 1 */
	WORD_SEED,
	WORD_CHECKSUM,	/* over all words after it and the three before it */
	WORD_DATA,	/* first of the rest */
};

/* What a page has to hold; sequence 0 means that it must be all zeros. */
struct page_content {
	uint64_t seed;
	uint64_t id;
	uint64_t sequence;
};

/* One word that isn't what it has to be. */
struct page_fault {
	size_t word;
	uint64_t expected;
	uint64_t found;
};

void content_write(void *page, const struct page_content *content);
bool content_check_except(const void *page, const struct page_content *content,
			  size_t skip, struct page_fault *fault);
bool content_check(const void *page, const struct page_content *content,
		   struct page_fault *fault);

#endif
