// SPDX-License-Identifier: GPL-2.0-only
/*
 * What advise predicts of a pass, and what batching does in it: rule A3. A pass is made up of
 * random events. The module's own batching goes through it, and so does the prediction,
 * which is told what it would see if batching were off.
 */
#include "advise/advise_policy.h"
#include "arch/x86.h"
#include "batch_world.h"
#include "receivers/receivers.h"

#define PASSES		2000
#define EVENTS		80
#define FOLIOS		EVENTS

static unsigned int random_state = 1;

static unsigned int below(unsigned int limit)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 16) % limit;
}

/* What a pass would flush: see tlbbatch_whatif_written(). */
static struct {
	struct tlbbatch_whatif pass;
	bool required;		/* of what was unmapped since the last flush, while batching is off */
	struct cpumask unmapped;	/* whom that flush must reach */
	struct cpumask cpus;		/* and the one that would be owed now */
	unsigned int flushes;
	unsigned int left;
	unsigned int deferred;
} off;

/* The flush that is asked for comes at once; the one that would be owed has to reach these, too. */
static void off_flush(void)
{
	off.flushes++;
	off.required = false;
	off.cpus.bits[0] |= off.unmapped.bits[0];
	off.unmapped.bits[0] = 0;
}

static void off_left(void)
{
	off.left++;
	off.cpus.bits[0] = 0;
}

static void off_asked(void)
{
	off_flush();
	tlbbatch_whatif_asked(&off.pass);
}

static void off_flushes(void)
{
	if (!off.required)
		return;
	off_flush();
	off_left();
	tlbbatch_whatif_flushed(&off.pass);
}

/* Reclaim frees folios that nobody had mapped. */
static void off_frees(void)
{
	if (off.required)
		off_flushes();
	else if (tlbbatch_whatif_frees(&off.pass))
		off_left();
}

static void off_writes(const struct folio *folio)
{
	struct tlbbatch_whatif_folio it = {
		.gate = folio->anon ? TLBBATCH_GATE_SWAP : TLBBATCH_GATE_SHMEM,
		.nr_pages = folio->nr,
	};
	unsigned int receivers = 0;
	enum tlbbatch_fate fate;

	off.cpus.bits[0] |= off.unmapped.bits[0];
	if (tlbbatch_whatif_needs_look(&off.pass, &it))
		receivers = tlbbatch_receivers_of(&off.cpus, NULL, false);
	fate = tlbbatch_whatif_written(&off.pass, &it, receivers);
	if (fate == TLBBATCH_FATE_FLUSHED)
		off_left();
	off.deferred += fate == TLBBATCH_FATE_WAITS;
}

/* What is unmapped for the next folio is in use on some CPUs, some of which are lazy by now. */
static void mapped_by_others(void)
{
	unsigned long cpus = BIT(below(8)) | BIT(below(8));
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(cpu_tlbstate_shared.is_lazy, cpu) = !below(3);
	current->tlb_ubc.arch.cpumask.bits[0] |= cpus;
	/* unmap_dirty() adds its own two; a folio whose entries are clean adds none beside these. */
	off.unmapped.bits[0] |= cpus;
}

/* A folio is unmapped, and no page table entry of it was dirty. */
static void unmap_clean(void)
{
	current->tlb_ubc.flush_required = true;
	off.required = true;
}

/* Are there dirty folios whose entries are clean? */
static bool clean_entries;

static void event(struct folio *folio)
{
	unsigned int what = below(13 + clean_entries);

	if (what == 12) {
		tlbbatch_hook_try_to_unmap_flush();
		off_frees();
		return;
	}
	mapped_by_others();
	switch (what) {
	case 0:
		unmap_clean();
		return;
	case 1:
		/* Reclaim frees a group of folios, the last of which was clean. */
		unmap_clean();
		tlbbatch_hook_try_to_unmap_flush();
		off_flushes();
		return;
	case 2:
		/* A dirty folio to which somebody holds a reference: it meets no gate. */
		off.unmapped.bits[0] |= 3;
		off_asked();
		unmap_dirty();
		return;
	case 13:
		/* Nobody asks for its flush, but it may wait for that of another one. */
		*folio = anon_folio(1);
		off.unmapped.bits[0] |= 3;
		off.required = true;
		world.unmaps_clean = true;
		reclaim(folio);
		world.unmaps_clean = false;
		off_writes(folio);
		return;
	case 3:
		*folio = shmem_folio(1);
		break;
	case 4:
		*folio = shmem_folio(2);
		break;
	case 5:
		*folio = anon_folio(16);
		break;
	default:
		*folio = anon_folio(1);
	}
	off.unmapped.bits[0] |= 3;
	off_asked();
	reclaim(folio);
	off_writes(folio);
}

/* Of one pass: is the prediction what batching does? */
static bool as_predicted(unsigned int batch_size, unsigned int events, unsigned int min)
{
	static struct folio folios[FOLIOS];
	unsigned int i;
	bool good;

	anew(batch_size);
	off.flushes = off.left = off.deferred = 0;
	off.required = false;
	off.unmapped.bits[0] = off.cpus.bits[0] = 0;
	tlbbatch_receivers_min = min;
	tlbbatch_whatif_begin(&off.pass, tlbbatch_pass_batch_size(), min);
	pass_begin(&one);
	for (i = 0; i < events; i++)
		event(&folios[i]);
	pass_end(&one);
	off_flushes();
	off.left += tlbbatch_whatif_end(&off.pass);
	/* A flush that is left covers clean entries, which now have a later one of their own. */
	good = (counted(TLBBATCH_FLUSHES_ISSUED) == off.left ||
		(clean_entries && counted(TLBBATCH_FLUSHES_ISSUED) < off.left)) &&
	       counted(TLBBATCH_FOLIOS_DEFERRED) == off.deferred && off.left <= off.flushes;
	if (!good)
		printf("# batch_size %u, minimum %u, %u events: %llu flushes, not %u of %u; "
		       "%llu deferred, not %u\n", batch_size, min, events,
		       counted(TLBBATCH_FLUSHES_ISSUED), off.left, off.flushes,
		       counted(TLBBATCH_FOLIOS_DEFERRED), off.deferred);
	return good;
}

static void test_sizes(void)
{
	static const unsigned int sizes[] = { 1, 2, 3, 8, 31, 32, 64, 512 };
	unsigned int i, pass, wrong, saved, flushes;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		wrong = saved = flushes = 0;
		for (pass = 0; pass < PASSES / ARRAY_SIZE(sizes) && !wrong; pass++) {
			wrong += !as_predicted(sizes[i], below(EVENTS), 1);
			saved += off.flushes - off.left;
			flushes += off.flushes;
		}
		ok(!wrong && flushes, "A3: batch_size %u: %u passes flush as predicted, %u of %u left",
		   sizes[i], pass, flushes - saved, flushes);
	}
	ok(saved, "A3: batching saves flushes in these passes");
}

static void test_clean(void)
{
	unsigned int pass, wrong = 0, flushes = 0, left = 0, issued = 0;

	clean_entries = true;
	for (pass = 0; pass < PASSES / 4 && !wrong; pass++) {
		wrong += !as_predicted(1 + below(16), below(EVENTS), 1);
		flushes += off.flushes;
		left += off.left;
		issued += counted(TLBBATCH_FLUSHES_ISSUED);
	}
	clean_entries = false;
	ok(!wrong, "A3: with clean entries batching never flushes more than is predicted");
	ok(issued < left && left < flushes && left - issued < (flushes - issued) / 4,
	   "A3: and hardly less: of %u flushes %u are predicted, %u are left", flushes, left, issued);
}

/* Rule S7: a folio waits only if so many are interrupted. */
static void test_worth(void)
{
	unsigned int min, pass, wrong, deferred = 0, fewer = 0;

	for (min = 2; min <= 6; min++) {
		wrong = 0;
		for (pass = 0; pass < PASSES / 8 && !wrong; pass++) {
			wrong += !as_predicted(1 + below(16), below(EVENTS), min);
			deferred += off.deferred;
			fewer += off.left == off.flushes;
		}
		ok(!wrong, "A3: S7: a minimum of %u: %u passes flush as predicted", min, pass);
	}
	ok(deferred && fewer, "A3: S7: some folios wait in these passes, and some don't for that");
}

static void test_width(void)
{
	bool good;

	tlbbatch_pass_width = 256;
	good = as_predicted(8, EVENTS, 1) && off.pass.batch_size == 256;
	tlbbatch_pass_width = 0;
	ok(good, "A3: W5: wider passes let as many folios wait here, too");
}

/* The prediction is told which pass puts flushes off: rule A4. */
static void test_puts_off(void)
{
	struct tlbbatch_pass *pass;

	anew(8);
	pass_begin(&one);
	pass = tlbbatch_pass_current();
	ok(pass && pass->puts_off, "A4: a pass that is batched says that flushes are put off");
	pass_end(&one);
	anew(8);
	world.demotion = world.lower = true;
	pass_begin(&one);
	pass = tlbbatch_pass_current();
	ok(pass && !pass->puts_off, "A4: one that demotes doesn't, in the same slot");
	pass_end(&one);
}

int main(void)
{
	world_init();
	test_sizes();
	test_clean();
	test_worth();
	test_width();
	test_puts_off();
	return tap_done();
}
