# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Measure one side of a benchmark in a guest. Counters are read before and after, each side
# starts in the same state, and it is an error if there is nothing to measure. To be sourced
# with set -euo pipefail.

# shellcheck source=tests/guest/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# The longest wait for a workload beyond its own time. Under TCG the exit of a process with
# much memory in swap can take long.
GRACE_S=120
# The longest wait until the swap of an ended workload is free.
DRAIN_S=20
# What the per-CPU caches of swap slots may keep: 2 * 64 slots on each CPU.
SLOT_CACHE_KB=$((2 * 64 * 4 * $(nproc)))
MEMORY_MAX=64M

# Standard output is what the host shows.
fail()
{
	printf '%s: %s\n' "${0##*/}" "$*"
	exit 1
}

# bounded SECONDS COMMAND...: run it in the memory cgroup, in the foreground
bounded()
{
	local limit=$(($1 + GRACE_S))

	shift
	in_cgroup timeout -k 10 "$limit" "$@"
}

# in_random_order WORD...: set ORDER to the words in an order that follows from RANDOM's seed. A
# subshell would seed it anew.
in_random_order()
{
	local word list=

	for word; do
		list+="$RANDOM $word"$'\n'
	done
	# shellcheck disable=SC2034 # read by those who source this
	mapfile -t ORDER < <(sort -n <<<"${list%$'\n'}" | cut -d' ' -f2-)
}

cgroup_setup()
{
	cgroup_make "$MEMORY_MAX"
	echo max >"$CG/memory.high"
	echo max >"$CG/memory.swap.max"
}

# lru_select mglru|classic: switch, and check that the kernel did
lru_select()
{
	local state

	[ -e /sys/kernel/mm/lru_gen/enabled ] || fail "this kernel has no MGLRU"
	lru "$1"
	state=$(</sys/kernel/mm/lru_gen/enabled)
	case $1 in
	mglru) ((state & 1)) || fail "MGLRU can't be switched on" ;;
	classic) ((!(state & 1))) || fail "MGLRU can't be switched off" ;;
	esac
}

# swap_select disk|zram: swap to that device only
swap_select()
{
	local device=/dev/vdb

	[ "$1" = disk ] || device=/dev/zram0
	swap_off
	swap_on "$1" >&2
	awk -v device="$device" '
		NR > 1 && $1 == device { right++ }
		NR > 1 && $1 != device { wrong++ }
		END { exit !(right == 1 && !wrong) }' /proc/swaps ||
		fail "/proc/swaps doesn't show $device alone"
}

# counters: print NAME VALUE lines of all that is measured, for the whole guest. An
# interrupt's row has a column for each CPU, then its description.
counters()
{
	awk '
		BEGIN {
			row["TLB:"] = "tlb_shootdowns"
			row["CAL:"] = "call_ipis"
			split("pswpout pswpin pgscan_anon pgsteal_anon " \
			      "pgscan_file pgsteal_file oom_kill " \
			      "workingset_refault_anon workingset_refault_file " \
			      "pgdeactivate slabs_scanned pgmajfault", names)
			for (i in names)
				wanted[names[i]]
		}
		$1 in row {
			sum = 0
			for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++)
				sum += $i
			print row[$1], sum
		}
		$1 in wanted { print $1, $2 }
	' /proc/interrupts /proc/vmstat
}

# module_stats: print NAME VALUE lines of the module's counters
module_stats()
{
	awk '{ name = FILENAME; sub(/.*\//, "", name); print name, $1 }' \
		"$K"/stats/*
}

# difference BEFORE AFTER: print what changed between two outputs of these functions, as the
# members of a JSON object
difference()
{
	awk '
		NR == FNR { before[$1] = $2; next }
		$1 == "folios_waiting" { before[$1] = 0 }
		{
			printf "%s\"%s\": %d", comma, $1, $2 - before[$1]
			comma = ", "
		}
	' <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# member NAME MEMBERS: print the value of one of them
member()
{
	grep -o "\"$1\": [0-9-]*" <<<"$2" | cut -d' ' -f2
}

swap_used_kb()
{
	awk 'NR > 1 { used += $4 } END { print used + 0 }' /proc/swaps
}

settled()
{
	cgroup_has_no_task && [ "$(swap_used_kb)" -le "$SLOT_CACHE_KB" ]
}

# settle SWAP: wait until nothing is left of the previous workload, so that each side starts
# in the same state
settle()
{
	until_true $((DRAIN_S * 10)) settled && return
	cgroup_has_no_task || fail "a workload has not ended"
	echo "$(swap_used_kb) KiB left in swap, draining" >&2
	swap_select "$1"
}

# seconds_between START END: of EPOCHREALTIME
seconds_between()
{
	awk -v start="$1" -v end="$2" 'BEGIN { printf "%.3f", end - start }'
}

# measure_any SWAP COMMAND...: run it, and set MEASURED to the members of a JSON object and
# SECONDS_TAKEN to its time. Returns 1 if something was killed for want of memory.
# shellcheck disable=SC2034 # read by those who source this
measure_any()
{
	local swap=$1 before after start end code=0

	shift
	settle "$swap"
	before=$(counters)
	start=$EPOCHREALTIME
	"$@" || code=$?
	end=$EPOCHREALTIME
	after=$(counters)

	SECONDS_TAKEN=$(seconds_between "$start" "$end")
	MEASURED=$(difference "$before" "$after")
	[ "$(member oom_kill "$MEASURED")" -eq 0 ] || return 1
	[ "$code" -eq 0 ] || fail "$*: exit $code"
}

# measure SWAP COMMAND...: the same. Fails if nothing was swapped: that is no measurement.
measure()
{
	measure_any "$@" || return
	shift
	[ "$(member pswpout "$MEASURED")" -gt 0 ] ||
		fail "$*: nothing was swapped"
	[ "$(member pgsteal_anon "$MEASURED")" -gt 0 ] ||
		fail "$*: nothing was reclaimed"
}
