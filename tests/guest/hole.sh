# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Hole B: does a huge page outlive MADV_DONTNEED, munmap() or exit? To be sourced after lib.sh.

HOLE_SPLAT='bad pmd|Bad rss-counter|non-zero pgtables_bytes|Bad page state'

# holes HOW SECONDS: run hole_b. Sets rounds and missed; missed has what the log tells, too.
holes()
{
	local out rc=0

	log_mark
	out=$("$BIN/hole_b" "$CG" "$1" "$2" 2>/tmp/hole.err) || rc=$?
	diag "$out $(</tmp/hole.err)"
	[ $rc -le 1 ] || bail "hole_b $1: exit code $rc"
	rounds=$(sed -n 's/.*rounds=\([0-9]*\).*/\1/p' <<<"$out")
	missed=$(sed -n 's/.*missed=\([0-9]*\).*/\1/p' <<<"$out")
	missed=$((missed + $(log_since | grep -cE "$HOLE_SPLAT")))
}
