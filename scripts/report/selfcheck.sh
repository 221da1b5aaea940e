# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # read by report.sh
#
# What the self-checks of the reports share: a directory for made-up measurements, the
# reports, and a look at what they print. To be sourced.

# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
# shellcheck source=tests/lib/tap.sh
. "$TLBBATCH_TOP/tests/lib/tap.sh"

need jq
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

REPORT_FLOORS=$tmp/floors
# shellcheck source=scripts/report/report.sh
. "$TLBBATCH_TOP/scripts/report/report.sh"
# shellcheck source=scripts/report/report_luf.sh
. "$TLBBATCH_TOP/scripts/report/report_luf.sh"
# shellcheck source=scripts/report/report_rounds.sh
. "$TLBBATCH_TOP/scripts/report/report_rounds.sh"
# shellcheck source=scripts/report/report_lazyfree.sh
. "$TLBBATCH_TOP/scripts/report/report_lazyfree.sh"
# shellcheck source=scripts/report/report_gate.sh
. "$TLBBATCH_TOP/scripts/report/report_gate.sh"
# shellcheck source=scripts/report/report_defer.sh
. "$TLBBATCH_TOP/scripts/report/report_defer.sh"
# shellcheck source=scripts/report/report_apps.sh
. "$TLBBATCH_TOP/scripts/report/report_apps.sh"

TAP_LOG=$tmp/out

# says FILE REGEX: a line of FILE matches
says()
{
	grep -qE -- "$2" "$1" || { cat "$1"; return 1; }
}

is_empty()
{
	[ ! -s "$1" ] || { cat "$1"; return 1; }
}

REPORT_COMMIT='"c0ffee-dirty"'
KERNEL_SUITES=(bookworm bookworm-security)

# refuses_rounds FILE REGEX
refuses_rounds()
{
	! report_rounds_check "$1" 2>"$tmp/said" || { echo "was accepted"; return 1; }
	says "$tmp/said" "$2"
}
