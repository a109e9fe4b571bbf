// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Ring cursors, protocol.rst 5.2 */

#include "cursor.h"

struct smcx_cursor smcx_cursor_add(struct smcx_cursor c, u32 n, u32 size)
{
	u32 room = size - c.off;

	if (n < room) {
		c.off += n;
	} else {
		c.off = n - room;
		c.wrap++;
	}
	return c;
}

u32 smcx_cursor_diff(struct smcx_cursor old, struct smcx_cursor new, u32 size)
{
	if (old.wrap == new.wrap)
		return new.off - old.off;
	return size - old.off + new.off;
}

bool smcx_cursor_is_backward(struct smcx_cursor old, struct smcx_cursor new)
{
	s16 wraps = (s16)(new.wrap - old.wrap);

	return wraps < 0 || (!wraps && new.off < old.off);
}

enum smcx_cursor_verdict
smcx_cursor_check_advance(struct smcx_cursor old, struct smcx_cursor new,
			  u32 size, u32 max_distance)
{
	if (new.off >= size)
		return SMCX_CURSOR_BAD;
	if (smcx_cursor_is_backward(old, new))
		return SMCX_CURSOR_OLD;
	/* further than one wrap, or once round and past where it began */
	if ((u16)(new.wrap - old.wrap) > 1 ||
	    (new.wrap != old.wrap && new.off > old.off))
		return SMCX_CURSOR_BAD;
	if (smcx_cursor_diff(old, new, size) > max_distance)
		return SMCX_CURSOR_BAD;
	return SMCX_CURSOR_OK;
}

unsigned int smcx_ring_split(u32 off, u32 len, u32 size,
			     struct smcx_ring_piece piece[2])
{
	u32 room = size - off;

	if (!len)
		return 0;
	piece[0].off = off;
	if (len <= room) {
		piece[0].len = len;
		return 1;
	}
	piece[0].len = room;
	piece[1].off = 0;
	piece[1].len = len - room;
	return 2;
}
