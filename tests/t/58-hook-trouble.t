#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.1 7.2
# Exempt: the null pointer that the test asks for, and what do_exit() says of a task that dies
# with a block plug.
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant debug --timeout 600 --name "$kernel-hook-trouble" \
	--append slub_debug=P,task_struct \
	--exempt 'NULL pointer dereference, address: 0000000000000000' \
	--exempt 'Oops: (Oops: )?0002 \[#1\]' \
	--exempt '\[ cut here \]' --exempt 'WARNING: .*kernel/exit\.c:' \
	-- tests/guest/hook-trouble
