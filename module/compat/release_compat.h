/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the running kernel the one whose headers the module was built with? */
#ifndef TLBBATCH_COMPAT_RELEASE_H
#define TLBBATCH_COMPAT_RELEASE_H

#include <linux/string.h>
#include <linux/utsname.h>
#include <generated/utsrelease.h>

/**
 * compat_built_for_other() - why what the headers say may not hold here
 *
 * With CONFIG_MODVERSIONS a module loads on other releases of a kernel, too. Their inline functions and
 * their order of calls may differ, and no symbol's version tells.
 *
 * Context: any.
 * Return: why, or NULL.
 */
static inline const char *compat_built_for_other(void)
{
	if (strcmp(init_utsname()->release, UTS_RELEASE))
		return "the module was built for another kernel, " UTS_RELEASE;
	return NULL;
}

#endif /* TLBBATCH_COMPAT_RELEASE_H */
