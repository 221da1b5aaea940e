# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Read what a test says about itself. To be sourced after scripts/lib/common.sh.
#
# A test begins with its licence. Then its header follows: lines "# KEY: VALUE", up to an
# empty comment. A link in tests/t to in-guest stands for the test tests/guest/NAME, where
# NAME is the link's name without its number.
#
#   runs          where it runs, in words; scripts/test --help explains them
#   variant       the module's build, see scripts/vm/install-module
#   timeout       seconds until its guest is killed
#   timeout-full  the same, with FULL=1
#   args          its arguments
#   args-full     more arguments, with FULL=1
#   args-slow     more arguments, on a kernel for which TLBBATCH_TIMEOUT_FACTOR is set
#   requires      packages: the guest has those of scripts/vm/make-packages
#                 apps: its root is that of scripts/vm/make-apps
#   exempt        REGEX of kernel messages that it provokes; may be repeated
#   cpus, cpu, mem, nodes, slow-mb, swap-mb, threads, append: see scripts/vm/run
#   case          NAME of one more test of this file.  Lines before the first case hold
#                 for each case. Lines after a case hold for that case only.

HEADER_OPTIONS="variant timeout cpus cpu mem nodes slow-mb swap-mb threads append"
HEADER_KEYS=" $HEADER_OPTIONS runs timeout-full args args-full args-slow requires exempt "
# About the test that was read last: its values by KEY, the exempt messages, the keys in
# order, and the file.
declare -A HEADER
HEADER_EXEMPT=()
HEADER_SEEN=()
HEADER_FILE=

# header_name TEST: set REPLY to its name, without number and suffix
header_name()
{
	REPLY=${1##*/}
	REPLY=${REPLY%.t}
	REPLY=${REPLY#[0-9][0-9]-}
}

# header_files TEST: print the files that may have its header. There is one if all is well.
header_files()
{
	local guest=${1%/*}/../guest

	header_name "$1"
	if [ ! -L "$1" ]; then
		echo "$1"
	elif [ -f "$guest/$REPLY" ]; then
		echo "$guest/$REPLY"
	else
		grep -lxsF "# case: $REPLY" "$guest"/*
	fi
}

# header_parse FILE NAME: read the header of the test NAME in FILE
header_parse()
{
	local line key value other=0

	HEADER=()
	HEADER_EXEMPT=()
	HEADER_SEEN=()
	while IFS= read -r line; do
		case $line in
		'#!'* | '# SPDX-'*) continue ;;
		esac
		[[ $line =~ ^'# '([a-z-]+)': '(.+)$ ]] || break
		key=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]}
		if [ "$key" = case ]; then
			other=1
			[ "$value" != "$2" ] || other=0
		elif [ $other -eq 0 ]; then
			HEADER_SEEN+=("$key")
			HEADER[$key]=$value
			[ "$key" != exempt ] || HEADER_EXEMPT+=("$value")
		fi
	done <"$1"
}

# header_read TEST
header_read()
{
	HEADER_FILE=$(header_files "$1") || true
	[ -f "$HEADER_FILE" ] || die "$1: not one test of that name in tests/guest:" "$HEADER_FILE"
	header_name "$1"
	header_parse "$HEADER_FILE" "$REPLY"
}

# header_wrong: print what is wrong with the header that was read
header_wrong()
{
	local key value

	for key in "${HEADER_SEEN[@]}"; do
		[[ $HEADER_KEYS = *" $key "* ]] || echo "no such key: $key"
	done
	for key in "${!HEADER[@]}"; do
		value=${HEADER[$key]}
		case $key in
		timeout* | cpus | mem | nodes | *-mb)
			[[ $value =~ ^[1-9][0-9]*$ ]] || echo "$key: '$value' is not a number"
			;;
		variant)
			is_variant "$value" || echo "$key: no '$value'"
			;;
		requires)
			[[ $value =~ ^(packages|apps)$ ]] || echo "$key: no '$value'"
			;;
		esac
	done
	for key in runs variant timeout; do
		[ -n "${HEADER[$key]-}" ] || echo "says no $key"
	done
}

# marked TEST WORD: is WORD in TEST's line "# runs:"?
marked()
{
	header_read "$1"
	[[ " ${HEADER[runs]-} " = *" $2 "* ]]
}

# guest_options TEST KERNEL: set GUEST_OPTIONS (for scripts/vm/run) and GUEST_ARGS (for the
# test), as the header says
# shellcheck disable=SC2034 # read by those that source this
guest_options()
{
	local wrong key exempt args

	header_read "$1"
	wrong=$(header_wrong)
	[ -z "$wrong" ] || die "${1##*/}: $wrong"
	header_name "$1"
	GUEST_OPTIONS=(--kernel "$2" --name "$2-$REPLY")
	for key in $HEADER_OPTIONS; do
		[ -z "${HEADER[$key]-}" ] || GUEST_OPTIONS+=("--$key" "${HEADER[$key]}")
	done
	for exempt in ${HEADER_EXEMPT[@]+"${HEADER_EXEMPT[@]}"}; do
		GUEST_OPTIONS+=(--exempt "$exempt")
	done
	args=${HEADER[args]-}
	if [ -n "${FULL:-}" ]; then
		[ -z "${HEADER[timeout-full]-}" ] ||
			GUEST_OPTIONS+=(--timeout "${HEADER[timeout-full]}")
		args+=" ${HEADER[args-full]-}"
	fi
	[ -z "${TLBBATCH_TIMEOUT_FACTOR:-}" ] || args+=" ${HEADER[args-slow]-}"
	read -r -a GUEST_ARGS <<<"$args"
}

# guest_kernel TEST: set REPLY to $KERNEL, or to the first kernel that the test names
guest_kernel()
{
	local word

	header_read "$1"
	REPLY=${KERNEL:-}
	[ -z "$REPLY" ] || return 0
	for word in ${HEADER[runs]-} 6.1; do
		case $word in
		[0-9]*) REPLY=$word; return ;;
		esac
	done
}
