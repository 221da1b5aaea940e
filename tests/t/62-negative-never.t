#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.1
# variant: negative-never
# timeout: 900
# append: oops=panic page_poison=1
exec "$(dirname "$0")/../host/negative" "$0"
