#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.2
# variant: debug
# timeout: 1800
# append: oops=panic page_poison=1
exec "$(dirname "$0")/../host/negative" "$0" detector-prune
