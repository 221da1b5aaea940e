# SPDX-License-Identifier: GPL-2.0-only
"""tlbbatch-stat's columns, samples and screen. Python 3.11 or later, standard library only."""

import json
import textwrap
import time

import calibration
import ranges
import toollib

FORMAT = 1
SCREEN = 80
CELL = 5
BOLD, DIM, ALERT, PLAIN = "\033[1m", "\033[2m", "\033[33m", "\033[0m"
SCALE = {"per1k": 1000, "share": 100}
# Columns that translate a count into time have a bound of the cost.
BOUNDS = {"time_low": "low", "time_high": "high"}


class BadRecord(Exception):
    """A file isn't a recording."""


class Column:
    """A line of columns.tbl."""

    def __init__(self, row):
        self.group, self.name, self.head = row["group"], row["name"], row["head"]
        self.unit, self.kind, self.view = row["unit"], row["kind"], row["view"]
        self.says = row["says"]
        self.parts = [[source.strip() for source in part.split("+")]
                      for part in row["file"].split(" / ")]
        self.sources = [source for part in self.parts for source in part]
        # What one of its interrupts costs, in ns; priced() sets it.
        self.cost = None
        divided = self.kind in ("ratio", "per1k", "share")
        if self.kind not in ("rate", "gauge", "state", *BOUNDS) and not divided or \
                len(self.parts) != 1 + divided or \
                self.view not in ("narrow", "wide", "alert", "-") or len(self.head) > CELL:
            raise toollib.TableError(f"columns.tbl: the line of {self.name} is malformed")

    def value(self, growth, sample, seconds):
        """Return what the column shows for an interval, or None if that isn't known."""
        if self.kind == "gauge":
            value = sample.values.get(self.sources[0])
            return None if isinstance(value, dict) else value
        if self.kind == "rate" or self.kind in BOUNDS:
            sums = added(growth.get(source) for source in self.sources)
            if sums is None or seconds <= 0 or self.kind in BOUNDS and self.cost is None:
                return None
            return sums / seconds * (self.cost / 1e7 if self.kind in BOUNDS else 1)
        return self.divided(growth)

    def divided(self, growth):
        """Return the first part divided by the second, or None if that isn't known."""
        sums = [added(growth.get(source) for source in part) for part in self.parts]
        return None if None in sums or not sums[1] else \
            sums[0] * SCALE.get(self.kind, 1) / sums[1]

    def so_far(self, values):
        """Return what the column shows for all that was ever counted."""
        totals = {source: toollib.total(value) for source, value in values.items()}
        return added(totals.get(source) for source in self.sources) \
            if self.kind in ("rate", "gauge") else self.divided(totals)


def added(values):
    """Return the sum, or None if one of the values isn't known."""
    values = list(values)
    return None if None in values else sum(values)


def read_columns(path):
    """Return the columns of a table: those with numbers, and those that are knobs."""
    columns = [Column(row) for row in toollib.read_table(path)]
    return ([column for column in columns if column.kind != "state"],
            [column for column in columns if column.kind == "state"])


def priced(columns, cost):
    """Let columns with times know what an interrupt costs: a cost of calibration's, or None."""
    for column in columns:
        if column.kind in BOUNDS:
            column.cost = cost and cost[BOUNDS[column.kind]]


def time_line(columns, values, cost, width):
    """Return what the interrupts took, as a sentence."""
    low, high = (next(values[column.name] for column in columns if column.kind == kind)
                 for kind in BOUNDS)
    took = "an unknown part" if low is None else ranges.span(low, high)
    return textwrap.fill(f"At {ranges.each(cost)}, the interrupts took {took} of one CPU's time.",
                         max(width - 1, CELL))


class Sample:
    """What the files say at one time.

    clock is in seconds, without the time that the machine slept. load tells one load of the
    module from another; it is 0 if none is loaded.
    """

    def __init__(self, clock, wall, load, state, values):
        self.clock, self.wall, self.load = clock, wall, load
        self.state, self.values = state, values

    @classmethod
    def take(cls, machine, columns, states):
        """Read the files."""
        sources = {source for column in columns for source in column.sources}
        state = {name: machine.setting(name)
                 for name in ["version"] + [column.sources[0] for column in states]}
        return cls(time.monotonic(), time.time(), machine.loaded(),
                   {name: text for name, text in state.items() if text is not None},
                   machine.values(sorted(sources)))

    def written(self):
        """Return the sample as a line of a recording."""
        return json.dumps({"clock": round(self.clock, 6), "time": round(self.wall, 3),
                           "load": self.load, "state": self.state, "values": self.values},
                          separators=(",", ":"))

    @classmethod
    def from_line(cls, line):
        """Read a line of a recording. Nothing is believed that it says of itself."""
        def count(value):
            return type(value) is int and 0 <= value < 1 << 64

        entry = json.loads(line)
        good = isinstance(entry, dict) and \
            all(type(entry.get(key)) in (int, float) and 0 <= entry[key] < 1 << 40
                for key in ("clock", "time")) and count(entry.get("load")) and \
            isinstance(entry.get("state"), dict) and isinstance(entry.get("values"), dict) and \
            all(isinstance(text, str) for text in entry["state"].values()) and \
            all(count(value) or isinstance(value, dict) and value and
                all(map(count, value.values())) for value in entry["values"].values())
        if not good:
            raise ValueError("a member is missing, or of another type")
        return cls(entry["clock"], entry["time"], entry["load"],
                   {name: toollib.printable(text, 40) for name, text in entry["state"].items()},
                   entry["values"])


def growth_of(before, after, columns):
    """Return {source: growth}. A counter of which nothing is known is left out."""
    growth, fell = {}, False
    for source in {source for column in columns if column.kind != "gauge"
                   for source in column.sources}:
        old, new = before.values.get(source), after.values.get(source)
        if old is None or new is None or isinstance(old, dict) != isinstance(new, dict):
            continue
        growth[source] = toollib.grown(old, new)
        fell = fell or growth[source] is None and toollib.is_modules(source)
    # Another load counts from 0. What it has counted by now tells nothing of the interval.
    if fell or before.load != after.load:
        growth = {source: grew for source, grew in growth.items()
                  if not toollib.is_modules(source)}
    return growth


def shown(columns, wide, sample, width):
    """Return the columns that fit, at least one, without those that nobody can tell here.

    A module may lack a feature. Only root can read the counters of some.
    """
    if wide:
        return columns
    fit = []
    for column in columns:
        absent = sample.load and \
            not any(source in sample.values for source in column.sources)
        if column.view != "wide" and not absent and \
                (not fit or (len(fit) + 1) * (CELL + 1) <= width):
            fit.append(column)
    return fit


def short(value):
    """Return a number in at most five characters."""
    if value is None:
        return "-"
    if value < 9.95 and value != int(value):
        return f"{value:.1f}" if value >= 0.995 else f"{value:.2f}"
    for scale, letter in ((1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")):
        limit = 99999.5 if scale == 1 else 9999.5
        if value < limit * scale:
            return f"{value / scale:.0f}{letter}"
    return ">9P"


class Screen:
    """Prints the table."""

    def __init__(self, out, columns, colour, width):
        self.out, self.columns, self.colour, self.width = out, columns, colour, width
        self.state = None

    def paint(self, text, code):
        """Return the text in colour, if there is colour."""
        return f"{code}{text}{PLAIN}" if self.colour and code else text

    def headings(self):
        """Print the two lines above the columns."""
        groups, line = [], ""
        for column in self.columns:
            if not groups or groups[-1][0] != column.group:
                groups.append([column.group, 0])
            groups[-1][1] += CELL + 1
        for name, width in groups:
            line += " " + name[:width - 1].center(width - 1, "-")
        print(self.paint(line, BOLD), file=self.out)
        print(self.paint("".join(f" {column.head:>{CELL}}" for column in self.columns), BOLD),
              file=self.out)

    def knobs(self, sample):
        """Print the line of knobs if it isn't what it was."""
        state = state_line(sample, self.width)
        if state != self.state:
            print(state, file=self.out)
        changed, self.state = state != self.state, state
        return changed

    def line(self, values):
        """Print a line of the table."""
        cells = []
        for column in self.columns:
            value = values[column.name]
            code = DIM if not value else ALERT if column.view == "alert" else ""
            cells.append(" " + self.paint(f"{short(value):>{CELL}}", code))
        print("".join(cells), file=self.out, flush=True)


def state_line(sample, width):
    """Return the module's version and its knobs, on as few lines as the screen allows."""
    if not sample.load:
        return "tlbbatch isn't loaded"
    words = [f"{name}={text}" for name, text in sample.state.items() if name != "version"]
    return textwrap.fill(" ".join([f"tlbbatch {sample.state.get('version', '?')} "] + words),
                         max(width - 1, CELL), subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False)


def as_json(sample, seconds, columns, values, cost):
    """Return an interval as a line of JSON."""
    entry = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(sample.wall)),
             "seconds": round(seconds, 6), "loaded": bool(sample.load), "state": sample.state}
    for column in columns:
        value = values[column.name]
        entry[column.name + "_per_s" * (column.kind == "rate")] = \
            value if value is None or isinstance(value, int) else \
            round(value, 6 if column.kind in BOUNDS else 3)
    return json.dumps(entry | {"cost_ns": cost})


class Sums:
    """What the counters grew by in all intervals of which that is known."""

    def __init__(self):
        self.growth, self.seconds, self.intervals = {}, {}, 0

    def add(self, growth, seconds):
        """Add an interval."""
        self.intervals += 1
        for source, grew in growth.items():
            if grew is not None:
                self.growth[source] = self.growth.get(source, 0) + grew
                self.seconds[source] = self.seconds.get(source, 0) + seconds

    def values(self, columns, sample):
        """Return what the columns show for all of them."""
        return {column.name: column.value(self.growth, sample,
                                          self.seconds.get(column.sources[0], 0))
                for column in columns}


def read_head(line):
    """Return what the first line of a recording says: what an interrupt costs there, or None."""
    head = json.loads(line)
    if not isinstance(head, dict) or head.get("tlbbatch-stat") != FORMAT:
        raise ValueError(f"not a recording of format {FORMAT}")
    cost = head.get("cost_ns")
    if cost is not None and not calibration.is_cost(cost):
        raise ValueError("cost_ns is none")
    return cost


def read_recording(lines):
    """Yield what an interrupt costs, then the samples. The last line may be cut off."""
    headed = False
    for nr, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            if not headed:
                headed = True
                yield read_head(line)
                continue
            if not line.endswith("\n"):
                break
            yield Sample.from_line(line)
        except (ValueError, RecursionError) as why:
            raise BadRecord(f"line {nr}: {printable_reason(why)}") from why
    if not headed:
        raise BadRecord("it is empty")


def printable_reason(why):
    """Return what an exception says, fit to print."""
    return toollib.printable(str(why), 120)
