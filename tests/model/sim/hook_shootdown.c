// SPDX-License-Identifier: GPL-2.0-only
/* shootdown/: its knobs (rule S5), and where it has nothing to do (rule S6). */
#include "hook_rules.h"
#include "arch/x86.h"
#include "receivers/receivers.h"
#include "shootdown/shootdown.h"
#include "shootdown/shootdown_symbols.h"

struct sim_pv_ops pv_ops;
unsigned int sim_hotplug_off;
DEFINE_PER_CPU(struct tlb_state_shared, cpu_tlbstate_shared);
static int tlbstate, init_mm;

u32 sim_member_offset(const char *member)
{
	return strcmp(member, "is_lazy") ? 8 : 0;
}

/* --- the kernel ---------------------------------------------------------------------------- */

static bool exact;		/* a CPU leaves the mask of an mm that it leaves */
static unsigned int no_mm;	/* the so manieth mm can't be had; 0: all can */
static struct mm_struct mms[2], *loaded, *used;
static unsigned int nr_mms;
static int live_mms, on_cpu = -1;

static noinline struct mm_struct *mm_alloc(void)
{
	if (no_mm && !--no_mm)
		return NULL;
	live_mms++;
	mms[nr_mms % 2] = (struct mm_struct){ };
	return &mms[nr_mms++ % 2];
}

void mmput(struct mm_struct *mm)
{
	if (used == mm)
		sim_breach("an mm is given back that somebody uses");
	live_mms--;
}

void kthread_use_mm(struct mm_struct *mm)
{
	if (on_cpu < 0 || used)
		sim_breach("an mm is used by a task that can't, or has one");
	if (exact && loaded && loaded != mm)
		clear_bit(on_cpu, mm_cpumask(loaded)->bits);
	set_bit(on_cpu, mm_cpumask(mm)->bits);
	loaded = used = mm;
}

void kthread_unuse_mm(struct mm_struct *mm)
{
	if (used != mm)
		sim_breach("an mm is let go that isn't used");
	used = NULL;
}

long work_on_cpu(int cpu, long (*does)(void *data), void *data)
{
	long ret;

	if (!sim_hotplug_off)
		sim_breach("the worker's CPU may go offline");
	on_cpu = cpu;
	ret = does(data);
	on_cpu = -1;
	return ret;
}

static noinline void native_flush_tlb_multi(void)
{
}

static noinline void kvm_flush_tlb_multi(void)
{
}

int copy_from_kernel_nofault(void *to, const void *from, size_t size)
{
	return -EFAULT;
}

/* --- the knobs --------------------------------------------------------------------------------- */

static ssize_t write_file(unsigned int index, const char *text)
{
	struct kobj_attribute *attr = (void *)tlbbatch_shootdown_files.group->attrs[index];

	sim_forget();
	return attr->store(NULL, attr, text, strlen(text));
}

static int read_file(unsigned int index)
{
	struct kobj_attribute *attr = (void *)tlbbatch_shootdown_files.group->attrs[index];
	char text[16];

	attr->show(NULL, attr, text);
	return atoi(text);
}

#define write_prune(text)	write_file(0, text)
#define write_min(text)		write_file(1, text)
#define read_prune()		read_file(0)
#define read_min()		read_file(1)

static bool refuses(const char *why)
{
	return write_prune("1\n") == -EOPNOTSUPP && sim_logged(why) && !read_prune() &&
	       !tlbbatch_shootdown.on && !live_mms;
}

static void test_refusals(void)
{
	exact = true;
	ok(refuses("masks are exact"), "S6: prune is refused where masks are exact");
	ok_int(write_min("2\n"), 2, "S6: a minimum can be had there");
	ok_int(read_min(), 2, "and holds");
	ok_int(write_min("1\n"), 2, "it is 1 again");
	exact = false;
	sim_invlpgb = true;
	ok(refuses("INVLPGB"), "S6: prune is refused where flushes are broadcast");
	ok(write_min("2\n") == -EOPNOTSUPP && sim_logged("INVLPGB") && read_min() == 1,
	   "S6: so is a minimum");
	ok_int(write_min("1\n"), 2, "S6: but not 1, which asks nothing");
	sim_invlpgb = false;
	pv_ops.mmu.flush_tlb_multi = kvm_flush_tlb_multi;
	ok(refuses("hypervisor"), "S6: prune is refused where the hypervisor helps");
	ok(write_min("2\n") == -EOPNOTSUPP && sim_logged("hypervisor"), "S6: so is a minimum");
	pv_ops.mmu.flush_tlb_multi = native_flush_tlb_multi;
	no_mm = 1;
	ok(write_prune("1\n") == -ENOMEM && !read_prune() && !live_mms,
	   "S6: it is off if there is no memory to try the kernel");
	no_mm = 2;
	ok(write_prune("1\n") == -ENOMEM && !read_prune() && !live_mms,
	   "S6: also for want of a second mm");
	no_mm = 0;
}

static const char tracker[] = "luf/mode";
static bool pruned_in_wait, tracked_in_wait;
static unsigned int waits;

static void at_sync(void)
{
	waits++;
	pruned_in_wait = tlbbatch_receivers_prunes();
	tracked_in_wait = !tlbbatch_receivers_claim(tracker);
}

static bool pruned_in_switch;

/* Another feature is being switched: that may take long, and the writer may be killed. */
static void at_switch(void)
{
	pruned_in_switch = tlbbatch_receivers_prunes();
	current->killed = true;
}

static void test_switch(void)
{
	ok_int(write_prune("1\n"), 2, "it is switched on");
	pruned_in_switch = true;
	sim_at_second_mutex = at_switch;
	ok_int(write_prune("0\n"), -EINTR, "who writes 0 is killed while another feature is switched");
	ok(!pruned_in_switch && !read_prune(), "S5: nobody was left out any more before that");
	current->killed = false;
	ok(write_prune("1\n") == 2 && read_prune(), "it is switched on again");
	sim_at_second_mutex = at_switch;
	ok_int(write_prune("1\n"), 2, "1 again while another feature is switched");
	ok(!!sim_at_second_mutex, "S5: it doesn't wait, and keeps nobody waiting who writes 0");
	sim_at_second_mutex = NULL;
	ok(write_prune("0\n") == 2 && !read_prune() && !tlbbatch_shootdown.on, "and off");
}

static void test_tracked(void)
{
	ok(!tlbbatch_receivers_claim(tracker), "L19: who was refused keeps nobody from tracking");
	ok(write_prune("1\n") == -EBUSY && sim_logged("luf/mode is on") && !read_prune() &&
	   !tlbbatch_shootdown.on, "L19: prune is refused while somebody tracks");
	ok_int(write_prune("0\n"), 2, "0 can be written");
	tlbbatch_receivers_release(tracker);
	ok(write_prune("1\n") == 2 && write_prune("1\n") == 2, "it can be had, and written twice");
	ok_str(tlbbatch_receivers_claim(tracker) ?: "nobody", "shootdown/prune", "L19: then nobody tracks");
	current->killed = true;
	ok(write_prune("1\n") == -EINTR && tlbbatch_receivers_claim(tracker) && read_prune(),
	   "L19: even if somebody is killed who writes 1 again");
	current->killed = false;
	ok_int(write_prune("0\n"), 2, "off");
	sim_at_second_mutex = at_switch;
	ok(write_prune("1\n") == -EINTR && !read_prune() && !tlbbatch_receivers_claim(tracker),
	   "L19: who is killed while he waits for another feature keeps nobody from tracking");
	current->killed = false;
	tlbbatch_receivers_release(tracker);
	ok(!tlbbatch_receivers_claim(tracker), "L19: then somebody may");
	tlbbatch_receivers_release(tracker);
}

static void test_prune(void)
{
	ok_int(write_prune("2\n"), -ERANGE, "2 is out of range");
	ok_int(write_prune("x\n"), -EINVAL, "x is no number");
	ok_int(write_prune("1\n"), 2, "S6: masks aren't exact: prune is switched on");
	ok(read_prune() == 1 && tlbbatch_shootdown.on && !live_mms, "it is on, and no mm is kept");
	ok(nothing_attached(), "S4: it hooks nothing of its own");
	pruned_in_wait = true;
	sim_at_sync = at_sync;
	ok_int(write_prune("0\n"), 2, "it is switched off");
	ok(waits == 1 && !pruned_in_wait, "S5: who has seen it on is waited for");
	ok(!tracked_in_wait, "L19: nobody tracks before that");
	tlbbatch_receivers_release(tracker);
	ok(!read_prune() && !tlbbatch_shootdown.on, "S5: it is off");
	ok_int(write_prune("0\n"), 2, "0 again");
	sim_at_sync = NULL;
	current->killed = true;
	ok(write_prune("1\n") == -EINTR && !read_prune(), "who is killed changes nothing");
	current->killed = false;
}

static int min_in_wait;

static void meanwhile(void)
{
	min_in_wait = read_min();
	sim_others = NULL;
	close_pass(&reclaimer);
}

static bool is_off_in_wait;

static void meanwhile_off(void)
{
	sim_others = NULL;
	is_off_in_wait = write_prune("0\n") == 2 && !read_prune() && !sim_breaches();
	close_pass(&reclaimer);
}

/* Two writers: the first one waits for a pass that sleeps. */
static void test_min_and_prune(void)
{
	ok_int(write_prune("1\n"), 2, "prune is on");
	on(&beta);
	ok(!!open_pass(&reclaimer), "a pass is open");
	current = &admin;
	sim_others = meanwhile_off;
	ok_int(write_min("2\n"), 2, "a minimum is written, and waits for the pass");
	ok(!sim_others && is_off_in_wait, "S5: who writes 0 to prune doesn't wait for that");
	ok_int(write_min("1\n"), 2, "it is 1 again");
	off(&beta);
}

static void test_min(void)
{
	char most[16], more[16];

	sprintf(most, "%u\n", num_possible_cpus());
	sprintf(more, "%u\n", num_possible_cpus() + 1);
	ok_int(read_min(), 1, "S7: the minimum is 1 at first");
	ok(write_min("0\n") == -ERANGE && write_min(more) == -ERANGE && read_min() == 1,
	   "S7: 0 is out of range, and so is one more than there are CPUs");
	ok(write_min(most) > 0 && read_min() == (int)num_possible_cpus(), "S7: as many is the most");
	on(&beta);
	ok(!!open_pass(&reclaimer), "a pass is open");
	current = &admin;
	sim_others = meanwhile;
	ok(write_min("3\n") == 2 && read_min() == 3, "S7: it is changed");
	ok(!sim_others && min_in_wait == 3, "S7: passes that are open are waited for");
	ok_int(write_min("1\n"), 2, "it is 1 again");
	off(&beta);
}

/* Without what it needs, it can't be had, and nothing else suffers. */
static void test_lacks(void)
{
	strscpy(tlbbatch_shootdown.unavailable, "init_mm not found",
		sizeof(tlbbatch_shootdown.unavailable));
	ok(write_prune("1\n") == -EOPNOTSUPP && sim_logged("init_mm not found"),
	   "H2: without what it needs prune is refused");
	ok(write_min("2\n") == -EOPNOTSUPP && sim_logged("init_mm not found"), "H2: so is a minimum");
	ok_int(write_prune("0\n"), 2, "0 can be written");
	tlbbatch_shootdown.unavailable[0] = '\0';
}

static void test_unload(void)
{
	ok_int(write_prune("1\n"), 2, "it is on");
	sim_unload();
	ok(!tlbbatch_receivers_prunes() && !tlbbatch_shootdown.on, "S5: at unload nobody is left out");
	ok_int(sim_nr_registered() + sim_allocated() + sim_breaches(), 0, "nothing is left");
}

#define FLUSH_PROTO	"void(const struct cpumask *, const struct flush_tlb_info *)"

/* BTF is open: what does it lack on another kernel? */
static void test_find(void)
{
	ok_str(tlbbatch_shootdown_find() ?: "nothing", "nothing", "all that it needs is there");
	hook_world_proto("native_flush_tlb_multi", "int(int)");
	ok_str(tlbbatch_shootdown_find() ?: "nothing", "native_flush_tlb_multi differs",
	       "H2: the kernel's flush must have its prototype");
	hook_world_proto("native_flush_tlb_multi", FLUSH_PROTO);
	/* The symbol table has it at no address. */
	world.clone = "native_flush_tlb_multi";
	ok_str(tlbbatch_shootdown_find() ?: "nothing", "native_flush_tlb_multi not found",
	       "H2: and an address");
	world.clone = NULL;
}

int main(void)
{
	hook_world_init();
	hook_world_has("mm_alloc", mm_alloc, "struct mm_struct *(void)");
	hook_world_has("native_flush_tlb_multi", native_flush_tlb_multi, FLUSH_PROTO);
	hook_world_has("cpu_tlbstate", &tlbstate, "");
	hook_world_has("init_mm", &init_mm, "");
	pv_ops.mmu.flush_tlb_multi = native_flush_tlb_multi;
	world.found = test_find;
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_shootdown.unavailable, "", "all that it needs is there");
	test_refusals();
	test_tracked();
	test_prune();
	test_switch();
	test_min();
	test_min_and_prune();
	test_lacks();
	test_unload();
	return tap_done();
}
