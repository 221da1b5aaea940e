// SPDX-License-Identifier: GPL-2.0-only
/*
 * The content of a page under test: the page's number, which write of it this is, the run's
 * seed, a checksum, and words that follow from these. The page's number and its last write
 * determine every byte. So old content of the same page (a lost write) can be told from
 * foreign content (a page that was freed too early) and from zeros.
 */
#include "content.h"
#include "rng.h"

static uint64_t content_key(const struct page_content *content)
{
	return mix64(content->seed ^ mix64(content->id ^
					   (content->sequence << 32)));
}

/* Every second word repeats, so that a page compresses to about a half. */
static uint64_t content_word(uint64_t key, size_t word)
{
	uint64_t x;

	if (!(word & 1))
		return key;
	x = (key + word) * 0xd6e8feb86659fd93ULL;
	return x ^ (x >> 32);
}

static uint64_t checksum_step(uint64_t sum, uint64_t word)
{
	return (sum << 7 | sum >> 57) ^ word;
}

/* Where the checksum starts: the words before it. */
static uint64_t checksum_start(const struct page_content *content)
{
	uint64_t sum = content->id;

	sum = checksum_step(sum, content->sequence);
	return checksum_step(sum, content->seed);
}

/**
 * content_write() - write a page's content
 * @page:	where to
 * @content:	what; its sequence must not be 0
 *
 * The first word is stored atomically, because other threads may read it.
 */
void content_write(void *page, const struct page_content *content)
{
	uint64_t key = content_key(content);
	uint64_t sum = checksum_start(content);
	uint64_t *words = page;
	size_t i;

	__atomic_store_n(&words[WORD_ID], content->id, __ATOMIC_RELAXED);
	words[WORD_SEQUENCE] = content->sequence;
	words[WORD_SEED] = content->seed;
	for (i = WORD_DATA; i < PAGE_WORDS; i++) {
		uint64_t word = content_word(key, i);

		sum = checksum_step(sum, word);
		words[i] = word;
	}
	words[WORD_CHECKSUM] = sum;
}

static bool word_is(const uint64_t *words, size_t word, uint64_t expected,
		    struct page_fault *fault)
{
	if (words[word] == expected)
		return true;
	fault->word = word;
	fault->expected = expected;
	fault->found = words[word];
	return false;
}

/**
 * content_check_except() - compare a page with what it has to hold
 * @page:	the page
 * @content:	its content
 * @skip:	a word that isn't looked at, PAGE_WORDS to look at all
 * @fault:	receives the first wrong word
 *
 * Return: true if every word is right.
 */
bool content_check_except(const void *page, const struct page_content *content,
			  size_t skip, struct page_fault *fault)
{
	uint64_t expected[WORD_DATA] = { 0 };
	uint64_t key = content_key(content);
	uint64_t sum = checksum_start(content);
	const uint64_t *words = page;
	size_t i;

	for (i = WORD_DATA; i < PAGE_WORDS; i++) {
		uint64_t word = content->sequence ? content_word(key, i) : 0;

		sum = checksum_step(sum, word);
		if (i != skip && !word_is(words, i, word, fault))
			return false;
	}
	if (content->sequence) {
		expected[WORD_ID] = content->id;
		expected[WORD_SEQUENCE] = content->sequence;
		expected[WORD_SEED] = content->seed;
		expected[WORD_CHECKSUM] = sum;
	}
	for (i = 0; i < WORD_DATA; i++)
		if (i != skip && !word_is(words, i, expected[i], fault))
			return false;
	return true;
}

bool content_check(const void *page, const struct page_content *content,
		   struct page_fault *fault)
{
	return content_check_except(page, content, PAGE_WORDS, fault);
}
