#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# Do hooks keep their rules? The module's own files run in a process: see tests/model/sim.
[ $# -gt 0 ] || set -- hook_rules hook_end hook_passes hook_load hook_knobs hook_wide hook_asks \
	hook_look hook_resolve hook_sysfs hook_fails hook_shootdown hook_advise hook_whatif hook_hold \
	hook_defer hook_defer_list hook_defer_check hook_defer_more hook_defer_more_list hook_defer_other \
	defer-unknown defer-early \
	hook_whole \
	lazyfree-6.1 lazyfree-6.6 lazyfree-6.12 lazyfree-7.2 lazyfree-unsure
exec "$(dirname "$0")/../model/sim/run" "$@"
