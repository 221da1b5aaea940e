/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A read-only BTF reader: what do the running kernel's functions and structs look like?
 *
 * The reader is pure: it looks only at the memory that it was given, and trusts nothing
 * in it. The data must stay where it is, unchanged, from open to close. In between any
 * number of look-ups may run at the same time: none of them writes to the struct,
 * allocates or sleeps.
 *
 * The reader never guesses: two functions or structs of one name that disagree are an
 * error.
 */
#ifndef TLBBATCH_BTF_H
#define TLBBATCH_BTF_H

#include "kernel/portable.h"

/**
 * struct tlbbatch_btf - an open BTF blob
 * @types:     start of the type section, in the caller's data
 * @strings:   start of the string section, in the caller's data; its last byte is NUL
 * @types_len: bytes in the type section
 * @strings_len: bytes in the string section, at least 1
 * @offsets:   where type id n + 1 starts, in bytes from @types; owned by this struct
 * @nr_types:  number of types, which is the highest valid type id (id 0 is void)
 *
 * The fields belong to the reader.
 */
struct tlbbatch_btf {
	const u8 *types;
	const char *strings;
	u32 types_len;
	u32 strings_len;
	u32 *offsets;
	u32 nr_types;
};

/* btf_reader.c */
int tlbbatch_btf_open(struct tlbbatch_btf *btf, const void *data, size_t size);
void tlbbatch_btf_close(struct tlbbatch_btf *btf);

/* btf_lookup.c */
int tlbbatch_btf_struct_size(const struct tlbbatch_btf *btf, const char *tag, u32 *size);
int tlbbatch_btf_member_offset(const struct tlbbatch_btf *btf, const char *tag,
			       const char *member, u32 *byte_offset);
int tlbbatch_btf_enumerator(const struct tlbbatch_btf *btf, const char *name, s64 *value);

/* btf_check.c */
int tlbbatch_btf_func_proto(const struct tlbbatch_btf *btf, const char *func, char *buf,
			    size_t size);
int tlbbatch_btf_check_proto(const struct tlbbatch_btf *btf, const char *func,
			     const char *expected, char *found, size_t size);
int tlbbatch_btf_check_member(const struct tlbbatch_btf *btf, const char *tag, const char *member,
			      const char *expected, u32 *byte_offset, char *found, size_t size);

#endif /* TLBBATCH_BTF_H */
