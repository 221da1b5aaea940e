// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hands. Each is pinned to a CPU, has a region of each sort, and does one operation after the
 * other. What it chooses follows from its seed and the operation's number alone, not from what
 * earlier operations led to.
 */
#include "torture.h"

#define SCRATCH_ID	0x10000
#define GOLDEN		0x9e3779b97f4a7c15ULL
#define WINDOW_OPS	64	/* operations until the windows move */

__thread struct hand *this_hand;

static const char * const sort_names[SORTS] = {
	[SORT_ANON] = "anon", [SORT_SHMEM] = "shmem", [SORT_HUGE] = "huge",
	[SORT_SMALL] = "small", [SORT_FILE] = "file",
};

static void tell_history(const struct hand *hand)
{
	uint64_t first = hand->op > HISTORY ? hand->op - HISTORY : 0, op;

	say(STDERR_FILENO, "seed=%" PRIu64 " hand=%u hand-seed=%" PRIu64 " operation=%" PRIu64 "; its last operations:\n",
	    runs[0].seed, hand->index, hand->seed, hand->op);
	for (op = first; op < hand->op; op++) {
		const struct past_op *past = &hand->history[op % HISTORY];

		say(STDERR_FILENO, "  %" PRIu64 " %s %s from page %zu\n", past->number,
		    past->kind, sort_names[past->sort], past->first);
	}
}

static __attribute__((noreturn)) void give_up(size_t bytes)
{
	__atomic_fetch_add(&board->lost, bytes, __ATOMIC_RELAXED);
	tell_history(this_hand);
	_exit(STRESS_DATA_ERROR);
}

/* A page isn't as it must be: called when the first wrong word has been told. */
void tell_fault(struct worker *worker, const void *page,
		const struct page_content *content)
{
	static unsigned char wanted[PAGE_BYTES];
	const unsigned char *found = page;
	size_t wrong = 0, zero = 0, i;

	(void)worker;
	memset(wanted, 0, sizeof(wanted));
	if (content->sequence)
		content_write(wanted, content);
	for (i = 0; i < LIVE_WORD * sizeof(uint64_t); i++) {
		wrong += found[i] != wanted[i];
		zero += !found[i];
	}
	say(STDERR_FILENO, "wrong-bytes=%zu zero-bytes=%zu wanted-sequence=%" PRIu64 "\n",
	    wrong, zero, content->sequence);
	give_up(wrong ? wrong : sizeof(uint64_t));
}

/**
 * lost() - tell of wrong bytes outside the regions' pages, and end
 * @what:	what was being done
 * @address:	of the page
 * @fault:	the first wrong word
 * @bytes:	how many bytes are wrong, at least
 */
__attribute__((noreturn)) void lost(const char *what, const void *address,
				    const struct page_fault *fault, size_t bytes)
{
	complain();
	say(STDERR_FILENO,
	    "wrong data: at=%s address=%p word=%zu expected=%016" PRIx64 " found=%016" PRIx64 "\n",
	    what, address, fault->word, fault->expected, fault->found);
	give_up(bytes);
}

/**
 * refused() - a system call failed: is that usual?
 * @call:	its name
 * @usual:	error numbers that are, ending in 0
 *
 * Return: true. An error that isn't usual ends the program.
 */
bool refused(const char *call, const int *usual)
{
	int error = errno;

	for (; *usual; usual++)
		if (*usual == error)
			return true;
	tell_history(this_hand);
	die_environment("%s: %s", call, strerror(error));
}

/*
 * Mappings of one operation lie in an arena of the hand. A place that the kernel chooses might
 * be a hole in another hand's region, into which that hand moves its pages back.
 */
static void arena_reserve(unsigned char *address)
{
	address = mmap(address, 2 * RANGE_PAGES * PAGE_BYTES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0),
		       -1, 0);
	if (address == MAP_FAILED)
		die_environment("mmap of an arena: %s", strerror(errno));
	this_hand->arena = address;
}

unsigned char *scratch_map(size_t pages, int flags, int fd, off_t offset)
{
	unsigned char *base = mmap(this_hand->arena, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
				   flags | MAP_FIXED, fd, offset);

	if (base == MAP_FAILED)
		die_environment("mmap in an arena: %s", strerror(errno));
	return base;
}

void scratch_unmap(void)
{
	arena_reserve(this_hand->arena);
}

/* All that a hand maps at a place that the kernel chooses, before any hand acts. */
void hand_prepare(struct hand *hand)
{
	this_hand = hand;
	arena_reserve(NULL);
	hand->buffer = map_locked(RANGE_PAGES * PAGE_BYTES);
	make_twins(hand);
}

/* Pages beside the regions, for one operation. Their ids are no region's. */
void scratch_init(struct worker *scratch, uint32_t *sequence, void *base, size_t pages)
{
	memset(scratch, 0, sizeof(*scratch));
	memset(sequence, 0, pages * sizeof(*sequence));
	scratch->run = &runs[SORT_ANON];
	scratch->index = this_hand->index;
	scratch->id_base = SCRATCH_ID;
	scratch->rng = this_hand->regions[SORT_ANON]->rng;
	scratch->base = base;
	scratch->pages = pages;
	scratch->fd = -1;
	scratch->sequence = sequence;
}

static const struct kind *choose(struct rng *rng)
{
	unsigned int sum = 0, at;
	size_t i;

	for (i = 0; i < nr_kinds; i++)
		if (!board->skipped[i][0])
			sum += kinds[i].weight;
	at = (unsigned int)rng_below(rng, sum);
	for (i = 0; i < nr_kinds; i++) {
		if (board->skipped[i][0])
			continue;
		if (at < kinds[i].weight)
			break;
		at -= kinds[i].weight;
	}
	return &kinds[i];
}

static enum sort choose_sort(struct rng *rng, unsigned int sorts)
{
	size_t left = rng_below(rng, (size_t)__builtin_popcount(sorts));

	while (left--)
		sorts &= sorts - 1;
	return (enum sort)__builtin_ctz(sorts);
}

static void one_operation(struct hand *hand)
{
	struct rng rng = { .state = mix64(hand->seed + hand->op * GOLDEN) };
	const struct kind *kind = choose(&rng);
	enum sort sort = choose_sort(&rng, kind->sorts);
	struct past_op *past = &hand->history[hand->op % HISTORY];
	struct worker *worker = hand->regions[sort];
	struct rng place = { .state = mix64(hand->seed - (hand->op / WINDOW_OPS) * GOLDEN) };
	uint64_t verified = worker->verified;
	bool took_effect = true;

	*past = (struct past_op) { .number = hand->op++, .kind = kind->name, .sort = sort };
	worker->rng = rng;
	/* Not 0 modulo pick_range()'s period, so that the window is this one. */
	worker->actions = 1;
	worker->window = worker->pages > WINDOW_PAGES ?
			 rng_below(&place, worker->pages - WINDOW_PAGES) : 0;
	if (kind->step)
		kind->step(worker);
	else
		took_effect = kind->act(worker, kind->argument);
	past->first = worker->hot;
	if (took_effect)
		__atomic_fetch_add(&board->counts[kind - kinds], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&board->verified, (worker->verified - verified) * PAGE_BYTES,
			   __ATOMIC_RELAXED);
}

static void check_all(struct hand *hand)
{
	unsigned int sort;

	for (sort = 0; sort < SORTS; sort++) {
		struct worker *worker = hand->regions[sort];

		check_range(worker, 0, worker->pages, "last pass");
		__atomic_fetch_add(&board->verified, worker->pages * PAGE_BYTES,
				   __ATOMIC_RELAXED);
	}
}

/* The time starts when all hands have filled their memory: a debug kernel takes minutes for that. */
static void start_time(void)
{
	uint64_t deadline = now_ns() + runs[0].seconds * NSEC_PER_SEC;
	unsigned int sort;

	for (sort = 0; sort < SORTS; sort++)
		__atomic_store_n(&runs[sort].deadline_ns, deadline, __ATOMIC_RELEASE);
}

void *hand_body(void *argument)
{
	struct hand *hand = argument;
	unsigned int sort;
	size_t page;

	this_hand = hand;
	pin_self(hand->regions[0]->cpu);
	pthread_barrier_wait(&all_started);
	for (sort = 0; sort < SORTS; sort++)
		for (page = 0; page < hand->regions[sort]->pages; page++)
			rewrite_page(hand->regions[sort], page);
	if (pthread_barrier_wait(&all_filled) == PTHREAD_BARRIER_SERIAL_THREAD)
		start_time();
	pthread_barrier_wait(&all_filled);
	while (!run_over(&runs[0]) && !*complaints)
		one_operation(hand);
	check_all(hand);
	return NULL;
}
