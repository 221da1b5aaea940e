// SPDX-License-Identifier: GPL-2.0-only
/*
 * What pageout() does for one folio, done for a folio that waited.
 *
 * Differences from pageout(): the lock is only tried, all that may have changed
 * is looked at again, and one more reference is expected. NR_VMSCAN_WRITE and
 * nr_pageout were counted, and mm_vmscan_write_folio was emitted, when the folio
 * was deferred.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/writeback.h>
#include "batch/batch_symbols.h"
#include "batch/batch_counters.h"
#include "batch/folio_write.h"
#include "debug/debug.h"
#include "kernel/kernel_calls.h"

static bool unevictable(struct folio *folio, struct address_space *mapping)
{
	return folio_test_mlocked(folio) ||
	       (mapping && mapping_unevictable(mapping));
}

/* Rule B7: what was remembered is compared, never followed. */
static enum tlbbatch_drop recheck(const struct tlbbatch_waiting *w)
{
	struct folio *folio = w->folio;
	struct address_space *mapping = folio_mapping(folio);
	struct tlbbatch_folio_facts facts = {
		.nr_pages = folio_nr_pages(folio),
		.nr_pages_deferred = w->nr_pages,
		.refs = folio_ref_count(folio),
		.anon = folio_test_anon(folio),
		.swapcache = folio_test_swapcache(folio),
		.same_mapping = mapping && mapping == w->mapping,
		.swapbacked = folio_test_swapbacked(folio),
		.dirty = folio_test_dirty(folio),
		.writeback = folio_test_writeback(folio),
		.mapped = folio_mapped(folio),
		.dma_pinned = folio_maybe_dma_pinned(folio),
		.unevictable = unevictable(folio, mapping),
		.hwpoison = PageHWPoison(&folio->page) ||
			    (folio_test_large(folio) &&
			     folio_test_has_hwpoisoned(folio)),
	};

	return tlbbatch_policy_recheck(w->gate, &facts);
}

DEFINE_STATIC_CALL_NULL(tlbbatch_write_swap, tlbbatch_type_write);
DEFINE_STATIC_CALL_NULL(tlbbatch_write_shmem, tlbbatch_type_write);

/* The kernel's own write-out, entered behind its hook. */
static int write_out(struct swap_io_ctx *io, const struct tlbbatch_waiting *w)
{
	int ret;

	if (tlbbatch_debug_inject_writeout(w->folio, &ret))
		return ret;
	if (w->gate == TLBBATCH_GATE_SHMEM)
		return static_call(tlbbatch_write_shmem)(io, w->folio);
	return static_call(tlbbatch_write_swap)(io, w->folio);
}

/*
 * Records an error of the write-out in the mapping, as the kernel does. The write-out
 * has unlocked the folio. The kernel waits for its lock; this only tries, and counts
 * the error in any case.
 */
static void note_error(const struct tlbbatch_waiting *w, int error)
{
	tlbbatch_count(TLBBATCH_WRITE_ERRORS, 1);
	if (!folio_trylock(w->folio))
		return;
	if (folio_mapping(w->folio) == w->mapping)
		mapping_set_error(w->mapping, error);
	folio_unlock(w->folio);
}

/*
 * AOP_WRITEPAGE_ACTIVATE: the folio wasn't written, is still locked, and belongs on the
 * active list. This does what shrink_folio_list() does at activate_locked, in pages. It
 * has added up PGACTIVATE already, so tlbbatch_batch_end() adds these (rule B13).
 */
static void activate(struct tlbbatch_context *ctx, struct folio *folio)
{
	long nr_pages = folio_nr_pages(folio);
	struct mem_cgroup *memcg;
	unsigned long flags;

	folio_clear_reclaim(folio);
	if (folio_test_swapcache(folio) &&
	    (static_call(tlbbatch_mem_cgroup_swap_full)(folio) ||
	     folio_test_mlocked(folio)))
		static_call(tlbbatch_folio_free_swap)(folio);
	if (!folio_test_mlocked(folio)) {
		folio_set_active(folio);
		ctx->pages_activated[folio_is_file_lru(folio)] += nr_pages;
		/* From 7.0 on RCU's read lock keeps the folio's cgroup from changing. */
		rcu_read_lock();
		memcg = folio_memcg(folio);
		if (memcg) {
			local_irq_save(flags);
			static_call(tlbbatch_count_memcg_events)(memcg, PGACTIVATE,
								 nr_pages);
			local_irq_restore(flags);
		}
		rcu_read_unlock();
	}
	folio_unlock(folio);
}

/**
 * tlbbatch_folio_write() - write out a folio that waited, if it still may be
 * @ctx: the running task's pass; a flush has covered @w
 * @io: gathers what is written; the caller submits it
 * @w: the folio; the batch's reference stays with the caller
 *
 * Context: the owner of @ctx, no folio of the batch locked; sleeps where the
 *	kernel's write-out does. Returns with the folio unlocked.
 * Return: %TLBBATCH_DROP_NONE if the kernel's write-out took it (errors included, as
 *	the kernel counts them), else why it goes back unwritten (rule B8).
 */
enum tlbbatch_drop tlbbatch_folio_write(struct tlbbatch_context *ctx,
					struct swap_io_ctx *io,
					const struct tlbbatch_waiting *w)
{
	struct folio *folio = w->folio;
	u64 start = tlbbatch_debug_clock();
	enum tlbbatch_drop reason;
	int ret;

	/* Rule B6: the lock is only tried: to wait for it in reclaim could deadlock. */
	if (tlbbatch_debug_drops() || !folio_trylock(folio))
		return TLBBATCH_DROP_LOCKED;
	reason = recheck(w);
	if (reason == TLBBATCH_DROP_NONE && !folio_clear_dirty_for_io(folio))
		reason = TLBBATCH_DROP_CLEAN;
	if (reason != TLBBATCH_DROP_NONE) {
		folio_unlock(folio);
		return reason;
	}

	folio_set_reclaim(folio);
	tlbbatch_debug_spent_own(start);
	start = tlbbatch_debug_clock();
	ret = write_out(io, w);
	tlbbatch_debug_spent_writing(start);
	if (ret == AOP_WRITEPAGE_ACTIVATE) {
		activate(ctx, folio);
		return TLBBATCH_DROP_ACTIVATED;
	}
	if (ret < 0)
		note_error(w, ret);
	if (!folio_test_writeback(folio))
		folio_clear_reclaim(folio);
	return TLBBATCH_DROP_NONE;
}
