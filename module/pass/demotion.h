/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a pass demote folios to slower memory? */
#ifndef TLBBATCH_DEMOTION_H
#define TLBBATCH_DEMOTION_H

#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/types.h>
#include "kernel/kernel_calls.h"

/* Never defined: it gives the static call its type. */
void tlbbatch_type_node_get_allowed_targets(pg_data_t *pgdat, nodemask_t *targets);

/* Called, never hooked: tlbbatch_demotion_find() sets it. */
DECLARE_STATIC_CALL(tlbbatch_node_get_allowed_targets,
		    tlbbatch_type_node_get_allowed_targets);

const char *tlbbatch_demotion_find(void);
bool tlbbatch_demotes(int nid);

#endif /* TLBBATCH_DEMOTION_H */
