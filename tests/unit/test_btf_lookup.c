// SPDX-License-Identifier: GPL-2.0-only
/* Sizes of structs, offsets and types of members, values of enumerators, from blobs made here. */
#include "btf_blob.h"
#include "tap.h"

static struct blob blob;
static struct tlbbatch_btf btf;

static u32 t_int, t_int4, t_ptr, t_flex;

static void start_blob(void)
{
	blob_init(&blob);
	t_int = blob_int(&blob, "int", 4, 32);
	t_int4 = blob_int(&blob, "int", 4, 4);
	t_ptr = blob_ref(&blob, BTF_KIND_PTR, "", blob_type(&blob, BTF_KIND_FWD, 0, 0, "mem", 0));
	t_flex = blob_array(&blob, t_int, 0);
}

static void open_blob(const char *name)
{
	blob_finish(&blob);
	ok_int(tlbbatch_btf_open(&btf, blob.data, blob.size), 0, name);
}

static void close_blob(void)
{
	tlbbatch_btf_close(&btf);
	blob_free(&blob);
}

static u32 add_struct(u32 kflag, const char *tag, u32 size, u32 vlen)
{
	return blob_type(&blob, BTF_KIND_STRUCT, kflag, vlen, tag, size);
}

/* A struct of one member. */
static u32 add_small(const char *tag, u32 size, const char *member, u32 type, u32 offset)
{
	u32 id = add_struct(0, tag, size, 1);

	blob_member(&blob, member, type, offset);
	return id;
}

/* Expects @ret, or 0 and the offset @want. After an error the offset must be unchanged. */
static void want_offset(const char *tag, const char *member, int ret, u32 want)
{
	u32 offset = 12345;
	int got = tlbbatch_btf_member_offset(&btf, tag, member, &offset);

	if (ret)
		want = 12345;
	if (!ok(got == ret && offset == want, "%s.%s: %s %d", tag, member,
		ret ? "refused with" : "at byte", ret ? ret : (int)want))
		printf("# got %d, offset %u\n", got, offset);
}

static void want_value(const char *name, int ret, s64 want)
{
	s64 value = 12345;
	int got = tlbbatch_btf_enumerator(&btf, name, &value);

	if (ret)
		want = 12345;
	if (!ok(got == ret && value == want, "%s: %s %lld", name, ret ? "refused with" : "is",
		ret ? ret : want))
		printf("# got %d, value %lld\n", got, value);
}

static void want_size(const char *tag, int ret, u32 want)
{
	u32 size = 12345;
	int got = tlbbatch_btf_struct_size(&btf, tag, &size);

	if (ret)
		want = 12345;
	if (!ok(got == ret && size == want, "%s: %s %d", tag, ret ? "refused with" : "has size",
		ret ? ret : (int)want))
		printf("# got %d, size %u\n", got, size);
}

static void test_members(void)
{
	u32 deep, inner, tagged, embedded, counts, middle;

	start_blob();
	deep = blob_type(&blob, BTF_KIND_UNION, 0, 2, "", 8);
	blob_member(&blob, "deep_a", t_int, 0);
	blob_member(&blob, "deep_b", t_int, 32);
	inner = add_struct(0, "", 16, 2);
	blob_member(&blob, "inner_a", t_ptr, 0);
	blob_member(&blob, "", deep, 64);
	tagged = add_small("tagged", 4, "tagged_a", t_int, 0);
	/* An embedded tagged struct (-fms-extensions), behind a qualifier and a typedef. */
	embedded = blob_ref(&blob, BTF_KIND_TYPEDEF, "tagged_t", tagged);
	embedded = blob_ref(&blob, BTF_KIND_CONST, "", embedded);

	add_struct(1, "outer", 32, 7);
	blob_member(&blob, "first", t_int, 0);
	blob_member(&blob, "bits", t_int, 3 << 24 | 32);
	blob_member(&blob, "", t_int, 29 << 24 | 35);
	blob_member(&blob, "", inner, 64);
	blob_member(&blob, "named", tagged, 192);
	blob_member(&blob, "", embedded, 224);
	blob_member(&blob, "flexible", t_flex, 256);

	counts = add_struct(0, "", 8, 2);
	blob_member(&blob, "count", t_int, 0);
	blob_member(&blob, "counts", t_int, 32);
	counts = blob_ref(&blob, BTF_KIND_TYPEDEF, "counts_t", counts);
	middle = add_small("middle", 24, "nr", counts, 128);
	add_small("holder", 40, "in", middle, 128);

	blob_type(&blob, BTF_KIND_UNION, 0, 1, "some_union", 4);
	blob_member(&blob, "in_union", t_int, 0);
	add_struct(0, "empty", 0, 0);
	add_struct(0, "old_bits", 8, 2);
	blob_member(&blob, "partial", t_int4, 4);
	blob_member(&blob, "whole", t_int, 32);
	add_small("old_first", 4, "partial", t_int4, 0);
	add_small("tagged_first", 4, "partial",
		  blob_ref(&blob, BTF_KIND_TYPE_TAG, "tag", t_int4), 0);
	/* All bits of four bytes, but from the eighth on. */
	add_small("shifted", 8, "s", blob_int(&blob, "int", 4, 8 << 16 | 32), 0);
	add_small("odd_bit", 8, "odd", t_int, 33);
	add_small("outside", 8, "far", t_int, 72);
	add_struct(0, "twice", 8, 2);
	blob_member(&blob, "it", t_int, 0);
	blob_member(&blob, "it", t_int, 32);
	blob_type(&blob, BTF_KIND_FWD, 0, 0, "only_declared", 0);

	open_blob("a blob with structs");
	want_offset("outer", "first", 0, 0);
	want_offset("outer", "bits", -EINVAL, 0);
	want_offset("outer", "inner_a", 0, 8);
	want_offset("outer", "deep_a", 0, 16);
	want_offset("outer", "deep_b", 0, 20);
	want_offset("outer", "named", 0, 24);
	want_offset("outer", "tagged_a", 0, 28);
	want_offset("outer", "flexible", 0, 32);
	want_offset("outer", "nosuch", -ENOENT, 0);
	want_offset("outer", "", -ENOENT, 0);
	want_offset("outer", "name", -ENOENT, 0);
	want_offset("outer", "named.tagged_a", 0, 24);
	want_offset("outer", "named.tagged", -ENOENT, 0);
	want_offset("outer", "named.", -ENOENT, 0);
	want_offset("outer", ".named", -ENOENT, 0);
	want_offset("outer", "named.tagged_a.x", -ENOENT, 0);
	want_offset("outer", "bits.x", -ENOENT, 0);
	want_offset("outer", "inner_a.x", -ENOENT, 0);
	want_offset("middle", "nr.count", 0, 16);
	want_offset("holder", "in.nr.counts", 0, 36);
	want_offset("holder", "in.counts", -ENOENT, 0);
	want_offset("", "inner_a", -ENOENT, 0);
	want_offset("some_union", "in_union", 0, 0);
	want_offset("empty", "first", -ENOENT, 0);
	want_offset("old_bits", "partial", -EINVAL, 0);
	want_offset("old_bits", "whole", 0, 4);
	want_offset("old_first", "partial", -EINVAL, 0);
	want_offset("tagged_first", "partial", -EINVAL, 0);
	want_offset("shifted", "s", -EINVAL, 0);
	want_offset("odd_bit", "odd", -EINVAL, 0);
	want_offset("outside", "far", -EINVAL, 0);
	want_offset("twice", "it", -EINVAL, 0);
	want_offset("only_declared", "first", -ENOENT, 0);
	want_offset("int", "first", -ENOENT, 0);
	want_size("outer", 0, 32);
	want_size("some_union", 0, 4);
	want_size("empty", 0, 0);
	want_size("nosuch", -ENOENT, 0);
	want_size("only_declared", -ENOENT, 0);
	want_size("", -ENOENT, 0);
	close_blob();
}

static void test_repeated_structs(void)
{
	start_blob();
	add_small("agree", 8, "m", t_int, 32);
	add_small("agree", 8, "m", t_int, 32);
	add_small("moved", 8, "m", t_int, 0);
	add_small("moved", 8, "m", t_int, 32);
	add_small("lost", 8, "m", t_int, 0);
	add_small("lost", 8, "n", t_int, 0);
	add_small("gained", 8, "n", t_int, 0);
	add_small("gained", 8, "m", t_int, 0);
	add_small("grown", 8, "m", t_int, 0);
	add_small("grown", 16, "m", t_int, 0);
	add_small("retyped", 8, "m", t_int, 0);
	add_small("retyped", 8, "m", t_ptr, 0);

	open_blob("a blob with tags that repeat");
	want_offset("agree", "m", 0, 4);
	want_offset("agree", "n", -ENOENT, 0);
	want_size("agree", 0, 8);
	want_offset("moved", "m", -EINVAL, 0);
	want_offset("lost", "m", -EINVAL, 0);
	want_offset("gained", "m", -EINVAL, 0);
	want_size("grown", -EINVAL, 0);
	want_offset("retyped", "m", 0, 0);
	close_blob();
}

static void test_member_types(void)
{
	char found[32];
	u32 offset = 0;

	start_blob();
	add_struct(1, "sc", 16, 2);
	blob_member(&blob, "number", t_int, 0);
	blob_member(&blob, "target", t_ptr, 64);
	add_small("retyped", 8, "m", t_int, 0);
	add_small("retyped", 8, "m", t_ptr, 0);
	add_small("void_member", 8, "m", 0, 0);
	add_small("nameless", 8, "m", add_struct(0, "", 4, 0), 0);

	open_blob("a blob with members of several types");
	ok_int(tlbbatch_btf_check_member(&btf, "sc", "target", "struct mem *", &offset, found,
					 sizeof(found)), 0, "a member of the expected type");
	ok_int(offset, 8, "  its offset");
	ok_str(found, "struct mem *", "  its type");

	offset = 12345;
	ok_int(tlbbatch_btf_check_member(&btf, "sc", "number", "struct mem *", &offset, found,
					 sizeof(found)), -EPROTOTYPE, "a member of another type");
	ok_str(found, "int", "  its type");
	ok_int(offset, 12345, "  no offset");
	ok_int(tlbbatch_btf_check_member(&btf, "retyped", "m", "int", &offset, found,
					 sizeof(found)), -EPROTOTYPE,
	       "a member that has another type in a second struct of that tag");
	ok_int(tlbbatch_btf_check_member(&btf, "sc", "nosuch", "int", &offset, found,
					 sizeof(found)), -ENOENT, "no such member");
	ok_str(found, "", "  no type");
	ok_int(tlbbatch_btf_check_member(&btf, "sc", "target", "struct mem *", &offset, NULL, 0),
	       0, "without a buffer");
	ok_int(tlbbatch_btf_check_member(&btf, "void_member", "m", "void", &offset, NULL, 0),
	       -EINVAL, "a member can't be void");
	ok_int(tlbbatch_btf_check_member(&btf, "nameless", "m", "struct ", &offset, NULL, 0),
	       -EOPNOTSUPP, "a type without a name");
	close_blob();
}

static void test_enumerators(void)
{
	start_blob();
	blob_type(&blob, BTF_KIND_ENUM, 0, 3, "", 4);
	blob_value(&blob, "PAGE_KEEP", 0);
	blob_value(&blob, "PAGE_SUCCESS", 2);
	blob_value(&blob, "U32_TOP", 0xffffffff);
	blob_type(&blob, BTF_KIND_ENUM, 1, 1, "with_sign", 4);
	blob_value(&blob, "MINUS_ONE", 0xffffffff);
	blob_type(&blob, BTF_KIND_ENUM64, 0, 2, "wide", 8);
	blob_value64(&blob, "S64_TOP", S64_MAX);
	blob_value64(&blob, "U64_TOP", U64_MAX);
	blob_type(&blob, BTF_KIND_ENUM64, 1, 1, "wide_with_sign", 8);
	blob_value64(&blob, "MINUS_TWO", (u64)-2);
	blob_type(&blob, BTF_KIND_ENUM64, 0, 3, "repeats", 8);
	blob_value64(&blob, "PAGE_SUCCESS", 2);
	blob_value64(&blob, "PAGE_KEEP", 1);
	blob_value64(&blob, "", 1);

	open_blob("a blob with enums");
	want_value("PAGE_SUCCESS", 0, 2);
	want_value("PAGE_KEEP", -EINVAL, 0);
	want_value("U32_TOP", 0, 0xffffffffLL);
	want_value("MINUS_ONE", 0, -1);
	want_value("MINUS_TWO", 0, -2);
	want_value("S64_TOP", 0, S64_MAX);
	want_value("U64_TOP", -ERANGE, 0);
	want_value("with_sign", -ENOENT, 0);
	want_value("PAGE", -ENOENT, 0);
	want_value("", -ENOENT, 0);
	close_blob();
}

int main(void)
{
	test_members();
	test_repeated_structs();
	test_member_types();
	test_enumerators();
	return tap_done();
}
