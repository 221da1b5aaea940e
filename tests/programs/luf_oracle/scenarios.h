/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scenarios; luf_oracle.c has their names.
 */
#ifndef LUF_SCENARIOS_H
#define LUF_SCENARIOS_H

/* bulk.c */
void run_bulk(void);
void run_bulk_held(void);
void run_bulk_untold(void);
void run_bulk_kprobes(void);

/* compact.c */
void run_compact(void);

/* flush.c */
void run_hold(void);
void run_flush(void);
void run_asleep(void);
void run_asleep_one(void);
void run_flush_pending(void);
void run_partial(void);
void run_flush_other(void);
void run_reuse_one(void);
void run_reuse_all(void);
void run_reuse_apart(void);
void run_reuse_many(void);
void run_flush_many(void);
void run_write_many(void);
void run_kept(void);

/* hotplug.c */
void run_memory(void);

/* recognise.c */
void run_private(void);
void run_private_writable(void);
void run_open_write(void);
void run_shared(void);
void run_shared_may(void);
void run_shared_writable(void);
void run_mprotected(void);
void run_other_writable(void);
void run_written(void);
void run_shmem_clean(void);
void run_shmem_writable(void);
void run_anon(void);
void run_mixed_pass(void);
void run_sleepers(void);
void run_forked(void);

/* remote.c */
void run_remote_device(void);
void run_device_write(void);
void run_device_map(void);
void run_memfd(void);
void run_remote_fuse(void);
void run_early(void);
void run_early_other(void);

#endif
