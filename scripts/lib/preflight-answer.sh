# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/preflight sets them
#
# What preflight prints, as text and as JSON. A part of scripts/preflight, to be sourced by it.

json_string()
{
	local text=${1//\\/\\\\}

	printf '"%s"' "${text//\"/\\\"}"
}

# for_screen INDENT: wrap what is too long for a terminal; screen is its width, 0 without one
for_screen()
{
	if [ "$screen" -lt $(($1 + 20)) ]; then
		cat
		return
	fi
	awk -v width="$screen" -v indent="$1" '{
		while (length($0) > width) {
			for (cut = width; cut > indent && substr($0, cut + 1, 1) != " "; cut--)
				;
			if (cut == indent)
				cut = width
			print substr($0, 1, cut)
			rest = substr($0, cut + 1)
			sub(/^ +/, "", rest)
			$0 = sprintf("%" indent "s%s", "", rest)
		}
		print
	}'
}

print_json()
{
	local i

	printf '{\n  "kernel": %s,\n  "usable": %s,\n  "checks": [' \
		"$(json_string "$release")" "$1"
	for i in "${!checks[@]}"; do
		[ "$i" -eq 0 ] || printf ','
		printf '\n    {"check": %s, "verdict": "%s", "text": %s}' \
			"$(json_string "${checks[i]}")" "${verdicts[i]}" \
			"$(json_string "${texts[i]}")"
	done
	printf '\n  ]\n}\n'
}

print_text()
{
	local i

	for i in "${!checks[@]}"; do
		printf '%-8s %-29s %s\n' "${verdicts[i]}" "${checks[i]}" "${texts[i]}"
	done
	if [ "$1" = true ]; then
		echo "tlbbatch can be used here."
	else
		echo "tlbbatch can't be used here as things are."
	fi
}
