/* SPDX-License-Identifier: GPL-2.0-only */
/* The release that runs, and the one that the module was built for. */
#define UTS_RELEASE		"7.2.12+sim"
struct sim_uts { char release[65]; };
extern struct sim_uts sim_uts;
#define init_utsname()		(&sim_uts)
