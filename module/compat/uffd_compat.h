/* SPDX-License-Identifier: GPL-2.0-only */
/* What userfaultfd can be asked for by newer kernels only. */
#ifndef TLBBATCH_COMPAT_UFFD_H
#define TLBBATCH_COMPAT_UFFD_H

#include <linux/userfaultfd.h>

/* From 6.6 on. Older kernels don't know the command, so that it does no harm there. */
#ifndef UFFDIO_POISON
#define UFFDIO_POISON	_IOWR(UFFDIO, 0x08, __u64[4])
#endif

#endif /* TLBBATCH_COMPAT_UFFD_H */
