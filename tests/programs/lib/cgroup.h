/* SPDX-License-Identifier: GPL-2.0-only */
/* A memory cgroup, of version 2. */
#ifndef TEST_CGROUP_H
#define TEST_CGROUP_H

#include "common.h"

void cgroup_join(const char *cgroup);
int cgroup_open_reclaim(const char *cgroup);
void cgroup_reclaim_once(int fd, const char *amount);
void cgroup_reclaim(const char *cgroup, const char *amount, const bool *armed, uint64_t *turns,
		    uint64_t end);

#endif
