# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # WORK and OUT are common.sh's
#
# redis: one thread serves 8 clients, which set and get values of 1 KB at random: 160 MB of them,
# all in memory. An operation is a SET or a GET; there are as many of both.

REDIS_KEYS=120000

redis()
{
	limited redis-cli -s "$WORK/redis" "$@"
}

# The names are those that redis-benchmark uses. A value is of hexadecimal digits, so zram can
# compress it to about half.
start()
{
	serve redis-server --port 0 --unixsocket "$WORK/redis" --unixsocketperm 777 \
		--dir "$WORK" --save '' --appendonly no
	answers redis PING || return
	[ "$(redis EVAL '
		local tail = ""
		for i = 1, 25 do tail = tail .. redis.sha1hex(i) end
		for i = 0, ARGV[1] - 1 do
			redis.call("SET", string.format("key:%012d", i), redis.sha1hex(-i) .. tail)
		end
		return redis.call("DBSIZE")' 0 $REDIS_KEYS)" = $REDIS_KEYS ]
}

run()
{
	redis CONFIG RESETSTAT >"$OUT" &&
		limited redis-benchmark -s "$WORK/redis" -c 8 -r $REDIS_KEYS -d 1024 -n $(($1 / 2)) \
			-t set,get --csv >"$OUT"
}

operations()
{
	redis INFO commandstats | tr -d '\r' |
		awk -F '[:=,]' '$1 ~ /^cmdstat_[gs]et$/ { n += $3 } END { print n + 0 }'
}

stop()
{
	redis SHUTDOWN NOSAVE || true
}
