# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # minutes: of the test; DETAIL: of knob()
#
# What the module counted in torture, over all its loads: a load begins at 0. To be sourced after
# lib.sh, actor.sh, knobs.sh and verdict.sh.

# A run that is shorter need not have met everything.
LONG_MINUTES=$((10 * ${TLBBATCH_TIMEOUT_FACTOR:-1}))

is_long() { [ "$minutes" -ge $LONG_MINUTES ]; }

# KNOB|VALUE|COUNTERS: what a feature must have done if the kernel has it. Of counters with a +
# between them one will do.
FEATURES=(
	"lazyfree/mode|pmd|tried pages_discarded restored_dirty+restored_referenced"
	"shootdown/prune|1|receivers_pruned"
	"luf/mode|defer|flushes_deferred pages_released"
	"luf/check|1|frames_checked"
)

# features_begin: switch on what the kernel doesn't refuse, and remember what it does. A feature that
# waited for a turn of its actor would be off most of a short run.
features_begin()
{
	local row knob value got

	for row in "${FEATURES[@]}"; do
		IFS='|' read -r knob value _ <<<"$row"
		got=$(write_errno "$K/$knob" "$value")
		case $got in
		ok*) ;;
		EOPNOTSUPP) echo "$knob" >>"$RUN/refused" ;;
		*) return 1 ;;
		esac
	done
}

is_refused() { grep -qxF "$1" "$RUN/refused" 2>/dev/null; }

# features_on: the same again, after a load or where an actor may have left one off
features_on()
{
	local row knob value rc=0 DETAIL

	for row in "${FEATURES[@]}"; do
		IFS='|' read -r knob value _ <<<"$row"
		is_refused "$knob" || knob "$knob" "$value" || rc=$?
	done
	return $rc
}

# counts_note: remember the counters of this load. The folder's number tells it from others.
counts_note()
{
	local load name dir

	# lib.sh has another stat.
	load=$(command stat -c %i "$K") || return
	for dir in lazyfree shootdown luf; do
		for name in "$K/$dir"/stats/*; do
			[ ! -f "$name" ] || echo "$load $dir/${name##*/} $(figure "$name")"
		done
	done >>"$RUN/counts"
}

# counts_kept COMMAND...: it may unload the module
counts_kept()
{
	counts_note
	"$@"
}

# counted_in_all NAME: print the sum over all loads. What was noted of a load last counts.
counted_in_all()
{
	awk -v name="$1" '$2 == name { last[$1] = $3 }
		END { for (load in last) sum += last[load]; printf "%.0f\n", sum }' "$RUN/counts"
}

# feature_told FOLDER COUNTERS...
feature_told()
{
	local folder=$1 names name sum

	shift
	for names; do
		sum=0
		for name in ${names//+/ }; do
			sum=$((sum + $(counted_in_all "$folder/$name")))
		done
		echo "count $folder/$names $sum" >>"$OUT/torture.list"
		if is_long; then
			num "$folder/$names, over all loads: $sum" "$sum" -gt 0
		else
			diag "$folder/$names, over all loads: $sum"
		fi
	done
}

# features_told: a result for each feature, which is skipped if the kernel refused it
features_told()
{
	local row knob counters

	for row in "${FEATURES[@]}"; do
		IFS='|' read -r knob _ counters <<<"$row"
		if is_refused "$knob"; then
			skip "$knob did something" "$knob is refused here"
		else
			# shellcheck disable=SC2086 # words
			feature_told "${knob%/*}" $counters
		fi
	done
	! is_long || num "NUMA hints were faults" "$(vmstat numa_hint_faults)" -gt 0
}
