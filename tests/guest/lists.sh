# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # tests read what is set here, and set $what and $width
#
# What reclaim asks its lists for. The kernel's own event of each isolation
# (mm_vmscan_lru_isolate) tells it: a witness that knows nothing of the module. To be sourced.

W=$K/wide
T=/sys/kernel/tracing/instances/wide
# Pages. The kernel asks for so many of a list of the classic LRU, at most.
CLUSTER=32
# It takes one page in so many of a list, at most.
SHARE=16
# Files: of the second one the 16th part is less than a cluster.
LONG_KB=49152
SHORT_KB=1600
LARGE_KB=163840

pass_min()
{
	echo "$1" > "$W/pass_min"
}

# seen LRU...: what was asked for of these lists. Sets nr, least, most and sum (pages asked
# for), taken, scanned, and wider: how many of the calls asked for $width pages.
seen()
{
	local list

	list=$(IFS='|'; echo "$*")
	read -r nr least most sum taken scanned wider < <(awk -v list="^($list)\$" -v width="$width" '
		function field(name) {
			match($0, " " name "=[0-9a-z_]+")
			return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
		}
		/mm_vmscan_lru_isolate:/ && field("lru") ~ list {
			asked = field("nr_requested") + 0
			if (!n++ || asked < least)
				least = asked
			if (asked > most)
				most = asked
			sum += asked
			taken += field("nr_taken")
			scanned += field("nr_scanned")
			wider += asked == width
		}
		END { print n + 0, least + 0, most + 0, sum + 0, taken + 0, scanned + 0, wider + 0 }' "$T/trace")
	diag "$what, $*: $nr calls asked for $least to $most pages and took $taken, $wider were wide"
}

# fill FILE [TIMES]: the cgroup gets its pages, read so often
fill()
{
	local i

	for ((i = 0; i < ${2:-1}; i++)); do
		in_cgroup dd if="$dir/$1" of=/dev/null bs=64k 2> /dev/null
	done
}

empty()
{
	echo 1G > "$CG/memory.reclaim" 2> /dev/null
	echo 3 > /proc/sys/vm/drop_caches
}

# reclaim KIB [TIMES]: of the cgroup; what it can't free is no failure
reclaim()
{
	local i

	: > "$T/trace"
	echo 1 > "$T/tracing_on"
	for ((i = 0; i < ${2:-1}; i++)); do
		(echo "${1}K" > "$CG/memory.reclaim") 2> /dev/null
	done
	echo 0 > "$T/tracing_on"
}

wide_stat()
{
	figure "$W/stats/$1"
}

# lists_begin: the files, a cgroup, the classic LRU; $dir is where the files are
lists_begin()
{
	local file

	dir=$(mktemp -d /var/tmp/wide.XXXXXX)
	for file in "long $LONG_KB" "short $SHORT_KB" "large $LARGE_KB"; do
		dd if=/dev/urandom of="$dir/${file% *}" bs=1K count="${file#* }" conv=fsync 2> /dev/null ||
			bail "no room"
	done
	# Without it all folios of a file are pages.
	for file in /sys/block/vd*/queue/read_ahead_kb; do
		echo 0 > "$file"
	done
	mkdir -p "$T"
	echo 8192 > "$T/buffer_size_kb"
	echo 1 > "$T/events/vmscan/mm_vmscan_lru_isolate/enable"
	echo 0 > "$T/tracing_on"
	cgroup_make max
	lru classic
}

# lists_end: remove them
lists_end()
{
	rmdir "$T"
	rm -rf "$dir"
}
