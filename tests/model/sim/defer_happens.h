/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens to files and to memory while flushes are put off: to be included behind defer_world.h. */
#ifndef SIM_DEFER_HAPPENS_H
#define SIM_DEFER_HAPPENS_H

static struct vm_area_struct vma = { &opened[0] };

static void opens(void)
{
	inodes[0].writers++;
	file_open(&opened[0]);
}

static void opens_other(void)
{
	inodes[1].writers++;
	file_open(&opened[1]);
}

static void reads(void)
{
	struct file reader = { &files[0], 0 };

	file_open(&reader);
}

static void cuts(void)
{
	struct iattr attr = { ATTR_SIZE };
	struct dentry dentry = { &inodes[0] };

	inodes[0].writers++;
	change(NULL, &dentry, &attr);
	inodes[0].writers--;
}

static void chmods(void)
{
	struct iattr attr = { 1 };
	struct dentry dentry = { &inodes[0] };

	change(NULL, &dentry, &attr);
}

static void copies(void)
{
	struct vm_fault vmf = { &vma, FAULT_FLAG_WRITE };

	fault(&vmf);
}

static void copies_other(void)
{
	struct vm_area_struct other = { &opened[1], 0 };
	struct vm_fault vmf = { &other, FAULT_FLAG_WRITE };

	fault(&vmf);
}

static void writes_shared(void)
{
	struct vm_area_struct shared = { &opened[0], VM_SHARED };
	struct vm_fault vmf = { &shared, FAULT_FLAG_WRITE };

	fault(&vmf);
}

static void faults(void)
{
	struct vm_fault vmf = { &vma, 0 };

	fault(&vmf);
}

static void guards(void)
{
	struct madvise_behavior behavior = { .vma = &vma };

	ok_int((int)guard(&behavior), 17, "what the kernel returns is passed on");
}

static void runs_short(void)
{
	unsigned long freed = 0;

	jiffies += 250;
	sim_oom->notifier_call(sim_oom, 0, &freed);
	ok_int((int)freed, 20, "D5: what was held back counts as freed");
}

static void isolates(void)
{
	isolate(0, 512, 0);
}

static void looks_at_isolated(void)
{
	isolated(0, 512, 0);
}

static void seeks_range(void)
{
	seek_range(1UL << 18, 0, 0, NULL);
}

static void goes_offline(void)
{
	sim_memory->notifier_call(sim_memory, MEM_GOING_OFFLINE, NULL);
}

static void sleeps(void)
{
	sim_pm->notifier_call(sim_pm, PM_SUSPEND_PREPARE, NULL);
}

static void compacts(void)
{
	void (*probe)(void *data, int order, gfp_t flags, int priority);

	probe = tlbbatch_defer_watches.points[tlbbatch_defer_watches.nr_points - 1].probe;
	probe(NULL, 3, 0, 0);
}

#endif /* SIM_DEFER_HAPPENS_H */
