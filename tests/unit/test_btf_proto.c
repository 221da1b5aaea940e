// SPDX-License-Identifier: GPL-2.0-only
/* Prototypes as text, and their comparison, from blobs made here. */
#include "btf_blob.h"
#include "tap.h"

static struct blob blob;
static struct tlbbatch_btf btf;

/* The types that the functions below are made of. */
static struct {
	u32 i, ulong, boolean, voidp, page, pagep, cpage, cpagep, pagepp;
} t;

static void add_types(struct blob *b)
{
	t.i = blob_int(b, "int", 4, 32);
	t.ulong = blob_int(b, "long unsigned int", 8, 64);
	t.boolean = blob_ref(b, BTF_KIND_TYPEDEF, "bool", blob_int(b, "_Bool", 1, 8));
	t.voidp = blob_ref(b, BTF_KIND_PTR, "", 0);
	t.page = blob_type(b, BTF_KIND_FWD, 0, 0, "page", 0);
	t.pagep = blob_ref(b, BTF_KIND_PTR, "", t.page);
	t.cpage = blob_ref(b, BTF_KIND_CONST, "", t.page);
	t.cpagep = blob_ref(b, BTF_KIND_PTR, "", t.cpage);
	t.pagepp = blob_ref(b, BTF_KIND_PTR, "", t.pagep);
}

static u32 proto(u32 ret, u32 vlen)
{
	return blob_type(&blob, BTF_KIND_FUNC_PROTO, 0, vlen, "", ret);
}

/* Makes a function "f<n>" for each row of the table, all in one blob. Then each one is rendered. */
#define MAX_CASES	64

static struct {
	char func[8];
	const char *want;
	int ret;
} cases[MAX_CASES];
static u32 nr_cases;

static const char *case_func(const char *want, int ret)
{
	if (nr_cases == MAX_CASES)
		abort();
	snprintf(cases[nr_cases].func, sizeof(cases[0].func), "f%u", nr_cases);
	cases[nr_cases].want = want;
	cases[nr_cases].ret = ret;
	return cases[nr_cases++].func;
}

static void want_proto(u32 id, const char *want)
{
	blob_ref(&blob, BTF_KIND_FUNC, case_func(want, 0), id);
}

static void want_param(u32 param, const char *want)
{
	blob_func(&blob, case_func(want, 0), 0, param);
}

static void want_error(u32 param, int ret)
{
	blob_func(&blob, case_func("", ret), 0, param);
}

static void add_plain_cases(void)
{
	static const char * const ints[][2] = {
		{ "char", "void(char)" },
		{ "short int", "void(short)" },
		{ "short unsigned int", "void(unsigned short)" },
		{ "unsigned int", "void(unsigned int)" },
		{ "long int", "void(long)" },
		{ "long unsigned int", "void(unsigned long)" },
		{ "unsigned long", "void(unsigned long)" },
		{ "long long int", "void(long long)" },
		{ "long long unsigned int", "void(unsigned long long)" },
		{ "__int128 unsigned", "void(unsigned __int128)" },
	};
	u32 id, i;

	want_proto(proto(0, 0), "void(void)");
	want_proto(proto(t.i, 0), "int(void)");
	want_proto(proto(t.pagep, 0), "struct page *(void)");

	id = proto(t.i, 3);
	blob_param(&blob, "page", t.pagep);
	blob_param(&blob, "plug", t.pagepp);
	blob_param(&blob, "", t.boolean);
	want_proto(id, "int(struct page *, struct page **, bool)");

	id = proto(t.i, 2);
	blob_param(&blob, "fmt", t.cpagep);
	blob_param(&blob, "", 0);
	want_proto(id, "int(const struct page *, ...)");

	id = proto(0, 1);
	blob_param(&blob, "", 0);
	want_proto(id, "void(...)");

	for (i = 0; i < ARRAY_SIZE(ints); i++)
		want_param(blob_int(&blob, ints[i][0], 8, 64), ints[i][1]);

	want_param(t.voidp, "void(void *)");
	want_param(blob_type(&blob, BTF_KIND_STRUCT, 0, 0, "s", 8), "void(struct s)");
	want_param(blob_type(&blob, BTF_KIND_UNION, 0, 0, "u", 8), "void(union u)");
	want_param(blob_type(&blob, BTF_KIND_FWD, 1, 0, "u", 0), "void(union u)");
	want_param(blob_type(&blob, BTF_KIND_ENUM, 0, 0, "e", 4), "void(enum e)");
	want_param(blob_type(&blob, BTF_KIND_ENUM64, 0, 0, "e64", 8), "void(enum e64)");
	want_param(blob_type(&blob, BTF_KIND_FLOAT, 0, 0, "double", 8), "void(double)");
}

static u32 qualified(u32 type, u32 first, u32 second)
{
	return blob_ref(&blob, first, "", blob_ref(&blob, second, "", type));
}

static void add_qualifier_cases(void)
{
	u32 id;

	want_param(qualified(t.i, BTF_KIND_CONST, BTF_KIND_VOLATILE), "void(const volatile int)");
	want_param(qualified(t.i, BTF_KIND_VOLATILE, BTF_KIND_CONST), "void(const volatile int)");
	want_param(blob_ref(&blob, BTF_KIND_CONST, "", t.pagep), "void(struct page *const)");
	want_param(qualified(t.cpagep, BTF_KIND_RESTRICT, BTF_KIND_CONST),
		   "void(const struct page *const restrict)");
	id = blob_ref(&blob, BTF_KIND_CONST, "", t.cpagep);
	want_param(blob_ref(&blob, BTF_KIND_PTR, "", id), "void(const struct page *const *)");
	id = blob_ref(&blob, BTF_KIND_CONST, "", 0);
	want_param(blob_ref(&blob, BTF_KIND_PTR, "", id), "void(const void *)");
	id = blob_ref(&blob, BTF_KIND_TYPE_TAG, "user", t.cpage);
	want_param(blob_ref(&blob, BTF_KIND_PTR, "", id), "void(const struct page *)");
}

static void add_declarator_cases(void)
{
	u32 array = blob_array(&blob, t.i, 4), parray, cb, id;

	parray = blob_ref(&blob, BTF_KIND_PTR, "", array);
	want_param(array, "void(int[4])");
	want_param(parray, "void(int (*)[4])");
	want_param(blob_ref(&blob, BTF_KIND_PTR, "", parray), "void(int (**)[4])");
	id = blob_array(&blob, t.pagep, 3);
	want_param(blob_array(&blob, id, 2), "void(struct page *[2][3])");
	id = blob_ref(&blob, BTF_KIND_CONST, "", blob_array(&blob, t.pagep, 3));
	want_param(id, "void(struct page *const[3])");
	id = blob_ref(&blob, BTF_KIND_CONST, "", array);
	want_param(blob_ref(&blob, BTF_KIND_PTR, "", id), "void(const int (*)[4])");

	cb = proto(t.pagep, 2);
	blob_param(&blob, "", t.voidp);
	blob_param(&blob, "", t.ulong);
	cb = blob_ref(&blob, BTF_KIND_PTR, "", cb);
	want_param(cb, "void(struct page *(*)(void *, unsigned long))");
	want_param(blob_ref(&blob, BTF_KIND_CONST, "", cb),
		   "void(struct page *(*const)(void *, unsigned long))");
	want_proto(proto(blob_ref(&blob, BTF_KIND_PTR, "", proto(t.i, 0)), 0),
		   "int (*(void))(void)");
	id = blob_array(&blob, blob_ref(&blob, BTF_KIND_PTR, "", proto(t.i, 0)), 2);
	want_param(blob_ref(&blob, BTF_KIND_PTR, "", id), "void(int (*(*)[2])(void))");
	/* gcc writes a noreturn function as a volatile one. */
	id = blob_ref(&blob, BTF_KIND_VOLATILE, "", proto(0, 0));
	want_param(blob_ref(&blob, BTF_KIND_PTR, "", id), "void(void (*)(void))");
}

static void add_nameless_cases(void)
{
	u32 id = blob_type(&blob, BTF_KIND_ENUM, 0, 0, "", 4);

	want_param(blob_ref(&blob, BTF_KIND_TYPEDEF, "pageout_t", id), "void(pageout_t)");
	want_error(id, -EOPNOTSUPP);
	want_error(blob_type(&blob, BTF_KIND_STRUCT, 0, 0, "", 4), -EOPNOTSUPP);
}

static void test_cases(void)
{
	char buf[128];
	u32 i;

	for (i = 0; i < nr_cases; i++) {
		const char *want = cases[i].want;
		int ret;

		memset(buf, 'x', sizeof(buf));
		ret = tlbbatch_btf_func_proto(&btf, cases[i].func, buf, sizeof(buf));
		ok_int(ret, cases[i].ret, cases[i].func);
		ok_str(buf, want, "  its text");
		if (ret)
			continue;
		ret = tlbbatch_btf_check_proto(&btf, cases[i].func, want, NULL, 0);
		ok_int(ret, 0, "  and it is what is expected");
	}
}

static void test_mismatches(void)
{
	static const char * const others[] = {
		"", "int", "int(", "int(voi)", "int(void) ", "int(void)x", " int(void)",
		"int (void)", "Int(void)", "unsigned int(void)",
	};
	/* Behind its end there is nothing that could differ. */
	static const char padded[32] = "int";
	char found[32], name[64];
	u32 i;

	ok_int(tlbbatch_btf_check_proto(&btf, "f1", padded, NULL, 0), -EPROTOTYPE,
	       "what int(void) begins with is not int(void)");
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		strcpy(found, "x");
		snprintf(name, sizeof(name), "\"%s\" is not int(void)", others[i]);
		ok_int(tlbbatch_btf_check_proto(&btf, "f1", others[i], found, sizeof(found)),
		       -EPROTOTYPE, name);
		ok_str(found, "int(void)", "  and the text found is given back");
	}
	tlbbatch_btf_check_proto(&btf, "f1", "x", found, 4);
	ok_str(found, "int", "the text found is cut off at the end of its buffer");
	ok_int(tlbbatch_btf_check_proto(&btf, "f1", "x", found, 0), -EPROTOTYPE, "a buffer of no bytes doesn't change the result");
	ok_int(tlbbatch_btf_check_proto(&btf, "f1", "int(void)", found, 4), 0,
	       "a short buffer doesn't change the result");
	ok_int(tlbbatch_btf_check_proto(&btf, "nosuch", "int(void)", found, sizeof(found)), -ENOENT,
	       "no such function");
	ok_str(found, "", "  and no text");
	ok_int(tlbbatch_btf_check_proto(&btf, "page", "int(void)", NULL, 0), -ENOENT,
	       "a struct is no function");
	ok_int(tlbbatch_btf_check_proto(&btf, "", "int(void)", NULL, 0), -ENOENT, "no name");
}

static void test_short_buffers(void)
{
	const char *want = "int(void)";
	char buf[16];
	size_t size;

	for (size = 1; size <= strlen(want) + 1; size++) {
		int ret;

		memset(buf, 'x', sizeof(buf));
		ret = tlbbatch_btf_func_proto(&btf, "f1", buf, size);
		ok(ret == (size > strlen(want) ? 0 : -ENOSPC) && strlen(buf) == size - 1 &&
		   !strncmp(buf, want, size - 1) && buf[size] == 'x',
		   "a buffer of %zu bytes gets \"%.*s\"", size, (int)size - 1, want);
	}
}

static void test_ambiguous(void)
{
	char buf[64];
	u32 i;

	blob_init(&blob);
	i = blob_int(&blob, "int", 4, 32);
	blob_func(&blob, "same", i, i);
	blob_func(&blob, "same", i, i);
	blob_func(&blob, "longer", i, 0);
	blob_func(&blob, "longer", i, i);
	blob_func(&blob, "other", i, i);
	blob_func(&blob, "other", 0, i);
	blob_func(&blob, "broken", i, i);
	blob_ref(&blob, BTF_KIND_FUNC, "broken", i);
	blob_func(&blob, "half", i, blob_type(&blob, BTF_KIND_STRUCT, 0, 0, "", 4));
	blob_finish(&blob);
	ok_int(tlbbatch_btf_open(&btf, blob.data, blob.size), 0, "a blob with names that repeat");

	ok_int(tlbbatch_btf_func_proto(&btf, "same", buf, sizeof(buf)), 0, "two functions of one name that agree");
	ok_str(buf, "int(int)", "  and their text");
	ok_int(tlbbatch_btf_check_proto(&btf, "same", "int(int)", NULL, 0), 0, "  as expected");
	ok_int(tlbbatch_btf_func_proto(&btf, "longer", buf, sizeof(buf)), -EPROTOTYPE,
	       "two functions of one name with different parameters");
	ok_str(buf, "", "  have no text");
	ok_int(tlbbatch_btf_func_proto(&btf, "other", buf, sizeof(buf)), -EPROTOTYPE,
	       "two functions of one name with different results");
	ok_int(tlbbatch_btf_check_proto(&btf, "other", "int(int)", buf, sizeof(buf)), -EPROTOTYPE,
	       "  the first of which is as expected");
	ok_str(buf, "void(int)", "  and the second is shown");
	ok_int(tlbbatch_btf_func_proto(&btf, "broken", buf, sizeof(buf)), -EINVAL,
	       "two functions of one name, one of them malformed");
	ok_int(tlbbatch_btf_check_proto(&btf, "broken", "int(int)", buf, sizeof(buf)), -EINVAL,
	       "  checked");
	ok_str(buf, "", "  and no text");
	ok_int(tlbbatch_btf_check_proto(&btf, "half", "int(int)", buf, sizeof(buf)), -EOPNOTSUPP,
	       "a function of which a part has no name");
	ok_str(buf, "", "  doesn't have half a text");
	tlbbatch_btf_close(&btf);
	blob_free(&blob);
}

int main(void)
{
	blob_init(&blob);
	add_types(&blob);
	add_plain_cases();
	add_qualifier_cases();
	add_declarator_cases();
	add_nameless_cases();
	blob_finish(&blob);
	ok_int(tlbbatch_btf_open(&btf, blob.data, blob.size), 0, "a blob with a function per case");
	test_cases();
	test_mismatches();
	test_short_buffers();
	tlbbatch_btf_close(&btf);
	blob_free(&blob);
	test_ambiguous();
	return tap_done();
}
