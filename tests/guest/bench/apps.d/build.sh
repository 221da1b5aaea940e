# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are common.sh's
#
# A kernel build: make -j4 of some objects of ext4, from the source of the kernel's own version, by
# the kernel's own build system and the guest's headers. A whole kernel would take an emulated
# guest days. An operation is an object. The compilers share no memory, and each of them has one
# thread.

BUILD_SOURCE=/usr/src/bench-apps/ext4
BUILD_OBJECTS=(bitmap.o symlink.o hash.o block_validity.o balloc.o fsync.o sysfs.o migrate.o)

# The image isn't written to, so that it stays as it was made.
start()
{
	mkdir -p "$DISK_WORK" && cp -r $BUILD_SOURCE "$DISK_WORK/"
}

run()
{
	rm -f "$DISK_WORK"/ext4/*.o
	[ "$1" -ge 1 ] && [ "$1" -le ${#BUILD_OBJECTS[@]} ] || return
	in_cgroup timeout -k 10 "$RUN_MAX_S" make -s -j4 -C "/lib/modules/$(uname -r)/build" M="$DISK_WORK/ext4" \
		"${BUILD_OBJECTS[@]:0:$1}" >"$OUT" 2>&1
}

operations()
{
	find "$DISK_WORK/ext4" -maxdepth 1 -name '*.o' | wc -l
}

stop()
{
	rm -rf "$DISK_WORK/ext4"
}
