#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: full
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

kernel=${KERNEL:-6.1}
[ "$kernel" = 6.1 ] || skip_all "the test is the same for every kernel: 6.1 only"
KERNEL=$kernel exec "$(dirname "$0")/../host/bare"
