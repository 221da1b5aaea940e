#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.2
# retbleed concerns Intel's processors up to Skylake; stuffing goes with retpolines.
# Exempt: what 7.2 says of a function of its own, at boot.
kernel=${KERNEL:-7.2}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant release --timeout 400 --name "$kernel-stuffing" \
	--cpu "max,la57=off,vendor=GenuineIntel,family=6,model=94,stepping=3" \
	--append "retbleed=stuff spectre_v2=retpoline" \
	--exempt 'Invalid padding area for xen_cpu_bringup_again' -- tests/guest/stuffing
