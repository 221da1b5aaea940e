/* SPDX-License-Identifier: GPL-2.0-only */
/* The knobs of deferral. */
#ifndef TLBBATCH_DEFER_KNOBS_H
#define TLBBATCH_DEFER_KNOBS_H

#include <linux/kobject.h>

/* Files of luf/. */
extern struct kobj_attribute tlbbatch_defer_batch_attr, tlbbatch_defer_age_attr;

unsigned int tlbbatch_defer_batch(void);
unsigned int tlbbatch_defer_age_ms(void);

#endif /* TLBBATCH_DEFER_KNOBS_H */
