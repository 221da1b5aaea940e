/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A feature is a row in features.c: all that the rest of the module knows of it. The
 * core, the hook engine and sysfs go through the rows and name none.
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
 * @dir: its directory there, NULL if that is /sys/kernel/tlbbatch itself
 * @group: its knobs and states
 * @counters: files in stats/ of its directory, one each; NULL if there are none
 * @derived: more files there, ended by NULL; or NULL
 * @settle: called before a counter is read; or NULL
 * @mode: of the counters' files
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
 * @name: for people; begins the message if ftrace doesn't let go of it
 * @lacks: begins the message at load if it is unavailable; NULL if rows tell by themselves
 * @refuses: begins the message if it is unavailable, or unfit, and asked for
 * @fails: begins the message if it couldn't be attached; NULL if hooks tell by themselves
 * @waits: begins the message that says whom its end waits for; of one with @pass
 * @redirects: the functions of the kernel that it redirects or looks at; NULL if there are
 *	none, and it has no @pass
 * @watches: what it watches in the kernel; or NULL
 * @pass: its part in passes, shrink_folio_list()'s hook being attached for it; or NULL
 * @pass_begin: a pass begins in which it acts; of one with @pass. Features begin in the
 *	order of their rows
 * @pass_end: it is over; features end in the reverse order
 * @find: look for what else it needs of the kernel, at load, symbols found and BTF open:
 *	what is missing, or NULL; or NULL
 * @unfit: why it can't be had on this machine, or NULL; asked whenever it is to be switched
 *	on; or NULL
 * @start: make what it needs, before anything is attached; 0 or an error, and nothing of it
 *	is left then; or NULL
 * @close: it is about to be detached: nothing new begins in it any more; or NULL
 * @stop: nothing of it acts any more, and nobody is in its text: undo @start; or NULL. A
 *	hook that comes and goes in a filter may stay there for want of memory, and its
 *	@acts and @passes may be called still: they read nothing that @stop frees
 * @on: it is attached
 * @stuck: what ftrace said when it didn't let go: ftrace is dead, and may still call the
 *	feature; else 0
 * @held: the module is held by itself for that, so that it can't go
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
 * @load: the end of the module's load: do what modprobe asks for; 0 or an error, and nothing
 *	of it is left then; or NULL
 * @unload: stop for good: returns when nothing is left behind; NULL if it is switched by
 *	tlbbatch_feature_switch(), and by nothing else
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
