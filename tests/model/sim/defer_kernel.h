/* SPDX-License-Identifier: GPL-2.0-only */
/* Folios of files, who has them mapped, and memory: what deferral looks at. */
#ifndef SIM_DEFER_KERNEL_H
#define SIM_DEFER_KERNEL_H

/* No case of a kernel's configuration matters here. */
#define IS_ENABLED(option)	0
#include "ftrace.h"
#include "release.h"

/* --- lists ------------------------------------------------------------------------------- */

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define list_empty_careful(head)	list_empty(head)

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	entry->next = head;
	entry->prev = head->prev;
	head->prev->next = entry;
	head->prev = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	entry->next = entry->prev = NULL;
}

static inline void list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

static inline void list_splice_tail_init(struct list_head *from, struct list_head *to)
{
	if (list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	INIT_LIST_HEAD(from);
}

#define list_splice_init(from, to)	list_splice_tail_init(from, to)
#define list_entry(at, type, member)	((type *)((char *)(at) - offsetof(type, member)))
#define list_for_each_entry(at, head, member)					\
	for (at = list_entry((head)->next, __typeof__(*at), member);		\
	     &at->member != (head);						\
	     at = list_entry(at->member.next, __typeof__(*at), member))
#define list_for_each_entry_safe(at, after, head, member)			\
	for (at = list_entry((head)->next, __typeof__(*at), member),		\
	     after = list_entry(at->member.next, __typeof__(*at), member);	\
	     &at->member != (head);						\
	     at = after, after = list_entry(at->member.next ?: (head), __typeof__(*at), member))

/* --- files and folios ---------------------------------------------------------------------- */

struct super_block {
	unsigned long s_magic;
	unsigned int s_dev;
};

struct address_space;

struct inode {
	struct super_block *i_sb;
	struct address_space *i_mapping;
	unsigned long i_ino;
	int writers;
	bool noquota;
};

#define IS_NOQUOTA(inode)	((inode)->noquota)

struct address_space {
	struct inode *host;
	bool writably_mapped;
};

struct file {
	struct address_space *f_mapping;
	unsigned int f_mode;
};

struct dentry {
	struct inode *inode;
};

struct iattr {
	unsigned int ia_valid;
};

#define VM_SHARED	8UL

struct vm_area_struct {
	struct file *vm_file;
	unsigned long vm_flags;
};


struct vm_fault {
	struct vm_area_struct *vma;
	unsigned int flags;
};

#define FMODE_WRITE			2
#define ATTR_SIZE			8
#define FAULT_FLAG_WRITE		1
#define TTU_BATCH_FLUSH			0x40
#define TTU_RMAP_LOCKED			0x80
#define d_inode(dentry)			((dentry)->inode)
#define mapping_writably_mapped(file)	((file)->writably_mapped)
/* What another CPU does right behind the next look at a file's writers, once. */
extern void (*sim_at_writers)(void);
bool inode_is_open_for_write(const struct inode *inode);

enum { SIM_ZONE_DMA, SIM_ZONE_NORMAL, MAX_NR_ZONES };
#define CONFIG_ZONE_DMA			1
#define CONFIG_MEMORY_ISOLATION		1
#define ZONE_DMA			SIM_ZONE_DMA

/* A page has four words. */
struct page {
	u32 words[4];
};

#undef PAGE_SIZE
#define PAGE_SIZE			sizeof(struct page)

struct folio {
	struct page page;
	struct list_head lru;
	unsigned long index;
	struct address_space *mapping;
	bool anon, swapcache, large;
	unsigned int nr, zone;
	int refs;
	/* CPUs that may have entries of it; how often it was freed */
	sim_cpus_t entries;
	unsigned int freed;
};

#define folio_test_anon(folio)		((folio)->anon)
#define folio_test_swapcache(folio)	((folio)->swapcache)
#define folio_test_large(folio)		((folio)->large)
#define folio_mapping(folio)		((folio)->mapping)
#define folio_nr_pages(folio)		((folio)->nr)
#define folio_zonenum(folio)		((folio)->zone)
/* What another CPU does right before the next look at a folio's references, once. */
extern void (*sim_at_refs)(void);
int sim_refs(const struct folio *folio);
#define folio_ref_count(folio)		sim_refs(folio)
#define folio_page(folio, i)		(&(folio)->page)
#define folio_size(folio)		PAGE_SIZE
#define page_address(at)		((void *)(at)->words)
unsigned long page_to_pfn(const struct page *page);

static inline u32 jhash2(const u32 *words, unsigned int nr, u32 sum)
{
	while (nr--)
		sum = sum * 31 + *words++;
	return sum;
}

#define FOLIO_BATCH_SIZE		31

struct folio_batch {
	unsigned char nr;
	struct folio *folios[FOLIO_BATCH_SIZE];
};

#define folio_batch_init(batch)		((batch)->nr = 0)
#define folio_batch_reinit(batch)	folio_batch_init(batch)
#define folio_batch_count(batch)	((batch)->nr)

static inline unsigned int folio_batch_add(struct folio_batch *batch, struct folio *folio)
{
	batch->folios[batch->nr++] = folio;
	return FOLIO_BATCH_SIZE - batch->nr;
}

struct mem_cgroup;
#define release_pages(pages, nr)	sim_breach("a held folio is put")
#define object_is_on_stack(object)	true
#define mem_cgroup_disabled()		false

/* --- masks and bits ---------------------------------------------------------------------------- */

static inline bool sim_test_and_set(unsigned int bit, unsigned long *map)
{
	bool was = test_bit(bit, map);

	set_bit(bit, map);
	return was;
}

#define __set_bit(bit, map)		set_bit(bit, map)
#define __clear_bit(bit, map)		clear_bit(bit, map)
#define __test_and_set_bit(bit, map)	sim_test_and_set(bit, map)
#define bitmap_zero(map, bits)		memset(map, 0, BITS_TO_LONGS(bits) * 8)
#define bitmap_copy(to, from, bits)	memcpy(to, from, BITS_TO_LONGS(bits) * 8)

static inline unsigned int sim_find(const unsigned long *map, unsigned int size, unsigned int bit)
{
	while (bit < size && !test_bit(bit, map))
		bit++;
	return bit;
}

#define for_each_set_bit(bit, map, size)					\
	for (bit = sim_find(map, size, 0); bit < (size); bit = sim_find(map, size, bit + 1))

/* As on a machine with many CPUs. */
typedef struct cpumask *cpumask_var_t;
#define zalloc_cpumask_var(mask, flags)	(*(mask) = sim_alloc(1, sizeof(struct cpumask)), !!*(mask))
#define free_cpumask_var(mask)		sim_free(mask)

static inline unsigned int cpumask_any_but(const struct cpumask *mask, unsigned int cpu)
{
	unsigned int other = sim_find(mask->bits, SIM_CPUS, 0);

	return other == cpu ? sim_find(mask->bits, SIM_CPUS, cpu + 1) : other;
}

/* --- memory -------------------------------------------------------------------------------------- */

enum { NR_FREE_PAGES, NR_FREE_CMA_PAGES };

struct zone {
	unsigned long free, min, low, high, cma, nr_reserved_highatomic, nr_isolate_pageblock;
};

typedef struct pglist_data {
	int node_id;
	struct zone node_zones[MAX_NR_ZONES];
} pg_data_t;

typedef struct { unsigned long bits; } nodemask_t;

struct reclaim_stat {
	unsigned int nr;
};

#define SIM_NODES			2
extern struct pglist_data sim_nodes[SIM_NODES];
#define NODE_DATA(nid)			(&sim_nodes[nid])
#define nr_node_ids			SIM_NODES
#define N_MEMORY			0
/* So many have memory. */
extern int sim_memory_nodes;
#define for_each_node_state(nid, state)	for (nid = 0; nid < sim_memory_nodes; nid++)
#define zone_page_state(zone, item)	((item) == NR_FREE_PAGES ? (zone)->free : (zone)->cma)
#define min_wmark_pages(zone)		((zone)->min)
#define low_wmark_pages(zone)		((zone)->low)
#define high_wmark_pages(zone)		((zone)->high)
#define zone_idx(zone)			((zone) - sim_nodes[0].node_zones < MAX_NR_ZONES ?	\
					 (zone) - sim_nodes[0].node_zones :			\
					 (zone) - sim_nodes[1].node_zones)
#define populated_zone(zone)		((zone)->high)
#define GFP_KERNEL			0
#define kcalloc(n, size, flags)		sim_alloc(n, size)
#define kzalloc_node(size, flags, nid)	sim_alloc(1, size)
#define kfree(memory)			sim_free(memory)
#define MAX_NUMNODES			SIM_NODES

typedef struct { long counter; } atomic_long_t;
#define atomic_long_read(v)		((v)->counter)
/* Only pages that are held back are counted so. */
#define atomic_long_add(n, v)		(sim_spinlocks_held ? (void)0 :				\
	sim_breach("pages are counted without their node's lock"), (void)((v)->counter += (long)(n)))
#define atomic_long_sub(n, v)		(sim_no_preempt || sim_preempt_off ? (void)0 :		\
	sim_breach("pages are freed while others wait for a task that may be preempted"),	\
	atomic_long_add(-(long)(n), v))
#define smp_mb__before_atomic()		barrier()
/* What is interrupted has the lock. */
extern bool sim_in_nmi;
/* Waits for another CPU. */
void sim_relax(void);
#define cpu_relax	sim_relax
#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name
#define raw_spin_lock_irqsave(lock, flags)	((void)((flags) = 0), raw_spin_lock(lock))
#define raw_spin_trylock_irqsave(lock, flags)	\
	((void)((flags) = 0), !sim_in_nmi && raw_spin_trylock(lock))
#define __releases(lock)
#define PageHWPoison(page)		((page)->words[3] == 0xbad)
#define raw_spin_unlock_irqrestore(lock, flags)	((void)(flags), raw_spin_unlock(lock))
#undef MAJOR
#undef MINOR
#define MAJOR(dev)			((unsigned int)((dev) >> 20))
#define MINOR(dev)			((unsigned int)((dev) & 0xfffff))



/* --- work, time, notifiers ------------------------------------------------------------------------- */

struct workqueue_struct {
	int none;
};

struct delayed_work {
	struct work_struct work;
	bool queued;
	unsigned long when;
};

/* Runs at once. */
struct irq_work {
	void (*func)(struct irq_work *work);
};

#define DEFINE_IRQ_WORK(name, does)	struct irq_work name = { does }
#define irq_work_queue(work)		((work)->func(work))
#define irq_work_sync(work)		((void)(work))
#define WQ_MEM_RECLAIM			0
#define WQ_UNBOUND			0
#define alloc_workqueue(name, ...)	((struct workqueue_struct *)sim_alloc(1, 1))
#define destroy_workqueue(queue)	sim_free(queue)
#define INIT_DELAYED_WORK(at, does)	((at)->work.func = (does))
#define to_delayed_work(at)		container_of(at, struct delayed_work, work)
#ifndef container_of
#define container_of(at, type, member)	((type *)((char *)(at) - offsetof(type, member)))
#endif
#define time_after_eq(a, b)		((long)((a) - (b)) >= 0)
#define time_before(a, b)		(!time_after_eq(a, b))
#define delayed_work_pending(work)	((work)->queued)
void mod_delayed_work(struct workqueue_struct *queue, struct delayed_work *work,
		      unsigned long delay);
void cancel_delayed_work_sync(struct delayed_work *work);

struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long action, void *data);
};

#define NOTIFY_OK			1
enum { MEM_GOING_OFFLINE = 2, PM_HIBERNATION_PREPARE = 1, PM_SUSPEND_PREPARE = 3 };
extern struct notifier_block *sim_oom, *sim_memory, *sim_pm;
/* So many registrations succeed. */
extern unsigned int sim_notifiers;
int sim_register(struct notifier_block **at, struct notifier_block *block);
#define register_oom_notifier(block)	sim_register(&sim_oom, block)
#define register_memory_notifier(block)	sim_register(&sim_memory, block)
#define register_pm_notifier(block)	sim_register(&sim_pm, block)
#define unregister_oom_notifier(block)	((void)(sim_oom = NULL))
#define unregister_memory_notifier(block)	((void)(sim_memory = NULL))
#define unregister_pm_notifier(block)	((void)(sim_pm = NULL))

#include "sysfs_types.h"

#endif /* SIM_DEFER_KERNEL_H */
