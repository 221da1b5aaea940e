# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of tlbbatch-advise, -stat, -collector and -report share: machines that are recorded
# in tests/recorded. To be sourced; it sources tests/lib/tap.sh.
#
#   TOOLS    the directory of the commands under test (scripts)
#   PYTHON   the Python that runs them (/usr/bin/python3)

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/lib/tap.sh
. "$top/tests/lib/tap.sh"

TOOLS=${TOOLS:-$top/scripts}
PYTHON=${PYTHON:-/usr/bin/python3}
RECORDED=$top/tests/recorded
command -v "$PYTHON" >/dev/null || skip_all "needs $PYTHON (apt install python3)"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
machine=$tmp/machine
K=$machine/sys/kernel/tlbbatch

# tool NAME ARG...: run tlbbatch-NAME
tool()
{
	local name=$1

	shift
	"$PYTHON" "$TOOLS/tlbbatch-$name" "$@"
}

# put FILE TEXT: write a file of the machine, at once
put()
{
	mkdir -p "$machine/$(dirname "$1")"
	printf '%s\n' "$2" >"$tmp/new"
	mv -f "$tmp/new" "$machine/$1"
}

# new_machine: make the one that is recorded
new_machine()
{
	rm -rf "$machine"
	mkdir "$machine"
	awk -v root="$machine/" '
		/^#/ || NF == 0 { next }
		{
			file = root $1
			sub(/^[^ ]+ ?/, "")
			if (!(file in made)) {
				dir = file
				sub("/[^/]*$", "", dir)
				if (!(dir in dirs))
					system("mkdir -p \"" dir "\"")
				dirs[dir] = made[file] = 1
			}
			print > file
		}' "$RECORDED/machine.tree"
	find "$K" -type f -exec chmod 444 {} +
	chmod 644 "$K"/{enabled,batch_size,wide/pass_min,hold/max_pages,shootdown/prune,shootdown/defer_min_cpus}
	chmod 644 "$K"/{lazyfree,advise,luf}/mode "$K"/luf/{batch,age_ms,check}
}

# runs STATUS NAME COMMAND...: run it; its output is in $out, what it complains of in $err
runs()
{
	local wanted=$1 name=$2 rc=0

	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	out=$(<"$tmp/out")
	err=$(<"$tmp/err")
	[ $rc -eq "$wanted" ]
	ok $? "$name: exit status $wanted" "it is $rc"$'\n'"$out"$'\n'"$err"
}

# has NAME TEXT REGEX
has()
{
	grep -qE -- "$3" <<<"$2"
	ok $? "$1" "no '$3' in"$'\n'"$2"
}

# lacks NAME TEXT REGEX
lacks()
{
	! grep -qE -- "$3" <<<"$2"
	ok $? "$1" "there is '$3' in"$'\n'"$2"
}

# full NAME STATUS COMMAND...: standard output can't be written, and it says so in a line
full()
{
	local name=$1 wanted=$2

	shift 2
	# shellcheck disable=SC2016 # the shell that is started expands it
	runs "$wanted" "$name: standard output is full" bash -c '"$@" >/dev/full' - "$@"
	is "$name: standard output is full: it says so, and nothing else" \
		"${err#*: }" "standard output: No space left on device"
}

# closed NAME STATUS COMMAND...: standard output is closed, and it says so in a line
closed()
{
	local name=$1 wanted=$2

	shift 2
	# shellcheck disable=SC2016 # the shell that is started expands it
	runs "$wanted" "$name: standard output is closed" bash -c '"$@" >&-' - "$@"
	is "$name: standard output is closed: it says so, and nothing else" \
		"${err#*: }" "standard output: Bad file descriptor"
}

# unread NAME COMMAND...: nobody reads what it prints; it ends by SIGPIPE, without a word
unread()
{
	local name=$1

	shift
	# shellcheck disable=SC2016 # the shell that is started expands it
	is "$name: nobody reads on" \
		"$(bash -c '"$@" | true; echo "${PIPESTATUS[0]}"' - "$@" 2>&1)" 141
}

# documented: print the files of /sys/kernel/tlbbatch that the ABI documents name
documented()
{
	cat "$top"/sysfs-docs/ABI/testing/sysfs-kernel-tlbbatch* | awk '
		/^What:/ { in_what = 1; print $2; next }
		/^[A-Z][A-Za-z]*:/ { in_what = 0 }
		in_what && NF { print $1 }' | sed 's,^/sys/kernel/tlbbatch/,,' | sort
}
