# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2119,SC2120 # those who source this pass arguments to run
#
# Made-up machines in a directory, for the tests of scripts/preflight. To be sourced; it
# sources tests/lib/tap.sh.
#
#   PREFLIGHT   the command under test (scripts/preflight)

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
preflight=${PREFLIGHT:-$top/scripts/preflight}
hook_list=$top/scripts/lib/hook-list
# shellcheck source=tests/lib/tap.sh
. "$top/tests/lib/tap.sh"

RELEASE=6.1.0-56-amd64

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
machine=$tmp/machine
archive=$tmp/facts.tar
# Where preflight works on archives. Nothing may stay there.
export TMPDIR=$tmp/tmpdir
mkdir "$TMPDIR"

# put FILE TEXT: write a file of the machine
put()
{
	mkdir -p "$machine/$(dirname "$1")"
	printf '%s\n' "$2" >"$machine/$1"
}

# new_machine: make one on which all is well
new_machine()
{
	local symbols _ lines=

	rm -rf "$machine"
	put proc/sys/kernel/osrelease "$RELEASE"
	put proc/sys/kernel/ftrace_enabled 1
	put proc/swaps $'Filename Type Size Used Priority\n/dev/vdb partition 1048572 0 -2'
	put proc/cpuinfo $'vendor_id\t: GenuineIntel\ncpu family\t: 6\nflags\t\t: fpu vme sse2'
	put sys/devices/system/cpu/online 0-3
	put sys/kernel/security/lockdown '[none] integrity confidentiality'
	put sys/module/module/parameters/sig_enforce N
	put sys/kernel/btf/vmlinux btf
	"$hook_list" | awk -F'\t' '{ print $2 } $1 ~ /^(member|enum)$/ { print $4 }' |
		tr '.\n' '\0\0' >>"$machine/sys/kernel/btf/vmlinux"
	put sys/kernel/tracing/enabled_functions ''
	put "usr/src/linux-headers-$RELEASE/Makefile" ''
	mkdir -p "$machine/lib/modules/$RELEASE" "$machine/sys/kernel/livepatch"
	ln -s "/usr/src/linux-headers-$RELEASE" "$machine/lib/modules/$RELEASE/build"
	while IFS=$'\t' read -r _ _ _ symbols _; do
		lines+="0000000000000000 t ${symbols%%|*}"$'\n'
	done < <("$hook_list")
	put proc/kallsyms "$lines"
	put sys/kernel/tracing/available_filter_functions "$(awk '{ print $3 }' <<<"$lines")"
	# As much of bpftool as is used. Without a dump it prints nothing.
	mkdir -p "$tmp/bin"
	printf '#!/bin/sh\ncat "%s/btf.raw" 2>/dev/null\n' "$machine" >"$tmp/bin/bpftool"
	chmod +x "$tmp/bin/bpftool"
}

run()
{
	PATH=$tmp/bin:$PATH "$preflight" --root "$machine" "$@"
}

# gather [FILE]: make an archive of the machine as it is now
gather()
{
	rm -f "${1-$archive}"
	PATH=$tmp/bin:$PATH "$preflight" --root "$machine" --collect "${1-$archive}" >"$tmp/told" 2>&1
}

# judge [FILE [ARG...]]: judge the archive
judge()
{
	PATH=$tmp/bin:$PATH "$preflight" --facts "${1-$archive}" "${@:2}"
}

# verdict CHECK WANTED TEXT: check what preflight says about the machine as it is now
verdict()
{
	local check=$1 wanted=$2 text=$3 line word code=0 exit_code=0

	out=$(run) || code=$?
	line=$(grep -E "^[a-z]+ +$check {1,30}[^ ]" <<<"$out")
	word=${line%% *}
	[ "$wanted" != no ] || exit_code=1
	if [ "$word" = "$wanted" ] && grep -qE -- "$text" <<<"$line" &&
		[ $code -eq $exit_code ]; then
		ok 0 "$check: $wanted, $text"
	else
		ok 1 "$check: $wanted, $text" "exit code $code"$'\n'"$out"
	fi
}

# a machine that differs in one thing: change COMMAND...; verdict
but()
{
	new_machine
	"$@"
}
