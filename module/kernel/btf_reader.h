/* SPDX-License-Identifier: GPL-2.0-only */
/* What the three btf_*.c files share. No other file includes it. */
#ifndef TLBBATCH_BTF_READER_H
#define TLBBATCH_BTF_READER_H

#include "kernel/btf.h"

#ifdef __KERNEL__
#include <uapi/linux/btf.h>
#else
#include <linux/btf.h>
#endif

/*
 * btf_type.info is decoded here, not by the uapi macros: 7.1 widened vlen from 16 to 24
 * bits and kind from 5 to 7 ("bpf: Extend BTF UAPI vlen, kinds to use unused bits"). The
 * added bits were always zero before that. So this decoding reads both forms, whatever
 * headers the module is built with.
 */
static inline u32 btf_kind_of(const struct btf_type *t)
{
	return (t->info >> 24) & 0x7f;
}

static inline u32 btf_vlen_of(const struct btf_type *t)
{
	return t->info & 0xffffff;
}

static inline bool btf_kflag_of(const struct btf_type *t)
{
	return t->info >> 31;
}

#define BTF_KINDS_STRUCT	(BIT(BTF_KIND_STRUCT) | BIT(BTF_KIND_UNION))
#define BTF_KINDS_ENUM		(BIT(BTF_KIND_ENUM) | BIT(BTF_KIND_ENUM64))

/**
 * struct tlbbatch_btf_member - a member of a struct or union, found by name
 * @type:     type id of the member
 * @bit:      its offset in bits from the start of the outermost struct
 * @bitfield: true if it is a bitfield
 */
struct tlbbatch_btf_member {
	u32 type;
	u64 bit;
	bool bitfield;
};

/* btf_reader.c */
const struct btf_type *tlbbatch_btf_type(const struct tlbbatch_btf *btf, u32 id);
const char *tlbbatch_btf_string(const struct tlbbatch_btf *btf, u32 off);
u32 tlbbatch_btf_next(const struct tlbbatch_btf *btf, unsigned long kinds, const char *name,
		      u32 after);

/* btf_lookup.c */
int tlbbatch_btf_find_member(const struct tlbbatch_btf *btf, const struct btf_type *t,
			     const char *name, struct tlbbatch_btf_member *found);

#endif /* TLBBATCH_BTF_READER_H */
