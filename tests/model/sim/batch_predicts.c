// SPDX-License-Identifier: GPL-2.0-only
/*
 * What advise predicts of a pass, and what batching does in it: rule A3. A pass is made up of
 * random events. The module's own batching goes through it, and so does the prediction,
 * which is told what it would see if batching were off.
 */
#include "advise/advise_policy.h"
#include "batch_world.h"

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
	unsigned int flushes;
	unsigned int left;
	unsigned int deferred;
} off;

static void off_asked(void)
{
	off.flushes++;
	off.required = false;
	tlbbatch_whatif_asked(&off.pass);
}

static void off_flushes(void)
{
	if (!off.required)
		return;
	off.required = false;
	off.flushes++;
	off.left++;
	tlbbatch_whatif_flushed(&off.pass);
}

static void off_writes(const struct folio *folio)
{
	struct tlbbatch_whatif_folio it = {
		.gate = folio->anon ? TLBBATCH_GATE_SWAP : TLBBATCH_GATE_SHMEM,
		.nr_pages = folio->nr,
	};
	enum tlbbatch_fate fate = tlbbatch_whatif_written(&off.pass, &it);

	off.left += fate == TLBBATCH_FATE_FLUSHED;
	off.deferred += fate == TLBBATCH_FATE_WAITS;
}

/* A folio is unmapped, and no page table entry of it was dirty. */
static void unmap_clean(void)
{
	current->tlb_ubc.flush_required = true;
	off.required = true;
}

static void event(struct folio *folio)
{
	switch (below(12)) {
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
		off_asked();
		unmap_dirty();
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
	off_asked();
	reclaim(folio);
	off_writes(folio);
}

/* Of one pass: is the prediction what batching does? */
static bool as_predicted(unsigned int batch_size, unsigned int events)
{
	static struct folio folios[FOLIOS];
	unsigned int i;
	bool good;

	anew(batch_size);
	off.flushes = off.left = off.deferred = 0;
	off.required = false;
	tlbbatch_whatif_begin(&off.pass, tlbbatch_pass_batch_size());
	pass_begin(&one);
	for (i = 0; i < events; i++)
		event(&folios[i]);
	pass_end(&one);
	off_flushes();
	off.left += tlbbatch_whatif_end(&off.pass);
	good = counted(TLBBATCH_FLUSHES_ISSUED) == off.left &&
	       counted(TLBBATCH_FOLIOS_DEFERRED) == off.deferred && off.left <= off.flushes;
	if (!good)
		printf("# batch_size %u, %u events: %llu flushes, not %u of %u; %llu deferred, not %u\n",
		       batch_size, events, counted(TLBBATCH_FLUSHES_ISSUED), off.left, off.flushes,
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
			wrong += !as_predicted(sizes[i], below(EVENTS));
			saved += off.flushes - off.left;
			flushes += off.flushes;
		}
		ok(!wrong && flushes, "A3: batch_size %u: %u passes flush as predicted, %u of %u left",
		   sizes[i], pass, flushes - saved, flushes);
	}
	ok(saved, "A3: batching saves flushes in these passes");
}

static void test_width(void)
{
	bool good;

	tlbbatch_pass_width = 256;
	good = as_predicted(8, EVENTS) && off.pass.batch_size == 256;
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
	test_width();
	test_puts_off();
	return tap_done();
}
