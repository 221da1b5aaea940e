# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/preflight and foreign.sh set them
#
# Whom do flushes of reclaim interrupt here? A part of scripts/preflight, to be sourced by it:
# behind foreign.sh, with its tell(), $release and $named. docs/shootdown.md has the reasons.

# What the kernel says at boot if the hypervisor helps
PV_FLUSHES='KVM setup pv remote TLB flush|hypercall for remote TLB flush'
# Why shootdown/ is refused here, or on what condition it isn't; set by check_flushes
not_told=
unless=

check_architecture()
{
	if [[ $release == *-arm64 ]] || grep -aqm1 '^CPU implementer' < <(lines /proc/cpuinfo); then
		tell architecture no "arm64: the processor tells the others of a flush by itself (TLBI), and interrupts none of them: there is nothing to save"
	elif [[ $release == *-powerpc64le ]] || grep -aqm1 '^cpu.*: POWER' < <(lines /proc/cpuinfo); then
		tell architecture no "powerpc: the kernel flushes for each page at once (tlbie, which interrupts nobody), and munmap, mprotect, mremap and madvise wouldn't wait for a flush that was put off: there is nothing to save, and it wouldn't be safe"
	fi
}

check_flushes()
{
	local log=

	if [ "$(line_of /sys/hypervisor/guest_type)" = PV ]; then
		not_told="the hypervisor helps to flush"
		tell flushes note "a paravirtual guest of Xen, which flushes for it: CPUs that don't run get none, and there is less to save: interrupts of those that run"
		return
	fi
	if grep -aqm1 '^flags.* hypervisor' < <(lines /proc/cpuinfo); then
		log=$(kernel_log | grep -aEm1 "$PV_FLUSHES")
		if [ -n "$log" ]; then
			not_told="the hypervisor helps to flush"
			tell flushes note "a virtual machine with paravirtual TLB flushes: CPUs that don't run get no interrupt, and there is less to save: interrupts of those that run"
		else
			# The log may be closed to this user, or may have lost its beginning.
			unless=" unless the hypervisor helps to flush"
			tell flushes note "a virtual machine: if its host offers paravirtual TLB flushes there is less to save"
		fi
		return
	fi
	# A kernel that can broadcast flushes has this function.
	if grep -aqm1 ' mm_free_global_asid$' < <(lines /proc/kallsyms) &&
		grep -aqm1 '^vendor_id.*AuthenticAMD' < <(lines /proc/cpuinfo) &&
		lines /proc/cpuinfo |
		awk -F: '/^cpu family/ && !nr++ { amd = $2 >= 25 } END { exit !amd }'; then
		not_told="flushes may be broadcast here"
		tell flushes note "this processor may have INVLPGB: flushes are broadcast without interrupts then, and there is less to save: the flushes themselves, but no interrupt"
	else
		tell flushes yes "no virtual machine, no INVLPGB: flushes interrupt other CPUs"
	fi
}

# The module tries the kernel. Here its version has to do.
check_shootdown()
{
	local verdict=yes

	[ -z "$unless" ] || verdict=note
	if [ -n "$not_told" ]; then
		tell "feature shootdown" note "$not_told: prune and defer_min_cpus are refused then"
	elif [[ $release =~ ^6\.(1|12)\. ]]; then
		tell "feature shootdown" note "prune is refused: on this kernel no CPU is interrupted that has left the process; defer_min_cpus can be had$unless"
	elif [[ $release =~ ^7\.[23][.-] ]]; then
		tell "feature shootdown" $verdict "prune can be had$unless: this kernel interrupts CPUs that have left the process"
	fi
}
