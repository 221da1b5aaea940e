// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutated blobs: whatever the bytes are, every look-up must end, stay inside the blob
 * (AddressSanitizer watches) and return a documented error. The mutations are the same in
 * every run. A failure names its round.
 */
#include "btf_blob.h"
#include "rnd.h"
#include "tap.h"

#define ROUNDS	20000

static struct blob blob;
/* Every kind at least once, and something for each look-up to find. */
static void build(void)
{
	u32 i, page, pagep, anon, cb, id;

	blob_init(&blob);
	i = blob_int(&blob, "int", 4, 32);
	page = blob_type(&blob, BTF_KIND_FWD, 0, 0, "page", 0);
	pagep = blob_ref(&blob, BTF_KIND_PTR, "", blob_ref(&blob, BTF_KIND_CONST, "", page));
	cb = blob_type(&blob, BTF_KIND_FUNC_PROTO, 0, 2, "", pagep);
	blob_param(&blob, "", i);
	blob_param(&blob, "", 0);
	cb = blob_ref(&blob, BTF_KIND_PTR, "", cb);

	anon = blob_type(&blob, BTF_KIND_UNION, 0, 2, "", 8);
	blob_member(&blob, "a", i, 0);
	blob_member(&blob, "b", pagep, 0);
	id = blob_type(&blob, BTF_KIND_STRUCT, 1, 4, "sc", 32);
	blob_member(&blob, "number", i, 0);
	blob_member(&blob, "bits", i, 3 << 24 | 32);
	blob_member(&blob, "", anon, 64);
	blob_member(&blob, "target", pagep, 128);

	id = blob_ref(&blob, BTF_KIND_VOLATILE, "", id);
	id = blob_ref(&blob, BTF_KIND_TYPE_TAG, "tag", id);
	id = blob_ref(&blob, BTF_KIND_RESTRICT, "", blob_ref(&blob, BTF_KIND_PTR, "", id));
	id = blob_ref(&blob, BTF_KIND_TYPEDEF, "sc_t", id);
	blob_func(&blob, "simple", i, id);
	blob_func(&blob, "array", 0, blob_ref(&blob, BTF_KIND_PTR, "", blob_array(&blob, cb, 4)));
	blob_func(&blob, "twice", i, i);
	blob_func(&blob, "twice", i, i);

	blob_type(&blob, BTF_KIND_ENUM, 1, 2, "", 4);
	blob_value(&blob, "ONE", 1);
	blob_value(&blob, "MINUS", -1);
	blob_type(&blob, BTF_KIND_ENUM64, 0, 1, "e64", 8);
	blob_value64(&blob, "WIDE", 1ULL << 40);
	blob_type(&blob, BTF_KIND_FLOAT, 0, 0, "double", 8);
	id = blob_ref(&blob, BTF_KIND_VAR, "variable", i);
	blob_word(&blob, 1);
	blob_type(&blob, BTF_KIND_DATASEC, 0, 1, ".data", 4);
	blob_member(&blob, "", id, 4);
	blob_ref(&blob, BTF_KIND_DECL_TAG, "decl", id);
	blob_word(&blob, (u32)-1);
	blob_finish(&blob);
}

/*
 * Makes one to four changes anywhere. In half of the rounds it leaves the header alone, so
 * that more blobs open.
 */
static size_t mutate(u8 *data, size_t size)
{
	static const u32 interesting[] = {
		0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff, 0xffffff, 0x0cffffff,
		0x04000001, 0x0d000000, 0x84000002, 0x13000002, 0x12000000,
	};
	size_t from = rnd(2) ? sizeof(struct btf_header) : 0;
	u32 changes = 1 + rnd(4);
	u32 word;

	while (changes--) {
		size_t at = from + rnd(size - from);
		size_t at_word = min(at & ~(size_t)3, size - sizeof(word));

		switch (rnd(5)) {
		case 0:
			data[at] ^= 1 << rnd(8);
			break;
		case 1:
			data[at] = rnd(256);
			break;
		case 2:
			word = interesting[rnd(ARRAY_SIZE(interesting))];
			memcpy(data + at_word, &word, sizeof(word));
			break;
		case 3:		/* another type's id, most likely */
			word = rnd(blob.nr_types + 2);
			memcpy(data + at_word, &word, sizeof(word));
			break;
		default:	/* a word from elsewhere */
			word = 4 * rnd(size / 4);
			memmove(data + at_word, data + word, sizeof(word));
		}
	}
	return rnd(8) ? size : rnd(size + 1);
}

static bool documented(int ret)
{
	switch (ret) {
	case 0:
	case -EINVAL:
	case -ENOENT:
	case -ENOSPC:
	case -ERANGE:
	case -EPROTOTYPE:
	case -EOPNOTSUPP:
		return true;
	default:
		return false;
	}
}

/* Returns how many look-ups succeeded, or -1 if one broke its promise. */
static int look_up_all(const struct tlbbatch_btf *btf)
{
	static const char * const funcs[] = { "simple", "array", "twice" };
	static const char * const members[] = { "number", "bits", "a", "b", "target", "nosuch" };
	static const char * const values[] = { "ONE", "MINUS", "WIDE" };
	int good = 0, ret;
	char buf[64];
	u32 number, i;
	s64 value;

	for (i = 0; i < ARRAY_SIZE(funcs); i++) {
		/* The buffer is a block of its own, so that a write beyond it is seen. */
		size_t size = 1 + rnd(sizeof(buf));
		char *text = malloc(size);

		memset(text, 'x', size);
		ret = tlbbatch_btf_func_proto(btf, funcs[i], text, size);
		if (!documented(ret) || strnlen(text, size) == size)
			good = -1000;
		if (!ret && tlbbatch_btf_check_proto(btf, funcs[i], text, buf, sizeof(buf)))
			good = -1000;
		good += !ret;
		free(text);
	}
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		ret = tlbbatch_btf_member_offset(btf, "sc", members[i], &number);
		good += documented(ret) ? !ret : -1000;
		ret = tlbbatch_btf_check_member(btf, "sc", members[i], "const struct page *",
						&number, buf, sizeof(buf));
		good += documented(ret) ? !ret : -1000;
	}
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		ret = tlbbatch_btf_enumerator(btf, values[i], &value);
		good += documented(ret) ? !ret : -1000;
	}
	ret = tlbbatch_btf_struct_size(btf, "sc", &number);
	good += documented(ret) ? !ret : -1000;
	return good < 0 ? -1 : good;
}

int main(void)
{
	u32 round, opened = 0, whole = 0, broken = 0;
	struct tlbbatch_btf btf;
	int all;

	build();
	ok_int(tlbbatch_btf_open(&btf, blob.data, blob.size), 0, "the unchanged blob opens");
	all = look_up_all(&btf);
	tlbbatch_btf_close(&btf);
	/* A prototype may not fit in its random buffer; all the others are found. */
	ok(all >= 11, "%d look-ups succeed in the unchanged blob", all);

	for (round = 0; round < ROUNDS; round++) {
		u8 *copy = malloc(blob.size);
		size_t size;
		u8 *data;
		int ret;

		memcpy(copy, blob.data, blob.size);
		size = mutate(copy, blob.size);
		data = malloc(size ? size : 1);
		memcpy(data, copy, size);
		free(copy);

		ret = tlbbatch_btf_open(&btf, data, size);
		if (!ret) {
			int good = look_up_all(&btf);

			opened++;
			whole += good >= all;
			if (good < 0)
				ret = 1;
		}
		if (!documented(ret)) {
			broken++;
			printf("# round %u: a look-up broke its promise\n", round);
		}
		tlbbatch_btf_close(&btf);
		free(data);
	}
	ok(!broken, "%u mutated blobs: every look-up ended with a documented result", ROUNDS);
	ok(opened > ROUNDS / 10, "enough of the blobs were well-formed enough to open: %u", opened);
	ok(opened - whole > ROUNDS / 20, "in enough of the opened blobs a look-up failed: %u", opened - whole);
	blob_free(&blob);
	return tap_done();
}
