# SPDX-License-Identifier: GPL-2.0-only
"""What tlbbatch's tools share: the tables, and reading /sys and /proc.

Python 3.11 or later, standard library only.
"""

import errno
import glob
import os
import re
import signal
import sys
import tempfile
import traceback

MODULE = "sys/kernel/tlbbatch"
BYTES_MAX = 4 << 20
# /proc/sys refuses to read 4 MB at once (ENOMEM).
CHUNK = 64 << 10
# A line of it has 11 characters for each CPU, and there is a line for each queue of each device.
INTERRUPTS_BYTES_MAX = 64 << 20
# /proc/interrupts prints an unsigned int for each CPU.
INTERRUPTS_WRAP = 1 << 32
# No second has so many interrupts: a count that seems to have grown by more was reset.
INTERRUPTS_GROW_MAX = 1 << 31


class TableError(Exception):
    """A table of the tools is malformed."""


def run(name, main, failed, interrupted=None):
    """Run a tool's main(), and end with the exit status that it returns.

    failed is the status if something unforeseen happens; it must never be one that means
    something else. interrupted is that after Ctrl-C; without it the signal ends the tool.
    """
    # As vmstat: end silently if nobody reads on. "tlbbatch-stat 1 | head" is usual.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if sys.stdout is None:
        # Whoever prints to a closed output must notice. This one can't be written either.
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="ascii")
    try:
        try:
            status = main()
        except SystemExit as end:
            status = end.code
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        if interrupted is None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        status = interrupted
    except OSError as why:
        print(f"{name}: {why.filename or 'standard output'}: {why.strerror}", file=sys.stderr)
        # What couldn't be written must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = failed
    except Exception:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        status = failed
    sys.exit(status)


def printable(text, limit=600):
    """Return text on one line, in ASCII, cut to a limit. It may go to a terminal."""
    return "".join(c if " " <= c <= "~" else "?" for c in text.strip())[:limit]


def number(text):
    """Return the decimal number that text is, or None."""
    return int(text) if text is not None and re.fullmatch("[0-9]{1,20}", text) else None


def whole(file, limit):
    """Return what a file says, read piece by piece, cut to a limit."""
    pieces, left = [], limit
    while left > 0 and (piece := file.read(min(left, CHUNK))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def replace(path, text, mode):
    """Write a file so that a reader sees all of the old one, or all of the new one."""
    # Root could replace /dev/null.
    if os.path.lexists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "isn't a plain file", path)
    real = os.path.realpath(path)
    new = None
    try:
        fd, new = tempfile.mkstemp(prefix=".tlbbatch-", suffix=".new", dir=os.path.dirname(real))
        with open(fd, "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
        os.rename(new, real)
        new = None
    except OSError as why:
        # Nobody knows the other name.
        raise OSError(why.errno, why.strerror, path) from why
    finally:
        if new:
            os.unlink(new)


def choice(text):
    """Return the words of "[off] track", and the one in brackets. Other texts have none."""
    words = text.split()
    chosen = [word[1:-1] for word in words if re.fullmatch(r"\[.+\]", word)]
    if len(chosen) != 1:
        return [], None
    return [word.strip("[]") for word in words], chosen[0]


def read_table(path):
    """Read a table whose columns are separated by bars: a list of dictionaries.

    The line "#first | second" names the columns. Other lines with # are comments.
    """
    names, rows = None, []
    with open(path, encoding="ascii") as table:
        for nr, line in enumerate(table, 1):
            cells = [cell.strip() for cell in line.rstrip("\n").split("|")]
            if line.startswith("#") and len(cells) > 1 and names is None:
                names = [cells[0][1:].strip()] + cells[1:]
            if line.startswith("#") or not line.strip():
                continue
            if names is None or len(cells) != len(names) or "" in cells:
                raise TableError(f"{path}:{nr}: a column is missing, or empty")
            rows.append(dict(zip(names, cells)))
    return rows


def read_tables(folder, name):
    """Read NAME.tbl and each NAME-*.tbl of a folder as one table."""
    return [row for path in sorted(glob.glob(os.path.join(glob.escape(folder), f"{name}*.tbl")))
            for row in read_table(path)]


class Machine:
    """The files of this machine, or of one that is recorded in a directory.

    A source of a table is one of

      irq ROW    a row of /proc/interrupts: {CPU: count}
      vm NAME    a line of /proc/vmstat
      PATH       a file below /sys/kernel/tlbbatch
    """

    def __init__(self, root="/"):
        self.root = root

    def path(self, name):
        """Return where the file /NAME is."""
        return os.path.join(self.root, name)

    def read(self, name, limit=BYTES_MAX):
        """Return what the file /NAME says, or None if it can't be read."""
        try:
            with open(self.path(name), "rb", buffering=0) as file:
                return whole(file, limit).decode("ascii", "replace")
        except OSError:
            return None

    def line(self, name):
        """Return the first line of the file /NAME, fit to print, or None."""
        text = self.read(name)
        return None if text is None else printable(text.split("\n")[0])

    def setting(self, name):
        """Return what a file below /sys/kernel/tlbbatch says, or None. Of "[off] track" off."""
        text = self.line(f"{MODULE}/{name}")
        return None if text is None else choice(text)[1] or text

    def loaded(self):
        """Return a number that tells one load of the module from another; 0 if there is none."""
        try:
            return os.stat(self.path(MODULE)).st_ino
        except OSError:
            return 0

    def files(self, below=""):
        """Yield the names of the files below /sys/kernel/tlbbatch."""
        top = self.path(MODULE)
        for place, dirs, names in os.walk(os.path.join(top, below)):
            dirs.sort()
            for name in sorted(names):
                yield os.path.relpath(os.path.join(place, name), top)

    def vmstat(self):
        """Return /proc/vmstat as a dictionary."""
        words = [line.split() for line in (self.read("proc/vmstat") or "").split("\n")]
        return {word[0]: int(word[1]) for word in words
                if len(word) == 2 and number(word[1]) is not None}

    def interrupts(self):
        """Return the rows TLB, CAL and so on of /proc/interrupts: {ROW: {CPU: count}}.

        CPUs that are offline have no column.
        """
        lines = (self.read("proc/interrupts", INTERRUPTS_BYTES_MAX) or "").split("\n")
        cpus = [word[3:] for word in lines[0].split() if re.fullmatch("CPU[0-9]+", word)]
        rows = {}
        for line in lines[1:]:
            name, _, rest = line.partition(":")
            counts = rest.split()[:len(cpus)]
            if re.fullmatch("[A-Z]{3}", name.strip()) and len(counts) == len(cpus) and \
                    all(number(count) is not None for count in counts):
                rows[name.strip()] = dict(zip(cpus, map(int, counts)))
        return rows

    def values(self, sources):
        """Return {source: value}. What can't be read is left out."""
        interrupts, vmstat, values = self.interrupts(), self.vmstat(), {}
        for source in sources:
            kind, _, name = source.rpartition(" ")
            if kind == "irq":
                value = interrupts.get(name)
            elif kind == "vm":
                value = vmstat.get(name)
            else:
                value = number(self.line(f"{MODULE}/{source}"))
            if value is not None:
                values[source] = value
        return values


def is_modules(source):
    """Is it a file of the module?"""
    return " " not in source


def total(value):
    """Return a count, of all CPUs if it is one for each."""
    return sum(value.values()) if isinstance(value, dict) else value


def grown(before, after):
    """Return by how much a counter has grown, or None if it began anew meanwhile.

    Of the CPUs only those count that were online both times.
    """
    if not isinstance(before, dict):
        return after - before if after >= before else None
    both = before.keys() & after.keys()
    growth = [(after[cpu] - before[cpu]) % INTERRUPTS_WRAP for cpu in both]
    if not both or max(growth) >= INTERRUPTS_GROW_MAX:
        return None
    return sum(growth)
