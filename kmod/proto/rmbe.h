/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_RMBE_H
#define SMCX_PROTO_RMBE_H

#include "host.h"

/**
 * DOC: Size of a receive element
 *
 * Accept and Confirm carry the size of an RMB element as a code of four bits:
 * 16 KiB times two to the code, 16 KiB to 512 MiB (protocol.rst 3.4).
 */

#define SMCX_RMBE_SIZE_MIN	16384u
#define SMCX_RMBE_CODE_MAX	15

/**
 * smcx_rmbe_size() - bytes of an element
 * @code: size code, only the low four bits count
 *
 * Context: Any.
 * Return: bytes.
 */
static inline u32 smcx_rmbe_size(u8 code)
{
	return SMCX_RMBE_SIZE_MIN << (code & 0x0F);
}

/**
 * smcx_rmbe_code() - smallest code whose size holds a wish
 * @wish: bytes wanted
 * @max_code: local maximum, 0..15; the result is capped at it
 *
 * Context: Any.
 * Return: size code.
 */
static inline u8 smcx_rmbe_code(u32 wish, u8 max_code)
{
	u8 code = 0;

	while (code < max_code && code < SMCX_RMBE_CODE_MAX &&
	       smcx_rmbe_size(code) < wish)
		code++;
	return code;
}

/**
 * smcx_rmbe_base() - remote address of an element
 * @rmb_addr: RMB address announced by the peer, opaque
 * @idx: RMBE index, 1-based (decoders refuse 0)
 * @code: size code
 *
 * The sum may wrap; the peer's RDMA device is what checks the range.
 *
 * Context: Any.
 * Return: address of the element's first byte (protocol.rst 3.6).
 */
static inline u64 smcx_rmbe_base(u64 rmb_addr, u8 idx, u8 code)
{
	return rmb_addr + (u64)smcx_rmbe_size(code) * (idx - 1u);
}

#endif
