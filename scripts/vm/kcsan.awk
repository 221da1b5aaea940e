# SPDX-License-Identifier: GPL-2.0-only
#
# Leave out the titles of data races in which the module has no part, for splat-scan. The
# kernel has many of its own, and no test can know them. Variable "hooks" has the functions
# that the module redirects, separated by blanks.
#
# A race is the module's if one of the two accesses is in its own code, or in a function that
# it calls: the frame is the first or second of the stack. A redirected function that the
# module calls is the kernel's own code again. A report without an end counts as the
# module's. So do races of the test module faults, which makes one on purpose.

function stamp_off(line)
{
	sub(/^.*\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? ?/, "", line)
	sub(/\r$/, "", line)
	return line
}

function end_report()
{
	if (title != "" && ours)
		print title
	title = ""
}

BEGIN {
	split(hooks, names, " ")
	for (i in names)
		hook[names[i]] = 1
}

{
	text = stamp_off($0)
}

text ~ /^BUG: KCSAN: / {
	end_report()
	title = $0
	ours = 0
	frame = 99
	next
}

title != "" && text ~ /^=====/ {
	end_report()
}

title != "" && text ~ /^(race at unknown origin, with )?(read|write|read-write)[ (].* by .* on cpu [0-9]+:$/ {
	frame = 0
}

title != "" && text ~ /^ [^ ?]+\+0x[0-9a-f]+\/0x[0-9a-f]+/ {
	name = text
	sub(/^ /, "", name)
	sub(/[+.].*/, "", name)
	frame++
	if (text ~ /\[(tlbbatch|faults)\]/ && (frame == 1 || frame == 2 && !(first in hook)))
		ours = 1
	first = name
}

{
	print
}

END {
	if (title != "")
		print title
}
