# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2119,SC2120
# What the tests in a guest share: the module, swap, cgroup, load; and TAP (tests/lib/tap.sh).
# Sourced; a test ends with `finish`.

# shellcheck source=tests/lib/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/tap.sh"

K=/sys/kernel/tlbbatch
BIN=/opt/tlbbatch/bin
MODULES=/opt/tlbbatch/modules
CG=/sys/fs/cgroup/tlbbatch
TARGETS=$(dirname "${BASH_SOURCE[0]}")/../../module/kernel/targets.tbl
log_nr=0

# --- the module --------------------------------------------------------------

stat()
{
	cat "$K/stats/$1"
}

load()
{
	modprobe tlbbatch "$@"
}

enable()
{
	echo 1 > "$K/enabled"
}

# Bounded: says what is wrong when an unload hangs, instead of hanging too.
unload()
{
	timeout "${1:-120}" rmmod tlbbatch
}

loaded()
{
	grep -q '^tlbbatch ' /proc/modules
}

# Nothing of the module may be left: files, text under ftrace, the module.
nothing_left()
{
	! loaded && [ ! -e "$K" ] && [ ! -e /sys/module/tlbbatch ] &&
		! grep -q tlbbatch /sys/kernel/tracing/enabled_functions
}

# The files of the hooks that this kernel has something for.
needed_hooks()
{
	grep -L '^not needed: ' "$K"/hooks/*
}

# hooks_are STATE: the file of every hook that is needed says so
hooks_are()
{
	local file

	for file in $(needed_hooks); do
		if [ "$(cat "$file")" != "$1" ]; then
			echo "${file##*/} is $(cat "$file")"
			return 1
		fi
	done
}

# target_of HOOK: the function of this kernel that the hook sits on
target_of()
{
	local name

	while read -r name; do
		if grep -qE "^[^ ]+ [tT] $name\$" /proc/kallsyms; then
			echo "$name"
			return
		fi
	done < <(awk -F ' *[|] *' -v hook="$1" \
		'$2 == "hook" && $3 == hook { print $4 }' "$TARGETS")
	return 1
}

# number_of luf|dirty RULE: sets REPLY to the number of what a debug build can take out, by
# its name in include/tlbbatch/debug.h; "nothing" has one, too
number_of()
{
	REPLY=$("$BIN/breaks" "$1" "$2") || bail "breaks $1 $2"
}

# take_out luf|dirty RULE
take_out()
{
	number_of "$1" "$2"
	echo "$REPLY" > "/sys/module/tlbbatch/parameters/$1_break"
}

# write_errno FILE TEXT: write(2) once; prints "ok BYTES" or the error's name.
# In TEXT \n and \0 stand for those bytes.
write_errno()
{
	perl -e '
		use Errno;
		my ($file, $text) = @ARGV;
		$text =~ s/\\n/\n/g;
		$text =~ s/\\0/\0/g;
		sub fail {
			my @names = grep { $!{$_} } keys %!;
			print "@names\n";
			exit;
		}
		open(my $f, ">", $file) || fail();
		my $n = syswrite($f, $text);
		defined($n) || fail();
		print "ok $n\n"' "$1" "$2"
}

# All CPUs' differences are folded into the global values first.  It also
# complains (in the log) of any value that is negative.
vmstat_exact()
{
	echo 1 > /proc/sys/vm/stat_refresh
	vmstat "$1"
}

# nothing_isolated: reclaim gave back what it took, by its own counters (/proc/vmstat
# shows those that are negative as 0, the log tells), and by the flags of each page
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

# batch_size_max: the largest that the module takes
batch_size_max()
{
	local size before

	before=$(cat "$K/batch_size")
	for size in 512 128; do
		if [ "$(write_errno "$K/batch_size" $size)" != ERANGE ]; then
			echo "$before" > "$K/batch_size"
			echo $size
			return
		fi
	done
}

# fisher A B C D: of B trials A failed in one arm, of D trials C in the other: how
# probable as many or more in the first are if there is no difference, in millionths
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

# check_rest: the relations that hold when no reclaim pass runs; that deferred = written +
# dropped is rule B11
check_rest()
{
	local when=$1 sum=0 file tries=100

	while [ "$(stat folios_waiting)" -ne 0 ] && [ $((tries -= 1)) -gt 0 ]; do
		sleep 0.1
	done
	is "$when: no folio waits" "$(stat folios_waiting)" 0
	is "$when: deferred = written + dropped" "$(stat folios_deferred)" \
		$(($(stat folios_written) + $(stat folios_dropped)))
	is "$when: requested = issued + avoided" "$(stat flushes_requested)" \
		$(($(stat flushes_issued) + $(stat flushes_avoided)))
	for file in "$K"/stats/folios_dropped_*; do
		sum=$((sum + $(cat "$file")))
	done
	is "$when: dropped is the sum of its reasons" "$(stat folios_dropped)" "$sum"
}

# --- the kernel's log ----------------------------------------------------------

# log_mark: what log_since prints begins here
log_mark()
{
	log_nr=$((log_nr + 1))
	echo "tlbbatch-test: mark $log_nr" > /dev/kmsg
}

# log_since [LEVELS]: the kernel's messages since the last log_mark, those of
# LEVELS ("emerg|alert|crit|err|warn") only
log_since()
{
	local first

	# Without a mark in sight (it was overwritten) all of the log counts.
	first=$(dmesg -t -x | grep -n "tlbbatch-test: mark $log_nr\$" |
		tail -n 1 | cut -d: -f1)
	dmesg -t -x | tail -n "+$((${first:-0} + 1))" |
		grep -E "^[a-z]+ *:(${1:-[a-z]+}) *:" | sed 's/^[a-z]* *:[a-z]* *: //'
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

# cgroup_make MEMORY_MAX
cgroup_make()
{
	mkdir -p "$CG"
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	echo "$1" > "$CG/memory.max"
}

# in_cgroup COMMAND...: in this memory cgroup, in the foreground
in_cgroup()
{
	(echo "$BASHPID" > "$CG/cgroup.procs" && exec "$@")
}

oom_kills()
{
	awk '$1 == "oom_kill" { print $2 }' "$CG/memory.events"
}
