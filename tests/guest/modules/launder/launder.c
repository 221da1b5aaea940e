// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: a folio is cleaned as soon as reclaim has handed it to its write-out and
 * unlocked it. Reclaim says so by an event, and then looks whether the folio is dirty.
 */
#define pr_fmt(fmt) "launder: " fmt
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

/* Every so manieth folio that waits. */
#define EVERY	8

static ulong cleaned;
module_param(cleaned, ulong, 0444);
MODULE_PARM_DESC(cleaned, "folios that were cleaned");

static struct tracepoint *event;
static unsigned int nr;

static void saw_write(void *data, struct folio *folio)
{
	if (!folio_test_anon(folio) || !folio_trylock(folio))
		return;
	if (folio_test_dirty(folio) && !folio_test_writeback(folio) && ++nr % EVERY == 0) {
		folio_clear_dirty(folio);
		WRITE_ONCE(cleaned, cleaned + 1);
	}
	folio_unlock(folio);
}

static void look_at(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "mm_vmscan_write_folio"))
		event = tp;
}

static int __init launder_init(void)
{
	for_each_kernel_tracepoint(look_at, NULL);
	return event ? tracepoint_probe_register(event, saw_write, NULL) : -ENOENT;
}

static void __exit launder_exit(void)
{
	tracepoint_probe_unregister(event, saw_write, NULL);
	tracepoint_synchronize_unregister();
}

module_init(launder_init);
module_exit(launder_exit);

MODULE_DESCRIPTION("Cleans folios that have just been handed to their write-out (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
