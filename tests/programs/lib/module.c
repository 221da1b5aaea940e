// SPDX-License-Identifier: GPL-2.0-only
#include "common.h"
#include "module.h"

const char *const drop_names[] = {
#define X(upper, lower) [TLBBATCH_DROP_##upper] = #lower,
	DROP_REASONS(X)
#undef X
};

uint64_t folios_waiting(void)
{
	char text[32] = "";
	int fd = open("/sys/kernel/tlbbatch/stats/folios_waiting", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die_environment("folios_waiting: %s", strerror(errno));
	close(fd);
	return strtoull(text, NULL, 10);
}
