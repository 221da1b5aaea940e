# SPDX-License-Identifier: GPL-2.0-only
#
# awk -v writers=N -f receivers.awk INTERRUPTS HISTOGRAM
#
# Print "NAME VALUE" lines, each for the writers' CPUs, which are the first N, and for the others,
# the bystanders':
#
#   tlb_*    receivers: what /proc/interrupts says in the row TLB
#   full_*   how many events of tlb_flush have told of something to flush. A line of the histogram:
#            { common_cpu:          0, pages:          1 } hitcount:         10

# The number behind this name. What match() finds begins with blanks, so only + 0 makes it one.
function number(name)
{
	if (!match($0, name ": +[0-9-]+"))
		return 0
	return substr($0, RSTART + length(name) + 1, RLENGTH - length(name) - 1) + 0
}

# The first line names the CPUs that are online.
NR == 1 {
	for (i = 1; i <= NF; i++)
		cpu[i] = substr($i, 4) + 0
}

$1 == "TLB:" {
	for (i = 2; $i ~ /^[0-9]+$/; i++)
		tlb[cpu[i - 1] < writers] += $i
}

/^\{ / && number("pages") {
	full[number("common_cpu") < writers] += number("hitcount")
}

END {
	print "tlb_writers", tlb[1] + 0
	print "tlb_bystanders", tlb[0] + 0
	print "full_writers", full[1] + 0
	print "full_bystanders", full[0] + 0
}
