# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts/test-debug keeps: a list of what each test said, by flavour and kernel.

include "report";

def name: "\(.flavour) \(.kernel) \(.test)";
def passed($flavour; $kernel): .[] |
	select(.flavour == $flavour and .kernel == $kernel and .verdict == "passed") | .test;

# The old list with what prove said in these lines. It prints no time of a test that failed.
def kept($flavour; $kernel; $commit; $lines):
	([$lines[] | capture("^\\[[0-9:]+\\] [^ /]+/(?<test>[^ ]+)\\.t \\.+ *(?<said>.*)$") | {
		$flavour, $kernel, test, $commit,
		verdict: (.said | if test("^ok ") then "passed" elif test("^skipped") then "skipped"
			else "failed" end),
		seconds: (.said | capture("^ok +(?<ms>[0-9]+) ms").ms // null |
			if . then tonumber / 1000 | round else . end)
	}]) as $new |
	map(select(name as $name | any($new[]; name == $name) | not)) + $new | sort_by(name);

def table:
	(["kernel", "configuration", "passed", "failed", "skipped", "minutes"], [range(6) | "---"] | cells),
	(group_by([.kernel, .flavour])[] |
	 def of($verdict): map(select(.verdict == $verdict)) | length;
	 [.[0].kernel, .[0].flavour, of("passed"), of("failed"), of("skipped"),
	  (map(.seconds // 0) | add / 60 | round)] | cells);
