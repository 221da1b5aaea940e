/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the scenarios share: files, cells, and the generations that they begin with.
 */
#ifndef LUF_SCENE_H
#define LUF_SCENE_H

#include "cell.h"
#include "stats.h"

#define FILE_PAGES	CELL_MAX_PAGES
#define A_CPU		1
#define B_CPU		3

extern const char *scene_dir;
extern const char *scene_device;
extern char path_a[256], path_b[256];
/* Pages of the program's own, from CPU 2's list: see scene_cushion(). */
extern char *cushion;

void scene_paths(const char *dir);
void drain_lru(void);
void file_make(const char *path);
void shmem_make(char *path);
void files_remove(void);
void must_pin(int cpu);
void cushion_make(void);
void scene_cushion(void);
void scene_ready(struct cell *cell);
void scene_pageout(struct cell *cell);
void scene_flush(struct cell *cell);
struct cell *scene_cell(const char *path, int cpu);
void scene_begin(struct cell *cell);
struct cell *scene_open(const char *path, int cpu);
void scene_open_both(struct cell *a, struct cell *b);
void cgroup_reclaim(struct cell *cell);
void cgroup_enter(void);
void cgroup_leave(void);

#endif
