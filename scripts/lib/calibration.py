# SPDX-License-Identifier: GPL-2.0-only
"""What a TLB shootdown costs: what tlbbatch-calibrate keeps, and what others have published.

For scripts that translate counts of interrupts into CPU time:

    kept = calibration.load()               # None if nothing was measured here
    cost = calibration.cost(kept, 3)        # of one receiver, where a flush has 3 of them
    low, high = cost["low"] * count, cost["high"] * count     # in ns: a range

Times are in ns. Nothing here measures anything.
"""
import json
import math
import os
import statistics

import toollib

HERE = os.path.dirname(os.path.realpath(__file__))
COSTS = os.path.join(HERE, "shootdown-costs.tsv")
SYSTEM_FILE = "/var/lib/tlbbatch/calibration.json"

# No count and no time of a result is more. It may come from a file.
NUMBER_MAX = 1e12

# A block with fewer calls during which all receivers ran says nothing.
WHOLE_MIN = 10
# Without a clock of the machine's own, cycles are taken to be of this frequency.
TSC_KHZ = 2500000

# What has no TLB of the hardware's, or counts its time by instructions: (fact, text, what it is)
EMULATORS = (
    ("hypervisor", "TCGTCGTCGTCG", "QEMU without KVM (TCG)"),
    ("cpu", "QEMU TCG CPU", "QEMU without KVM (TCG)"),
    ("vendor", "VirtualApple", "Rosetta"),
    ("cpu", "Bochs", "Bochs"),
)
# Such a processor is emulated unless one of HYPERVISORS says that it isn't.
SUSPECT = "QEMU Virtual CPU"
HYPERVISORS = {
    "KVMKVMKVM": "KVM",
    "Microsoft Hv": "Hyper-V",
    "VMwareVMware": "VMware",
    "XenVMMXenVMM": "Xen",
    "VBoxVBoxVBox": "VirtualBox",
    "bhyve bhyve": "bhyve",
    "ACRNACRNACRN": "ACRN",
    "prl hyperv": "Parallels",
}


class Unusable(Exception):
    """A file or a measurement that can't be used, with the reason."""


def default_path():
    """Where the result is kept: for all if root measures, else for this user."""
    if os.geteuid() == 0:
        return SYSTEM_FILE
    return _user_file()


def _user_file():
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(state, "tlbbatch", "calibration.json")


def load(path=None):
    """Read a kept result. Without a path: that of this user, then of the system; None if none."""
    if path is None:
        for candidate in (default_path(), _user_file(), SYSTEM_FILE):
            if os.path.exists(candidate):
                return load(candidate)
        return None
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    except OSError as why:
        raise Unusable(f"{path}: {why.strerror}") from why
    except (ValueError, RecursionError) as why:
        raise Unusable(f"{path}: {why}") from why
    if not isinstance(kept, dict) or kept.get("what") != "calibration":
        raise Unusable(f"{path}: isn't a result of tlbbatch-calibrate")
    if kept.get("format") != 1:
        raise Unusable(f"{path}: has another format: {kept.get('format')}")
    if not _is_whole(kept):
        raise Unusable(f"{path}: is damaged: what cost() needs is missing, or of another type")
    return kept


def load_of(root):
    """Read what is kept of the machine that is below a directory, / for this one; None if none."""
    if os.path.realpath(root) == "/":
        return load()
    path = os.path.join(root, SYSTEM_FILE.lstrip("/"))
    return load(path) if os.path.exists(path) else None


def _number(value, least):
    """Is it a number, and not too large?"""
    return type(value) in (int, float) and least <= value <= NUMBER_MAX


def is_cost(value):
    """Is it what cost() returns? It may come from a file."""
    return isinstance(value, dict) and value.get("from") in ("measured", "published") and \
        all(_number(value.get(bound), 0) for bound in ("low", "middle", "high")) and \
        value["low"] <= value["middle"] <= value["high"]


def _is_whole(kept):
    """Has it what cost() needs?"""
    machine, fanouts = kept.get("machine"), kept.get("fanouts")
    if not isinstance(machine, dict) or not isinstance(fanouts, list) or \
            not (machine.get("tsc_khz") is None or _number(machine["tsc_khz"], 1)):
        return False
    for fanout in fanouts:
        if not isinstance(fanout, dict) or not _number(fanout.get("receivers"), 1):
            return False
        per = fanout.get("per_receiver_ns", {})
        # The sender's share may be below 0, by the noise.
        if per is not None and not (isinstance(per, dict) and all(
                _number(per.get(key), -NUMBER_MAX) for key in ("q1", "median", "q3"))):
            return False
    return True


def emulator(facts):
    """What emulates this machine, or None."""
    for fact, text, name in EMULATORS:
        if text in facts.get(fact, ""):
            return name
    if SUSPECT in facts.get("cpu", "") and facts.get("hypervisor") not in HYPERVISORS:
        return "QEMU"
    return None


def emulated(root="/"):
    """What emulates the machine below a directory, as far as its CPU's name tells; or None."""
    facts = {}
    for line in (toollib.Machine(root).read("proc/cpuinfo") or "").split("\n"):
        name, _, text = line.partition(":")
        fact = {"vendor_id": "vendor", "model name": "cpu"}.get(name.strip())
        if fact:
            facts.setdefault(fact, text.strip())
    return emulator(facts)


def hypervisor(facts):
    """The name of the hypervisor, or None on a machine that isn't virtual."""
    if not facts.get("virtual"):
        return None
    signature = facts.get("hypervisor", "").rstrip()
    return HYPERVISORS.get(signature, signature or "unknown")


def spread(values):
    """Median and quartiles, or None without a value."""
    if not values:
        return None
    if len(values) == 1:
        low = high = values[0]
    else:
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": round(statistics.median(values), 1),
            "q1": round(low, 1), "q3": round(high, 1), "n": len(values)}


def figures(blocks):
    """Make figures of the blocks that were measured: one for each fan-out, and the noise."""
    good = [b for b in blocks if b["whole"] >= WHOLE_MIN]
    alone = {}
    for block in good:
        if block["receivers"] == 0:
            alone.setdefault(block["round"], []).append(block["sender_ns"])
    if not alone:
        raise Unusable("no call without a receiver could be measured: the machine is too busy")
    base = {nr: statistics.mean(values) for nr, values in alone.items()}
    usual = statistics.median(base.values())
    fanouts = []
    for count in sorted({b["receivers"] for b in blocks if b["receivers"]}):
        some = [b for b in good if b["receivers"] == count]
        extra = [b["sender_ns"] - base.get(b["round"], usual) for b in some]
        fanouts.append({
            "receivers": count,
            "blocks": sum(b["receivers"] == count for b in blocks),
            "sender_ns": spread([b["sender_ns"] for b in some]),
            "sender_extra_ns": spread(extra),
            "receiver_ns": spread([b["receiver_ns"] for b in some]),
            "per_receiver_ns": spread([e / count + b["receiver_ns"]
                                       for e, b in zip(extra, some)]),
            "seen": spread([b["seen"] for b in some]),
            "interrupts": spread([b["interrupts"] for b in some]),
        })
    if not any(f["per_receiver_ns"] for f in fanouts):
        raise Unusable("the receivers hardly ran at the same time as the sender: "
                       "the machine is too busy")
    twice = [abs(v[0] - v[1]) for v in alone.values() if len(v) > 1]
    return {
        "alone_ns": spread([v for values in alone.values() for v in values]),
        "fanouts": fanouts,
        "noise": {"sender_ns": spread(twice),
                  "receiver_ns": spread([b["quiet_ns"] for b in good if "quiet_ns" in b])},
    }


def doubts(result):
    """Reasons not to take the figures at face value: a line each."""
    said = []
    for fanout in result["fanouts"]:
        who = "1 receiver" if fanout["receivers"] == 1 else f"{fanout['receivers']} receivers"
        if fanout["per_receiver_ns"] is None:
            said.append(f"{who}: never did all of them run, so there is no figure")
            continue
        if fanout["per_receiver_ns"]["n"] * 2 < fanout["blocks"]:
            said.append(f"{who}: something else had CPUs of theirs in most blocks")
        if fanout["seen"]["median"] < 0.5:
            said.append(f"{who}: most weren't interrupted while the sender waited. "
                        "Flushes go another way here (paravirtual, INVLPGB), or the CPUs' "
                        "clocks differ")
        elif fanout["sender_extra_ns"]["median"] <= (result["noise"]["sender_ns"]
                                                     or {"q3": 0})["q3"]:
            said.append(f"{who}: what the sender waits isn't above the noise")
    return said


def published(tsc_khz=None):
    """The table of published costs; each row has its cost in ns, too."""
    rows = []
    with open(COSTS, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            bound, value, unit, what, machine, source = line.rstrip("\n").split("\t")
            value = float(value)
            rows.append({
                "bound": bound, "value": value, "unit": unit, "of": what, "machine": machine,
                "source": source,
                "ns": value if unit == "ns" else value * 1e6 / (tsc_khz or TSC_KHZ)})
    return rows


def cost(kept=None, receivers=None):
    """CPU time that one receiver costs, of all CPUs together, as a range in ns.

    Of what was measured here the fan-out counts that is nearest to "receivers", or all of them if
    that isn't known. Without that, and where it is from an emulator, the range is that of the
    published costs. cost_at() asks first whether a time means anything.
    """
    if kept and kept.get("usable") is True:
        some = [f for f in kept["fanouts"] if f["per_receiver_ns"]]
        if some and receivers is not None:
            some = [min(some, key=lambda f: abs(math.log(f["receivers"] / max(receivers, 1))))]
        if some:
            spreads = [f["per_receiver_ns"] for f in some]
            middle = statistics.median(per["median"] for per in spreads)
            return {"low": max(min(per["q1"] for per in spreads), 0.0), "middle": max(middle, 0.0),
                    "high": max(*(per["q3"] for per in spreads), 0.0), "from": "measured",
                    "receivers": some[0]["receivers"] if len(some) == 1 else None}
    rows = {r["bound"]: r["ns"] for r in
            published(kept["machine"].get("tsc_khz") if kept else None)}
    return {"low": rows["low"], "middle": rows["middle"], "high": rows["high"],
            "from": "published", "receivers": None}


def cost_at(root="/", kept=None, receivers=None):
    """The same for the machine below a directory: None under an emulator, which has no times.

    "kept" is as load() returns it; without it what is kept of that machine counts.
    """
    kept = kept or load_of(root)
    # What was measured with success knows more than the CPU's name.
    usable = kept is not None and kept.get("usable") is True
    if not usable and (emulated(root) or kept is not None and kept.get("emulator")):
        return None
    return cost(kept, receivers)
