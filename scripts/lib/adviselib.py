# SPDX-License-Identifier: GPL-2.0-only
"""What tlbbatch-advise says: pure functions of numbers that were recorded.

A record is a dictionary:

    format        1
    seconds       how long it was watched
    cpus          CPUs that were online
    batch_size    what batching would work with
    grown         {counter of advise/stats: by how much it grew}
    tlb_row       by how much the row TLB of /proc/interrupts grew; None if that isn't known
    cost_ns       what a receiver costs there, as calibration.cost() returns it; may be missing

Python 3.11 or later, standard library only.
"""

import os
import textwrap

import calibration
import toollib
from ranges import each, percent, share, span

HERE = os.path.dirname(os.path.realpath(__file__))
CAUSES = os.path.join(HERE, "advise-causes.tbl")

HELPS, HELPS_NOT, UNKNOWN = 0, 1, 3
VERDICTS = {HELPS: "helps", HELPS_NOT: "doesn't help", UNKNOWN: "can't tell"}

# Fewer receivers than that are the machine's own noise.
RECEIVERS_MIN = 200
# Batching helps if it would save so much of all receivers ...
SAVED_MIN_PERCENT = 10
# ... and so much of the machine's time, at the highest cost.
TIME_MIN_PERCENT = 0.01
# If more of the passes weren't judged than that, nothing is said of them.
UNJUDGED_MAX_PERCENT = 20
# A difference to the TLB row that is worth a note, in percent of the larger one.
ROW_NOTE_PERCENT = 25


# What a record may say at most. It may come from a file.
COUNT_MAX, CPUS_MAX, SECONDS_MIN, SECONDS_MAX = 1 << 64, 1 << 16, 0.001, 1e9


class BadRecord(Exception):
    """What was recorded can't be used, with the reason."""


def causes():
    """Return the table of causes, the first one first."""
    return toollib.read_table(CAUSES)


def counters(table):
    """Return the counters that a record must have."""
    return [f"{what}_{row['cause']}" for what in ("flushes", "receivers") for row in table] + [
        "passes", "passes_unseen", "passes_put_off", "passes_demoting", "whatif_folios_deferred",
        "whatif_flushes", "whatif_flushes_left", "whatif_receivers", "whatif_receivers_left"]


def check(record):
    """Raise BadRecord if a record isn't one. It may come from a file."""
    if not isinstance(record, dict) or record.get("format") != 1:
        raise BadRecord("isn't a record of tlbbatch-advise, or of another format")
    grown = record.get("grown")
    if not isinstance(grown, dict):
        raise BadRecord("has no counters")
    for name in counters(causes()):
        if not _is_count(grown.get(name)):
            raise BadRecord(f"has no {name}")
    if type(record.get("seconds")) not in (int, float) or \
            not SECONDS_MIN <= record["seconds"] <= SECONDS_MAX:
        raise BadRecord("has no seconds")
    if not _is_count(record.get("cpus")) or not 1 <= record["cpus"] <= CPUS_MAX:
        raise BadRecord("has no cpus")
    if record.get("tlb_row") is not None and not _is_count(record["tlb_row"]):
        raise BadRecord("has a tlb_row that is no count")
    if record.get("cost_ns") is not None and not calibration.is_cost(record["cost_ns"]):
        raise BadRecord("has a cost_ns that is none")


def _is_count(value):
    """Is it a number that a counter may have? True isn't."""
    return type(value) is int and 0 <= value < COUNT_MAX


def figures(record, cost=None):
    """Return what a record says, in figures that a verdict rests on.

    cost is as calibration.cost() returns it, or None: then no time is told.
    """
    grown, seconds = record["grown"], record["seconds"]
    table = causes()
    total = sum(grown[f"receivers_{row['cause']}"] for row in table)
    reclaim = [row["cause"] for row in table if row["who"] == "reclaim"]
    reclaim_receivers = sum(grown[f"receivers_{cause}"] for cause in reclaim)
    reclaim_flushes = sum(grown[f"flushes_{cause}"] for cause in reclaim)
    # A CPU that was lazy when one flush came may be busy when a later one would.
    # The counters aren't read at one moment, so it may seem more than all.
    saved = min(max(grown["whatif_receivers"] - grown["whatif_receivers_left"], 0),
                reclaim_receivers)
    passes = grown["passes"] + grown["passes_unseen"]
    unjudged = grown["passes_put_off"] + grown["passes_demoting"] + grown["passes_unseen"]
    told = {
        "seconds": seconds,
        "cpus": record["cpus"],
        "receivers": total,
        "receivers_per_second": total / seconds,
        "receivers_by_cause": {row["cause"]: grown[f"receivers_{row['cause']}"] for row in table},
        "flushes_by_cause": {row["cause"]: grown[f"flushes_{row['cause']}"] for row in table},
        "percent_by_cause": {row["cause"]: percent(grown[f"receivers_{row['cause']}"], total)
                             for row in table},
        "reclaim_percent": percent(reclaim_receivers, total),
        "reclaim_receivers_per_second": reclaim_receivers / seconds,
        "reclaim_receivers_per_flush": reclaim_receivers / reclaim_flushes
                                       if reclaim_flushes else 0.0,
        "passes": grown["passes"],
        "passes_put_off": grown["passes_put_off"],
        "passes_demoting": grown["passes_demoting"],
        "unjudged_percent": percent(unjudged, passes),
        "put_off_percent": percent(grown["passes_put_off"], passes),
        "unseen_percent": percent(grown["passes_unseen"], passes),
        "saved_per_second": saved / seconds,
        "saved_percent_of_reclaim": percent(saved, reclaim_receivers),
        "saved_percent": percent(saved, total),
        "tlb_row": record.get("tlb_row"),
        "cost_ns": cost,
        "saved_percent_of_time": None,
    }
    if cost:
        cpu_ns = record["cpus"] * 1e9
        told["saved_percent_of_time"] = {
            bound: percent(saved / seconds * cost[bound], cpu_ns)
            for bound in ("low", "middle", "high")}
    return told


def shown(value):
    """Return a number as a sentence has it: two or three figures, and no more than are known."""
    if value >= 999.5:
        digits = len(str(int(value))) - 2
        return f"{round(value, -digits):,.0f}"
    if value >= 10 or value == round(value):
        return f"{value:.0f}"
    if value < 0.01:
        return "less than 0.01"
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2f}"


def _largest(told, table, who):
    """Return the row of the causes of these that has most receivers."""
    return max((row for row in table if row["who"] in who),
               key=lambda row: told["receivers_by_cause"][row["cause"]])


def _time(told):
    """Return the reason that translates counts into time."""
    time = told["saved_percent_of_time"]
    one = span(*(time[bound] * told["cpus"] for bound in ("low", "high")))
    # The highest published cost may be too high for a machine with so many shootdowns.
    whole = span(*(min(time[bound], 100) for bound in ("low", "high")))
    return (f"At {each(told['cost_ns'])}, what it saves is {one} of one CPU's time, or {whole} of "
            f"this machine's {told['cpus']} CPUs.")


def _reclaim(told):
    """Return the reason that says what reclaim does, and what batching would save."""
    sent, cpus = (shown(told["reclaim_receivers_per_" + of]) for of in ("second", "flush"))
    return (f"Reclaim sends {sent} interrupts a second, each flush to {cpus} "
            f"{'CPU' if cpus == '1' else 'CPUs'} on average. Batching would save "
            f"{share(told['saved_percent_of_reclaim'])} of these.")


def _notes(told):
    """Return what restricts a verdict, a sentence each."""
    notes = []
    if told["cost_ns"] is None:
        notes.append("An emulator runs this machine, so nothing is said of time.")
    if told["passes_demoting"]:
        notes.append(f"{share(percent(told['passes_demoting'], told['passes']))} of reclaim's "
                     "passes demote pages to slower memory; batching leaves these alone.")
    row, counted = told["tlb_row"], told["receivers"]
    if row is not None and max(row, counted) >= RECEIVERS_MIN and \
            percent(abs(row - counted), max(row, counted)) > ROW_NOTE_PERCENT:
        notes.append(
            f"/proc/interrupts counted {shown(row)} shootdowns, not {shown(counted)}. " +
            ("A hypervisor may leave out CPUs that don't run: then there is less to save."
             if row < counted else "What is missing wasn't seen."))
    return notes


def judge(record, cost=None):
    """Return the verdict on a record: its status, a sentence, reasons, notes, figures."""
    check(record)
    told = figures(record, cost)
    status, sentence, reasons = _decide(told)
    return {"verdict": VERDICTS[status], "status": status, "sentence": sentence,
            "reasons": reasons, "notes": _notes(told) if status != UNKNOWN else [],
            "figures": told}


def untold(why):
    """Return the verdict where nothing could be watched."""
    return {"verdict": VERDICTS[UNKNOWN], "status": UNKNOWN, "sentence": why, "reasons": [],
            "notes": [], "figures": None}


def _decide(told):
    table = causes()
    if told["put_off_percent"] > UNJUDGED_MAX_PERCENT:
        return UNKNOWN, "Batching was on meanwhile. What it does can't be predicted then.", [
            "Write 0 to /sys/kernel/tlbbatch/enabled, and try again."]
    if told["cpus"] == 1:
        return HELPS_NOT, ("One CPU is online: no other is interrupted, so there is nothing to "
                           "save."), []
    if told["receivers"] < RECEIVERS_MIN:
        return UNKNOWN, (f"There were hardly any shootdowns: {told['receivers']} in "
                         f"{shown(told['seconds'])} s."), [
            "Run this while your load runs, or for longer."]
    # Batching leaves alone what demotes, so these passes need no prediction.
    if told["put_off_percent"] + told["unseen_percent"] > UNJUDGED_MAX_PERCENT:
        return UNKNOWN, "Too many of reclaim's passes weren't seen.", [
            "More tasks reclaimed at once than the module can follow."]
    others = _largest(told, table, ("program", "kernel"))
    if told["saved_percent"] < SAVED_MIN_PERCENT:
        return HELPS_NOT, *_too_little(told, table, others)
    time = told["saved_percent_of_time"]
    if time and time["high"] < TIME_MIN_PERCENT:
        return HELPS_NOT, ("Batching would save shootdowns here, but there are too few of them to "
                           "matter."), [_reclaim(told), _time(told)]
    reasons = [f"{share(told['reclaim_percent'])} of your shootdowns come from reclaim.",
               _reclaim(told)]
    if time:
        reasons.append(_time(told))
    if told["percent_by_cause"][others["cause"]] >= SAVED_MIN_PERCENT:
        reasons.append(f"{share(told['percent_by_cause'][others['cause']])} come from "
                       f"{others['words']}: {others['why']}.")
    return HELPS, (f"Batching would help: it would save {share(told['saved_percent'])} of all "
                   "shootdowns here."), reasons


def _capital(text):
    return text[:1].upper() + text[1:]


def _too_little(told, table, others):
    """Return the sentence and the reasons if batching would save hardly anything."""
    by_cause = told["percent_by_cause"]
    if told["reclaim_percent"] < 50:
        most, words = by_cause[others["cause"]], others["words"]
        if most >= 50:
            sentence = f"{share(most)} of your shootdowns come from {words}"
            reasons = [_capital(others["why"]) + "."]
        else:
            rest = 100 - told["reclaim_percent"]
            sentence = f"{share(rest)} of your shootdowns don't come from reclaim"
            reasons = [f"{share(most)} come from {words}: {others['why']}."]
        if told["reclaim_percent"]:
            reasons.append(f"{share(told['reclaim_percent'])} come from reclaim. {_reclaim(told)}")
        else:
            reasons.append("Reclaim interrupted nobody meanwhile." if told["passes"] else
                           "Reclaim did nothing meanwhile.")
        return sentence + ": this module can't help.", reasons
    reasons = [_reclaim(told)]
    if by_cause["reclaim_last"] >= 50:
        last = next(row for row in table if row["cause"] == "reclaim_last")
        reasons.append(f"{share(by_cause['reclaim_last'])} of your shootdowns come from "
                       f"{last['words']}: {last['why']}.")
    else:
        reasons.append("Its passes have few dirty pages each, so that few would share a flush.")
    return "Your shootdowns come from reclaim, but batching would save hardly any of them.", reasons


def lines(verdict, width):
    """Yield a verdict as text: a headline, then what it rests on."""
    yield from textwrap.wrap(verdict["sentence"], width)
    for text in verdict["reasons"] + verdict["notes"]:
        yield from textwrap.wrap(text, width, initial_indent="  - ", subsequent_indent="    ")


def table_lines(verdict):
    """Yield the causes as a table: percent, receivers a second, flushes a second, words."""
    told = verdict["figures"]
    yield f"{'share':>6} {'receivers/s':>12} {'flushes/s':>10}  cause"
    for row in causes():
        cause = row["cause"]
        yield (f"{told['percent_by_cause'][cause]:5.1f}% "
               f"{told['receivers_by_cause'][cause] / told['seconds']:12.1f} "
               f"{told['flushes_by_cause'][cause] / told['seconds']:10.1f}  {row['words']}")
