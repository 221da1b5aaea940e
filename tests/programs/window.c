// SPDX-License-Identifier: GPL-2.0-only
/*
 * window - act on folios at the very moment when they wait for their flush
 *
 * A debug build of the module waits drain_delay_ms before it flushes a batch.
 * One thread pages memory out; as soon as the module says that folios wait,
 * another one refaults them, unmaps them, truncates their file, pins them, ...
 * Afterwards every byte must be what it has to be. The calling script looks at
 * the module's counters to see that the action really met waiting folios: --reasons
 * tells what they may be dropped for then, with swap on a disk or on zram.
 */
#include "common.h"
#include "content.h"
#include "module.h"
#include "waiting.h"
#include <sys/swap.h>

#define WINDOW_MS	5000	/* give up when nothing waits by then */

#define MAX_PAGES	512

struct window {
	char *base;
	size_t nr_pages;
	int fd;			/* memfd of a shared mapping, or -1 */
	const char *swap_device;
	const char *cgroup;
	bool stop;
	bool met;		/* folios waited: the reclaimer may end */
	uint64_t seed;
	int errors;
};

static size_t window_bytes(const struct window *w)
{
	return w->nr_pages * PAGE_BYTES;
}

static struct page_content content_of(const struct window *w, size_t page,
				      uint64_t sequence)
{
	return (struct page_content){
		.seed = w->seed, .id = page + 1, .sequence = sequence,
	};
}

static void fill_at(struct window *w, char *base, uint64_t sequence)
{
	size_t i;

	for (i = 0; i < w->nr_pages; i++) {
		struct page_content content = content_of(w, i, sequence);

		content_write(base + i * PAGE_BYTES, &content);
	}
}

static int verify_range(struct window *w, const char *base, size_t first,
			size_t last, uint64_t sequence, const char *what)
{
	int wrong = 0;
	size_t i;

	for (i = first; i < last; i++) {
		struct page_content content = content_of(w, i, sequence);
		struct page_fault fault;

		if (content_check(base + i * PAGE_BYTES, &content, &fault))
			continue;
		say(STDERR_FILENO,
		    "%s: page %zu word %zu: expected %#" PRIx64 " found %#" PRIx64 "\n",
		    what, i, fault.word, fault.expected, fault.found);
		wrong++;
	}
	return wrong;
}

static int verify_at(struct window *w, const char *base, uint64_t sequence,
		     const char *what)
{
	return verify_range(w, base, 0, w->nr_pages, sequence, what);
}

/* x86 puts a flush off only if another CPU uses this mm too. */
static void *spin(void *argument)
{
	struct window *w = argument;

	pin_self(1);
	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED))
		__builtin_ia32_pause();
	return NULL;
}

static void page_out(struct window *w)
{
	if (madvise(w->base, window_bytes(w), MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
}

/*
 * Reclaim through the memory cgroup that this process is in: unlike madvise()
 * it doesn't hold mmap_lock, for which half of the actions would wait. A page
 * that was just touched survives some scans, so it is asked for repeatedly.
 */
static void *reclaim(void *argument)
{
	struct window *w = argument;
	char path[256], amount[32];
	uint64_t start = now_ns();
	int fd, length;

	snprintf(path, sizeof(path), "%s/memory.reclaim", w->cgroup);
	length = snprintf(amount, sizeof(amount), "%zu", window_bytes(w));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	do {
		if (write(fd, amount, (size_t)length) < 0 && errno != EAGAIN)
			die_environment("%s: %s", path, strerror(errno));
	} while (!__atomic_load_n(&w->met, __ATOMIC_RELAXED) &&
		 seconds_since(start) * 1000 < WINDOW_MS);
	close(fd);
	return NULL;
}

/* The actions. Each runs while folios wait; the check runs when none does. */

static void do_nothing(struct window *w)
{
	(void)w;
}

static int check_kept(struct window *w)
{
	return verify_at(w, w->base, 1, "kept");
}

static void do_read(struct window *w)
{
	w->errors += verify_at(w, w->base, 1, "read in the window");
}

static void do_write(struct window *w)
{
	fill_at(w, w->base, 2);
}

static int check_written(struct window *w)
{
	return verify_at(w, w->base, 2, "written in the window");
}

static pid_t forked;
static int go[2];

/* The child waits for the parent's new content before it looks at its own. */
static void do_fork(struct window *w)
{
	if (pipe(go))
		die_environment("pipe: %s", strerror(errno));
	forked = fork();
	if (forked < 0)
		die_environment("fork: %s", strerror(errno));
	if (!forked) {
		char token;

		close(go[1]);
		if (read(go[0], &token, 1) != 1)
			_exit(STRESS_ENVIRONMENT);
		_exit(verify_at(w, w->base, 1, "child") ? STRESS_DATA_ERROR : 0);
	}
	fill_at(w, w->base, 2);
	if (write(go[1], "g", 1) != 1)
		die_environment("pipe: %s", strerror(errno));
}

static int check_forked(struct window *w)
{
	int status;

	if (waitpid(forked, &status, 0) != forked || !WIFEXITED(status))
		die_environment("the child is gone");
	return verify_at(w, w->base, 2, "parent") + WEXITSTATUS(status);
}

static void do_munmap(struct window *w)
{
	if (munmap(w->base, window_bytes(w)))
		die_environment("munmap: %s", strerror(errno));
	if (mmap(w->base, window_bytes(w), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != w->base)
		die_environment("mmap: %s", strerror(errno));
	/* Half of it is written at once, half must read as zeros. */
	w->errors += verify_range(w, w->base, w->nr_pages / 2, w->nr_pages, 0,
				  "mapped anew");
	fill_at(w, w->base, 2);
}

static void do_mremap(struct window *w)
{
	/* The C library would leave the address, which must be 0, to chance. */
	char *moved = (char *)syscall(SYS_mremap, w->base, window_bytes(w),
				      window_bytes(w),
				      MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);

	if (moved == MAP_FAILED)
		die_environment("mremap: %s", strerror(errno));
	fill_at(w, w->base, 3);		/* the old place, fresh memory */
	w->errors += verify_at(w, moved, 1, "moved");
	w->base = moved;
}

static void do_mprotect(struct window *w)
{
	if (mprotect(w->base, window_bytes(w), PROT_READ))
		die_environment("mprotect: %s", strerror(errno));
	w->errors += verify_at(w, w->base, 1, "read only");
	if (mprotect(w->base, window_bytes(w), PROT_READ | PROT_WRITE))
		die_environment("mprotect: %s", strerror(errno));
}

static void do_dontneed(struct window *w)
{
	if (madvise(w->base, window_bytes(w), MADV_DONTNEED))
		die_environment("MADV_DONTNEED: %s", strerror(errno));
}

static int check_zeros(struct window *w)
{
	return verify_at(w, w->base, 0, "dropped");
}

static void do_mlock(struct window *w)
{
	if (mlock(w->base, window_bytes(w)))
		die_environment("mlock: %s", strerror(errno));
}

static void do_pageout(struct window *w)
{
	page_out(w);
}

static void do_swapoff(struct window *w)
{
	if (!w->swap_device)
		die_usage("swapoff needs --swap-device");
	if (swapoff(w->swap_device))
		die_environment("swapoff %s: %s", w->swap_device, strerror(errno));
	w->errors += verify_at(w, w->base, 1, "after swapoff");
	if (swapon(w->swap_device, 0))
		die_environment("swapon %s: %s", w->swap_device, strerror(errno));
}

/* The pipe holds the pages themselves: what it delivers is what was there. */
static void do_vmsplice(struct window *w)
{
	size_t i;
	int fds[2];

	if (pipe(fds))
		die_environment("pipe: %s", strerror(errno));
	for (i = 0; i < w->nr_pages; i++) {
		struct iovec iov = { w->base + i * PAGE_BYTES, PAGE_BYTES };
		char copy[PAGE_BYTES];
		struct page_content content = content_of(w, i, 1);
		struct page_fault fault;

		if (vmsplice(fds[1], &iov, 1, 0) != (ssize_t)PAGE_BYTES ||
		    read(fds[0], copy, PAGE_BYTES) != (ssize_t)PAGE_BYTES)
			die_environment("vmsplice: %s", strerror(errno));
		w->errors += !content_check(copy, &content, &fault);
	}
	close(fds[0]);
	close(fds[1]);
}

static void do_truncate(struct window *w)
{
	if (ftruncate(w->fd, 0) || ftruncate(w->fd, (off_t)window_bytes(w)))
		die_environment("ftruncate: %s", strerror(errno));
	w->errors += verify_at(w, w->base, 0, "truncated, in the window");
}

static void do_punch(struct window *w)
{
	if (fallocate(w->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		      (off_t)window_bytes(w) / 2))
		die_environment("fallocate: %s", strerror(errno));
}

static int check_punched(struct window *w)
{
	return verify_range(w, w->base, 0, w->nr_pages / 2, 0, "hole") +
	       verify_range(w, w->base, w->nr_pages / 2, w->nr_pages, 1,
			    "behind the hole");
}

static void do_pwrite(struct window *w)
{
	char page[PAGE_BYTES];
	size_t i;

	for (i = 0; i < w->nr_pages; i++) {
		struct page_content content = content_of(w, i, 2);

		content_write(page, &content);
		if (pwrite(w->fd, page, PAGE_BYTES, (off_t)(i * PAGE_BYTES)) !=
		    (ssize_t)PAGE_BYTES)
			die_environment("pwrite: %s", strerror(errno));
	}
}

#define DROP(reason)	(1U << TLBBATCH_DROP_##reason)
#define GONE		DROP(GONE)
#define MAPPED		DROP(MAPPED)
#define MOVED		(MAPPED | GONE | DROP(REFERENCED))
/* 7.x's page fault takes what zram holds out of the swap cache at once. */
#define ZRAM_GONE	(1U << TLBBATCH_DROP_NR)

struct action {
	const char *name;
	void (*act)(struct window *w);
	int (*check)(struct window *w);
	enum { PRIVATE = 1, SHARED = 2, HUGE = 4 } on;
	/* What the recheck may answer; none where folios may just be written. */
	unsigned int reasons;
};

static const struct action actions[] = {
	{ "nothing",	do_nothing,	check_kept,	PRIVATE | SHARED | HUGE, 0 },
	{ "read",	do_read,	check_kept,	PRIVATE | SHARED | HUGE,
	  MAPPED | ZRAM_GONE },
	{ "write",	do_write,	check_written,	PRIVATE | SHARED | HUGE, MOVED },
	{ "fork",	do_fork,	check_forked,	PRIVATE | HUGE, MOVED },
	{ "munmap",	do_munmap,	check_written,	PRIVATE | HUGE, GONE },
	{ "mremap",	do_mremap,	check_kept,	PRIVATE | HUGE, MOVED },
	{ "mprotect",	do_mprotect,	check_kept,	PRIVATE | SHARED, MOVED },
	{ "dontneed",	do_dontneed,	check_zeros,	PRIVATE | HUGE, GONE },
	{ "mlock",	do_mlock,	check_kept,	PRIVATE | SHARED,
	  MAPPED | ZRAM_GONE },
	{ "pageout",	do_pageout,	check_kept,	PRIVATE | SHARED | HUGE, 0 },
	{ "swapoff",	do_swapoff,	check_kept,	PRIVATE | SHARED | HUGE,
	  MOVED | DROP(LOCKED) },
	{ "vmsplice",	do_vmsplice,	check_kept,	PRIVATE | SHARED,
	  MAPPED | ZRAM_GONE },
	{ "truncate",	do_truncate,	check_zeros,	SHARED, GONE },
	{ "punch",	do_punch,	check_punched,	SHARED, GONE },
	{ "pwrite",	do_pwrite,	check_written,	SHARED, 0 },
};

static void map(struct window *w, int on)
{
	size_t bytes = window_bytes(w);

	w->fd = -1;
	if (on == SHARED) {
		w->fd = memfd_create("window", MFD_CLOEXEC);
		if (w->fd < 0 || ftruncate(w->fd, (off_t)bytes))
			die_environment("memfd: %s", strerror(errno));
		w->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			       w->fd, 0);
	} else {
		w->base = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	if (w->base == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	if (on == HUGE) {
		uintptr_t up = ((uintptr_t)w->base + HUGE_BYTES - 1) &
			       ~(HUGE_BYTES - 1);

		w->base = (char *)up;
		if (madvise(w->base, bytes, MADV_HUGEPAGE))
			die_environment("MADV_HUGEPAGE: %s", strerror(errno));
	} else if (madvise(w->base, bytes, MADV_NOHUGEPAGE)) {
		die_environment("MADV_NOHUGEPAGE: %s", strerror(errno));
	}
}

static void list_reasons(unsigned int reasons, const char *swap)
{
	const char *space = "";
	unsigned int i;

	if (reasons & ZRAM_GONE && !strcmp(swap, "zram"))
		reasons |= GONE;
	for (i = 0; i < TLBBATCH_DROP_NR; i++) {
		if (!(reasons & 1U << i))
			continue;
		say(STDOUT_FILENO, "%s%s", space, drop_names[i]);
		space = " ";
	}
	say(STDOUT_FILENO, "%s\n", *space ? "" : "-");
}

static void run(struct window *w, const struct action *action, int on)
{
	pthread_t spinner, reclaimer;

	map(w, on);
	fill_at(w, w->base, 1);
	start_thread(&spinner, spin, w);
	/* The spinner's CPU must have loaded this mm before pages go. */
	sleep_ms(50);
	start_thread(&reclaimer, reclaim, w);
	page_that_waits(w->base, w->nr_pages, WINDOW_MS);
	__atomic_store_n(&w->met, true, __ATOMIC_RELAXED);
	action->act(w);
	pthread_join(reclaimer, NULL);
	w->errors += action->check(w);
	/* Out and in once more: what the window left must be consistent. */
	munlock(w->base, window_bytes(w));
	page_out(w);
	w->errors += action->check == check_forked ?
		     verify_at(w, w->base, 2, "second time") : action->check(w);
	__atomic_store_n(&w->stop, true, __ATOMIC_RELAXED);
	pthread_join(spinner, NULL);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "action", required_argument, NULL, 'a' },
		{ "pages", required_argument, NULL, 'p' },
		{ "shared", no_argument, NULL, 's' },
		{ "huge", no_argument, NULL, 'h' },
		{ "list", no_argument, NULL, 'l' },
		{ "reasons", required_argument, NULL, 'r' },
		{ "cgroup", required_argument, NULL, 'c' },
		{ "swap-device", required_argument, NULL, 'd' },
		{ }
	};
	struct window w = { .nr_pages = 32, .seed = 0x7717 };
	const char *name = "nothing", *swap = NULL;
	int on = PRIVATE, option;
	bool list = false;
	size_t i;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'a':
			name = optarg;
			break;
		case 'p':
			w.nr_pages = parse_number("pages", optarg, 2, MAX_PAGES);
			break;
		case 's':
			on = SHARED;
			break;
		case 'h':
			on = HUGE;
			w.nr_pages = HUGE_BYTES / PAGE_BYTES;
			break;
		case 'l':
			list = true;
			break;
		case 'r':
			swap = optarg;
			break;
		case 'c':
			w.cgroup = optarg;
			break;
		case 'd':
			w.swap_device = optarg;
			break;
		default:
			die_usage("window --cgroup DIR [--action NAME] [--pages N] [--shared|--huge] [--swap-device DEV] | [--shared|--huge] --list | --action NAME --reasons SWAP");
		}
	}
	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		if (swap && !strcmp(actions[i].name, name)) {
			list_reasons(actions[i].reasons, swap);
			return STRESS_OK;
		}
		if (swap || !(actions[i].on & on))
			continue;
		if (list) {
			say(STDOUT_FILENO, "%s\n", actions[i].name);
		} else if (!strcmp(actions[i].name, name)) {
			if (!w.cgroup)
				die_usage("--cgroup is missing");
			alarm(120);
			run(&w, &actions[i], on);
			say(STDOUT_FILENO, "action=%s errors=%d\n", name,
			    w.errors);
			return w.errors ? STRESS_DATA_ERROR : STRESS_OK;
		}
	}
	if (!list)
		die_usage("no action %s for this memory", name);
	return STRESS_OK;
}
