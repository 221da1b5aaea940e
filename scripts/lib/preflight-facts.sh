# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # scripts/preflight and foreign.sh set and use them
#
# preflight --facts FILE: judge a machine from what --collect gathered there. The archive becomes
# a tree for --root, so the checks are the same. Somebody else may have made it: tar unpacks only
# plain files that preflight knows by name. A part of scripts/preflight, to be sourced by it: behind
# foreign.sh. preflight-collect.sh makes the archive.

# The parts of an archive, in its order, behind "about".
FACTS_PARTS=(
	proc/sys/kernel/osrelease
	proc/sys/kernel/ftrace_enabled
	proc/cpuinfo
	proc/swaps
	proc/cmdline
	proc/kallsyms
	boot/config
	dev/kmsg
	sys/devices/system/cpu/online
	sys/hypervisor/guest_type
	sys/kernel/btf/vmlinux
	sys/kernel/livepatch
	sys/kernel/mm/lru_gen/enabled
	sys/kernel/mm/transparent_hugepage/enabled
	sys/kernel/security/lockdown
	sys/kernel/tlbbatch/enabled
	sys/kernel/tlbbatch/hooks
	sys/kernel/tlbbatch/version
	sys/kernel/tracing/available_filter_functions
	sys/kernel/tracing/enabled_functions
	sys/module/module/parameters/sig_enforce
	sys/module/zswap/parameters/enabled
	cgroup-version
	headers
	key-enrolled
	secure-boot
)
FACTS_TOP=tlbbatch-facts
FACTS_FORMAT=1
FACTS_ABOUT_BYTES=8192
# What all parts may have together
FACTS_BYTES_MAX=$((128 << 20))
FACTS_UNPACK_S=120
# A path of directories below /sys/kernel/livepatch
FACTS_NAME='[A-Za-z0-9_][A-Za-z0-9_.:-]*'
FACTS_LIVEPATCH="^$FACTS_NAME(/$FACTS_NAME(/[A-Za-z0-9_][A-Za-z0-9_.]*,[0-9]{1,9})?)?\$"
FACTS_HEADERS='^/(usr/src|usr/lib|lib)(/[A-Za-z0-9_+~-][A-Za-z0-9._+~-]*)+$'

# What is removed at the end
litter=()
# When, and by whom ("root" or "other") an archive was gathered, and what couldn't be read there
facts_time=
facts_user=
facts_unreadable=

remove_litter()
{
	[ ${#litter[@]} -eq 0 ] || rm -rf -- "${litter[@]}"
}

# facts_dir: make the directory dir, which goes away at the end
facts_dir()
{
	trap remove_litter EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	dir=$(mktemp -d) || die "can't make a temporary directory"
	litter+=("$dir")
}

# refuse FILE WHY
refuse()
{
	die "--facts: $(printable "$1") is refused: $(printable "$2")"
}

# unpack_with FILE: print the command that unpacks it, by what it begins with
unpack_with()
{
	case $(od -An -v -tx1 -N6 -- "$1" | tr -d ' \n') in
	1f8b*) echo "gzip -dc" ;;
	fd377a585a00) echo "xz -dc -M 256MiB" ;;
	28b52ffd*) echo "zstd -dc" ;;
	*) echo cat ;;
	esac
}

# facts_names FILE: check what $dir/tar has. Each part must be a plain file with one of the known
# names, and come once.
facts_names()
{
	local mode _ size name rest known=" about ${FACTS_PARTS[*]} " seen=' ' total=0

	# -P: names as they are; nothing is unpacked here.
	if ! timeout $FACTS_UNPACK_S tar -P --numeric-owner --quoting-style=escape -tvf "$dir/tar" \
		>"$dir/list" 2>"$dir/errors" || [ -s "$dir/errors" ]; then
		refuse "$1" "it is no tar archive, or cut short"
	fi
	while read -r mode _ size _ _ name rest; do
		[[ $mode = -* ]] || refuse "$1" "$name${rest:+ $rest} is no plain file"
		[[ $name$rest = "$FACTS_TOP"/* ]] || refuse "$1" "$name${rest:+ $rest} doesn't belong there"
		name=${name#"$FACTS_TOP"/}
		[[ -z $rest && $known = *" $name "* ]] ||
			refuse "$1" "$name${rest:+ $rest} doesn't belong there"
		[[ $seen != *" $name "* ]] || refuse "$1" "it has $name twice"
		[[ $size =~ ^[0-9]{1,9}$ ]] || refuse "$1" "$name is too large"
		total=$((total + 10#$size))
		if [ "$size" -gt "$FOREIGN_BYTES_MAX" ] || [ $total -gt $FACTS_BYTES_MAX ]; then
			refuse "$1" "$name is too large"
		fi
		seen+="$name "
	done <"$dir/list"
	[[ $seen = *" about "* ]] || refuse "$1" "preflight --collect didn't make it, or it is empty"
}

# facts_part STATE PART SIZE: does a line of about fit what is there?
facts_part()
{
	local size

	case $1 in
	has)
		size=$(stat -c %s "$parts/$2" 2>/dev/null)
		[ -n "$size" ] && [ "$size" = "$3" ]
		return
		;;
	unreadable) facts_unreadable+=", $2" ;;
	absent) ;;
	*) return 1 ;;
	esac
	[ ! -e "$parts/$2" ]
}

# facts_about FILE: read what the archive says of itself, and compare
facts_about()
{
	local state name size rest said known=" ${FACTS_PARTS[*]} "

	[ "$(stat -c %s "$parts/about")" -le $FACTS_ABOUT_BYTES ] || refuse "$1" "about is too large"
	mapfile -t said < <(tr -d '\0' <"$parts/about")
	[ "${said[0]-}" = "$FACTS_TOP $FACTS_FORMAT" ] ||
		refuse "$1" "another version of preflight made it"
	[[ ${said[1]-} =~ ^time\ ([0-9]{4}-[0-9]{2}-[0-9]{2}\ [0-9]{2}:[0-9]{2})$ ]] ||
		refuse "$1" "it doesn't tell its time"
	facts_time=${BASH_REMATCH[1]}
	[[ ${said[2]-} =~ ^user\ (root|other)$ ]] || refuse "$1" "it doesn't tell who made it"
	facts_user=${BASH_REMATCH[1]}
	while read -r state name size rest; do
		[[ -n $name && -z $rest && $known = *" $name "* ]] ||
			refuse "$1" "about has a line that is none: $state $name"
		known=${known/ $name / }
		facts_part "$state" "$name" "$size" || refuse "$1" "$name isn't as about says: cut short?"
	done < <(printf '%s\n' "${said[@]:3}")
	[ "$known" = ' ' ] || refuse "$1" "about says nothing of${known% }"
}

# move_part PART PATH: into the tree, if the archive has it
move_part()
{
	[ -e "$parts/$1" ] || return 0
	mkdir -p "$dir/root${2%/*}" || die "can't write to $dir"
	mv -T "$parts/$1" "$dir/root$2" || die "can't write to $dir"
}

# first_of PART: print its first line
first_of()
{
	root=$parts line_of "/$1"
}

# put_file PATH TEXT: into the tree
put_file()
{
	mkdir -p "$dir/root${1%/*}" || die "can't write to $dir"
	printf '%s\n' "$2" >"$dir/root$1" || die "can't write to $dir"
}

# Make of the parts what they were made of, as far as preflight looks at it. A name that a part
# gives becomes a path, so it is checked.
facts_tree()
{
	local name state release headers

	for name in "${FACTS_PARTS[@]}"; do
		case $name in
		*/livepatch | */hooks | boot/* | cgroup-version | headers | key-enrolled | secure-boot) ;;
		*) move_part "$name" "/$name" ;;
		esac
	done
	release=$(root=$dir/root line_of /proc/sys/kernel/osrelease)
	headers=$(first_of headers)
	if [[ $release =~ $RELEASE_NAME ]]; then
		move_part boot/config "/boot/config-$release"
		if [[ $headers =~ $FACTS_HEADERS ]]; then
			put_file "$headers/Makefile" ''
			mkdir -p "$dir/root/lib/modules/$release"
			[ -e "$dir/root/lib/modules/$release/build" ] ||
				ln -s "$headers" "$dir/root/lib/modules/$release/build"
		fi
	fi
	if [ "$(first_of key-enrolled)" = yes ]; then
		put_file /var/lib/dkms/mok.pub key
		put_file "$MOK_LIST" key
	fi
	if [ "$(first_of secure-boot)" = on ]; then
		put_file "$SECURE_BOOT" ''
		printf '\1' >"$dir/root$SECURE_BOOT"
	fi
	while read -r name; do
		[[ ! $name =~ $FACTS_LIVEPATCH ]] || mkdir -p "$dir/root/sys/kernel/livepatch/$name"
	done < <(root=$parts lines /sys/kernel/livepatch | head -n "$FOREIGN_LINE_MAX")
	while read -r name state; do
		[[ ! $name =~ ^[a-z0-9_]{1,60}$ ]] || put_file "/sys/kernel/tlbbatch/hooks/$name" "$state"
	done < <(root=$parts lines /sys/kernel/tlbbatch/hooks | head -n "$FOREIGN_LINE_MAX")
}

# facts FILE: set root to a tree that is made of the archive
facts()
{
	local unpack status

	{ [ -f "$1" ] && [ -r "$1" ]; } || die "--facts: $1 is no file that can be read"
	facts_dir
	unset TAR_OPTIONS
	read -r -a unpack < <(unpack_with "$1")
	command -v "${unpack[0]}" >/dev/null || die "--facts: $1 needs ${unpack[0]}"
	# The headers of tar come on top of what the parts have.
	timeout $FACTS_UNPACK_S "${unpack[@]}" <"$1" 2>/dev/null |
		head -c $((FACTS_BYTES_MAX + (1 << 20))) >"$dir/tar"
	status=("${PIPESTATUS[@]}")
	[ "${status[1]}" -eq 0 ] || die "can't write to $dir"
	if [ "${status[0]}" -ne 0 ]; then
		[ "$(stat -c %s "$dir/tar")" -le $FACTS_BYTES_MAX ] || refuse "$1" "it is too large"
		refuse "$1" "it is cut short, or can't be unpacked"
	fi
	facts_names "$1"
	parts=$dir/$FACTS_TOP
	timeout $FACTS_UNPACK_S tar -C "$dir" -m --no-same-owner --no-same-permissions -xf "$dir/tar" \
		2>/dev/null || refuse "$1" "it can't be unpacked to $dir"
	# Whatever their modes were
	chmod -R u=rwX,go= "$parts" || die "can't write to $dir"
	facts_about "$1"
	mkdir "$dir/root" || die "can't write to $dir"
	facts_tree
	root=$dir/root
}

# What an archive can't tell
check_facts()
{
	local text="gathered $facts_time UTC"

	[ "$facts_user" != root ] || text+=" as root"
	text+=": it can't tell what has changed there since, or what the module tries at load"
	[ -z "$facts_unreadable" ] || text+="; not readable there: ${facts_unreadable#, }"
	tell facts note "$text"
}
