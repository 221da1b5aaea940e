// SPDX-License-Identifier: GPL-2.0-only
/*
 * writers - a load whose memory is written to swap by reclaim
 *
 * Threads of one process write to random pages of one mapping that is larger than the
 * memory limit. All of them share one mm, so each unmapped dirty page has to be flushed on
 * every CPU that runs one of them. Batching saves most with this load. It checks nothing;
 * that is verify's job.
 *
 * With --ops it ends after that many writes. So it does equal work, however long that
 * takes, for figures that can't be compared at equal time.
 *
 * With --swapped it goes on until so many pages were written to swap, but LONGER times --seconds at
 * most, and it fails if they weren't. So a crowded machine makes it longer, and not empty.
 *
 * With --cpus the threads stay on the first N CPUs, after the process has
 * run on every CPU for a moment, as one does that the scheduler has moved.
 *
 * With --spinners N a thread spins on each of the CPUs 1 to N, so that a flush interrupts as many,
 * whatever else happens. Use it with --cpus 1.
 *
 * No page is ever read first. That would map the zero page, and the later
 * copy on write would add TLB flushes that have nothing to do with reclaim.
 */
#include "common.h"
#include "rng.h"
#include "spinners.h"
#include "swap.h"

#define MAX_THREADS	256
#define OPS_PER_LOOK	64	/* writes between two looks at the clock */
#define LONGER		30	/* --swapped: at most so many times --seconds */

struct job {
	uint64_t *base;
	size_t pages;
	uint64_t deadline_ns, last_ns;
	uint64_t swap_goal;	/* of swap_writes(), 0: none */
	uint64_t ops;		/* for each thread, UINT64_MAX: until the deadline */
	pthread_barrier_t start;
};

struct writer {
	pthread_t thread;
	struct job *job;
	struct rng rng;
	uint64_t ops;
	int cpu;		/* -1: any */
};

static bool time_is_up(const struct job *job)
{
	uint64_t now = now_ns();

	if (now < job->deadline_ns)
		return false;
	return now >= job->last_ns || !job->swap_goal || swap_writes() >= job->swap_goal;
}

static void *write_pages(void *argument)
{
	struct writer *writer = argument;
	struct job *job = writer->job;
	unsigned int i;

	if (writer->cpu >= 0 && !pin_self(writer->cpu))
		die_environment("a thread can't run on CPU %d", writer->cpu);
	pthread_barrier_wait(&job->start);
	do {
		for (i = 0; i < OPS_PER_LOOK; i++) {
			size_t page = rng_below(&writer->rng, job->pages);
			size_t word = rng_below(&writer->rng, PAGE_WORDS);

			/* Never 0: a page of zeros is not written to swap. */
			__atomic_store_n(job->base + page * PAGE_WORDS + word,
					 rng_next(&writer->rng) | 1,
					 __ATOMIC_RELAXED);
		}
		writer->ops += OPS_PER_LOOK;
	} while (!stress_stop && writer->ops < job->ops && !time_is_up(job));
	return NULL;
}

static uint64_t *map_memory(size_t pages, bool shared, bool thp)
{
	size_t bytes = pages * PAGE_BYTES;
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS |
			  MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		die_environment("mmap of %zu bytes: %s", bytes,
				strerror(errno));
	/*
	 * A huge page is swapped as one folio. Whether there are huge pages depends on the
	 * kernel's default, so two runs could not be compared.
	 */
	if (madvise(base, bytes, thp ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && thp)
		die_environment("MADV_HUGEPAGE: %s", strerror(errno));
	return base;
}

/* The process runs on each CPU, and comes back to the first one. */
static void visit(const int *cpus, unsigned int nr)
{
	while (nr--)
		if (!pin_self(cpus[nr]))
			die_environment("the process can't run on CPU %d", cpus[nr]);
}

static void usage(void)
{
	die_usage("writers [--threads 4] [--mib 160] [--seconds 10] [--ops N] [--swapped PAGES] [--cpus N] [--spinners N] [--shared] [--thp] [--seed 1]");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "mib", required_argument, NULL, 'm' },
		{ "seconds", required_argument, NULL, 's' },
		{ "ops", required_argument, NULL, 'o' },
		{ "swapped", required_argument, NULL, 'w' },
		{ "cpus", required_argument, NULL, 'c' },
		{ "spinners", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 'r' },
		{ "shared", no_argument, NULL, 'S' },
		{ "thp", no_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	unsigned int threads = 4, seconds = 10, nr_cpus = 0, nr_spinners = 0, nr_all, i;
	int cpus[MAX_CPUS];
	static struct writer writers[MAX_THREADS];
	static struct job job;
	bool shared = false, thp = false;
	uint64_t seed = 1, ops = 0, wanted = 0, least = 0, swapped, start_ns;
	size_t mib = 160;
	double elapsed;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 't':
			threads = parse_number("threads", optarg, 1,
					       MAX_THREADS);
			break;
		case 'm':
			mib = parse_number("mib", optarg, 1, 1UL << 20);
			break;
		case 's':
			seconds = parse_number("seconds", optarg, 1, 86400);
			break;
		case 'o':
			wanted = parse_number("ops", optarg, 1, UINT32_MAX);
			break;
		case 'w':
			least = parse_number("swapped", optarg, 1, UINT32_MAX);
			break;
		case 'c':
			nr_cpus = parse_number("cpus", optarg, 1, MAX_CPUS);
			break;
		case 'p':
			nr_spinners = parse_number("spinners", optarg, 1, MAX_CPUS - 1);
			break;
		case 'r':
			seed = parse_number("seed", optarg, 0, ULONG_MAX);
			break;
		case 'S':
			shared = true;
			break;
		case 'T':
			thp = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc)
		usage();

	nr_all = usable_cpus(cpus, MAX_CPUS);
	if (nr_cpus && nr_cpus >= nr_all)
		die_environment("%u CPUs can be used, which are not more than %u", nr_all, nr_cpus);
	start_watchdog(seconds * (least ? LONGER : 4) + 120);
	job.ops = wanted ? (wanted + threads - 1) / threads : UINT64_MAX;
	job.pages = mib * MIB_PAGES;
	job.base = map_memory(job.pages, shared, thp);
	pthread_barrier_init(&job.start, NULL, threads + 1);
	for (i = 0; i < threads; i++) {
		writers[i].job = &job;
		writers[i].rng.state = mix64(seed + i);
		writers[i].cpu = nr_cpus ? cpus[i % nr_cpus] : -1;
		start_thread(&writers[i].thread, write_pages, &writers[i]);
	}

	if (nr_cpus)
		visit(cpus, nr_all);
	spinners_start(nr_spinners);
	swapped = swap_writes();
	start_ns = now_ns();
	job.deadline_ns = start_ns + seconds * NSEC_PER_SEC;
	job.last_ns = start_ns + seconds * LONGER * NSEC_PER_SEC;
	job.swap_goal = least ? swapped + least : 0;
	pthread_barrier_wait(&job.start);
	for (i = 0; i < threads; i++) {
		pthread_join(writers[i].thread, NULL);
		ops += writers[i].ops;
	}
	elapsed = seconds_since(start_ns);
	spinners_stop();

	swapped = swap_writes() - swapped;
	say(STDOUT_FILENO, "ops=%" PRIu64 " ops_per_s=%.1f seconds=%.2f threads=%u mib=%zu memory=%s swapped=%" PRIu64 "\n",
	       ops, (double)ops / elapsed, elapsed, threads, mib,
	       shared ? "shmem" : "anon", swapped);
	if (swapped < least && !stress_stop)
		die_environment("%" PRIu64 " pages were written to swap, not %" PRIu64,
				swapped, least);
	if (ops < wanted && !stress_stop)
		die_environment("%u s are too short for %" PRIu64 " writes",
				seconds, wanted);
	return STRESS_OK;
}
