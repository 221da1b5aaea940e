/* SPDX-License-Identifier: GPL-2.0-only */
/* What LUF tracking watches in the kernel, without changing its path. */
#ifndef TLBBATCH_LUF_EVENTS_H
#define TLBBATCH_LUF_EVENTS_H

struct tlbbatch_watches;

extern struct tlbbatch_watches tlbbatch_luf_watches;

const char *tlbbatch_luf_events_find(void);

#endif /* TLBBATCH_LUF_EVENTS_H */
