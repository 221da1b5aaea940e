# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are common.sh's
#
# PostgreSQL: pgbench with 4 clients, each with a server process of its own. All of them map the
# buffers, which hold the whole table: 150 MB of shared memory. Three of four transactions look up
# an account, the fourth one changes it. An operation is a transaction. Nothing waits for the disk
# (fsync=off), since the disk isn't what is measured.

POSTGRESQL=$DATA/postgresql
POSTGRESQL_BIN=$(echo /usr/lib/postgresql/*/bin)
# 100000 accounts for each
POSTGRESQL_SCALE=10
POSTGRESQL_OPTIONS=(-D "$POSTGRESQL" -k "$WORK" -c listen_addresses= -c shared_buffers=176MB
	-c fsync=off -c autovacuum=off -c jit=off -c huge_pages=off -c max_connections=20)

# postgresql_in COMMAND...: one of its programs
postgresql_in()
{
	limited "${UNPRIVILEGED[@]}" "$POSTGRESQL_BIN/$1" "${@:2}"
}

postgresql_sql()
{
	postgresql_in psql -h "$WORK" -U bench -d bench -qAt -v ON_ERROR_STOP=1 -c "$1"
}

postgresql_start()
{
	serve "$POSTGRESQL_BIN/postgres" "${POSTGRESQL_OPTIONS[@]}"
	answers postgresql_in pg_isready -h "$WORK"
}

prepare()
{
	install -d -o nobody -g nogroup -m 700 "$POSTGRESQL"
	postgresql_in initdb -D "$POSTGRESQL" -U bench -A trust --no-locale -E UTF8 --no-sync &&
		postgresql_start &&
		postgresql_in createdb -h "$WORK" -U bench bench &&
		postgresql_in pgbench -h "$WORK" -U bench -i -q -s $POSTGRESQL_SCALE bench &&
		postgresql_sql 'CREATE EXTENSION pg_prewarm' &&
		stop
}

start()
{
	postgresql_start &&
		postgresql_sql "SELECT pg_prewarm('pgbench_accounts'), pg_prewarm('pgbench_accounts_pkey')" \
			>"$OUT"
}

run()
{
	postgresql_in pgbench -h "$WORK" -U bench -n -c 4 -j 2 -t $(($1 / 4)) \
		-b select-only@3 -b simple-update@1 bench >"$OUT"
}

operations()
{
	sed -n 's,^number of transactions actually processed: \([0-9]*\)/.*,\1,p' "$OUT"
}

stop()
{
	postgresql_in pg_ctl -D "$POSTGRESQL" -m fast -t 600 -s stop
}
