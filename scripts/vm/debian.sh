# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Which Debian mirror does this machine use? Ask apt itself rather than parse its files. apt
# knows one-line and deb822 sources alike. It also knows the Origin and Label that each
# repository signs, so a third party's "bookworm main" is not taken for Debian's. To be
# sourced after common.sh.

# debian_uri LABEL: address of the archive with that Label.
debian_uri()
{
	# shellcheck disable=SC2016 # the dollar signs are apt's
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' \
		'Created-By: Packages' |
		awk -F'|' -v label="$1" '
			$1 == "Debian" && $2 == label && $3 == "main" {
				print $4
				exit
			}'
}

DEBIAN_KEYS=/usr/share/keyrings

# debian_keyring: print the file with Debian's keys. An update of the package brings the
# keys of newer releases to older ones. The older keys sign it.
debian_keyring()
{
	need debian-archive-keyring
	[ -e "$DEBIAN_KEYS/debian-archive-trixie-automatic.gpg" ] ||
		install_packages debian-archive-keyring
	echo "$DEBIAN_KEYS/debian-archive-keyring.gpg"
}

# debian_source SUITE: a line for sources.list.
debian_source()
{
	local label=Debian uri

	case $1 in
	*-security) label=Debian-Security ;;
	esac

	uri=$(debian_uri "$label")
	if [ -z "$uri" ]; then
		# apt knows who signs a repository only after it has fetched from it.
		apt-get -qq update >&2 || note "apt-get update failed, trying on"
		uri=$(debian_uri "$label")
	fi
	[ -n "$uri" ] ||
		die "apt has no source of $label main here; add one for $1"
	printf 'deb [signed-by=%s] %s %s main\n' "$(debian_keyring)" "$uri" "$1"
}

# debian_aptopts: print how this machine reaches its mirror (proxies and the like), and how
# old it lets the mirror be. One apt option per line.
debian_aptopts()
{
	apt-config dump | grep -E '^Acquire::(https?::|Check-)' | grep -v '""' ||
		true
}

# root_apt TREE COMMAND...: run an apt tool of this machine on TREE.
root_apt()
{
	local tree=$1 conf rc=0

	shift
	# On the command line these options would come too late for some parts of apt.
	conf=$(mktemp)
	cat >"$conf" <<-END
		Dir "$tree";
		Dir::State::status "$tree/var/lib/dpkg/status";
		DPkg::Chroot-Directory "$tree";
		DPkg::Use-Pty "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
	END
	debian_aptopts >>"$conf"
	APT_CONFIG=$conf LC_ALL=C "$@" || rc=$?
	rm -f "$conf"
	return $rc
}

# root_apt_dirs TREE: make what apt wants to find in a TREE that isn't a root.
root_apt_dirs()
{
	mkdir -p "$1"/etc/apt/{apt.conf,preferences}.d "$1/var/lib/dpkg" \
		"$1"/var/{lib/apt/lists,cache/apt/archives}/partial
	: >"$1/var/lib/dpkg/status"
}
