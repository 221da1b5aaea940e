/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verify's outermost process.
 */
#ifndef VERIFY_SUPERVISE_H
#define VERIFY_SUPERVISE_H

void supervise(void);
void be_killed(const char *when);

#endif
