/* SPDX-License-Identifier: GPL-2.0-only */
/* What deferral watches in the kernel. */
#ifndef TLBBATCH_DEFER_EVENTS_H
#define TLBBATCH_DEFER_EVENTS_H

#include "luf/luf_defer_counters.h"

struct tlbbatch_watches;

extern struct tlbbatch_watches tlbbatch_defer_watches;

void tlbbatch_defer_event(unsigned int hash, enum tlbbatch_defer_counter cause);
int tlbbatch_defer_notify(void);
void tlbbatch_defer_unnotify(void);

#endif /* TLBBATCH_DEFER_EVENTS_H */
