#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# Does LUF tracking keep its rules? The module's own files run in a process: see tests/model/sim.
[ $# -gt 0 ] || set -- luf_rules luf_order luf_shown luf_flushes luf_events luf_fit luf_ends \
	luf_locks luf_bulk
exec "$(dirname "$0")/../model/sim/run" "$@"
