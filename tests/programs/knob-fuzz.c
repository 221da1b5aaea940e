// SPDX-License-Identifier: GPL-2.0-only
/*
 * knob-fuzz - many writers of one sysfs knob, with good and bad values
 *
 * A good value must be accepted, and a bad one refused with EINVAL or ERANGE. Every value
 * that is read at any time must be a good one: a bad value changes nothing, and no reader
 * sees a half-made change. At the end the knob gets its first value back.
 */
#include "common.h"
#include "rng.h"

#include <ctype.h>

#define MAX_VALUES	64
#define MAX_TEXT	128
#define MAX_THREADS	64
#define MAX_REPORTS	20

struct value {
	char text[MAX_TEXT];
	size_t length;
};

struct fuzz {
	const char *path;
	struct value good[MAX_VALUES], bad[MAX_VALUES];
	size_t nr_good, nr_bad;
	uint64_t writes_wanted;
	uint64_t seed;

	uint64_t writes, accepted, refused, unexpected;
};

struct fuzzer {
	pthread_t thread;
	struct fuzz *fuzz;
	struct rng rng;
};

/* One word of a list. \n, \t, \s (space) and \\ stand for characters that a word can't have. */
static struct value unescape(const char *word)
{
	static const char escapes[] = "n\nt\ts \\\\";
	struct value value = { .length = 0 };

	for (; *word; word++) {
		const char *escape;
		char c = *word;

		if (c == '\\') {
			c = *++word;
			escape = c ? strchr(escapes, c) : NULL;
			if (!escape || (escape - escapes) % 2)
				die_usage("unknown escape in '%s'", word - 1);
			c = escape[1];
		}
		if (value.length + 2 >= sizeof(value.text))
			die_usage("a value is longer than %d characters",
				  MAX_TEXT - 3);
		value.text[value.length++] = c;
	}
	return value;
}

static size_t parse_values(char *list, struct value *values)
{
	char *word, *rest = NULL;
	size_t count = 0;

	for (word = strtok_r(list, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		if (count == MAX_VALUES)
			die_usage("more than %d values", MAX_VALUES);
		values[count++] = unescape(word);
	}
	return count;
}

static void unexpected(struct fuzz *fuzz, const char *what,
		       const struct value *value, int error)
{
	if (__atomic_fetch_add(&fuzz->unexpected, 1, __ATOMIC_RELAXED) <
	    MAX_REPORTS)
		say(STDERR_FILENO, "unexpected: %s: value='%s' errno=%d (%s)\n",
		    what, value->text, error, error ? strerror(error) : "-");
}

/* Like echo: sysfs gets the value by one write to a newly opened file. */
static int write_value(const struct fuzz *fuzz, const struct value *value)
{
	int fd = open(fuzz->path, O_WRONLY | O_CLOEXEC);
	ssize_t written;
	int error = 0;

	if (fd < 0)
		die_environment("%s: %s", fuzz->path, strerror(errno));
	written = write(fd, value->text, value->length);
	if (written < 0)
		error = errno;
	else if ((size_t)written != value->length)
		error = EIO;
	close(fd);
	return error;
}

/* A selection shows all its words, the active one in brackets. */
static void reduce_to_selected(struct value *value)
{
	char *first = memchr(value->text, '[', value->length);
	char *end = first ? strchr(first, ']') : NULL;

	if (!end)
		return;
	value->length = (size_t)(end - first) - 1;
	memmove(value->text, first + 1, value->length);
	value->text[value->length] = 0;
}

static struct value read_value(const struct fuzz *fuzz)
{
	struct value value = { .length = 0 };
	int fd = open(fuzz->path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		die_environment("%s: %s", fuzz->path, strerror(errno));
	got = read(fd, value.text, sizeof(value.text) - 1);
	if (got < 0)
		die_environment("%s: %s", fuzz->path, strerror(errno));
	close(fd);
	while (got && isspace((unsigned char)value.text[got - 1]))
		got--;
	value.text[got] = 0;
	value.length = (size_t)got;
	reduce_to_selected(&value);
	return value;
}

/* 0x20 may be read back as 32, so numbers are compared by value. */
static bool same_value(const char *a, const char *b)
{
	char *end_a, *end_b;
	unsigned long long x = strtoull(a, &end_a, 0);
	unsigned long long y = strtoull(b, &end_b, 0);

	if (end_a == a || end_b == b || *end_a || *end_b)
		return !strcmp(a, b);
	return x == y;
}

static void check_value(struct fuzz *fuzz)
{
	struct value value = read_value(fuzz);
	size_t i;

	for (i = 0; i < fuzz->nr_good; i++)
		if (same_value(value.text, fuzz->good[i].text))
			return;
	unexpected(fuzz, "read what nobody wrote", &value, 0);
}

static void fuzz_once(struct fuzz *fuzz, struct rng *rng)
{
	bool good = !fuzz->nr_bad || rng_one_in(rng, 2);
	struct value value;
	int error;

	value = good ? fuzz->good[rng_below(rng, fuzz->nr_good)] :
		       fuzz->bad[rng_below(rng, fuzz->nr_bad)];
	if (rng_one_in(rng, 2))
		value.text[value.length++] = '\n';
	error = write_value(fuzz, &value);
	value.text[value.length] = 0;
	if (good && error)
		unexpected(fuzz, "a good value was refused", &value, error);
	else if (good)
		__atomic_fetch_add(&fuzz->accepted, 1, __ATOMIC_RELAXED);
	else if (error == EINVAL || error == ERANGE)
		__atomic_fetch_add(&fuzz->refused, 1, __ATOMIC_RELAXED);
	else
		unexpected(fuzz, error ? "a bad value was refused otherwise" :
			   "a bad value was taken", &value, error);
	check_value(fuzz);
}

static void *fuzz_body(void *argument)
{
	struct fuzzer *fuzzer = argument;
	struct fuzz *fuzz = fuzzer->fuzz;

	while (!stress_stop &&
	       __atomic_fetch_add(&fuzz->writes, 1, __ATOMIC_RELAXED) <
	       fuzz->writes_wanted)
		fuzz_once(fuzz, &fuzzer->rng);
	return NULL;
}

static void usage(void)
{
	die_usage("knob-fuzz --file PATH --valid \"1 2 64\" [--invalid \"0 65 -1 x\"] [--writes 1000] [--threads 4] [--seed 1] [--timeout-seconds 300]\nin values: \\n newline, \\s space, \\t tab, \\\\ backslash");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "file", required_argument, NULL, 'f' },
		{ "valid", required_argument, NULL, 'v' },
		{ "invalid", required_argument, NULL, 'i' },
		{ "writes", required_argument, NULL, 'w' },
		{ "threads", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 'r' },
		{ "timeout-seconds", required_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	static struct fuzz fuzz = { .writes_wanted = 1000, .seed = 1 };
	static struct fuzzer fuzzers[MAX_THREADS];
	unsigned int threads = 4, timeout = 300, i;
	uint64_t start_ns = now_ns();
	struct value before;
	int option, error;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			fuzz.path = optarg;
			break;
		case 'v':
			fuzz.nr_good = parse_values(optarg, fuzz.good);
			break;
		case 'i':
			fuzz.nr_bad = parse_values(optarg, fuzz.bad);
			break;
		case 'w':
			fuzz.writes_wanted = parse_number("writes", optarg, 1,
							  1UL << 32);
			break;
		case 't':
			threads = parse_number("threads", optarg, 1,
					       MAX_THREADS);
			break;
		case 'r':
			fuzz.seed = parse_number("seed", optarg, 0, ULONG_MAX);
			break;
		case 'T':
			timeout = parse_number("timeout-seconds", optarg, 1,
					       86400);
			break;
		default:
			usage();
		}
	}
	if (optind != argc || !fuzz.path || !fuzz.nr_good)
		usage();

	start_watchdog(timeout);
	before = read_value(&fuzz);
	/* From here on only good values may be read. */
	error = write_value(&fuzz, &fuzz.good[0]);
	if (error)
		unexpected(&fuzz, "a good value was refused", &fuzz.good[0],
			   error);
	for (i = 0; i < threads; i++) {
		fuzzers[i].fuzz = &fuzz;
		fuzzers[i].rng.state = mix64(fuzz.seed + i);
		start_thread(&fuzzers[i].thread, fuzz_body, &fuzzers[i]);
	}
	for (i = 0; i < threads; i++)
		pthread_join(fuzzers[i].thread, NULL);
	error = write_value(&fuzz, &before);
	if (error)
		unexpected(&fuzz, "the first value can't be put back", &before,
			   error);

	say(STDOUT_FILENO,
	    "writes=%" PRIu64 " good=%" PRIu64 " bad_refused=%" PRIu64 " unexpected=%" PRIu64 " seconds=%.2f\n",
	    fuzz.accepted + fuzz.refused + fuzz.unexpected, fuzz.accepted,
	    fuzz.refused, fuzz.unexpected, seconds_since(start_ns));
	return fuzz.unexpected ? STRESS_DATA_ERROR : STRESS_OK;
}
