/* SPDX-License-Identifier: GPL-2.0-only */
/* What shootdown/ needs of the running kernel, found at load. */
#ifndef TLBBATCH_SHOOTDOWN_SYMBOLS_H
#define TLBBATCH_SHOOTDOWN_SYMBOLS_H

#include <linux/mm_types.h>
#include <linux/static_call.h>

/* Never defined: it gives the static call below its type. */
struct mm_struct *tlbbatch_type_mm_alloc(void);

/* Called, never hooked: tlbbatch_shootdown_find() sets it. */
DECLARE_STATIC_CALL(tlbbatch_mm_alloc, tlbbatch_type_mm_alloc);

const char *tlbbatch_shootdown_find(void);
const char *tlbbatch_shootdown_no_receivers(void);

#endif /* TLBBATCH_SHOOTDOWN_SYMBOLS_H */
