// SPDX-License-Identifier: GPL-2.0-only
/* Required: static calls whose target a module can set (5.10). */
#include <linux/static_call.h>

int probe_type(int value);
DEFINE_STATIC_CALL_NULL(probe_call, probe_type);

int probe(void *to)
{
	__static_call_update(&STATIC_CALL_KEY(probe_call),
			     STATIC_CALL_TRAMP_ADDR(probe_call), to);
	return static_call(probe_call)(0);
}
