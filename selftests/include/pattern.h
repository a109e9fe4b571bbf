/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pattern.h - a stream of bytes that are a function of seed and offset, so that
 * a lost, doubled or moved byte anywhere is seen at once.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t pat_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static inline uint8_t pat_byte(uint64_t seed, uint64_t off)
{
	return pat_mix(seed ^ ((off >> 3) * 0x2545f4914f6cdd1dull)) >>
	       ((off & 7) * 8);
}

static inline void pat_fill(uint64_t seed, uint64_t off, void *buf, size_t n)
{
	uint8_t *p = buf;
	size_t i = 0;

	while (i < n) {
		uint64_t w = pat_mix(seed ^ (((off + i) >> 3) *
					     0x2545f4914f6cdd1dull));
		unsigned int k = (off + i) & 7;

		for (; k < 8 && i < n; k++, i++)
			p[i] = w >> (k * 8);
	}
}

/* Return: index of the first wrong byte, or -1. */
static inline long pat_check(uint64_t seed, uint64_t off, const void *buf,
			     size_t n)
{
	const uint8_t *p = buf;
	size_t i = 0;

	while (i < n) {
		uint64_t w = pat_mix(seed ^ (((off + i) >> 3) *
					     0x2545f4914f6cdd1dull));
		unsigned int k = (off + i) & 7;

		for (; k < 8 && i < n; k++, i++)
			if (p[i] != (uint8_t)(w >> (k * 8)))
				return i;
	}
	return -1;
}

/* Small seeded generator for sizes and choices. */
struct rng {
	uint64_t s;
};

static inline uint64_t rng_next(struct rng *r)
{
	return pat_mix(r->s += 0xd1342543de82ef95ull);
}

static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return n ? rng_next(r) % n : 0;
}

/* Sizes cluster at small values and at the edges of pages and rings. */
static inline uint32_t rng_size(struct rng *r, uint32_t max)
{
	static const uint32_t edge[] = { 1, 2, 7, 44, 512, 1024, 4095, 4096,
					 4097, 16384, 32767, 65536, 65537 };
	uint32_t n;

	switch (rng_below(r, 4)) {
	case 0:
		n = 1 + rng_below(r, 64);
		break;
	case 1:
		n = edge[rng_below(r, sizeof(edge) / sizeof(edge[0]))];
		break;
	case 2:
		n = 1 + rng_below(r, 5000);
		break;
	default:
		n = 1 + rng_below(r, max);
	}
	return n > max ? max : n;
}

#endif
