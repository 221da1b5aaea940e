# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are common.sh's
#
# MariaDB: sysbench's oltp_read_write with 4 clients, for which one process has a thread each. The
# whole table is in the buffer pool: about 120 MB of anonymous memory. An operation is a
# transaction: 14 reads and 4 writes of rows, chosen at random. No transaction waits for the disk.

MARIADB=$DATA/mariadb
MARIADB_ROWS=500000

mariadb_sql()
{
	limited mariadb --no-defaults -S "$WORK/mariadb" -u root -BN -e "$1"
}

# mariadb_sysbench COMMAND: what sysbench is to do with the table
mariadb_sysbench()
{
	limited sysbench oltp_read_write --db-driver=mysql --mysql-socket="$WORK/mariadb" \
		--mysql-user=root --mysql-db=sbtest --tables=1 --table-size=$MARIADB_ROWS \
		--rand-type=uniform --threads="${2:-1}" --events="${3:-0}" --time=0 "$1"
}

mariadb_start()
{
	serve mariadbd --no-defaults --datadir="$MARIADB" --socket="$WORK/mariadb" \
		--pid-file="$WORK/mariadb.pid" --skip-networking --innodb-buffer-pool-size=192M \
		--innodb-flush-log-at-trx-commit=0 --skip-log-bin
	answers mariadb_sql 'SELECT 1'
}

prepare()
{
	install -d -o nobody -g nogroup -m 700 "$MARIADB"
	"${UNPRIVILEGED[@]}" mariadb-install-db --no-defaults --datadir="$MARIADB" \
		--auth-root-authentication-method=normal --skip-test-db --skip-name-resolve --force &&
		mariadb_start &&
		mariadb_sql 'CREATE DATABASE sbtest' &&
		mariadb_sysbench prepare &&
		stop
}

# A scan of the table brings all of it into the buffer pool.
start()
{
	mariadb_start && mariadb_sql 'SELECT SUM(LENGTH(pad)) FROM sbtest.sbtest1' >"$OUT"
}

run()
{
	mariadb_sysbench run 4 "$1" >"$OUT"
}

operations()
{
	sed -n 's/^ *total number of events: *\([0-9]*\)$/\1/p' "$OUT"
}

stop()
{
	limited mariadb-admin --no-defaults -S "$WORK/mariadb" -u root shutdown
}
