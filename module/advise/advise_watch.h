/* SPDX-License-Identifier: GPL-2.0-only */
/* What advise watches in the kernel. */
#ifndef TLBBATCH_ADVISE_WATCH_H
#define TLBBATCH_ADVISE_WATCH_H

struct tlbbatch_watches;

extern struct tlbbatch_watches tlbbatch_advise_watches;

#endif /* TLBBATCH_ADVISE_WATCH_H */
