// SPDX-License-Identifier: GPL-2.0-only
/*
 * stale_read CGROUP SCENE [TRIES] - does a CPU read a page of a file that reclaim has unmapped, when it must not?
 *
 * One thread reads a page of a mapped file all the time, on a CPU of its own, without a system
 * call. So this CPU keeps its TLB entry. Another thread reclaims the page. If that flush is put
 * off, the reader goes on reading the old frame. That is no harm while the frame has what the
 * file has. Then something happens after which the old content must not be seen any more:
 *
 *  write		the file is opened for writing, and written
 *  direct	the same, past the page cache
 *  mapped	the same, through a mapping
 *  punch	a hole is made there
 *  emptied	it is opened and cut at once
 *  truncate	it is cut by its path, in the middle of the page
 *  cow		the other thread writes to its private copy of the page
 *  poke	the same, as a debugger does
 *  guard	the page becomes a guard page
 *  protect	the page must not be read any more
 *  unmap	another file is mapped in its place
 *  move	the page is moved to another address
 *  kept	somebody had a reference, so the page was unmapped and kept. Then it is dropped from
 *		the page cache, and its frame is somebody else's
 *  poison	nothing: what is held back was overwritten by the module
 *  frame	the page is given back at the end of the call of reclaim, and the frame is somebody
 *		else's
 *
 * Some tries say nothing: the reader's CPU had something else to do, and forgot the entry. So
 * the scene is played until the reader was wrong, or TRIES times. The program is in a cgroup of
 * its own, whose only pages of files are those of the scene.
 *
 * Prints "tries=N deferred=N stale=N poisoned=N wrong=N". A try is deferred if its flush was put
 * off, stale if the reader read on although the page was gone, poisoned if it found what isn't of
 * any file then, and wrong if it read on behind the event.
 */
#include "cgroup.h"
#include "common.h"
#include "swap.h"
#include <setjmp.h>
#include <sys/stat.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL	102
#define MADV_GUARD_REMOVE	103
#endif

#define LUF		"/sys/kernel/tlbbatch/luf/"
#define RECLAIMS	200
#define LOOKS		3
#define REUSE_PAGES	8192
#define NEIGHBOUR_AT	(1UL << 20)
#define OLD		0x6f6c646f6c646f6cULL
#define NEW		0x6e65776e65776e65ULL
#define FOREIGN		0x666f726569676e21ULL
/* What luf/check 2 leaves */
#define POISON		0x5a5a5a5a5a5a5a5aULL
/* The word that is looked at. A file that is cut before it has zeros there. */
#define WORD_AT		1024
#define CUT_AT		512
/* A trap instead of a value */
#define TRAP		0x7472617074726170ULL

enum { ACTOR_CPU, READER_CPU, NR_CPUS };

static char path[64], other_path[64];
static char *page, *reuse;
static int fd, pagemap, reclaim_fd, reader_stat_fd, cpus[NR_CPUS], pipe_fds[2];
static uint64_t looks, rests, found;
static bool reads;
static sigjmp_buf after_trap;

static void trapped(int signal)
{
	(void)signal;
	siglongjmp(after_trap, 1);
}

/* No system call but behind a trap: on the way back from one, a CPU may forget entries. */
static void *read_on(void *unused)
{
	const volatile uint64_t *word = (const volatile uint64_t *)(page + WORD_AT);

	(void)unused;
	pin_self(cpus[READER_CPU]);
	reader_stat_fd = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
	if (sigsetjmp(after_trap, 1)) {
		__atomic_store_n(&found, TRAP, __ATOMIC_RELEASE);
		__atomic_store_n(&looks, looks + 1, __ATOMIC_RELEASE);
	}
	for (;;) {
		if (!__atomic_load_n(&reads, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&rests, rests + 1, __ATOMIC_RELEASE);
			continue;
		}
		__atomic_store_n(&found, *word, __ATOMIC_RELEASE);
		__atomic_store_n(&looks, looks + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void wait_for(const uint64_t *count, unsigned int by)
{
	uint64_t from = value_of(count);

	while (value_of(count) < from + by)
		sched_yield();
}

/* What the reader reads in a look that begins now. */
static uint64_t looked(void)
{
	wait_for(&looks, LOOKS);
	return value_of(&found);
}

static void reader_reads(bool on)
{
	__atomic_store_n(&reads, on, __ATOMIC_RELEASE);
	wait_for(on ? &looks : &rests, LOOKS);
}

static uint64_t stat_of(const char *name)
{
	char file[128], text[32];
	ssize_t got;
	int at;

	snprintf(file, sizeof(file), LUF "stats/%s", name);
	at = open(file, O_RDONLY | O_CLOEXEC);
	got = at < 0 ? -1 : read(at, text, sizeof(text) - 1);
	if (got <= 0)
		die_environment("%s: %s", file, strerror(errno));
	close(at);
	text[got] = 0;
	return strtoull(text, NULL, 10);
}

static void set_age(const char *ms)
{
	int at = open(LUF "age_ms", O_WRONLY | O_CLOEXEC);

	if (at < 0 || write(at, ms, strlen(ms)) < 0)
		die_environment("luf/age_ms: %s", strerror(errno));
	close(at);
}

static void fill(void *at, uint64_t value)
{
	uint64_t *words = at;
	size_t i;

	for (i = 0; i < PAGE_WORDS; i++)
		words[i] = value;
}

static void make_file(const char *name, uint64_t value)
{
	uint64_t content[PAGE_WORDS];
	int at = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fill(content, value);
	if (at < 0 || write(at, content, sizeof(content)) != sizeof(content) || fsync(at))
		die_environment("%s: %s", name, strerror(errno));
	close(at);
}

static bool present(void)
{
	return pagemap_entry(pagemap, page) & PAGEMAP_PRESENT;
}

/* Of the reader, small ones and large ones. */
static uint64_t faults_of_reader(void)
{
	uint64_t minor, major;
	char text[512];
	ssize_t got = pread(reader_stat_fd, text, sizeof(text) - 1, 0);
	const char *name_ends;

	if (got <= 0)
		die_environment("stat of a thread: %s", strerror(errno));
	text[got] = 0;
	name_ends = strrchr(text, ')');
	if (!name_ends || sscanf(name_ends + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
				 &minor, &major) != 2)
		die_environment("stat of a thread has no faults");
	return minor + major;
}

/*
 * MADV_PAGEOUT would flush by itself, up to 6.1. Where the flush comes with reclaim, the reader may
 * have mapped the page again before anybody can see that it was gone. Its fault shows that.
 *
 * A call that is asked for more than there is drains all CPUs' lists of new pages before it gives
 * up. The reader's CPU runs a worker for that, and forgets its entries on the way back from it. So
 * a call asks for a single page.
 */
static void reclaim_it(bool flushed)
{
	uint64_t faults = faults_of_reader();
	unsigned int tries = RECLAIMS;

	while (present() && !(flushed && faults_of_reader() > faults)) {
		if (!tries--)
			die_environment("the page is not reclaimed");
		cgroup_reclaim_once(reclaim_fd, "4K");
	}
}

/* --- what happens ------------------------------------------------------------------------- */

/* Where an act has mapped the file's page, too. */
static void *second;

static int open_file(int flags)
{
	int at = open(path, flags | O_CLOEXEC);

	if (at < 0)
		die_environment("%s: %s", path, strerror(errno));
	return at;
}

static void write_by(int flags)
{
	static char content[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
	int at = open_file(O_RDWR | flags);

	fill(content, NEW);
	if (pwrite(at, content, sizeof(content), 0) != sizeof(content))
		die_environment("%s: %s", path, strerror(errno));
	close(at);
}

static void write_file(void)
{
	write_by(0);
}

static void write_direct(void)
{
	write_by(O_DIRECT);
}

static void write_mapped(void)
{
	int at = open_file(O_RDWR);

	second = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, at, 0);
	if (second == MAP_FAILED)
		die_environment("%s: %s", path, strerror(errno));
	fill(second, NEW);
	close(at);
}

/* That flushes, so it comes when the reader has looked. */
static void unmap_second(void)
{
	if (second)
		munmap(second, PAGE_BYTES);
	second = NULL;
}

/* A part of the page. If it were all of it, the kernel would unmap it, and flush by its mark. */
static void punch(void)
{
	int at = open_file(O_RDWR);

	if (fallocate(at, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, CUT_AT, WORD_AT))
		die_environment("a hole in %s: %s", path, strerror(errno));
	close(at);
}

static void empty(void)
{
	close(open_file(O_WRONLY | O_TRUNC));
}

static void cut(void)
{
	if (truncate(path, CUT_AT))
		die_environment("truncate: %s", strerror(errno));
}

static void wait_a_little(void)
{
	usleep(1000);
}

static void write_copy(void)
{
	*(volatile uint64_t *)(page + WORD_AT) = NEW;
}

static void poke(void)
{
	uint64_t value = NEW;
	/* By get_user_pages() */
	int at = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	if (at < 0 || pwrite(at, &value, sizeof(value), (off_t)(uintptr_t)(page + WORD_AT)) !=
			      sizeof(value))
		die_environment("/proc/self/mem: %s", strerror(errno));
	close(at);
}

static void make_guard(void)
{
	if (madvise(page, PAGE_BYTES, MADV_GUARD_INSTALL))
		die_environment("MADV_GUARD_INSTALL: %s", strerror(errno));
}

static void forbid(void)
{
	if (mprotect(page, PAGE_BYTES, PROT_NONE))
		die_environment("mprotect: %s", strerror(errno));
}

static void map_other(void)
{
	int at = open(other_path, O_RDONLY | O_CLOEXEC);

	if (at < 0 || mmap(page, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, at, 0) == MAP_FAILED)
		die_environment("%s: %s", other_path, strerror(errno));
	close(at);
}

/* There is nothing behind that at the page's old place. */
static void move_away(void)
{
	second = mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (second == MAP_FAILED ||
	    mremap(page, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, second) == MAP_FAILED)
		die_environment("mremap: %s", strerror(errno));
}

/* Until the page's frame is one of ours. Nothing here walks the page's own page table. */
static void take_frame(uint64_t frame)
{
	size_t i;

	for (i = 0; i < REUSE_PAGES; i++) {
		char *at = reuse + i * PAGE_BYTES;

		fill(at, FOREIGN);
		if ((pagemap_entry(pagemap, at) & PAGEMAP_FRAME) == frame)
			return;
	}
}

static uint64_t frame;

static void reuse_frame(void)
{
	take_frame(frame);
}

static void hold_reference(void)
{
	struct iovec iov = { page, PAGE_BYTES };

	if (pipe(pipe_fds) || vmsplice(pipe_fds[1], &iov, 1, 0) != (ssize_t)PAGE_BYTES)
		die_environment("vmsplice: %s", strerror(errno));
}

/* In the page cache only; nobody has it mapped, so no flush comes with it. */
static void drop_and_reuse(void)
{
	unsigned int tries = 100;

	close(pipe_fds[0]);
	close(pipe_fds[1]);
	while (tries--)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	take_frame(frame);
}

/*
 * before: while the page is mapped. act: behind it, the reader must find wants. Where the reader may
 * find the old content all the same, wants is OLD: then only FOREIGN is wrong. flushed: before
 * reclaim returns.
 */
static const struct scene {
	const char *name;
	int prot, flags;
	const char *age_ms;
	void (*before)(void);
	void (*act)(void);
	uint64_t wants;
	bool flushed;
} scenes[] = {
	{ "write", PROT_READ, MAP_PRIVATE, "1000", NULL, write_file, NEW, false },
	{ "shared-write", PROT_READ, MAP_SHARED, "1000", NULL, write_file, NEW, false },
	{ "direct", PROT_READ, MAP_PRIVATE, "1000", NULL, write_direct, NEW, false },
	{ "mapped", PROT_READ, MAP_PRIVATE, "1000", NULL, write_mapped, NEW, false },
	{ "punch", PROT_READ, MAP_PRIVATE, "1000", NULL, punch, 0, false },
	{ "truncate", PROT_READ, MAP_PRIVATE, "1000", NULL, cut, 0, false },
	{ "emptied", PROT_READ, MAP_PRIVATE, "1000", NULL, empty, TRAP, false },
	{ "cow", PROT_READ | PROT_WRITE, MAP_PRIVATE, "1000", NULL, write_copy, NEW, false },
	{ "poke", PROT_READ | PROT_WRITE, MAP_PRIVATE, "1000", NULL, poke, NEW, false },
	{ "guard", PROT_READ, MAP_PRIVATE, "1000", NULL, make_guard, TRAP, false },
	{ "protect", PROT_READ, MAP_PRIVATE, "1000", NULL, forbid, TRAP, false },
	{ "unmap", PROT_READ, MAP_PRIVATE, "1000", NULL, map_other, NEW, false },
	{ "move", PROT_READ, MAP_PRIVATE, "1000", NULL, move_away, TRAP, false },
	{ "kept", PROT_READ, MAP_PRIVATE, "1000", hold_reference, drop_and_reuse, OLD, true },
	{ "poison", PROT_READ, MAP_PRIVATE, "1000", NULL, wait_a_little, OLD, false },
	{ "frame", PROT_READ, MAP_PRIVATE, "0", NULL, reuse_frame, OLD, true },
};

struct counts {
	unsigned int tries, deferred, stale, poisoned, wrong;
};

/* The file's page is in memory and mapped, and the reader reads it. */
static void prepare(const struct scene *scene)
{
	reader_reads(false);
	make_file(path, OLD);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || mmap(page, PAGE_BYTES, scene->prot, scene->flags | MAP_FIXED, fd, 0) ==
		      MAP_FAILED)
		die_environment("%s: %s", path, strerror(errno));
	/* The reuse must need no page table, nor find frames of the last try. */
	if (madvise(reuse, REUSE_PAGES * PAGE_BYTES, MADV_DONTNEED))
		die_environment("MADV_DONTNEED: %s", strerror(errno));
	reader_reads(true);
	if (looked() != OLD)
		die_environment("the reader doesn't find the file's content");
	frame = pagemap_entry(pagemap, page) & PAGEMAP_FRAME;
	if (scene->before)
		scene->before();
}

static void play(const struct scene *scene, struct counts *counts)
{
	uint64_t deferred, had;
	bool poisoned;

	prepare(scene);
	deferred = stat_of("flushes_deferred");
	reclaim_it(scene->flushed);
	counts->tries++;
	counts->deferred += stat_of("flushes_deferred") > deferred;
	/* A reader without an entry has faulted the page in again. */
	had = looked();
	poisoned = had == POISON;
	counts->poisoned += poisoned;
	counts->stale += (poisoned || had == OLD) && !present();
	scene->act();
	had = looked();
	if (scene->wants == OLD ? had == FOREIGN : had != scene->wants)
		counts->wrong++;
	unmap_second();
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int tries = 10, nr_cpus, i;
	const struct scene *scene = NULL;
	struct counts counts = { 0 };
	int all[MAX_CPUS];
	pthread_t thread;
	void *neighbour;

	if (argc != 3 && argc != 4)
		die_usage("stale_read CGROUP SCENE [TRIES]");
	if (argc == 4)
		tries = parse_number("TRIES", argv[3], 1, 1000);
	for (i = 0; i < ARRAY_SIZE(scenes); i++)
		if (!strcmp(argv[2], scenes[i].name))
			scene = &scenes[i];
	if (!scene)
		die_usage("there is no scene '%s'", argv[2]);
	nr_cpus = usable_cpus(all, MAX_CPUS);
	if (nr_cpus < NR_CPUS)
		die_environment("needs two CPUs");
	start_watchdog(tries * 20 + 120);
	memcpy(cpus, all, sizeof(cpus));
	cgroup_join(argv[1]);
	reclaim_fd = cgroup_open_reclaim(argv[1]);
	set_age(scene->age_ms);
	scratch_path(path, sizeof(path), "stale-read", 0);
	scratch_path(other_path, sizeof(other_path), "stale-read", 1);
	make_file(other_path, NEW);
	pagemap = open_pagemap();
	/* Alone in its page table, so that nothing else that is done there flushes. */
	page = mmap((void *)0x100000000000UL, PAGE_BYTES, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	reuse = mmap(NULL, REUSE_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	/* To give the page table up would be a flush. */
	neighbour = mmap(page + NEIGHBOUR_AT, PAGE_BYTES, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (page == MAP_FAILED || neighbour == MAP_FAILED || reuse == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	madvise(reuse, REUSE_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	signal(SIGSEGV, trapped);
	signal(SIGBUS, trapped);
	pin_self(cpus[ACTOR_CPU]);
	start_thread(&thread, read_on, NULL);
	for (i = 0; i < tries && !counts.wrong; i++)
		play(scene, &counts);
	unlink(path);
	unlink(other_path);
	say(STDOUT_FILENO, "tries=%u deferred=%u stale=%u poisoned=%u wrong=%u\n", counts.tries,
	    counts.deferred, counts.stale, counts.poisoned, counts.wrong);
	return counts.wrong ? STRESS_DATA_ERROR : STRESS_OK;
}
