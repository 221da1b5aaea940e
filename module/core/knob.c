// SPDX-License-Identifier: GPL-2.0-only
/* What knobs have in common. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "core/knob.h"

/**
 * tlbbatch_knob_parse() - read a decimal number, and nothing else
 * @text: NUL-terminated; a single trailing newline is allowed
 * @len: bytes written, without the NUL
 * @min: smallest value
 * @max: largest value
 * @value: receives the number; unchanged on error
 *
 * Context: any.
 * Return: 0; -EINVAL if @text is no number; -ERANGE if the number is out of range.
 */
int tlbbatch_knob_parse(const char *text, size_t len, unsigned int min,
			unsigned int max, unsigned int *value)
{
	unsigned int parsed;
	int err;

	/* A NUL in the middle would hide what follows it; kstrtouint() accepts a "+". */
	if (strnlen(text, len) != len || !isdigit(text[0]))
		return -EINVAL;
	err = kstrtouint(text, 10, &parsed);
	if (err)
		return err;
	if (parsed < min || parsed > max)
		return -ERANGE;
	*value = parsed;
	return 0;
}

/**
 * tlbbatch_knob_choice() - read a word, and nothing else
 * @names: the words that are allowed
 * @nr: how many
 * @text: NUL-terminated; a single trailing newline is allowed
 * @len: bytes written, without the NUL
 *
 * Context: any.
 * Return: which word; -EINVAL if it is none of them.
 */
int tlbbatch_knob_choice(const char *const *names, size_t nr, const char *text, size_t len)
{
	/* A NUL in the middle would hide what follows it. */
	if (strnlen(text, len) != len)
		return -EINVAL;
	return __sysfs_match_string(names, nr, text);
}
