# SPDX-License-Identifier: GPL-2.0-only
#
# The tables of scripts/torture: of results/torture-KERNEL.json, all in one list.

include "report";

# A column for each kernel, a row for each kind, as tab-separated values
def table:
	def cell($kind): .kinds[$kind] // (if .skipped[$kind] then "-" else "" end);
	(["kind"] + map(.kernel)),
	(. as $all | map((.kinds + .skipped) | keys_unsorted) | add | unique[] |
		. as $kind | [$kind] + [$all[] | cell($kind)]),
	(["minutes"] + map(.minutes)), (["seed"] + map(.seed)),
	(["MB verified"] + map((.bytes.verified // 0) / 1048576 | floor)),
	(["bytes lost"] + map(.bytes.lost)), (["verdict"] + map(.verdict)) | @tsv;

# A row for each run
def summary:
	(["kernel", "minutes", "seed", "kinds", "times", "not possible", "programs", "MB verified",
	  "bytes lost", "flushes put off", "pages held back", "verdict"], [range(12) | "---"] | cells),
	(.[] | [.release, .minutes, .seed, (.kinds | length), (.kinds | add), (.skipped | length),
		.parts.ran, ((.bytes.verified // 0) / 1048576 | floor), .bytes.lost,
		(.counts["luf/flushes_deferred"] // "-"), (.counts["luf/pages_released"] // "-"),
		.verdict] | cells);
