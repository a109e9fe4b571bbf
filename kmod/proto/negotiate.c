// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Negotiation of version, release, EID and limits, protocol.rst 2.7 */

#include "ext.h"
#include "negotiate.h"

static bool has_r(u8 smctype)
{
	return smctype == SMCX_CLC_SMC_R || smctype == SMCX_CLC_SMC_BOTH;
}

static u8 min_u8(u8 a, u8 b)
{
	return a < b ? a : b;
}

static void agreed_init(struct smcx_agreed *agreed, u8 version)
{
	memset(agreed, 0, sizeof(*agreed));
	agreed->version = version;
	agreed->max_conns = SMCX_CONNS_MAX;
	agreed->max_links = SMCX_LINKS_MAX;
}

static bool eid_is_ours(const struct smcx_offer *offer, const u8 *eid)
{
	unsigned int i;

	for (i = 0; i < offer->n_eids; i++) {
		if (!memcmp(offer->eids[i], eid, SMCX_EID_LEN))
			return true;
	}
	return false;
}

/*
 * 2.7 step 4: the limits of v2.1 decline the whole connection, even one that
 * could go on as v1, because a Linux server does the same.
 */
static u32 server_limits(const struct smcx_clc_v2ext *v2,
			 const struct smcx_offer *offer,
			 struct smcx_agreed *agreed)
{
	agreed->release = min_u8(v2->release, offer->release);
	if (!agreed->release)
		return SMCX_REASON_NONE;
	agreed->max_conns = min_u8(v2->max_conns, offer->max_conns);
	agreed->max_links = min_u8(v2->max_links, offer->max_links);
	agreed->features = v2->features & offer->features;
	if (agreed->max_conns < SMCX_CONNS_MIN)
		return SMCX_REASON_MAXCONNERR;
	if (agreed->max_links < SMCX_LINKS_MIN)
		return SMCX_REASON_MAXLINKERR;
	return SMCX_REASON_NONE;
}

/* 2.7 step 6: the client's first EID that is ours, too */
static u32 server_eid(const struct smcx_clc_v2ext *v2,
		      const struct smcx_offer *offer, u8 eid[SMCX_EID_LEN])
{
	unsigned int i;

	for (i = 0; i < v2->n_eids; i++) {
		if (eid_is_ours(offer, v2->eids[i])) {
			memcpy(eid, v2->eids[i], SMCX_EID_LEN);
			return SMCX_REASON_NONE;
		}
	}
	return SMCX_REASON_NOUEID;
}

/* 2.7 step 2: is what the Proposal says about version 2 complete? */
static u32 server_check_v2(const struct smcx_clc_proposal *prop)
{
	if (!prop->has_v2)
		return SMCX_REASON_NOV2EXT;
	return prop->v2.n_eids ? SMCX_REASON_NONE : SMCX_REASON_NOUEID;
}

bool smcx_negotiate_server(const struct smcx_clc_proposal *prop,
			   const struct smcx_offer *offer,
			   struct smcx_agreed *agreed, u32 *reason)
{
	bool v1 = has_r(prop->typev1);
	bool v2 = prop->version > 1 && has_r(prop->typev2);

	*reason = SMCX_REASON_NONE;
	if (!v1 && !v2) {
		*reason = prop->typev1 == SMCX_CLC_SMC_NONE &&
			  prop->typev2 == SMCX_CLC_SMC_NONE ?
			  SMCX_REASON_PEERNOSMC : SMCX_REASON_NOSMCDDEV;
		return false;
	}

	agreed_init(agreed, 2);
	if (v2)
		*reason = server_check_v2(prop);
	if (v2 && !*reason) {
		*reason = server_limits(&prop->v2, offer, agreed);
		if (*reason)
			return false;
		*reason = offer->no_v2;
		if (!*reason)
			*reason = server_eid(&prop->v2, offer, agreed->eid);
		agreed->caps = smcx_ext_caps(prop->vendor) & offer->caps;
		if (!*reason)
			return true;
	}

	/* version 1, if it is possible; if not, the preferred version's reason counts */
	agreed_init(agreed, 1);
	if (v1 && !offer->no_v1 && offer->v1_prefix_ok) {
		*reason = SMCX_REASON_NONE;
		return true;
	}
	if (!v2)
		*reason = offer->no_v1 ? offer->no_v1 : SMCX_REASON_DIFFPREFIX;
	return false;
}

/* First contact, v2: what the server's extension says must be within our offer. */
static u32 client_check_fce(const struct smcx_offer *offer,
			    const struct smcx_clc_fce *fce,
			    struct smcx_agreed *agreed)
{
	if (fce->release > offer->release)
		return SMCX_REASON_RELEASEERR;
	agreed->caps = smcx_ext_caps(fce->vendor) & offer->caps;
	agreed->release = fce->release;
	if (!fce->release)
		return SMCX_REASON_NONE;
	agreed->max_conns = fce->max_conns;
	agreed->max_links = fce->max_links;
	agreed->features = fce->features & offer->features;
	if (fce->max_conns < SMCX_CONNS_MIN || fce->max_conns > offer->max_conns)
		return SMCX_REASON_MAXCONNERR;
	if (fce->max_links < SMCX_LINKS_MIN || fce->max_links > offer->max_links)
		return SMCX_REASON_MAXLINKERR;
	return SMCX_REASON_NONE;
}

bool smcx_negotiate_client(const struct smcx_offer *offer,
			   const struct smcx_clc_accept *accept,
			   struct smcx_agreed *agreed, u32 *reason)
{
	bool offered = accept->version == 1 ? !offer->no_v1 :
		       accept->version == 2 && !offer->no_v2;

	*reason = SMCX_REASON_NONE;
	agreed_init(agreed, accept->version);
	if (accept->is_smcd || !offered)
		*reason = SMCX_REASON_MODEUNSUPP;
	else if (accept->version == 2 && !eid_is_ours(offer, accept->eid))
		*reason = SMCX_REASON_NOUEID;
	else if (accept->version == 2 && accept->first_contact)
		*reason = client_check_fce(offer, &accept->fce, agreed);
	if (*reason)
		return false;
	if (accept->version == 2)
		memcpy(agreed->eid, accept->eid, SMCX_EID_LEN);
	return true;
}

static u32 confirm_check_fce(const struct smcx_agreed *agreed,
			     const struct smcx_clc_fce *fce)
{
	if (fce->release != agreed->release)
		return SMCX_REASON_RELEASEERR;
	if (!agreed->release)
		return SMCX_REASON_NONE;
	if (fce->max_conns != agreed->max_conns)
		return SMCX_REASON_MAXCONNERR;
	if (fce->max_links != agreed->max_links)
		return SMCX_REASON_MAXLINKERR;
	return SMCX_REASON_NONE;
}

bool smcx_negotiate_confirm(const struct smcx_agreed *agreed, bool first_contact,
			    const struct smcx_clc_accept *confirm, u32 *reason)
{
	*reason = SMCX_REASON_NONE;
	if (confirm->is_smcd || confirm->version != agreed->version)
		*reason = SMCX_REASON_VERSMISMAT;
	else if (agreed->version == 2 && first_contact)
		*reason = confirm->first_contact ? confirm_check_fce(agreed, &confirm->fce) :
						   SMCX_REASON_MODEUNSUPP;
	return !*reason;
}
