// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that has all that deferral looks for, and whose reclaim isn't what it needs. Rule D8. */
#include "defer_world.h"

void sim_relax(void)
{
}

int main(void)
{
	defer_world_init();
	anew();
	ok_int(sim_load(), 0, "it loads");
	ok_int(on(&tlbbatch_defer), -EOPNOTSUPP, "D8: flushes can't be put off");
	ok(sim_logged("nobody has looked at this kernel's reclaim") ||
	   sim_logged("frees large folios before it flushes"), "D8: and it says why");
	ok(nothing_attached() && pass() == 1 && all_well(), "D8: passes flush as ever");
	sim_unload();
	return hook_world_done();
}
