/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_WIRE_H
#define SMCX_PROTO_WIRE_H

#include "host.h"

/*
 * Big-endian fields at any alignment. The kernel's get_unaligned_be32() and
 * friends moved to another header between the supported kernels and do not
 * exist on the host, hence these few. The caller has checked the bounds.
 */

static inline u16 smcx_get16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static inline u32 smcx_get24(const u8 *p)
{
	return (u32)p[0] << 16 | (u32)p[1] << 8 | p[2];
}

static inline u32 smcx_get32(const u8 *p)
{
	return (u32)p[0] << 24 | smcx_get24(p + 1);
}

static inline u64 smcx_get64(const u8 *p)
{
	return (u64)smcx_get32(p) << 32 | smcx_get32(p + 4);
}

/* masks, not casts alone: sparse minds constants that a cast truncates */
static inline void smcx_put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = v & 0xFF;
}

static inline void smcx_put24(u8 *p, u32 v)
{
	p[0] = (v >> 16) & 0xFF;
	smcx_put16(p + 1, v & 0xFFFF);
}

static inline void smcx_put32(u8 *p, u32 v)
{
	smcx_put16(p, v >> 16);
	smcx_put16(p + 2, v & 0xFFFF);
}

static inline void smcx_put64(u8 *p, u64 v)
{
	smcx_put32(p, v >> 32);
	smcx_put32(p + 4, v & 0xFFFFFFFF);
}

/* Do @n bytes at @off lie inside of @len bytes? Cannot overflow. */
static inline bool smcx_fits(size_t len, size_t off, size_t n)
{
	return off <= len && n <= len - off;
}

#endif
