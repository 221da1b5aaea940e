// SPDX-License-Identifier: GPL-2.0-only
/* Which CPUs a flush must interrupt, and whether that is worth putting it off. */
#include "receivers/receivers_policy.h"
#include "tap.h"

#define MM	17ULL	/* the number of an mm */
#define OTHER	18ULL

static enum tlbbatch_verdict judge(enum tlbbatch_loaded loaded, u64 cpu_id, u64 cpu_gen, u64 mm_gen)
{
	const struct tlbbatch_cpu_facts facts = {
		.loaded = loaded, .mm_id = MM, .mm_gen = mm_gen, .cpu_id = cpu_id, .cpu_gen = cpu_gen,
	};

	return tlbbatch_receivers_judge(&facts);
}

static bool spare(enum tlbbatch_loaded loaded, u64 cpu_id, u64 cpu_gen, u64 mm_gen)
{
	return tlbbatch_receivers_is_spare(judge(loaded, cpu_id, cpu_gen, mm_gen));
}

static void test_judge(void)
{
	const struct tlbbatch_cpu_facts nothing = { };
	u64 most = U64_MAX;

	ok(!spare(TLBBATCH_LOADED_USER, MM, 6, 7), "S1: a CPU that is behind stays");
	ok_int(judge(TLBBATCH_LOADED_USER, MM, 6, 7), TLBBATCH_VERDICT_KEPT_BEHIND,
	       "it is counted as behind");
	ok(!spare(TLBBATCH_LOADED_USER, MM, 0, most), "S1: however far behind");
	ok(spare(TLBBATCH_LOADED_USER, MM, 7, 7), "S1: one that has flushed all is spare");
	ok(spare(TLBBATCH_LOADED_USER, MM, 8, 7), "S1: so is one that got ahead of what was read");
	ok_int(judge(TLBBATCH_LOADED_USER, MM, 7, 7), TLBBATCH_VERDICT_PRUNED_CURRENT,
	       "it is counted as current");
	ok(!spare(TLBBATCH_LOADED_USER, MM, most - 1, most) && spare(TLBBATCH_LOADED_USER, MM, most, most),
	   "S1: generations have 64 bits");
	ok(spare(TLBBATCH_LOADED_KERNEL, OTHER, 0, 7), "S1: one without user space is spare");
	ok_int(judge(TLBBATCH_LOADED_KERNEL, OTHER, 0, 7), TLBBATCH_VERDICT_PRUNED_KERNEL,
	       "it is counted as the kernel's");
	ok(!spare(TLBBATCH_LOADED_SWITCHING, MM, 7, 7), "S2: one that switches stays");
	ok_int(judge(TLBBATCH_LOADED_SWITCHING, MM, 7, 7), TLBBATCH_VERDICT_KEPT_SWITCHING,
	       "it is counted as switching");
	ok(!spare(TLBBATCH_LOADED_UNKNOWN, MM, 7, 7), "S2: one of which nothing is known stays");
	ok(!spare(TLBBATCH_LOADED_USER, OTHER, 7, 7), "S2: one whose note is another mm's stays");
	ok_int(judge(TLBBATCH_LOADED_USER, OTHER, 7, 7), TLBBATCH_VERDICT_KEPT_UNKNOWN,
	       "it is counted as unknown");
	ok(!spare((enum tlbbatch_loaded)99, MM, 7, 7), "S2: so does one in a state that isn't known");
	ok(!tlbbatch_receivers_is_spare(tlbbatch_receivers_judge(&nothing)),
	   "S2: so does one of which nothing was read");
	ok_int(tlbbatch_receivers_judge(&(struct tlbbatch_cpu_facts){ .loaded = TLBBATCH_LOADED_USER }),
	       TLBBATCH_VERDICT_KEPT_UNKNOWN, "S2: no mm has the number 0");
}

/* Of so many folios in a row, how many wait, and for how many is looked? */
static unsigned int folios(struct tlbbatch_worth *worth, unsigned int nr, unsigned int receivers,
			   unsigned int batch_size, unsigned int *looks)
{
	unsigned int wait = 0;

	*looks = 0;
	while (nr--) {
		*looks += tlbbatch_worth_needs_look(worth);
		wait += tlbbatch_worth_decide(worth, receivers, batch_size);
	}
	return wait;
}

static void test_worth(void)
{
	struct tlbbatch_worth worth = { .min = 1 };
	unsigned int looks;

	ok_int(folios(&worth, 1000, 0, 64, &looks), 1000, "S7: at 1 each folio waits");
	ok_int(looks, 0, "S7: and nobody looks");
	worth = (struct tlbbatch_worth){ .min = 2 };
	ok_int(folios(&worth, 1000, 1, 64, &looks), 0, "S7: at 2 none waits that would interrupt 1");
	ok_int(looks, 1000, "S7: each no holds for one folio");
	worth = (struct tlbbatch_worth){ .min = 2 };
	ok_int(folios(&worth, 1000, 2, 64, &looks), 1000, "S7: each waits that would interrupt 2");
	ok_int(looks, 16, "S7: a yes holds for a batch");
	worth = (struct tlbbatch_worth){ .min = 2 };
	ok_int(folios(&worth, 5, 2, 1, &looks), 5, "a batch of 1:");
	ok_int(looks, 5, "each folio is looked at");
	worth = (struct tlbbatch_worth){ .min = 3 };
	folios(&worth, 64, 3, 64, &looks);
	ok(!tlbbatch_worth_decide(&worth, 2, 64), "S7: behind that it may be a no");
	ok(tlbbatch_worth_decide(&worth, 3, 64), "S7: and a yes again");
}

int main(void)
{
	test_judge();
	test_worth();
	return tap_done();
}
