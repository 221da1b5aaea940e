// SPDX-License-Identifier: GPL-2.0-only
/*
 * records CGROUP SECONDS [USE] - does a reader of mapped files find what the files have?
 *
 * Files consist of pages that tell their file, their place, their version and a checksum. Threads and
 * a process read the pages, each on a CPU of its own, while another thread reclaims them, one writes
 * new versions, and one uses the frames that become free. The files are opened for each write only,
 * so that their flushes may be put off in between. If they stay unwritten, the one that writes isn't there.
 * If he is impatient, he doesn't wait for reclaim: see wait_for_reclaim(). If they are streamed, nobody calls
 * for reclaim, either: the files are larger than a group of 24 MB, and the readers' charges reclaim.
 * USE: unwritten, impatient, streamed.
 *
 * A version is announced before it is written, and published behind that. If nothing is announced that
 * isn't published, a reader must find the published version, whole. Otherwise it must find words of that
 * page, or the zeros of a file that was cut. To cut a file is a version, too: behind it a reader must find
 * nothing.
 *
 * Prints "reads=N meanwhile=N writes=N cuts=N reclaims=N taken=N wrong=N". Reads that a write came
 * across are counted as meanwhile. The numbers are of all readers.
 */
#include "cgroup.h"
#include "common.h"
#include "content.h"
#include "rng.h"
#include <setjmp.h>
#include <sys/stat.h>

#define FILES		4
#define RECORDS		16
#define STREAMED	2048
#define PROCESSES	1
#define MAX_READERS	(MAX_CPUS - 1)
/* Of a file that is cut, the records that are left. It isn't streamed. */
#define CUT_TO		(RECORDS / 2)
#define EAT_PAGES	1024
/*
 * A reader stays with a file for so long. A fault that waits for the disk makes its CPU forget all
 * entries that reclaim has unmapped: so it must come seldom.
 */
#define STAY_MS		1000
/* Long enough for reclaim to unmap pages of all files */
#define PAUSE_MS	60
#define WRITES_PER_OPEN	4
#define OPENS_PER_CUT	3
#define SEED_OF_NOBODY	0xf0
/* Of a version: the file ends before the record. */
#define CUT		(UINT64_C(1) << 63)

struct count {
	uint64_t value;
} __attribute__((aligned(64)));

/* What threads and processes share. It is never swapped. */
static struct shared {
	uint64_t announced[FILES][STREAMED], published[FILES][STREAMED];
	bool over;
	struct count reads[MAX_READERS], meanwhile[MAX_READERS], wrong, taken;
} *shared;

static struct file {
	char path[64];
	const char *base;
} files[FILES];

static uint64_t writes, cuts, reclaims;
static int cpus[MAX_CPUS];
static const char *cgroup;

/* How the files are used: the records of each, and how many of main()'s actors are there. */
static const struct use {
	const char *name;
	size_t records;
	unsigned int actors;
	bool impatient;
} uses[] = {
	{ .name = "", .records = RECORDS, .actors = 2 },
	{ .name = "unwritten", .records = RECORDS, .actors = 1 },
	{ .name = "impatient", .records = RECORDS, .actors = 2, .impatient = true },
	{ .name = "streamed", .records = STREAMED },
};

static const struct use *use;
static _Thread_local sigjmp_buf after_trap;

static bool over(void)
{
	return __atomic_load_n(&shared->over, __ATOMIC_ACQUIRE);
}

static struct page_content content_of(size_t file, size_t record, uint64_t version)
{
	return (struct page_content){ .seed = file + 1, .id = record + 1, .sequence = version };
}

static void trapped(int signal)
{
	(void)signal;
	siglongjmp(after_trap, 1);
}

/* --- reading ------------------------------------------------------------------------------ */

static void say_wrong(size_t file, size_t record, uint64_t version, const uint64_t *found)
{
	__atomic_add_fetch(&shared->wrong.value, 1, __ATOMIC_RELEASE);
	say(STDERR_FILENO,
	    "file %zu, record %zu: version %" PRIu64 " is %s; found: file %" PRIu64
	    ", record %" PRIu64 ", version %" PRIu64 "\n",
	    file + 1, record + 1, version & ~CUT, version & CUT ? "a cut" : "published",
	    found[WORD_SEED], found[WORD_ID], found[WORD_SEQUENCE]);
}

/* Is @found, read while a write came across, of this record or of nothing? */
static bool of_record(const uint64_t *found, const struct page_content *content)
{
	return (!found[WORD_SEED] || found[WORD_SEED] == content->seed) &&
	       (!found[WORD_ID] || found[WORD_ID] == content->id);
}

/* No system call but behind a trap: on the way back from one, a CPU may forget entries. */
static void read_record(size_t file, size_t record, unsigned int reader)
{
	const uint64_t *announced = &shared->announced[file][record];
	uint64_t version = value_of(&shared->published[file][record]);
	const volatile uint64_t *from =
		(const volatile uint64_t *)(files[file].base + record * PAGE_BYTES);
	struct page_content content = content_of(file, record, version);
	uint64_t found[PAGE_WORDS] = { 0 };
	struct page_fault fault;
	bool meanwhile = value_of(announced) != version;
	size_t i;

	/* A file that is cut there has no such page. */
	if (sigsetjmp(after_trap, 0)) {
		meanwhile = value_of(announced) != version;
		if (!meanwhile && !(version & CUT))
			say_wrong(file, record, version, found);
		shared->meanwhile[reader].value++;
		return;
	}
	for (i = 0; i < PAGE_WORDS; i++)
		found[i] = from[i];
	meanwhile |= value_of(announced) != version;
	shared->reads[reader].value++;
	shared->meanwhile[reader].value += meanwhile;
	if (meanwhile ? !of_record(found, &content) :
	    version & CUT || !content_check(found, &content, &fault))
		say_wrong(file, record, version, found);
}

static void read_on(unsigned int reader)
{
	struct rng rng = { .state = reader };

	pin_self(cpus[reader + 1]);
	while (!over()) {
		size_t file = rng_below(&rng, FILES), i = rng_below(&rng, use->records);
		uint64_t end = now_ns() + STAY_MS * NSEC_PER_MSEC;

		for (; now_ns() < end && !over(); i++)
			read_record(file, i % use->records, reader);
	}
}

static void *reader_thread(void *number)
{
	read_on((unsigned int)(uintptr_t)number);
	return NULL;
}

/* --- what happens to the files and their pages ------------------------------------------------ */

static uint64_t next_version(size_t file, size_t record)
{
	return (shared->announced[file][record] & ~CUT) + 1;
}

static void announce(size_t file, size_t record, uint64_t version)
{
	__atomic_store_n(&shared->announced[file][record], version, __ATOMIC_SEQ_CST);
}

static void write_record(int fd, size_t file, size_t record)
{
	struct page_content content = content_of(file, record, next_version(file, record));
	uint64_t page[PAGE_WORDS];

	content_write(page, &content);
	announce(file, record, content.sequence);
	if (pwrite(fd, page, sizeof(page), (off_t)(record * PAGE_BYTES)) != sizeof(page))
		die_environment("pwrite: %s", strerror(errno));
	writes++;
}

/*
 * The kernel unmaps a page, takes it out of the page cache, and flushes later in the same call of
 * reclaim. Who writes the file meanwhile is done before that flush, also without deferral. So a version
 * is published when the calls that had begun before it was written are over.
 */
static void wait_for_reclaim(void)
{
	uint64_t before = value_of(&reclaims);

	while (!use->impatient && value_of(&reclaims) == before && !over())
		sleep_ms(1);
}

static void publish(size_t file)
{
	size_t i;

	/* Then he hasn't waited. */
	if (over())
		return;
	for (i = 0; i < use->records; i++)
		__atomic_store_n(&shared->published[file][i], shared->announced[file][i],
				 __ATOMIC_SEQ_CST);
}

static int open_to_write(size_t file)
{
	int fd = open(files[file].path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		die_environment("%s: %s", files[file].path, strerror(errno));
	return fd;
}

static void close_clean(int fd)
{
	if (fsync(fd))
		die_environment("fsync: %s", strerror(errno));
	close(fd);
}

static void write_some(size_t file, struct rng *rng)
{
	int fd = open_to_write(file);
	unsigned int i;

	/* What is reclaimed from now on must be flushed at once: no event comes any more. */
	sleep_ms(PAUSE_MS);
	for (i = 0; i < WRITES_PER_OPEN; i++)
		write_record(fd, file, rng_below(rng, RECORDS));
	close_clean(fd);
	wait_for_reclaim();
	publish(file);
}

/* Its second half goes, by its path: to open the file would be an event of its own. */
static void cut(size_t file)
{
	size_t i;
	int fd;

	for (i = CUT_TO; i < RECORDS; i++)
		announce(file, i, next_version(file, i) | CUT);
	if (truncate(files[file].path, CUT_TO * PAGE_BYTES))
		die_environment("truncate: %s", strerror(errno));
	cuts++;
	wait_for_reclaim();
	publish(file);
	sleep_ms(PAUSE_MS);
	fd = open_to_write(file);
	for (i = CUT_TO; i < RECORDS; i++)
		write_record(fd, file, i);
	close_clean(fd);
	wait_for_reclaim();
	publish(file);
}

static void *write_on(void *unused)
{
	struct rng rng = { .state = MAX_READERS };

	(void)unused;
	while (!over()) {
		size_t file = rng_below(&rng, FILES);

		if (rng_one_in(&rng, OPENS_PER_CUT))
			cut(file);
		else
			write_some(file, &rng);
		sleep_ms(PAUSE_MS);
	}
	return NULL;
}

static void *reclaim_on(void *unused)
{
	int fd = cgroup_open_reclaim(cgroup);

	(void)unused;
	while (!over()) {
		cgroup_reclaim_once(fd, "64K");
		__atomic_store_n(&reclaims, reclaims + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/*
 * Whole pages that look like records, of a file that isn't there. To give them back is a flush, so this is
 * a process: the readers are to keep their entries.
 */
static void take_frames(unsigned int cpu)
{
	char *base = mmap(NULL, EAT_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct page_content content = { .seed = SEED_OF_NOBODY, .id = 1, .sequence = 1 };
	size_t i;

	pin_self(cpus[cpu]);
	if (base == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	madvise(base, EAT_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	while (!over()) {
		for (i = 0; i < EAT_PAGES && !over(); i++, shared->taken.value++)
			content_write(base + i * PAGE_BYTES, &content);
		madvise(base, EAT_PAGES * PAGE_BYTES, MADV_DONTNEED);
		sleep_ms(PAUSE_MS);
	}
}

static pid_t start_process(void (*body)(unsigned int), unsigned int argument)
{
	pid_t child = fork_child();

	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (!child) {
		body(argument);
		_exit(STRESS_OK);
	}
	return child;
}

/* --- all of it ---------------------------------------------------------------------------------- */

static void make_files(void)
{
	size_t file, record;

	for (file = 0; file < FILES; file++) {
		int fd;

		scratch_path(files[file].path, sizeof(files[file].path), "records", file);
		fd = open_to_write(file);
		for (record = 0; record < use->records; record++)
			write_record(fd, file, record);
		close_clean(fd);
		publish(file);
		fd = open(files[file].path, O_RDONLY | O_CLOEXEC);
		/* One each: where a file is mapped in both ways, both must do. */
		files[file].base = mmap(NULL, use->records * PAGE_BYTES, PROT_READ,
					file % 2 ? MAP_SHARED : MAP_PRIVATE, fd, 0);
		if (fd < 0 || files[file].base == MAP_FAILED)
			die_environment("%s: %s", files[file].path, strerror(errno));
		close(fd);
	}
}

static void remove_files(void)
{
	size_t file;

	for (file = 0; file < FILES; file++)
		unlink(files[file].path);
}

static void wait_until_over(unsigned int seconds)
{
	uint64_t end = now_ns() + seconds * NSEC_PER_SEC;

	while (now_ns() < end && !stress_stop && !value_of(&shared->wrong.value))
		sleep_ms(PAUSE_MS);
	__atomic_store_n(&shared->over, true, __ATOMIC_RELEASE);
}

static uint64_t sum_of(const struct count *counts)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < MAX_READERS; i++)
		sum += counts[i].value;
	return sum;
}

static const struct use *use_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uses); i++)
		if (!strcmp(uses[i].name, name))
			return &uses[i];
	die_usage("records CGROUP SECONDS [unwritten | impatient | streamed]");
}

int main(int argc, char **argv)
{
	/* It is left by siglongjmp(), and must come again. */
	const struct sigaction trap = { .sa_handler = trapped, .sa_flags = SA_NODEFER };
	void *(*const actors[])(void *) = { reclaim_on, write_on };
	pthread_t acts[ARRAY_SIZE(actors)], threads[MAX_READERS];
	unsigned int seconds, nr_readers, nr_threads, i;
	pid_t reader, taker;

	use = use_of(argc == 3 ? "" : argc == 4 ? argv[3] : "none");
	cgroup = argv[1];
	seconds = parse_number("SECONDS", argv[2], 1, 36000);
	nr_readers = usable_cpus(cpus, MAX_CPUS) - 1;
	if (nr_readers < PROCESSES + 1)
		die_environment("needs %d CPUs", PROCESSES + 2);
	nr_threads = nr_readers - PROCESSES;
	start_watchdog(seconds + 300);
	cgroup_join(cgroup);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || mlock(shared, sizeof(*shared)))
		die_environment("shared memory: %s", strerror(errno));
	make_files();
	writes = 0;
	if (sigaction(SIGBUS, &trap, NULL))
		die_environment("sigaction: %s", strerror(errno));
	reader = start_process(read_on, nr_threads);
	taker = start_process(take_frames, 0);
	for (i = 0; i < nr_threads; i++)
		start_thread(&threads[i], reader_thread, (void *)(uintptr_t)i);
	pin_self(cpus[0]);
	for (i = 0; i < use->actors; i++)
		start_thread(&acts[i], actors[i], NULL);
	wait_until_over(seconds);
	for (i = 0; i < use->actors; i++)
		pthread_join(acts[i], NULL);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	/* What somebody has found counts, whoever was killed since. */
	if ((wait_child(reader) | wait_child(taker)) && !shared->wrong.value)
		die_environment("a process didn't end well");
	remove_files();
	say(STDOUT_FILENO,
	    "reads=%" PRIu64 " meanwhile=%" PRIu64 " writes=%" PRIu64 " cuts=%" PRIu64
	    " reclaims=%" PRIu64 " taken=%" PRIu64 " wrong=%" PRIu64 "\n",
	    sum_of(shared->reads), sum_of(shared->meanwhile), writes, cuts, reclaims,
	    shared->taken.value, shared->wrong.value);
	return shared->wrong.value ? STRESS_DATA_ERROR : STRESS_OK;
}
