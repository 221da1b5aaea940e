# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Hole B: does a huge page outlive MADV_DONTNEED, munmap() or exit? And do mremap(), mlock() and
# others cope with one that goes? To be sourced after lib.sh.

HOLE_SPLAT='bad pmd|Bad rss-counter|non-zero pgtables_bytes|Bad page (state|map)'

# said WHAT: print that figure of $out
said()
{
	sed -n "s/.*\b$1=\([0-9]*\).*/\1/p" <<<"$out"
}

# ask COMMAND...: run a program. Sets out, and rounds.
ask()
{
	local rc=0

	out=$("$@" 2>/tmp/hole.err) || rc=$?
	diag "$out $(</tmp/hole.err)"
	[ $rc -le 1 ] || bail "$*: exit code $rc"
	rounds=$(said rounds)
}

# tell PROGRAM MEMBER HOW SECONDS: run it. Sets out, rounds, and missed: what MEMBER says, and what the log
# tells.
tell()
{
	log_mark
	ask "$BIN/$1" "$CG" "$3" "$4"
	missed=$(($(said "$2") + $(log_since | grep -cE "$HOLE_SPLAT")))
}

# holes HOW SECONDS: run hole_b. Sets rounds and missed.
holes()
{
	local out

	tell hole_b missed "$1" "$2"
}

# moves_and_locks WAY SECONDS: run move_lock. Sets rounds, gone, and missed, which counts pages
# that are wrong, too.
moves_and_locks()
{
	local out

	tell move_lock wrong "$1" "$2"
	gone=$(said gone)
}

# pageout_flushes: MADV_PAGEOUT flushes behind itself, so that nobody could see that another flush is
# missing
pageout_flushes()
{
	[[ $(uname -r) = 6.1.* ]]
}

# reads_gone SECONDS: run read_gone. Sets rounds, huge, gone and stale.
reads_gone()
{
	local out

	ask in_cgroup "$BIN/read_gone" "$1"
	huge=$(said huge) gone=$(said gone) stale=$(said stale)
}
