# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # version: of the test
#
# Readers of mapped files in torture, for luf/mode=defer: each finds its own file, and no version older
# than one that was published (tests/programs/records). To be sourced after lib.sh, actor.sh and memory.sh; deferred.sh is needed, too.

# Where files are written, nobody else reclaims: a version is published when the program's own calls of
# reclaim are over. DAMON asks for no leave, so its kind is one of the same actor. Where they stay as
# they are, everybody does. Streamed files don't fit into the group. Nothing else of it can be reclaimed,
# so most of its passes can be put off.
FILES_GROUP=/sys/fs/cgroup/torture-files
FILES_S=$((6 * ${TLBBATCH_TIMEOUT_FACTOR:-1}))
STREAM_S=$((20 * ${TLBBATCH_TIMEOUT_FACTOR:-1}))

# files_kind STATUS OUTPUT: what the program's end means
files_kind()
{
	DETAIL=$(grep '^reads=' "$2")
	# What was found counts, whatever ended the program then.
	if [ "$1" -eq 1 ] || grep -q '^file .*found:' "$2"; then
		wrong "readers of files: $(head -n 3 "$2" | paste -sd';')"
		return
	fi
	case $1 in
	0) [[ $DETAIL != reads=0* ]] ;;
	*) [[ " $UNFINISHED " = *" $1 "* ]] || wrong "readers of files: exit $1, $(tail -n 1 "$2")" || return
		return 1 ;;
	esac
}

# flushes_deferred: 0 while there is no module
flushes_deferred()
{
	stat_of flushes_deferred 2>/dev/null || echo 0
}

# put_off_since NUMBER: were flushes put off, if they can be?
put_off_since()
{
	[[ $(cat "$K/luf/mode" 2>/dev/null) != *"[defer]"* ]] || [ "$(flushes_deferred)" -gt "$1" ]
}

# file_readers read | streamed
file_readers()
{
	local rc=0 how=() least=max most=max swap=max seconds=$FILES_S deferred

	[ "$version" = 2 ] || { cannot "memory.reclaim is of version 2"; return; }
	case $1 in
	read) choose written unwritten ;;
	*) REPLY=$1 ;;
	esac
	[ "$REPLY" = written ] || how=("$REPLY") least=0
	[ "$REPLY" != streamed ] || most=24M swap=0 seconds=$STREAM_S
	mkdir -p "$FILES_GROUP" && put "$FILES_GROUP/memory.min" $least &&
		put "$FILES_GROUP/memory.max" $most && put "$FILES_GROUP/memory.swap.max" $swap || return 1
	deferred=$(flushes_deferred)
	group_program "$FILES_GROUP" "$RUN/files.out" records "$FILES_GROUP" $seconds "${how[@]}" || rc=$?
	rm -f /var/tmp/records.*
	group_gone "$FILES_GROUP" || wrong "the group doesn't go" || return
	files_kind $rc "$RUN/files.out" || return
	[ "${how[*]}" != streamed ] || put_off_since "$deferred"
}
