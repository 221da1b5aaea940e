// SPDX-License-Identifier: GPL-2.0-only
/* Finds every function of the kernel that is to be hooked, and verifies it (rule H2). */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "debug/debug.h"
#include "hooks/hook.h"
#include "hooks/hook_set.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"

static void refuse(struct tlbbatch_hook *hook, const char *reason)
{
	strscpy(hook->reason, reason, sizeof(hook->reason));
	if (hook->lost)
		pr_warn("hook %s is unavailable: %s; lost: %s\n", hook->name,
			reason, hook->lost);
}

/* The name by which a debug build falsifies its prototype; NULL if it can't. */
static const char *spoiled_by(const struct tlbbatch_hook *hook)
{
	return hook->lost ? hook->name : NULL;
}

static bool is_needed(const struct tlbbatch_need *need)
{
	const struct tlbbatch_function *harmless = &need->harmless;

	if (need->tag && !tlbbatch_kernel_has(need->tag, need->member))
		return false;
	return !harmless->symbol ||
	       !tlbbatch_symbol_matches(harmless->symbol, harmless->proto);
}

static void resolve_hook(struct tlbbatch_hook *hook, bool whole)
{
	const struct tlbbatch_function *near;
	const struct tlbbatch_target *target;
	char reason[TLBBATCH_REASON_LEN] = "no target for this kernel";
	int err;

	if (hook->look && whole) {
		refuse(hook, "what looks cannot be registered whole");
		return;
	}
	if (!is_needed(&hook->need)) {
		hook->unneeded = true;
		return;
	}
	target = tlbbatch_first_fit(hook->targets, spoiled_by(hook), &near);
	if (!target) {
		if (near)
			tlbbatch_symbol_check(near->symbol,
					      tlbbatch_debug_proto(hook->name,
								   near->proto),
					      reason, sizeof(reason));
		else if (hook->targets->function.symbol)
			snprintf(reason, sizeof(reason), "%s not found (inlined?)",
				 hook->targets->function.symbol);
		refuse(hook, reason);
		return;
	}
	if (tlbbatch_is_cloned(target->function.symbol)) {
		snprintf(reason, sizeof(reason), "%s is not all that callers call",
			 target->function.symbol);
		refuse(hook, reason);
		return;
	}
	hook->addr = tlbbatch_symbol_address(target->function.symbol);
	hook->ip = static_call(tlbbatch_ftrace_location)(hook->addr);
	if (!hook->ip) {
		snprintf(reason, sizeof(reason), "%s cannot be traced",
			 target->function.symbol);
		refuse(hook, reason);
		return;
	}
	err = tlbbatch_prepare_hook(hook, target);
	if (err) {
		snprintf(reason, sizeof(reason), err == -EEXIST ?
			 "%s has another hook of this module" :
			 "no room for %s in the module's own tables",
			 target->function.symbol);
		refuse(hook, reason);
		return;
	}
	hook->target = target;
}

/* The feature gets the reason of its first hook that is unavailable. */
static void make_unavailable(struct tlbbatch_redirects *redirects,
			     const struct tlbbatch_hook *hook, const char *missing)
{
	char *buf = redirects->unavailable;
	size_t len = sizeof(redirects->unavailable), used;

	if (buf[0])
		return;
	if (!hook->lost) {
		strscpy(buf, missing ?: hook->name, len);
		return;
	}
	used = scnprintf(buf, len, "%s: ", hook->name);
	strscpy(buf + used, hook->reason, len - used);
}

/**
 * tlbbatch_redirects_resolve() - find and verify the target of every hook of a feature
 * @redirects: the feature's hooks
 * @missing: why nothing can be hooked, or NULL
 * @own: why this feature can't be had, or NULL; its own hooks are refused for that, and not
 *	those that it shares
 *
 * Each hook that can't be armed keeps the reason, which its file under hooks/ shows
 * (rule H2).
 *
 * Context: process context, at load, once for each feature; BTF is open, unless
 *	@missing.
 */
void tlbbatch_redirects_resolve(struct tlbbatch_redirects *redirects,
				const char *missing, const char *own)
{
	unsigned int i;

	for (i = 0; i < tlbbatch_nr_hooks(redirects); i++) {
		struct tlbbatch_hook *hook = tlbbatch_hook_at(redirects, i);
		const char *why = i < redirects->nr ? own : missing;

		if (!hook->resolved && why)
			refuse(hook, why);
		else if (!hook->resolved)
			resolve_hook(hook, !tlbbatch_is_parked(redirects, i));
		hook->resolved = true;
		if (hook->reason[0])
			make_unavailable(redirects, hook, why);
	}
	tlbbatch_redirects_known(redirects);
}
