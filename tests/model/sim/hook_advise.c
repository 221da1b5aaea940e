// SPDX-License-Identifier: GPL-2.0-only
/*
 * Advise, from its knob to its counters: it only looks (rule A1), and each flush that it sees has
 * a cause (rule A2). hook_whatif.c has what it predicts.
 */
#include "advise_world.h"
#include "arch/x86.h"

#define NR_MADVISE	28
#define NR_READ		0
#define NR_MUNMAP_32	91
#define NR_MPROTECT	10

/* --- off ------------------------------------------------------------------------------------- */

static unsigned int nr_attached(void)
{
	return sim_is_patched((unsigned long)flush_tlb_mm_range) +
	       sim_is_patched((unsigned long)arch_tlbbatch_flush) +
	       sim_is_patched((unsigned long)try_to_unmap_flush_dirty) +
	       sim_is_patched((unsigned long)try_to_unmap_flush) +
	       sim_is_patched((unsigned long)fn_pass);
}

static void test_switch(void)
{
	ok_str(tlbbatch_advise.unavailable, "", "flushes can be watched");
	ok_str(mode(), "[off] watch\n", "it is off");
	ok_int(nr_attached(), 0, "H15: nothing is attached");
	ok_int(write_mode("on\n"), -EINVAL, "there is no such mode");
	sim_invlpgb = true;
	ok_int(write_mode("watch\n"), -EOPNOTSUPP, "A1: refused where flushes send no IPI");
	ok(sim_logged("INVLPGB"), "A1: and the log says why");
	sim_invlpgb = false;
	sim_xenpv = true;
	ok_int(write_mode("watch\n"), -EOPNOTSUPP, "A1: refused where Xen flushes");
	ok(sim_logged("Xen") && !nr_attached(), "A1: and the log says why");
	sim_xenpv = false;
	sim_hyperv = true;
	sim_hyperv_hints = 1 << 2;
	ok_int(write_mode("watch\n"), -EOPNOTSUPP, "A1: refused where Hyper-V flushes");
	ok(sim_logged("Hyper-V") && !nr_attached(), "A1: and the log says why");
	/* It wants to be told of other things, but not of flushes. */
	sim_hyperv_hints = ~(1U << 2);
	ok(write_mode("watch\n") == 6 && write_mode("off\n") == 4,
	   "A1: not where Hyper-V leaves them to the guest");
	sim_hyperv = false;
	sim_hyperv_hints = ~0U;
	ok_int(write_mode("watch\n"), 6, "it watches");
	ok_str(mode(), "off [watch]\n", "and says so");
	ok_int(nr_attached(), 5, "H2: all is attached");
}

static void test_end(void)
{
	current = &admin;
	ok_int(write_mode("off\n"), 4, "it is switched off");
	ok(!nr_attached() && !tlbbatch_advise.on, "H15: nothing is attached any more");
	threads_run();
	flush_mm(&mm, false);
	ok_int(COUNTED(FLUSHES_UNMAP), 0, "and nothing is counted");
	current = &admin;
}

/* --- whom a flush interrupts ------------------------------------------------------------------ */

static void test_receivers(void)
{
	threads_run();
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 2), "A2: madvise interrupts CPUs 2 and 3, neither itself nor a lazy one");
	flush_mm(&mm, true);
	ok(ONLY(UNMAP, 4), "A2: if page tables are freed, all others of the mask");
	sim_offline = 1 << 2;
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 1), "A2: none that is offline");
	flush_mm(&mm, true);
	ok(ONLY(UNMAP, 3), "A2: not even if page tables are freed");
	sim_offline = 0;
	per_cpu(tlb_state.loaded, 3) = TLBBATCH_ARCH_SWITCHING;
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 2), "A2: one that switches, too");
	per_cpu(tlb_state.loaded, 3) = &other_mm;
	per_cpu(tlb_state.loaded, 2) = &other_mm;
	flush_mm(&mm, false);
	ok_int(COUNTED(FLUSHES_UNMAP), 0, "A2: a flush that interrupts nobody doesn't count");
}

static void test_causes(void)
{
	threads_run();
	sim_call.nr = NR_MPROTECT;
	flush_mm(&mm, false);
	ok(ONLY(MPROTECT, 2), "A2: mprotect");
	sim_call = (struct pt_regs_of_task){ NR_MUNMAP_32, true };
	flush_mm(&mm, false);
	ok(ONLY(UNMAP, 2), "A2: munmap of 32 bits");
	sim_call = (struct pt_regs_of_task){ NR_READ, false };
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: another call");
	mm.mm_users.counter = 0;
	flush_mm(&mm, false);
	ok(ONLY(EXIT, 2), "A2: an mm that nobody uses any more");
	mm.mm_users.counter = 1;
	current->flags = PF_MEMALLOC;
	flush_mm(&mm, false);
	ok(ONLY(MIGRATE, 2), "A2: direct compaction");
	current->reclaim_state = &mm;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: reclaim, outside of its passes");
	current->reclaim_state = NULL;
	current->flags = PF_KTHREAD;
	sim_call.nr = NR_MADVISE;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: a thread of the kernel is in no call");
	strscpy(current->comm, "kcompactd0", sizeof(current->comm));
	flush_mm(&mm, false);
	ok(ONLY(MIGRATE, 2), "A2: kcompactd");
	current->flags = 0;
	sim_call.nr = NR_READ;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: a program of that name isn't");
	/* It has a copy of the registers of whoever made it, who was in madvise. */
	sim_call.nr = NR_MADVISE;
	current->flags = PF_IO_WORKER;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: a worker of io_uring is in no call");
	current->flags = PF_USER_WORKER;
	flush_mm(&mm, false);
	ok(ONLY(OTHER, 2), "A2: nor is one of vhost");
}

/* --- passes ----------------------------------------------------------------------------- */

/* A pass that began before advise did, or found no slot; and no pass at all. */
static void test_outside(void)
{
	reclaims();
	unmap(0xf, true);
	try_to_unmap_flush_dirty();
	ok(ONLY(OTHER, 2), "A2: reclaim in a pass that wasn't seen");
	threads_run();
	anew();
	unmap(0xf, false);
	try_to_unmap_flush();
	ok(ONLY(MIGRATE, 2), "A2: a batch outside of reclaim is migration's");
}

/* While "off" waits for a pass, advise doesn't know those that begin. */
static void test_leaving(void)
{
	struct tlbbatch_pass *open;

	reclaims();
	open = begin_pass(0);
	tlbbatch_pass_leave(tlbbatch_advise.pass);
	write_dirty(0xf);
	ok(COUNTED(FLUSHES_RECLAIM_DIRTY) == 1 && COUNTED(WHATIF_FLUSHES) == 1,
	   "A2: a pass is counted to its end");
	end_pass(open);
	anew();
	unmap(0xf, true);
	try_to_unmap_flush_dirty();
	ok(!COUNTED(FLUSHES_OTHER) && !COUNTED(FLUSHES_MIGRATE),
	   "A2: a later one's flushes aren't taken for others'");
	threads_run();
	flush_mm(&mm, false);
	ok(!COUNTED(FLUSHES_UNMAP), "A2: nothing else is counted then, so that shares stay true");
	tlbbatch_pass_join(tlbbatch_advise.pass);
}

int main(void)
{
	ok_int(advise_world_init(), 0, "it loads");
	test_switch();
	current = &reclaimer;
	test_receivers();
	test_causes();
	test_outside();
	test_leaving();
	test_end();
	sim_unload();
	return hook_world_done();
}
