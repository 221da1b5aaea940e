/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds BTF blobs for tests. Types get ids 1, 2, ... in the order in which they are added.
 * A later id may be used before its type exists. For a malformed blob, a test gives bad
 * numbers here, or changes the bytes afterwards.
 */
#ifndef TLBBATCH_BTF_BLOB_H
#define TLBBATCH_BTF_BLOB_H

#include <linux/btf.h>
#include "kernel/btf.h"

struct blob {
	u32 words[16384];
	u32 nr_words;
	char strings[32768];
	u32 strings_len;
	u32 nr_types;
	void *data;
	size_t size;
};

static inline void blob_init(struct blob *b)
{
	memset(b, 0, sizeof(*b));
	b->strings_len = 1;
}

static inline u32 blob_string(struct blob *b, const char *s)
{
	u32 off = b->strings_len;
	size_t len = strlen(s) + 1;

	if (len == 1)
		return 0;
	if (off + len > sizeof(b->strings))
		abort();
	memcpy(b->strings + off, s, len);
	b->strings_len += len;
	return off;
}

static inline void blob_word(struct blob *b, u32 word)
{
	if (b->nr_words == ARRAY_SIZE(b->words))
		abort();
	b->words[b->nr_words++] = word;
}

/* Starts a type; its @vlen items have to follow. */
static inline u32 blob_type(struct blob *b, u32 kind, u32 kflag, u32 vlen, const char *name,
			    u32 size_or_type)
{
	blob_word(b, blob_string(b, name));
	blob_word(b, kflag << 31 | kind << 24 | vlen);
	blob_word(b, size_or_type);
	return ++b->nr_types;
}

static inline u32 blob_ref(struct blob *b, u32 kind, const char *name, u32 type)
{
	return blob_type(b, kind, 0, 0, name, type);
}

static inline u32 blob_int(struct blob *b, const char *name, u32 size, u32 bits)
{
	u32 id = blob_type(b, BTF_KIND_INT, 0, 0, name, size);

	blob_word(b, bits);
	return id;
}

static inline u32 blob_array(struct blob *b, u32 type, u32 nr)
{
	u32 id = blob_type(b, BTF_KIND_ARRAY, 0, 0, "", 0);

	blob_word(b, type);
	blob_word(b, type);
	blob_word(b, nr);
	return id;
}

static inline void blob_param(struct blob *b, const char *name, u32 type)
{
	blob_word(b, blob_string(b, name));
	blob_word(b, type);
}

static inline void blob_member(struct blob *b, const char *name, u32 type, u32 offset)
{
	blob_word(b, blob_string(b, name));
	blob_word(b, type);
	blob_word(b, offset);
}

static inline void blob_value(struct blob *b, const char *name, u32 value)
{
	blob_word(b, blob_string(b, name));
	blob_word(b, value);
}

static inline void blob_value64(struct blob *b, const char *name, u64 value)
{
	blob_word(b, blob_string(b, name));
	blob_word(b, (u32)value);
	blob_word(b, (u32)(value >> 32));
}

/* FUNC @name whose prototype is @ret(@param); 0 for no parameter. Returns the id of the FUNC. */
static inline u32 blob_func(struct blob *b, const char *name, u32 ret, u32 param)
{
	u32 proto = blob_type(b, BTF_KIND_FUNC_PROTO, 0, param ? 1 : 0, "", ret);

	if (param)
		blob_param(b, "arg", param);
	return blob_ref(b, BTF_KIND_FUNC, name, proto);
}

/* Lays out header, types and strings in a heap block that ends where the data end. */
static inline void blob_finish(struct blob *b)
{
	u32 types_len = b->nr_words * sizeof(u32);
	struct btf_header hdr = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(hdr),
		.type_len = types_len,
		.str_off = types_len,
		.str_len = b->strings_len,
	};

	b->size = sizeof(hdr) + types_len + b->strings_len;
	b->data = malloc(b->size);
	if (!b->data)
		abort();
	memcpy(b->data, &hdr, sizeof(hdr));
	memcpy((char *)b->data + sizeof(hdr), b->words, types_len);
	memcpy((char *)b->data + sizeof(hdr) + types_len, b->strings, b->strings_len);
}

static inline void blob_free(struct blob *b)
{
	free(b->data);
	b->data = NULL;
}

#endif /* TLBBATCH_BTF_BLOB_H */
