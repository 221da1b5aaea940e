# SPDX-License-Identifier: GPL-2.0-only
# Compare what the tests of a suite said with the module off and on. Input and output of the
# functions are explained in scripts/test-suites; suites-parse makes the arrays of tests.

include "report";

# What the kernel says with the module on only. It says some things once in a boot, and off
# comes first.
def new_complaints($a; $b): ($b.kernel // []) - ($a.kernel // []);

# Two outcomes of one test, in all that they tell. A test that didn't run is like no other.
def alike($a; $b):
  $a != null and $b != null and $a.outcome != "missing" and
  ([$a, $b] | map({outcome, subtests}) | .[0] == .[1]) and new_complaints($a; $b) == [];

def missing($a; $b):
  [$a, $b] | any(. == null or .outcome == "missing");

# of SUBTESTS NAME: its outcome, or that it wasn't there
def of($subtests; $name): ($subtests // {})[$name] // "missing";

# differences: lines about what isn't the same
def differences($a; $b):
  if missing($a; $b) then "it ran \($a.outcome // "missing") off, \($b.outcome // "missing") on"
  else
    (if $a.outcome != $b.outcome then "\($a.outcome) off, \($b.outcome) on" else empty end),
    ([$a, $b] | map(.subtests // {} | keys) | add | unique[] |
      select(of($a.subtests; .) != of($b.subtests; .)) |
      "\(.): \(of($a.subtests; .)) off, \(of($b.subtests; .)) on"),
    (new_complaints($a; $b)[] | "the kernel says on only: \(.)")
  end;

def row($tests; $row): first($tests[]? | select(.row == $row)) // null;

# verdict: of a first run, and a second run if there was one. A complaint of the kernel's is
# not forgiven if it doesn't come twice. EXPECTED is the list's row about
# this test, or null.
def verdict($off; $on; $off2; $on2; $expected):
  if $expected != null then
    if $off.outcome == $expected.off and $on.outcome == $expected.on then "expected"
    else "different" end
  elif missing($off; $on) and missing($off2; $on2) then "missing"
  elif alike($off; $on) then "same"
  elif new_complaints($off; $on) != [] then "different"
  elif alike($off2; $on2) then "same again"
  else "different" end;

def side: if . == null then {outcome: "missing"} else
  {outcome, exit, seconds, deferred} | with_entries(select(.value != null)) end;

# paired: subtests by their outcomes off and on, such as {"pass pass": [names]}
def paired($a; $b):
  [$a, $b] | map(.subtests // {} | keys) | add | unique |
  map({name: ., pair: "\(of($a.subtests; .)) \(of($b.subtests; .))"}) |
  group_by(.pair) | map({(.[0].pair): map(.name)}) | add // {};

def expected_of($list; $name):
  first($list[] | select(.name == ($name | sub("^\\./"; "")))) // null;

# compared: input {off, on, off2, on2} of arrays of tests, and what the list expects
def compared($expected):
  . as $runs |
  [.off, .on] | map(.[]? | {row, name}) | unique_by(.row) | map(
    . as $test |
    [$runs.off, $runs.on, $runs.off2, $runs.on2] | map(row(.; $test.row)) as [$off, $on, $off2, $on2] |
    expected_of($expected; $test.name) as $differs |
    {name: $test.name,
     verdict: verdict($off; $on; $off2; $on2; $differs),
     off: ($off | side), on: ($on | side),
     subtests: paired($off; $on),
     kernel: {off: ($off.kernel // []), on: ($on.kernel // [])}} +
    (if alike($off; $on) then {} else {differences: [differences($off; $on)]} end) +
    (if $off2 == null and $on2 == null then {} else
       {again: {off: ($off2 | side), on: ($on2 | side), subtests: paired($off2; $on2),
        differences: [differences($off2; $on2)]}} end) +
    (if $differs == null then {} else {reason: $differs.reason} end));

# unlike: rows that need a second run
def unlike($expected):
  . as $runs | [.off, .on] | map(.[]? | {row, name}) | unique_by(.row)[] |
  select(expected_of($expected; .name) == null) |
  select(alike(row($runs.off; .row); row($runs.on; .row)) | not) | .row;

# --- what was found ------------------------------------------------------------

def count_of($verdict): map(select(.verdict == $verdict)) | length;

def bad: .tests | map(select(.verdict == "different" or .verdict == "missing"));

# complaints: a line for each thing that makes a run red
def complaints:
  .runs[] | "\(.key) \(.suite) \(.arm)" as $where |
  (bad[] | "\($where): \(.name): \(.verdict)\(.differences // [] | map("\n    " + .) | add // "")\(
    .again.differences // [] | map("\n    again: " + .) | add // "")"),
  (select(.tests | length == 0) | "\($where): no test ran"),
  (.guests[] | select(. != 0) | "\($where): a guest ended with \(.): see results/guests");

def subtests_of($outcome): map(.subtests | to_entries[] |
  select(.key | startswith($outcome + " ")) | .value | length) | add // 0;

def kernels: reduce .runs[].key as $key ([]; if index($key) then . else . + [$key] end);

# totals: a table with a line for each kernel and suite
def totals:
  (["kernel", "suite", "tests", "passed", "failed", "skipped", "subtests", "failed",
    "the same", "the same in a second run", "expected to differ", "different", "missing"],
   (.runs | sort_by(.arm, .key, .suite)[] | .tests as $tests |
    [.key, .suite + (if .arm == "on" then "" else " (\(.arm))" end), ($tests | length)] +
    (["pass", "fail", "skip"] | map(. as $o | $tests | map(select(.off.outcome == $o or
       ($o == "fail" and .off.outcome == "timeout"))) | length)) +
    [($tests | map(.subtests | [.[] | length] | add // 0) | add // 0),
     ($tests | subtests_of("fail"))] +
    (["same", "same again", "expected", "different", "missing"] |
       map(. as $v | $tests | count_of($v))))) |
  if .[0] == "kernel" then cells, (map("---") | cells) else cells end;

# failing: a table of what fails with the module off as well, test by test and subtest by
# subtest, and of the kernel's complaints then
def failing:
  [.runs[] | select(.arm == "on") | {key, suite, test: .tests[]} |
    .name = (.test.name | sub("^\\./"; "")) | . as $of |
    (.test.off | select(.outcome == "fail" or .outcome == "timeout") |
      $of + {what: .outcome}),
    ([.test.subtests | to_entries[] | select(.key | startswith("fail ")) | .value[]] |
      select(length > 0) | $of + {what: "subtest fails: \(join("; "))"}),
    (.test.kernel.off[] | $of + {what: "the kernel says: \(.)"})] |
  (["suite", "test", "kernels", "with the module off"] | cells, (map("---") | cells)),
  (group_by([.suite, .name, .what])[] |
    [.[0].suite, "`\(.[0].name)`", (map(.key) | join(", ")), .[0].what] | cells);
