/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that spin on other CPUs, so that each flush of this process interrupts these. */
#ifndef SPINNERS_H
#define SPINNERS_H

#include <stddef.h>

/* A thread on each of the CPUs 1 to @nr. All spin when this returns. */
void spinners_start(size_t nr);
void spinners_stop(void);

#endif /* SPINNERS_H */
