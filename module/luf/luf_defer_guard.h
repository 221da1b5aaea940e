/* SPDX-License-Identifier: GPL-2.0-only */
/* What deferral must see the end of. */
#ifndef TLBBATCH_DEFER_GUARD_H
#define TLBBATCH_DEFER_GUARD_H

struct tlbbatch_redirects;

extern struct tlbbatch_redirects tlbbatch_defer_redirects;

const char *tlbbatch_defer_guard_find(void);

#endif /* TLBBATCH_DEFER_GUARD_H */
