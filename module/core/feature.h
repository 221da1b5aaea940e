/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A feature is a row in features.c. The rest of the module knows nothing else of it: the
 * core, the hook engine and sysfs walk the rows and name no feature.
 */
#ifndef TLBBATCH_FEATURE_H
#define TLBBATCH_FEATURE_H

#include <linux/kobject.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include "core/counters.h"
#include "kernel/symbols.h"

struct tlbbatch_pass;
struct tlbbatch_pass_part;
struct tlbbatch_redirects;
struct tlbbatch_watches;

/**
 * struct tlbbatch_files - what a feature shows under /sys/kernel/tlbbatch
 * @dir: the name of its directory; NULL if its files are in /sys/kernel/tlbbatch itself
 * @group: its knobs and states
 * @counters: each has a file in stats/ of its directory; NULL if it has no counters
 * @derived: further files of stats/, ended by NULL; or NULL
 * @settle: called before a counter is read; or NULL
 * @mode: the access mode of the counters' files
 * @shows_hooks: each of its redirects has a file in hooks/ of its directory
 */
struct tlbbatch_files {
	const char *dir;
	const struct attribute_group *group;
	const struct tlbbatch_counters *counters;
	struct kobj_attribute *const *derived;
	void (*settle)(void);
	umode_t mode;
	bool shows_hooks;
};

/**
 * struct tlbbatch_feature - what a feature does
 * @name: begins the message that ftrace doesn't let go of it
 * @lacks: begins the message at load that it is unavailable; NULL if each hook's own
 *	message says so
 * @refuses: begins the message that it can't be switched on, being unavailable or unfit
 * @fails: begins the message that attaching it failed; NULL if each hook's own message
 *	says so
 * @waits: begins the message that names the task for whose pass its end waits; NULL if
 *	it has no @pass
 * @redirects: the functions of the kernel that it redirects or looks at; may be NULL if
 *	there are none and it has no @pass
 * @watches: what it watches in the kernel; or NULL
 * @pass: its part in passes, for which shrink_folio_list() is hooked; or NULL
 * @pass_begin: called when a pass begins in which it acts, in the order of the features'
 *	rows; NULL if it has no @pass
 * @pass_end: called when such a pass is over, in the reverse order; NULL if it has no
 *	@pass
 * @find: looks for what else it needs of the kernel; called at load, when the symbols
 *	were looked up and BTF is open; returns what is missing, or NULL; may be NULL
 * @unfit: called whenever it is to be switched on; returns why it can't be had on this
 *	machine, or NULL; may be NULL
 * @start: makes what it needs, before anything is attached; returns 0, or an error and
 *	leaves nothing behind; may be NULL
 * @close: called before it is detached; lets nothing new begin; may be NULL
 * @stop: called when nothing of it acts any more and nobody is in its text; undoes
 *	@start; may be NULL. For want of memory a hook may stay in the filter of a set,
 *	and its @acts and @passes may still be called: they read nothing that @stop
 *	frees
 * @on: it is attached
 * @stuck: the error with which ftrace refused to detach it, or 0; ftrace is dead then,
 *	and may still call the feature
 * @held: the module holds itself because of that, so that it can't go
 * @unavailable: why it can't be had on this kernel; empty if it can
 */
struct tlbbatch_feature {
	const char *name;
	const char *lacks;
	const char *refuses;
	const char *fails;
	const char *waits;
	struct tlbbatch_redirects *redirects;
	struct tlbbatch_watches *watches;
	struct tlbbatch_pass_part *pass;
	void (*pass_begin)(struct tlbbatch_pass *pass);
	void (*pass_end)(struct tlbbatch_pass *pass);
	const char *(*find)(void);
	const char *(*unfit)(void);
	int (*start)(void);
	void (*close)(void);
	void (*stop)(void);

	bool on;
	int stuck;
	bool held;
	char unavailable[TLBBATCH_REASON_LEN];
};

/* feature.c */
void tlbbatch_feature_find(struct tlbbatch_feature *feature);
int tlbbatch_feature_on(struct tlbbatch_feature *feature);
int tlbbatch_feature_off(struct tlbbatch_feature *feature, bool killable);
int tlbbatch_feature_switch(struct tlbbatch_feature *feature, bool on);
void tlbbatch_feature_retire(struct tlbbatch_feature *feature);

/**
 * struct tlbbatch_row - a feature in the list of all
 * @feature: what it does
 * @files: what it shows; or NULL
 * @load: called at load, when it was looked for; does what module parameters ask;
 *	returns 0, or an error and leaves nothing behind; or NULL
 * @unload: stops it for good, and returns when nothing of it is left behind; NULL if
 *	nothing but tlbbatch_feature_switch() switches it
 */
struct tlbbatch_row {
	struct tlbbatch_feature *feature;
	const struct tlbbatch_files *files;
	int (*load)(void);
	void (*unload)(void);
};

/* features.c */
extern const struct tlbbatch_row tlbbatch_features[];
extern const unsigned int tlbbatch_nr_features;

#define for_each_tlbbatch_feature(row)					\
	for (row = tlbbatch_features;					\
	     row < tlbbatch_features + tlbbatch_nr_features; row++)

void tlbbatch_features_passes(void);
void tlbbatch_features_find(void);
int tlbbatch_features_init(void);
void tlbbatch_features_exit(void);
bool tlbbatch_features_on(void);

#endif /* TLBBATCH_FEATURE_H */
