#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.1
exec "$(dirname "$0")/../host/negative" negative-never
