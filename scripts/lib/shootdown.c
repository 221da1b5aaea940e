// SPDX-License-Identifier: GPL-2.0-only
/*
 * shootdown - measure what a TLB shootdown takes on this machine
 *
 *   shootdown --facts
 *   shootdown SENDER RECEIVERS CALLS ROUNDS SECONDS FANOUT...
 *
 * SENDER is a CPU, RECEIVERS is a comma-separated list of others. A block is a process of its own:
 * on SENDER it calls mprotect() CALLS times, while threads on the first FANOUT of RECEIVERS read
 * the same pages. So each call has to interrupt them. With a fan-out of 0 it interrupts nobody.
 * Each of ROUNDS has a block for each FANOUT, in random order. After SECONDS no round begins.
 * Prints JSON, a line for each block; scripts/calibrate makes figures of them.
 *
 * A call takes the right to write away from more pages than x86 flushes one by one. So it flushes
 * the whole TLB, as the flushes of reclaim do.
 *
 * A receiver reads the TSC without pause. Whatever takes the CPU away from it leaves a gap. The
 * gaps that begin during a call are that call's. In a window of the same length, in which nothing
 * is called, the same sum says what the machine takes anyway. tlbbatch-calibrate(1) says whose
 * method this is.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define PAGE		4096UL
#define PAGES		64UL
#define LINE		64UL
#define CPUS_MAX	1024
#define GAPS_MAX	8192
#define WARM_UP		20
#define FANOUTS_MAX	32
#define PACE_NS		20000
#define GAP_NS		100

struct gap {
	uint64_t at;
	uint64_t length;
};

struct receiver {
	pthread_t thread;
	int cpu;
	uint64_t begun;
	uint64_t ended;
	uint64_t typical;
	size_t gaps;
	struct gap gap[GAPS_MAX];
};

struct call {
	uint64_t from;
	uint64_t to;
	uint64_t quiet_from;
	uint64_t quiet_to;
};

static double tsc_per_ns;
static char *pages;
static unsigned int ready;
static bool stop;

static void die(const char *what)
{
	fprintf(stderr, "shootdown: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The fence keeps what was before in front of the reading. */
static uint64_t ticks(void)
{
	unsigned int aux;
	uint64_t now = __rdtscp(&aux);

	_mm_lfence();
	return now;
}

static void measure_tsc(void)
{
	uint64_t ns = now_ns(), tsc = ticks();

	while (now_ns() - ns < 50000000)
		;
	tsc_per_ns = (double)(ticks() - tsc) / (double)(now_ns() - ns);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void *receive(void *arg)
{
	struct receiver *me = arg;
	uint64_t threshold = (uint64_t)(GAP_NS * tsc_per_ns), last, now;
	unsigned long page = 0;

	run_on(me->cpu);
	me->typical = UINT64_MAX;
	/* Read what the sender doesn't write, so that no cache line moves between them. */
	for (page = 0; page < PAGES; page++)
		(void)*(volatile char *)(pages + page * PAGE + LINE);
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	last = __rdtsc();
	me->begun = last;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		page = (page + 1) % PAGES;
		(void)*(volatile char *)(pages + page * PAGE + LINE);
		now = __rdtsc();
		if (now - last < me->typical)
			me->typical = now - last;
		if (now - last > threshold && me->gaps < GAPS_MAX)
			me->gap[me->gaps++] = (struct gap){ last, now - last };
		last = now;
	}
	me->ended = last;
	return NULL;
}

/* How many TLB interrupts these CPUs have had, or 0 where nothing counts them */
static uint64_t interrupts(const struct receiver *receivers, unsigned int count)
{
	static char line[CPUS_MAX * 16];
	int column[CPUS_MAX], columns = 0;
	uint64_t sum = 0;
	FILE *file = fopen("/proc/interrupts", "r");
	char *at, *end;

	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file))
		for (at = strstr(line, "CPU"); at && columns < CPUS_MAX; at = strstr(at + 3, "CPU"))
			column[columns++] = atoi(at + 3);
	while (fgets(line, sizeof(line), file)) {
		at = line + strspn(line, " ");
		if (strncmp(at, "TLB:", 4))
			continue;
		at += 4;
		for (int i = 0; i < columns; i++, at = end) {
			uint64_t value = strtoull(at, &end, 10);

			for (unsigned int r = 0; r < count; r++)
				if (receivers[r].cpu == column[i])
					sum += value;
		}
	}
	fclose(file);
	return sum;
}

static void wait_until(uint64_t when)
{
	while (__rdtsc() < when)
		_mm_pause();
}

static void protect(int prot)
{
	if (mprotect(pages, PAGES * PAGE, prot))
		die("mprotect");
}

static void send(struct call *call)
{
	uint64_t pace = (uint64_t)(PACE_NS * tsc_per_ns), took;

	for (unsigned long page = 0; page < PAGES; page++)
		*(volatile char *)(pages + page * PAGE) = 1;
	wait_until(__rdtsc() + pace);
	call->from = ticks();
	protect(PROT_READ);
	call->to = ticks();
	took = call->to - call->from;
	call->quiet_from = call->to + pace;
	call->quiet_to = call->quiet_from + took;
	wait_until(call->quiet_to);
	protect(PROT_READ | PROT_WRITE);
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), ascending);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/*
 * Did a receiver run at that moment? If something else had its CPU, the kernel doesn't interrupt
 * it for this process.
 */
static bool ran(const struct receiver *receiver, uint64_t when)
{
	if (when < receiver->begun || when > receiver->ended)
		return false;
	for (size_t i = 0; i < receiver->gaps; i++)
		if (receiver->gap[i].at < when &&
		    receiver->gap[i].at + receiver->gap[i].length > when)
			return false;
	return receiver->gaps < GAPS_MAX;
}

/* What a receiver lost to gaps that began in a window, in ticks */
static double lost(const struct receiver *receiver, uint64_t from, uint64_t to)
{
	double sum = 0;

	for (size_t i = 0; i < receiver->gaps; i++)
		if (receiver->gap[i].at >= from && receiver->gap[i].at < to)
			sum += (double)(receiver->gap[i].length - receiver->typical);
	return sum;
}

/* Only calls count during which all of the receivers ran. */
static void tell(unsigned int round, unsigned int fanout, const struct call *calls, size_t count,
		 const struct receiver *receivers, uint64_t sent)
{
	size_t whole = 0, pairs = 0, seen = 0, quiet_pairs = 0;
	double *took = calloc(count, sizeof(*took));
	double *loss = calloc(count * fanout + 1, sizeof(*loss)), quiet = 0;

	if (!took || !loss)
		die("calloc");
	for (size_t i = 0; i < count; i++) {
		bool all = true;

		for (unsigned int r = 0; r < fanout; r++) {
			all = all && ran(&receivers[r], calls[i].from);
			if (!ran(&receivers[r], calls[i].quiet_from))
				continue;
			quiet += lost(&receivers[r], calls[i].quiet_from, calls[i].quiet_to);
			quiet_pairs++;
		}
		if (!all)
			continue;
		took[whole++] = (double)(calls[i].to - calls[i].from);
		for (unsigned int r = 0; r < fanout; r++) {
			loss[pairs] = lost(&receivers[r], calls[i].from, calls[i].to);
			seen += loss[pairs] > 0;
			pairs++;
		}
	}
	printf("{\"round\": %u, \"receivers\": %u, \"calls\": %zu, \"whole\": %zu", round, fanout,
	       count, whole);
	if (whole)
		printf(", \"sender_ns\": %.1f", median(took, whole) / tsc_per_ns);
	if (pairs)
		printf(", \"receiver_ns\": %.1f, \"seen\": %.3f",
		       median(loss, pairs) / tsc_per_ns, (double)seen / (double)pairs);
	if (quiet_pairs)
		printf(", \"quiet_ns\": %.1f", quiet / (double)quiet_pairs / tsc_per_ns);
	if (fanout)
		printf(", \"interrupts\": %.3f", (double)sent / (double)(count * fanout));
	printf("}\n");
	free(took);
	free(loss);
}

/* One block. A call that takes the right to write away is measured, one that gives it isn't. */
static void block(unsigned int round, int sender, const int *cpus, unsigned int fanout,
		  unsigned int count)
{
	struct receiver *receivers = calloc(fanout + 1, sizeof(*receivers));
	struct call *calls = calloc(count, sizeof(*calls)), unused;
	uint64_t sent;

	if (!receivers || !calls)
		die("calloc");
	run_on(sender);
	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (pages == MAP_FAILED)
		die("mmap");
	/* A huge page would be one entry of the TLB. */
	madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < fanout; i++) {
		receivers[i].cpu = cpus[i];
		errno = pthread_create(&receivers[i].thread, NULL, receive, &receivers[i]);
		if (errno)
			die("pthread_create");
	}
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < fanout)
		sched_yield();
	for (unsigned int i = 0; i < WARM_UP; i++)
		send(&unused);
	sent = interrupts(receivers, fanout);
	for (unsigned int i = 0; i < count; i++)
		send(&calls[i]);
	sent = interrupts(receivers, fanout) - sent;
	__atomic_store_n(&stop, true, __ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < fanout; i++)
		pthread_join(receivers[i].thread, NULL);
	tell(round, fanout, calls, count, receivers, sent);
}

/* Busy loops on each CPU must not outlive whoever wanted them. */
static void end_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		die("prctl");
	if (getppid() != parent)
		exit(1);
}

/* A process of its own has run on no other CPU. So the kernel has no reason to interrupt these. */
static void block_apart(unsigned int round, int sender, const int *cpus, unsigned int fanout,
			unsigned int count)
{
	int status;
	pid_t child, parent = getpid();

	fflush(stdout);
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		end_with(parent);
		block(round, sender, cpus, fanout, count);
		fflush(stdout);
		_exit(ferror(stdout) ? 1 : 0);
	}
	if (waitpid(child, &status, 0) != child || status)
		exit(1);
}

/* Print a text of the CPU's, which has only what a processor's name may have. */
static void tell_text(const char *name, const char *text)
{
	printf(", \"%s\": \"", name);
	for (text += strspn(text, " "); *text; text++)
		if (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\')
			putchar(*text);
	putchar('"');
}

static int tell_facts(void)
{
	union {
		unsigned int reg[13];
		char text[52];
	} u;
	unsigned int a, b, c, d, top;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return 1;
	memset(&u, 0, sizeof(u));
	u.reg[0] = b;
	u.reg[1] = d;
	u.reg[2] = c;
	measure_tsc();
	printf("{\"tsc_khz\": %.0f", tsc_per_ns * 1000000);
	tell_text("vendor", u.text);
	__cpuid(0x80000000, top, b, c, d);
	memset(&u, 0, sizeof(u));
	for (unsigned int i = 0; i < 3 && top >= 0x80000004; i++)
		__cpuid(0x80000002 + i, u.reg[i * 4], u.reg[i * 4 + 1], u.reg[i * 4 + 2],
			u.reg[i * 4 + 3]);
	tell_text("cpu", u.text);
	d = 0;
	if (top >= 0x80000007)
		__cpuid(0x80000007, a, b, c, d);
	printf(", \"invariant_tsc\": %s", d & 0x100 ? "true" : "false");
	__cpuid(1, a, b, c, d);
	memset(&u, 0, sizeof(u));
	if (c & 0x80000000)
		__cpuid(0x40000000, a, u.reg[0], u.reg[1], u.reg[2]);
	printf(", \"virtual\": %s", c & 0x80000000 ? "true" : "false");
	tell_text("hypervisor", u.text);
	printf("}\n");
	return 0;
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value > max) {
		fprintf(stderr, "shootdown: '%s' is no number up to %u\n", text, max);
		exit(2);
	}
	return (unsigned int)value;
}

int main(int argc, char **argv)
{
	unsigned int calls, rounds, seconds, cpu_count = 0, fanouts[FANOUTS_MAX], count = 0;
	int cpus[CPUS_MAX], sender;
	uint64_t begun = now_ns();
	pid_t parent = getppid();

	if (argc == 2 && !strcmp(argv[1], "--facts"))
		return tell_facts();
	if (argc < 7 || argc > 6 + FANOUTS_MAX) {
		fprintf(stderr, "usage: shootdown --facts | SENDER RECEIVERS CALLS ROUNDS SECONDS FANOUT...\n");
		return 2;
	}
	sender = (int)number(argv[1], CPUS_MAX - 1);
	for (char *cpu = strtok(argv[2], ","); cpu && cpu_count < CPUS_MAX; cpu = strtok(NULL, ","))
		cpus[cpu_count++] = (int)number(cpu, CPUS_MAX - 1);
	calls = number(argv[3], GAPS_MAX / 4);
	rounds = number(argv[4], 100000);
	seconds = number(argv[5], 100000);
	while (6 + (int)count < argc) {
		fanouts[count] = number(argv[6 + count], cpu_count);
		count++;
	}
	end_with(parent);
	measure_tsc();
	srandom((unsigned int)now_ns());
	for (unsigned int round = 1; round <= rounds; round++) {
		if (now_ns() - begun > seconds * 1000000000ULL)
			break;
		for (unsigned int i = count - 1; i > 0; i--) {
			unsigned int other = (unsigned int)random() % (i + 1), kept = fanouts[i];

			fanouts[i] = fanouts[other];
			fanouts[other] = kept;
		}
		for (unsigned int i = 0; i < count; i++)
			block_apart(round, sender, cpus, fanouts[i], calls);
	}
	return 0;
}
