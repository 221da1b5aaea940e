/* SPDX-License-Identifier: GPL-2.0-only */
/* What features do when a pass begins and ends. */
#ifndef TLBBATCH_PASS_CALLS_H
#define TLBBATCH_PASS_CALLS_H

struct pglist_data;
struct reclaim_stat;
struct scan_control;
struct tlbbatch_pass;
struct tlbbatch_pass_part;

void tlbbatch_pass_calls(const struct tlbbatch_pass_part *part,
			 void (*begin)(struct tlbbatch_pass *pass),
			 void (*end)(struct tlbbatch_pass *pass));
struct tlbbatch_pass *tlbbatch_pass_begin(struct pglist_data *pgdat,
					  struct scan_control *sc,
					  struct reclaim_stat *stat);
unsigned int tlbbatch_pass_end(struct tlbbatch_pass *pass,
			       unsigned int nr_reclaimed);

#endif /* TLBBATCH_PASS_CALLS_H */
