# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What a test says of itself.  To be sourced after scripts/lib/common.sh.
#
# A test begins with its licence, and then its header: lines "# KEY: VALUE" up to
# an empty comment.  A test in tests/t that is a link to in-guest is
# tests/guest/NAME, where NAME is the link's name without its number.
#
#   runs          where it runs, in words; scripts/test --help explains them
#   variant       the module's build, see scripts/vm/install-module
#   timeout       seconds until its guest is killed
#   timeout-full  instead of that, with FULL=1
#   args          its arguments
#   args-full     more of them, with FULL=1
#   requires      packages: those of scripts/vm/make-packages are in the guest
#   exempt        REGEX of kernel messages that it provokes; may be repeated
#   cpus, cpu, mem, slow-mb, swap-mb, threads, append: see scripts/vm/run
#   case          NAME of one more test of this file.  What stands before the first
#                 case holds for each, and what follows a case for that one only.

HEADER_OPTIONS="variant timeout cpus cpu mem slow-mb swap-mb threads append"
HEADER_KEYS="$HEADER_OPTIONS runs timeout-full args args-full requires exempt"

# header_name TEST: its name, without number and suffix
header_name()
{
	local name=${1##*/}

	name=${name%.t}
	echo "${name#[0-9][0-9]-}"
}

# header_file TEST: the file that has its header, nothing if there is none
header_file()
{
	local name guest=${1%/*}/../guest

	if [ ! -L "$1" ]; then
		echo "$1"
		return
	fi
	name=$(header_name "$1")
	if [ -f "$guest/$name" ]; then
		echo "$guest/$name"
	else
		grep -lxsF "# case: $name" "$guest"/* || true
	fi
}

# header_lines FILE NAME: KEY VALUE of the test NAME in FILE, a line each
header_lines()
{
	awk -v name="$2" '
		NR <= 2 { next }
		!/^# [a-z-]+: ./ { exit }
		{
			key = substr($2, 1, length($2) - 1)
			sub(/^# [a-z-]+: /, "")
			if (key == "case")
				other = $0 != name
			else if (!other)
				print key, $0
		}' "$1"
}

# header_of TEST: KEY VALUE, a line each; of two lines with a KEY the last counts
header_of()
{
	local file

	file=$(header_file "$1")
	[ -n "$file" ] || die "$1: tests/guest has no test of that name"
	header_lines "$file" "$(header_name "$1")"
}

# header_value KEY: of the header on standard input
header_value()
{
	awk -v key="$1" '$1 == key { sub(/^[^ ]+ /, ""); value = $0 } END { print value }'
}

# header_wrong: what can't be so in the header on standard input
header_wrong()
{
	local key value seen=" "

	while read -r key value; do
		seen+="$key "
		case " $HEADER_KEYS " in
		*" $key "*) ;;
		*) echo "no such key: $key"; continue ;;
		esac
		case $key in
		timeout* | cpus | mem | *-mb)
			[[ $value =~ ^[1-9][0-9]*$ ]] || echo "$key: '$value' is not a number"
			;;
		variant)
			[[ $value =~ ^(release|debug|negative-(late|never)|none)$ ]] ||
				echo "$key: no '$value'"
			;;
		requires)
			[ "$value" = packages ] || echo "$key: no '$value'"
			;;
		esac
	done
	for key in runs variant timeout; do
		[[ $seen = *" $key "* ]] || echo "says no $key"
	done
}

# marked TEST WORD: is WORD in TEST's line "# runs:"?
marked()
{
	[[ " $(header_of "$1" | header_value runs) " = *" $2 "* ]]
}

# guest_options TEST KERNEL: set GUEST_OPTIONS and GUEST_ARGS, what scripts/vm/run
# and the test get, as the header says
guest_options()
{
	local header wrong key value

	header=$(header_of "$1") || exit
	wrong=$(header_wrong <<<"$header")
	[ -z "$wrong" ] || die "${1##*/}: $wrong"
	GUEST_OPTIONS=(--kernel "$2" --name "$2-$(header_name "$1")")
	for key in $HEADER_OPTIONS; do
		value=$(header_value "$key" <<<"$header")
		[ -z "$value" ] || GUEST_OPTIONS+=("--$key" "$value")
	done
	value=$(header_value timeout-full <<<"$header")
	[ -z "${FULL:-}" ] || [ -z "$value" ] || GUEST_OPTIONS+=(--timeout "$value")
	while read -r key value; do
		[ "$key" != exempt ] || GUEST_OPTIONS+=(--exempt "$value")
	done <<<"$header"
	value=$(header_value args <<<"$header")
	[ -z "${FULL:-}" ] || value+=" $(header_value args-full <<<"$header")"
	# shellcheck disable=SC2034 # read by those that source this
	read -r -a GUEST_ARGS <<<"$value"
}

# guest_kernel TEST: KERNEL, or the first kernel that the test names
guest_kernel()
{
	local word

	if [ -n "${KERNEL:-}" ]; then
		echo "$KERNEL"
		return
	fi
	for word in $(header_of "$1" | header_value runs) 6.1; do
		case $word in
		[0-9]*) echo "$word"; return ;;
		esac
	done
}
