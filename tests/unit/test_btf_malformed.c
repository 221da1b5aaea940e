// SPDX-License-Identifier: GPL-2.0-only
/* Malformed blobs: they are refused, in finite time, without a read outside of the blob. */
#include "btf_blob.h"
#include "tap.h"

static struct blob blob;
static struct tlbbatch_btf btf;

static struct btf_header *header(void)
{
	return blob.data;
}

/* A small well-formed blob to spoil. */
static void good_blob(void)
{
	u32 i;

	blob_init(&blob);
	i = blob_int(&blob, "int", 4, 32);
	blob_func(&blob, "f", i, i);
	blob_finish(&blob);
}

static void want_open(int ret, const char *name)
{
	int got = tlbbatch_btf_open(&btf, blob.data, blob.size);

	ok_int(got, ret, name);
	if (got)
		ok(!btf.offsets && !btf.nr_types && !btf.types, "  and leaves nothing behind");
	tlbbatch_btf_close(&btf);
	tlbbatch_btf_close(&btf);	/* twice does no harm */
	blob_free(&blob);
}

#define SPOILED(change, ret, name) do {		\
	good_blob();				\
	change;					\
	want_open(ret, name);			\
} while (0)

static void test_headers(void)
{
	SPOILED((void)0, 0, "the blob that is to be spoiled");
	SPOILED(header()->magic = 0x9feb, -EINVAL, "magic of the other byte order");
	SPOILED(header()->magic = 0, -EINVAL, "no magic");
	SPOILED(header()->version = 2, -EOPNOTSUPP, "another version");
	SPOILED(header()->flags = 1, -EOPNOTSUPP, "unknown flags");
	SPOILED(header()->hdr_len = 20, -EINVAL, "a header too short");
	SPOILED(header()->hdr_len = 25, -EINVAL, "a header of odd length");
	SPOILED(header()->hdr_len = blob.size + 4, -EINVAL, "a header longer than all");
	SPOILED(header()->hdr_len = 0xfffffffc, -EINVAL, "a header of 4 GiB");
	SPOILED(header()->type_off = 0xfffffffc, -EINVAL, "types that start far away");
	SPOILED(header()->type_off = 2, -EINVAL, "types that are not aligned");
	SPOILED(header()->type_len = 0xffffffff, -EINVAL, "types without end");
	SPOILED(header()->type_len = 0, -EINVAL, "no types");
	SPOILED(header()->type_len = 8, -EINVAL, "half a type");
	SPOILED(header()->type_len -= 4, -EINVAL, "types that end inside the last");
	SPOILED(header()->str_off = 0xffffffff, -EINVAL, "strings that start far away");
	SPOILED(header()->str_len = 0xffffffff, -EINVAL, "strings without end");
	SPOILED(header()->str_len += 1, -EINVAL, "one byte of strings too many");
	SPOILED(header()->str_len = 0, -EINVAL, "no strings");
	SPOILED(header()->str_len -= 1, -EINVAL, "a last string that doesn't end");
	SPOILED(header()->str_off += 1, -EINVAL, "strings that don't start with none");
	SPOILED(((char *)(header() + 1))[header()->str_off] = 'x', -EINVAL, "a name for the nameless");
}

static void test_sizes(void)
{
	size_t full, size;
	bool all = true;

	good_blob();
	full = blob.size;
	for (size = 0; size < full; size++) {
		/* The heap block has exactly that size, so that a read beyond it is seen. */
		void *part = malloc(size ? size : 1);

		memcpy(part, blob.data, size);
		all &= tlbbatch_btf_open(&btf, part, size) == -EINVAL;
		tlbbatch_btf_close(&btf);
		free(part);
	}
	ok(all, "cut off at each of %zu bytes", full);

	blob_free(&blob);
	if (posix_memalign(&blob.data, 8, full + 1))
		abort();
	memset(blob.data, 0, full + 1);
	blob.data = (char *)blob.data + 1;
	ok_int(tlbbatch_btf_open(&btf, blob.data, full), -EINVAL, "a start that is not aligned");
	free((char *)blob.data - 1);
}

/*
 * The types come after the strings, and nothing comes after the types. So a read beyond the
 * last type is seen.
 */
static void test_types_at_the_end(void)
{
	struct btf_header hdr = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(hdr),
		.type_off = 4,
		.str_len = 4,
	};
	u32 type[3] = { 0, BTF_KIND_FWD << 24, 0 };
	u32 len;

	for (len = 4; len <= sizeof(type); len += 4) {
		char name[64];

		hdr.type_len = len;
		blob.size = sizeof(hdr) + 4 + len;
		blob.data = calloc(1, blob.size);
		memcpy(blob.data, &hdr, sizeof(hdr));
		memcpy((char *)blob.data + sizeof(hdr) + 4, type, len);
		snprintf(name, sizeof(name), "a last type of %u bytes", len);
		want_open(len == sizeof(type) ? 0 : -EINVAL, name);
	}
}

static void want_longer_header(u32 by, int ret, const char *name)
{
	char *longer;

	good_blob();
	longer = calloc(1, blob.size + by);
	memcpy(longer, blob.data, sizeof(struct btf_header));
	memcpy(longer + sizeof(struct btf_header) + by,
	       (char *)blob.data + sizeof(struct btf_header),
	       blob.size - sizeof(struct btf_header));
	free(blob.data);
	blob.data = longer;
	blob.size += by;
	header()->hdr_len += by;
	want_open(ret, name);
}

static void test_longer_header(void)
{
	want_longer_header(8, 0, "a longer header, as from 7.1 on");
	want_longer_header(2, -EINVAL, "a header behind which types aren't aligned");
}

static void one_type(u32 info, u32 name_off, int ret, const char *name)
{
	blob_init(&blob);
	blob_word(&blob, name_off);
	blob_word(&blob, info);
	blob_word(&blob, 0);
	blob_finish(&blob);
	want_open(ret, name);
}

static void test_records(void)
{
	u32 kind;

	for (kind = 1; kind < 128; kind++) {
		char name[64];

		snprintf(name, sizeof(name), "an item missing of kind %u", kind);
		/*
		 * The blob has 12 bytes. That is enough for a kind without items, whatever
		 * vlen says.
		 */
		switch (kind) {
		case BTF_KIND_PTR:
		case BTF_KIND_FWD:
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_FUNC:
		case BTF_KIND_FLOAT:
		case BTF_KIND_TYPE_TAG:
			one_type(kind << 24 | 1, 0, 0, name);
			break;
		default:
			one_type(kind << 24 | 1, 0, kind > BTF_KIND_ENUM64 ? -EOPNOTSUPP : -EINVAL,
				 name);
		}
	}
	one_type(0, 0, -EOPNOTSUPP, "kind 0");
	one_type(BTF_KIND_STRUCT << 24 | 0xffff, 0, -EINVAL, "65535 members missing");
	one_type(BTF_KIND_STRUCT << 24 | 0x10000, 0, -EINVAL, "65536 members missing");
	one_type(BTF_KIND_STRUCT << 24 | 0xffffff, 0, -EINVAL, "16777215 members missing");
	one_type(BTF_KIND_FWD << 24, 1, -EINVAL, "a name behind the strings");
	one_type(BTF_KIND_FWD << 24, 0xffffffff, -EINVAL, "a name far behind the strings");
}

/* Function @name of the blob is refused in both ways of asking, and the buffer stays empty. */
static void want_refused(const char *func, int ret, const char *name)
{
	char buf[64] = "x";

	ok_int(tlbbatch_btf_func_proto(&btf, func, buf, sizeof(buf)), ret, name);
	ok_str(buf, "", "  no text");
	ok_int(tlbbatch_btf_check_proto(&btf, func, "void(void)", NULL, 0), ret, "  checked");
}

static void test_bad_ids(void)
{
	u32 i, id;

	blob_init(&blob);
	i = blob_int(&blob, "int", 4, 32);
	blob_func(&blob, "ret_beyond", 10000, i);
	blob_func(&blob, "param_beyond", i, 0xffffffff);
	blob_func(&blob, "param_func", i, blob_ref(&blob, BTF_KIND_FUNC, "g", i));
	blob_ref(&blob, BTF_KIND_FUNC, "proto_beyond", 10000);
	blob_ref(&blob, BTF_KIND_FUNC, "proto_void", 0);
	blob_ref(&blob, BTF_KIND_FUNC, "proto_int", i);
	id = blob_type(&blob, BTF_KIND_FUNC_PROTO, 0, 2, "", 0);
	blob_param(&blob, "", 0);
	blob_param(&blob, "", i);
	blob_ref(&blob, BTF_KIND_FUNC, "dots_first", id);
	id = blob_type(&blob, BTF_KIND_FUNC_PROTO, 0, 1, "", 0);
	blob_param(&blob, "named", 0);
	blob_ref(&blob, BTF_KIND_FUNC, "void_named", id);
	blob_func(&blob, "nameless_typedef", i, blob_ref(&blob, BTF_KIND_TYPEDEF, "", i));
	blob_finish(&blob);
	ok_int(tlbbatch_btf_open(&btf, blob.data, blob.size), 0, "a blob with bad type ids");
	want_refused("ret_beyond", -EINVAL, "a result that doesn't exist");
	want_refused("param_beyond", -EINVAL, "a parameter that doesn't exist");
	want_refused("param_func", -EINVAL, "a function as a parameter");
	want_refused("proto_beyond", -EINVAL, "a prototype that doesn't exist");
	want_refused("proto_void", -EINVAL, "a prototype that is void");
	want_refused("proto_int", -EINVAL, "a prototype that is an int");
	want_refused("dots_first", -EINVAL, "an ellipsis that isn't the last");
	want_refused("void_named", -EINVAL, "a void parameter with a name");
	want_refused("nameless_typedef", -EOPNOTSUPP, "a typedef without a name");
	tlbbatch_btf_close(&btf);
	blob_free(&blob);
}

#define FAN	300

/* Types that refer to themselves, and types beyond the limits of depth and size. */
static void test_loops(void)
{
	u32 next, i, depth;
	char name[640];

	blob_init(&blob);
	next = blob.nr_types + 1;
	blob_func(&blob, "ptr_loop", 0, blob_ref(&blob, BTF_KIND_PTR, "", next));
	next = blob.nr_types + 1;
	blob_func(&blob, "const_loop", 0, blob_ref(&blob, BTF_KIND_CONST, "", next));
	next = blob.nr_types + 1;
	blob_func(&blob, "array_loop", 0, blob_array(&blob, next, 1));

	/* Each level has itself twice. With only a limit of depth this would take 2^depth steps. */
	next = blob_type(&blob, BTF_KIND_FUNC_PROTO, 0, 2, "", 0);
	blob_param(&blob, "", next + 1);
	blob_param(&blob, "", next + 1);
	blob_ref(&blob, BTF_KIND_PTR, "", next);
	blob_ref(&blob, BTF_KIND_FUNC, "proto_loop", next);
	next = blob_type(&blob, BTF_KIND_FUNC_PROTO, 0, 0, "", blob.nr_types + 1);
	blob_ref(&blob, BTF_KIND_FUNC, "returns_itself", next);

	/* Wide, not deep. */
	i = blob_int(&blob, "int", 4, 32);
	next = blob_type(&blob, BTF_KIND_FUNC_PROTO, 0, 2000, "", 0);
	for (depth = 0; depth < 2000; depth++)
		blob_param(&blob, "", i);
	blob_ref(&blob, BTF_KIND_FUNC, "wide", next);

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	blob_func(&blob, "long_name", 0, blob_ref(&blob, BTF_KIND_TYPEDEF, name, i));

	for (depth = 0; depth < 12; depth++)
		i = blob_ref(&blob, BTF_KIND_PTR, "", i);
	blob_func(&blob, "deep", 0, i);
	blob_func(&blob, "deep_enough", 0, i - 4);

	next = blob_type(&blob, BTF_KIND_STRUCT, 0, 2, "struct_loop", 8);
	blob_member(&blob, "", next, 0);
	blob_member(&blob, "", next, 0);
	/* Each has the next one, without a name; the last one has the member. */
	for (depth = 0; depth < 20; depth++) {
		blob_type(&blob, BTF_KIND_STRUCT, 0, 1, depth ? "" : "nested", 8);
		blob_member(&blob, "", blob.nr_types + 1, 0);
	}
	blob_type(&blob, BTF_KIND_STRUCT, 0, 1, "", 8);
	blob_member(&blob, "m", i, 0);
	/* Not deep, but each of three levels has the next one so often. */
	for (depth = 0; depth < 3; depth++) {
		next = blob_type(&blob, BTF_KIND_STRUCT, 0, FAN, depth ? "" : "fan", 8);
		for (i = 0; i < FAN; i++)
			blob_member(&blob, "", next + 1, 0);
	}
	blob_type(&blob, BTF_KIND_STRUCT, 0, 0, "", 8);
	next = blob_type(&blob, BTF_KIND_STRUCT, 0, 1, "typedef_loop", 8);
	blob_member(&blob, "m", next + 1, 0);
	blob_ref(&blob, BTF_KIND_TYPEDEF, "t", next + 1);
	blob_finish(&blob);

	ok_int(tlbbatch_btf_open(&btf, blob.data, blob.size), 0, "a blob with loops");
	want_refused("ptr_loop", -EINVAL, "a pointer to itself");
	want_refused("const_loop", -EINVAL, "const of itself");
	want_refused("array_loop", -EINVAL, "an array of itself");
	want_refused("proto_loop", -EINVAL, "a prototype that takes itself twice");
	want_refused("returns_itself", -EINVAL, "a prototype that returns itself");
	want_refused("wide", -EINVAL, "2000 parameters");
	want_refused("long_name", -EINVAL, "a name of 639 characters");
	want_refused("deep", -EINVAL, "12 pointers deep");
	ok_int(tlbbatch_btf_check_proto(&btf, "deep_enough", "void(int ********)", NULL, 0), 0,
	       "8 pointers deep is allowed");
	ok_int(tlbbatch_btf_member_offset(&btf, "struct_loop", "m", &i), -EINVAL,
	       "a struct that contains itself twice");
	ok_int(tlbbatch_btf_member_offset(&btf, "nested", "m", &i), -EINVAL,
	       "20 structs deep");
	ok_int(tlbbatch_btf_member_offset(&btf, "fan", "m", &i), -EINVAL,
	       "more members in all than one search may look at");
	ok_int(tlbbatch_btf_member_offset(&btf, "typedef_loop", "m", &i), -EINVAL,
	       "a member whose type is a typedef of itself");
	tlbbatch_btf_close(&btf);
	blob_free(&blob);
}

static void test_bad_items(void)
{
	u32 offset;
	s64 value;

	blob_init(&blob);
	blob_int(&blob, "int", 4, 32);
	blob_type(&blob, BTF_KIND_STRUCT, 0, 1, "s", 8);
	blob_word(&blob, 0xffff);	/* the name of a member */
	blob_word(&blob, 1);
	blob_word(&blob, 0);
	blob_type(&blob, BTF_KIND_STRUCT, 0, 1, "beyond", 8);
	blob_member(&blob, "m", 10000, 0);
	blob_type(&blob, BTF_KIND_ENUM64, 0, 1, "e", 8);
	blob_word(&blob, 0xffff);	/* the name of an enumerator */
	blob_word(&blob, 0);
	blob_word(&blob, 0);
	blob_finish(&blob);
	ok_int(tlbbatch_btf_open(&btf, blob.data, blob.size), 0, "a blob with bad items");
	ok_int(tlbbatch_btf_member_offset(&btf, "s", "m", &offset), -EINVAL,
	       "a member's name behind the strings");
	ok_int(tlbbatch_btf_member_offset(&btf, "beyond", "m", &offset), -EINVAL,
	       "a member's type that doesn't exist");
	ok_int(tlbbatch_btf_enumerator(&btf, "X", &value), -EINVAL,
	       "an enumerator's name behind the strings");
	tlbbatch_btf_close(&btf);
	blob_free(&blob);
}

int main(void)
{
	test_headers();
	test_sizes();
	test_types_at_the_end();
	test_longer_header();
	test_records();
	test_bad_ids();
	test_loops();
	test_bad_items();
	return tap_done();
}
