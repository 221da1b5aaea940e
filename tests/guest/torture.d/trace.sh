# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's actor "trace": other users of ftrace on the functions that the module hooks. To be
# sourced after lib.sh. TARGETS has the functions.

T=/sys/kernel/tracing
PATCH=/sys/kernel/livepatch/livepatch_sample

tracer()
{
	local rc=0

	[[ " $(<$T/available_tracers) " = *" $1 "* ]] || { cannot "no tracer $1"; return; }
	printf '%s\n' "${TARGETS[@]}" >$T/set_ftrace_filter || rc=1
	put $T/current_tracer "$1" || rc=1
	nap 1500
	[ "$(<$T/current_tracer)" = "$1" ] || rc=1
	put $T/current_tracer nop || wrong "the tracer doesn't go" || return
	: >$T/set_ftrace_filter
	: >$T/trace
	return $rc
}

# probes p|r: kprobes or kretprobes on some of the functions
probes()
{
	local target nr=0 rc=0

	for target in "${TARGETS[@]}"; do
		pick 3
		[ "$REPLY" -gt 0 ] || continue
		{ echo "$1:torture/$target $target" >>$T/kprobe_events; } 2>/dev/null &&
			nr=$((nr + 1))
	done
	DETAIL="$nr functions"
	[ $nr -gt 0 ] || return 1
	put $T/events/torture/enable 1 || rc=1
	nap 1500
	put $T/events/torture/enable 0 || rc=1
	until put $T/kprobe_events ""; do
		sleep 0.5
		! past "$LAST" || wrong "the probes don't go" || return
	done
	: >$T/trace
	return $rc
}

events()
{
	[ -e "$T/events/$1/enable" ] || { cannot "no events $1"; return; }
	put "$T/events/$1/enable" 1 || return 1
	nap 1500
	put "$T/events/$1/enable" 0
}

# From 6.4 to 6.14 the end of a livepatch's transition patches each cond_resched(), one after the other,
# under klp_mutex. Each patch waits for every processor. Under load all of them take ten minutes and more. So
# it is done once there, and others get more time.
KLP_FACTOR=1
! grep -q ' sched_dynamic_klp_disable$' /proc/kallsyms || KLP_FACTOR=3

# The kernel has moved all tasks to the new code, or back.
transition_over()
{
	[ ! -e $PATCH ] || [ "$(cat $PATCH/transition 2>/dev/null)" != 1 ]
}

livepatch()
{
	local rc=0

	[ -e "$MODULES/livepatch-sample.ko" ] || { cannot "no livepatch-sample.ko"; return; }
	[ $KLP_FACTOR -eq 1 ] || [ ! -e "$RUN/patched" ] || { cannot "it takes too long here"; return; }
	if ! grep -q '^livepatch_sample ' /proc/modules; then
		insmod "$MODULES/livepatch-sample.ko" || return 1
	fi
	until_true 300 transition_over && grep -q 'has been live patched' /proc/cmdline || rc=1
	nap 1000
	put $PATCH/enabled 0
	until_true 300 transition_over || rc=1
	sleep 0.5
	rmmod livepatch_sample || rc=1
	[ $rc -ne 0 ] || : >"$RUN/patched"
	return $rc
}

# Somebody who redirects one of the functions is refused while it is hooked. Otherwise nobody
# else can hook it until he goes.
holder()
{
	local said

	[ -e "$MODULES/holder.ko" ] || { cannot "no holder.ko"; return; }
	choose "${TARGETS[@]}"
	DETAIL=$REPLY
	if ! said=$(insmod "$MODULES/holder.ko" function="$REPLY" 2>&1); then
		DETAIL+=" refused"
		[[ $said = *"busy"* ]]
		return
	fi
	nap 800
	rmmod holder || wrong "the holder of $DETAIL doesn't go"
}

# bpf kprobe|fentry|fexit: a BPF program on one of the functions. Attaching may be refused while
# somebody else changes the function.
bpf()
{
	local target rc=0

	choose "${TARGETS[@]}"
	target=$REPLY
	pick 1500
	DETAIL=$(timeout 30 "$BIN/bpf_attach" "$1" "$target" "$REPLY" 2>&1) || rc=$?
	case $rc in
	0) ;;
	3) cannot "${DETAIL#environment: }" ;;
	*) rc=1 ;;
	esac
	return $rc
}
