# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2317 # read and called by those who source this
#
# What the applications of the benchmark share. To be sourced after tests/guest/lib.sh. Each
# NAME.sh defines some of these functions, and app_load gives the others an empty body:
#
#   prepare     make its data, once, in the layer of scripts/vm/make-apps. There it runs with the
#               host's speed, so an emulated guest needn't fill a database
#   start       start it in the memory cgroup, and fill its memory
#   run COUNT   let it do COUNT operations, which is a multiple of 4. What it says goes to $OUT.
#               Returns how that went. Its programs are limited
#   operations  print how many it did in the last run, by its own account
#   stop        let it end. Afterwards what is left in the cgroup is killed
#
# A client runs outside the cgroup. It would else be reclaimed, too.

APPS_DIR=${APPS_DIR:-$(dirname "${BASH_SOURCE[0]}")}
# In the image of make-apps: what prepare made.
DATA=/var/lib/bench-apps
# In a guest: sockets, and what clients said. No directory of a server, since this is in memory.
WORK=/tmp/bench-apps
OUT=$WORK/out
# On a disk.
DISK_WORK=/var/tmp/bench-apps
# Servers refuse to run as root, or shouldn't. Packages are only unpacked, so there are no users
# of their own.
UNPRIVILEGED=(setpriv --reuid=nobody --regid=nogroup --clear-groups --)
# The longest start of a server, in tenths of a second
START_TENTHS=1800
# The longest run of a client, in s. One whose server was killed may wait for it for ever.
RUN_MAX_S=1800

# app_names: print the names of the table, one a line
app_names()
{
	awk '!/^#/ && NF { print $1 }' "$APPS_DIR/apps.tbl"
}

# app_row NAME: set APP_LIMIT_MB, APP_COUNTED_LIMIT_MB (in guests that count instructions),
# APP_OPERATIONS and APP_PACKAGES; fails if there is none
app_row()
{
	local row _

	row=$(awk -v name="$1" '!/^#/ && $1 == name && NF == 4' "$APPS_DIR/apps.tbl")
	[ -n "$row" ] || return
	read -r _ APP_LIMIT_MB APP_OPERATIONS APP_PACKAGES <<<"$row"
	APP_COUNTED_LIMIT_MB=${APP_LIMIT_MB#*/}
	APP_LIMIT_MB=${APP_LIMIT_MB%/*}
}

# app_load NAME: its functions
app_load()
{
	prepare() { :; }
	start() { :; }
	stop() { :; }
	unset -f run operations
	# shellcheck source=/dev/null
	. "$APPS_DIR/$1.sh"
}

# limited COMMAND...: run it, but not for ever
limited()
{
	timeout -k 10 "$RUN_MAX_S" "$@"
}

# serve COMMAND...: start a server in the cgroup; $! is the server
serve()
{
	in_cgroup_start "${UNPRIVILEGED[@]}" "$@" >>"$WORK/server.log" 2>&1
}

# answers COMMAND...: wait until it succeeds; what it says doesn't matter
answers()
{
	until_true $START_TENTHS quietly "$@"
}

quietly()
{
	"$@" >/dev/null 2>&1
}

work_make()
{
	mkdir -p "$WORK" "$DISK_WORK"
	chmod 1777 "$WORK" "$DISK_WORK" /dev/shm
}
