# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # the variables are those of apps, common.sh, lib.sh
#
# Measure one side of an application. To be sourced after measure.sh and common.sh, by
# tests/guest/bench/apps, which sets swap, counted, pass_min, limit and T.

# With --threads counted an instruction takes so many ns of the guest's time: scripts/vm/run.
NS_PER_INSTRUCTION=8

# set_side off|on
set_side()
{
	echo 0 >"$K/enabled"
	echo 0 >"$K/wide/pass_min"
	[ "$1" = on ] || return 0
	echo "$pass_min" >"$K/wide/pass_min"
	echo 1 >"$K/enabled"
}

# cgroup_within: its memory fits the limit; else some of it is reclaimed
cgroup_within()
{
	[ "$(<"$CG/memory.current")" -gt $((${limit%M} << 20)) ] || return 0
	echo 4M >"$CG/memory.reclaim"
	return 1
} 2>/dev/null

# app_up NAME: make its cgroup, start it, and let it run once without being measured, with
# batching off. After that, memory and swap are as full as they stay. MGLRU calls the OOM killer
# too early now and then: so the limit comes after the start, and who was killed has more tries.
app_up()
{
	local tries=5 failed killed

	set_side off
	while :; do
		failed=0
		cgroup_make max
		echo max >"$CG/memory.swap.max"
		work_make
		start || fail "$1 doesn't start: $(tail -n 5 "$WORK/server.log" 2>/dev/null)"
		until_true 1800 cgroup_within || fail "$1: its memory doesn't come down to $limit"
		echo "$limit" >"$CG/memory.max"
		run "$count" || failed=1
		# A client may succeed although its server was killed.
		killed=$(oom_kills)
		[ $((failed + killed)) -gt 0 ] || return 0
		if [ $((tries -= 1)) -eq 0 ] || [ "$killed" -eq 0 ]; then
			fail "$1 fails without being measured: $(tail -n 5 "$OUT")"
		fi
		echo "$1, $swap: killed without being measured, starts anew"
		app_down
	done
}

cgroup_ends() { rmdir "$CG" 2>/dev/null || [ ! -e "$CG" ]; }

# app_down: nothing is left of it but its data
app_down()
{
	stop || true
	[ ! -e "$CG/cgroup.kill" ] || echo 1 >"$CG/cgroup.kill"
	wait
	until_true 600 cgroup_ends || fail "$CG has not ended"
	rm -rf "$WORK"
}

# wake_cpus: each CPU that is idle stops being so. The trace then tells of each.
wake_cpus()
{
	local cpu

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c "$cpu" true
	done
}

events_lost()
{
	cat "$T"/per_cpu/cpu*/stats | awk '$1 == "overrun:" { n += $2 } END { print n + 0 }'
}

# spread NAME FILE: print [median, 99th percentile, number] of FILE's values of that name. Without
# one, the first two are null.
spread()
{
	awk -v name="$1" '$1 == name { print $2 }' "$2" | sort -n | awk '
		{ value[NR] = $1 }
		END {
			if (NR)
				printf "[%d, %d, %d]", value[int((NR + 1) / 2)],
					value[int(NR * 0.99 + 0.99)], NR
			else
				printf "[null, null, 0]"
		}'
}

# instructions SECONDS IDLE_SECONDS: all CPUs together executed so many in a counted guest. Time
# goes on while any of them runs; if all are idle, it jumps to the next timer.
instructions()
{
	awk -v seconds="$1" -v idle="$2" -v ns=$NS_PER_INSTRUCTION \
		'BEGIN { printf "%.0f", (seconds - idle) * 1e9 / ns }'
}

# side NAME ROUND off|on
side()
{
	local before after_ module start_s end_s code=0 seconds oom did idle=null number=null
	local values=$WORK/values lost

	set_side "$3"
	module=$(module_stats)
	echo >"$T/trace"
	echo 1 >"$T/tracing_on"
	[ "$counted" -eq 0 ] || wake_cpus
	before=$(counters)
	start_s=$EPOCHREALTIME
	run "$count" || code=$?
	end_s=$EPOCHREALTIME
	after_=$(counters)
	echo 0 >"$T/tracing_on"
	module=$(difference "$module" "$(module_stats)")

	MEASURED=$(difference "$before" "$after_")
	oom=$(member oom_kill "$MEASURED")
	[ $code -eq 0 ] || [ "$oom" -gt 0 ] || fail "$1, round $2, $3: exit $code: $(tail -n 5 "$OUT")"
	[ "$oom" -gt 0 ] || [ "$(member pgsteal_anon "$MEASURED")" -gt 0 ] ||
		[ "$(member pgsteal_file "$MEASURED")" -gt 0 ] ||
		fail "$1, round $2, $3: nothing was reclaimed"
	seconds=$(seconds_between "$start_s" "$end_s")
	lost=$(events_lost)
	awk -f "$APPS_DIR/trace.awk" "$T/trace" >"$values"
	if [ "$counted" -eq 1 ]; then
		idle=$(awk '$1 == "idle" { print $2 }' "$values")
		number=$(instructions "$seconds" "$idle")
	fi
	# A server that was killed can't say what it did.
	did=null
	if [ "$oom" -eq 0 ]; then
		did=$(operations) || did=
		[[ $did =~ ^[0-9]+$ ]] ||
			fail "$1, round $2, $3: doesn't say what it did: $(tail -n 5 "$OUT")"
		[ $((did * 100)) -ge $((count * 99)) ] ||
			fail "$1, round $2, $3: did $did of $count: $(tail -n 5 "$OUT")"
	fi
	printf '{"app": "%s", "swap": "%s", "round": %d, "side": "%s", "killed": %d, "operations": %s, "seconds": %s, %s, "memcg_us": %s, "direct_us": %s, "events_lost": %d, "instructions": %s, "idle_s": %s, "module": {%s}}\n' \
		"$1" "$swap" "$2" "$3" $((oom > 0)) "$did" "$seconds" "$MEASURED" \
		"$(spread memcg "$values")" "$(spread direct "$values")" "$lost" "$number" "$idle" \
		"$module" >>"$RESULT"
	tail -n 1 "$RESULT" | jq -r '(.pgsteal_anon + .pgsteal_file) as $pages |
		"\(.app), \(.swap), round \(.round), \(.side): \(.operations) operations in \(.seconds) s, " +
		"\($pages) pages reclaimed, \(.tlb_shootdowns * 1000 / ($pages + 1) | floor) receivers per 1000, " +
		"\(.pgmajfault) major faults, \(.oom_kill) killed"'
	[ "$oom" -eq 0 ] || { app_down; app_up "$1"; }
}

# orders ROUNDS: set ORDERS to an order of the sides for each round. Either side comes first in half
# of the rounds, and which ones these are is random. With an odd number, chance gives one more. A
# subshell would have random numbers of its own, whatever the seed is.
orders()
{
	local left=$1 off_first=$((($1 + RANDOM / 16384) / 2))

	ORDERS=()
	for ((; left > 0; left--)); do
		if ((RANDOM % left < off_first)); then
			ORDERS+=("off on")
			off_first=$((off_first - 1))
		else
			ORDERS+=("on off")
		fi
	done
}
