/* SPDX-License-Identifier: GPL-2.0-only */
/* What luf_sysfs.c needs of the kernel. */
#ifndef SIM_LUF_SYSFS_KERNEL_H
#define SIM_LUF_SYSFS_KERNEL_H

#include "luf_kernel.h"
#include "sysfs_types.h"

#define sysfs_emit(buf, ...)	sprintf(buf, __VA_ARGS__)

static inline int sim_match(const char *const *names, size_t nr, const char *text)
{
	size_t i, len = strcspn(text, "\n");

	for (i = 0; i < nr; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], text, len))
			return (int)i;
	return -EINVAL;
}

#define sysfs_match_string(names, text)	sim_match(names, ARRAY_SIZE(names), text)

#endif /* SIM_LUF_SYSFS_KERNEL_H */
