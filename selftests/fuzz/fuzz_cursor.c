// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Cursors of a hostile peer: whatever it sends, an accepted cursor is inside of the ring and
 * no further than allowed, and the pieces of the range are, too. The peer also sends
 * true cursors now and then, which must be accepted.
 */

#include "cursor.h"
#include "fuzz.h"

static u32 take32(const u8 **data, size_t *len)
{
	u32 v = 0;
	int i;

	for (i = 0; i < 4; i++)
		v = v << 8 | take(data, len);
	return v;
}

static void pieces(struct smcx_cursor from, u32 n, u32 size)
{
	struct smcx_ring_piece p[2];
	unsigned int i, count = smcx_ring_split(from.off, n, size, p);
	u32 sum = 0;

	MUST(count <= 2);
	for (i = 0; i < count; i++) {
		MUST(p[i].len && p[i].off < size && p[i].len <= size - p[i].off);
		sum += p[i].len;
	}
	MUST(sum == n);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	u32 size = (16384u << (take(&data, &len) & 15)) - take(&data, &len);
	struct smcx_cursor prod = { 0 }, cons = { 0 }, c;
	enum smcx_cursor_verdict v;
	u32 free, n;

	while (len) {
		u8 what = take(&data, &len);

		MUST(prod.off < size && cons.off < size);
		free = size - smcx_cursor_diff(cons, prod, size);
		MUST(free <= size);
		if (what & 1) {
			/* anything */
			c.wrap = (u16)(prod.wrap + (s32)(what >> 1) - 3);
			c.off = take32(&data, &len);
			v = smcx_cursor_check_advance(prod, c, size, free);
			if (v != SMCX_CURSOR_OK)
				continue;
			MUST(c.off < size);
			MUST(smcx_cursor_diff(prod, c, size) <= free);
			pieces(prod, smcx_cursor_diff(prod, c, size), size);
			prod = c;
		} else if (what & 2) {
			/* the truth, and one byte more than that */
			n = take32(&data, &len) % (free + 1);
			c = smcx_cursor_add(prod, n, size);
			MUST(smcx_cursor_check_advance(prod, c, size, free) == SMCX_CURSOR_OK);
			MUST(smcx_cursor_diff(prod, c, size) == n);
			MUST(n == 0 || smcx_cursor_is_backward(c, prod));
			pieces(prod, n, size);
			prod = c;
			c = smcx_cursor_add(prod, free - n, size);
			if (free - n < size)
				MUST(smcx_cursor_check_advance(prod, smcx_cursor_add(c, 1, size), size, free - n) ==
				     SMCX_CURSOR_BAD);
		} else {
			n = take32(&data, &len) % (size - free + 1);
			c = smcx_cursor_add(cons, n, size);
			MUST(smcx_cursor_check_advance(cons, c, size, size - free) == SMCX_CURSOR_OK);
			pieces(cons, n, size);
			cons = c;
		}
		c = smcx_cursor_unpack(smcx_cursor_pack(prod));
		MUST(c.off == prod.off && c.wrap == prod.wrap);
	}
	return 0;
}
