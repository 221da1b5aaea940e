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

# all_of: the outcomes that one run of a test has: its own under "", and its subtests'
def all_of: {"": (.outcome // "missing")} + (.subtests // {});

# wavers: PAIRS are runs {off, on} of one test. Is whatever it said on also something that it
# said off, in one run or another?
def wavers($pairs):
  ($pairs | map(.off, .on | all_of | keys) | add | unique) as $names |
  ($pairs | map(.off | all_of)) as $off |
  all($pairs[].on | all_of; . as $on | all($names[]; . as $name |
    any($off[]; of(.; $name) == of($on; $name))));

# verdict: of all runs {off, on} of a test. There are more than two if it differs in the
# second one, too. A complaint of the kernel's is not forgiven if it doesn't come twice.
# EXPECTED is the list's row about this test, or null.
def verdict($pairs; $expected):
  $pairs[0] as $first |
  if $expected != null then
    if $first.off.outcome == $expected.off and $first.on.outcome == $expected.on then "expected"
    else "different" end
  elif $pairs | all(missing(.off; .on)) then "missing"
  elif alike($first.off; $first.on) then "same"
  elif $pairs | any(new_complaints(.off; .on) != []) then "different"
  elif $pairs[1] != null and alike($pairs[1].off; $pairs[1].on) then "same again"
  elif ($pairs | length) > 2 and wavers($pairs) then "wavers"
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

# pairs_of ROW: its runs, of {off, on}: for each guest an array of tests. A later guest runs few.
def pairs_of($row):
  [.off, .on | map(row(.; $row))] | transpose | map({off: .[0], on: .[1]}) |
  .[:1] + (.[1:] | map(select([.off, .on] | any(. != null and .outcome != "missing"))));

def tests_of: [.off[0], .on[0]] | map(.[]? | {row, name}) | unique_by(.row);

# compared: input {off, on}, and what the list expects
def compared($expected):
  . as $runs |
  tests_of | map(
    . as $test |
    ($runs | pairs_of($test.row)) as $pairs | $pairs[0] as {$off, $on} |
    expected_of($expected; $test.name) as $differs |
    {name: $test.name,
     verdict: verdict($pairs; $differs),
     off: ($off | side), on: ($on | side),
     subtests: paired($off; $on),
     kernel: {off: ($off.kernel // []), on: ($on.kernel // [])}} +
    (if alike($off; $on) then {} else {differences: [differences($off; $on)]} end) +
    (if ($pairs | length) == 1 then {} else
       {again: ($pairs[1:] | map({off: (.off | side), on: (.on | side),
        subtests: paired(.off; .on), differences: [differences(.off; .on)]}))} end) +
    (if $differs == null then {} else {reason: $differs.reason} end));

# unlike: rows whose last run differed, as far as that decides nothing yet
def unlike($expected):
  . as $runs | tests_of[] |
  select(expected_of($expected; .name) == null) | .row | . as $row |
  ($runs | pairs_of($row)) |
  select(length == ($runs.off | length)) |
  select(last | alike(.off; .on) | not) | $row;

# --- what was found ------------------------------------------------------------

def count_of($verdict): map(select(.verdict == $verdict)) | length;

def bad: .tests | map(select(.verdict == "different" or .verdict == "missing"));

# complaints: a line for each thing that makes a run red
def complaints:
  .runs[] | "\(.key) \(.suite) \(.arm)" as $where |
  (bad[] | "\($where): \(.name): \(.verdict)\(.differences // [] | map("\n    " + .) | add // "")\(
    [.again[]?.differences[]] | map("\n    again: " + .) | add // "")"),
  (select(.tests | length == 0) | "\($where): no test ran"),
  (.guests[] | select(. != 0) | "\($where): a guest ended with \(.): see results/guests");

def subtests_of($outcome): map(.subtests | to_entries[] |
  select(.key | startswith($outcome + " ")) | .value | length) | add // 0;

def kernels: reduce .runs[].key as $key ([]; if index($key) then . else . + [$key] end);

# totals: a table with a line for each kernel and suite
def totals:
  (["kernel", "suite", "tests", "passed", "failed", "skipped", "subtests", "failed",
    "the same", "the same in a second run", "wavering", "expected to differ", "different",
    "missing"],
   (.runs | sort_by(.arm, .key, .suite)[] | .tests as $tests |
    [.key, .suite + (if .arm == "on" then "" else " (\(.arm))" end), ($tests | length)] +
    (["pass", "fail", "skip"] | map(. as $o | $tests | map(select(.off.outcome == $o or
       ($o == "fail" and .off.outcome == "timeout"))) | length)) +
    [($tests | map(.subtests | [.[] | length] | add // 0) | add // 0),
     ($tests | subtests_of("fail"))] +
    (["same", "same again", "wavers", "expected", "different", "missing"] |
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

# wavering: a table of the tests and subtests that don't always say the same, and how often
# they passed
def wavering:
  def times($name; $side): map(if $name == "" then .[$side].outcome else
      (.subtests | to_entries[] | select(.value | index($name)) | .key | split(" ") |
       .[if $side == "off" then 0 else 1 end]) end) |
    "\(map(select(. == "pass")) | length) of \(length)";
  (["kernel", "suite", "test", "subtest", "passed off", "passed on"] | cells, (map("---") | cells)),
  (.runs[] | . as $run | .tests[] | select(.verdict == "wavers") | . as $test |
   ([$test] + $test.again) as $all |
   ["", ([$all[].subtests | to_entries[] | select(.key | split(" ") | .[0] != .[1]) | .value[]] |
     unique[])][] | . as $name |
   [$run.key, $run.suite + (if $run.arm == "on" then "" else " (\($run.arm))" end),
    "`\($test.name | sub("^\\./"; ""))`", $name, ($all | times($name; "off", "on"))] | cells);
