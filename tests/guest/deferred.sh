# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # rc, out: of who sources this
#
# What deferral holds back, and has counted. Sourced behind lib.sh.

L=$K/luf

# stat_of NAME: print a counter
stat_of()
{
	cat "$L/stats/$1"
}

holds_some() { [ "$(<"$L/held")" -gt 0 ]; }

# none_lost: is nothing held back, and has all that was been given back?
none_lost()
{
	[ "$(<"$L/held")" -eq 0 ] && [ "$(stat_of pages_held)" -eq "$(stat_of pages_released)" ]
}

# scene NAME [TRIES]: play it (tests/programs/stale_read); set $rc, and $out for a diagnosis
scene()
{
	rc=0
	out=$("$BIN/stale_read" "$CG" "$1" ${2:+"$2"} 2>&1) || rc=$?
	diag "$1: $out"
}

# records SECONDS [USE]: set $rc, and $out for a diagnosis
records()
{
	rc=0
	out=$("$BIN/records" "$CG" "$@" 2>&1) || rc=$?
	diag "$(head -n 20 <<<"$out")"
}

# said_of NAME: print that figure of the last scene, or of records
said_of()
{
	[[ $out =~ $1=([0-9]+) ]] && echo "${BASH_REMATCH[1]}" || echo 0
}

# some_in NAME: is it more than 0?
some_in() { [ "$(said_of "$1")" -gt 0 ]; }

# with_max LIMIT COMMAND...: run it while the cgroup has that limit. $rc is the command's to set.
with_max()
{
	local most status=0

	most=$(<"$CG/memory.max")
	echo "$1" >"$CG/memory.max"
	"${@:2}" || status=$?
	echo "$most" >"$CG/memory.max"
	return $status
}

# records_streamed SECONDS: files that are larger than their cgroup. There is no swap, so what the
# program wrote stays.
records_streamed()
{
	with_max 24M records "$1" streamed
}
