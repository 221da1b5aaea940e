# SPDX-License-Identifier: GPL-2.0-only
#
# awk -f trace.awk TRACE
#
# Print what a trace tells, a line for each value:
#
#   memcg US, direct US   one call of reclaim, for a cgroup or for an allocation
#   idle SECONDS          in all, in which no CPU that the trace names ran anything
#
# The lines are in the order of time. A CPU whose first event of cpu_idle is the end of being idle
# has been idle from the beginning of the trace.

function took(what)
{
	if ((what, task) in since)
		print what, int((now - since[what, task]) * 1000000 + 0.5)
	delete since[what, task]
}

function idle_number(    n, cpu)
{
	for (cpu in is_idle)
		n += is_idle[cpu]
	return n + 0
}

# Lines of the header have no time.
!match($0, / [0-9]+\.[0-9]+: /) {
	next
}

{
	now = substr($0, RSTART + 1, RLENGTH - 3) + 0
	task = $0
	sub(/ +\[[0-9]+\].*/, "", task)
	if (begin == "")
		begin = now
}

/ mm_vmscan_memcg_reclaim_begin: / { since["memcg", task] = now }
/ mm_vmscan_memcg_reclaim_end: / { took("memcg") }
/ mm_vmscan_direct_reclaim_begin: / { since["direct", task] = now }
/ mm_vmscan_direct_reclaim_end: / { took("direct") }

# cpu_idle: state=1 cpu_id=0 begins it, and state=4294967295 (-1) ends it.
/ cpu_idle: state=[0-9]+ cpu_id=[0-9]+/ {
	state = cpu = $0
	sub(/.* state=/, "", state)
	sub(/ .*/, "", state)
	sub(/.* cpu_id=/, "", cpu)
	sub(/ .*/, "", cpu)
	events++
	time[events] = now
	of_cpu[events] = cpu
	idles[events] = state + 0 != 4294967295
	if (!(cpu in is_idle))
		is_idle[cpu] = !idles[events]
}

END {
	cpus = 0
	for (cpu in is_idle)
		cpus++
	last = begin
	for (i = 1; i <= events; i++) {
		if (idle_number() == cpus)
			idle += time[i] - last
		last = time[i]
		is_idle[of_cpu[i]] = idles[i]
	}
	printf "idle %.6f\n", idle
}
