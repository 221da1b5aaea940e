# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's actor "swap": devices go and come, and zswap is set. To be sourced after lib.sh.
# At most one device is away at a time.

# A swapoff has to read everything in again.
SWAPOFF_S=60
ZSWAP=/sys/module/zswap/parameters
ZRAM=/sys/block/zram0
SWAP_FILE=/var/tmp/torture.swap
declare -A DEVICES=([disk]=/dev/vdb [zram]=/dev/zram0 [loop]=/dev/loop0)

swap_begin()
{
	[ -b "${DEVICES[disk]}" ] || return
	modprobe zram num_devices=1 && modprobe loop max_loop=4 || return
	dd if=/dev/zero of="$SWAP_FILE" bs=1M count=128 2>/dev/null &&
		losetup "${DEVICES[loop]}" "$SWAP_FILE" &&
		echo 192M >"$ZRAM/disksize" || return
	mkswap "${DEVICES[disk]}" && mkswap "${DEVICES[loop]}" && mkswap "${DEVICES[zram]}" &&
		swap_all_on
} >/dev/null

swap_all_on()
{
	swapon -p 5 "${DEVICES[disk]}" && swapon -p 5 "${DEVICES[loop]}" &&
		swapon -p 10 "${DEVICES[zram]}"
}

is_swap()
{
	grep -q "^$1 " /proc/swaps
}

# swap_away DEVICE: it fails if there isn't enough memory
swap_away()
{
	! is_swap "$1" || apart timeout -k 5 $SWAPOFF_S swapoff "$1" 2>/dev/null
	! is_swap "$1"
}

# swap_back DEVICE: the highest priority is used first, equal ones in turns
swap_back()
{
	pick 3
	DETAIL+=" priority $((5 * REPLY))"
	swapon -p $((5 * REPLY)) "$1" || wrong "$1 can't be swapped on"
}

device_goes_and_comes()
{
	local device=${DEVICES[$1]}

	swap_away "$device" || return 1
	nap 1000
	swap_back "$device"
}

zram_made_again()
{
	local algorithms device=${DEVICES[zram]}

	swap_away "$device" || return 1
	put "$ZRAM/reset" 1 || wrong "zram can't be reset" || return
	read -r -a algorithms < <(tr -d '[]' <"$ZRAM/comp_algorithm")
	choose "${algorithms[@]}"
	DETAIL=$REPLY
	# An algorithm whose module is missing is refused.
	put "$ZRAM/comp_algorithm" "$REPLY" || DETAIL+=" refused"
	put "$ZRAM/disksize" 192M && mkswap "$device" >/dev/null ||
		wrong "zram can't be made again" || return
	swap_back "$device"
}

zswap_switched()
{
	one_of_two zswap || return
	one_of "$ZSWAP/enabled" Y Y N
}

# A small pool is soon full. Then the oldest pages are written to the device.
zswap_written_back()
{
	local before after

	one_of_two zswap || return
	[ -e "$ZSWAP/max_pool_percent" ] || { cannot "no zswap"; return; }
	put "$ZSWAP/enabled" Y || return 1
	read -r before </sys/kernel/debug/zswap/written_back_pages || before=0
	one_of "$ZSWAP/max_pool_percent" 1 1 2 || return 1
	nap 3000
	read -r after </sys/kernel/debug/zswap/written_back_pages || after=0
	DETAIL+=" $((after - before)) pages"
	one_of "$ZSWAP/max_pool_percent" 1 5 20
}

zswap_compressor()
{
	one_of_two zswap || return
	[ -e "$ZSWAP/compressor" ] || { cannot "no zswap"; return; }
	if [ -e "$ZSWAP/zpool" ]; then
		choose zbud zsmalloc
		put "$ZSWAP/zpool" "$REPLY" || true
	fi
	one_of "$ZSWAP/compressor" lzo lz4 zstd deflate
}
