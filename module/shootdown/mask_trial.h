/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a CPU stay among those of an mm that it has left? */
#ifndef TLBBATCH_MASK_TRIAL_H
#define TLBBATCH_MASK_TRIAL_H

int tlbbatch_mask_trial(void);

#endif /* TLBBATCH_MASK_TRIAL_H */
