# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# An actor of torture: a loop that does one kind of thing after another. To be sourced after
# choices.sh, with SEED, DEADLINE and LAST (in seconds since boot), RUN (a directory) set.
#
# A kind's command returns 0 if it took effect, 1 if it didn't this time, or what cannot or
# wrong return. It says in DETAIL what it chose.

# An actor that only does what is quick leaves time to the others.
PAUSE_MS=400
CANNOT=2
WRONG=3

# cannot REASON: this kernel or guest can't do it
cannot()
{
	REASON=$*
	return $CANNOT
}

# wrong TEXT: something isn't as it has to be
wrong()
{
	REASON=$*
	return $WRONG
}

uptime_s()
{
	local rest

	read -r REPLY rest </proc/uptime
	REPLY=${REPLY%.*}
}

past()
{
	uptime_s
	[ "$REPLY" -ge "$1" ]
}

# nap MS: sleep, for a time chosen below MS
nap()
{
	pick "$1"
	sleep "$((REPLY / 1000)).$(printf %03d $((REPLY % 1000)))"
}

# put FILE VALUE
put()
{
	{ echo "$2" >"$1"; } 2>/dev/null
}

# put_within SECONDS FILE VALUE: give up after that time, if the kernel lets a signal end it. What
# writes has ended then: in the foreground, timeout waits for it even if it has to kill it.
put_within()
{
	# shellcheck disable=SC2016 # for the inner shell
	timeout --foreground -s INT -k 1 "$1" sh -c 'echo "$2" >"$1"' sh "$2" "$3" 2>/dev/null
}

# one_of FILE VALUE...: write one of the values
one_of()
{
	local file=$1

	[ -e "$file" ] || { cannot "no ${file##*/}"; return; }
	shift
	choose "$@"
	DETAIL=$REPLY
	put "$file" "$REPLY"
}

# apart COMMAND...: never while another actor does something apart. Up to 6.13 the kernel can
# deadlock if swapoff meets a processor that goes or comes: swapoff has switched the caches of
# swap slots off and waits for cpus_read_lock(); a page fault waits for these caches to be empty
# (__read_swap_cache_async()); the processor's hotplug waits for the mmap_lock of that fault
# (mpol_rebind_mm()).
apart()
{
	(flock 9 && "$@") 9>>"$RUN/apart"
}

# one_of_two zswap|processors: may this run have it? If a processor of 6.1 goes, it takes with it
# what a task uses there to compress (zswap_cpu_comp_dead()). So a run on 6.1 has only one of them:
# zswap if the seed is even.
one_of_two()
{
	local two=(zswap processors)

	[[ $(uname -r) != 6.1.* ]] || [ "${two[SEED % 2]}" = "$1" ] ||
		cannot "6.1 can't do it beside ${two[SEED % 2]}"
}

# settled KIND: it took effect, or it can't
settled()
{
	[ "${did[$1]-0}" -gt 0 ] || [ -n "${unable[$1]-}" ]
}

# actor_turn ROUND TURN KIND COMMAND...
actor_turn()
{
	local round=$1 turn=$2 kind=$3 rc=0

	shift 3
	turn_begin "$SEED" "$round" "$turn"
	REASON='' DETAIL=''
	"$@" || rc=$?
	case $rc in
	0) did[$kind]=$((${did[$kind]-0} + 1)) ;;
	"$CANNOT") unable[$kind]=$REASON ;;
	esac
	uptime_s
	echo "$REPLY $kind $rc $round.$turn ${DETAIL// /,} $REASON" >>"$RUN/$ACTOR.turns"
	nap $PAUSE_MS
}

# actor_run LIST ACTOR: go on until DEADLINE. Then what never took effect is tried until LAST.
actor_run()
{
	local round turn number kind
	local -A did=() unable=()

	ACTOR=$2
	: >"$RUN/$ACTOR.turns"
	kinds_read "$1" "$2"
	for ((round = 0; ; round++)); do
		round_begin "$SEED" $round
		for ((turn = 0; turn < ${#ORDER[@]}; turn++)); do
			number=${ORDER[turn]}
			kind=${KINDS[number]}
			[ -z "${unable[$kind]-}" ] || continue
			past "$LAST" && return
			! past "$DEADLINE" || ! settled "$kind" || continue
			# shellcheck disable=SC2086 # a command and its words
			actor_turn $round $turn "$kind" ${COMMANDS[number]}
		done
		if past "$DEADLINE" || [ ${#unable[@]} -eq ${#KINDS[@]} ]; then
			for kind in "${KINDS[@]}"; do
				settled "$kind" || continue 2
			done
			return
		fi
	done
}
