# SPDX-License-Identifier: GPL-2.0-only
"""What the page tells of applications (bench-apps): each figure with batching off and on.

report_apps.jq computes the same for the documents, and says how the interval is made.
"""
import math
import statistics

# Of the changes, the interval covers the true median at least with this probability.
COVERED = 0.95


def per(count, number):
    """A count for each of a number, or None where one of them isn't known."""
    return None if count is None or not number else count / number


def pages(side):
    """Pages reclaimed, of both types."""
    return side["pgsteal_anon"] + side["pgsteal_file"]


def refaults(side):
    """Of both types, or None."""
    both = side["workingset_refault_anon"], side["workingset_refault_file"]
    return None if None in both else sum(both)


def each(side):
    """Thousands of operations, or None."""
    return side["operations"] and side["operations"] / 1000


KILLS = "OOM kills"
COUNTED = ("instructions a page", "instructions an operation")
FIGURES = {
    "receivers per 1000 pages": lambda s: per(s["tlb_shootdowns"], pages(s) / 1000),
    "major faults per 1000 operations": lambda s: per(s["pgmajfault"], each(s)),
    "refaults per 1000 operations": lambda s: per(refaults(s), each(s)),
    KILLS: lambda s: s["oom_kill"],
    "seconds per 1000 operations": lambda s: per(s["seconds"], each(s)),
    "a reclaim call, µs: median": lambda s: s["memcg_us"][0],
    "99th percentile": lambda s: s["memcg_us"][1],
    COUNTED[0]: lambda s: per(s["instructions"], pages(s)),
    COUNTED[1]: lambda s: per(s["instructions"], s["operations"]),
}


def measured(side):
    """Does it tell of anything but kills?"""
    return side["killed"] == 0 and pages(side) > 0 and (side["operations"] or 0) > 0


def pairs(sides, figure):
    """[off, on] of each round that has the figure."""
    rounds = {}
    for side in sides:
        if figure == KILLS or measured(side):
            rounds.setdefault(side["round"], {})[side["side"]] = FIGURES[figure](side)
    return [[found["off"], found["on"]] for _, found in sorted(rounds.items())
            if None not in (found.get("off"), found.get("on"))]


def rank(number):
    """Which of so many sorted figures the interval begins with; 0 if there is none."""
    most = 2 ** number * (1 - COVERED) / 2
    return max((k for k in range(1, number + 1)
                if sum(math.comb(number, i) for i in range(k)) <= most), default=0)


def change(both):
    """(is it in percent?, [median, from, to]) of pairs; without an interval only the median."""
    relative = all(off > 0 for off, _ in both)
    changes = sorted((on - off) * 100 / off if relative else on - off for off, on in both)
    first = rank(len(changes))
    return relative, [statistics.median(changes)] + (
        [changes[first - 1], changes[-first]] if first else [])


def changes_of(data):
    """(kernel, LRU, application, swap, figure) and the pairs, where there are any."""
    places = sorted({(g["kernel"], g["lru"], g["app"]) for g in data})
    for place in places:
        guests = [g for g in data if (g["kernel"], g["lru"], g["app"]) == place]
        for swap in sorted({s["swap"] for g in guests for s in g["sides"]}, reverse=True):
            for figure in FIGURES:
                both = pairs([s for g in guests if g["counted"] == (figure in COUNTED)
                              for s in g["sides"] if s["swap"] == swap], figure)
                if both:
                    yield (*place, swap, figure), both
