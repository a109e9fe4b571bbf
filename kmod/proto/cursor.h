/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_CURSOR_H
#define SMCX_PROTO_CURSOR_H

#include "host.h"

/**
 * DOC: Ring cursors
 *
 * A cursor is an offset into a ring of @size bytes plus a count of how often the
 * ring was wrapped (16 bit, wraps itself), protocol.rst 5.2. Two cursors of one
 * ring are never more than @size bytes apart, so full (same offset, wrap differs) and
 * empty (equal) can be told apart and every byte of the ring is usable::
 *
 *	     cons (w=7)          prod (w=7)       readable = prod - cons
 *	        v                   v
 *	 |------#####################---------|   0 .. size-1
 *
 *	     prod (w=8)          cons (w=7)       readable = size - cons + prod
 *	        v                   v
 *	 |######--------------------##########|
 *
 * A cursor packs into 64 bits, so one READ_ONCE() or atomic64 sees both parts.
 * A peer's cursor is used only after smcx_cursor_check_advance() said OK.
 */

/**
 * struct smcx_cursor - position in a ring
 * @off: byte offset, 0 .. size-1
 * @wrap: times wrapped
 */
struct smcx_cursor {
	u32 off;
	u16 wrap;
};

/**
 * enum smcx_cursor_verdict - what a cursor received from a peer is worth
 * @SMCX_CURSOR_OK: equal or forward within bounds: use it
 * @SMCX_CURSOR_OLD: behind the last one: ignore it (protocol.rst 5.2)
 * @SMCX_CURSOR_BAD: outside of the ring or further than allowed: protocol violation
 */
enum smcx_cursor_verdict {
	SMCX_CURSOR_OK,
	SMCX_CURSOR_OLD,
	SMCX_CURSOR_BAD,
};

/**
 * smcx_cursor_pack() - both parts in one word
 * @c: cursor
 *
 * Context: Any.
 * Return: wrap in bits 32..47, offset below.
 */
static inline u64 smcx_cursor_pack(struct smcx_cursor c)
{
	return ((u64)c.wrap << 32) | c.off;
}

/**
 * smcx_cursor_unpack() - reverse of smcx_cursor_pack()
 * @word: packed cursor
 *
 * Context: Any.
 * Return: cursor.
 */
static inline struct smcx_cursor smcx_cursor_unpack(u64 word)
{
	return (struct smcx_cursor){ .off = (u32)word, .wrap = (u16)(word >> 32) };
}

/**
 * smcx_cursor_add() - advance
 * @c: cursor in the ring
 * @n: bytes, at most @size
 * @size: bytes of the ring
 *
 * Context: Any.
 * Return: the advanced cursor.
 */
struct smcx_cursor smcx_cursor_add(struct smcx_cursor c, u32 n, u32 size);

/**
 * smcx_cursor_diff() - distance from @old to @new
 * @old: trailing cursor
 * @new: leading cursor, at most @size bytes ahead
 * @size: bytes of the ring
 *
 * Context: Any.
 * Return: bytes, 0 .. @size.
 */
u32 smcx_cursor_diff(struct smcx_cursor old, struct smcx_cursor new, u32 size);

/**
 * smcx_cursor_is_backward() - is @new behind @old?
 * @old: last cursor
 * @new: cursor to judge
 *
 * Wraps are compared as a signed 16 bit difference.
 *
 * Context: Any.
 * Return: true if behind.
 */
bool smcx_cursor_is_backward(struct smcx_cursor old, struct smcx_cursor new);

/**
 * smcx_cursor_check_advance() - judge a cursor received from a peer
 * @old: last accepted cursor
 * @new: received cursor
 * @size: bytes of the ring
 * @max_distance: bytes the peer may have advanced at most (free space for a
 *	producer cursor, unconsumed bytes for a consumer cursor), <= @size
 *
 * Context: Any.
 * Return: verdict.
 */
enum smcx_cursor_verdict
smcx_cursor_check_advance(struct smcx_cursor old, struct smcx_cursor new,
			  u32 size, u32 max_distance);

/**
 * struct smcx_ring_piece - contiguous part of a ring
 * @off: first byte
 * @len: bytes
 */
struct smcx_ring_piece {
	u32 off;
	u32 len;
};

/**
 * smcx_ring_split() - cut a range of a ring at the ring's end
 * @off: offset of the first byte, below @size
 * @len: bytes, at most @size
 * @size: bytes of the ring
 * @piece: result
 *
 * Context: Any.
 * Return: number of pieces filled, 0 to 2.
 */
unsigned int smcx_ring_split(u32 off, u32 len, u32 size,
			     struct smcx_ring_piece piece[2]);

#endif
