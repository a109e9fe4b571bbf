// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Cursors against a model: positions as 64-bit counts of bytes since the beginning */

#include "cursor.h"
#include "tap.h"

static struct smcx_cursor at(u64 pos, u32 size)
{
	return (struct smcx_cursor){ .off = (u32)(pos % size), .wrap = (u16)(pos / size) };
}

static bool equal(struct smcx_cursor a, struct smcx_cursor b)
{
	return a.off == b.off && a.wrap == b.wrap;
}

static void pack(void)
{
	struct smcx_cursor c = { .off = 0xfedcba98, .wrap = 0x7654 };
	int i;

	CHECK_EQ(smcx_cursor_pack(c), 0x7654fedcba98);
	CHECK_EQ(smcx_cursor_pack((struct smcx_cursor){ 0 }), 0);
	for (i = 0; i < 1000; i++) {
		c.off = tap_rand();
		c.wrap = (u16)tap_rand();
		CHECK(equal(smcx_cursor_unpack(smcx_cursor_pack(c)), c));
	}
}

/* All cursors of small rings, across the wrap of the wrap counter. */
static void exhaustive(void)
{
	static const u64 starts[] = { 0, 65534 };
	u64 base, pos, to;
	u32 size, n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
	for (size = 1; size <= 9; size++) {
		base = starts[i] * size;
		for (pos = base; pos < base + 4 * size; pos++) {
			struct smcx_cursor old = at(pos, size);

			for (n = 0; n <= size; n++) {
				struct smcx_cursor new = smcx_cursor_add(old, n, size);

				CHECK(equal(new, at(pos + n, size)));
				CHECK_EQ(smcx_cursor_diff(old, new, size), n);
				CHECK(!smcx_cursor_is_backward(old, new));
				CHECK_EQ(smcx_cursor_is_backward(new, old), n > 0);
			}
			/* what may come next, for each limit: forward up to it, nothing else */
			for (n = 0; n <= size; n++) {
				for (to = pos > 2 * size ? pos - 2 * size : 0; to <= pos + 3 * size; to++) {
					enum smcx_cursor_verdict want =
						to < pos ? SMCX_CURSOR_OLD :
						to - pos <= n ? SMCX_CURSOR_OK : SMCX_CURSOR_BAD;

					CHECK_EQ(smcx_cursor_check_advance(old, at(to, size), size, n), want);
				}
			}
		}
	}
}

static void hostile(void)
{
	struct smcx_cursor old = { .off = 100, .wrap = 5 };
	const u32 size = 16384;

#define TRY(w, o, max, want) \
	CHECK_EQ(smcx_cursor_check_advance(old, (struct smcx_cursor){ .wrap = (w), .off = (o) }, size, max), want)
	TRY(5, 100, 0, SMCX_CURSOR_OK);		/* no progress */
	TRY(5, 101, 0, SMCX_CURSOR_BAD);
	TRY(5, size, size, SMCX_CURSOR_BAD);	/* one byte outside of the ring */
	TRY(5, 0xffffffff, size, SMCX_CURSOR_BAD);
	TRY(4, 0xffffffff, size, SMCX_CURSOR_BAD);
	TRY(6, 100, size, SMCX_CURSOR_OK);	/* exactly once round */
	TRY(6, 100, size - 1, SMCX_CURSOR_BAD);
	TRY(6, 101, size, SMCX_CURSOR_BAD);	/* and on */
	TRY(7, 0, size, SMCX_CURSOR_BAD);	/* a lap left out */
	TRY(5, 99, size, SMCX_CURSOR_OLD);
	TRY(4, 16383, size, SMCX_CURSOR_OLD);
	TRY(0, 0, size, SMCX_CURSOR_OLD);
	TRY(5 + 0x7fff, 0, size, SMCX_CURSOR_BAD);
	TRY((u16)(5 + 0x8000), 0, size, SMCX_CURSOR_OLD);
	old.wrap = 65535;
	TRY(0, 0, size, SMCX_CURSOR_OK);	/* the wrap counter wraps */
	TRY(1, 0, size, SMCX_CURSOR_BAD);
#undef TRY
}

/* Writer and reader of one ring run at random; bytes are carried through pieces. */
static void random_walk(void)
{
	static const u32 sizes[] = { 1, 2, 7, 4096, 16384, 65536 };
	static u8 ring[65536];
	size_t i;
	int step;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* begin just before the wrap counter wraps */
		u64 wpos = 65530ull * sizes[i], rpos = wpos;
		struct smcx_cursor prod = at(wpos, sizes[i]), cons = prod, next;
		struct smcx_ring_piece piece[2];
		const u32 size = sizes[i];

		for (step = 0; step < 20000; step++) {
			u32 used = smcx_cursor_diff(cons, prod, size), n, k, done = 0;
			unsigned int pieces, p;

			CHECK_EQ(used, wpos - rpos);
			n = tap_below(size - used + 1);
			pieces = smcx_ring_split(prod.off, n, size, piece);
			CHECK(pieces <= 2);
			for (p = 0; p < pieces; p++) {
				CHECK(piece[p].len && piece[p].off + piece[p].len <= size);
				for (k = 0; k < piece[p].len && step < 500; k++)
					ring[piece[p].off + k] = (u8)((wpos + done + k) * 31);
				done += piece[p].len;
			}
			CHECK_EQ(done, n);
			next = smcx_cursor_add(prod, n, size);
			CHECK_EQ(smcx_cursor_check_advance(prod, next, size, size - used), SMCX_CURSOR_OK);
			if (n)
				CHECK_EQ(smcx_cursor_check_advance(prod, next, size, n - 1), SMCX_CURSOR_BAD);
			prod = next;
			wpos += n;

			used = smcx_cursor_diff(cons, prod, size);
			n = tap_below(used + 1);
			pieces = smcx_ring_split(cons.off, n, size, piece);
			for (p = 0, done = 0; p < pieces && step < 500; p++) {
				for (k = 0; k < piece[p].len; k++)
					if (ring[piece[p].off + k] != (u8)((rpos + done + k) * 31))
						break;
				CHECK_EQ(k, piece[p].len);
				done += piece[p].len;
			}
			next = smcx_cursor_add(cons, n, size);
			CHECK_EQ(smcx_cursor_check_advance(cons, next, size, used), SMCX_CURSOR_OK);
			cons = next;
			rpos += n;
			CHECK(equal(prod, at(wpos, size)) && equal(cons, at(rpos, size)));
		}
	}
}

/* The largest ring there is: no sum may overflow. */
static void largest_ring(void)
{
	const u32 size = 16384u << 15;
	struct smcx_cursor c = { .off = size - 1, .wrap = 65535 }, n;
	struct smcx_ring_piece piece[2];

	n = smcx_cursor_add(c, size, size);
	CHECK(n.off == size - 1 && n.wrap == 0);
	CHECK_EQ(smcx_cursor_diff(c, n, size), size);
	CHECK_EQ(smcx_cursor_check_advance(c, n, size, size), SMCX_CURSOR_OK);
	CHECK_EQ(smcx_ring_split(size - 1, size, size, piece), 2);
	CHECK(piece[0].len == 1 && piece[1].off == 0 && piece[1].len == size - 1);
	CHECK_EQ(smcx_ring_split(0, size, size, piece), 1);
	CHECK_EQ(smcx_ring_split(5, 0, size, piece), 0);
}

const struct tap_case cursor_cases[] = {
	{ "cursor: packed and back", pack },
	{ "cursor: all of small rings", exhaustive },
	{ "cursor: what a hostile peer may send", hostile },
	{ "cursor: random walk of writer and reader", random_walk },
	{ "cursor: largest ring", largest_ring },
	{ 0 }
};
