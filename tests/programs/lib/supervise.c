// SPDX-License-Identifier: GPL-2.0-only
/*
 * The outermost process. It touches no memory under test, so it outlives the others, and
 * tells what became of them.
 */
#include "supervise.h"
#include "worker.h"

static volatile sig_atomic_t supervised;

static void pass_signal_on(int signal_number)
{
	kill(supervised, signal_number);
}

/* It has only a few pages of memory, and without it nobody would know what was found. */
static void spare_me(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "-1000", 5) != 5)
		say(STDERR_FILENO, "note: the OOM killer may take all of this program\n");
	close(fd);
}

static __attribute__((noreturn)) void wait_and_judge(pid_t child, void (*tell)(void))
{
	int status = wait_child(child);

	if (WIFSIGNALED(status))
		say(STDOUT_FILENO, "result=signal-%d complaints=%" PRIu64 "\n",
		    WTERMSIG(status), *complaints);
	if (tell)
		tell();
	if (*complaints)
		_exit(STRESS_DATA_ERROR);
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	_exit(WTERMSIG(status) == SIGKILL ? STRESS_KILLED : STRESS_ENVIRONMENT);
}

/* Zeroed memory that all processes of this program share, and that is never swapped. */
void *map_shared_locked(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || mlock(memory, bytes))
		die_environment("locked shared memory: %s", strerror(errno));
	return memory;
}

/**
 * supervise() - go on in a child
 * @tell:	what the outermost process does when the child has ended, or NULL
 *
 * SIGTERM and SIGINT are passed on to it. Call it before there are threads.
 * Returns in the child only.
 */
void supervise(void (*tell)(void))
{
	struct sigaction action = {
		.sa_handler = pass_signal_on, .sa_flags = SA_RESTART,
	};
	sigset_t stop, before;
	pid_t child;

	complaints = map_shared_locked(PAGE_BYTES);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGINT);
	sigprocmask(SIG_BLOCK, &stop, &before);
	child = fork_child();
	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return;
	}
	supervised = child;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	spare_me();
	wait_and_judge(child, tell);
}

/**
 * be_killed() - die as by an OOM kill, to test supervise()
 * @when:	"after-wrong": after something was found wrong
 */
void be_killed(const char *when)
{
	if (!strcmp(when, "after-wrong")) {
		complain();
		say(STDERR_FILENO, "wrong bit: none, --killed was given\n");
	}
	raise(SIGKILL);
}
