# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2119,SC2120
# What the tests in a guest share: the module, swap, cgroup, load; and TAP (tests/lib/tap.sh).
# Sourced; a test ends with `finish`.

# shellcheck source=tests/lib/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/tap.sh"

K=/sys/kernel/tlbbatch
BIN=/opt/tlbbatch/bin
MODULES=/opt/tlbbatch/modules
# What these programs exit with if they can't judge: tests/programs/lib/common.h.
ENVIRONMENT=3
CG=/sys/fs/cgroup/tlbbatch
TABLES=$(dirname "${BASH_SOURCE[0]}")/../../module
log_nr=0
# A test that is sourcing this may be asked for some of its parts.
PARTS=("$@")

# part NAME: is that part of the test wanted? All are if its arguments name none.
part()
{
	[ ${#PARTS[@]} -eq 0 ] || [[ " ${PARTS[*]} " = *" $1 "* ]]
}

# --- the module --------------------------------------------------------------

# figure FILE: print its only line. To start a program for that is slow in a guest.
figure()
{
	local text

	read -r text < "$1" && echo "$text"
}

stat()
{
	figure "$K/stats/$1"
}

load()
{
	modprobe tlbbatch "$@"
}

enable()
{
	echo 1 > "$K/enabled"
}

# What an unload may take under reclaim. docs/benchmarks.md derives it.
UNLOAD_BOUND_MS=$((60000 * ${TLBBATCH_TIMEOUT_FACTOR:-1}))

# timed COMMAND...: run it, and set TOOK_MS
timed()
{
	local rc=0 start=${EPOCHREALTIME/./}

	"$@" || rc=$?
	TOOK_MS=$(((${EPOCHREALTIME/./} - start) / 1000))
	return $rc
}

# It is bounded: if an unload hangs, it says what is wrong instead of hanging too.
unload()
{
	timeout $((${1:-120} * ${TLBBATCH_TIMEOUT_FACTOR:-1})) rmmod tlbbatch
}

loaded()
{
	grep -q '^tlbbatch ' /proc/modules
}

# Fails if anything of the module is left: files, text under ftrace, the module.
nothing_left()
{
	! loaded && [ ! -e "$K" ] && [ ! -e /sys/module/tlbbatch ] &&
		! grep -q tlbbatch /sys/kernel/tracing/enabled_functions
}

# without_dummies: what ftrace lists, without the module's own functions, which stay registered
without_dummies()
{
	grep -vE '^tlbbatch_(look_)?dummy '
}

# needed_hooks [FEATURE]: print the files of the hooks that this kernel needs
needed_hooks()
{
	grep -L '^not needed: ' "$K/${1:-.}"/hooks/*
}

# hooks_are STATE [FEATURE]: the file of every needed hook reads STATE, and there are some
hooks_are()
{
	local file nr=0

	for file in $(needed_hooks "${2:-.}"); do
		if [ "$(<"$file")" != "$1" ]; then
			echo "${file##*/} is $(<"$file")"
			return 1
		fi
		nr=$((nr + 1))
	done
	[ $nr -gt 0 ] || { echo "there are no hooks"; return 1; }
}

# symbols: make the file $SYMBOLS, the kernel's own functions, once. A slow kernel takes seconds
# to list them.
SYMBOLS=/tmp/symbols
symbols()
{
	[ -s $SYMBOLS ] || sed -n 's/^[^ ]* [tT] \([^ \t]*\)$/\1/p' /proc/kallsyms > $SYMBOLS
}

# lacks KNOB: is this a kernel that can't have it? Then REPLY says why. This is told from the kernel alone,
# so that a test that asks it doesn't take a wrong refusal for a right one.
lacks()
{
	REPLY=
	case $1-$(uname -r) in
	shootdown/prune-6.*) REPLY="masks are exact before 6.14" ;;
	hold/max_pages-6.1.*) REPLY="6.1 flushes once in a pass" ;;
	luf/mode=defer-*-rt-*) REPLY="PREEMPT_RT takes sleeping locks to free pages" ;;
	lazyfree/mode-*)
		[ -d /sys/kernel/mm/transparent_hugepage ] || REPLY="no huge pages in this kernel"
		;;
	esac
	[ -n "$REPLY" ]
}

# target_of HOOK: print the function of this kernel that the hook is attached to
target_of()
{
	local name

	symbols
	while read -r name; do
		if grep -qxF "$name" $SYMBOLS; then
			echo "$name"
			return
		fi
	done < <(awk -F ' *[|] *' -v hook="$1" \
		'$2 ~ /^(hook|look)$/ && $3 == hook { print $4 }' "$TABLES"/*/*.tbl)
	return 1
}

# number_of LIST RULE: set REPLY to the number of a rule that a debug build can take out. LIST is one
# of programs/breaks, RULE its name in module/debug/debug.h. "nothing" has a number, too.
number_of()
{
	REPLY=$("$BIN/breaks" "$1" "$2") || bail "breaks $1 $2"
}

# take_out LIST RULE: from now on the module breaks that rule
take_out()
{
	number_of "$1" "$2"
	echo "$REPLY" > "/sys/module/tlbbatch/parameters/$1_break"
}

# write_errno FILE TEXT: call write(2) once, and print "ok BYTES" or the error's name. Of an error that
# has two, only the one that the kernel uses. In TEXT, \n and \0 stand for those bytes.
write_errno()
{
	perl -e '
		use Errno;
		my ($file, $text) = @ARGV;
		$text =~ s/\\n/\n/g;
		$text =~ s/\\0/\0/g;
		sub fail {
			my @names = grep { $!{$_} && !/^(ENOTSUP|EWOULDBLOCK|EDEADLOCK)$/ } keys %!;
			print "@names\n";
			exit;
		}
		open(my $f, ">", $file) || fail();
		my $n = syswrite($f, $text);
		defined($n) || fail();
		print "ok $n\n"' "$1" "$2"
}

# First folds all CPUs' differences into the global values. The kernel then also complains
# (in the log) of any negative value.
vmstat_exact()
{
	echo 1 > /proc/sys/vm/stat_refresh
	vmstat "$1"
}

# watch_writes [PARAMETER=VALUE]...: owes.ko looks at each write-out to swap. From 7.3 on its context
# comes before its folio.
watch_writes()
{
	local argument=0

	! grep -qa swap_io_ctx /sys/kernel/btf/vmlinux || argument=1
	insmod "$MODULES/owes.ko" function=__swap_writepage argument=$argument "$@" ||
		bail "owes.ko"
}

# nothing_isolated: reclaim gave back what it took. Its own counters say so (/proc/vmstat
# shows negative ones as 0, but the log tells), and so do the flags of each page.
nothing_isolated()
{
	local before name bad=0

	before=$(dmesg -t | grep -c 'vmstat_refresh: nr_isolated')
	for name in nr_isolated_anon nr_isolated_file; do
		if [ "$(vmstat_exact $name)" != 0 ]; then
			echo "$name is $(vmstat $name)"
			bad=1
		fi
	done
	if [ "$(dmesg -t | grep -c 'vmstat_refresh: nr_isolated')" -ne "$before" ]; then
		dmesg -t | grep 'vmstat_refresh: nr_isolated' | tail -n 2
		bad=1
	fi
	"$BIN/off_lru" || bad=1
	return $bad
}

# check_isolated NAME [CHECK]: nothing_isolated, or CHECK; what is isolated follows a bad result
check_isolated()
{
	local TAP_LOG=/tmp/isolated

	check "$1" "${2:-nothing_isolated}"
}

# batch_size_max: print the largest batch_size that the module accepts
batch_size_max()
{
	local size before

	before=$(<"$K/batch_size")
	for size in 512 128; do
		if [ "$(write_errno "$K/batch_size" $size)" != ERANGE ]; then
			echo "$before" > "$K/batch_size"
			echo $size
			return
		fi
	done
}

# fisher A B C D: A of B trials failed in one arm, C of D trials in the other. Print, in
# millionths, the probability of A or more failures in the first arm if the arms don't
# differ.
fisher()
{
	awk -v a="$1" -v n="$2" -v c="$3" -v m="$4" '
		function lfact(k,  sum) { while (k > 1) sum += log(k--); return sum }
		function lbin(n, k) { return lfact(n) - lfact(k) - lfact(n - k) }
		BEGIN {
			all = lbin(n + m, a + c)
			for (k = a; k <= n && k <= a + c; k++) {
				if (a + c - k <= m)
					p += exp(lbin(n, k) + lbin(m, a + c - k) - all)
			}
			printf "%d\n", p * 1000000 + 0.5
		}'
}

# until_true TENTHS COMMAND...: wait until the command succeeds. It is tried that often, each tenth
# of a second; fails if it never does.
until_true()
{
	local tries=$1

	shift
	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

# is_beyond FILE NUMBER: the number in FILE is larger
is_beyond()
{
	local value

	read -r value < "$1" && [ "$value" -gt "$2" ]
}

cgroup_has_no_task() { [ -z "$(<"$CG/cgroup.procs")" ]; }
no_folio_waits() { [ "$(stat folios_waiting)" -eq 0 ]; }

# check_rest: check the relations that hold when no reclaim pass runs, and that the tripwire has
# seen nothing since the last log_mark. deferred = written + dropped is rule B11.
check_rest()
{
	local when=$1 sum=0 file

	until_true 100 no_folio_waits || true
	is "$when: no folio waits" "$(stat folios_waiting)" 0
	is "$when: deferred = written + dropped" "$(stat folios_deferred)" \
		$(($(stat folios_written) + $(stat folios_dropped)))
	is "$when: requested = issued + avoided" "$(stat flushes_requested)" \
		$(($(stat flushes_issued) + $(stat flushes_avoided)))
	for file in "$K"/stats/folios_dropped_*; do
		sum=$((sum + $(<"$file")))
	done
	is "$when: dropped is the sum of its reasons" "$(stat folios_dropped)" "$sum"
	# Rule B4. Batching that was switched off by it may be on again.
	is "$when: no write-out went by the hooks" \
		"$(log_since | grep -m 1 '^tlbbatch: reclaim wrote ')" ""
}

# --- the kernel's log ----------------------------------------------------------

# log_mark: log_since prints messages from here on
log_mark()
{
	log_nr=$((log_nr + 1))
	echo "tlbbatch-test: mark $log_nr" > /dev/kmsg
}

# log_since [LEVELS]: print the kernel's messages since the last log_mark, or only those of
# LEVELS ("emerg|alert|crit|err|warn")
log_since()
{
	local first

	# If the mark was overwritten, the whole log counts.
	first=$(dmesg -t -x | grep -n "tlbbatch-test: mark $log_nr\$" |
		tail -n 1 | cut -d: -f1)
	dmesg -t -x | tail -n "+$((${first:-0} + 1))" |
		grep -E "^[a-z]+ *:(${1:-[a-z]+}) *:" | sed 's/^[a-z]* *:[a-z]* *: //'
}

# without_races: what log_since prints, without reports of KCSAN. Each is between two lines of "=".
without_races()
{
	awk '/^BUG: KCSAN: / { race = 1; held = "" }
		/^====+$/ && race { race = 0; next }
		race { next }
		held != "" { print held; held = "" }
		/^====+$/ { held = $0; next }
		{ print }
		END { if (held != "") print held }'
}

# log_has REGEX: since the last log_mark
log_has()
{
	log_since | grep -E "$1"
}

# --- reclaim -----------------------------------------------------------------

vmstat()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

# demoted: pages so far
demoted()
{
	awk '/^pgdemote_/ { n += $2 } END { print n + 0 }' /proc/vmstat
}

# memory_tiers: how many the nodes are in. Reclaim demotes from one tier to a lower one. 6.1 puts
# a slower node into no tier of its own.
memory_tiers()
{
	find /sys/devices/virtual/memory_tiering -maxdepth 1 -name 'memory_tier[0-9]*' | wc -l
}

# khugepaged_nice N: khugepaged gets this priority. The kernel gives it the lowest. If other tasks
# use every processor it hardly runs, and on a kernel that preempts tasks everywhere RCU-tasks waits
# for it: each unload took minutes.
khugepaged_nice()
{
	local comm name

	for comm in /proc/[0-9]*/comm; do
		read -r name 2>/dev/null <"$comm" || continue
		[ "$name" = khugepaged ] || continue
		comm=${comm%/comm}
		renice -n "$1" -p "${comm#/proc/}" >&2
		return
	done
	return 1
}

# swap_on disk|zram
swap_on()
{
	case $1 in
	disk)
		[ -b /dev/vdb ] || bail "no swap disk"
		swapon -p 10 /dev/vdb 2>&2 ||
			{ mkswap /dev/vdb >&2 && swapon -p 10 /dev/vdb; }
		;;
	zram)
		modprobe zram num_devices=1 || bail "no zram"
		echo 1 > /sys/block/zram0/reset
		echo 1G > /sys/block/zram0/disksize
		mkswap /dev/zram0 >&2 && swapon -p 10 /dev/zram0
		;;
	esac
	[ "$(wc -l < /proc/swaps)" -ge 2 ] || bail "swapon $1 failed"
}

swap_off()
{
	swapoff -a
}

# lru mglru|classic
lru()
{
	local value=n

	[ "$1" = mglru ] && value=y
	echo "$value" > /sys/kernel/mm/lru_gen/enabled
}

# receivers_now: TLB shootdowns that CPUs have received
receivers_now()
{
	awk '$1 == "TLB:" { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i; print n }' /proc/interrupts
}

# cgroup_make MEMORY_MAX
cgroup_make()
{
	mkdir -p "$CG"
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	echo "$1" > "$CG/memory.max"
}

# meminfo_mb NAME: print a figure of /proc/meminfo, in MB
meminfo_mb()
{
	awk -v name="$1:" '$1 == name { print int($2 / 1024) }' /proc/meminfo
}

# in_cgroup COMMAND...: run it in this memory cgroup, in the foreground
in_cgroup()
{
	(echo "$BASHPID" > "$CG/cgroup.procs" && exec "$@")
}

# in_cgroup_start COMMAND...: the same in the background; $! is the command, not a shell around it
in_cgroup_start()
{
	(echo "$BASHPID" > "$CG/cgroup.procs" && exec "$@") &
}

# cgroup_value FILE NAME: print a figure of this memory cgroup
cgroup_value()
{
	awk -v name="$2" '$1 == name { print $2 }' "$CG/$1"
}

oom_kills()
{
	cgroup_value memory.events oom_kill
}

# holder_start MIB: let a task of this memory cgroup hold memory and use none of it. It runs on
# CPU 1: if no other CPU than reclaim's ran it, no flush would be owed.
holder_start()
{
	# shellcheck disable=SC2016 # for perl
	in_cgroup_start taskset -c 1 perl -e 'my $x = "x" x ($ARGV[0] << 20); $| = 1; print "ready\n";
		my $end = time + 300; 1 while time < $end' "$1" > /tmp/holder
	holder=$!
	until_true 600 test -s /tmp/holder || bail "nobody holds memory"
}

holder_stop()
{
	kill -KILL "$holder"
	wait "$holder" 2> /dev/null
	rm -f /tmp/holder
}
