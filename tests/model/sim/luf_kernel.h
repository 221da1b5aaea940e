/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages, folios, files, and whatever else LUF tracking looks at. */
#ifndef SIM_LUF_KERNEL_H
#define SIM_LUF_KERNEL_H

/* The size of a struct with locks in it isn't the kernel's. */
#define IS_ENABLED(option)	1
#include <sys/ioctl.h>
#include <linux/types.h>
#include <linux/userfaultfd.h>
#include "ftrace.h"

#define SIM_FRAMES	65536UL

/* --- pages --------------------------------------------------------------------------- */

struct list_head {
	struct list_head *next;
};

struct page {
	int refs;
	bool compound, slab;
	bool gone;	/* its memory is offline */
	struct list_head lru;
};

extern struct page sim_pages[SIM_FRAMES];
/* What another CPU does when a page's references are read next, once. */
extern void (*sim_at_look)(void);
extern bool sim_init_on_free, sim_poison;

static inline int page_ref_count(const struct page *page)
{
	void (*does)(void) = sim_at_look;

	sim_at_look = NULL;
	if (does)
		does();
	if (page->gone)
		sim_breach("a page that is gone is looked at");
	return page->refs;
}

#define pfn_to_page(pfn)	(&sim_pages[pfn])
#define page_to_pfn(page)	((unsigned long)((page) - sim_pages))
#define PageCompound(page)	((page)->compound)
#define PageSlab(page)		((page)->slab)
#define want_init_on_free()	sim_init_on_free
#define page_poisoning_enabled_static()	sim_poison
/* The end of a second node, if there is one. */
extern unsigned long sim_second_node_end;
#define for_each_online_node(nid)	for (nid = 0; nid < 1 + !!sim_second_node_end; nid++)
#define node_end_pfn(nid)	((nid) ? sim_second_node_end : (unsigned long)SIM_FRAMES)
#define list_for_each_entry(at, head, member)					\
	for (at = (void *)((char *)(head)->next - offsetof(__typeof__(*at), member)); \
	     &at->member != (head);						\
	     at = (void *)((char *)at->member.next - offsetof(__typeof__(*at), member)))
typedef struct { int none; } nodemask_t;

static inline const void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *at = start;

	for (; bytes; bytes--, at++)
		if (*at != c)
			return at;
	return NULL;
}

/* --- files ------------------------------------------------------------------------------- */

#define BDEVFS_MAGIC		0x62646576
#define FUSE_SUPER_MAGIC	0x65735546
#define GFS2_MAGIC		0x01161970
#define OCFS2_SUPER_MAGIC	0x7461636f
#define TMPFS_MAGIC		0x01021994
#define RAMFS_MAGIC		0x858458f6
#define EXT4_MAGIC		0xef53
#define NFS_MAGIC		0x6969
#define FS_REQUIRES_DEV		1
#define SB_KERNMOUNT		(1 << 22)

struct file_system_type {
	int fs_flags;
};

struct super_block {
	unsigned long s_magic, s_flags;
	struct file_system_type *s_type;
};

struct block_device {
	void *bd_holder;
};

struct address_space;

struct inode {
	struct super_block *i_sb;
	struct address_space *i_mapping;
	int writers;
	struct block_device device;
};

struct address_space {
	struct inode *host;
	int writably_mapped;
};

struct file {
	struct address_space *f_mapping;
	unsigned int f_mode;
};

#define I_BDEV(inode)			(&(inode)->device)
#define mapping_writably_mapped(file)	((file)->writably_mapped > 0)
/* What another CPU does right behind the next look at a file's writers, once. */
extern void (*sim_at_writers)(void);

static inline bool inode_is_open_for_write(const struct inode *inode)
{
	void (*does)(void) = sim_at_writers;
	bool writers = inode->writers > 0;

	sim_at_writers = NULL;
	if (does)
		does();
	return writers;
}

struct vm_area_struct {
	struct file *vm_file;
	unsigned long vm_flags;
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned int flags;
};

struct folio {
	struct address_space *mapping;
	bool anon, swapcache;
	unsigned long pfn;
	unsigned int nr;
};

#define folio_test_anon(folio)		((folio)->anon)
#define folio_test_swapcache(folio)	((folio)->swapcache)
#define folio_mapping(folio)		((folio)->mapping)
#define folio_nr_pages(folio)		((folio)->nr)
#define folio_pfn(folio)		((folio)->pfn)

#define TTU_SYNC		0x10
#define TTU_BATCH_FLUSH		0x40
#define TTU_RMAP_LOCKED		0x80
#define FAULT_FLAG_WRITE	0x1
#define VM_SHARED		0x8
#define FMODE_WRITE		0x2
#define MAY_WRITE		0x2

/* --- flushes and hotplug --------------------------------------------------------------------- */

#define TLB_FLUSH_ALL		(~0UL)
enum { TLB_FLUSH_ON_TASK_SWITCH, TLB_REMOTE_SHOOTDOWN, TLB_LOCAL_SHOOTDOWN,
       TLB_LOCAL_MM_SHOOTDOWN, TLB_REMOTE_SEND_IPI, TLB_REMOTE_WRONG_CPU };

enum { MEM_ONLINE = 1, MEM_GOING_OFFLINE = 2, MEM_OFFLINE = 4, MEM_GOING_ONLINE = 8,
       MEM_CANCEL_ONLINE = 16, MEM_CANCEL_OFFLINE = 32 };
#define NOTIFY_OK		1
#define CPUHP_AP_ONLINE_DYN	200

struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long action, void *data);
};

/* So many registrations for hotplug succeed. */
extern unsigned int sim_hotplug_works;
extern struct notifier_block *sim_memory_notifier;
extern int (*sim_cpu_up)(unsigned int cpu), (*sim_cpu_down)(unsigned int cpu);
int register_memory_notifier(struct notifier_block *block);
void unregister_memory_notifier(struct notifier_block *block);
int cpuhp_setup_state_nocalls(int state, const char *name, int (*up)(unsigned int cpu),
			      int (*down)(unsigned int cpu));
void cpuhp_remove_state_nocalls(int state);

/* --- bits and lists ---------------------------------------------------------------------------- */

#define __set_bit(bit, map)	set_bit(bit, map)
#define clear_bit_unlock(bit, map)	clear_bit(bit, map)
#define test_and_set_bit(bit, map)	({ bool _b = test_bit(bit, map); set_bit(bit, map); _b; })
#define bitmap_zero(map, bits)	memset(map, 0, BITS_TO_LONGS(bits) * 8)
#define bitmap_copy(to, from, bits)	memcpy(to, from, BITS_TO_LONGS(bits) * 8)

static inline unsigned int sim_find(const unsigned long *map, unsigned int size,
				    unsigned int bit, bool set)
{
	while (bit < size && test_bit(bit, map) != set)
		bit++;
	return bit;
}

#define find_next_bit(map, size, bit)		sim_find(map, size, bit, true)
#define find_next_zero_bit(map, size, bit)	sim_find(map, size, bit, false)
#define for_each_set_bit(bit, map, size)					\
	for (bit = sim_find(map, size, 0, true); bit < (size);			\
	     bit = sim_find(map, size, bit + 1, true))
static inline unsigned int cpumask_any_but(const struct cpumask *mask, unsigned int cpu)
{
	unsigned int other = find_next_bit(mask->bits, SIM_CPUS, 0);

	return other == cpu ? find_next_bit(mask->bits, SIM_CPUS, cpu + 1) : other;
}


#define cancel_work_sync(work)	((void)(work), sim_note("cancel_work"))

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

#define init_llist_head(head)	((head)->first = NULL)
#define llist_empty(head)	(!(head)->first)
#define llist_add(node, head)	\
	((node)->next = (head)->first, (head)->first = (node), sim_listed())
#define llist_entry(ptr, type, member)	((type *)((char *)(ptr) - offsetof(type, member)))

static inline struct llist_node *llist_del_first(struct llist_head *head)
{
	struct llist_node *first = head->first;

	/* Two who take at once corrupt the list. */
	if (!sim_spinlocks_held)
		sim_breach("an entry is taken off a list without a lock");
	if (first)
		head->first = first->next;
	return first;
}

#endif /* SIM_LUF_KERNEL_H */
