// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Negotiation: an offer of ours and a message of a peer, both from the input. What is
 * agreed lies within what both said; what is not agreed has a reason that fits into a Decline.
 */

#include "eid.h"
#include "fuzz.h"
#include "negotiate.h"

static struct smcx_offer offer;
static struct smcx_agreed agreed;
static u32 reason;

static void offer_take(const u8 **data, size_t *len)
{
	u8 bits = take(data, len);
	unsigned int i;

	memset(&offer, 0, sizeof(offer));
	offer.no_v1 = bits & 1 ? SMCX_REASON_LOCAL_BASE + 1 + bits % 11 : 0;
	offer.no_v2 = bits & 2 ? SMCX_REASON_NOSMCRDEV : 0;
	offer.v1_prefix_ok = bits & 4;
	offer.release = bits >> 3 & 1;
	offer.n_eids = (bits >> 4) % 5;
	offer.max_conns = take(data, len) | 16;
	offer.max_links = 1 + (take(data, len) & 1);
	offer.features = (u16)(take(data, len) << 8 | take(data, len));
	offer.caps = (u16)(take(data, len) << 8 | take(data, len));
	for (i = 0; i < offer.n_eids; i++) {
		memset(offer.eids[i], ' ', SMCX_EID_LEN);
		offer.eids[i][0] = take(data, len);
	}
}

static bool is_in(u8 (*list)[SMCX_EID_LEN], unsigned int n, const u8 *eid)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!memcmp(list[i], eid, SMCX_EID_LEN))
			return true;
	return false;
}

static void declined(void)
{
	MUST(reason != SMCX_REASON_NONE);
	MUST(!smcx_reason_is_local(smcx_reason_to_wire(reason)));
	MUST(strcmp(smcx_reason_name(reason), "UNKNOWN"));
}

static void is_sane(void)
{
	MUST(reason == SMCX_REASON_NONE);
	MUST(agreed.version == 1 || agreed.version == 2);
	MUST(agreed.version == 1 ? !offer.no_v1 : !offer.no_v2);
	MUST(agreed.release <= offer.release);
	MUST(agreed.max_conns >= SMCX_CONNS_MIN);
	MUST(agreed.max_links >= SMCX_LINKS_MIN && agreed.max_links <= SMCX_LINKS_MAX);
	if (agreed.release)
		MUST(agreed.max_conns <= offer.max_conns && agreed.max_links <= offer.max_links);
	MUST(!(agreed.features & ~offer.features));
	MUST(!(agreed.caps & ~offer.caps));
	if (agreed.version == 2)
		MUST(is_in(offer.eids, offer.n_eids, agreed.eid));
}

static void server(const u8 *data, size_t len)
{
	static struct smcx_clc_proposal prop;

	if (smcx_clc_decode_proposal(data, len, &prop))
		return;
	if (!smcx_negotiate_server(&prop, &offer, &agreed, &reason)) {
		declined();
		return;
	}
	is_sane();
	if (agreed.version == 1) {
		MUST(offer.v1_prefix_ok && !(prop.typev1 & 1 && prop.typev1 != SMCX_CLC_SMC_BOTH));
		return;
	}
	MUST(prop.version > 1 && prop.has_v2 && agreed.release <= prop.v2.release);
	MUST(is_in(prop.v2.eids, prop.v2.n_eids, agreed.eid));
}

static void client(const u8 *data, size_t len)
{
	static struct smcx_clc_accept acc;

	if (smcx_clc_decode_accept(data, len, &acc))
		return;
	if (smcx_negotiate_client(&offer, &acc, &agreed, &reason)) {
		is_sane();
		MUST(!acc.is_smcd && agreed.version == acc.version);
		/* echoed as a Confirm it must please the server that sent it */
		acc.is_confirm = true;
		if (acc.first_contact && agreed.release == acc.fce.release)
			MUST(smcx_negotiate_confirm(&agreed, true, &acc, &reason));
	} else {
		declined();
	}
	if (!smcx_negotiate_confirm(&agreed, offer.v1_prefix_ok, &acc, &reason))
		declined();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	char text[40];
	u8 eid[SMCX_EID_LEN];
	size_t n = len < sizeof(text) ? len : sizeof(text);

	memcpy(text, data, n);
	if (!smcx_eid_normalise(text, n, eid))
		MUST(smcx_eid_is_valid(eid));

	offer_take(&data, &len);
	server(data, len);
	client(data, len);
	return 0;
}
