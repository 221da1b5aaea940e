# SPDX-License-Identifier: GPL-2.0-only
"""What tlbbatch-report puts into its archive. Python 3.11 or later, standard library only."""

import glob
import os
import re
import stat
import subprocess

import toollib

PREFLIGHT_S = 180
LOG_LINES = 1000
BUILD_LINES = 60
STATUS_BYTES = 64 << 20
RECORD_BYTES = 8192
# Stands in front of a value, until the text is scrubbed. No file's text gets through with it.
MARK = "\0"
# A counter, or the module's srcversion
NUMBER = re.compile("[0-9]+|[0-9A-F]{23,24}")
# A record's priority is below that if the kernel wrote it.
FACILITY = 8
VMSTAT = re.compile("pgscan|pgsteal|pswp|nr_vmscan|nr_isolated|nr_tlb|oom_kill|allocstall|"
                    "workingset_refault|pgdemote|pgfault|pgmajfault|nr_dirty$|nr_writeback$|swpin|"
                    "swpout|zswp|thp_swp")
UNREADABLE = "can't be read"
# Messages that name the module and aren't its own. The kernel's command line may have secrets, and
# audit tells who did what.
FOREIGN = re.compile("command line|^audit: ", re.I)


def table(pairs):
    """Return lines of names and values. The names are this tool's, or those of files in sysfs."""
    return "".join(f"{name:<40} {MARK}{value}\n" for name, value in pairs)


def first_of(text, pattern):
    """Return what the pattern finds in a text, or None."""
    found = re.search(pattern, text or "", re.M)
    return toollib.printable(found[1]) if found else None


def kernel(machine):
    """Return what the kernel and the machine are. No name, no address, no serial number."""
    cpus = machine.read("proc/cpuinfo")
    memory = machine.read("proc/meminfo")
    flags = (first_of(cpus, r"^flags\s*: (.*)") or "").split()
    # Files and devices of swap may be named after somebody.
    swaps = [line.split()[1:3] for line in (machine.read("proc/swaps") or "").split("\n")[1:]
             if len(line.split()) > 2]
    rows = [(name, machine.line(f"proc/sys/kernel/{name}"))
            for name in ("ostype", "osrelease", "version", "tainted", "ftrace_enabled")]
    rows += [("system", first_of(machine.read("etc/os-release"), '^PRETTY_NAME="?([^"]*)')),
             ("CPU", first_of(cpus, r"^model name\s*: (.*)")),
             ("CPU flags", " ".join(flag for flag in flags if flag in
                                    ("hypervisor", "invlpgb", "pcid", "invpcid", "la57", "ibt")))]
    rows += [(name, machine.line(name)) for name in (
        "sys/devices/system/cpu/online", "sys/devices/system/node/online",
        "sys/kernel/mm/lru_gen/enabled", "sys/kernel/mm/transparent_hugepage/enabled",
        "sys/module/zswap/parameters/enabled", "sys/kernel/mm/numa/demotion_enabled",
        "proc/sys/vm/swappiness")]
    rows += [(name, first_of(memory, rf"^{name}:\s*(.*)"))
             for name in ("MemTotal", "SwapTotal", "SwapFree")]
    rows += [("swap", f"{kind}, {size} kB") for kind, size in swaps]
    return table((name, UNREADABLE if value is None else value) for name, value in rows)


def module(machine):
    """Return which module is loaded, and what is installed."""
    rows = [(name, machine.line(f"sys/module/tlbbatch/{name}"))
            for name in ("version", "srcversion", "initstate", "refcnt", "taint")]
    if not machine.loaded():
        rows = [("module", "not loaded")]
    release = machine.line("proc/sys/kernel/osrelease") or "?"
    built = glob.glob(machine.path(f"lib/modules/{glob.escape(release)}/updates/**/tlbbatch.ko*"),
                      recursive=True)
    rows.append(("built for this kernel", "yes" if built else "no"))
    for entry in (machine.read("var/lib/dpkg/status", STATUS_BYTES) or "").split("\n\n"):
        if entry.startswith("Package: tlbbatch"):
            rows.append((first_of(entry, "^Package: (.*)"), first_of(entry, "^Version: (.*)")))
    return table((name, UNREADABLE if value is None else value) for name, value in rows)


def build_log(machine):
    """Return the end of the log of a build that dkms couldn't finish, or None."""
    logs = sorted(glob.glob(machine.path("var/lib/dkms/tlbbatch/*/build/make.log")))
    text = machine.read(os.path.relpath(logs[-1], machine.root)) if logs else None
    return None if text is None else \
        "".join(toollib.printable(line) + "\n" for line in text.split("\n")[-BUILD_LINES:])


def is_knob(path):
    """Can somebody write to the file? The module may be unloaded meanwhile."""
    try:
        return bool(os.stat(path).st_mode & stat.S_IWUSR)
    except OSError:
        return False


def module_files(machine):
    """Return the states of hooks, the knobs, and the counters."""
    kinds = {"hooks": [], "knobs": [], "counters": []}
    for name in machine.files():
        place = os.path.basename(os.path.dirname(name))
        value = machine.line(f"{toollib.MODULE}/{name}")
        row = (name, UNREADABLE + ": needs root" if value is None else value)
        if place == "hooks":
            kinds["hooks"].append(row)
        elif place == "stats" or not is_knob(machine.path(f"{toollib.MODULE}/{name}")):
            kinds["counters"].append(row)
        else:
            kinds["knobs"].append(row)
    return {kind: table(rows) or "the module isn't loaded\n" for kind, rows in kinds.items()}


def kernel_counters(machine):
    """Return what the kernel itself counts of reclaim and of interrupts."""
    rows = [(name, value) for name, value in machine.vmstat().items() if VMSTAT.match(name)]
    for name, counts in machine.interrupts().items():
        if name in ("TLB", "CAL", "RES", "LOC"):
            rows.append((f"interrupts {name}, all CPUs", sum(counts.values())))
    return table(rows) or UNREADABLE + "\n"


def preflight(machine, command):
    """Return what preflight says."""
    words = [command] + ([] if machine.root == "/" else ["--root", machine.root])
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PREFLIGHT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as why:
        return f"preflight can't be asked: {toollib.printable(str(why))}\n"
    text = done.stdout.decode("ascii", "replace")
    return "".join(toollib.printable(line) + "\n" for line in text.rstrip("\n").split("\n")) + \
        f"exit status {done.returncode}\n"


def kernel_records(path):
    """Yield the records of /dev/kmsg that are there by now, or the lines of a file."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            with open(path, encoding="ascii", errors="replace") as file:
                yield from file
            return
        while True:
            try:
                # A read gives a record. At the end of the log it fails.
                record = os.read(fd, RECORD_BYTES)
            except BrokenPipeError:
                # The records that come next were overwritten.
                continue
            except BlockingIOError:
                return
            if not record:
                return
            yield record.decode("ascii", "replace")
    finally:
        os.close(fd)


def log(machine):
    """Return the kernel's own messages that name the module. Programs write to its log, too."""
    lines = []
    try:
        for record in kernel_records(machine.path("dev/kmsg")):
            head, _, text = record.partition(";")
            fields = head.split(",")
            if len(fields) < 3 or not fields[0].isdigit() or not fields[2].isdigit():
                continue
            if "tlbbatch" in text and int(fields[0]) < FACILITY and not FOREIGN.search(text):
                seconds = int(fields[2]) / 1e6
                lines.append(f"[{seconds:13.6f}] {toollib.printable(text.split(chr(10))[0])}\n")
    except OSError as why:
        return f"{UNREADABLE}: {why.strerror}\n"
    return "".join(lines[-LOG_LINES:]) or "no line names the module\n"


def contents(machine, command, scrubber):
    """Return what belongs into a report: [(file, what it is, text)], scrubbed."""
    files = module_files(machine)
    parts = [
        ("kernel", "kernel, CPU, memory, swap", kernel(machine)),
        ("module", "the module, and the packages", module(machine)),
        ("hooks", "what is hooked, or why not", files["hooks"]),
        ("knobs", "the knobs", files["knobs"]),
        ("counters", "the module's counters, and its version", files["counters"]),
        ("kernel-counters", "the kernel's counters of reclaim", kernel_counters(machine)),
        ("preflight", "what preflight says", preflight(machine, command)),
        ("log", "the kernel's messages of the module", log(machine)),
        ("build-log", "the end of the log of a failed build", build_log(machine)),
    ]
    return [(name + ".txt", what, scrubbed(text, scrubber))
            for name, what, text in parts if text is not None]


def scrubbed(text, scrubber):
    """Return the text scrubbed, but for the names in a table, and its numbers."""
    lines = []
    for line in text.split("\n"):
        name, mark, value = line.rpartition(MARK)
        lines.append(name + (value if mark and NUMBER.fullmatch(value) else scrubber.scrub(value)))
    return "\n".join(lines)
