/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel as the files of LUF's bookkeeping need, for threads that play CPUs.
 * Every write to a shared cache line goes through here, and is counted.
 */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include <sched.h>
#include <stdalign.h>
#include "kernel/portable.h"

#define MODEL_CPUS	256
#define LINE_BYTES	64
/* Lines that are this many apart share a counter. Hardly any lines of the model do. */
#define LINES		(1U << 20)

/* --- what is counted ---------------------------------------------------------------- */

struct model_counts {
	u64 writes;		/* to memory that other CPUs write, too */
	u64 transfers;		/* those to a line that another CPU had written last */
	u64 locked;		/* locked operations */
	u64 retries;		/* those in which another CPU was faster */
};

extern _Thread_local unsigned int model_cpu;
extern _Thread_local struct model_counts model_counts;
extern u16 model_owner[LINES];
extern u32 model_moved[LINES];

/* Two cores play all CPUs. Now and then, a thread that has written lets another one run. */
static inline void model_wrote(const volatile void *where)
{
	size_t line = ((uintptr_t)where / LINE_BYTES) % LINES;
	u16 me = model_cpu + 1;
	u16 before = __atomic_exchange_n(&model_owner[line], me, __ATOMIC_RELAXED);

	model_counts.writes++;
	if (before && before != me) {
		model_counts.transfers++;
		__atomic_fetch_add(&model_moved[line], 1, __ATOMIC_RELAXED);
	}
	if (model_counts.writes % 4 == 0)
		sched_yield();
}

static inline void model_locked(const volatile void *where)
{
	model_counts.locked++;
	model_wrote(where);
}

/* --- the kernel's names ---------------------------------------------------------------- */

#define IS_ENABLED(option)		0
#define ____cacheline_aligned_in_smp	__aligned(LINE_BYTES)
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define min_t(type, a, b)		min((type)(a), (type)(b))
#define clamp(value, low, high)		min(max(value, low), high)
#define ilog2(n)			(31 - __builtin_clz(n))
#define roundup_pow_of_two(n)		((n) <= 1 ? 1U : 1U << (32 - __builtin_clz((n) - 1)))
#define BITS_PER_LONG			64
#define DECLARE_BITMAP(name, bits)	unsigned long name[(bits) / BITS_PER_LONG]
#define __GFP_RETRY_MAYFAIL		0
#define __GFP_NOWARN			0
#define __GFP_ZERO			0
#define array_size(n, size)		((size_t)(n) * (size))
#define __vmalloc(size, flags)		aligned_zeroed(size)
#define vfree(memory)			free(memory)
#define WRITE_ONCE(x, value)						\
	do {								\
		__atomic_store_n(&(x), value, __ATOMIC_RELAXED);	\
		model_wrote(&(x));					\
	} while (0)
#undef READ_ONCE
#define READ_ONCE(x)			__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define smp_store_release(p, value)					\
	do {								\
		__atomic_store_n(p, value, __ATOMIC_RELEASE);		\
		model_wrote(p);						\
	} while (0)
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)

static const unsigned int nr_cpu_ids = MODEL_CPUS;

static inline void *aligned_zeroed(size_t size)
{
	void *memory = aligned_alloc(LINE_BYTES, (size + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);

	return memory ? memset(memory, 0, size) : NULL;
}

static inline unsigned int raw_smp_processor_id(void)
{
	return model_cpu;
}

static inline unsigned int hash_ptr(const void *ptr, unsigned int bits)
{
	return ((uintptr_t)ptr * 0x61C8864680B583EBull) >> (64 - bits);
}

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

static inline int atomic_read(const atomic_t *v)
{
	return READ_ONCE(v->counter);
}

static inline void atomic_set(atomic_t *v, int value)
{
	__atomic_store_n(&v->counter, value, __ATOMIC_RELAXED);
}

static inline int atomic_add_return(int by, atomic_t *v)
{
	int now = __atomic_add_fetch(&v->counter, by, __ATOMIC_SEQ_CST);

	model_locked(v);
	return now;
}

static inline s64 atomic64_inc_return(atomic64_t *v)
{
	s64 now = __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);

	model_locked(v);
	return now;
}

static inline s64 atomic64_read_acquire(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}

#define atomic_inc(v)	((void)atomic_add_return(1, v))
#define atomic_dec(v)	((void)atomic_add_return(-1, v))

static inline bool try_cmpxchg64(u64 *where, u64 *old, u64 new)
{
	bool done = __atomic_compare_exchange_n(where, old, new, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST);

	model_locked(where);
	model_counts.retries += !done;
	return done;
}

typedef struct { int held; } raw_spinlock_t;

#define raw_spin_lock_init(lock)	((lock)->held = 0)
#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name

static inline bool raw_spin_trylock(raw_spinlock_t *lock)
{
	bool taken = !__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE);

	model_locked(lock);
	return taken;
}

/* The kernel's waiters queue, each on a cache line of its own. So a wait counts once. */
static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	if (raw_spin_trylock(lock))
		return;
	model_counts.retries++;
	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	model_locked(lock);
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
	model_wrote(lock);
}

struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };

static inline void init_llist_head(struct llist_head *head)
{
	head->first = NULL;
}

static inline bool llist_empty(const struct llist_head *head)
{
	return !READ_ONCE(head->first);
}

static inline bool llist_add(struct llist_node *node, struct llist_head *head)
{
	struct llist_node *first = READ_ONCE(head->first);
	bool done;

	do {
		__atomic_store_n(&node->next, first, __ATOMIC_RELAXED);
		done = __atomic_compare_exchange_n(&head->first, &first, node, false,
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		model_locked(head);
		model_counts.retries += !done;
	} while (!done);
	return !first;
}

static inline struct llist_node *llist_del_first(struct llist_head *head)
{
	struct llist_node *first = smp_load_acquire(&head->first);
	bool done;

	do {
		if (!first)
			return NULL;
		done = __atomic_compare_exchange_n(&head->first, &first,
						   READ_ONCE(first->next), false,
						   __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
		model_locked(head);
		model_counts.retries += !done;
	} while (!done);
	return first;
}

static inline bool test_bit(unsigned int bit, const unsigned long *map)
{
	return READ_ONCE(map[bit / BITS_PER_LONG]) >> bit % BITS_PER_LONG & 1;
}

static inline bool test_and_set_bit(unsigned int bit, unsigned long *map)
{
	unsigned long mask = 1UL << bit % BITS_PER_LONG, *word = &map[bit / BITS_PER_LONG];
	bool was = __atomic_fetch_or(word, mask, __ATOMIC_SEQ_CST) & mask;

	model_locked(word);
	model_counts.retries += was;
	return was;
}

static inline void clear_bit_unlock(unsigned int bit, unsigned long *map)
{
	unsigned long *word = &map[bit / BITS_PER_LONG];

	__atomic_fetch_and(word, ~(1UL << bit % BITS_PER_LONG), __ATOMIC_RELEASE);
	model_locked(word);
}

static inline unsigned int model_find(const unsigned long *map, unsigned int size,
				      unsigned int bit, bool set)
{
	while (bit < size && test_bit(bit, map) != set)
		bit++;
	return bit;
}

#define find_next_bit(map, size, bit)		model_find(map, size, bit, true)
#define find_next_zero_bit(map, size, bit)	model_find(map, size, bit, false)
#define for_each_set_bit(bit, map, size)				\
	for (bit = find_next_bit(map, size, 0); bit < (size);		\
	     bit = find_next_bit(map, size, bit + 1))
#define bitmap_zero(map, bits)	memset(map, 0, (bits) / 8)

#endif /* MODEL_KERNEL_H */
