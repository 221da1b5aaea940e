# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of tlbbatch-advise share. To be sourced; it sources tests/host/tools.sh.

# shellcheck source=tests/host/tools.sh
. "$(dirname "${BASH_SOURCE[0]}")/tools.sh"

# No cost that was measured on the machine that tests.
export XDG_STATE_HOME=$tmp/state
COSTS=$tmp/calibration.json

advise()
{
	tool advise "$@"
}

# edited NAME PYTHON: $tmp/edited is a recorded machine, after a statement on r and on g, its
# counters
edited()
{
	"$PYTHON" - "$RECORDED/advise-$1.json" "$tmp/edited" "$2" <<- 'END' || bail "edited $1"
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as file:
		    r = json.load(file)
		g = r["grown"]
		exec(sys.argv[3])
		with open(sys.argv[2], "w", encoding="utf-8") as file:
		    json.dump(r, file)
	END
}

# costs LOW HIGH USABLE: what a receiver was measured to cost, in ns
costs()
{
	printf '{"what":"calibration","format":1,"usable":%s,"machine":{"tsc_khz":2500000},
		"fanouts":[{"receivers":8,"per_receiver_ns":{"q1":%s,"median":%s,"q3":%s}}]}\n' \
		"$3" "$1" "$(((($1) + ($2)) / 2))" "$2" >"$COSTS"
}

# a_machine: with the module, watched by nobody
a_machine()
{
	local name

	rm -rf "$machine"
	put sys/kernel/tlbbatch/enabled 0
	put sys/kernel/tlbbatch/batch_size 64
	put sys/kernel/tlbbatch/advise/mode "[off] watch"
	for name in $("$PYTHON" -B -c "
import sys
sys.path.insert(0, '$TOOLS/lib'); sys.path.insert(0, '$TOOLS/../share/tlbbatch')
import adviselib
print(*adviselib.counters(adviselib.causes()))"); do
		put "sys/kernel/tlbbatch/advise/stats/$name" 1000
	done
	put proc/interrupts "            CPU0       CPU1
 TLB:       5000       6000   TLB shootdowns"
}
