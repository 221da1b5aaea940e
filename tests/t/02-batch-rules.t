#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# Does batching keep its rules? The module's own files run in a process: see tests/model/sim.
[ $# -gt 0 ] || set -- batch_shapes batch_rules batch_counts batch_written batch_prune batch_worth \
	batch_predicts 7.3_rules 7.3_counts 7.3_written
exec "$(dirname "$0")/../model/sim/run" "$@"
