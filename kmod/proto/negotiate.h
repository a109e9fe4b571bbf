/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_NEGOTIATE_H
#define SMCX_PROTO_NEGOTIATE_H

#include "clc.h"
#include "host.h"
#include "reason.h"

/**
 * DOC: Negotiation
 *
 * What this host can goes in as &struct smcx_offer, the peer's message as it was
 * decoded, and &struct smcx_agreed comes out (protocol.rst 2.7). Neither
 * changes afterwards. SMC-Rv2 wins over SMC-Rv1; the client's order of EIDs
 * decides; release, connections and links are the smaller value of both sides.
 */

#define SMCX_RELEASE_MAX	1	/* v2.1 */
#define SMCX_CONNS_MIN		16
#define SMCX_CONNS_MAX		255
#define SMCX_LINKS_MIN		1
#define SMCX_LINKS_MAX		2
#define SMCX_OFFER_EIDS_MAX	4

/**
 * struct smcx_offer - what this host can do for one connection
 * @no_v1: 0 = SMC-Rv1 possible, else the reason why not
 * @no_v2: 0 = SMC-Rv2 possible, else the reason why not
 * @v1_prefix_ok: server: egress device has an IP prefix of the Proposal (protocol.rst 2.8)
 * @release: highest release spoken
 * @max_conns: connections per link group, 16..255
 * @max_links: links per link group, 1..2
 * @features: feature mask (v2.1)
 * @caps: capabilities of the extension (version 2), enum smcx_cap
 * @n_eids: number of @eids
 * @eids: own user EIDs
 */
struct smcx_offer {
	u32	no_v1;
	u32	no_v2;
	bool	v1_prefix_ok;
	u8	release;
	u8	max_conns;
	u8	max_links;
	u16	features;
	u16	caps;
	u8	n_eids;
	u8	eids[SMCX_OFFER_EIDS_MAX][SMCX_EID_LEN];
};

/**
 * struct smcx_agreed - what both sides will do
 * @version: 1 or 2
 * @release: v2: 0 or 1
 * @max_conns: connections per link group; 255 unless v2.1
 * @max_links: links per link group; 2 unless v2.1
 * @features: common features (v2.1)
 * @caps: capabilities of the extension both sides have (version 2)
 * @eid: v2: common EID
 *
 * On a subsequent contact an Accept does not repeat release, limits, features and capabilities:
 * those of the link group stay in force and these fields hold the defaults of v2.0.
 */
struct smcx_agreed {
	u8	version;
	u8	release;
	u8	max_conns;
	u8	max_links;
	u16	features;
	u16	caps;
	u8	eid[SMCX_EID_LEN];
};

/**
 * smcx_negotiate_server() - server: answer a Proposal
 * @prop: decoded Proposal
 * @offer: what we can do
 * @agreed: result
 * @reason: why to decline, if so; SMCX_REASON_NONE otherwise
 *
 * Context: Any.
 * Return: true if SMC is possible.
 */
bool smcx_negotiate_server(const struct smcx_clc_proposal *prop,
			   const struct smcx_offer *offer,
			   struct smcx_agreed *agreed, u32 *reason);

/**
 * smcx_negotiate_client() - client: check an Accept against what was proposed
 * @offer: what we proposed
 * @accept: decoded Accept
 * @agreed: result
 * @reason: why to decline, if so; SMCX_REASON_NONE otherwise
 *
 * Context: Any.
 * Return: true if the Accept is one we can live with.
 */
bool smcx_negotiate_client(const struct smcx_offer *offer,
			   const struct smcx_clc_accept *accept,
			   struct smcx_agreed *agreed, u32 *reason);

/**
 * smcx_negotiate_confirm() - server: check a Confirm against the Accept sent
 * @agreed: what the Accept said
 * @first_contact: the Accept's first contact flag
 * @confirm: decoded Confirm
 * @reason: why to decline, if so; SMCX_REASON_NONE otherwise
 *
 * The Confirm's own flag only says whether it has the extension that a first contact of version 2 needs:
 * Linux before 5.10 never sets it.
 *
 * Context: Any.
 * Return: true if the Confirm fits.
 */
bool smcx_negotiate_confirm(const struct smcx_agreed *agreed, bool first_contact,
			    const struct smcx_clc_accept *confirm, u32 *reason);

#endif
