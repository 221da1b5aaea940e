// SPDX-License-Identifier: GPL-2.0-only
/* How much deferral holds back, and for how long. */
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include "core/knob.h"
#include "luf/luf_defer_knobs.h"
#include "luf/luf_defer_policy.h"

/* Pages, 4 MiB: little memory, and what 32 passes of 32 pages free. And milliseconds. */
#define BATCH_DEFAULT	1024U
#define AGE_DEFAULT_MS	100U

static unsigned int batch_pages = BATCH_DEFAULT, age_ms = AGE_DEFAULT_MS;

/**
 * tlbbatch_defer_batch() - pages that share a flush
 *
 * Context: any.
 * Return: TLBBATCH_DEFER_BATCH_MIN to TLBBATCH_DEFER_BATCH_MAX.
 */
unsigned int tlbbatch_defer_batch(void)
{
	return READ_ONCE(batch_pages);
}

/**
 * tlbbatch_defer_age_ms() - for how long something is held back at most
 *
 * Context: any.
 * Return: milliseconds, to TLBBATCH_DEFER_AGE_MAX_MS; 0 if until the end of a call of reclaim.
 */
unsigned int tlbbatch_defer_age_ms(void)
{
	return READ_ONCE(age_ms);
}

static ssize_t batch_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_defer_batch());
}

static ssize_t batch_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			   size_t len)
{
	unsigned int pages;
	int err;

	err = tlbbatch_knob_parse(buf, len, TLBBATCH_DEFER_BATCH_MIN, TLBBATCH_DEFER_BATCH_MAX,
				  &pages);
	if (!err)
		WRITE_ONCE(batch_pages, pages);
	return err ?: len;
}

static ssize_t age_ms_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_defer_age_ms());
}

static ssize_t age_ms_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			    size_t len)
{
	unsigned int ms;
	int err;

	err = tlbbatch_knob_parse(buf, len, 0, TLBBATCH_DEFER_AGE_MAX_MS, &ms);
	if (!err)
		WRITE_ONCE(age_ms, ms);
	return err ?: len;
}

struct kobj_attribute tlbbatch_defer_batch_attr = __ATTR_RW(batch);
struct kobj_attribute tlbbatch_defer_age_attr = __ATTR_RW(age_ms);
