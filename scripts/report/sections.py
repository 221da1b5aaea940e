# SPDX-License-Identifier: GPL-2.0-only
"""The sections of the page that scripts/report/page makes: a row for each, in SECTIONS.

A section is shown if its file of results is there. To add one: a function that makes a table
of the file's JSON, one in plots.py that draws it, and a row at the end of this file. In
tests/host/page-check it needs a line, too: what jq makes of the same file.

Every number comes from a file of results, or is computed from it here.
"""
import collections
import math
import statistics

import section_apps

Section = collections.namedtuple("Section", "name file title text table plot")

# labels: the first columns; columns: the others. A row has a text for each label, and then
# for each column a list of numbers, or None. They are shown as in Column.form.
Table = collections.namedtuple("Table", "labels columns rows")
Column = collections.namedtuple("Column", "title form")

LRU_NAMES = {"mglru": "MGLRU", "classic": "classic"}
SPREAD = "{} ({} to {})"


def median(values):
    """The median, or None without a value."""
    values = list(values)
    return statistics.median(values) if values else None


def spread(values):
    """[median, least, most], or None without a value."""
    values = list(values)
    return [statistics.median(values), min(values), max(values)] if values else None


def groups(items, *keys):
    """The items that have the same keys, in the order of the keys."""
    found = collections.defaultdict(list)
    for item in items:
        found[tuple(item[key] for key in keys)].append(item)
    return sorted(found.items())


def short(kernel):
    """6.12 of 6.12.117+deb13-amd64."""
    return ".".join(kernel.split("-")[0].split(".")[:2])


def receivers(side):
    """TLB interrupts that CPUs received, per 1000 anonymous pages reclaimed."""
    return side["tlb_shootdowns"] * 1000 / side["pgsteal_anon"]


def receivers_all(side):
    """The same per 1000 pages of both types."""
    return side["tlb_shootdowns"] * 1000 / section_apps.pages(side)


# --- batching off and on ------------------------------------------------------------------


def runs(data):
    """Each run of a bench.json, with its kernel."""
    for kernel in data:
        for run in kernel["runs"]:
            yield kernel["kernel"], run


def times_fewer(pair):
    """How many times fewer receivers there were. No receiver counts as one."""
    least = dict(pair["on"], tlb_shootdowns=max(pair["on"]["tlb_shootdowns"], 1))
    return receivers(pair["off"]) / receivers(least)


def bench_table(data):
    """A row for each run."""
    rows = []
    for kernel, run in runs(data):
        pairs = run["pairs"]
        fewer = [times_fewer(p) for p in pairs]
        rows.append([kernel, run["workload"], run["swap"], LRU_NAMES[run["lru"]],
                     spread(receivers(p["off"]) for p in pairs),
                     spread(receivers(p["on"]) for p in pairs),
                     [median(fewer), min(fewer)], [len(pairs)]])
    return Table(["kernel", "load", "swap", "LRU"],
                 [Column("receivers per 1000 pages, off (least to most)", SPREAD),
                  Column("on (least to most)", SPREAD),
                  Column("times fewer (worst pair)", "{} ({})"), Column("pairs", "{}")], rows)


# --- batch_size ---------------------------------------------------------------------------


def sweep_groups(data):
    """(kernel, load, swap, LRU, size) and the figures of the sides; of size 0 batching is off."""
    for kernel in data:
        for key, sides in groups(kernel["sides"], "workload", "swap", "lru", "batch_size"):
            yield (kernel["kernel"], *key), [receivers(s) for s in sides
                                             if s["oom"] == 0 and s["pgsteal_anon"] > 0]


def sweep_table(data):
    """A row for each load, swap, LRU and size."""
    rows = [[key[0], key[1], key[2], LRU_NAMES[key[3]],
             str(key[4]) if key[4] else "off", spread(figures), [len(figures)]]
            for key, figures in sweep_groups(data)]
    return Table(["kernel", "load", "swap", "LRU", "batch_size"],
                 [Column("receivers per 1000 pages (least to most)", SPREAD),
                  Column("sides", "{}")], rows)


# --- calls that find nothing ---------------------------------------------------------------


def zero_rate(sides):
    """Calls of reclaim that found nothing, of 1000."""
    return (sum(s["zero_calls"] for s in sides) * 1000
            / max(sum(s["calls"] for s in sides), 1))


def zero_margin(sides):
    """The margin of error (95%, jackknife over the rounds), or None with fewer than 3."""
    count = len(sides)
    if count < 3:
        return None
    without = [zero_rate(sides[:i] + sides[i + 1:]) for i in range(count)]
    mean = sum(without) / count
    return 1.96 * math.sqrt(sum((x - mean) ** 2 for x in without) * (count - 1) / count)


def progress_groups(data):
    """(kernel, load in MB, LRU, swap, arm) and the sides."""
    for kernel in data:
        for key, sides in groups(kernel["sides"], "mib", "lru", "swap", "arm"):
            yield (kernel["kernel"], *key), sides


def progress_table(data):
    """A row for each arm."""
    rows = []
    for (kernel, mib, lru, swap, arm), sides in progress_groups(data):
        margin = zero_margin(sides)
        rows.append([kernel, f"{mib} MB", LRU_NAMES[lru], swap, arm,
                     [sum(s["calls"] for s in sides)], [sum(s["zero_calls"] for s in sides)],
                     [zero_rate(sides)] + ([] if margin is None else [margin]),
                     [sum(s["oom_kills"] for s in sides)],
                     [median(receivers(s) for s in sides if s["pgsteal_anon"] > 0)]])
    return Table(["kernel", "load", "LRU", "swap", "arm"],
                 [Column("calls", "{}"), Column("that found nothing", "{}"),
                  Column("per 1000 (margin of 95%)", "{} ± {}"), Column("OOM kills", "{}"),
                  Column("receivers per 1000 pages", "{}")], rows)


# --- LUF ----------------------------------------------------------------------------------


def luf_rows(data):
    """Each row of a luf.json that tells of both models, with its kernel."""
    for kernel in data:
        for row in kernel["rows"]:
            if row.get("saving_as_posted_percent") is not None:
                yield kernel["kernel"], row


def saved(row, name):
    """[median, least, most] of what would be saved, in percent."""
    return [row[name], row[name + "_min"], row[name + "_max"]]


def luf_table(data):
    """A row for each load."""
    rows = [[kernel, row["workload"], row["where"], [row["flushes"]], [row["tlb_shootdowns"]],
             saved(row, "saving_as_posted_percent"), saved(row, "saving_percent"),
             [row["runs"]]] for kernel, row in luf_rows(data)]
    return Table(["kernel", "load", "where"],
                 [Column("flushes, measured", "{}"), Column("receivers, measured", "{}"),
                  Column("LUF as posted would save, % (least to most)", SPREAD),
                  Column("an ideal LUF would save, % (least to most)", SPREAD),
                  Column("runs", "{}")], rows)


# --- wider passes --------------------------------------------------------------------------


def wide_groups(data):
    """(kernel, LRU, load, swap, batched, pass_min) and the receivers of the sides."""
    found = collections.defaultdict(list)
    for kernel in data:
        for side in kernel["sides"]:
            if section_apps.pages(side) > 0:
                size, wide = side["arm"].split("/")
                found[kernel["kernel"], side["lru"], side["workload"], side["swap"],
                      size != "off", int(wide)].append(receivers_all(side))
    return sorted(found.items())


def wide_table(data):
    """A row for each setting."""
    rows = [[kernel, LRU_NAMES[lru], load, swap, "on" if batched else "off", str(wide),
             spread(figures), [len(figures)]]
            for (kernel, lru, load, swap, batched, wide), figures in wide_groups(data)]
    return Table(["kernel", "LRU", "load", "swap", "batching", "pass_min"],
                 [Column("receivers per 1000 pages of both types (least to most)", SPREAD),
                  Column("sides", "{}")], rows)


# --- huge pages that are discarded ---------------------------------------------------------


def gib_seconds(side):
    """Seconds for a GiB of pages of 4 KiB."""
    return side["seconds"] * 1024 * 256 / side["pages"]


def lazyfree_groups(data):
    """(kernel, LRU) and the sides, each of them as {pair: seconds for a GiB}."""
    found = collections.defaultdict(lambda: {"off": {}, "pmd": {}})
    for kernel in data:
        for side in kernel["sides"]:
            found[kernel["kernel"], side["lru"]][side["side"]][side["pair"]] = gib_seconds(side)
    return sorted(found.items())


def lazyfree_table(data):
    """A row for each kernel and LRU."""
    rows = []
    for (kernel, lru), sides in lazyfree_groups(data):
        pairs = sorted(sides["off"].keys() & sides["pmd"].keys())
        rows.append([kernel, LRU_NAMES[lru],
                     spread(sides["off"].values()), spread(sides["pmd"].values()),
                     [median(sides["off"][n] / sides["pmd"][n] for n in pairs)], [len(pairs)]])
    return Table(["kernel", "LRU"],
                 [Column("seconds for a GiB, off (least to most)", SPREAD),
                  Column("pmd (least to most)", SPREAD),
                  Column("times faster (median of the pairs)", "{}"), Column("pairs", "{}")], rows)


# --- applications -------------------------------------------------------------------------


def apps_table(data):
    """A row for each figure of each application."""
    rows = []
    for (kernel, lru, app, swap, figure), pairs in section_apps.changes_of(data):
        relative, change = section_apps.change(pairs)
        rows.append([kernel, LRU_NAMES[lru], app, swap, figure, "%" if relative else "difference",
                     [median(off for off, _ in pairs)], [median(on for _, on in pairs)],
                     change, [len(pairs)]])
    return Table(["kernel", "LRU", "application", "swap", "figure", "change in"],
                 [Column("off", "{}"), Column("on", "{}"),
                  Column("change (interval of 95%)", SPREAD), Column("pairs", "{}")], rows)


# --- what it costs ------------------------------------------------------------------------

COST_OF = {"module": "loaded, enabled 0", "luf": "luf/mode track", "defer": "luf/mode defer",
           "hooks": "enabled 1"}


def cost_rows(data):
    """(kernel, CPUs, what, load) and the measurement."""
    for kernel in data:
        for driver in kernel.get("drivers") or []:
            yield ((kernel["kernel"], kernel["cpus"], COST_OF.get(kernel["of"], kernel["of"]),
                    driver["driver"]), driver)


def cost_table(data):
    """A row for each load."""
    rows = [[key[0], str(key[1]), key[2], key[3], [driver["difference_percent"]],
             [driver["noise_percent"]]] for key, driver in cost_rows(data)]
    return Table(["kernel", "CPUs", "what", "load"],
                 [Column("pages per second, difference in %", "{}"), Column("noise, %", "{}")],
                 rows)


STATES = ("off", "batching", "track")
STEPS = {"dirty": "a pass of 32 dirty pages", "clean": "a pass of 32 clean pages",
         "flush": "a full flush", "alloc": "the first touch of a page"}


def instructions(guest, state, step):
    """The median of the rounds: the guest's clock, in turns of a loop of one instruction each."""
    def per_unit(name):
        return median(s["ns"] / s["units"] for s in guest["steps"]
                      if s["state"] == state and s["step"] == name)
    whole, one = per_unit(step), per_unit("loop")
    return None if whole is None or one is None else whole / one


def scale_guests(data):
    """Each guest that was measured."""
    return [guest for guest in sorted(data, key=lambda g: (g["kernel"], g["cpus"]))
            if guest["steps"]]


def scale_table(data):
    """A row for each number of CPUs and step."""
    rows = [[guest["kernel"], str(guest["cpus"]), step] +
            [[instructions(guest, state, step)] for state in STATES]
            for guest in scale_guests(data) for step in STEPS]
    return Table(["kernel", "CPUs", "step"],
                 [Column(f"instructions, {state}", "{}") for state in STATES], rows)


SECTIONS = (
    Section("bench", "readme-bench.json", "Receivers of TLB shootdowns, batching off and on",
            "A receiver is a CPU that was interrupted to flush its TLB. Each small point is one "
            "side of a pair, each large one the median. Further left is better. The axis is "
            "logarithmic.", bench_table, "bench"),
    Section("apps", "readme-apps.json", "Applications that are short of memory",
            "Each figure with batching on, compared with off: the median of the rounds' changes, "
            "and an interval that covers the true median with 95%. Blue is better, orange is "
            "worse. Grey: zero is in the interval, so nothing can be told. Times are an "
            "emulator's.",
            apps_table, "apps"),
    Section("sweep", "readme-sweep.json", "Which batch_size",
            "A line is the median of the sides of one size, and its bar goes from the least to "
            "the most. Dashed: batching off. The vertical line is the batch of the patch that "
            "the module follows. Both axes are logarithmic. The next section has calls that "
            "find nothing, by batch_size. No file has the time that a page takes to be swapped "
            "out: under an emulator it would mean nothing.",
            sweep_table, "sweep"),
    Section("progress", "readme-progress.json", "Calls of reclaim that find nothing",
            "An arm is a batch_size. With /flush, a flush follows each folio that begins to "
            "wait. With /0 and /3 no folio waits once reclaim's priority has fallen that low. "
            "The bars are the margin of error (95%, jackknife over the rounds), and end at 0.",
            progress_table, "progress"),
    Section("luf", "readme-luf.json", "LUF: what lazy unmap flushing would save",
            "Flushes and receivers were measured, with LUF tracked and not done. The savings "
            "are computed from what was seen. Bars are medians; lines go from the least to the "
            "most of the runs.", luf_table, "luf"),
    Section("wide", "readme-wide.json", "Wider passes",
            "pass_min is how many pages a reclaim pass takes at least; with 0 passes are as the "
            "kernel makes them. Points are medians, bars go from the least to the most. The "
            "axis is logarithmic.", wide_table, "wide"),
    Section("lazyfree", "readme-lazyfree.json", "Huge pages that are discarded",
            "How long it takes to reclaim huge pages that a program gave up by MADV_FREE, with "
            "lazyfree/mode off and pmd. Each small point is one measurement, each large one the "
            "median. Further left is better. The axis is logarithmic. These are times under an "
            "emulator. 7.2 discards whole by itself.", lazyfree_table, "lazyfree"),
    Section("scale", "readme-scale.json", "What it costs, by number of CPUs",
            "Instructions of all CPUs for one step of the kernel, with a thread on each CPU: "
            "with the module loaded and off, with batching, and with luf/mode track. The "
            "medians of the rounds. Further down is better.", scale_table, "scale"),
    Section("cost", "readme-cost.json", "What it costs",
            "Pages per second of the guest's clock, which counts instructions, with the "
            "module's work and without it. Below zero is slower. The grey band is the noise.",
            cost_table, "cost"),
)
