/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash that maps the address of an ftrace site to what belongs to its function. It is
 * filled at load; the self-test's dummy alone is added at the first attach. A look-up
 * from an ftrace callback mostly reads a single cache line.
 */
#ifndef TLBBATCH_IP_HASH_H
#define TLBBATCH_IP_HASH_H

#include <linux/hash.h>
#include <linux/types.h>

/**
 * struct tlbbatch_ip_slot - a slot of a hash with open addressing
 * @ip: the ftrace site, 0 if the slot is free
 * @what: what belongs to the function
 */
struct tlbbatch_ip_slot {
	unsigned long ip;
	void *what;
};

static __always_inline struct tlbbatch_ip_slot *
tlbbatch_ip_slot(struct tlbbatch_ip_slot *slots, unsigned int bits,
		 unsigned long ip)
{
	unsigned int mask = (1U << bits) - 1;
	unsigned int first = hash_long(ip, bits);
	unsigned int i;

	for (i = 0; i <= mask; i++) {
		struct tlbbatch_ip_slot *slot = &slots[(first + i) & mask];
		/* Pairs with tlbbatch_ip_add() of another function. */
		unsigned long there = READ_ONCE(slot->ip);

		if (there == ip || !there)
			return slot;
	}
	return NULL;
}

/**
 * tlbbatch_ip_find() - find what belongs to a function
 * @slots: the hash
 * @bits: it has 1 << @bits slots
 * @ip: the function's ftrace site
 *
 * Context: any, notrace.
 * Return: what was added for @ip; NULL if nothing was.
 */
static __always_inline void *tlbbatch_ip_find(struct tlbbatch_ip_slot *slots,
					      unsigned int bits, unsigned long ip)
{
	struct tlbbatch_ip_slot *slot = tlbbatch_ip_slot(slots, bits, ip);

	return slot && READ_ONCE(slot->ip) ? slot->what : NULL;
}

/**
 * tlbbatch_ip_add() - add a function
 * @slots: the hash
 * @bits: it has 1 << @bits slots
 * @ip: the function's ftrace site
 * @what: what belongs to it
 *
 * Others may be looked up meanwhile: one that is in the hash already lies in front of the
 * slot that is still free, and nothing is ever taken out.
 *
 * Context: before the function is traced; calls never run in parallel.
 * Return: false if there is no room.
 */
static inline bool tlbbatch_ip_add(struct tlbbatch_ip_slot *slots,
				   unsigned int bits, unsigned long ip, void *what)
{
	struct tlbbatch_ip_slot *slot = tlbbatch_ip_slot(slots, bits, ip);

	if (!slot)
		return false;
	slot->what = what;
	WRITE_ONCE(slot->ip, ip);
	return true;
}

#endif /* TLBBATCH_IP_HASH_H */
