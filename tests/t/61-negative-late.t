#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: ci
exec "$(dirname "$0")/../host/negative" negative-late
