# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Make Debian roots: a base for each release, and from it a root for each of
# its kernels.  Files are shared by hard links, downloads are kept, and apt runs
# outside of the roots, with this machine's network.  To be sourced after
# common.sh, kernels.sh and debian.sh, in a mount namespace of our own.

# The packages of a base, besides the kernel. util-linux is here for its swapon: busybox's
# swapon knows no priorities and fails without a message. initramfs-tools is here because
# kernels want such a tool, and dracut is bigger.
ROOT_PACKAGES=(
	dkms gcc libc6-dev make kmod initramfs-tools
	stress-ng fio trace-cmd
	e2fsprogs xfsprogs btrfs-progs squashfs-tools erofs-utils
	util-linux mount procps coreutils gawk jq perl-base busybox-static
)
# Kernel modules for hardware that no guest has. They would be half of a root.
ROOT_LEAVES_OUT=(
	sound drivers/gpu drivers/media drivers/infiniband drivers/usb
	drivers/net/wireless drivers/net/ethernet drivers/staging drivers/iio
	drivers/input drivers/hid drivers/mtd drivers/hwmon drivers/isdn
	drivers/video drivers/bluetooth drivers/firewire drivers/comedi
)
ROOT_ARCHIVES=$TLBBATCH_CACHE/archives
ARCHIVES_KEEP_DAYS=30

# Those of a root's suites that the base is made of.
base_suites()
{
	local suite

	for suite in "${KERNEL_SUITES[@]}"; do
		case $suite in
		*-backports | experimental) ;;
		*) echo "$suite" ;;
		esac
	done
}

base_dir()
{
	echo "$TLBBATCH_CACHE/bases/$(base_suites | paste -sd+)"
}

# If this changes, the base is made again, and so is all that was made from it.
base_recipe()
{
	base_suites
	printf '%s\n' "${ROOT_PACKAGES[@]}" "${ROOT_LEAVES_OUT[@]}"
	declare -f make_base
}

# From backports and experimental only the kernel is a candidate. The newer one counts.
pins()
{
	local suite

	for suite in "${KERNEL_SUITES[@]}"; do
		case $suite in
		*-backports | experimental)
			printf 'Package: linux-*\nPin: release n=%s\nPin-Priority: 500\n\n' \
				"${suite/experimental/rc-buggy}"
			;;
		esac
	done
}

make_base()
{
	# After a crash a half-made root is made again, so there is no need to sync.
	local base=$1 suite option sources=() options=(--dpkgopt=force-unsafe-io) aptopts

	for suite in $(base_suites); do
		sources+=("$(debian_source "$suite")")
	done
	for option in man doc locale; do
		options+=(--dpkgopt="path-exclude=/usr/share/$option/*")
	done
	for option in "${ROOT_LEAVES_OUT[@]}"; do
		options+=(--dpkgopt="path-exclude=*/lib/modules/*/kernel/$option/*")
	done

	# Never leave a half-made tree under the good name.
	rm -rf "$base/tree" "$base/tree.new"
	mkdir -p "$base" "$ROOT_ARCHIVES"
	note "making a base of $(base_suites | xargs)"
	# Proxies and sources may have passwords, and every user can see command lines.
	aptopts=$(mktemp)
	debian_aptopts >"$aptopts"
	printf '%s\n' "${sources[@]}" | mmdebstrap --quiet --mode=root --variant=apt \
		--aptopt='APT::Install-Recommends "false"' "${options[@]}" \
		--aptopt="$aptopts" \
		--skip=download/empty,essential/unlink,cleanup/apt/cache \
		--setup-hook="mkdir -p \"\$1/var/cache/apt/archives\"" \
		--setup-hook="mount --bind '$ROOT_ARCHIVES' \"\$1/var/cache/apt/archives\"" \
		--customize-hook="umount \"\$1/var/cache/apt/archives\"" \
		--include="$(IFS=,; echo "${ROOT_PACKAGES[*]}")" \
		"${KERNEL_SUITES[0]}" "$base/tree.new" - >&2 ||
		{ rm -f "$aptopts"; die "mmdebstrap failed"; }
	rm -f "$aptopts"
	# A proxy's password doesn't belong into an image either. root_apt brings the proxy along.
	echo 'APT::Install-Recommends "false";' \
		>"$base/tree.new/etc/apt/apt.conf.d/99mmdebstrap"
	mv "$base/tree.new" "$base/tree"
}

# base_up_to_date: make the base if it is missing or was made by another recipe. Its
# packages may be old: only the kernel's packages are tested.
base_up_to_date()
{
	local base recipe

	base=$(base_dir)
	recipe=$(base_recipe | sha256sum)
	[ "$recipe" != "$(cat "$base/stamp" 2>/dev/null)" ] || return 0
	need mmdebstrap
	rm -f "$base/stamp"
	find "$ROOT_ARCHIVES" -name '*.deb' -ctime "+$ARCHIVES_KEEP_DAYS" -delete \
		2>/dev/null || true
	make_base "$base"
	printf '%s\n' "$recipe" >"$base/stamp"
}

# newest_packages TREE: print the names of the newest IMAGE and HEADERS packages, with * filled in.
newest_packages()
{
	local regex version

	case $KERNEL_IMAGE in
	*\**) ;;
	*) printf '%s\n' "$KERNEL_IMAGE" "$KERNEL_HEADERS"; return ;;
	esac
	# A version has no dash here: a dash would match the flavours.
	regex=${KERNEL_IMAGE//./\\.}
	regex=${regex/\*/([^-]*)}
	# apt may know a name only from another package's dependencies.
	while read -r version; do
		root_apt "$1" apt-cache show "${KERNEL_IMAGE/\*/$version}" \
			"${KERNEL_HEADERS/\*/$version}" >/dev/null 2>&1 || continue
		printf '%s\n' "${KERNEL_IMAGE/\*/$version}" \
			"${KERNEL_HEADERS/\*/$version}"
		return
	done < <(root_apt "$1" apt-cache pkgnames linux-image- |
		sed -nE "s/^$regex\$/\\1/p" | sort -rV)
	note "the mirror has no $KERNEL_IMAGE with $KERNEL_HEADERS"
	return 1
}

# offered_packages TREE: print the name and version of what TREE's sources offer now.
offered_packages()
{
	local packages

	root_apt "$1" apt-get -qq update >&2 || return
	mapfile -t packages < <(newest_packages "$1")
	[ ${#packages[@]} -eq 2 ] || return
	root_apt "$1" apt-cache policy "${packages[@]}" |
		awk '/^[^ ]/ { name = $1 } $1 == "Candidate:" { print name, $2 }'
}

# make_root TREE: make it of the base and the kernel. Prints what offered_packages would.
make_root()
{
	local tree=$1 base dir suite packages

	base=$(base_dir)
	rm -rf "$tree" "$tree.new"
	note "making the $KERNEL_KEY root from ${KERNEL_SUITES[*]}"
	# dpkg replaces files under /usr and never writes into them.  Elsewhere it
	# may, so the rest is copied.
	cp -al "$base/tree" "$tree.new"
	for dir in etc var; do
		rm -rf "$tree.new/$dir"
		cp -a "$base/tree/$dir" "$tree.new/"
	done

	for suite in "${KERNEL_SUITES[@]}"; do
		debian_source "$suite"
	done >"$tree.new/etc/apt/sources.list"
	pins >"$tree.new/etc/apt/preferences.d/tlbbatch"
	offered_packages "$tree.new" >"$tree.offered"
	mapfile -t packages < <(sed 's/:.*//' "$tree.offered")
	[ ${#packages[@]} -eq 2 ] || die "found no packages of $KERNEL_KEY"

	mount --bind "$ROOT_ARCHIVES" "$tree.new/var/cache/apt/archives"
	mount -t proc proc "$tree.new/proc"
	# INITRD=No: initramfs-tools would spend its time on an initramfs that
	# nobody boots.
	INITRD=No DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		root_apt "$tree.new" apt-get -qq -y --no-install-recommends \
		install "${packages[@]}" >"$tree.log" 2>&1 ||
		{ cat "$tree.log" >&2; die "apt failed"; }
	umount "$tree.new/proc" "$tree.new/var/cache/apt/archives"
	# These are 200 MB, which the next question to the mirror brings again.
	rm -rf "$tree.new"/var/lib/apt/lists/* "$tree.new"/var/cache/apt/*.bin
	mv "$tree.new" "$tree"
	cat "$tree.offered"
	rm "$tree.offered"
}
