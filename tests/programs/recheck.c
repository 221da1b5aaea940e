// SPDX-License-Identifier: GPL-2.0-only
/*
 * recheck - make folios unfit to be written while they wait for their flush
 *
 * Like window (window.c), but for the reasons that a system call alone can't bring
 * about, or only with care: the folio must not be mapped when it is looked at again.
 * A debug build waits drain_delay_ms before it flushes a batch; in that time one
 * action is done. Afterwards every byte must be what it was. The calling script looks
 * at the module's counters for the reason.
 *
 *  pinned		registered with io_uring, then unmapped
 *  referenced		vmspliced into a pipe, then unmapped
 *  unevictable		SHM_LOCK
 *  clean, writeback	by a driver (tests/guest/modules/shmem-driver). Of these it tells
 *			at the end how much is dirty again
 *  gone		written by that driver
 *  locked		by that driver, which has cleaned it, too: nobody but the lock's
 *			owner may look at it
 *  hwpoison		a memory failure is injected (hwpoison-inject)
 *
 * --list tells those that need nothing, or those that need a module of the kernel's.
 */
#include "common.h"
#include "module.h"
#include "rng.h"
#include "swap.h"
#include "uring.h"
#include "waiting.h"
#include <sys/shm.h>

#define DRIVER		"/sys/module/shmem_driver/parameters/act"
#define POISON		"/sys/kernel/debug/hwpoison/corrupt-pfn"
#define PAGEMAP_PFN	((1ULL << 55) - 1)
#define WINDOW_MS	10000	/* give up when nothing waits by then */
#define HOLD_MS		6000
#define PAGES		32UL

struct scene {
	uint64_t *base;
	int fd;			/* memfd, or -1: a System V segment */
	int shmid;
	const char *cgroup;
	uint64_t pfns[PAGES];	/* when they were mapped */
	size_t lost;		/* a page that is lost by right, or PAGES */
	size_t again;		/* pages that are dirty again */
	struct uring uring;
	int pipe[2];
	bool met, reclaimed, stop;
};

static uint64_t word_of(size_t page, size_t word)
{
	/* Half of it compresses, as real memory does. */
	return word & 1 ? mix64(page * PAGE_WORDS + word) : page + 1;
}

static void fill(struct scene *scene)
{
	size_t page, word;

	for (page = 0; page < PAGES; page++)
		for (word = 0; word < PAGE_WORDS; word++)
			scene->base[page * PAGE_WORDS + word] =
				word_of(page, word);
}

static int verify(const struct scene *scene)
{
	size_t page, word;
	int wrong = 0;

	for (page = 0; page < PAGES; page++)
		for (word = 0; page != scene->lost && word < PAGE_WORDS; word++)
			if (scene->base[page * PAGE_WORDS + word] !=
			    word_of(page, word)) {
				say(STDERR_FILENO, "page %zu word %zu: found %#" PRIx64 "\n",
				    page, word,
				    scene->base[page * PAGE_WORDS + word]);
				wrong++;
				break;
			}
	return wrong;
}

/* x86 puts a flush off only if another CPU uses this mm too. */
static void *spin(void *argument)
{
	struct scene *scene = argument;

	pin_self(1);
	while (!__atomic_load_n(&scene->stop, __ATOMIC_RELAXED))
		__builtin_ia32_pause();
	return NULL;
}

/* Not by madvise(): that holds mmap_lock, for which half of the actions would wait. */
static void *reclaim(void *argument)
{
	struct scene *scene = argument;
	uint64_t start = now_ns();
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/memory.reclaim", scene->cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	do {
		if (write(fd, "1M", 2) < 0 && errno != EAGAIN)
			die_environment("%s: %s", path, strerror(errno));
	} while (!__atomic_load_n(&scene->met, __ATOMIC_RELAXED) &&
		 seconds_since(start) * 1000 < WINDOW_MS);
	close(fd);
	__atomic_store_n(&scene->reclaimed, true, __ATOMIC_RELAXED);
	return NULL;
}

static void unmap(struct scene *scene)
{
	if (madvise(scene->base, PAGES * PAGE_BYTES, MADV_DONTNEED))
		die_environment("MADV_DONTNEED: %s", strerror(errno));
}

static void do_pinned(struct scene *scene)
{
	if (!uring_pin(&scene->uring, scene->base, PAGES * PAGE_BYTES))
		die_environment("io_uring buffers: %s", strerror(errno));
	unmap(scene);
}

static void end_pinned(struct scene *scene)
{
	uring_unpin(&scene->uring);
	uring_close(&scene->uring);
}

static void do_referenced(struct scene *scene)
{
	struct iovec iov = { scene->base, PAGES * PAGE_BYTES };

	if (fcntl(scene->pipe[1], F_SETPIPE_SZ, 2 * PAGES * PAGE_BYTES) < 0 ||
	    vmsplice(scene->pipe[1], &iov, 1, 0) != (ssize_t)iov.iov_len)
		die_environment("vmsplice: %s", strerror(errno));
	unmap(scene);
}

static void end_referenced(struct scene *scene)
{
	close(scene->pipe[0]);
	close(scene->pipe[1]);
}

static void do_unevictable(struct scene *scene)
{
	if (shmctl(scene->shmid, SHM_LOCK, NULL))
		die_environment("SHM_LOCK: %s", strerror(errno));
}

static void end_unevictable(struct scene *scene)
{
	if (shmctl(scene->shmid, SHM_UNLOCK, NULL))
		die_environment("SHM_UNLOCK: %s", strerror(errno));
}

/*
 * Pages that don't wait are none of the driver's business: it is refused. Returns for how
 * many it wasn't.
 */
static size_t drive(const struct scene *scene, const char *what)
{
	int fd = open(DRIVER, O_WRONLY | O_CLOEXEC);
	size_t page, done = 0;
	char text[64];
	int length;

	if (fd < 0)
		die_environment("%s: %s", DRIVER, strerror(errno));
	for (page = 0; page < PAGES; page++) {
		length = snprintf(text, sizeof(text), "%s %d %zu", what,
				  scene->fd, page);
		if (pwrite(fd, text, (size_t)length, 0) >= 0)
			done++;
		else if (errno != EBUSY && errno != ENOENT && errno != EAGAIN)
			die_environment("%s: %s", text, strerror(errno));
	}
	close(fd);
	return done;
}

static void do_clean(struct scene *scene)
{
	drive(scene, "clean");
}

static void end_clean(struct scene *scene)
{
	scene->again = drive(scene, "dirty");
}

static void do_writeback(struct scene *scene)
{
	drive(scene, "writeback");
}

static void end_writeback(struct scene *scene)
{
	scene->again = drive(scene, "written");
}

/* Until the pass is over, if it doesn't wait for the lock. */
static void do_locked(struct scene *scene)
{
	uint64_t start = now_ns();

	drive(scene, "hold");
	while (!__atomic_load_n(&scene->reclaimed, __ATOMIC_RELAXED) &&
	       seconds_since(start) * 1000 < HOLD_MS)
		sleep_ms(10);
	drive(scene, "release");
}

static void do_gone(struct scene *scene)
{
	drive(scene, "write");
}

static void do_hwpoison(struct scene *scene)
{
	char text[32];
	int fd = open(POISON, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		die_environment("%s: %s", POISON, strerror(errno));
	snprintf(text, sizeof(text), "%#" PRIx64, scene->pfns[scene->lost]);
	/* What the kernel could do about it is none of this test's business. */
	if (write(fd, text, strlen(text)) < 0)
		say(STDERR_FILENO, "memory failure at %s: %s\n", text,
		    strerror(errno));
	close(fd);
}

static void do_nothing(struct scene *scene)
{
	(void)scene;
}

static const struct action {
	/* For which folios are dropped; it is called by that. */
	enum tlbbatch_drop reason;
	void (*act)(struct scene *scene);
	void (*end)(struct scene *scene);
	bool sysv, loses;
	/* A module of the kernel's. */
	const char *needs;
} actions[] = {
	{ .reason = TLBBATCH_DROP_PINNED, .act = do_pinned, .end = end_pinned },
	{ .reason = TLBBATCH_DROP_REFERENCED, .act = do_referenced,
	  .end = end_referenced },
	{ .reason = TLBBATCH_DROP_UNEVICTABLE, .act = do_unevictable,
	  .end = end_unevictable, .sysv = true },
	{ .reason = TLBBATCH_DROP_CLEAN, .act = do_clean, .end = end_clean },
	{ .reason = TLBBATCH_DROP_WRITEBACK, .act = do_writeback,
	  .end = end_writeback },
	{ .reason = TLBBATCH_DROP_GONE, .act = do_gone, .end = do_nothing },
	{ .reason = TLBBATCH_DROP_LOCKED, .act = do_locked, .end = do_nothing },
	{ .reason = TLBBATCH_DROP_HWPOISON, .act = do_hwpoison, .end = do_nothing,
	  .loses = true, .needs = "hwpoison-inject" },
};

static void make(struct scene *scene, const struct action *action)
{
	size_t bytes = PAGES * PAGE_BYTES;
	int pagemap;
	size_t page;

	scene->fd = -1;
	if (action->sysv) {
		scene->shmid = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
		scene->base = shmat(scene->shmid, NULL, 0);
		shmctl(scene->shmid, IPC_RMID, NULL);
	} else {
		scene->fd = memfd_create("recheck", MFD_CLOEXEC);
		if (scene->fd < 0 || ftruncate(scene->fd, (off_t)bytes))
			die_environment("memfd: %s", strerror(errno));
		scene->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_SHARED, scene->fd, 0);
	}
	if (scene->base == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	fill(scene);
	pagemap = open_pagemap();
	for (page = 0; page < PAGES; page++)
		scene->pfns[page] = PAGEMAP_PFN &
			pagemap_entry(pagemap, scene->base + page * PAGE_WORDS);
	close(pagemap);
	if (action->act == do_pinned && !uring_open(&scene->uring))
		die_environment("io_uring: %s", strerror(errno));
	if (action->act == do_referenced && pipe(scene->pipe))
		die_environment("pipe: %s", strerror(errno));
}

static int run(struct scene *scene, const struct action *action)
{
	pthread_t spinner, reclaimer;
	size_t page;
	int wrong;

	make(scene, action);
	start_thread(&spinner, spin, scene);
	/* The spinner's CPU must have loaded this mm before pages go. */
	sleep_ms(50);
	start_thread(&reclaimer, reclaim, scene);
	page = page_that_waits(scene->base, PAGES, WINDOW_MS);
	scene->lost = action->loses ? page : PAGES;
	__atomic_store_n(&scene->met, true, __ATOMIC_RELAXED);
	action->act(scene);
	pthread_join(reclaimer, NULL);
	action->end(scene);
	wrong = verify(scene);
	__atomic_store_n(&scene->stop, true, __ATOMIC_RELAXED);
	pthread_join(spinner, NULL);
	say(STDOUT_FILENO, "action=%s wrong=%d waited=%zu again=%zu\n",
	    drop_names[action->reason], wrong, page, scene->again);
	return wrong ? STRESS_DATA_ERROR : STRESS_OK;
}

static void list(const char *needs)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcmp(needs, actions[i].needs ? actions[i].needs : ""))
			say(STDOUT_FILENO, "%s\n", drop_names[actions[i].reason]);
}

int main(int argc, char **argv)
{
	static struct scene scene;
	size_t i;

	if (argc >= 2 && argc <= 3 && !strcmp(argv[1], "--list")) {
		list(argc == 3 ? argv[2] : "");
		return STRESS_OK;
	}
	if (argc == 3) {
		scene.cgroup = argv[1];
		start_watchdog(300);
		for (i = 0; i < ARRAY_SIZE(actions); i++)
			if (!strcmp(drop_names[actions[i].reason], argv[2]))
				return run(&scene, &actions[i]);
	}
	die_usage("recheck CGROUP REASON | --list [MODULE]");
}
