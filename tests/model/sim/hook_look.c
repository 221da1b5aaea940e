// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook that only looks (move_hook.c, rule B17), and its self-test (move_selftest.c, rule H8).
 */
#include "hook_rules.h"

static const struct tlbbatch_target targets[] = {
	{ .function = { "fn_looked", "int(int)" } },
	{ .function = { NULL, NULL } },
};

static struct tlbbatch_hook hooks[] = {
	{ .name = "moved", .lost = "all", .look = &tlbbatch_move_set, .targets = targets },
};

static struct tlbbatch_redirects redirects = { .hooks = hooks, .nr = 1 };
static struct mm_struct *flushed;
static unsigned int flushes;

void tlbbatch_flush_before_move(struct mm_struct *mm)
{
	flushed = mm;
	flushes++;
	/* As any C function may. */
	__asm__ volatile("xorl %%eax, %%eax\n	xorl %%ecx, %%ecx\n	xorl %%edx, %%edx\n"
			 "	xorl %%esi, %%esi\n	xorl %%edi, %%edi\n	xorl %%r8d, %%r8d\n"
			 "	xorl %%r9d, %%r9d\n	xorl %%r10d, %%r10d\n	xorl %%r11d, %%r11d\n"
			 : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
}

static const char *find(void)
{
	tlbbatch_redirects_resolve(&redirects, NULL, NULL);
	return NULL;
}

static int attach(void)
{
	sim_forget();
	return tlbbatch_redirects_attach(&redirects);
}

/* fn_looked() is called with the folio and the VMA of folio_move_anon_rmap(). */
static unsigned int call(struct folio *folio, struct vm_area_struct *vma)
{
	long (*volatile function)(struct folio *, struct vm_area_struct *) = (void *)fn_looked;
	unsigned int before = flushes;

	function(folio, vma);
	return flushes - before;
}

/*
 * Calls the trampoline with registers of @in, and stores what they are then: rax, rcx, rdx, rsi,
 * rdi, r8 to r11, rbx, rbp. The stack is aligned in the C function that the trampoline calls.
 */
void call_trampoline(const u64 *in, u64 *out);
__asm__("	.text\n"
	"call_trampoline:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %rsi\n	pushq %rsi\n"
	"	movq 0(%rdi), %rax\n	movq 8(%rdi), %rcx\n	movq 16(%rdi), %rdx\n"
	"	movq 24(%rdi), %rsi\n	movq 40(%rdi), %r8\n	movq 48(%rdi), %r9\n"
	"	movq 56(%rdi), %r10\n	movq 64(%rdi), %r11\n	movq 72(%rdi), %rbx\n"
	"	movq 80(%rdi), %rbp\n	movq 32(%rdi), %rdi\n"
	"	call tlbbatch_move_trampoline\n"
	"	pushq %rax\n	movq 8(%rsp), %rax\n"
	"	movq %rcx, 8(%rax)\n	movq %rdx, 16(%rax)\n	movq %rsi, 24(%rax)\n"
	"	movq %rdi, 32(%rax)\n	movq %r8, 40(%rax)\n	movq %r9, 48(%rax)\n"
	"	movq %r10, 56(%rax)\n	movq %r11, 64(%rax)\n	movq %rbx, 72(%rax)\n"
	"	movq %rbp, 80(%rax)\n"
	"	popq %rcx\n	movq %rcx, 0(%rax)\n"
	"	popq %rsi\n	popq %rsi\n	popq %rbx\n	popq %rbp\n"
	"	ret\n");

#define RSI	3
#define RDI	4

/* How often the trampoline, which the kernel calls where it can, has this folio flushed. */
static unsigned int by_trampoline(struct folio *folio, struct vm_area_struct *vma)
{
	unsigned int before = flushes, i;
	u64 in[11], out[11];

	for (i = 0; i < ARRAY_SIZE(in); i++)
		in[i] = 0x1234567800000000 + i;
	in[RSI] = (uintptr_t)vma;
	in[RDI] = (uintptr_t)folio;
	call_trampoline(in, out);
	ok(!memcmp(in, out, sizeof(in)), "B17: the trampoline leaves each register as it is");
	return flushes - before;
}

static void test_trampoline(struct folio *waits, struct folio *other, struct vm_area_struct *vma)
{
	flushed = NULL;
	ok(tlbbatch_move_set.ops.trampoline == (unsigned long)tlbbatch_move_trampoline,
	   "it is what ftrace calls");
	ok_int(by_trampoline(other, vma), 0, "B17: it lets a folio that isn't in the swap cache pass");
	ok_int(by_trampoline(waits, vma), 1, "B17: one that is in it is flushed");
	ok(flushed == vma->vm_mm, "B17: in the mm that it is moved in");
}

int main(void)
{
	struct mm_struct *mm = (void *)0x1000;
	struct vm_area_struct vma = { .vm_mm = mm };
	struct folio waits = { .flags = BIT(PG_swapcache) }, mapped = waits, other = { 0 };

	mapped.mapped = true;
	hook_world_init();
	alpha.find = find;
	ok_int(sim_load(), 0, "it loads");
	ok(!hooks[0].reason[0], "the hook can be had");

	sim_trouble.unpatched = "dummy";
	ok_int(attach(), -EIO, "H8: a hook that sees nothing is noticed");
	right(!sim_did("+fn_looked") && !sim_nr_registered(), "H8: before it is attached");
	sim_trouble.unpatched = NULL;
	sim_trouble.clobbers = true;
	ok_int(attach(), -EIO, "H8: one that changes arguments is noticed");
	sim_trouble.clobbers = false;
	sim_trouble.exchanges = true;
	ok_int(attach(), -EIO, "H8: so is one that exchanges them");
	sim_trouble.exchanges = false;

	ok_int(attach(), 0, "it is attached");
	ok(!(tlbbatch_move_set.ops.flags & FTRACE_OPS_FL_IPMODIFY),
	   "H4, H5: it excludes nobody who redirects the function");
	ok_int(flushes, 0, "H8: the self-test flushes nothing");
	ok_int(call(&waits, &vma), 1, "B17: a folio in the swap cache that nobody maps is flushed");
	ok(flushed == mm, "B17: in the mm that it is moved in");
	ok_int(call(&mapped, &vma), 0, "B17: nobody else is");
	ok_int(call(&other, &vma), 0, "B17: nor is one that isn't in the swap cache");
	test_trampoline(&waits, &other, &vma);
	sim_trouble.no_memory = 5;
	ok_int(tlbbatch_redirects_detach(&redirects), -ENOMEM,
	       "there is no memory to detach it");
	ok_int(call(&waits, &vma), 0, "H3: it is still called, and does nothing");
	ok_int(attach(), 0, "it is attached again");
	ok_int(call(&waits, &vma), 1, "H3: then it flushes again");
	ok_int(tlbbatch_redirects_detach(&redirects), 0, "it is detached");
	ok_int(call(&waits, &vma), 0, "then it doesn't look");
	right(nothing_attached(), "nothing is attached");
	sim_unload();
	return hook_world_done();
}
