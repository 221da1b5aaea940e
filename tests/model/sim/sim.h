/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel as the module's own files need to run in a process of user space: one
 * thread, which plays tasks and CPUs in turn. What the module asks of the kernel, and in which
 * order, is noted, so that a test can judge it. Breaches of what the kernel demands count.
 */
#ifndef SIM_H
#define SIM_H

#include <ctype.h>
#include "kernel/portable.h"

/* More than a word of a mask has bits. */
#define SIM_CPUS	96U
/* CPUs as a number, a bit for each. */
typedef unsigned __int128 sim_cpus_t;

/* --- what is noted -------------------------------------------------------------------- */

/* "register:redirecting filter+:f rcu ...": what was done since sim_forget() */
void sim_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sim_forget(void);
const char *sim_noted(void);
/* Is @first noted, and nowhere behind the first @second? @second must be noted, too. */
bool sim_in_order(const char *first, const char *second);
bool sim_did(const char *what);
unsigned int sim_times(const char *what);
/* The kernel would have crashed, hung or lost data. */
void sim_breach(const char *what);
unsigned int sim_breaches(void);
/* Was this logged since sim_forget()? How often? */
bool sim_logged(const char *text);
unsigned int sim_times_logged(const char *text);
void sim_printk(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define pr_err(...)	sim_printk(__VA_ARGS__)
#define pr_warn(...)	sim_printk(__VA_ARGS__)
#define pr_info(...)	sim_printk(__VA_ARGS__)
#define WARN_ON_ONCE(x)	({ bool _bad = (x); if (_bad) sim_breach("WARN: " #x); _bad; })

/* How often a trace event of this name was emitted since sim_forget(). */
void sim_event(const char *name);
unsigned int sim_events(const char *name);

/* --- the language ----------------------------------------------------------------------- */

extern bool sim_preemption;
#ifndef IS_ENABLED
#define IS_ENABLED(option)	(!strcmp(#option, "CONFIG_HYPERV") || \
				 (sim_preemption && !strcmp(#option, "CONFIG_PREEMPTION")))
#endif
/* Where gcc leaves room, an ftrace site is made: see sim_ftrace.c. */
#define noinline			__attribute__((noipa, patchable_function_entry(5, 0)))
#define __noclone		__attribute__((noclone))
#define notrace
#define __no_kcsan
#define __init
#define __exit
#define __percpu
#define __force
#define __read_mostly
#define __weak			__attribute__((weak))
#define __used			__attribute__((used))
#define __maybe_unused		__attribute__((unused))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define ____cacheline_aligned_in_smp	__aligned(64)
#define EXPORT_SYMBOL_GPL(x)
#define __acquire(x)
#define __release(x)
#define barrier()		__asm__ volatile("" : : : "memory")
#define BUILD_BUG_ON_ZERO(x)	(0 * sizeof(char[1 - 2 * !!(x)]))
#define BITS_PER_LONG		64
#define BITS_TO_LONGS(n)	(((n) + 63) / 64)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define DECLARE_BITMAP(name, bits)	unsigned long name[BITS_TO_LONGS(bits)]
#define ALIGN(x, a)		(((x) + (a) - 1) & ~((size_t)(a) - 1))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define clamp(value, low, high)	min(max(value, low), high)
#define ilog2(n)		(31U - (unsigned int)__builtin_clz(n))
#define order_base_2(n)		((n) <= 1 ? 0U : 32U - (unsigned int)__builtin_clz((n) - 1))
#define GOLDEN_RATIO_64		0x61C8864680B583EBull
#define hash_long(value, bits)	((u32)(((u64)(value) * GOLDEN_RATIO_64) >> (64 - (bits))))
#define hash_ptr(ptr, bits)	hash_long((uintptr_t)(ptr), bits)
#define S16_MAX			32767
#define PAGE_SHIFT		12
typedef unsigned int gfp_t;
typedef unsigned short umode_t;

#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))
/* What another CPU does at the next full barrier, once. */
extern void (*sim_at_barrier)(void);
void sim_barrier(void);
#define smp_mb()		sim_barrier()
extern void (*sim_at_rmb)(void);
void sim_rmb(void);
#define smp_rmb()		sim_rmb()
/* What another CPU does at the next load with acquire, once. */
extern void (*sim_at_acquire)(void);
void sim_acquire(void);
#define smp_load_acquire(p)	(sim_acquire(), READ_ONCE(*(p)))
/* What another CPU does right after the next store with release, once. */
extern void (*sim_at_release)(void);
void sim_release(void);
#define smp_store_release(p, v)	(WRITE_ONCE(*(p), v), sim_release())
/* What another CPU does right after the next atomic_add_return(), or llist_add(), once. */
extern void (*sim_at_add)(void), (*sim_at_list)(void);
void sim_added(void);
void sim_listed(void);
/* What another CPU does right before the next cmpxchg(), once. */
extern void (*sim_at_cmpxchg)(void);
void sim_cmpxchg(void);
#define cmpxchg(p, old_, new_) ({						\
	sim_cmpxchg();								\
	__typeof__(*(p)) _was = *(p);						\
	if (_was == (old_))							\
		*(p) = (new_);							\
	_was; })
#define cmpxchg64		cmpxchg
#define try_cmpxchg64(p, old, new) ({						\
	sim_cmpxchg();								\
	bool _same = *(p) == *(old);						\
	if (_same)								\
		*(p) = (new);							\
	else									\
		*(old) = *(p);							\
	_same; })
static inline unsigned int bitmap_weight(const unsigned long *map, unsigned int bits)
{
	unsigned int nr = 0;

	for (; bits; bits -= min(bits, 64U))
		nr += (unsigned int)__builtin_popcountl(*map++);
	return nr;
}

/* What another CPU does right before the next bit is set or cleared, once. */
extern void (*sim_at_bit)(void);
void sim_bit(void);
#define set_bit(bit, map)	(sim_bit(), (void)((map)[(bit) / 64] |= 1UL << (bit) % 64))
#define clear_bit(bit, map)	(sim_bit(), (void)((map)[(bit) / 64] &= ~(1UL << (bit) % 64)))

/*
 * Knows %pS, too, of the one address that a kprobe has, and of those that a program tells. Of any
 * other address it prints sim_symbol.
 */
extern const char *sim_symbol;
extern const char *(*sim_symbol_text)(unsigned long addr);
int sim_snprintf(char *buf, size_t size, const char *format, ...);
#define snprintf	sim_snprintf

static inline int __sysfs_match_string(const char *const *names, size_t nr, const char *text)
{
	size_t i, len = strcspn(text, "\n");

	for (i = 0; i < nr; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], text, len))
			return (int)i;
	return -EINVAL;
}

static inline int kstrtouint(const char *text, int base, unsigned int *value)
{
	char *end;

	*value = (unsigned int)strtoul(text, &end, base);
	return *end && *end != '\n' ? -EINVAL : 0;
}

static inline size_t strscpy(char *to, const char *from, size_t size)
{
	snprintf(to, size, "%s", from);
	return strlen(to);
}

#define scnprintf(buf, size, ...) ({						\
	int _n = snprintf(buf, size, __VA_ARGS__);				\
	(size_t)_n < (size) ? (size_t)_n : (size) - 1; })

/* --- static calls: keys that are called through, and trampolines for assembler ------------- */

struct static_call_key {
	void *func;
};

#define STATIC_CALL_KEY(name)		__SCK__##name
#define STATIC_CALL_TRAMP_ADDR(name)	NULL
#define STATIC_CALL_TRAMP_STR(name)	SIM_TRAMP_STR(name)
#define SIM_TRAMP_STR(name)		"__SCT__" #name
#define DECLARE_STATIC_CALL(name, type)						\
	extern struct static_call_key STATIC_CALL_KEY(name);			\
	typedef __typeof__(type) __SCTYPE__##name
#define DEFINE_STATIC_CALL_NULL(name, type)					\
	struct static_call_key STATIC_CALL_KEY(name);				\
	__asm__("	.globl __SCT__" #name "\n"				\
		"__SCT__" #name ":	jmp *__SCK__" #name "(%rip)\n");	\
	typedef __typeof__(type) __SCTYPE__##name
#define static_call(name)		((__SCTYPE__##name *)STATIC_CALL_KEY(name).func)
#define static_call_query(name)		static_call(name)
#define __static_call_update(key_, tramp_, func_)				\
	((void)(tramp_), (key_)->func = (func_))

/* --- memory ---------------------------------------------------------------------------------- */

/* The @nr-th allocation from now on fails, and none other; 0: none fails. */
void sim_fail_alloc(unsigned int nr);
void *sim_alloc(size_t n, size_t size);
void *sim_vmalloc(size_t size, unsigned int flags);
void sim_free(const void *memory);
size_t sim_size(const void *memory);
unsigned int sim_allocated(void);
size_t sim_allocated_bytes(void);

#undef kvfree
#define kvcalloc(n, size, flags)	sim_alloc(n, size)
#define kvfree(memory)			sim_free(memory)
#define vfree(memory)			sim_free(memory)
#define __vmalloc(size, flags)		sim_vmalloc(size, flags)
#define array_size(n, size)		((size_t)(n) * (size))
#define __GFP_ZERO			1U
#define __GFP_RETRY_MAYFAIL		2U
#define __GFP_NOWARN			4U

/* --- CPUs: each has its own copy of the section that per-CPU variables are in ------------------ */

extern unsigned int sim_cpu;
extern char *sim_areas[SIM_CPUS];
extern char __start_sim_percpu[], __stop_sim_percpu[];
void sim_init(void);

#define DEFINE_PER_CPU(type, name)						\
	__attribute__((section("sim_percpu"))) __typeof__(type) name
#define DECLARE_PER_CPU(type, name)	extern __typeof__(type) name
#define DECLARE_PER_CPU_SHARED_ALIGNED	DECLARE_PER_CPU
#define per_cpu_ptr(ptr, cpu)							\
	((__typeof__(ptr))((char *)(ptr) - __start_sim_percpu + sim_areas[cpu]))
#define this_cpu_ptr(ptr)		per_cpu_ptr(ptr, sim_cpu)
#define per_cpu(var, cpu)		(*per_cpu_ptr(&(var), cpu))
#define this_cpu_read(var)		per_cpu(var, sim_cpu)
/* As the kernel does it up to 6.1, whatever the type is. */
#define this_cpu_write(var, value) ({						\
	u64 _value = (u64)(uintptr_t)(value);					\
	memcpy(&per_cpu(var, sim_cpu), &_value, sizeof(var)); })
#define __this_cpu_read			this_cpu_read
#define __this_cpu_write		this_cpu_write
#define this_cpu_add(var, n)		(per_cpu(var, sim_cpu) += (n))
#define this_cpu_inc(var)		this_cpu_add(var, 1)
#define this_cpu_dec(var)		this_cpu_add(var, -1)
#define raw_smp_processor_id()		sim_cpu
#define smp_processor_id()		(sim_no_preempt ? sim_cpu : \
	(sim_breach("a CPU's number is asked for with preemption on"), sim_cpu))
#define num_possible_cpus()		sim_possible_cpus
extern unsigned int sim_possible_cpus;
#define nr_cpu_ids			SIM_CPUS
/* What other CPUs do before a loop over all CPUs comes to this one. */
extern void (*sim_at_cpu)(unsigned int cpu);
static inline bool sim_comes_to(unsigned int cpu)
{
	if (sim_at_cpu)
		sim_at_cpu(cpu);
	return cpu < SIM_CPUS;
}
#define for_each_possible_cpu(cpu)	for (cpu = 0; sim_comes_to(cpu); cpu++)
/* A dangling else stays with the if of whoever loops. */
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu) if (!cpu_online(cpu)) {} else
extern unsigned int sim_no_preempt;
#define preempt_disable()		((void)sim_no_preempt++)
#define preempt_enable()		((void)sim_no_preempt--)

struct cpumask {
	unsigned long bits[BITS_TO_LONGS(SIM_CPUS)];
};

#define test_bit(bit, map)		((map)[(bit) / 64] >> (bit) % 64 & 1)
#define cpumask_bits(mask)		((mask)->bits)
#define cpumask_weight(mask)		bitmap_weight((mask)->bits, SIM_CPUS)
#define cpumask_test_cpu(cpu, mask)	test_bit(cpu, (mask)->bits)
#define __cpumask_clear_cpu(cpu, mask)	clear_bit(cpu, (mask)->bits)

#define for_each_cpu(cpu, mask)							\
	for_each_possible_cpu(cpu) if (cpumask_test_cpu(cpu, mask))

/* --- tasks and time --------------------------------------------------------------------------- */

#define TASK_COMM_LEN	16
#define PF_MEMALLOC	0x800
#define PF_EXITING	0x4

struct arch_tlbflush_unmap_batch {
	struct cpumask cpumask;
};

struct tlbflush_unmap_batch {
	struct arch_tlbflush_unmap_batch arch;
	bool flush_required;
	bool writable;
};

struct task_struct {
	u64 start_boottime;
	char comm[TASK_COMM_LEN];
	pid_t pid;
	unsigned int flags;
	bool rcu_tasks_holdout;
	struct task_struct *thread;	/* another one of its process */
	bool killed;
	void *reclaim_state;
	struct tlbflush_unmap_batch tlb_ubc;
};

extern struct task_struct *current;
extern unsigned long jiffies;
/* Called whenever somebody sleeps: what other tasks do meanwhile. */
extern void (*sim_others)(void);

#define HZ			250
#define MSEC_PER_SEC		1000
#define msecs_to_jiffies(ms)	((unsigned long)(ms) / 4)
#define jiffies_to_msecs(j)	((unsigned int)((j) * 4))
#define task_pid_nr(task)	((task)->pid)
#define fatal_signal_pending(task)	((task)->killed)
void schedule_timeout_idle(unsigned long timeout);
/* What another CPU does as soon as work is queued, once: a worker may begin at once. */
struct work_struct;
extern void (*sim_at_queue)(struct work_struct *work);
void sim_queued(struct work_struct *work);
/* Called when somebody has slept: a worker lets the one go on who waits for it. */
extern void (*sim_slept)(void);
/* Who is killed doesn't sleep: a loop of these would never end. This one does. */
#define schedule_timeout_killable(timeout)					\
	(current->killed ? sim_breach("who is killed can't sleep killably") : (void)0, \
	 schedule_timeout_idle(timeout))
#define msleep(ms)		schedule_timeout_idle(msecs_to_jiffies(ms))

/* What another CPU does at the next rcu_read_lock(), once. */
extern void (*sim_at_rcu)(void);
extern unsigned int sim_rcu_depth;
void rcu_read_lock(void);
#define rcu_read_unlock()	((void)sim_rcu_depth--)
/* What another CPU does at the next synchronize_rcu(), once. */
extern void (*sim_at_sync)(void);
void synchronize_rcu(void);
/* How long it waits. */
extern unsigned int sim_rcu_tasks_ms;
void synchronize_rcu_tasks(void);

struct mutex {
	bool held;
};

#define DEFINE_MUTEX(name)	struct mutex name
/* What another task does when a task lets go of the last mutex that it has, once. */
extern void (*sim_at_unlock)(void);
unsigned int sim_mutexes_held(void);
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);
/* What another CPU does while a task that has a mutex waits for a second one, once. */
extern void (*sim_at_second_mutex)(void);
void sim_before_mutex(void);
#define mutex_lock_killable(mutex)						\
	(sim_before_mutex(), current->killed ? -EINTR : (mutex_lock(mutex), 0))

/* A second taker would wait for ever: there is one thread. */
typedef struct { bool held; } raw_spinlock_t;
extern unsigned int sim_spinlocks_held;
/* So many attempts to take a lock find that another CPU holds it. */
extern unsigned int sim_locks_taken;

#define raw_spin_lock_init(lock)	((lock)->held = false)
/*
 * What another CPU does right before the next lock is taken, and while somebody waits for one,
 * once: it may let go of that.
 */
extern void (*sim_at_lock)(void), (*sim_at_wait)(void);
bool raw_spin_trylock(raw_spinlock_t *lock);
void raw_spin_lock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);

/* --- mm ------------------------------------------------------------------------------------------ */

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

#define ATOMIC64_INIT(n)	{ n }
#define atomic_read(v)		((v)->counter)
#define atomic_set(v, n)	((v)->counter = (n))
#define atomic_inc(v)		((void)((v)->counter++))
#define atomic_dec(v)		((void)((v)->counter--))
#define atomic_dec_and_test(v)	(!--(v)->counter)
#define atomic_add_return(n, v)	((v)->counter += (n), sim_added(), (v)->counter)
#define atomic64_set(v, n)	((v)->counter = (n))
#define atomic64_read(v)	((u64)(v)->counter)
#define atomic64_read_acquire(v)	((v)->counter)
#define atomic64_inc_return(v)	(++(v)->counter)

struct mm_struct {
	struct {
		u64 ctx_id;
		atomic64_t tlb_gen;
	} context;
	atomic_t tlb_flush_batched;
	atomic_t mm_users;
	struct cpumask cpumask;
};

#define mm_cpumask(mm)		(&(mm)->cpumask)
/* It may fail: then nothing was read. */
int copy_from_kernel_nofault(void *to, const void *from, size_t size);
#define CONFIG_PARAVIRT		1
extern struct sim_pv_ops {
	struct {
		void (*flush_tlb_multi)(void);
	} mmu;
} pv_ops;
#define X86_FEATURE_INVLPGB	1
#define X86_FEATURE_XENPV	2
#define X86_HYPER_MS_HYPERV	1
extern bool sim_invlpgb, sim_xenpv, sim_hyperv;
extern u32 sim_hyperv_hints;
#define hypervisor_is_type(type)	((type) == X86_HYPER_MS_HYPERV && sim_hyperv)
#define cpuid_eax(leaf)		((leaf) == 0x40000004 ? sim_hyperv_hints : 0)
extern sim_cpus_t sim_offline;
#define boot_cpu_has(feature)	((feature) == X86_FEATURE_XENPV ? sim_xenpv : sim_invlpgb)
#define cpu_online(cpu)		(!(sim_offline >> (cpu) & 1))

/* --- x86 text --------------------------------------------------------------------------------------- */

#define INT3_INSN_OPCODE	0xcc
#define CALL_INSN_OPCODE	0xe8
#define MCOUNT_INSN_SIZE	5
#define ANNOTATE_NOENDBR	""

#include "masks.h"

#endif /* SIM_H */
