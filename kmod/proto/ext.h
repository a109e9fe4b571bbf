/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_EXT_H
#define SMCX_PROTO_EXT_H

#include "clc.h"

/**
 * DOC: The extension's bytes
 *
 * What two hosts that run this module say to each other in bytes of CLC messages that
 * others ignore (Documentation/one-rtt.rst): an identification, capability bits, and the token
 * by which a server recognizes a client it has invited. A message without our identification
 * has no capabilities.
 */

#define SMCX_EXT_VENDOR		0x58	/* "X" */
#define SMCX_EXT_VERSION	1	/* later versions add bits and keep these */
#define SMCX_EXT_TOKEN_OFF	4	/* token in the reserved bytes of a Proposal's v2 extension */

/** enum smcx_cap - capability bits; what both sides have holds */
enum smcx_cap {
	SMCX_CAP_SYN	= 0x0001,	/* knows the Proposal in the SYN and its token */
	SMCX_CAP_QUIET	= 0x0002,	/* needs no CONFIRM_RKEY and DELETE_RKEY per connection */
	SMCX_CAP_EARLY	= 0x0004,	/* first contact in one round trip */
	SMCX_CAP_DATA	= 0x0010,	/* small messages carry their bytes behind the CDC */
};

/**
 * smcx_ext_put_caps() - write identification and capabilities
 * @vendor: four bytes: 55..58 of a Proposal, 144..147 of Accept or Confirm
 * @caps: enum smcx_cap bits; 0 leaves the bytes zero
 *
 * Context: Any.
 */
void smcx_ext_put_caps(u8 vendor[4], u16 caps);

/**
 * smcx_ext_caps() - read them
 * @vendor: the four bytes
 *
 * Context: Any.
 * Return: enum smcx_cap bits, 0 if the bytes are somebody else's.
 */
u16 smcx_ext_caps(const u8 vendor[4]);

/**
 * smcx_ext_put_token() - write a token
 * @to: eight bytes
 * @token: value, 0 = none
 *
 * Context: Any.
 */
void smcx_ext_put_token(u8 to[8], u64 token);

/**
 * smcx_ext_proposal_token() - token of a Proposal
 * @prop: decoded Proposal
 *
 * Context: Any.
 * Return: the token, 0 if there is none or the Proposal is not of the extension.
 */
u64 smcx_ext_proposal_token(const struct smcx_clc_proposal *prop);

/**
 * smcx_ext_accept_token() - token of an Accept
 * @acc: decoded Accept
 * @caps: capabilities of the group
 *
 * Context: Any.
 * Return: the token, 0 if there is none.
 */
u64 smcx_ext_accept_token(const struct smcx_clc_accept *acc, u16 caps);

#endif
