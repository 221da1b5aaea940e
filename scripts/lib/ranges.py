# SPDX-License-Identifier: GPL-2.0-only
"""Shares and ranges, as the tools' sentences have them.

Python 3.11 or later, standard library only.
"""


def percent(part, whole):
    """Return part of whole in percent; 0 of nothing."""
    return 100 * part / whole if whole else 0.0


def share(value):
    """Return a percentage as a sentence has it: two figures, and no more than are known."""
    if value <= 0:
        return "0%"
    if value < 0.01:
        return "less than 0.01%"
    if value < 0.995:
        return f"{value:.2g}%"
    if value < 9.95:
        return f"{value:.1f}%"
    if value < 100:
        # 99.6% isn't all.
        return f"{min(round(value), 99)}%"
    # More than one CPU's time
    return f"{round(value, -max(len(str(int(value))) - 2, 0)):,.0f}%" if value > 100 else "100%"


def span(low, high):
    """Return a range of percentages."""
    if high < 0.01:
        return share(high)
    if share(low) == share(high):
        # Its ends are as good as the same, and it is a range all the same.
        return f"about {share(low)}"
    if low < 0.01:
        return f"up to {share(high)}"
    return f"{share(low).removesuffix('%')} to {share(high)}"


def each(cost):
    """Return what a receiver costs, in us, and where that is from."""
    where = "measured" if cost["from"] == "measured" else "published figures"
    low, high = (f"{cost[bound] / 1000:.1f}" for bound in ("low", "high"))
    return f"{f'{low} to {high}' if low != high else f'about {low}'} us for each CPU that is " \
           f"interrupted ({where})"
