# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2119,SC2120
#
# TAP for tests that are scripts, in a guest or without one. To be sourced. A test ends with
# finish.
#
#   TAP_LOG   a file.  What check and refute run writes there, and its end is shown
#             with a result that isn't good.  Without it they write to standard
#             error, as it comes.

TAP_LOG=
TAP_LOG_LINES=40
# A result that came this many seconds after the one before says how many.
TAP_SLOW=15
tap_nr=0
tap_failed=0
tap_last=$SECONDS

# tap_result STATUS NAME: print a result by an exit status, and return that status
tap_result()
{
	tap_nr=$((tap_nr + 1))
	[ $((SECONDS - tap_last)) -lt $TAP_SLOW ] || diag "after $((SECONDS - tap_last)) s:"
	tap_last=$SECONDS
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_nr - $2"
		return 0
	fi
	echo "not ok $tap_nr - $2"
	tap_failed=$((tap_failed + 1))
	return 1
}

# ok STATUS NAME [WHY]: a result by an exit status; WHY is shown if it isn't good
ok()
{
	tap_result "$1" "$2" && return
	[ -z "${3-}" ] || diag "$3"
	[ ! -s "$TAP_LOG" ] || tail -n $TAP_LOG_LINES "$TAP_LOG" | sed 's/^/# /'
}

# tap_run COMMAND...
tap_run()
{
	if [ -n "$TAP_LOG" ]; then
		"$@" >"$TAP_LOG" 2>&1
	else
		"$@" >&2
	fi
}

# check NAME COMMAND...: passes if the command succeeds
check()
{
	local name=$1 rc=0

	shift
	tap_run "$@" || rc=$?
	ok "$rc" "$name"
}

# refute NAME COMMAND...: passes if the command fails. A command that wasn't there, or that the
# shell couldn't start, has refused nothing.
refute()
{
	local name=$1 rc=0 why=

	shift
	tap_run "$@" || rc=$?
	case $rc in
	126 | 127) why="exit code $rc: it didn't run" ;;
	esac
	[ $rc -ne 0 ] && [ -z "$why" ]
	ok $? "$name" "$why"
}

# is NAME GOT WANTED: passes if both are the same; of texts, only what differs is shown
is()
{
	local rc=0

	[ "$2" = "$3" ] || rc=1
	tap_result $rc "$1" && return
	case $2$3 in
	*$'\n'*) diag "got <, wanted >:
$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))" ;;
	*) diag "got '$2', wanted '$3'" ;;
	esac
}

# num NAME A OP B: integers, OP as in test(1)
num()
{
	local rc=0

	test "$2" "$3" "$4" || rc=1
	tap_result $rc "$1" || diag "$2 is not $3 $4"
}

# skip NAME REASON
skip()
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

# skip_all REASON: skip the whole test; call it before any result
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# diag TEXT...: print it as comments
diag()
{
	local text=$*

	printf '# %s\n' "${text//$'\n'/$'\n# '}"
}

# bail REASON: end the test, since nothing more can be told
bail()
{
	echo "Bail out! $*"
	exit 255
}

# The plan is printed at the end: a test that dies half-way has none, and fails. prove takes a plan
# of no result for a skip.
finish()
{
	[ "$tap_nr" -gt 0 ] || bail "there is no result"
	echo "1..$tap_nr"
	[ "$tap_failed" -eq 0 ]
	exit
}

# has_terminals: can a program run on a terminal here? A chroot may have no pseudo terminals.
# shellcheck disable=SC2034 # the reason of a skip
NO_TERMINALS="needs script (apt install bsdutils) and a pseudo terminal"
has_terminals()
{
	[ "$(script -qec "echo here" /dev/null </dev/null 2>/dev/null | tr -d '\r')" = here ]
}
