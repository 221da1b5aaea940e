#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# preflight names the kernels that lose data behind MADV_FREE.
exec "$(dirname "$0")/../host/preflight-lazyfree"
