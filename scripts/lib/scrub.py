# SPDX-License-Identifier: GPL-2.0-only
"""Takes out of a text what identifies a machine. Python 3.11 or later, standard library only."""

import os
import re

# Names that tell nothing, and are words of every report.
NO_NAMES = {"localhost", "localdomain", "(none)", "none", "debian", "linux", "kernel", "tlbbatch",
            "root", "nobody", "home"}
UID_MIN = 1000

# An instruction's offset (+0x1f/0x2a0) stays. What is longer may be a pointer, hashed or not.
PATTERNS = (
    (re.compile(r"\b[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4,}\b", re.I), "<mac>"),
    (re.compile(r"(?<![\w:.])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}(?![\w:])", re.I), "<ip>"),
    (re.compile(r"(?<![\w:.])(?:[0-9a-f]{1,4}:)+(?::[0-9a-f]{1,4})+(?![\w:])", re.I), "<ip>"),
    (re.compile(r"(?<![\w:.])(?:[0-9a-f]{1,4}:)+:(?![\w:])", re.I), "<ip>"),
    (re.compile(r"(?<![\w.+-])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\w)"), "<ip>"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I), "<uuid>"),
    (re.compile(r"\b0x[0-9a-f]{5,}", re.I), "<address>"),
    (re.compile(r"(?<![0-9a-z_])[0-9a-f]{12,}(?![0-9a-z_])", re.I), "<address>"),
    (re.compile(r"[\w.+-]+@[\w.-]+\w"), "<mail>"),
    (re.compile(r"/(home|root|Users)/[^/\s\"']+"), r"/\1/<user>"),
)


class Scrubber:
    """Knows the names of this machine and of its users."""

    def __init__(self, machine, environment):
        self.names = []
        self.replaced = 0
        hosts = set()
        for name in ("proc/sys/kernel/hostname", "proc/sys/kernel/domainname", "etc/hostname",
                     "etc/mailname"):
            host = machine.line(name) or ""
            short, _, domain = host.partition(".")
            # "example" or "com" alone is nobody's.
            hosts |= {host, short} | ({domain} if "." in domain else set())
        self.add(hosts, "<host>")
        users = {environment.get(name) for name in ("USER", "LOGNAME", "SUDO_USER")}
        for line in (machine.read("etc/passwd") or "").split("\n"):
            fields = line.split(":")
            if len(fields) > 2 and fields[2].isdigit() and int(fields[2]) >= UID_MIN:
                users.add(fields[0])
        try:
            users |= set(os.listdir(machine.path("home")))
        except OSError:
            pass
        self.add(users, "<user>")

    def add(self, names, instead):
        """Note names that must not appear."""
        for name in sorted(names - {None, ""}, key=len, reverse=True):
            if name.lower() not in NO_NAMES:
                self.names.append((re.compile(rf"(?<![0-9a-z]){re.escape(name)}(?![0-9a-z])", re.I),
                                   instead))

    def scrub(self, text):
        """Return the text without names and addresses."""
        for pattern, instead in (*PATTERNS, *self.names):
            text, times = pattern.subn(instead, text)
            self.replaced += times
        return text
