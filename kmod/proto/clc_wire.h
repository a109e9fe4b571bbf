/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_CLC_WIRE_H
#define SMCX_PROTO_CLC_WIRE_H

#include "clc.h"

/* Shared by the CLC codecs only. */

#define SMCX_CLC_EYE_R	0xE2D4C3D9	/* "SMCR" in EBCDIC */
#define SMCX_CLC_EYE_D	0xE2D4C3C4	/* "SMCD" */

/**
 * smcx_clc_open() - check header, length and trailer of a message
 * @buf: the message
 * @len: bytes in @buf
 * @hdr: result: header
 * @body: result: end of the contents: where the trailer begins, or @len if the
 *	message was longer than the buffer (protocol.rst 2.2 step 3); a Decline's trailer
 *	is not looked at
 *
 * Context: Any.
 * Return: 0 or -EPROTO.
 */
int smcx_clc_open(const u8 *buf, size_t len, struct smcx_clc_hdr *hdr,
		  size_t *body);

/**
 * smcx_clc_close() - put header and trailer around contents already written
 * @buf: the message
 * @len: its length, trailer included
 * @type: enum smcx_clc_type
 * @version: header version
 * @flags: low nibble of byte 7
 *
 * Context: Any.
 */
void smcx_clc_close(u8 *buf, size_t len, u8 type, u8 version, u8 flags);

#endif
