# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/preflight and foreign.sh set them
#
# Who else changes the functions that the module hooks? A part of scripts/preflight, to be sourced
# by it: behind foreign.sh, with its feature(), $hook_list and $hidden.

# The functions that nobody else may redirect, and have the module's hook.
hooked_symbols()
{
	awk -F'\t' '$1 == "hook" { print $4 }' <<<"$hook_list" | tr '|' '\n'
}

# Those of them that the module has hooked now. Who came later shares them with it.
own_symbols()
{
	local kind name symbols

	within /sys/kernel/tlbbatch/hooks && [ -d "$file" ] || return
	while IFS=$'\t' read -r kind _ name symbols _; do
		[ "$kind" = hook ] &&
			[ "$(line_of "/sys/kernel/tlbbatch/hooks/$name")" = attached ] &&
			tr '|' '\n' <<<"$symbols"
	done <<<"$hook_list"
}

check_livepatch()
{
	local name patches=() held=
	declare -A hooked=()

	while read -r name; do
		hooked[$name]=1
	done < <(hooked_symbols)
	if within /sys/kernel/livepatch; then
		# PATCH, and PATCH/OBJECT/FUNCTION,POSITION: each a directory.
		while IFS= read -r -d '' name; do
			case $name in
			*/*/*)
				[[ ${name##*/} =~ ^([A-Za-z0-9_.]+),[0-9]+$ ]] || continue
				[ -z "${hooked[${BASH_REMATCH[1]}]-}" ] ||
					held+=", livepatch ${name%%/*} changes ${BASH_REMATCH[1]}"
				;;
			*/*) ;;
			*) patches+=("$name") ;;
			esac
		done < <(timeout "$FOREIGN_READ_S" find "$file" -mindepth 1 -maxdepth 3 \
			-type d -printf '%P\0' 2>/dev/null | head -z -n "$FOREIGN_LINE_MAX")
	fi
	if [ -n "$held" ]; then
		feature livepatch no "${held#, }: enabling would fail with EBUSY"
	elif [ ${#patches[@]} -gt 0 ]; then
		feature livepatch yes "livepatch ${patches[*]} changes none of the hooked functions"
	else
		feature livepatch yes "no livepatch is loaded"
	fi
}

check_ftrace_users()
{
	local path held known=0

	for path in /sys/kernel/{tracing,debug/tracing}/enabled_functions; do
		! file_within "$path" || { known=1; break; }
	done
	if [ $known -eq 0 ]; then
		feature ftrace-users unknown "whether a BPF program or a module holds a function $hidden"
		return
	fi
	# A line has a function, the number of its users, and flags: I redirects it, D is
	# called directly. Lines that begin with a tab say more about the function. What the
	# module itself has hooked doesn't count: the line names the module only if nobody
	# shares the function.
	held=$(awk -v symbols="$(hooked_symbols | paste -sd' ')" \
		-v own="$(own_symbols | paste -sd' ')" '
		BEGIN {
			split(symbols, list, " ")
			for (i in list)
				wanted[list[i]] = 1
			split(own, list, " ")
			for (i in list)
				delete wanted[list[i]]
		}
		function done() {
			if (name in wanted && entry ~ / [DI]/)
				print name
		}
		/^[ \t]/ { entry = entry " " $0; next }
		{ done(); name = $1; entry = $0; sub(/^[^)]*\)/, "", entry) }
		END { done() }' < <(lines "$path") | paste -sd' ')
	if [ -n "$held" ]; then
		feature ftrace-users no "held by a BPF program (fentry, fexit) or a module: $held; enabling would fail with EBUSY"
	else
		feature ftrace-users yes "nobody else changes the path of a hooked function"
	fi
}
