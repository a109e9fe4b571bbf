/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_HOST_H
#define SMCX_PROTO_HOST_H

/**
 * DOC: Pure code
 *
 * Everything in proto/ is a function of its arguments: no locks, no allocation,
 * no I/O, no messages. The same files are part of the module and of host programs
 * (unit tests, fuzzers, the tool's decoder); this header is all that differs.
 * Multi-byte values of host structs are in host byte order unless typed __be.
 *
 * Any function of proto/ may be called from any context. Pointers are never
 * NULL and never kept, except where a struct says it points into the message.
 */

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>

typedef uint8_t		u8;
typedef uint16_t	u16;
typedef uint32_t	u32;
typedef uint64_t	u64;
typedef int16_t		s16;
typedef int32_t		s32;
#endif

#endif
