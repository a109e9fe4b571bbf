/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_EID_H
#define SMCX_PROTO_EID_H

#include "host.h"

/**
 * DOC: Enterprise ids
 *
 * A user defined EID is 32 bytes: first an upper-case letter or a digit, then
 * A-Z 0-9 '.' '-', padded at the end with blanks (protocol.rst 2.7). What a peer sends is
 * compared as 32 bytes and never checked; the syntax binds only what is
 * configured here.
 */

#define SMCX_EID_LEN		32

/**
 * smcx_eid_is_valid() - syntax check of a UEID
 * @eid: 32 bytes, blank padded
 *
 * Context: Any.
 * Return: true if @eid may be configured.
 */
bool smcx_eid_is_valid(const u8 eid[SMCX_EID_LEN]);

/**
 * smcx_eid_normalise() - make a UEID of what an administrator wrote
 * @in: characters, need not end with NUL
 * @len: how many at most; a NUL ends earlier
 * @out: result, 32 bytes, upper case, blank padded
 *
 * Context: Any.
 * Return: 0, or -EINVAL if the text is empty, too long or has other characters.
 */
int smcx_eid_normalise(const char *in, size_t len, u8 out[SMCX_EID_LEN]);

#endif
