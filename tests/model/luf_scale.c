// SPDX-License-Identifier: GPL-2.0-only
/*
 * Models what 256 CPUs that reclaim the same files at once do to LUF's bookkeeping. It runs
 * the module's own files (luf_slots.c, luf_files.c, luf_coverage.c, luf_pages.c), with a
 * thread for each CPU. Beside them it runs the layout that they replaced: a lock for the
 * table and one for the pool, the coverage of eight CPUs in a cache line, one count for
 * each file.
 *
 * It counts locked operations, operations that had to wait or to be tried again, and writes
 * to a cache line that another CPU had written last (transfers). Nothing here is a time.
 * The cost of a transfer depends on the machine, on how far away that CPU is, and on who
 * else waits for the line. Two cores that play 256 CPUs can't tell that. The threads take
 * turns at every fourth write. So nearly every write to a shared line is a transfer,
 * whether eight CPUs share the line or all. Therefore the sum of transfers says little. The
 * line that moves most tells how far the layout scales. Only one CPU at a time has it, so
 * all flushes of the machine together can't be faster than its moves, one after the other.
 *
 * Under ThreadSanitizer it is also a test: no slot has two owners, and everything is given back.
 */
#include "kernel.h"

#include <pthread.h>
#include <stdio.h>
#include "luf/luf_coverage.h"
#include "luf/luf_table.h"

#include "tap.h"

#define ROUNDS		12
/* How many flushes of an mm interrupt all CPUs at once. */
#define STORMS		8
#define FILES		4
#define FOLIOS		32
/*
 * How far apart these two CPUs are: one opens a generation, and an allocation on the other,
 * which had no part in the flush, makes the generation needed.
 */
#define APART		(MODEL_CPUS / 2 + 1)
#define MASK_WORDS	(MODEL_CPUS / BITS_PER_LONG)
#define OLD_REAP	64

_Thread_local unsigned int model_cpu;
_Thread_local struct model_counts model_counts;
u16 model_owner[LINES];
u32 model_moved[LINES];

/* Used by the inline functions of luf_table.h. */
atomic64_t tlbbatch_luf_last __aligned(LINE_BYTES);
u16 *tlbbatch_luf_frames;
unsigned long tlbbatch_luf_nr_frames;

static const struct address_space *files[FILES];
static unsigned long all_cpus[MASK_WORDS];
static int wrong;

struct generation {
	u64 number, owed_at;
	struct tlbbatch_luf_files files;
	struct tlbbatch_luf_pages pages;
	unsigned int taken;
	struct llist_node owed, done;
} __aligned(LINE_BYTES);

static struct generation generations[TLBBATCH_LUF_GENERATIONS];
/* The slot + 1 of the generation that each CPU has opened last. Another CPU ends it. */
static struct { u32 slot; } __aligned(LINE_BYTES) mailbox[MODEL_CPUS];

static void expect(bool right, const char *what)
{
	if (!right && !__atomic_exchange_n(&wrong, 1, __ATOMIC_RELAXED))
		printf("# wrong: %s\n", what);
}

static unsigned int slot_of(const struct generation *generation)
{
	return generation - generations;
}

/* A slot that is taken must be free. */
static void enter(unsigned int slot)
{
	expect(!__atomic_exchange_n(&generations[slot].taken, 1, __ATOMIC_SEQ_CST),
	       "a slot was taken twice");
}

static void leave(unsigned int slot)
{
	expect(__atomic_exchange_n(&generations[slot].taken, 0, __ATOMIC_SEQ_CST),
	       "a slot was given back twice");
}

/* --- a way of keeping the books ------------------------------------------------------- */

struct way {
	const char *name;
	void (*init)(void);
	/* One flush: opens a generation of a file. Returns its slot. */
	unsigned int (*flush)(const struct address_space *file, unsigned int round);
	/* A page of it is allocated. */
	void (*allocate)(unsigned int slot);
	/* The CPU is interrupted by the flush of an mm. */
	void (*interrupt)(void);
	/* Called after a flush. */
	void (*reap)(void);
	/* No thread runs any more. Everything must have been given back. */
	void (*check)(void);
};

/* The page frames are apart, so that no two form one range. */
static unsigned long frame(unsigned int round, unsigned int folio)
{
	return ((unsigned long)model_cpu * ROUNDS + round) * FOLIOS * 4 + folio * 2;
}

/* --- before ------------------------------------------------------------------------------ */

static u64 old_covered[MODEL_CPUS] __aligned(LINE_BYTES);
static raw_spinlock_t old_table_lock __aligned(LINE_BYTES);
static raw_spinlock_t old_free_lock __aligned(LINE_BYTES);
static struct llist_head old_done __aligned(LINE_BYTES);
static DECLARE_BITMAP(old_used, TLBBATCH_LUF_GENERATIONS) __aligned(LINE_BYTES);
static u32 old_free_chunks = TLBBATCH_LUF_CHUNKS;
static unsigned int old_next;
static atomic_t old_interest[1 << 16], old_nr_open __aligned(LINE_BYTES);

static void old_count_file(const struct address_space *file, int by)
{
	atomic_add_return(by, &old_interest[hash_ptr(file, 16)]);
}

/* Chunks of 15 ranges, from one list under one lock. */
static void old_chunks(int nr)
{
	raw_spin_lock(&old_free_lock);
	old_free_chunks += nr;
	model_wrote(&old_free_chunks);
	raw_spin_unlock(&old_free_lock);
}

static void old_reap_locked(void)
{
	struct llist_node *node;
	unsigned int nr;

	for (nr = 0; nr < OLD_REAP && (node = llist_del_first(&old_done)); nr++) {
		struct generation *generation =
			(void *)((char *)node - offsetof(struct generation, done));

		old_chunks(generation->pages.nr_chunks);
		leave(slot_of(generation));
		clear_bit_unlock(slot_of(generation), old_used);
	}
}

static unsigned int old_flush(const struct address_space *file, unsigned int round)
{
	unsigned int slot, chunk;

	(void)round;
	old_count_file(file, 1);
	for (chunk = 0; chunk < DIV_ROUND_UP(FOLIOS, 15); chunk++)
		old_chunks(-1);
	/* The generation's own, besides the pass's. */
	old_count_file(file, 1);
	raw_spin_lock(&old_table_lock);
	old_reap_locked();
	slot = find_next_zero_bit(old_used, TLBBATCH_LUF_GENERATIONS, old_next);
	if (slot == TLBBATCH_LUF_GENERATIONS)
		slot = find_next_zero_bit(old_used, TLBBATCH_LUF_GENERATIONS, 0);
	old_next = (slot + 1) % TLBBATCH_LUF_GENERATIONS;
	test_and_set_bit(slot, old_used);
	raw_spin_unlock(&old_table_lock);
	enter(slot);
	generations[slot].files = (struct tlbbatch_luf_files){ .nr = 1, .file = { file } };
	generations[slot].pages.nr_chunks = chunk;
	atomic_inc(&old_nr_open);
	generations[slot].number = atomic64_inc_return(&tlbbatch_luf_last);
	old_count_file(file, -1);
	return slot;
}

static void old_cover(unsigned int cpu, u64 number)
{
	u64 old = READ_ONCE(old_covered[cpu]);

	while (old < number && !try_cmpxchg64(&old_covered[cpu], &old, number))
		;
}

static void old_interrupt(void)
{
	old_cover(model_cpu, atomic64_read_acquire(&tlbbatch_luf_last));
}

static void old_allocate(unsigned int slot)
{
	struct generation *generation = &generations[slot];
	u64 now = atomic64_read_acquire(&tlbbatch_luf_last);
	unsigned int cpu;

	for_each_set_bit(cpu, all_cpus, MODEL_CPUS)
		if (READ_ONCE(old_covered[cpu]) < generation->number)
			old_cover(cpu, now);
	old_count_file(generation->files.file[0], -1);
	atomic_dec(&old_nr_open);
	llist_add(&generation->done, &old_done);
}

static void old_reap(void)
{
	raw_spin_lock(&old_table_lock);
	old_reap_locked();
	raw_spin_unlock(&old_table_lock);
}

static void old_check(void)
{
	while (!llist_empty(&old_done))
		old_reap();
	expect(old_free_chunks == TLBBATCH_LUF_CHUNKS, "before: chunks were lost");
}

static void old_init(void)
{
}

/* --- after: the module's own files ---------------------------------------------------- */

static void new_init(void)
{
	tlbbatch_luf_slots_init();
	if (tlbbatch_luf_files_init() || tlbbatch_luf_coverage_init() ||
	    tlbbatch_luf_pages_init())
		expect(false, "no memory");
}

static unsigned int new_flush(const struct address_space *file, unsigned int round)
{
	unsigned int table = tlbbatch_luf_my_table(), slot, folio;
	struct tlbbatch_luf_pages pages = { 0 };

	tlbbatch_luf_interest(table, file, 1);
	for (folio = 0; folio < FOLIOS; folio++)
		expect(tlbbatch_luf_pages_add(&pages, frame(round, folio), 1),
		       "after: no chunk is free");
	slot = tlbbatch_luf_take_slot();
	if (slot >= TLBBATCH_LUF_GENERATIONS) {
		expect(false, "after: no slot is free");
		exit(1);
	}
	enter(slot);
	generations[slot].pages = pages;
	/* The pass's interest becomes the generation's. */
	generations[slot].files = (struct tlbbatch_luf_files){
		.nr = 1, .table = table, .file = { file } };
	generations[slot].number = atomic64_inc_return(&tlbbatch_luf_last);
	return slot;
}

static void new_interrupt(void)
{
	tlbbatch_luf_cover(model_cpu, TLBBATCH_LUF_IDEAL,
			   atomic64_read_acquire(&tlbbatch_luf_last));
}

static void new_allocate(unsigned int slot)
{
	struct generation *generation = &generations[slot];

	generation->owed_at = atomic64_read_acquire(&tlbbatch_luf_last);
	tlbbatch_luf_slot_owes(slot, &generation->owed);
}

static void settle(struct llist_node *node)
{
	struct generation *generation =
		(void *)((char *)node - offsetof(struct generation, owed));

	tlbbatch_luf_flush_virtually(all_cpus, TLBBATCH_LUF_IDEAL, generation->number,
				     generation->owed_at);
	tlbbatch_luf_interest(generation->files.table, generation->files.file[0], -1);
	tlbbatch_luf_slot_over(slot_of(generation), &generation->done);
}

static void give_back(struct llist_node *node)
{
	struct generation *generation =
		(void *)((char *)node - offsetof(struct generation, done));

	tlbbatch_luf_pages_drop(&generation->pages);
	leave(slot_of(generation));
	tlbbatch_luf_give_back(slot_of(generation));
}

static void new_reap(void)
{
	tlbbatch_luf_slots_reap(tlbbatch_luf_my_shard(), settle, give_back);
}

static void new_check(void)
{
	unsigned int shard, i;

	for (shard = 0; shard < tlbbatch_luf_nr_shards(); shard++)
		while (tlbbatch_luf_slots_reap(shard, settle, give_back))
			;
	expect(tlbbatch_luf_next_used(0) == TLBBATCH_LUF_GENERATIONS,
	       "after: slots were lost");
	for (i = 0; i < FILES; i++)
		expect(!tlbbatch_luf_interesting(files[i]), "after: interest was lost");
	/* All chunks must be there again. */
	for (i = 0; i < TLBBATCH_LUF_CHUNKS; i++) {
		struct tlbbatch_luf_pages pages = { 0 };

		expect(tlbbatch_luf_pages_add(&pages, i, 1), "after: chunks were lost");
	}
}

static const struct way ways[] = {
	{ "before", old_init, old_flush, old_allocate, old_interrupt, old_reap, old_check },
	{ "after", new_init, new_flush, new_allocate, new_interrupt, new_reap, new_check },
};

/* --- the run --------------------------------------------------------------------------------- */

static const struct way *way;
static pthread_barrier_t start;

enum phase { FLUSH, ALLOCATE, REAP, INTERRUPT, NR_PHASES };

static const char *const phase_names[] = {
	"a flush", "a page that is used again", "after a flush", "a CPU that is interrupted",
};

static struct model_counts sums[NR_PHASES];

static void add(struct model_counts *to, const struct model_counts *from)
{
	to->writes += from->writes;
	to->transfers += from->transfers;
	to->locked += from->locked;
	to->retries += from->retries;
}

static void end_phase(struct model_counts *mine)
{
	add(mine, &model_counts);
	model_counts = (struct model_counts){ 0 };
}

static void *cpu(void *arg)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct model_counts mine[NR_PHASES] = { 0 };
	unsigned int round, slot, i;

	model_cpu = (uintptr_t)arg;
	pthread_barrier_wait(&start);
	for (round = 0; round < ROUNDS; round++) {
		model_counts = (struct model_counts){ 0 };
		slot = way->flush(files[round % FILES], round);
		end_phase(&mine[FLUSH]);
		slot = __atomic_exchange_n(&mailbox[model_cpu].slot, slot + 1, __ATOMIC_SEQ_CST);
		/* Nobody ended the generation before this one. It ends here. */
		if (slot)
			way->allocate(slot - 1);
		slot = __atomic_exchange_n(&mailbox[(model_cpu + APART) % MODEL_CPUS].slot, 0,
					   __ATOMIC_SEQ_CST);
		if (slot)
			way->allocate(slot - 1);
		end_phase(&mine[ALLOCATE]);
		way->reap();
		end_phase(&mine[REAP]);
	}
	for (round = 0; round < STORMS; round++) {
		if (pthread_barrier_wait(&start) == PTHREAD_BARRIER_SERIAL_THREAD)
			atomic64_inc_return(&tlbbatch_luf_last);
		pthread_barrier_wait(&start);
		model_counts = (struct model_counts){ 0 };
		way->interrupt();
		/* It doesn't matter which CPU had the line before. */
		if (round)
			end_phase(&mine[INTERRUPT]);
	}
	pthread_mutex_lock(&lock);
	for (i = 0; i < NR_PHASES; i++)
		add(&sums[i], &mine[i]);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* How often the line that moved most did so, for each flush of any CPU. */
static double hottest(void)
{
	u32 most = 0;
	size_t i;

	for (i = 0; i < LINES; i++)
		most = max(most, model_moved[i]);
	return (double)most / (MODEL_CPUS * ROUNDS);
}

static double run(const struct way *this_way, struct model_counts *total)
{
	static pthread_t threads[MODEL_CPUS];
	unsigned int i;
	double times;

	way = this_way;
	memset(sums, 0, sizeof(sums));
	memset(model_owner, 0, sizeof(model_owner));
	memset(model_moved, 0, sizeof(model_moved));
	way->init();
	pthread_barrier_init(&start, NULL, MODEL_CPUS);
	for (i = 0; i < MODEL_CPUS; i++)
		if (pthread_create(&threads[i], NULL, cpu, (void *)(uintptr_t)i))
			exit(1);
	for (i = 0; i < MODEL_CPUS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < MODEL_CPUS; i++)
		if (mailbox[i].slot)
			way->allocate(mailbox[i].slot - 1);
	memset(mailbox, 0, sizeof(mailbox));
	way->check();
	for (i = 0; i < NR_PHASES; i++) {
		times = MODEL_CPUS * (i == INTERRUPT ? STORMS - 1 : ROUNDS);
		printf("# %-6s %-26s transfers %6.2f  locked %6.2f  waits or retries %6.2f\n",
		       way->name, phase_names[i], sums[i].transfers / times,
		       sums[i].locked / times, sums[i].retries / times);
		total[i] = sums[i];
	}
	printf("# %-6s the line that moves most: %.2f times a flush of any CPU\n", way->name,
	       hottest());
	return hottest();
}

int main(void)
{
	struct model_counts before[NR_PHASES], after[NR_PHASES];
	double hot_before, hot_after;
	unsigned int i;

	memset(all_cpus, 0xff, sizeof(all_cpus));
	for (i = 0; i < FILES; i++)
		files[i] = (void *)(uintptr_t)(0x1000 + i * 0x440);
	printf("# each time, %u CPUs and %u flushes of each\n", MODEL_CPUS, ROUNDS);
	hot_before = run(&ways[0], before);
	hot_after = run(&ways[1], after);
	ok(!wrong, "no slot has two owners, and everything is given back");
	ok(hot_after * 3 < hot_before, "the line that moves most moves less than a third as often");
	ok(after[ALLOCATE].locked <= 4 * MODEL_CPUS * ROUNDS,
	   "an allocation does a few locked operations, not one for each CPU");
	ok(before[INTERRUPT].transfers && !after[INTERRUPT].transfers,
	   "CPUs that are interrupted at once don't share a line");
	return tap_done();
}
