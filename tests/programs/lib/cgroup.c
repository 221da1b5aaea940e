// SPDX-License-Identifier: GPL-2.0-only
#include "cgroup.h"

static int open_in(const char *cgroup, const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", cgroup, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	return fd;
}

/* This process, with all its threads, is in @cgroup from now on. */
void cgroup_join(const char *cgroup)
{
	int fd = open_in(cgroup, "cgroup.procs");

	if (write(fd, "0", 1) != 1)
		die_environment("%s/cgroup.procs: %s", cgroup, strerror(errno));
	close(fd);
}

int cgroup_open_reclaim(const char *cgroup)
{
	return open_in(cgroup, "memory.reclaim");
}

/* Reclaim @amount of what the cgroup has. @fd is of the function above. */
void cgroup_reclaim_once(int fd, const char *amount)
{
	/* That there is nothing left to reclaim is no error here. */
	if (write(fd, amount, strlen(amount)) < 0 && errno != EAGAIN && errno != EINTR)
		die_environment("memory.reclaim: %s", strerror(errno));
}

/* The same until @end, while @armed. @turns, if it is there, counts how often. */
void cgroup_reclaim(const char *cgroup, const char *amount, const bool *armed, uint64_t *turns,
		    uint64_t end)
{
	int fd = cgroup_open_reclaim(cgroup);

	while (now_ns() < end && !stress_stop) {
		if (!__atomic_load_n(armed, __ATOMIC_RELAXED))
			continue;
		cgroup_reclaim_once(fd, amount);
		if (turns)
			__atomic_add_fetch(turns, 1, __ATOMIC_RELEASE);
	}
	close(fd);
}
