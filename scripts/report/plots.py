# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/report/page draws with matplotlib: a function for each section of sections.py.

Each function gets the file's JSON and gives a figure. Axes have units. Colours differ in
lightness, too, and lines in their markers.
"""
import matplotlib

matplotlib.use("Agg")
# pylint: disable=wrong-import-position
from matplotlib import pyplot as plt    # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator  # noqa: E402

import section_apps    # noqa: E402
import sections as s    # noqa: E402

OFF, ON, THIRD = "#777777", "#1f5fa8", "#c4541a"
LINES = (("#1f5fa8", "o"), ("#c4541a", "s"), ("#2c8a57", "^"), ("#6b4c9a", "D"),
         ("#111111", "v"), ("#b8860b", "P"))
PATCH_BATCH = 31
PER_1000 = "receivers per 1000 pages"
plt.rcParams.update({
    "font.size": 11, "axes.titlesize": 12, "axes.grid": True, "grid.color": "#dddddd",
    "axes.axisbelow": True, "legend.fontsize": 10, "figure.dpi": 100, "savefig.dpi": 130,
    "svg.hashsalt": "tlbbatch",
})


def plain(value, _position=None):
    """1000 and not 10^3."""
    return f"{value:g}"


def panels(rows, columns, width, height, **more):
    """A figure and its axes, always as a table of them."""
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False,
                                constrained_layout=True, **more)
    return figure, axes


def decades(axis):
    """Ticks of a logarithmic axis, as plain numbers: 100, 300, 1000, ..."""
    axis.set_major_locator(LogLocator(subs=(1, 3)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain))


def steps(axis, values):
    """Ticks where there are values, and nowhere else."""
    axis.set_major_locator(FixedLocator(values))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain))


def points(axes, places, figures, style, name):
    """A line of medians with bars from the least to the most."""
    colour, marker = style
    spreads = [s.spread(f) for f in figures]
    middle = [m for m, _, _ in spreads]
    axes.errorbar(places, middle, yerr=[[m - low for m, low, _ in spreads],
                                        [high - m for m, _, high in spreads]],
                  color=colour, marker=marker, markersize=6, linewidth=1.6, capsize=3,
                  label=name)


def bench(data):
    """Each kernel is a column and each load a row; a line for each swap and LRU."""
    kernels = list(dict.fromkeys(kernel for kernel, _ in s.runs(data)))
    loads = sorted({r["workload"] for _, r in s.runs(data)})
    kinds = sorted({(r["swap"], r["lru"]) for _, r in s.runs(data)}, reverse=True)
    figure, axes = panels(len(loads), len(kernels), 3.7 * len(kernels) + 1, 2.5 * len(loads) + 0.8,
                          sharex=True, sharey=True)
    for kernel, run in s.runs(data):
        place = axes[loads.index(run["workload"])][kernels.index(kernel)]
        y = kinds.index((run["swap"], run["lru"]))
        sides = {side: [s.receivers(p[side]) for p in run["pairs"]] for side in ("off", "on")}
        place.plot([s.median(sides["off"]), s.median(sides["on"])], [y, y], color="#bbbbbb",
                   linewidth=3, zorder=1)
        for side, colour, marker in (("off", OFF, "s"), ("on", ON, "o")):
            place.plot(sides[side], [y] * len(sides[side]), marker, color=colour, markersize=4,
                       alpha=0.5)
            place.plot([s.median(sides[side])], [y], marker, color=colour, markersize=9,
                       label=f"batching {side}")
    for row, load in zip(axes, loads):
        for place, kernel in zip(row, kernels):
            place.set_title(f"{s.short(kernel)}, {load}")
            place.set_xscale("log")
            decades(place.xaxis)
            place.set_yticks(range(len(kinds)))
            place.set_yticklabels([f"{swap}, {s.LRU_NAMES[lru]}" for swap, lru in kinds])
            place.set_ylim(-0.6, len(kinds) - 0.4)
    for place in axes[-1]:
        place.set_xlabel(PER_1000)
    # The title, though empty, keeps the legend's place free.
    figure.suptitle(" \n ")
    handles, names = axes[0][0].get_legend_handles_labels()
    figure.legend(*zip(*{n: (h, n) for h, n in zip(handles, names)}.values()),
                  loc="upper center", ncol=2)
    return figure


APPS_SHOWN = ("receivers per 1000 pages", "major faults per 1000 operations",
              "seconds per 1000 operations", "instructions an operation")


def apps(data):
    """A row for each kernel and LRU, a panel for each figure: the changes in percent."""
    found = {key: section_apps.change(pairs) for key, pairs in section_apps.changes_of(data)}
    kinds = sorted({key[:2] for key in found})
    names = list(dict.fromkeys(key[2:4] for key in found))
    figure, axes = panels(len(kinds), len(APPS_SHOWN), 3.3 * len(APPS_SHOWN) + 1,
                          (0.32 * len(names) + 1.3) * len(kinds), sharex="col", sharey=True)
    for row, kind in zip(axes, kinds):
        for place, shown in zip(row, APPS_SHOWN):
            for y, name in enumerate(names):
                relative, values = found.get((*kind, *name, shown), (False, []))
                if relative:
                    middle, low, high = values if len(values) == 3 else values * 3
                    told = len(values) == 3 and not low <= 0 <= high
                    place.errorbar([middle], [y], xerr=[[middle - low], [high - middle]], fmt="o",
                                   color=(ON if high < 0 else THIRD) if told else OFF, capsize=3)
            place.axvline(0, color="#111111", linewidth=1)
            place.set_title(f"{s.short(kind[0])}, {s.LRU_NAMES[kind[1]]}:\n{shown}")
            place.set_yticks(range(len(names)))
            place.set_yticklabels([f"{app}, {swap}" for app, swap in names])
            place.set_ylim(len(names) - 0.4, -0.6)
    for place in axes[-1]:
        place.set_xlabel("change, %")
    return figure


def sweep(data):
    """A panel for each swap, a line for each LRU."""
    found = dict(s.sweep_groups(data))
    swaps = sorted({(k[0], k[1], k[2]) for k in found})
    figure, axes = panels(1, len(swaps), 5.6 * len(swaps), 4.4, sharey=True)
    for place, (kernel, load, swap) in zip(axes[0], swaps):
        every = sorted({k[4] for k in found if k[4]})
        for style, lru in zip(LINES, sorted({k[3] for k in found})):
            sizes = [n for n in every if found.get((kernel, load, swap, lru, n))]
            points(place, sizes, [found[kernel, load, swap, lru, n] for n in sizes], style,
                   s.LRU_NAMES[lru])
            off = found.get((kernel, load, swap, lru, 0))
            if off:
                place.axhline(s.median(off), color=style[0], linestyle="--", linewidth=1.2,
                              label=f"{s.LRU_NAMES[lru]}, off")
        if PATCH_BATCH in every:
            place.axvline(PATCH_BATCH, color="#111111", linestyle=":", linewidth=1.5)
            place.annotate(f"{PATCH_BATCH}: the patch's batch", (PATCH_BATCH, 0.86),
                           xycoords=("data", "axes fraction"), xytext=(5, 0),
                           textcoords="offset points", va="top")
        place.set_xscale("log", base=2)
        place.set_yscale("log")
        steps(place.xaxis, every)
        decades(place.yaxis)
        place.set_title(f"{s.short(kernel)}, {load}, swap on {swap}")
        place.set_xlabel("batch_size (pages that share a flush)")
        place.legend(loc="lower left")
    axes[0][0].set_ylabel(PER_1000)
    return figure


def arm_order(key):
    """off, and then the arms by their batch_size; each kernel and load for itself."""
    size = key[4].split("/")[0]
    return (*key[:4], int(size) if size.isdigit() else 0, key[4])


def progress(data):
    """Calls that found nothing, and beside them the receivers, for each arm."""
    found = sorted(s.progress_groups(data), key=lambda entry: arm_order(entry[0]))
    kinds = {key[:4] for key, _ in found}
    sides = [group for _, group in found]
    # Where there is one kind, the title has it.
    names = [key[4] if len(kinds) == 1 else f"{kind_name(key)}: {key[4]}" for key, _ in found]
    figure, axes = panels(1, 2, 11.2, 0.42 * len(names) + 1.6, sharey=True)
    places = range(len(names))
    margins = [s.zero_margin(g) or 0 for g in sides]
    rates = [s.zero_rate(g) for g in sides]
    axes[0][0].errorbar(rates, places, xerr=[[min(r, m) for r, m in zip(rates, margins)], margins],
                        fmt="o", color=ON, markersize=7, capsize=4)
    axes[0][0].set_xlim(left=0)
    axes[0][0].set_xlabel("calls that found nothing, per 1000 calls")
    for y, group in zip(places, sides):
        figures = [s.receivers(g) for g in group if g["pgsteal_anon"] > 0]
        axes[0][1].plot(figures, [y] * len(figures), "o", color=OFF, markersize=4, alpha=0.6)
        axes[0][1].plot([s.median(figures)] if figures else [], [y] if figures else [], "D",
                        color=THIRD, markersize=8)
    axes[0][1].set_xscale("log")
    decades(axes[0][1].xaxis)
    axes[0][1].set_xlabel(PER_1000 + " (diamonds: medians)")
    axes[0][0].set_yticks(list(places))
    axes[0][0].set_yticklabels(names)
    axes[0][0].set_ylabel("arm (batch_size)")
    axes[0][0].invert_yaxis()
    if len(kinds) == 1:
        figure.suptitle(kind_name(found[0][0]), fontsize=12)
    return figure


def kind_name(key):
    """A kernel and a load of progress, for a title."""
    kernel, mib, lru, swap = key[:4]
    return f"{s.short(kernel)}, {mib} MB, {s.LRU_NAMES[lru]}, {swap}"


def luf(data):
    """A panel for each kernel: bars for each load."""
    found = {}
    for kernel, row in s.luf_rows(data):
        found.setdefault(kernel, []).append(row)
    most = max(len(rows) for rows in found.values())
    figure, axes = panels(1, len(found), 3.6 * len(found) + 1.6, 0.46 * most + 1.6, sharex=True,
                          sharey=True)
    names = sorted({(r["workload"], r["where"]) for rows in found.values() for r in rows})
    for place, (kernel, rows) in zip(axes[0], found.items()):
        for shift, name, colour, label in ((-0.19, "saving_as_posted_percent", THIRD, "as posted"),
                                           (0.19, "saving_percent", ON, "ideal")):
            at = [names.index((r["workload"], r["where"])) + shift for r in rows]
            values = [s.saved(r, name) for r in rows]
            place.barh(at, [m for m, _, _ in values], 0.36, color=colour, label=label, xerr=[
                [m - low for m, low, _ in values], [high - m for m, _, high in values]],
                error_kw={"ecolor": "#111111", "elinewidth": 1, "capsize": 2})
        place.set_title(s.short(kernel))
        place.set_xlabel("flushes that would be saved, %")
        place.set_xlim(0, 100)
    axes[0][0].set_yticks(range(len(names)))
    axes[0][0].set_yticklabels([f"{load}, {where}" for load, where in names])
    axes[0][0].set_ylim(len(names) - 0.4, -0.6)
    axes[0][-1].legend(loc="lower right")
    return figure


def wide(data):
    """A panel for each kernel, LRU and swap: a line for each load."""
    found = {(k[0], k[1], k[3], k[2], *k[4:]): f for k, f in s.wide_groups(data)}
    kinds = sorted({k[:3] for k in found})
    loads = sorted({k[3] for k in found})
    columns = min(2, len(kinds))
    rows = -(-len(kinds) // columns)
    figure, axes = panels(rows, columns, 5.6 * columns, 3.8 * rows, sharex=True, sharey=True)
    places = [place for row in axes for place in row]
    sizes = sorted({k[5] for k in found})
    ticks = ["off"] + [str(n) for n in sizes]
    for place, kind in zip(places, kinds):
        for style, load in zip(LINES, loads):
            some = {k[4:]: f for k, f in found.items() if k[:4] == (*kind, load)}
            at = [(0, (False, 0))] + [(i + 1, (True, n)) for i, n in enumerate(sizes)]
            at = [(x, key) for x, key in at if key in some]
            if at:
                points(place, [x for x, _ in at], [some[key] for _, key in at], style, load)
        place.set_yscale("log")
        decades(place.yaxis)
        place.set_xticks(range(len(ticks)))
        place.set_xticklabels(ticks)
        place.set_title(f"{s.short(kind[0])}, {s.LRU_NAMES[kind[1]]}, {kind[2]}")
        place.legend(loc="upper right", ncol=2)
    for place in places[len(kinds):]:
        place.set_visible(False)
    for place in places[max(len(kinds) - columns, 0):len(kinds)]:
        place.set_xlabel("pass_min (pages) with batching; off: neither")
        place.xaxis.set_tick_params(labelbottom=True)
    for row in axes:
        row[0].set_ylabel(PER_1000 + " of both types")
    return figure


def lazyfree(data):
    """A line for each kernel and LRU: each measurement, and the medians."""
    found = s.lazyfree_groups(data)
    figure, axes = panels(1, 1, 9.5, 0.5 * len(found) + 1.9)
    place = axes[0][0]
    for y, (_, sides) in enumerate(found):
        for (side, figures), colour, marker in zip(sides.items(), (OFF, ON), ("s", "o")):
            place.plot(list(figures.values()), [y] * len(figures), marker, color=colour,
                       markersize=4, alpha=0.5)
            place.plot([s.median(figures.values())] if figures else [], [y] if figures else [],
                       marker, color=colour, markersize=9, label=f"lazyfree/mode {side}")
    place.set_xscale("log")
    decades(place.xaxis)
    place.set_xlabel("seconds for a GiB of huge pages")
    place.set_yticks(range(len(found)))
    place.set_yticklabels([f"{s.short(kernel)}, {s.LRU_NAMES[lru]}" for (kernel, lru), _ in found])
    place.set_ylim(len(found) - 0.4, -0.6)
    handles, names = place.get_legend_handles_labels()
    place.legend(*zip(*{n: (h, n) for h, n in zip(handles, names)}.values()),
                 loc="lower left", bbox_to_anchor=(0, 1.01), ncol=2)
    return figure


def scale(data):
    """A row for each kernel, a panel for each step."""
    measured = s.scale_guests(data)
    kernels = sorted({g["kernel"] for g in measured})
    figure, axes = panels(len(s.STEPS), len(kernels), 5.6 * len(kernels), 2.9 * len(s.STEPS))
    for row, (step, title) in zip(axes, s.STEPS.items()):
        for place, kernel in zip(row, kernels):
            guests = [g for g in measured if g["kernel"] == kernel]
            for style, state in zip(((OFF, "s"), (ON, "o"), (THIRD, "^")), s.STATES):
                there = [(g["cpus"], s.instructions(g, state, step)) for g in guests
                         if s.instructions(g, state, step) is not None]
                place.plot([cpus for cpus, _ in there], [number for _, number in there],
                           color=style[0], marker=style[1], linewidth=1.6, label=state)
            place.set_xscale("log", base=2)
            steps(place.xaxis, [g["cpus"] for g in guests])
            place.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,.0f}"))
            place.set_ylim(0, 1.12 * max((s.instructions(g, state, step) or 0 for g in guests
                                          for state in s.STATES), default=0) or 1)
            place.set_title(f"{s.short(kernel)}, {title}")
            place.set_xlabel("CPUs")
            place.set_ylabel("instructions")
            place.legend(loc="best")
    return figure


def cost(data):
    """A line for each load: the difference, and the noise as a band around zero."""
    found = list(s.cost_rows(data))
    figure, axes = panels(1, 1, 9.5, 0.36 * len(found) + 1.4)
    place = axes[0][0]
    for y, (_, driver) in enumerate(found):
        noise = driver["noise_percent"]
        place.barh([y], [2 * noise], 0.7, left=-noise, color="#dddddd", zorder=1)
        place.plot([driver["difference_percent"]], [y], "o", color=ON, markersize=7, zorder=2)
    place.axvline(0, color="#111111", linewidth=1)
    place.set_yticks(range(len(found)))
    place.set_yticklabels([f"{s.short(k)}, {cpus} CPU{'s' * (cpus > 1)}, {what}: {load}"
                           for (k, cpus, what, load), _ in found])
    place.set_xlabel("difference in pages per second, %")
    place.invert_yaxis()
    return figure
