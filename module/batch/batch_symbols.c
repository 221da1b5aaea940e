// SPDX-License-Identifier: GPL-2.0-only
/*
 * What batching needs of the running kernel besides its hooks: functions that it calls,
 * fields and constants that are private to mm/vmscan.c. Each is a row of targets.tbl.
 */
#include <linux/kernel.h>
#include <linux/memcontrol.h>
#include <linux/string.h>
#include "batch/batch_symbols.h"
#include "debug/debug.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "pass/demotion.h"
#include "targets.h"

#define DEFINE_CALL(name, optional)					\
	DEFINE_STATIC_CALL_NULL(tlbbatch_##name, tlbbatch_type_##name);
TLBBATCH_TBL_batch_call_names(DEFINE_CALL)

#define CALL(name, optional)						\
	TLBBATCH_HELPER(TLBBATCH_TBL_call_##name, tlbbatch_##name)

static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_TBL_batch_call_names(CALL)
};

static char missing[TLBBATCH_REASON_LEN];

static u32 target_memcg_offset;
#ifdef TLBBATCH_DEBUG
static u32 nr_to_reclaim_offset, priority_offset;
#endif
static s64 pageout_success;

#define MEMBER(name, tag, member, type)	{ tag, member, type, &name##_offset },
#define FIELD(name, optional)		TLBBATCH_TBL_member_##name(MEMBER)

/* The members of struct scan_control that are read. */
static const struct {
	const char *tag;
	const char *member;
	const char *type;
	u32 *offset;
} fields[] = {
	TLBBATCH_TBL_batch_member_names(FIELD)
#ifdef TLBBATCH_DEBUG
	TLBBATCH_TBL_debug_member_names(FIELD)
#endif
};

/* The symbol in a row of targets.tbl that has no alternatives. */
#define NAME_OF(row)	TLBBATCH_TBL_##row(TLBBATCH_TBL_SYMBOL)

static bool find_private(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (tlbbatch_member_offset(fields[i].tag, fields[i].member,
					   fields[i].type, fields[i].offset))
			continue;
		snprintf(missing, sizeof(missing), "%s.%s not found",
			 fields[i].tag, fields[i].member);
		return false;
	}
	if (tlbbatch_enumerator(NAME_OF(enum_pageout_success), &pageout_success))
		return true;
	strscpy(missing, NAME_OF(enum_pageout_success) " not found", sizeof(missing));
	return false;
}

/**
 * tlbbatch_batch_find() - find what batching needs besides its hooks
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_batch_find(void)
{
	const char *lacks = tlbbatch_demotion_find();

	if (lacks)
		return lacks;
	if (tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing,
				     sizeof(missing)) && find_private())
		return NULL;
	return missing;
}

/**
 * tlbbatch_target_memcg() - the memory cgroup that a pass reclaims for
 * @sc: the pass's scan_control
 *
 * Context: the pass.
 * Return: the cgroup; NULL in global reclaim.
 */
struct mem_cgroup *tlbbatch_target_memcg(const struct scan_control *sc)
{
	return *(struct mem_cgroup **)((const char *)sc + target_memcg_offset);
}

#ifdef TLBBATCH_DEBUG
/**
 * tlbbatch_nr_to_reclaim() - how many pages reclaim is asked for
 * @sc: the pass's scan_control
 *
 * Context: the pass.
 * Return: pages; 0 if the caller of reclaim handed over a list of folios.
 */
unsigned long tlbbatch_nr_to_reclaim(const struct scan_control *sc)
{
	return *(const unsigned long *)((const char *)sc + nr_to_reclaim_offset);
}

/**
 * tlbbatch_priority() - the priority of a pass, that is, how hard reclaim tries
 * @sc: the pass's scan_control
 *
 * Context: the pass.
 * Return: 12 at first, down to 0; reclaim scans twice as much with each step down.
 */
int tlbbatch_priority(const struct scan_control *sc)
{
	return *(const s8 *)((const char *)sc + priority_offset);
}
#endif

/**
 * tlbbatch_pageout_success() - the value of PAGE_SUCCESS: pageout() wrote the folio
 *
 * Context: any.
 */
int tlbbatch_pageout_success(void)
{
	return pageout_success;
}
