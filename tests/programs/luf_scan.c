// SPDX-License-Identifier: GPL-2.0-only
/*
 * luf_scan - pinned threads, and a fixed amount of work for reclaim
 *
 *   pageout   the first --workers of the threads touch their part of the mapping, each
 *             page, and page it out again by MADV_PAGEOUT, --chunk pages a call, --rounds
 *             times; the others spin, so that each flush has another CPU to go to
 *   hold      touch all of the mapping, say "ready", stay until SIGTERM: memory for
 *             someone else to reclaim
 *   scan      read the mapping from end to end until --pages pages have been read
 *   pread     read one byte of each page of --file by pread(), from its start again at
 *             the end, until --pages have been read
 *   alloc     map anonymous memory, touch each page, unmap it, until --pages pages have
 *             been touched
 *
 * The mapping is a file, read-only and shared, or without --file anonymous memory,
 * which is written to. It checks nothing; that is verify's job.
 */
#include "common.h"

#include <sys/stat.h>

#define MAX_THREADS	64
#define LINE_BYTES	64
#define SPIN_NS		(200UL * 1000)
#define NAP_NS		(1000L * 1000)

/* From SCAN on each has a fixed amount of work. */
enum job { PAGEOUT, HOLD, SCAN, PREAD, ALLOC };

static const char *const job_names[] = {
	[PAGEOUT] = "pageout", [HOLD] = "hold", [SCAN] = "scan", [PREAD] = "pread",
	[ALLOC] = "alloc",
};

static struct {
	enum job job;
	const char *file;
	int fd;				/* of the file, for PREAD */
	volatile char *base;
	size_t pages;			/* in the mapping; for ALLOC in one of each thread */
	unsigned int threads;
	unsigned int workers;
	unsigned int rounds;
	size_t chunk;			/* pages of one MADV_PAGEOUT */
	size_t work;			/* pages, all threads together */
	pthread_barrier_t start;
	pthread_barrier_t touched;
	unsigned int busy;		/* workers that have not ended, atomic */
} run = {
	.threads = 4, .workers = 1, .rounds = 1, .chunk = 32,
};

struct part {
	pthread_t thread;
	unsigned int nr;
	int cpu;
	size_t first;
	size_t pages;
	size_t done;
	uint64_t sum;
};

static void touch(struct part *part)
{
	volatile char *page = run.base + part->first * PAGE_BYTES;
	size_t i;

	for (i = 0; i < part->pages; i++, page += PAGE_BYTES) {
		if (run.file)
			part->sum += (unsigned char)*page;
		else
			*page = (char)(i | 1);
	}
	part->done += part->pages;
}

static void page_out(struct part *part)
{
	size_t at, length;

	for (at = 0; at < part->pages; at += run.chunk) {
		length = part->pages - at < run.chunk ? part->pages - at : run.chunk;
		if (madvise((void *)(run.base + (part->first + at) * PAGE_BYTES),
			    length * PAGE_BYTES, MADV_PAGEOUT))
			die_environment("MADV_PAGEOUT: %s", strerror(errno));
	}
}

/* These threads stay in the mm's mask, and touch no page of the mapping. */
static void spin(void)
{
	while (!stress_stop && __atomic_load_n(&run.busy, __ATOMIC_RELAXED))
		;
}

/*
 * The same with naps, which leave an emulator time for other CPUs. The first flush takes an
 * idle CPU out of the mask until it runs again. So don't use this to count flushes.
 */
static void spin_and_nap(void)
{
	struct timespec nap = { .tv_nsec = NAP_NS };
	uint64_t until_ns;

	while (!stress_stop) {
		until_ns = now_ns() + SPIN_NS;
		while (now_ns() < until_ns)
			;
		nanosleep(&nap, NULL);
	}
}

/*
 * Reads every cache line, as a program that wants the data. At the end it begins again at
 * the start.
 */
static void scan(struct part *part, size_t work)
{
	while (part->done < work && !stress_stop) {
		volatile char *page = run.base +
			(part->first + part->done % part->pages) * PAGE_BYTES;
		size_t byte;

		for (byte = 0; byte < PAGE_BYTES; byte += LINE_BYTES)
			part->sum += (unsigned char)page[byte];
		part->done++;
	}
}

/* The smallest thing that a process can ask of the page cache. */
static void read_bytes(struct part *part, size_t work)
{
	while (part->done < work && !stress_stop) {
		off_t page = (off_t)(part->first + part->done % part->pages);
		unsigned char byte;

		if (pread(run.fd, &byte, 1, page * (off_t)PAGE_BYTES) != 1)
			die_environment("pread: %s", strerror(errno));
		part->sum += byte;
		part->done++;
	}
}

static char *map_anonymous(size_t pages)
{
	void *base = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		die_environment("mmap of %zu pages: %s", pages, strerror(errno));
	/*
	 * Two runs can't be compared if some pages are huge: a huge page has one flush and
	 * one fault.
	 */
	madvise(base, pages * PAGE_BYTES, MADV_NOHUGEPAGE);
	return base;
}

static void alloc(struct part *part, size_t work)
{
	while (part->done < work && !stress_stop) {
		volatile char *base = map_anonymous(run.pages);
		size_t i;

		for (i = 0; i < run.pages && part->done < work; i++, part->done++)
			base[i * PAGE_BYTES] = 1;
		munmap((void *)base, run.pages * PAGE_BYTES);
	}
}

static void *body(void *argument)
{
	struct part *part = argument;
	unsigned int round;

	if (!pin_self(part->cpu))
		die_environment("CPU %d: %s", part->cpu, strerror(errno));
	pthread_barrier_wait(&run.start);
	switch (run.job) {
	case PAGEOUT:
		if (part->nr >= run.workers) {
			spin();
			break;
		}
		for (round = 0; round < run.rounds && !stress_stop; round++) {
			touch(part);
			page_out(part);
		}
		__atomic_sub_fetch(&run.busy, 1, __ATOMIC_RELAXED);
		/*
		 * A worker that has ended isn't idle until all have ended, so that the last
		 * one still has a CPU to flush.
		 */
		spin();
		break;
	case HOLD:
		touch(part);
		pthread_barrier_wait(&run.touched);
		if (part->nr == 0)
			say(STDOUT_FILENO, "ready\n");
		spin_and_nap();
		break;
	case SCAN:
		scan(part, run.work / run.threads);
		break;
	case PREAD:
		read_bytes(part, run.work / run.threads);
		break;
	case ALLOC:
		alloc(part, run.work / run.threads);
		break;
	}
	return NULL;
}

static char *map_file(const char *name, size_t *pages)
{
	struct stat status;
	size_t there;
	void *base;
	int fd;

	/*
	 * The mapping is read-only. A file that may be written through a mapping is another
	 * case.
	 */
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		die_environment("%s: %s", name, strerror(errno));
	there = (size_t)status.st_size / PAGE_BYTES;
	if (!*pages)
		*pages = there;
	if (!there || *pages > there)
		die_environment("%s has %zu pages, not %zu", name, there, *pages);
	base = mmap(NULL, *pages * PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		die_environment("mmap of %s: %s", name, strerror(errno));
	run.fd = fd;
	/* No readahead: each page is read by itself, whether it is in the cache or not. */
	if (run.job == PREAD) {
		if (posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
			die_environment("POSIX_FADV_RANDOM of %s", name);
		return base;
	}
	/* No readahead: folios have one page, and are on the LRU of the CPU that pages them out. */
	if (run.job == PAGEOUT && madvise(base, *pages * PAGE_BYTES, MADV_RANDOM))
		die_environment("MADV_RANDOM: %s", strerror(errno));
	close(fd);
	return base;
}

static void usage(void)
{
	die_usage("luf_scan --do pageout|hold|scan|pread|alloc [--file F] [--mib N] [--threads 4] [--workers 1] [--rounds 1] [--chunk 32] [--pages N] [--seconds 300]");
}

static void parse(int argc, char **argv, unsigned int *seconds)
{
	static const struct option options[] = {
		{ "do", required_argument, NULL, 'd' },
		{ "file", required_argument, NULL, 'f' },
		{ "mib", required_argument, NULL, 'm' },
		{ "threads", required_argument, NULL, 't' },
		{ "workers", required_argument, NULL, 'w' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "chunk", required_argument, NULL, 'c' },
		{ "pages", required_argument, NULL, 'p' },
		{ "seconds", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	bool chosen = false;
	int option;
	size_t i;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			for (i = 0; i < ARRAY_SIZE(job_names); i++) {
				if (!strcmp(optarg, job_names[i])) {
					run.job = (enum job)i;
					chosen = true;
				}
			}
			break;
		case 'f':
			run.file = optarg;
			break;
		case 'm':
			run.pages = parse_number("mib", optarg, 1, 1UL << 20) * MIB_PAGES;
			break;
		case 't':
			run.threads = parse_number("threads", optarg, 1, MAX_THREADS);
			break;
		case 'w':
			run.workers = parse_number("workers", optarg, 1, MAX_THREADS);
			break;
		case 'r':
			run.rounds = parse_number("rounds", optarg, 1, 1000000);
			break;
		case 'c':
			run.chunk = parse_number("chunk", optarg, 1, 1UL << 20);
			break;
		case 'p':
			run.work = parse_number("pages", optarg, 1, ULONG_MAX);
			break;
		case 's':
			*seconds = parse_number("seconds", optarg, 1, 86400);
			break;
		default:
			usage();
		}
	}
	if (optind != argc || !chosen)
		usage();
	if (!run.work && run.job >= SCAN)
		die_usage("%s needs --pages", job_names[run.job]);
	if (!run.pages && !run.file)
		die_usage("neither --file nor --mib");
	if (run.workers > run.threads)
		die_usage("more workers than threads");
	if (run.job == ALLOC && run.file)
		die_usage("alloc has no file");
	if (run.job == PREAD && !run.file)
		die_usage("pread needs a file");
}

int main(int argc, char **argv)
{
	static struct part parts[MAX_THREADS];
	unsigned int seconds = 300, sharers, cpu_count, i;
	int cpus[MAX_CPUS];
	uint64_t start_ns;
	size_t done = 0;
	double elapsed;

	parse(argc, argv, &seconds);
	start_watchdog(seconds);
	if (run.file)
		run.base = map_file(run.file, &run.pages);
	else if (run.job != ALLOC)
		run.base = map_anonymous(run.pages);

	cpu_count = usable_cpus(cpus, MAX_CPUS);
	sharers = run.job == PAGEOUT ? run.workers : run.threads;
	if (run.job != ALLOC && run.pages < sharers)
		die_usage("fewer pages than threads");
	run.busy = run.workers;
	pthread_barrier_init(&run.start, NULL, run.threads + 1);
	pthread_barrier_init(&run.touched, NULL, run.threads);
	for (i = 0; i < run.threads; i++) {
		parts[i].nr = i;
		parts[i].cpu = cpus[i % cpu_count];
		if (i < sharers) {
			parts[i].first = run.pages / sharers * i;
			parts[i].pages = run.pages / sharers;
		}
		start_thread(&parts[i].thread, body, &parts[i]);
	}
	start_ns = now_ns();
	pthread_barrier_wait(&run.start);
	for (i = 0; i < run.threads; i++) {
		pthread_join(parts[i].thread, NULL);
		done += parts[i].done;
	}
	elapsed = seconds_since(start_ns);
	say(STDOUT_FILENO, "job=%s pages=%zu seconds=%.3f pages_per_s=%.1f threads=%u memory=%s\n",
	    job_names[run.job], done, elapsed, (double)done / elapsed, run.threads,
	    run.file ? "file" : "anon");
	if (run.job >= SCAN && stress_stop)
		die_environment("ended early");
	return STRESS_OK;
}
