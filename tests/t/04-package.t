#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once late
exec "$(dirname "$0")/../host/package"
