# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # WORK and OUT are common.sh's
#
# memcached: 4 threads serve 8 clients from 160 MB, which are full. Three of ten operations set a
# new value of 3.5 KB, for which the oldest one is given up. The others get one of those that the
# same client has set. An operation is a set or a get. memcaslap succeeds even if its server dies:
# only the operations that it counts tell.

MEMCACHED=127.0.0.1:11211
MEMCACHED_MB=160

# memcached_mix SETS GETS: of so many shares; set OPTIONS for memcaslap
memcached_mix()
{
	printf '%s\n' key '64 64 1' value '3500 3500 1' cmd "0 $1" "1 $2" >"$WORK/memcaslap.cfg"
	OPTIONS=(-s "$MEMCACHED" -T 2 -c 8 -w 2k -F "$WORK/memcaslap.cfg")
}

memcached_stats()
{
	# shellcheck disable=SC2016 # for the inner shell
	timeout 60 bash -c 'exec 3<>"/dev/tcp/${1/://}" && printf "stats\r\nquit\r\n" >&3 && cat <&3' \
		bash $MEMCACHED
}

start()
{
	busybox ip link set lo up
	serve memcached -l ${MEMCACHED%:*} -p ${MEMCACHED#*:} -m $MEMCACHED_MB -t 4
	answers memcached_stats || return
	memcached_mix 1 0
	limited memcaslap "${OPTIONS[@]}" -x $((MEMCACHED_MB * 300)) >"$OUT" || return
	memcached_stats | tr -d '\r' |
		awk '$2 == "evictions" { full = $3 > 0 } END { exit !full }'
}

run()
{
	memcached_mix 0.3 0.7
	limited memcaslap "${OPTIONS[@]}" -x "$1" >"$OUT"
}

operations()
{
	sed -n 's/.* Ops: \([0-9]*\) TPS: .*/\1/p' "$OUT"
}
