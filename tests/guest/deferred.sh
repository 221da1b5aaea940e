# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What deferral holds back, and has counted. Sourced behind lib.sh.

L=$K/luf

# stat_of NAME: print a counter
stat_of()
{
	cat "$L/stats/$1"
}

holds_some() { [ "$(<"$L/held")" -gt 0 ]; }

# none_lost: is nothing held back, and has all that was been given back?
none_lost()
{
	[ "$(<"$L/held")" -eq 0 ] && [ "$(stat_of pages_held)" -eq "$(stat_of pages_released)" ]
}
