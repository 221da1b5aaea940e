// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF look-ups that give a number: the size of a struct, the offset of a member, the
 * value of an enumerator.
 *
 * A name may be defined more than once, because each .c file of a kernel may have a
 * struct or an enumerator of that name. If the definitions disagree, the look-up fails.
 */
#include "kernel/btf_reader.h"

/* How deep anonymous structs may nest, and how many members one search may look at. */
#define MAX_DEPTH	8
#define MAX_MEMBERS	65536

struct member_search {
	const struct tlbbatch_btf *btf;
	const char *name;
	size_t len;
	struct tlbbatch_btf_member *found;
	u32 budget;
	bool hit;
};

/*
 * The type behind qualifiers, type tags and typedefs; NULL for void or a malformed
 * chain.
 */
static const struct btf_type *btf_underlying(const struct tlbbatch_btf *btf, u32 id)
{
	int links;

	for (links = 0; links < 32; links++) {
		const struct btf_type *t = tlbbatch_btf_type(btf, id);

		if (!t)
			return NULL;
		switch (btf_kind_of(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return t;
		}
	}
	return NULL;
}

static bool btf_is_struct(const struct btf_type *t)
{
	return btf_kind_of(t) == BTF_KIND_STRUCT || btf_kind_of(t) == BTF_KIND_UNION;
}

/* Before kind_flag existed, a bitfield was an INT with fewer bits than its bytes have. */
static bool btf_is_partial_int(const struct btf_type *t)
{
	u32 val;

	if (btf_kind_of(t) != BTF_KIND_INT)
		return false;
	val = *(const u32 *)(t + 1);
	return BTF_INT_OFFSET(val) || BTF_INT_BITS(val) != (u64)t->size * 8;
}

static int search_members(struct member_search *s, const struct btf_type *t, u64 base, int depth)
{
	const struct btf_member *m = (const void *)(t + 1);
	u32 vlen = btf_vlen_of(t), i;

	if (depth > MAX_DEPTH || vlen > s->budget)
		return -EINVAL;
	s->budget -= vlen;

	for (i = 0; i < vlen; i++, m++) {
		const char *name = tlbbatch_btf_string(s->btf, m->name_off);
		const struct btf_type *type = btf_underlying(s->btf, m->type);
		u32 bits = btf_kflag_of(t) ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0;
		u32 bit = btf_kflag_of(t) ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;
		int ret;

		if (!name || !type)
			return -EINVAL;
		if (!*name) {
			/*
			 * The type may have a tag: -fms-extensions embeds such structs,
			 * too.
			 */
			if (!btf_is_struct(type))
				continue;
			ret = search_members(s, type, base + bit, depth + 1);
			if (ret)
				return ret;
		} else if (!strncmp(name, s->name, s->len) && !name[s->len]) {
			if (s->hit)
				return -EINVAL;
			s->hit = true;
			s->found->type = m->type;
			s->found->bit = base + bit;
			s->found->bitfield = bits || btf_is_partial_int(type);
		}
	}
	return 0;
}

static int find_one(const struct tlbbatch_btf *btf, const struct btf_type *t, const char *name,
		    size_t len, struct tlbbatch_btf_member *found)
{
	struct member_search s = {
		.btf = btf,
		.name = name,
		.len = len,
		.found = found,
		.budget = MAX_MEMBERS,
	};
	int ret = search_members(&s, t, 0, 0);

	if (ret)
		return ret;
	if (!s.hit)
		return -ENOENT;
	return found->bit > (u64)t->size * 8 ? -EINVAL : 0;
}

/**
 * tlbbatch_btf_find_member() - search one struct for a member
 * @btf:   an open blob
 * @t:     a struct or union
 * @name:  name of the member, which may also be one of an anonymous struct or union inside;
 *	   "a.b" is the member b of the struct that the member a is
 * @found: filled in on success; its place is that in @t
 *
 * Context: any.
 * Return: 0; -ENOENT if there is no such member; -EINVAL if the struct is malformed.
 */
int tlbbatch_btf_find_member(const struct tlbbatch_btf *btf, const struct btf_type *t,
			     const char *name, struct tlbbatch_btf_member *found)
{
	size_t len = strcspn(name, ".");
	int ret = find_one(btf, t, name, len, found);

	while (!ret && name[len]) {
		u64 base = found->bit;

		t = btf_underlying(btf, found->type);
		if (!t || !btf_is_struct(t))
			return -ENOENT;
		name += len + 1;
		len = strcspn(name, ".");
		ret = find_one(btf, t, name, len, found);
		found->bit += base;
	}
	return ret;
}

/**
 * tlbbatch_btf_struct_size() - size of a struct or union
 * @btf:  an open blob
 * @tag:  its tag, "scan_control" for struct scan_control
 * @size: set on success, in bytes
 *
 * Context: any.
 * Return: 0; -ENOENT if no struct or union has this tag; -EINVAL if several have and their sizes
 * differ.
 */
int tlbbatch_btf_struct_size(const struct tlbbatch_btf *btf, const char *tag, u32 *size)
{
	u32 id = tlbbatch_btf_next(btf, BTF_KINDS_STRUCT, tag, 0);
	u32 first;

	if (!id)
		return -ENOENT;
	first = tlbbatch_btf_type(btf, id)->size;
	while ((id = tlbbatch_btf_next(btf, BTF_KINDS_STRUCT, tag, id))) {
		if (tlbbatch_btf_type(btf, id)->size != first)
			return -EINVAL;
	}
	*size = first;
	return 0;
}

/**
 * tlbbatch_btf_member_offset() - where a member of a struct or union lies
 * @btf:         an open blob
 * @tag:         tag of the struct or union
 * @member:      name of the member: see tlbbatch_btf_find_member()
 * @byte_offset: set on success, in bytes from the start of the struct named @tag
 *
 * Says nothing about the member's type: see tlbbatch_btf_check_member().
 *
 * Context: any.
 * Return: 0; -ENOENT if there is no such struct, or no such member in it; -EINVAL if the member is
 * a bitfield, if several structs have this tag and disagree, or if the data is malformed.
 */
int tlbbatch_btf_member_offset(const struct tlbbatch_btf *btf, const char *tag,
			       const char *member, u32 *byte_offset)
{
	struct tlbbatch_btf_member m;
	int first_ret = 0, ret;
	u64 first_bit = 0;
	u32 id, nr = 0;

	for (id = 0; (id = tlbbatch_btf_next(btf, BTF_KINDS_STRUCT, tag, id)); nr++) {
		ret = tlbbatch_btf_find_member(btf, tlbbatch_btf_type(btf, id), member, &m);
		if (ret && ret != -ENOENT)
			return ret;
		if (!ret && (m.bitfield || m.bit % 8))
			return -EINVAL;
		if (!nr) {
			first_ret = ret;
			if (!ret)
				first_bit = m.bit;
		} else if (ret != first_ret || (!ret && m.bit != first_bit)) {
			return -EINVAL;
		}
	}
	if (!nr || first_ret)
		return -ENOENT;
	*byte_offset = first_bit / 8;
	return 0;
}

/* The value of item @i of an enum; -ERANGE if an s64 can't hold it. */
static int btf_enum_value(const struct btf_type *t, u32 i, s64 *value)
{
	if (btf_kind_of(t) == BTF_KIND_ENUM) {
		s32 val = ((const struct btf_enum *)(t + 1))[i].val;

		*value = btf_kflag_of(t) ? val : (s64)(u32)val;
	} else {
		const struct btf_enum64 *e = (const struct btf_enum64 *)(t + 1) + i;
		u64 val = (u64)e->val_hi32 << 32 | e->val_lo32;

		if (!btf_kflag_of(t) && val > S64_MAX)
			return -ERANGE;
		*value = (s64)val;
	}
	return 0;
}

/* struct btf_enum and struct btf_enum64 both start with the offset of the name. */
static u32 btf_enum_name_off(const struct btf_type *t, u32 i)
{
	if (btf_kind_of(t) == BTF_KIND_ENUM)
		return ((const struct btf_enum *)(t + 1))[i].name_off;
	return ((const struct btf_enum64 *)(t + 1))[i].name_off;
}

/**
 * tlbbatch_btf_enumerator() - value of an enumerator
 * @btf:   an open blob
 * @name:  name of the enumerator, in whatever enum it is, named or anonymous
 * @value: set on success; never negative if BTF doesn't mark the enum as signed
 *
 * Context: any.
 * Return: 0; -ENOENT if there is no such enumerator; -EINVAL if it has several values in several
 * enums, or if the data is malformed; -ERANGE if it is beyond S64_MAX.
 */
int tlbbatch_btf_enumerator(const struct tlbbatch_btf *btf, const char *name, s64 *value)
{
	s64 first = 0, val;
	bool hit = false;
	u32 id = 0;
	int ret;

	while ((id = tlbbatch_btf_next(btf, BTF_KINDS_ENUM, NULL, id))) {
		const struct btf_type *t = tlbbatch_btf_type(btf, id);
		u32 vlen = btf_vlen_of(t), i;

		for (i = 0; i < vlen; i++) {
			const char *item = tlbbatch_btf_string(btf, btf_enum_name_off(t, i));

			if (!item)
				return -EINVAL;
			if (!*item || strcmp(item, name))
				continue;
			ret = btf_enum_value(t, i, &val);
			if (ret)
				return ret;
			if (hit && val != first)
				return -EINVAL;
			first = val;
			hit = true;
		}
	}
	if (!hit)
		return -ENOENT;
	*value = first;
	return 0;
}
