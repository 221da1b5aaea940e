# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Read files below $root, a tree that somebody else may have made. No link leads outside of
# it, no pipe or device is opened, and of each file only a bounded part is read. root="" is
# this machine. What a file says is text: check it before you use it as anything else. To be
# sourced.

FOREIGN_LINKS_MAX=40
FOREIGN_BYTES_MAX=$((64 << 20))
FOREIGN_LINE_MAX=4096
FOREIGN_HEX_MAX=$((1 << 20))
FOREIGN_READ_S=20

# within PATH: set file to what PATH means to a process whose root is $root. Fails if
# nothing is there.
within()
{
	local rest=$1 here='' part link links=0

	file=$1
	while [ -n "$root" ] && [ -n "$rest" ]; do
		rest=${rest#/}
		part=${rest%%/*}
		rest=${rest:${#part}}
		case $part in
		'' | .) ;;
		..) here=${here%/*} ;;
		*)
			here+=/$part
			[ -L "$root$here" ] || continue
			[ $((links += 1)) -le $FOREIGN_LINKS_MAX ] || return
			link=$(readlink "$root$here") || return
			here=${here%/*}
			case $link in
			/*) here= ;;
			esac
			rest=$link$rest
			;;
		esac
	done
	[ -z "$root" ] || file=$root$here
	[ -e "$file" ]
}

# file_within PATH: the same; fails unless it is a file that can be read
file_within()
{
	within "$1" && [ -f "$file" ] && [ -r "$file" ]
}

# contents PATH [BYTES]: print at most BYTES of that file, and nothing if it isn't a file.
contents()
{
	file_within "$1" && timeout $FOREIGN_READ_S \
		head -c "${2:-$FOREIGN_BYTES_MAX}" "$file" 2>/dev/null
}

# lines PATH [BYTES]: the same for a text file; long lines are cut
lines()
{
	contents "$@" | tr -d '\0' | cut -b "-$FOREIGN_LINE_MAX"
}

# line_of PATH: print its first line, without blanks around it
line_of()
{
	local line=

	read -r line < <(lines "$1" $FOREIGN_LINE_MAX)
	printf '%s' "$line"
}

# hex_of PATH [BYTES]
hex_of()
{
	contents "$1" "${2:-$FOREIGN_HEX_MAX}" | od -An -v -tx1 | tr -d ' \n'
}

# kernel_log: print what /dev/kmsg has by now. Each read gives one record, and at the end of
# the log an error. No other device may be in its place.
kernel_log()
{
	within /dev/kmsg || return
	[ -f "$file" ] || [ "$(stat -Lc %F:%t:%T "$file")" = "character special file:1:b" ] ||
		return
	timeout 5 dd if="$file" iflag=nonblock bs=8k count=$((FOREIGN_BYTES_MAX / 8192)) \
		2>/dev/null
}

# printable TEXT: print it on one line, in ASCII, cut to a limit
printable()
{
	local text=${1//[^[:print:]]/?}

	printf '%s' "${text:0:600}"
}
