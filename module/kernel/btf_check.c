// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints prototypes and member types as C text, and compares that with what the module
 * was written for.
 *
 * The text is canonical: it doesn't depend on the compiler that built the kernel.
 *  - no parameter names: "int(struct page *, bool)", "void(void)", "int(const char *, ...)"
 *  - typedefs by their own name, never resolved: "bool", "gfp_t", "pageout_t"
 *  - integers as C programmers spell them: "unsigned long", not gcc's "long unsigned int"
 *  - qualifiers in the order const, volatile, restrict, before the name or behind their "*":
 *    "const char *", "char *const"; those of a parameter itself are kept, "const gfp_t"
 *  - type tags, which only some compilers write down (__user, __rcu), are left out
 *
 * Two structs of one name and different contents have the same text. Where the contents matter,
 * check the members.
 */
#include "kernel/btf_reader.h"

/*
 * How deep declarators nest, types per text, bytes per name: far above what a kernel
 * has.
 */
#define MAX_DEPTH	10
#define MAX_STEPS	1024
#define MAX_NAME	512

#define QUAL_CONST	BIT(0)
#define QUAL_VOLATILE	BIT(1)
#define QUAL_RESTRICT	BIT(2)

/*
 * A text that is being printed: to @buf, as far as it fits, and compared with
 * @expected.
 */
struct text {
	const struct tlbbatch_btf *btf;
	char *buf;
	size_t size;
	const char *expected;
	size_t len;
	bool differs;
	char last;
	u32 steps;
};

static void put_char(struct text *x, char c)
{
	if (x->len + 1 < x->size)
		x->buf[x->len] = c;
	/*
	 * Before the first difference @len stays within @expected: the NUL that ends it
	 * differs from every @c.
	 */
	if (x->expected && !x->differs)
		x->differs = x->expected[x->len] != c;
	x->last = c;
	x->len++;
}

static void put(struct text *x, const char *s)
{
	while (*s)
		put_char(x, *s++);
}

static int put_name(struct text *x, const char *prefix, u32 name_off)
{
	const char *name = tlbbatch_btf_string(x->btf, name_off);

	if (!name || strnlen(name, MAX_NAME) == MAX_NAME)
		return -EINVAL;
	/* Without a name "struct " would match any other anonymous struct. */
	if (!*name)
		return -EOPNOTSUPP;
	put(x, prefix);
	put(x, name);
	return 0;
}

static int put_int(struct text *x, u32 name_off)
{
	static const char * const spelling[][2] = {
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
		{ "__int128 unsigned", "unsigned __int128" },
	};
	const char *name = tlbbatch_btf_string(x->btf, name_off);
	u32 i;

	for (i = 0; name && i < ARRAY_SIZE(spelling); i++) {
		if (!strcmp(name, spelling[i][0])) {
			put(x, spelling[i][1]);
			return 0;
		}
	}
	return put_name(x, "", name_off);
}

/* Prints @quals, before a name ("const struct page") or behind a "*" ("*const"). */
static void put_quals(struct text *x, unsigned long quals, bool before)
{
	static const char * const words[] = { "const", "volatile", "restrict" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!(quals & BIT(i)))
			continue;
		if (!before && x->last != '*')
			put_char(x, ' ');
		put(x, words[i]);
		if (before)
			put_char(x, ' ');
	}
}

/*
 * Takes qualifiers and type tags off type @id. The qualifiers are added to *@quals; *@t
 * receives the type that is left, NULL for void. Each type of a text passes through
 * here, so that this is where a circle of types ends.
 */
static int peel(struct text *x, u32 id, const struct btf_type **t, unsigned long *quals)
{
	for (;;) {
		*t = tlbbatch_btf_type(x->btf, id);
		if (!*t)
			return id ? -EINVAL : 0;
		if (++x->steps > MAX_STEPS)
			return -EINVAL;
		switch (btf_kind_of(*t)) {
		case BTF_KIND_CONST:
			*quals |= QUAL_CONST;
			break;
		case BTF_KIND_VOLATILE:
			*quals |= QUAL_VOLATILE;
			break;
		case BTF_KIND_RESTRICT:
			*quals |= QUAL_RESTRICT;
			break;
		case BTF_KIND_TYPE_TAG:
			break;
		default:
			return 0;
		}
		id = (*t)->type;
	}
}

/* Does a pointer to type @id need parentheses, as in "int (*)[4]"? 1, 0, or an error. */
static int pointer_needs_parens(struct text *x, u32 id)
{
	const struct btf_type *t;
	unsigned long quals = 0;
	int ret = peel(x, id, &t, &quals);

	if (ret)
		return ret;
	return t && (btf_kind_of(t) == BTF_KIND_ARRAY || btf_kind_of(t) == BTF_KIND_FUNC_PROTO);
}

static int put_base(struct text *x, const struct btf_type *t, unsigned long quals)
{
	put_quals(x, quals, true);
	if (!t) {
		put(x, "void");
		return 0;
	}
	switch (btf_kind_of(t)) {
	case BTF_KIND_INT:
		return put_int(x, t->name_off);
	case BTF_KIND_STRUCT:
		return put_name(x, "struct ", t->name_off);
	case BTF_KIND_UNION:
		return put_name(x, "union ", t->name_off);
	case BTF_KIND_FWD:
		return put_name(x, btf_kflag_of(t) ? "union " : "struct ", t->name_off);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return put_name(x, "enum ", t->name_off);
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_FLOAT:
		return put_name(x, "", t->name_off);
	default:
		return -EINVAL;
	}
}

/* Prints what stands before the omitted name of a type: "int (*" of "int (*)[4]". */
static int put_left(struct text *x, u32 id, unsigned long quals, int depth)
{
	const struct btf_type *t;
	int ret, parens;

	if (depth > MAX_DEPTH)
		return -EINVAL;
	ret = peel(x, id, &t, &quals);
	if (ret)
		return ret;
	if (!t)
		return put_base(x, NULL, quals);

	switch (btf_kind_of(t)) {
	case BTF_KIND_PTR:
		ret = put_left(x, t->type, 0, depth + 1);
		if (ret)
			return ret;
		parens = pointer_needs_parens(x, t->type);
		if (parens < 0)
			return parens;
		if (x->last != '*')
			put_char(x, ' ');
		put(x, parens ? "(*" : "*");
		put_quals(x, quals, false);
		return 0;
	case BTF_KIND_ARRAY:	/* a const array is an array of const elements */
		return put_left(x, ((const struct btf_array *)(t + 1))->type, quals, depth + 1);
	case BTF_KIND_FUNC_PROTO:	/* a function has no qualifiers in C */
		return put_left(x, t->type, 0, depth + 1);
	default:
		return put_base(x, t, quals);
	}
}

static int put_type(struct text *x, u32 id, int depth);

static int put_params(struct text *x, const struct btf_type *t, int depth)
{
	const struct btf_param *p = (const void *)(t + 1);
	u32 vlen = btf_vlen_of(t), i;
	int ret;

	put_char(x, '(');
	if (!vlen)
		put(x, "void");
	for (i = 0; i < vlen; i++, p++) {
		if (i)
			put(x, ", ");
		if (p->type) {
			ret = put_type(x, p->type, depth + 1);
			if (ret)
				return ret;
		} else if (i == vlen - 1 && !p->name_off) {
			put(x, "...");
		} else {
			return -EINVAL;
		}
	}
	put_char(x, ')');
	return 0;
}

/* Prints what stands behind the omitted name of a type: ")[4]" of "int (*)[4]". */
static int put_right(struct text *x, u32 id, int depth)
{
	for (;;) {
		const struct btf_array *array;
		const struct btf_type *t;
		unsigned long quals = 0;
		char dim[16];
		int ret;

		ret = peel(x, id, &t, &quals);
		if (ret || !t)
			return ret;
		switch (btf_kind_of(t)) {
		case BTF_KIND_PTR:
			id = t->type;
			ret = pointer_needs_parens(x, id);
			if (ret < 0)
				return ret;
			if (ret)
				put_char(x, ')');
			break;
		case BTF_KIND_ARRAY:
			array = (const void *)(t + 1);
			id = array->type;
			snprintf(dim, sizeof(dim), "[%u]", array->nelems);
			put(x, dim);
			break;
		case BTF_KIND_FUNC_PROTO:
			id = t->type;
			ret = put_params(x, t, depth);
			if (ret)
				return ret;
			break;
		default:
			return 0;
		}
	}
}

static int put_type(struct text *x, u32 id, int depth)
{
	int ret = put_left(x, id, 0, depth);

	return ret ? ret : put_right(x, id, depth);
}

/*
 * Prints type @id to @buf, and compares it with @expected; either may be NULL. @buf
 * gets as much as fits, and "" on an error. Id 0, void, is an error, too: neither a
 * function nor a member is void. Returns 0; 1 if the text isn't @expected; or an error.
 */
static int render(const struct tlbbatch_btf *btf, u32 id, char *buf, size_t size,
		  const char *expected, size_t *len)
{
	struct text x = {
		.btf = btf,
		.buf = buf,
		.size = buf ? size : 0,
		.expected = expected,
	};
	int ret = id ? put_type(&x, id, 0) : -EINVAL;

	if (x.size)
		buf[ret ? 0 : min(x.len, x.size - 1)] = '\0';
	if (ret)
		return ret;
	if (len)
		*len = x.len;
	return expected && (x.differs || expected[x.len]);
}

/* The id of the prototype that FUNC @id points to; 0 (void) if it is malformed. */
static u32 func_proto_id(const struct tlbbatch_btf *btf, u32 id)
{
	u32 proto = tlbbatch_btf_type(btf, id)->type;
	const struct btf_type *t = tlbbatch_btf_type(btf, proto);

	return t && btf_kind_of(t) == BTF_KIND_FUNC_PROTO ? proto : 0;
}

/**
 * tlbbatch_btf_func_proto() - a function's prototype as text
 * @btf:  an open blob
 * @func: name of the function, static or not
 * @buf:  gets the text, always terminated; "" on any error but -ENOSPC
 * @size: room in @buf, in bytes, at least 1
 *
 * The form of the text is described at the top of this file.
 *
 * Context: any; takes under 1 KiB of stack, with malformed data under 2 KiB.
 * Return: 0; -ENOENT if there is no such function; -ENOSPC if the text was cut off at @size;
 * -EPROTOTYPE if there are several functions of this name and their prototypes differ; -EOPNOTSUPP
 * if a type in it has no name; -EINVAL if the data is malformed.
 */
int tlbbatch_btf_func_proto(const struct tlbbatch_btf *btf, const char *func, char *buf,
			    size_t size)
{
	size_t len = 0;
	u32 id, nr = 0;
	int ret;

	buf[0] = '\0';
	for (id = 0; (id = tlbbatch_btf_next(btf, BIT(BTF_KIND_FUNC), func, id)); nr++) {
		u32 proto = func_proto_id(btf, id);

		if (!nr)
			ret = render(btf, proto, buf, size, NULL, &len);
		else
			ret = render(btf, proto, NULL, 0, buf, NULL);
		if (!ret && len >= size)
			return -ENOSPC;
		if (ret) {
			buf[0] = '\0';
			return ret > 0 ? -EPROTOTYPE : ret;
		}
	}
	return nr ? 0 : -ENOENT;
}

/**
 * tlbbatch_btf_check_proto() - is a function's prototype the expected one?
 * @btf:      an open blob
 * @func:     name of the function, static or not
 * @expected: text in the form described at the top of this file
 * @found:    NULL, or gets the text found, for a message: on -EPROTOTYPE the one that differs, cut
 *            off at @size; "" if there is none to show
 * @size:     room in @found, in bytes
 *
 * Context: any; takes under 1 KiB of stack, with malformed data under 2 KiB.
 * Return: 0 if every function of this name has the expected prototype; -EPROTOTYPE if one has
 * another; -ENOENT if there is no such function; -EOPNOTSUPP if a type in it has no name; -EINVAL
 * if the data is malformed.
 */
int tlbbatch_btf_check_proto(const struct tlbbatch_btf *btf, const char *func,
			     const char *expected, char *found, size_t size)
{
	u32 id, nr = 0;
	int ret;

	if (found && size)
		found[0] = '\0';
	for (id = 0; (id = tlbbatch_btf_next(btf, BIT(BTF_KIND_FUNC), func, id)); nr++) {
		ret = render(btf, func_proto_id(btf, id), found, size, expected, NULL);
		if (ret)
			return ret > 0 ? -EPROTOTYPE : ret;
	}
	return nr ? 0 : -ENOENT;
}

/**
 * tlbbatch_btf_check_member() - a member's offset, if it has the expected type
 * @btf:         an open blob
 * @tag:         tag of the struct or union
 * @member:      name of the member, which may also be one of an anonymous struct or union inside
 * @expected:    its type, "struct mem_cgroup *", in the form described at the top of this file
 * @byte_offset: set on success, in bytes from the start of the struct named @tag
 * @found:       NULL, or gets the type found, as in tlbbatch_btf_check_proto()
 * @size:        room in @found, in bytes
 *
 * Context: any; takes under 1 KiB of stack, with malformed data under 2 KiB.
 * Return: 0; -EPROTOTYPE if the member has another type; -EOPNOTSUPP if the type has no name; and
 * the errors of tlbbatch_btf_member_offset().
 */
int tlbbatch_btf_check_member(const struct tlbbatch_btf *btf, const char *tag, const char *member,
			      const char *expected, u32 *byte_offset, char *found, size_t size)
{
	struct tlbbatch_btf_member m;
	u32 id = 0, offset;
	int ret;

	if (found && size)
		found[0] = '\0';
	ret = tlbbatch_btf_member_offset(btf, tag, member, &offset);
	if (ret)
		return ret;
	while ((id = tlbbatch_btf_next(btf, BTF_KINDS_STRUCT, tag, id))) {
		ret = tlbbatch_btf_find_member(btf, tlbbatch_btf_type(btf, id), member, &m);
		if (!ret)
			ret = render(btf, m.type, found, size, expected, NULL);
		if (ret)
			return ret > 0 ? -EPROTOTYPE : ret;
	}
	*byte_offset = offset;
	return 0;
}
