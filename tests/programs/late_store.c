// SPDX-License-Identifier: GPL-2.0-only
/*
 * late_store - store to a page between its write-out and the end of the pass
 *
 * Reclaim unmaps a page and writes it out. A CPU that still has a writable TLB entry of the
 * page stores to it afterwards. That store is lost, unless the entry was flushed before the
 * write-out, so that the store became a page fault. The detector (detector.c) hits that
 * moment by chance. Here the module step (tests/guest/modules/step) holds the reclaiming
 * task at that moment, so a single round is enough.
 *
 * In a round, the reclaimer calls MADV_PAGEOUT for the whole range. It is stopped where it
 * is about to unmap the first page (the first step). The writer stores a growing number
 * into that page, and then leaves the page alone without leaving its CPU, so that the CPU
 * keeps its TLB entry. Something else may happen at the first step, see below. At the
 * second step the pass has finished with the first page and works on another one. There the
 * writer stores the next number. When the pass is over, the page is certainly freed, and it
 * is read again. It must hold that number.
 *
 *  --driver	at the first step, with the page locked, a driver begins to write it
 *		back (tests/guest/modules/shmem-driver): it takes a reference, waits for
 *		the lock, and writes as soon as reclaim gives up because of the reference
 *  --punch	a hole that takes the page has unmapped it already, and stands before it
 *		removes it (an earlier page of it is locked). The page is mapped again,
 *		by the fault-around of a read beside the hole, before the reclaimer
 *		comes. At the second step the hole is finished. The writer stores only
 *		after the punch, so a page of the file must have that store
 *  --tell FILE	at the first step FILE is made, and the pass goes on when it has gone
 *  --tell-over FILE	the same when the pass is over, before anything else is done
 *
 * Swap has to be on zram. A write to a disk takes long, and a page that is still in the
 * swap cache is found again with the late store in it.
 */
#include "common.h"
#include "swap.h"
#include <linux/mempolicy.h>

#define STEP		"/sys/module/step/parameters/"
#define DRIVER		"/sys/module/shmem_driver/parameters/act"
#define STEP_MS		4000	/* the module lets a task go after 5 s */
#define END_MS		60000	/* nothing that the test holds can take longer */
#define ALL_STEPS	1000000000UL
#define FREE_TRIES	50
#define MAX_PAGES	512

enum { RECLAIMER_CPU, WRITER_CPU, DRIVER_CPU, CONTROLLER_CPU, NR_CPUS };

struct late {
	uint64_t *base;
	size_t nr_pages;
	int fd;			/* memfd of a shared mapping, or -1 */
	int pagemap;
	const char *cgroup;
	const char *tell, *tell_over;
	bool driver, punch;
	unsigned long first, second;
	int cpus[NR_CPUS];
	pid_t reclaimer_tid, driver_tid;
	pthread_barrier_t ready;
	/* Requests are numbered. A request is done when the number below has caught up. */
	uint64_t stores, stored;
	uint64_t passes, passed;
	uint64_t writes, written;
	int driver_error;
	bool over;
};

static void put_number(const char *path, unsigned long number)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%lu", number);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, (size_t)length) != length)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
}

static unsigned long get_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
	return strtoul(text, NULL, 10);
}

static uint64_t load(const uint64_t *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static bool comes_within(const uint64_t *value, uint64_t wanted, unsigned int ms)
{
	uint64_t start = now_ns();

	while (load(value) != wanted) {
		if (seconds_since(start) * 1000 > ms)
			return false;
		sleep_ms(1);
	}
	return true;
}

/* Waits, but not for ever. A round in which something doesn't happen can't be judged. */
static bool comes(const uint64_t *value, uint64_t wanted)
{
	return comes_within(value, wanted, STEP_MS);
}

/* What has to come, however crowded the machine is */
static bool ends(const uint64_t *value, uint64_t wanted)
{
	return comes_within(value, wanted, END_MS);
}

static bool step_comes(unsigned long step)
{
	uint64_t start = now_ns();

	while (get_number(STEP "at") < step) {
		if (seconds_since(start) * 1000 > STEP_MS)
			return false;
		sleep_ms(1);
	}
	return true;
}

static void pin(int cpu)
{
	if (!pin_self(cpu))
		die_environment("can't run on CPU %d: %s", cpu, strerror(errno));
}

/* Between its stores the writer touches only its code and its orders. */
static void *store(void *argument)
{
	struct late *late = argument;

	pin(late->cpus[WRITER_CPU]);
	pthread_barrier_wait(&late->ready);
	while (!__atomic_load_n(&late->over, __ATOMIC_RELAXED)) {
		uint64_t wanted = load(&late->stores);

		if (wanted != late->stored) {
			__atomic_store_n(late->base, wanted, __ATOMIC_RELAXED);
			__atomic_store_n(&late->stored, wanted, __ATOMIC_RELEASE);
		}
		__builtin_ia32_pause();
	}
	return NULL;
}

static void page_out(const struct late *late)
{
	if (madvise(late->base, late->nr_pages * PAGE_BYTES, MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
}

static void *reclaim(void *argument)
{
	struct late *late = argument;

	pin(late->cpus[RECLAIMER_CPU]);
	late->reclaimer_tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&late->ready);
	while (!__atomic_load_n(&late->over, __ATOMIC_RELAXED)) {
		if (load(&late->passes) == late->passed) {
			sleep_ms(1);
			continue;
		}
		page_out(late);
		__atomic_add_fetch(&late->passed, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Lets the driver do something with a page of the file. Returns 0 or an errno. */
static int act(const struct late *late, const char *what, int index)
{
	int fd = open(DRIVER, O_WRONLY | O_CLOEXEC), error = 0, length;
	char text[64];

	length = snprintf(text, sizeof(text), "%s %d %d", what, late->fd, index);
	if (fd < 0 || write(fd, text, (size_t)length) != length)
		error = errno;
	close(fd);
	return error;
}

static void must_act(const struct late *late, const char *what, int index)
{
	int error = act(late, what, index);

	if (error)
		die_environment("%s page %d: %s", what, index, strerror(error));
}

/* The page before the mapping, and the mapping's first page. */
static int punch(const struct late *late)
{
	return fallocate(late->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			 2 * PAGE_BYTES) ? errno : 0;
}

static void *drive(void *argument)
{
	struct late *late = argument;

	pin(late->cpus[DRIVER_CPU]);
	late->driver_tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&late->ready);
	while (!__atomic_load_n(&late->over, __ATOMIC_RELAXED)) {
		if (load(&late->writes) == late->written) {
			sleep_ms(1);
			continue;
		}
		late->driver_error = late->punch ? punch(late) : act(late, "write", 0);
		__atomic_add_fetch(&late->written, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Waiting for a folio's lock is an uninterruptible sleep. */
static bool driver_waits(const struct late *late)
{
	uint64_t start = now_ns();
	char path[64], line[256], *state;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", late->driver_tid);
	do {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		length = read(fd, line, sizeof(line) - 1);
		close(fd);
		if (length <= 0)
			return false;
		line[length] = '\0';
		state = strrchr(line, ')');
		if (state && !strncmp(state, ") D", 3))
			return true;
		sleep_ms(1);
	} while (seconds_since(start) * 1000 < STEP_MS / 2);
	return false;
}

static bool resident(const struct late *late)
{
	unsigned char there;

	if (mincore(late->base, PAGE_BYTES, &there))
		die_environment("mincore: %s", strerror(errno));
	return there & 1;
}

/* The driver's page is mapped by nobody, so that MADV_PAGEOUT doesn't find it. */
static bool freed(const struct late *late)
{
	char path[256];
	int fd, tries;

	snprintf(path, sizeof(path), "%s/memory.reclaim", late->cgroup);
	for (tries = 0; tries < FREE_TRIES && resident(late); tries++) {
		page_out(late);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			die_environment("%s: %s", path, strerror(errno));
		if (write(fd, "1M", 2) < 0 && errno != EAGAIN)
			die_environment("%s: %s", path, strerror(errno));
		close(fd);
	}
	return !resident(late);
}

static void order_store(struct late *late)
{
	__atomic_add_fetch(&late->stores, 1, __ATOMIC_RELEASE);
}

static void store_now(struct late *late)
{
	order_store(late);
	if (!ends(&late->stored, late->stores))
		die_environment("a store doesn't end");
}

/*
 * New pages are in a per-CPU list, where reclaim doesn't find them. A migration of pages
 * empties these lists first.
 */
static void empty_new_lists(const struct late *late)
{
	if (syscall(SYS_mbind, late->base, late->nr_pages * PAGE_BYTES,
		    MPOL_DEFAULT, NULL, 0, MPOL_MF_MOVE))
		die_environment("mbind: %s", strerror(errno));
}

/* No process is forked here: fork takes mmap_lock, which the reclaimer holds. */
static bool told(const char *path)
{
	uint64_t start = now_ns();
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
	while (!access(path, F_OK)) {
		if (seconds_since(start) * 1000 > STEP_MS)
			return false;
		sleep_ms(1);
	}
	return true;
}

static bool is_mapped(const struct late *late)
{
	return pagemap_entry(late->pagemap, late->base) & PAGEMAP_PRESENT;
}

/*
 * The hole punch has unmapped its pages, and waits for one of them. The other one is mapped
 * again.
 */
static bool punch_begins(struct late *late)
{
	volatile uint64_t *beside = late->base + PAGE_WORDS;
	bool waits;

	if (pwrite(late->fd, "", 1, 0) != 1 || madvise((void *)beside, PAGE_BYTES, MADV_DONTNEED))
		die_environment("pages of the file: %s", strerror(errno));
	must_act(late, "lock", 0);
	must_act(late, "lock", 1);
	__atomic_add_fetch(&late->writes, 1, __ATOMIC_RELEASE);
	waits = driver_waits(late);
	must_act(late, "unlock", 1);
	if (!waits)
		say(STDERR_FILENO, "the punch doesn't wait for the lock\n");
	(void)*beside;
	return waits && is_mapped(late);
}

/* What happens while the reclaimer stands at its first step. */
static bool first_step(struct late *late)
{
	if (late->driver) {
		__atomic_add_fetch(&late->writes, 1, __ATOMIC_RELEASE);
		if (!driver_waits(late)) {
			say(STDERR_FILENO, "the driver doesn't wait for the lock\n");
			return false;
		}
	}
	return !late->tell || told(late->tell);
}

/* True if the late store was made at the intended moment. */
static bool one_pass(struct late *late)
{
	bool made = false, locked = late->punch;

	if (late->punch && !punch_begins(late))
		goto unlock;
	put_number(STEP "at", 0);
	put_number(STEP "allowed", 0);
	put_number(STEP "late", 0);
	put_number(STEP "pid", (unsigned long)late->reclaimer_tid);
	__atomic_add_fetch(&late->passes, 1, __ATOMIC_RELEASE);
	if (!step_comes(1))
		goto out;
	/* Load the TLB entry again: madvise() began with something that flushed it. */
	store_now(late);
	put_number(STEP "allowed", late->first - 1);
	if (!step_comes(late->first) || !first_step(late))
		goto out;
	put_number(STEP "allowed", late->second - 1);
	/* If this page is still mapped, another page came first. */
	if (!step_comes(late->second) || is_mapped(late))
		goto out;
	if (locked) {
		must_act(late, "unlock", 0);
		locked = false;
	}
	if ((late->driver || late->punch) && !comes(&late->written, late->writes))
		goto out;
	order_store(late);
	made = comes(&late->stored, late->stores);
out:
	made = made && !get_number(STEP "late");
	put_number(STEP "allowed", ALL_STEPS);
	put_number(STEP "pid", 0);
unlock:
	if (locked)
		must_act(late, "unlock", 0);
	if (!ends(&late->passed, late->passes) ||
	    !ends(&late->written, late->writes) ||
	    !ends(&late->stored, late->stores))
		die_environment("a pass or a store doesn't end");
	return made && (!late->tell_over || told(late->tell_over));
}

static void map_pages(struct late *late, bool shared)
{
	size_t bytes = late->nr_pages * PAGE_BYTES;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	/* The first page of the hole isn't mapped. */
	off_t offset = late->punch ? PAGE_BYTES : 0;
	uintptr_t room;

	late->pagemap = open_pagemap();
	late->fd = -1;
	if (shared) {
		late->fd = memfd_create("late", MFD_CLOEXEC);
		if (late->fd < 0 || ftruncate(late->fd, (off_t)bytes + offset))
			die_environment("memfd: %s", strerror(errno));
		flags = MAP_SHARED;
	}
	/* Unless it is aligned, there are no large folios. */
	room = (uintptr_t)mmap(NULL, bytes + HUGE_BYTES, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	late->base = mmap((void *)((room + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1)),
			  bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
			  late->fd, offset);
	if ((void *)room == MAP_FAILED || late->base == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
}

static int run(struct late *late, unsigned int rounds)
{
	unsigned int judged = 0, drove = 0, lost = 0, round;
	pthread_t writer, reclaimer, driver;
	size_t page;

	if (usable_cpus(late->cpus, NR_CPUS) < NR_CPUS)
		die_environment("needs %d CPUs", NR_CPUS);
	pin(late->cpus[CONTROLLER_CPU]);
	pthread_barrier_init(&late->ready, NULL, 4);
	start_thread(&writer, store, late);
	start_thread(&reclaimer, reclaim, late);
	start_thread(&driver, drive, late);
	pthread_barrier_wait(&late->ready);
	for (round = 0; round < rounds && !stress_stop; round++) {
		uint64_t found;

		for (page = 1; page < late->nr_pages; page++)
			late->base[page * PAGE_WORDS] = round + 1;
		store_now(late);
		empty_new_lists(late);
		if (!one_pass(late) || (!late->punch && !freed(late)))
			continue;
		judged++;
		drove += (late->driver || late->punch) && !late->driver_error;
		found = __atomic_load_n(late->base, __ATOMIC_RELAXED);
		if (found == late->stores)
			continue;
		lost++;
		say(STDERR_FILENO, "lost store: round=%u stored=%" PRIu64 " found=%" PRIu64 "\n",
		    round, late->stores, found);
	}
	__atomic_store_n(&late->over, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	pthread_join(reclaimer, NULL);
	pthread_join(driver, NULL);
	say(STDOUT_FILENO, "lost=%u judged=%u driver_wrote=%u rounds=%u memory=%s\n",
	    lost, judged, drove, round, late->fd < 0 ? "anon" : "shmem");
	if (lost)
		return STRESS_DATA_ERROR;
	if (!judged)
		die_environment("no store was made where it was meant to be");
	return STRESS_OK;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cgroup", required_argument, NULL, 'c' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "pages", required_argument, NULL, 'p' },
		{ "first", required_argument, NULL, '1' },
		{ "second", required_argument, NULL, '2' },
		{ "tell", required_argument, NULL, 'x' },
		{ "tell-over", required_argument, NULL, 'o' },
		{ "driver", no_argument, NULL, 'd' },
		{ "punch", no_argument, NULL, 'h' },
		{ "shared", no_argument, NULL, 's' },
		{ }
	};
	static struct late late = { .nr_pages = 8, .first = 1, .second = 2 };
	unsigned int rounds = 10;
	bool shared = false, usage = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			late.cgroup = optarg;
			break;
		case 'r':
			rounds = parse_number("rounds", optarg, 1, 1000);
			break;
		case 'p':
			late.nr_pages = parse_number("pages", optarg, 2, MAX_PAGES);
			break;
		case '1':
			late.first = parse_number("first", optarg, 1, 100);
			break;
		case '2':
			late.second = parse_number("second", optarg, 1, 100);
			break;
		case 'x':
			late.tell = optarg;
			break;
		case 'o':
			late.tell_over = optarg;
			break;
		case 'd':
			late.driver = true;
			break;
		case 'h':
			late.punch = true;
			break;
		case 's':
			shared = true;
			break;
		default:
			usage = true;
		}
	}
	if (usage || optind != argc || !late.cgroup || late.second <= late.first ||
	    (late.driver && late.punch) || ((late.driver || late.punch) && !shared))
		die_usage("late_store --cgroup DIR [--rounds N] [--pages N] [--first STEP] [--second STEP] [--shared [--driver | --punch]] [--tell FILE] [--tell-over FILE]");
	start_watchdog(rounds * 30 + 180);
	map_pages(&late, shared);
	return run(&late, rounds);
}
