// SPDX-License-Identifier: GPL-2.0-only
#include "common.h"
#include "module.h"

const char *const drop_names[] = {
#define X(upper, lower) [TLBBATCH_DROP_##upper] = #lower,
	DROP_REASONS(X)
#undef X
};

unsigned int passes_in_delay(void)
{
	char text[32] = "";
	int fd = open("/sys/module/tlbbatch/parameters/in_delay", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die_environment("in_delay: %s", strerror(errno));
	close(fd);
	return (unsigned int)strtoul(text, NULL, 10);
}
