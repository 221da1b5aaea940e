# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/preflight and foreign.sh set them
#
# preflight --collect FILE: gather what preflight looks at, for --facts on another machine. Of each
# file only that goes into the archive which decides something: no address, no host name, no
# serial number, no key, nobody's paths. A part of scripts/preflight, to be sourced by it: behind
# foreign.sh and the other parts. preflight-facts.sh reads the archive, and lists its parts.

declare -A part_state=() part_told=()

# state_of PATH: print "unreadable" if PATH is there or somebody else might see it, else "absent"
state_of()
{
	! within "$1" || { echo unreadable; return; }
	while [ ! -e "$file" ]; do
		file=${file%/*}
	done
	[ -x "${file:-/}" ] && echo absent || echo unreadable
}

# part PART TOLD: its file is written; TOLD says what is in it, if its name doesn't
part()
{
	part_state[$1]=has
	part_told[$1]=${2-}
}

# put_part PART TEXT [TOLD]
put_part()
{
	mkdir -p "$(dirname "$parts/$1")" || die "can't write $parts/$1"
	printf '%s\n' "$2" >"$parts/$1" || die "can't write $parts/$1"
	part "$1" "${3-}"
}

# gather PART PATH TOLD FILTER...: make PART of what FILTER makes of the file PATH. What can't be
# read is no error; what can't be written is one.
gather()
{
	local part=$1 path=$2 told=$3 status

	shift 3
	part_state[$part]=unreadable
	if ! contents "$path" 1 >/dev/null; then
		part_state[$part]=$(state_of "$path")
		return
	fi
	mkdir -p "$(dirname "$parts/$part")" || die "can't write $parts/$part"
	contents "$path" | "$@" >"$parts/$part"
	status=("${PIPESTATUS[@]}")
	[ "${status[1]}" -eq 0 ] || die "can't write $parts/$part"
	if [ "${status[0]}" -eq 0 ]; then
		part "$part" "$told"
	else
		rm -f "$parts/$part"
	fi
}

# gather_line PATH: make a part of its first line
gather_line()
{
	if file_within "$1" && contents "$1" 1 >/dev/null; then
		put_part "${1#/}" "$(printable "$(line_of "$1")")"
	else
		part_state[${1#/}]=$(state_of "$1")
	fi
}

# --- filters -----------------------------------------------------------------------------

# Types and names. What modules and BPF programs have added isn't the kernel's.
kallsyms_filter()
{
	tr -d '\0' | cut -b "-$FOREIGN_LINE_MAX" | awk 'NF == 3 { print 0, $2, $3 }'
}

functions_filter()
{
	tr -d '\0' | cut -b "-$FOREIGN_LINE_MAX" | awk 'NF == 1'
}

# A function, the number of its users, and flags; no trampolines.
users_filter()
{
	tr -d '\0' | cut -b "-$FOREIGN_LINE_MAX" | awk '
		function flags(from,    i) {
			for (i = from; i <= NF; i++)
				if ($i ~ /^[A-Z]$/)
					printf " %s", $i
			print ""
		}
		/^[ \t]/ { printf "\t"; flags(1); next }
		NF { printf "%s %s", $1, $2 ~ /^\([0-9]+\)$/ ? $2 : "(0)"; flags(2) }'
}

# No names of devices and files.
swaps_filter()
{
	tr -d '\0' | cut -b "-$FOREIGN_LINE_MAX" | awk '
		NR == 1 { print "Filename Type Size"; next }
		/./ { print ($1 ~ "^/dev/zram" ? "zram" : "-"), ($2 ~ /^(file|partition)$/ ? $2 : "-"),
			($3 ~ /^[0-9]+$/ ? $3 : 0) }'
}

# The first CPU's, since others are like it. Some have a serial number there.
cpuinfo_filter()
{
	tr -d '\0' | cut -b "-$FOREIGN_LINE_MAX" | awk -F '[ \t]*:' '
		$1 ~ /^(vendor_id|cpu family|flags|CPU implementer|cpu)$/ && !seen[$1]++'
}

# --- what is more than a file ----------------------------------------------------------------

# headers_dir: where the headers are, unless that says who has them
headers_dir()
{
	within "/lib/modules/$release/build/Makefile" || return
	[ -n "$root" ] || file=$(readlink -f "$file")
	file=${file#"$root"}
	[[ $file =~ ^/(usr/src|usr/lib|lib)/[A-Za-z0-9._+~/-]+/Makefile$ ]] ||
		file=/lib/modules/$release/build/Makefile
	printf '%s' "${file%/Makefile}"
}

# gather_tracing NAME TOLD FILTER
gather_tracing()
{
	local part=sys/kernel/tracing/$1 state

	gather "$part" "/$part" "$2" "$3"
	# A look at the other place may mount tracefs there.
	state=${part_state[$part]}
	[ "$state" = has ] || gather "$part" "/sys/kernel/debug/tracing/$1" "$2" "$3"
	[ "${part_state[$part]}" = has ] || part_state[$part]=$state
}

gather_kernel()
{
	local headers options log

	gather proc/kallsyms /proc/kallsyms "types and names, no addresses" kallsyms_filter
	gather sys/kernel/btf/vmlinux /sys/kernel/btf/vmlinux "" cat
	gather_tracing available_filter_functions "names" functions_filter
	gather_tracing enabled_functions "names, users and flags, no addresses" users_filter
	if options=$(config_lines); then
		put_part boot/config "$options" "options that are on, without texts"
	else
		part_state[boot/config]=$(state_of "/boot/config-$release")
	fi
	gather proc/cmdline /proc/cmdline "whether module_blacklist= names tlbbatch, no other word" \
		blacklist_filter
	part_state[headers]=absent
	if [ "$named" -eq 1 ] && headers=$(headers_dir); then
		put_part headers "$headers"
	fi
	part_state[dev/kmsg]=$(state_of /dev/kmsg)
	log=$(kernel_log | tr -d '\0')
	[ -z "$log" ] || put_part dev/kmsg "$(grep -aoEm1 "$PV_FLUSHES" <<<"$log")" \
		"whether it tells of paravirtual flushes, no other message"
}

gather_machine()
{
	local path enrolled=no boot=off

	for path in /proc/sys/kernel/{osrelease,ftrace_enabled} /sys/devices/system/cpu/online \
		/sys/hypervisor/guest_type /sys/kernel/mm/lru_gen/enabled /sys/kernel/security/lockdown \
		/sys/module/module/parameters/sig_enforce /sys/module/zswap/parameters/enabled; do
		gather_line "$path"
	done
	gather proc/cpuinfo /proc/cpuinfo "vendor, family and flags of the first CPU" cpuinfo_filter
	gather proc/swaps /proc/swaps "kinds and sizes, no names" swaps_filter
	part_state[sys/kernel/mm/transparent_hugepage/enabled]=absent
	! within /sys/kernel/mm/transparent_hugepage ||
		put_part sys/kernel/mm/transparent_hugepage/enabled \
			"$(printable "$(line_of /sys/kernel/mm/transparent_hugepage/enabled)")"
	part_state[cgroup-version]=absent
	if within /sys/fs/cgroup/cgroup.controllers; then
		put_part cgroup-version 2
	elif within /sys/fs/cgroup/memory; then
		put_part cgroup-version 1
	fi
	part_state[secure-boot]=absent
	if within "$SECURE_BOOT"; then
		! secure_boot_on || boot=on
		put_part secure-boot $boot
	fi
	! key_enrolled || enrolled=yes
	put_part key-enrolled "$enrolled" "the answer, no key"
}

# livepatches: print PATCH, PATCH/OBJECT, and PATCH/OBJECT/FUNCTION,POSITION
livepatches()
{
	within /sys/kernel/livepatch && timeout "$FOREIGN_READ_S" find "$file" -mindepth 1 -maxdepth 3 \
		-type d -printf '%P\0' 2>/dev/null | head -z -n "$FOREIGN_LINE_MAX" | tr '\n\0' '?\n' |
		grep -aE "$FACTS_LIVEPATCH"
}

gather_others()
{
	local name state hooks=

	part_state[sys/kernel/livepatch]=absent
	! within /sys/kernel/livepatch || put_part sys/kernel/livepatch "$(livepatches)"
	for name in enabled hooks version; do
		part_state[sys/kernel/tlbbatch/$name]=absent
	done
	within /sys/kernel/tlbbatch && [ -d "$file" ] || return 0
	for name in enabled version; do
		put_part sys/kernel/tlbbatch/$name "$(printable "$(line_of /sys/kernel/tlbbatch/$name)")"
	done
	while read -r name; do
		within "/sys/kernel/tlbbatch/hooks/$name" || continue
		# A reason behind the state may have an address.
		state=$(line_of "/sys/kernel/tlbbatch/hooks/$name")
		hooks+="$name $(printable "${state%%:*}")"$'\n'
	done < <(awk -F'\t' '$1 == "hook" { print $3 }' <<<"$hook_list" | sort -u)
	put_part sys/kernel/tlbbatch/hooks "$hooks" "states, no reasons"
}

# --- the archive ---------------------------------------------------------------------------------

# pack_with NAME: print the command that packs an archive of that name
pack_with()
{
	case $1 in
	*.tar) echo cat ;;
	*.tar.gz | *.tgz) echo "gzip -n" ;;
	*.tar.xz) echo "xz -T1" ;;
	*.tar.zst) echo "zstd -q" ;;
	*) return 1 ;;
	esac
}

# Print what is in the archive, for --facts; with the sizes, so that a loss on its way is seen.
write_about()
{
	local part user=other

	[ "$(id -u)" -ne 0 ] || user=root
	echo "$FACTS_TOP $FACTS_FORMAT"
	echo "time $(date -u '+%Y-%m-%d %H:%M')"
	echo "user $user"
	for part in "${FACTS_PARTS[@]}"; do
		case ${part_state[$part]} in
		has) echo "has $part $(stat -c %s "$parts/$part")" ;;
		*) echo "${part_state[$part]} $part" ;;
		esac
	done
}

tell_parts()
{
	local part

	for part in "${FACTS_PARTS[@]}"; do
		printf '%-11s %-46s %s\n' "${part_state[$part]/has/gathered}" "$part" "${part_told[$part]-}"
	done | sed 's/ *$//'
}

# collect FILE
collect()
{
	local out=$1 packer=() half part list=("$FACTS_TOP/about")

	read -r -a packer < <(pack_with "$out") ||
		die "--collect: $out ends neither in .tar nor in .tar.gz, .tar.xz, .tar.zst"
	command -v "${packer[0]}" >/dev/null || die "--collect: $out needs ${packer[0]}"
	# Whatever it is, somebody may want to keep it.
	if [ -e "$out" ] || [ -L "$out" ]; then
		die "--collect: $out is there already, remove it first"
	fi
	half=$(mktemp -- "$out.XXXXXX" 2>/dev/null) || die "--collect: can't write to $(dirname -- "$out")"
	litter+=("$half")
	facts_dir
	parts=$dir/$FACTS_TOP
	mkdir "$parts" || die "can't write to $dir"

	gather_machine
	gather_kernel
	gather_others
	put_part about "$(write_about)"
	for part in "${FACTS_PARTS[@]}"; do
		[ "${part_state[$part]}" != has ] || list+=("$FACTS_TOP/$part")
	done
	# It says nothing of who made it.
	tar -C "$dir" --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 \
		--mtime="@$(date +%s)" -cf - "${list[@]}" | "${packer[@]}" >"$half" ||
		die "--collect: can't write $out"
	# Another one may have come meanwhile. mv doesn't always say that it did nothing.
	mv -nT -- "$half" "$out" 2>/dev/null
	[ ! -e "$half" ] || die "--collect: $out is there already, or can't be written"
	tell_parts | for_screen 59
	echo
	echo "All this is in $out, $(stat -c %s -- "$out") bytes. Nothing was sent anywhere."
	if [ "$(id -u)" -ne 0 ]; then
		echo "As root it can gather more."
	elif [ "${part_state[sys/kernel/tracing/available_filter_functions]}" != has ]; then
		echo "With tracefs it can gather more: mount -t tracefs tracefs /sys/kernel/tracing"
	fi
}
