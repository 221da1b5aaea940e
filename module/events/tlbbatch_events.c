// SPDX-License-Identifier: GPL-2.0-only
/* Makes the module's trace events of their list, tlbbatch_events.h. */
#define CREATE_TRACE_POINTS
#include "events/tlbbatch_events.h"
