# SPDX-License-Identifier: GPL-2.0-only
#
# Rows of scripts/report/ran-table: a kernel each, of a file of results.

include "report";

def from($file):
	if test("^6\\.1\\.0-0-|^7\\.2\\.[0-9]+-amd64$") or ($file | test("debug")) then
		"Debian's source, built by the project"
	elif test("deb12|^6\\.1(\\.0-|$)") then "Debian 12"
	elif test("deb13|^[67]\\.[0-9]+$") then "Debian 13"
	else error("\(.): from where?") end;

def of_verdict($verdict): map(select(.verdict == $verdict)) | length;

# What came of it, from all that a file has of one kernel
def outcome($of):
	if $of == "torture" then
		"\(map(.verdict) | unique | join(", ")), \(map(.bytes.lost) | add) bytes lost"
	elif $of == "suites" then map(.suite) | unique | join(", ")
	elif $of == "tests" then "\(of_verdict("passed")) passed, \(of_verdict("failed")) failed"
	elif $of == "mutants" then "\(of_verdict("caught")) of \(length) caught"
	elif $of == "measured" then "measured"
	else error("\($of): no outcome") end;

# A kernel without a release is a key of tests/kernels.list. A mutant without a guest has none.
def rows($file; $what; $of):
	[if type == "array" then .[] else (.runs // .boots // .rows)[] end |
		.ran = (.release // .kernel) | select(.ran != "")] |
	group_by(.ran)[] | (.[0].ran) as $kernel |
	[$kernel, ($kernel | from($file)), "the project", $what, outcome($of), "`results/\($file)`"] |
	cells;
