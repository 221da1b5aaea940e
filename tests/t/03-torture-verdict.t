#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
exec "$(dirname "$0")/../host/torture-verdict"
