// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds that need another process: a child, which shares the pages by copy on write. It
 * checks what it has, and tells by its exit code what it found.
 */
#include "torture.h"

#include <sys/ptrace.h>

#define CHILD_NOTHING	20	/* nothing wrong, but nothing took effect */
#define CHILD_PAGES	MIB_PAGES

#ifndef SYS_process_madvise
#define SYS_process_madvise	440
#endif

/* Waits for a child. One that the OOM killer took, or that we killed, proves nothing. */
static bool reap(pid_t child)
{
	int status;
	pid_t done;

	do {
		done = waitpid(child, &status, __WALL);
	} while (done < 0 && errno == EINTR);
	if (done < 0)
		die_environment("waitpid: %s", strerror(errno));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return false;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STRESS_DATA_ERROR)
		_exit(STRESS_DATA_ERROR);
	if (!WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != CHILD_NOTHING))
		die_environment("a child ended with status %#x", (unsigned int)status);
	return !WEXITSTATUS(status);
}

static pid_t try_fork(void)
{
	static const int usual[] = { EAGAIN, ENOMEM, EINTR, 0 };
	pid_t child = fork_child();

	if (child < 0)
		refused("fork", usual);
	return child;
}

/*
 * The parent's shadow was storing at the moment of the fork. What the child got may not change
 * any more. It holds the number published last, or the next one, which wasn't published yet.
 */
static void take_live_words(struct worker *worker, size_t first, size_t length)
{
	size_t i;

	for (i = first; i < first + length; i++) {
		const uint64_t *words = page_at(worker, i);
		uint64_t live = worker->live[i];
		struct page_fault fault = { LIVE_WORD, live, words[LIVE_WORD] };

		if (fault.found - live > 1)
			report_fault(worker, i, words, &fault, "a live word after a fork");
		worker->live[i] = fault.found;
	}
}

bool act_fork(struct worker *worker, int argument)
{
	size_t length, first = race_begin(worker, &length);
	pid_t child;
	bool done;

	(void)argument;
	child = try_fork();
	if (!child) {
		if (this_hand->shadow.worker)
			take_live_words(worker, first, length);
		check_snapshot(worker);
	}
	done = child > 0 && reap(child);
	race_end(worker, first, length, "after a fork");
	return done;
}

/* Its own memory, most of which is in swap when it ends. */
static __attribute__((noreturn)) void fill_and_exit(struct worker *worker)
{
	size_t bytes = CHILD_PAGES * PAGE_BYTES, i;
	struct page_content content = { .seed = (uint64_t)getpid(), .sequence = 1 };
	struct page_fault fault;
	unsigned char *base;

	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		_exit(CHILD_NOTHING);
	for (content.id = 1; content.id <= CHILD_PAGES; content.id++)
		content_write(base + (content.id - 1) * PAGE_BYTES, &content);
	madvise(base, bytes, MADV_PAGEOUT);
	for (i = 0; i < CHILD_PAGES / 8; i++) {
		content.id = 1 + rng_below(&worker->rng, CHILD_PAGES);
		if (!content_check(base + (content.id - 1) * PAGE_BYTES, &content, &fault))
			lost("a child's own page", base + (content.id - 1) * PAGE_BYTES, &fault,
			     sizeof(uint64_t));
	}
	/* The parent's pagemap isn't the child's. */
	_exit(pagemap_count(open_pagemap(), base, CHILD_PAGES, PAGEMAP_SWAPPED) ?
	      STRESS_OK : CHILD_NOTHING);
}

/* It ends by itself, or is killed, with much of its memory in swap. */
bool act_exit(struct worker *worker, int argument)
{
	bool kill_it = rng_one_in(&worker->rng, 3);
	unsigned int patience = (unsigned int)rng_below(&worker->rng, 60);
	pid_t child;

	(void)argument;
	child = try_fork();
	if (!child && kill_it)
		fill_and_check(worker->run, CHILD_PAGES, true);
	if (!child)
		fill_and_exit(worker);
	if (child < 0)
		return false;
	if (kill_it) {
		sleep_ms(patience);
		kill(child, SIGKILL);
		reap(child);
		return true;
	}
	return reap(child);
}

/* A child that waits until its parent has done something to it. */
struct patient {
	pid_t pid;
	int go;		/* written to, to let it go on */
};

static bool patient_start(struct patient *patient, struct worker *worker, size_t first,
			  size_t length, void (*arrive)(struct worker *, size_t, size_t))
{
	int ends[2];
	char byte;
	size_t i;

	if (pipe2(ends, O_CLOEXEC))
		die_environment("pipe2: %s", strerror(errno));
	patient->pid = try_fork();
	if (!patient->pid) {
		close(ends[1]);
		/* 0: the parent gave up. */
		if (read(ends[0], &byte, 1) != 1)
			_exit(CHILD_NOTHING);
		arrive(worker, first, length);
		for (i = first; i < first + length; i++) {
			check_copy(worker, i, page_at(worker, i), "another process acted");
			rewrite_page(worker, i);
			check_copy(worker, i, page_at(worker, i), "another process acted");
		}
		_exit(STRESS_OK);
	}
	close(ends[0]);
	patient->go = ends[1];
	if (patient->pid > 0)
		return true;
	close(ends[1]);
	return false;
}

static bool patient_end(const struct patient *patient, bool done)
{
	/* EPIPE: it was killed. */
	if (done && write(patient->go, "g", 1) != 1)
		done = false;
	close(patient->go);
	return reap(patient->pid) && done;
}

static void as_before(struct worker *worker, size_t first, size_t length)
{
	if (this_hand->shadow.worker)
		take_live_words(worker, first, length);
}

bool act_process_madvise(struct worker *worker, int argument)
{
	static const int usual[] = { ESRCH, EAGAIN, EINTR, ENOMEM, 0 };
	static const int advices[] = { MADV_COLD, MADV_PAGEOUT, MADV_WILLNEED };
	int advice = advices[rng_below(&worker->rng, ARRAY_SIZE(advices))];
	size_t length, first = race_begin(worker, &length);
	struct iovec range = { page_at(worker, first), length * PAGE_BYTES };
	struct patient patient;
	bool done = false;
	int fd;

	(void)argument;
	if (patient_start(&patient, worker, first, length, as_before)) {
		fd = (int)syscall(SYS_pidfd_open, patient.pid, 0);
		done = fd >= 0 && syscall(SYS_process_madvise, fd, &range, 1, advice, 0) > 0;
		if (!done)
			refused("process_madvise", usual);
		if (fd >= 0)
			close(fd);
		done = patient_end(&patient, done);
	}
	race_end(worker, first, length, "process_madvise of a child");
	return done;
}

/* The child's pages get the content that would be theirs next. The parent's stay. */
static void is_next(struct worker *worker, size_t first, size_t length)
{
	size_t i;

	for (i = first; i < first + length; i++)
		next_content(worker, i);
}

bool act_remote_write(struct worker *worker, int argument)
{
	static const int usual[] = { ESRCH, EAGAIN, EINTR, ENOMEM, EFAULT, 0 };
	size_t length, first = race_begin(worker, &length), bytes = length * PAGE_BYTES, i;
	struct iovec from = { this_hand->buffer, bytes }, to = { page_at(worker, first), bytes };
	struct patient patient;
	bool done = false;

	(void)argument;
	for (i = 0; i < length; i++) {
		struct page_content content = page_content(worker, first + i);

		content.sequence++;
		content_write(this_hand->buffer + i * PAGE_BYTES, &content);
	}
	if (patient_start(&patient, worker, first, length, is_next)) {
		ssize_t got = process_vm_writev(patient.pid, &from, 1, &to, 1, 0);

		if (got < 0)
			refused("process_vm_writev", usual);
		done = patient_end(&patient, got == (ssize_t)bytes);
	}
	race_end(worker, first, length, "process_vm_writev into a child");
	return done;
}

#define POKED	0x706f6b6564ULL

static void is_poked(struct worker *worker, size_t first, size_t length)
{
	size_t i;

	for (i = first; i < first + length; i++)
		worker->live[i] = POKED + i;
}

static bool poke_all(pid_t child, struct worker *worker, size_t first, size_t length)
{
	struct page_fault fault = { .word = LIVE_WORD };
	size_t i;

	for (i = first; i < first + length; i++) {
		uint64_t *word = (uint64_t *)page_at(worker, i) + LIVE_WORD;

		if (ptrace(PTRACE_POKEDATA, child, word, POKED + i))
			return false;
		errno = 0;
		fault.expected = POKED + i;
		fault.found = (uint64_t)ptrace(PTRACE_PEEKDATA, child, word, NULL);
		if (!errno && fault.found != fault.expected)
			lost("a word that ptrace wrote", word, &fault, sizeof(*word));
	}
	return true;
}

bool act_ptrace(struct worker *worker, int argument)
{
	static const int usual[] = { ESRCH, EIO, EFAULT, ENOMEM, 0 };
	size_t length, first = race_begin(worker, &length);
	struct patient patient;
	bool done = false;
	int status;

	(void)argument;
	if (patient_start(&patient, worker, first, length, is_poked)) {
		done = !ptrace(PTRACE_SEIZE, patient.pid, NULL, NULL) &&
		       !ptrace(PTRACE_INTERRUPT, patient.pid, NULL, NULL) &&
		       waitpid(patient.pid, &status, __WALL) == patient.pid;
		/* It may have been killed. */
		if (done && !WIFSTOPPED(status)) {
			close(patient.go);
			race_end(worker, first, length, "a traced child was killed");
			return false;
		}
		done = done && poke_all(patient.pid, worker, first, length) &&
		       !ptrace(PTRACE_DETACH, patient.pid, NULL, NULL);
		if (!done) {
			refused("ptrace", usual);
			kill(patient.pid, SIGKILL);
		}
		done = patient_end(&patient, done);
	}
	race_end(worker, first, length, "ptrace of a child");
	return done;
}
