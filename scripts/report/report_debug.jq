# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts/test-debug keeps: a list of what each test said, by flavour and kernel.

include "report";

def name: "\(.flavour) \(.kernel) \(.test)";

# Rows of a kernel. What passed on a kernel that doesn't report faults has shown nothing, and isn't
# among them: $control is the test of that.
def shown($flavour; $kernel; $control):
	map(select(.flavour == $flavour and .kernel == $kernel)) |
	if any(.[]; .test == $control and .verdict == "passed") then .
	else map(select(.verdict != "passed")) end;

def passed($flavour; $kernel; $control):
	shown($flavour; $kernel; $control)[] | select(.verdict == "passed") | .test;

# The old list with what prove said in these lines. It prints no time of a test that failed.
# $origin is what all of them were run on: commit, module_version, settings.
def kept($flavour; $kernel; $origin; $lines):
	([$lines[] | capture("^\\[[0-9:]+\\] [^ /]+/(?<test>[^ ]+)\\.t \\.+ *(?<said>.*)$") | {
		$flavour, $kernel, test,
		verdict: (.said | if test("^ok ") then "passed" elif test("^skipped") then "skipped"
			else "failed" end),
		seconds: (.said | capture("^ok +(?<ms>[0-9]+) ms").ms // null |
			if . then tonumber / 1000 | round else . end)
	} + $origin]) as $new |
	map(select(name as $name | any($new[]; name == $name) | not)) + $new | sort_by(name);

# A row for each of these kernels and configurations: what came of these tests
def table($kernels; $flavours; $tests; $control):
	(["kernel", "configuration", "passed", "failed", "skipped", "not run", "minutes"],
	 [range(7) | "---"] | cells),
	($kernels[] as $kernel | $flavours[] as $flavour |
	 shown($flavour; $kernel; $control) | map(select(.test | IN($tests[]))) |
	 def of($verdict): map(select(.verdict == $verdict)) | length;
	 [$kernel, $flavour, of("passed"), of("failed"), of("skipped"), ($tests | length) - length,
	  (map(.seconds // 0) | (add // 0) / 60 | round)] | cells);
