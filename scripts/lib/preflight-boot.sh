# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/preflight and foreign.sh set them
#
# How was this kernel built, and with which words was it started? A part of scripts/preflight, to
# be sourced by it: behind foreign.sh, with its tell(), $release and $named.

# What the module needs, and no other line tells. One of several is enough.
CONFIG_NEEDED="MODULES KALLSYMS_ALL KPROBES DYNAMIC_FTRACE
	DYNAMIC_FTRACE_WITH_REGS|DYNAMIC_FTRACE_WITH_ARGS"

# config_lines: print the options that are on, as KEY=VALUE: no texts, which may name somebody.
# Fails if no configuration can be read.
config_lines()
{
	local path found=

	[ "$named" -eq 1 ] || return
	for path in "/boot/config-$release" "/lib/modules/$release/config" /proc/config.gz \
		"/lib/modules/$release/build/.config"; do
		! file_within "$path" || { found=$path; break; }
	done
	case $found in
	'') return 1 ;;
	*.gz) contents "$found" | gzip -dc 2>/dev/null | head -c "$FOREIGN_BYTES_MAX" | tr -d '\0' ;;
	*) lines "$found" ;;
	esac | grep -aE '^CONFIG_[A-Za-z0-9_]{1,60}=([ym]|[0-9]{1,20})$'
}

check_config()
{
	local options need off=

	options=$(config_lines) || return
	for need in $CONFIG_NEEDED; do
		grep -qE "^CONFIG_($need)=y$" <<<"$options" || off+=", CONFIG_${need//|/ and CONFIG_}"
	done
	if [ -n "$off" ]; then
		tell config no "off in this kernel: ${off#, }; the module needs them"
	else
		tell config yes "the kernel was built with what the module needs"
	fi
}

# blacklist_filter: of a command line, print what keeps the module out, and nothing else of it. The
# last list counts.
blacklist_filter()
{
	tr -d '\0' | tr -s ' \t\n' '\n' | awk -F= '
		$0 == "--" { rest = 1 }
		{ gsub("-", "_", $1) }
		!rest && $1 == "module_blacklist" { found = ("," $2 ",") ~ /,tlbbatch,/ }
		END { if (found) print "module_blacklist=tlbbatch" }'
}

check_blacklist()
{
	[ -z "$(contents /proc/cmdline | blacklist_filter)" ] ||
		tell blacklist no "module_blacklist=tlbbatch is on the kernel's command line: boot without it"
}
