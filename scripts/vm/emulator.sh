# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Find the QEMU that runs guests, and what it has to tell them about this machine.
# To be sourced after common.sh and debian.sh.

# An older QEMU may run an old translation of text that has just been patched, for a moment
# or for ever. The kernel then spins on its own int3, or dies of it.
EMULATOR_SINCE=8.1
# The packages that a guest without display and network needs. Their libraries are those of
# the release.
EMULATOR_PACKAGES=(qemu-system-x86 qemu-system-data seabios)
EMULATOR_DIR=$TLBBATCH_CACHE/emulator

# emulator_find
#
# Set EMULATOR (an array) to the command: this machine's QEMU or, if that is too
# old, the one in its release's backports, unpacked and not installed.
emulator_find()
{
	local usr=$EMULATOR_DIR/tree/usr name=qemu-system-x86_64

	need qemu-system-x86
	EMULATOR=("$name")
	! emulator_is_new || return 0
	# This is a process of its own, which gives the lock back when it ends.
	[ -x "$usr/bin/$name" ] || (emulator_unpack "$usr/bin/$name") ||
		die "found no QEMU $EMULATOR_SINCE or newer"
	EMULATOR=("$usr/bin/$name" -L "$usr/share/qemu" -L "$usr/share/seabios")
	emulator_is_new || die "$usr/bin/$name is older than $EMULATOR_SINCE"
}

emulator_is_new()
{
	local version

	version=$("${EMULATOR[@]}" --version |
		sed -nE '1s/.* version ([0-9.]+).*/\1/p') || return
	dpkg --compare-versions "${version:-0}" ge "$EMULATOR_SINCE"
}

# emulator_unpack COMMAND: unpack packages until COMMAND is there.
emulator_unpack()
{
	local new=$EMULATOR_DIR/new suite deb

	take_lock "$EMULATOR_DIR/lock" "QEMU to be unpacked"
	[ ! -x "$1" ] || return 0
	# shellcheck source=/dev/null
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}-backports")
	note "taking QEMU from $suite"
	rm -rf "$new"
	mkdir -p "$new"/{apt,tree}
	root_apt_dirs "$new/apt"
	debian_source "$suite" >"$new/apt/etc/apt/sources.list" || return
	root_apt "$new/apt" apt-get -qq update >&2 || return
	(cd "$new" && root_apt "$new/apt" apt-get -qq download \
		"${EMULATOR_PACKAGES[@]}" >&2) || return
	for deb in "$new"/*.deb; do
		dpkg-deb -x "$deb" "$new/tree" || return
	done
	rm -rf "$EMULATOR_DIR/tree"
	mv "$new/tree" "$EMULATOR_DIR/tree"
	rm -rf "$new"
	[ -x "$1" ]
}

# emulator_tsc_khz: print the rate of a guest's TSC, which is this machine's rate. A guest
# that measures the rate by its timers may be wrong by any factor if the host is busy.
emulator_tsc_khz()
{
	local program=$EMULATOR_DIR/tsc-khz
	local source=$TLBBATCH_TOP/scripts/vm/tsc-khz.c

	if [ ! "$program" -nt "$source" ]; then
		need gcc libc6-dev
		mkdir -p "$EMULATOR_DIR"
		gcc -O2 -Wall -Wextra -o "$program.$$" "$source" || return
		mv "$program.$$" "$program"
	fi
	"$program"
}
