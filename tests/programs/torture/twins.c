// SPDX-License-Identifier: GPL-2.0-only
/*
 * KSM. Each hand has some pages with the same content, which KSM may merge. Now and then some
 * get a content of their own. The others must not see it.
 */
#include "torture.h"

#define KSM		"/sys/kernel/mm/ksm/"
#define FLAG_KSM	(1ULL << 21)
#define TWINS		RANGE_PAGES
#define TWIN_ID		(0x20000ULL << 32)

static const struct page_content twin = { .seed = 1, .id = TWIN_ID, .sequence = 1 };

static void check_twin(size_t i, const struct page_content *content)
{
	void *page = this_hand->twins + i * PAGE_BYTES;
	struct page_fault fault;

	if (!content_check(page, content, &fault))
		lost("a page for KSM", page, &fault, sizeof(uint64_t));
	__atomic_fetch_add(&board->verified, PAGE_BYTES, __ATOMIC_RELAXED);
}

void make_twins(struct hand *hand)
{
	size_t i;

	hand->twins = mmap(NULL, TWINS * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (hand->twins == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	/* EINVAL: no KSM. cannot_twins() will say so. */
	madvise(hand->twins, TWINS * PAGE_BYTES, MADV_MERGEABLE);
	for (i = 0; i < TWINS; i++)
		content_write(hand->twins + i * PAGE_BYTES, &twin);
}

bool act_twins(struct worker *worker, int argument)
{
	struct hand *hand = this_hand;
	struct page_content other = twin;
	bool changed[TWINS] = { false };
	size_t merged = 0, i;

	(void)argument;
	for (i = 0; i < TWINS; i++) {
		check_twin(i, &twin);
		merged += page_has_flag(hand->twins + i * PAGE_BYTES, FLAG_KSM);
	}
	for (i = 0; i < TWINS; i++) {
		changed[i] = rng_one_in(&worker->rng, 4);
		other.id = TWIN_ID + 1 + i;
		if (changed[i])
			content_write(hand->twins + i * PAGE_BYTES, &other);
	}
	if (rng_one_in(&worker->rng, 2))
		madvise(hand->twins, TWINS * PAGE_BYTES, MADV_PAGEOUT);
	for (i = 0; i < TWINS; i++) {
		other.id = TWIN_ID + 1 + i;
		check_twin(i, changed[i] ? &other : &twin);
		if (changed[i])
			content_write(hand->twins + i * PAGE_BYTES, &twin);
	}
	return merged > 0;
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

const char *cannot_twins(void)
{
	if (access(KSM "run", W_OK))
		return "this kernel has no KSM";
	return put(KSM "sleep_millisecs", "5") && put(KSM "run", "1") ? NULL :
	       "KSM can't be switched on";
}
