/* SPDX-License-Identifier: GPL-2.0-only */
/* What LUF tracking watches to its end. */
#ifndef TLBBATCH_LUF_RETURNS_H
#define TLBBATCH_LUF_RETURNS_H

struct tlbbatch_redirects;

extern struct tlbbatch_redirects tlbbatch_luf_redirects;

#endif /* TLBBATCH_LUF_RETURNS_H */
