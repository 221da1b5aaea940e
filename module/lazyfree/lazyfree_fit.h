/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a kernel, or a machine, one on which huge pages may be discarded? */
#ifndef TLBBATCH_LAZYFREE_FIT_H
#define TLBBATCH_LAZYFREE_FIT_H

const char *tlbbatch_lazyfree_unsafe(void);
const char *tlbbatch_lazyfree_unfit(void);

#endif /* TLBBATCH_LAZYFREE_FIT_H */
