// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lowest layer of the BTF reader: the header, where each type starts, a type by its
 * id, a string by its offset.
 *
 * tlbbatch_btf_open() walks the type section and proves that every record, with all the
 * items that follow it, lies inside. From then on a type's items may be read without a
 * further check. The ids and offsets inside the records aren't proven: whoever follows
 * one checks it.
 *
 * The format is described in the kernel's Documentation/bpf/btf.rst.
 */
#include "kernel/btf_reader.h"

/* The fields that every kernel has. 7.1 added two more, which nothing here needs. */
#define BTF_HEADER_LEN	(offsetof(struct btf_header, str_len) + sizeof(u32))

/* A record is a struct btf_type, then @fixed bytes, then vlen times @item bytes. */
struct record_layout {
	u8 known;
	u8 fixed;
	u8 item;
};

#define LAYOUT(fixed_bytes, item_bytes)	{ .known = 1, .fixed = (fixed_bytes), .item = (item_bytes) }

static const struct record_layout record_layouts[] = {
	[BTF_KIND_INT]		= LAYOUT(sizeof(u32), 0),
	[BTF_KIND_PTR]		= LAYOUT(0, 0),
	[BTF_KIND_ARRAY]	= LAYOUT(sizeof(struct btf_array), 0),
	[BTF_KIND_STRUCT]	= LAYOUT(0, sizeof(struct btf_member)),
	[BTF_KIND_UNION]	= LAYOUT(0, sizeof(struct btf_member)),
	[BTF_KIND_ENUM]		= LAYOUT(0, sizeof(struct btf_enum)),
	[BTF_KIND_FWD]		= LAYOUT(0, 0),
	[BTF_KIND_TYPEDEF]	= LAYOUT(0, 0),
	[BTF_KIND_VOLATILE]	= LAYOUT(0, 0),
	[BTF_KIND_CONST]	= LAYOUT(0, 0),
	[BTF_KIND_RESTRICT]	= LAYOUT(0, 0),
	[BTF_KIND_FUNC]		= LAYOUT(0, 0),	/* its vlen is the linkage */
	[BTF_KIND_FUNC_PROTO]	= LAYOUT(0, sizeof(struct btf_param)),
	[BTF_KIND_VAR]		= LAYOUT(sizeof(struct btf_var), 0),
	[BTF_KIND_DATASEC]	= LAYOUT(0, sizeof(struct btf_var_secinfo)),
	[BTF_KIND_FLOAT]	= LAYOUT(0, 0),
	[BTF_KIND_DECL_TAG]	= LAYOUT(sizeof(struct btf_decl_tag), 0),
	[BTF_KIND_TYPE_TAG]	= LAYOUT(0, 0),
	[BTF_KIND_ENUM64]	= LAYOUT(0, sizeof(struct btf_enum64)),
};

/*
 * The size of record @t, 0 if its kind is not known. A struct btf_type must fit at @t.
 */
static size_t btf_record_size(const struct btf_type *t)
{
	u32 kind = btf_kind_of(t);

	if (kind >= ARRAY_SIZE(record_layouts) || !record_layouts[kind].known)
		return 0;
	/* At most 2^24 items of 12 bytes: no overflow, even in 32 bits. */
	return sizeof(*t) + record_layouts[kind].fixed +
	       (size_t)btf_vlen_of(t) * record_layouts[kind].item;
}

/* Walks all types; counts them, and notes where each starts if @offsets is given. */
static int btf_walk(const struct tlbbatch_btf *btf, u32 *offsets, u32 *nr_types)
{
	u32 pos = 0, nr = 0;

	while (pos < btf->types_len) {
		u32 left = btf->types_len - pos;
		const struct btf_type *t = (const void *)(btf->types + pos);
		size_t size;

		if (left < sizeof(*t))
			return -EINVAL;
		size = btf_record_size(t);
		if (!size)
			return -EOPNOTSUPP;
		if (size > left || !tlbbatch_btf_string(btf, t->name_off))
			return -EINVAL;
		if (offsets)
			offsets[nr] = pos;
		nr++;
		pos += size;
	}
	*nr_types = nr;
	return 0;
}

/* Checks the header, and finds the type section and the string section. */
static int btf_read_header(struct tlbbatch_btf *btf, const void *data, size_t size)
{
	const struct btf_header *hdr = data;
	const u8 *body;
	u64 room;

	if (size < BTF_HEADER_LEN || (uintptr_t)data % sizeof(u32))
		return -EINVAL;
	if (hdr->magic != BTF_MAGIC)	/* another byte order is refused here, too */
		return -EINVAL;
	if (hdr->version != BTF_VERSION || hdr->flags)
		return -EOPNOTSUPP;
	if (hdr->hdr_len < BTF_HEADER_LEN || hdr->hdr_len > size || hdr->hdr_len % sizeof(u32))
		return -EINVAL;

	body = (const u8 *)data + hdr->hdr_len;
	room = size - hdr->hdr_len;
	if ((u64)hdr->type_off + hdr->type_len > room || hdr->type_off % sizeof(u32))
		return -EINVAL;
	if ((u64)hdr->str_off + hdr->str_len > room || !hdr->str_len)
		return -EINVAL;

	btf->types = body + hdr->type_off;
	btf->types_len = hdr->type_len;
	btf->strings = (const char *)body + hdr->str_off;
	btf->strings_len = hdr->str_len;

	/* Offset 0 means "no name". Because of the last NUL every string ends. */
	if (btf->strings[0] || btf->strings[btf->strings_len - 1])
		return -EINVAL;
	return 0;
}

/**
 * tlbbatch_btf_open() - check a BTF blob and index its types
 * @btf:  filled in on success; on failure zeroed, so that tlbbatch_btf_close() does no harm
 * @data: the blob, in the machine's byte order and aligned to 4 bytes; in a kernel the bytes from
 *        __start_BTF to __stop_BTF. It must stay unchanged until tlbbatch_btf_close().
 * @size: its length in bytes
 *
 * Only a base blob can be read. The split BTF of a module can be opened, but its ids
 * begin behind those of vmlinux, so that look-ups in it fail.
 *
 * Context: process context, may sleep (allocates 4 bytes per type).
 * Return: 0; -EINVAL if the blob is malformed, not aligned, or of the other byte order; -EOPNOTSUPP
 * if it has a version, flags or a kind of type not known here; -ENOMEM.
 */
int tlbbatch_btf_open(struct tlbbatch_btf *btf, const void *data, size_t size)
{
	u32 nr;
	int ret;

	memset(btf, 0, sizeof(*btf));
	ret = btf_read_header(btf, data, size);
	if (!ret)
		ret = btf_walk(btf, NULL, &nr);
	if (!ret && !nr)
		ret = -EINVAL;
	if (ret)
		goto fail;

	btf->offsets = kvmalloc_array(nr, sizeof(*btf->offsets), GFP_KERNEL);
	if (!btf->offsets) {
		ret = -ENOMEM;
		goto fail;
	}
	ret = btf_walk(btf, btf->offsets, &btf->nr_types);
	if (!ret)
		return 0;
fail:
	tlbbatch_btf_close(btf);
	return ret;
}

/**
 * tlbbatch_btf_close() - give back what tlbbatch_btf_open() allocated
 * @btf: an open blob, one whose opening failed, or one already closed
 *
 * Context: process context, may sleep. No look-up may be running.
 */
void tlbbatch_btf_close(struct tlbbatch_btf *btf)
{
	kvfree(btf->offsets);
	memset(btf, 0, sizeof(*btf));
}

/**
 * tlbbatch_btf_type() - the record of a type
 * @btf: an open blob
 * @id:  type id
 *
 * Context: any.
 * Return: the record, all of whose items lie inside the blob; NULL for id 0, which is void and has
 * no record, and for an id beyond the last.
 */
const struct btf_type *tlbbatch_btf_type(const struct tlbbatch_btf *btf, u32 id)
{
	if (!id || id > btf->nr_types)
		return NULL;
	return (const void *)(btf->types + btf->offsets[id - 1]);
}

/**
 * tlbbatch_btf_string() - a string of the blob
 * @btf: an open blob
 * @off: offset into the string section
 *
 * Context: any.
 * Return: the string, which ends inside the blob; NULL if @off lies beyond the section.
 */
const char *tlbbatch_btf_string(const struct tlbbatch_btf *btf, u32 off)
{
	return off < btf->strings_len ? btf->strings + off : NULL;
}

/**
 * tlbbatch_btf_next() - the next type of given kinds and a given name
 * @btf:   an open blob
 * @kinds: a bit for each BTF_KIND_* that is wanted
 * @name:  the name that is wanted; NULL for any name, or none
 * @after: 0 at first, then the last id found
 *
 * Context: any. Reads every type after @after in turn: 100,000 types take about a millisecond.
 * Return: a type id, 0 if there are no more.
 */
u32 tlbbatch_btf_next(const struct tlbbatch_btf *btf, unsigned long kinds, const char *name,
		      u32 after)
{
	u32 id;

	if (name && !*name)
		return 0;
	for (id = after + 1; id <= btf->nr_types; id++) {
		const struct btf_type *t = tlbbatch_btf_type(btf, id);

		if (!(kinds & BIT(btf_kind_of(t))))
			continue;
		if (!name || !strcmp(name, tlbbatch_btf_string(btf, t->name_off)))
			return id;
	}
	return 0;
}
