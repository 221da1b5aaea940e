// SPDX-License-Identifier: GPL-2.0-only
/* What is noted, memory, tasks that sleep, and locks: see sim.h. */
#include <stdarg.h>
#include "sim.h"

static char noted[1 << 16], logged[1 << 16];
static size_t nr_noted, nr_logged;
static unsigned int breaches, allocated, fail_alloc;
static size_t allocated_bytes;

bool sim_preemption = true;
bool sim_invlpgb, sim_xenpv, sim_hyperv;
u32 sim_hyperv_hints;
sim_cpus_t sim_offline;
unsigned int sim_cpu, sim_rcu_depth, sim_no_preempt;
char *sim_areas[SIM_CPUS];
/* There is at least one per-CPU variable. */
static DEFINE_PER_CPU(int, anything) __used;

static struct task_struct init_task = { .comm = "init", .pid = 1, .start_boottime = 1 };
struct task_struct *current = &init_task;
unsigned long jiffies = 1000;
void (*sim_others)(void), (*sim_slept)(void);
void (*sim_at_barrier)(void), (*sim_at_rcu)(void), (*sim_at_rmb)(void), (*sim_at_bit)(void);
void (*sim_at_sync)(void), (*sim_at_acquire)(void);
void (*sim_at_add)(void), (*sim_at_list)(void);
void (*sim_at_lock)(void), (*sim_at_wait)(void);
void (*sim_at_cpu)(unsigned int cpu);
unsigned int sim_spinlocks_held, sim_locks_taken;
void (*sim_at_second_mutex)(void);
void (*sim_at_unlock)(void), (*sim_at_release)(void), (*sim_at_cmpxchg)(void);

void sim_init(void)
{
	size_t size = (size_t)(__stop_sim_percpu - __start_sim_percpu);
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		free(sim_areas[cpu]);
		sim_areas[cpu] = malloc(size);
		memcpy(sim_areas[cpu], __start_sim_percpu, size);
	}
}

/* What isn't noted would count as what wasn't done. So the program ends. */
static void append(char *text, size_t size, size_t *used, const char *format, va_list args)
{
	int nr = 256;

	if (*used + 256 < size)
		nr = vsnprintf(text + *used, 256, format, args);
	if (nr < 0 || nr >= 256) {
		printf("not ok 0 - there is no room for what is noted\n");
		fflush(stdout);
		abort();
	}
	*used += (size_t)nr;
}

const char *sim_symbol = "kallsyms_lookup_name+0x4/0x40";
const char *(*sim_symbol_text)(unsigned long addr);

int sim_snprintf(char *buf, size_t size, const char *format, ...)
{
	const char *text = NULL;
	va_list args;
	int nr;

	if (!strcmp(format, "%pS")) {
		va_start(args, format);
		text = sim_symbol_text ? sim_symbol_text(va_arg(args, unsigned long)) : NULL;
		va_end(args);
		format = text ?: sim_symbol;
	}
	va_start(args, format);
	nr = vsnprintf(buf, size, format, args);
	va_end(args);
	return nr;
}

void sim_note(const char *format, ...)
{
	va_list args;

	if (nr_noted + 2 < sizeof(noted))
		noted[nr_noted++] = ' ';
	va_start(args, format);
	append(noted, sizeof(noted) - 2, &nr_noted, format, args);
	va_end(args);
	noted[nr_noted] = ' ';
	noted[nr_noted + 1] = '\0';
}

void sim_printk(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(logged, sizeof(logged), &nr_logged, format, args);
	va_end(args);
}

static const char *events[1024];
static unsigned int nr_events;

void sim_forget(void)
{
	nr_noted = nr_logged = 0;
	noted[0] = logged[0] = '\0';
	nr_events = 0;
}

void sim_event(const char *name)
{
	if (nr_events < ARRAY_SIZE(events))
		events[nr_events] = name;
	nr_events++;
}

unsigned int sim_events(const char *name)
{
	unsigned int i, nr = 0;

	for (i = 0; i < min(nr_events, (unsigned int)ARRAY_SIZE(events)); i++)
		nr += !strcmp(events[i], name);
	return nr;
}

const char *sim_noted(void)
{
	return noted;
}

static const char *find(const char *from, const char *what)
{
	char word[128];

	snprintf(word, sizeof(word), " %s ", what);
	return strstr(from, word);
}

bool sim_did(const char *what)
{
	return find(noted, what);
}

typedef const char *(*search_fn)(const char *in, const char *what);

static unsigned int times(const char *at, const char *what, search_fn search)
{
	unsigned int nr = 0;

	while ((at = search(at, what))) {
		at++;
		nr++;
	}
	return nr;
}

unsigned int sim_times(const char *what)
{
	return times(noted, what, find);
}

bool sim_in_order(const char *first, const char *second)
{
	const char *behind = find(noted, second);

	return behind && sim_did(first) && find(noted, first) < behind &&
	       !find(behind + 1, first);
}

static const char *anywhere(const char *in, const char *text)
{
	return strstr(in, text);
}

unsigned int sim_times_logged(const char *text)
{
	return times(logged, text, anywhere);
}

bool sim_logged(const char *text)
{
	return sim_times_logged(text);
}

/* A loop that never ends must not fill the disk. */
#define BREACHES_TOLD	1000

void sim_breach(const char *what)
{
	if (++breaches < BREACHES_TOLD)
		printf("# breach: %s\n", what);
}

unsigned int sim_breaches(void)
{
	unsigned int nr = breaches;

	breaches = 0;
	return nr;
}

void sim_fail_alloc(unsigned int nr)
{
	fail_alloc = nr;
}

/* Around each block, so that a write beside it is noticed when it is freed. */
#define GUARD		64
#define GUARD_BYTE	0xa5

/* The size is at the beginning of the guard in front. */
static bool guards_are_whole(const u8 *memory)
{
	size_t size = *(const size_t *)(memory - GUARD), i;

	for (i = sizeof(size); i < GUARD; i++)
		if (memory[(long)i - GUARD] != GUARD_BYTE || memory[size + i] != GUARD_BYTE)
			return false;
	return true;
}

void *sim_alloc(size_t n, size_t size)
{
	u8 *memory;

	if (fail_alloc && !--fail_alloc)
		return NULL;
	size *= n;
	allocated++;
	allocated_bytes += size;
	memory = aligned_alloc(64, ALIGN(size + 2 * GUARD, 64));
	if (!memory)
		abort();
	memset(memory, GUARD_BYTE, size + 2 * GUARD);
	*(size_t *)memory = size;
	return memset(memory + GUARD, 0, size);
}

/* For tables, which must neither be had at any price nor hold what others left there. */
void *sim_vmalloc(size_t size, unsigned int flags)
{
	if (!(flags & __GFP_ZERO))
		sim_breach("memory is taken as it is");
	if (!(flags & __GFP_RETRY_MAYFAIL))
		sim_breach("an allocation may kill somebody");
	if (!(flags & __GFP_NOWARN))
		sim_breach("the kernel warns if memory is short");
	return sim_alloc(1, size);
}

size_t sim_size(const void *memory)
{
	return *(const size_t *)((const u8 *)memory - GUARD);
}

void sim_free(const void *memory)
{
	u8 *block;

	if (!memory)
		return;
	block = (u8 *)memory - GUARD;
	if (!guards_are_whole(memory))
		sim_breach("something was written beside memory that was allocated");
	allocated--;
	allocated_bytes -= *(size_t *)block;
	sim_note("free");
	free(block);
}

size_t sim_allocated_bytes(void)
{
	return allocated_bytes;
}

unsigned int sim_allocated(void)
{
	return allocated;
}

void schedule_timeout_idle(unsigned long timeout)
{
	static unsigned int deep;

	jiffies += timeout;
	if (++deep > 1) {
		sim_breach("who plays the others slept");
	} else if (sim_others) {
		sim_others();
	}
	deep--;
	if (!deep && sim_slept)
		sim_slept();
}

void (*sim_at_queue)(struct work_struct *work);

void sim_queued(struct work_struct *work)
{
	void (*begins)(struct work_struct *work) = sim_at_queue;

	sim_at_queue = NULL;
	if (begins)
		begins(work);
}

static void happens(void (**what)(void))
{
	void (*does)(void) = *what;

	*what = NULL;
	if (does)
		does();
}

void sim_barrier(void)
{
	happens(&sim_at_barrier);
}

void sim_acquire(void)
{
	happens(&sim_at_acquire);
}

void sim_release(void)
{
	happens(&sim_at_release);
}

void sim_added(void)
{
	happens(&sim_at_add);
}

void sim_listed(void)
{
	happens(&sim_at_list);
}

void sim_cmpxchg(void)
{
	happens(&sim_at_cmpxchg);
}

void sim_bit(void)
{
	happens(&sim_at_bit);
}

void sim_rmb(void)
{
	happens(&sim_at_rmb);
}

void rcu_read_lock(void)
{
	happens(&sim_at_rcu);
	sim_rcu_depth++;
}

void synchronize_rcu(void)
{
	happens(&sim_at_sync);
	sim_note("rcu");
}

unsigned int sim_rcu_tasks_ms;

void synchronize_rcu_tasks(void)
{
	if (sim_rcu_tasks_ms)
		schedule_timeout_idle(msecs_to_jiffies(sim_rcu_tasks_ms));
	sim_note("rcu_tasks");
}

unsigned int sim_possible_cpus = SIM_CPUS;
static unsigned int mutexes_held;

unsigned int sim_mutexes_held(void)
{
	return mutexes_held;
}

void sim_before_mutex(void)
{
	if (mutexes_held)
		happens(&sim_at_second_mutex);
}

void mutex_lock(struct mutex *mutex)
{
	if (mutex->held)
		sim_breach("deadlock: mutex");
	mutex->held = true;
	mutexes_held++;
}

void mutex_unlock(struct mutex *mutex)
{
	if (!mutex->held)
		sim_breach("unlock of a mutex that isn't held");
	mutex->held = false;
	if (!--mutexes_held)
		happens(&sim_at_unlock);
}

bool raw_spin_trylock(raw_spinlock_t *lock)
{
	bool taken;

	happens(&sim_at_lock);
	if (sim_locks_taken) {
		sim_locks_taken--;
		return false;
	}
	taken = !lock->held;
	sim_spinlocks_held += taken;
	lock->held = true;
	return taken;
}

void raw_spin_lock(raw_spinlock_t *lock)
{
	if (raw_spin_trylock(lock))
		return;
	happens(&sim_at_wait);
	if (!raw_spin_trylock(lock))
		sim_breach("deadlock: spinlock");
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	if (!lock->held)
		sim_breach("unlock of a spinlock that isn't held");
	sim_spinlocks_held -= lock->held;
	lock->held = false;
}
