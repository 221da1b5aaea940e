# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Hole B: does a huge page outlive MADV_DONTNEED, munmap() or exit? And do mremap() and mlock()
# cope with one that goes? To be sourced after lib.sh.

HOLE_SPLAT='bad pmd|Bad rss-counter|non-zero pgtables_bytes|Bad page (state|map)'

# said WHAT: print that figure of $out
said()
{
	sed -n "s/.*\b$1=\([0-9]*\).*/\1/p" <<<"$out"
}

# holes HOW SECONDS: run hole_b. Sets rounds and missed; missed has what the log tells, too.
holes()
{
	local out rc=0

	log_mark
	out=$("$BIN/hole_b" "$CG" "$1" "$2" 2>/tmp/hole.err) || rc=$?
	diag "$out $(</tmp/hole.err)"
	[ $rc -le 1 ] || bail "hole_b $1: exit code $rc"
	rounds=$(said rounds)
	missed=$(($(said missed) + $(log_since | grep -cE "$HOLE_SPLAT")))
}

# moves_and_locks move|odd|lock SECONDS: run move_lock. Sets rounds, gone, and missed: pages that are
# wrong, and what the log tells.
moves_and_locks()
{
	local out rc=0

	log_mark
	out=$("$BIN/move_lock" "$CG" "$1" "$2" 2>/tmp/move.err) || rc=$?
	diag "$out $(</tmp/move.err)"
	[ $rc -le 1 ] || bail "move_lock $1: exit code $rc"
	rounds=$(said rounds)
	gone=$(said gone)
	missed=$(($(said wrong) + $(log_since | grep -cE "$HOLE_SPLAT")))
}
