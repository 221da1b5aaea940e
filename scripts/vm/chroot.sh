# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Build in a guest's root without changing it. A copy-on-write layer lies over the tree. Its
# delta is what the build added. To be sourced after common.sh.

# in_own_mounts "$0" "$@"
#
# Go on in a mount namespace of our own. Every later mount ends with the process, on every
# exit path, SIGKILL included. Nobody else ever sees it.
in_own_mounts()
{
	[ -z "${TLBBATCH_OWN_MOUNTS:-}" ] || return 0
	export TLBBATCH_OWN_MOUNTS=1
	if unshare --mount --propagation private true 2>/dev/null; then
		exec unshare --mount --propagation private -- "$@"
	fi
	exec perl -e "$OWN_MOUNTS_IN_CHROOT" -- "$@"
}

# In a chroot / may be no mount point. Then mount(2) can't make it private, and a mount
# below it might show in the namespace outside, and stay there. So step out to the root of
# the new namespace, make that private, and step back in. The system call numbers are those
# of x86-64, the project's only architecture.
# shellcheck disable=SC2016 # for perl
OWN_MOUNTS_IN_CHROOT='
	use strict;
	my ($sys_mount, $sys_unshare, $sys_setns) = (165, 272, 308);
	my ($newns, $private_rec) = (0x20000, 1 << 18 | 1 << 14);
	my ($none, $root) = ("none", "/");

	sub fail { die "mounts of our own in a chroot: $_[0]: $!; " .
		"mount /proc, or make the root a mount point (mount --bind DIR DIR; chroot DIR)\n" }

	syscall($sys_unshare, $newns) == 0 or fail("unshare");
	opendir(my $top, "/") or fail("/");
	opendir(my $here, ".") or fail(".");
	open(my $ns, "<", "/proc/self/ns/mnt") or fail("/proc/self/ns/mnt");
	syscall($sys_setns, fileno($ns), $newns) == 0 or fail("setns");
	syscall($sys_mount, $none, $root, 0, $private_rec, 0) == 0 or fail("mount");
	chdir($top) && chroot(".") && chdir($here) or fail("chroot");
	exec { $ARGV[0] } @ARGV or fail($ARGV[0]);
'

# layer_open TREE DIR
#
# Make DIR/root a writable view of TREE with /proc in it (objtool fails without)
# and make DIR/delta/payload the place where changes are collected.
layer_open()
{
	local tree=$1 dir=$2

	rm -rf "$dir/root" "$dir/work" "$dir/delta"
	mkdir -p "$dir"/{root,work,delta/payload}
	LAYER_COPIED=0
	if ! mount -t overlay tlbbatch-layer "$dir/root" -o \
		"lowerdir=$tree,upperdir=$dir/delta/payload,workdir=$dir/work" \
		2>/dev/null; then
		# The kernel refuses an overlay on an overlay (in a container).
		note "no overlayfs on ${dir%/*}, copying the root"
		cp -a --reflink=auto "$tree/." "$dir/root/"
		LAYER_COPIED=1
		# Files that are newer than this one are the delta.
		sleep 0.1
		touch "$dir/stamp"
		sleep 0.1
	fi
	mount -t proc proc "$dir/root/proc"
}

# layer_run DIR COMMAND...: run COMMAND in the layer, in a bare environment.
layer_run()
{
	local dir=$1

	shift
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root LC_ALL=C.UTF-8 ${LAYER_ENV[@]+"${LAYER_ENV[@]}"} \
		chroot "$dir/root" "$@"
}

# layer_pack DIR CPIO
#
# Close the layer, and write its delta to CPIO, as files below payload/. Files that were
# deleted stay in the guest's root (their whiteouts are character devices).
layer_pack()
{
	local dir=$1 cpio=$2

	umount "$dir/root/proc"
	if [ "$LAYER_COPIED" -eq 1 ]; then
		(cd "$dir/root" && find . -xdev \( -type f -o -type l \) \
			-cnewer "$dir/stamp" -print0 |
			cpio -0 -pdm --quiet "$dir/delta/payload")
	else
		# dkms 3.2 leaves a process behind that sleeps for three seconds.
		umount "$dir/root" 2>/dev/null || { sleep 4 && umount "$dir/root"; }
	fi
	(
		cd "$dir/delta" || exit
		find payload \( -path payload/proc -o -path payload/dev -o \
			-path payload/run -o -path payload/tmp -o \
			-path payload/var/log -o -path payload/var/tmp \) \
			-prune -o \( -type f -o -type l -o -type d \) -print0 |
			cpio -0 -o -H newc --quiet
	) >"$cpio.new"
	mv "$cpio.new" "$cpio"
	rm -rf "$dir/root" "$dir/work" "$dir/delta" "$dir/stamp"
}
