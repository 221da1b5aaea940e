// SPDX-License-Identifier: GPL-2.0-only
/* The same with a kernel up to 6.9, which frees all of a pass at once, in a list. Rules D2 to D6 and D8. */
#define SIM_LISTS
#include "hook_defer_more.c"
