/* SPDX-License-Identifier: GPL-2.0-only */
/* luf/check: is what is held back left alone? */
#ifndef TLBBATCH_LUF_CHECK_H
#define TLBBATCH_LUF_CHECK_H

#include <linux/kobject.h>

struct tlbbatch_feature;
struct tlbbatch_watches;

extern struct tlbbatch_feature tlbbatch_luf_check;
extern struct tlbbatch_watches tlbbatch_luf_check_watches;
/* A file of luf/. */
extern struct kobj_attribute tlbbatch_luf_check_attr;

#endif /* TLBBATCH_LUF_CHECK_H */
