#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.1
# variant: negative-lf-table
# timeout: 600
# append: oops=panic
exec "$(dirname "$0")/../host/lf-negative" "$0"
