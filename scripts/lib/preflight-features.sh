# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/preflight sets them
#
# Features that not each kernel has. None of them decides whether the module is of use. A part of
# scripts/preflight, to be sourced by it.

# --- huge pages that MADV_FREE gave up ------------------------------------------------

# pmd_modify() dropped the dirty bit from 6.6 on, up to 6.12.110 and 7.2.6. The module tries it at
# load; here the release tells. Of series that Debian doesn't have, it can't.
check_lazyfree()
{
	if [[ $release =~ ^(6\.12\.([0-9]|[1-9][0-9]|10[0-9]|110)|7\.2(\.[0-6])?|7\.3-rc[1-3])([^0-9.]|$) ]]; then
		tell "feature lazyfree" note "this kernel loses what is written to huge pages behind MADV_FREE, with tlbbatch or without: update it (fixed in 6.12.111 and 7.2.7); lazyfree/mode can't be had"
	elif [[ $release =~ ^(6\.([6-9]|1[01]|1[3-9])|7\.[01])([^0-9]|$) ]]; then
		tell "feature lazyfree" note "kernels from 6.6 on lost what is written to huge pages behind MADV_FREE, with tlbbatch or without (fixed in 6.12.111 and 7.2.7); whether this one has the fix isn't known here, the module tries it at load"
	elif [[ $release = *-rt-* ]] || ! within /sys/kernel/mm/transparent_hugepage; then
		tell "feature lazyfree" note "no transparent huge pages: lazyfree/mode can't be had"
	elif [ "$(line_of /sys/hypervisor/guest_type)" = PV ]; then
		tell "feature lazyfree" note "a paravirtual guest of Xen: lazyfree/mode can't be had"
	elif [[ $release =~ ^(6\.12\.11[1-6]|7\.2\.|7\.3\.[01][^0-9]) ]]; then
		tell "feature lazyfree" note "here a huge page that MADV_FREE gave up may outlive munmap(): lazyfree/mode closes that"
	else
		tell "feature lazyfree" yes "lazyfree/mode can be had, its functions are checked at load"
	fi
}
