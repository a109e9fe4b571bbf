// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * LLC and CDC: bytes from a peer through the decoders; there and back; what is due;
 * answers and rejections are messages that can be sent. First byte: the group's state.
 */

#include "cdc.h"
#include "fuzz.h"
#include "llcflow.h"

static u8 buf[SMCX_LLC_LEN_MAX];
static struct smcx_llc_msg m, again, rsp;

static void triples(int n)
{
	struct smcx_llc_triple a, b;
	unsigned int i;

	for (i = 0; i < m.add_link.n_triples; i++) {
		MUST(!smcx_llc_get_triple(&m.add_link, i, &a));
		MUST(!smcx_llc_put_triple(buf, (size_t)n, i, &a));
	}
	MUST(smcx_llc_get_triple(&m.add_link, i, &a) == -EINVAL);
	MUST(smcx_llc_put_triple(buf, (size_t)n, i, &a) == -EINVAL);
	MUST(!smcx_llc_decode(buf, (size_t)n, &again));
	for (i = 0; i < m.add_link.n_triples; i++) {
		MUST(!smcx_llc_get_triple(&m.add_link, i, &a));
		MUST(!smcx_llc_get_triple(&again.add_link, i, &b));
		MUST(a.rkey == b.rkey && a.rkey_new == b.rkey_new && a.addr_new == b.addr_new);
	}
}

/* What a peer may send but we would not */
static bool only_received(void)
{
	const struct smcx_llc_add_link *al = &m.add_link;
	static const u8 zero[16];

	if (m.type == SMCX_LLC_CONFIRM_RKEY_CONT)
		return true;
	if (m.type == SMCX_LLC_CONFIRM_RKEY)
		return m.confirm_rkey.too_many;
	if (m.type != SMCX_LLC_ADD_LINK)
		return false;
	return al->mtu > 5 ||
	       (!smcx_llc_is_response(&m) && !al->qpn && !al->link_id && !al->mtu && !al->psn &&
		!memcmp(al->gid, zero, 16) && !memcmp(al->mac, zero, 6));
}

static void keys(void)
{
	u32 a = 0, b = 0;
	unsigned int i;

	for (i = 0; !smcx_llc_get_rkey(&m.delete_rkey, i, &a); i++) {
		MUST(!smcx_llc_get_rkey(&again.delete_rkey, i, &b));
		MUST(a == b);
	}
	MUST(smcx_llc_get_rkey(&again.delete_rkey, i, &b) == -EINVAL);
}

static void there_and_back(void)
{
	const u8 *keep = NULL;
	int n = smcx_llc_encode(&m, buf, sizeof(buf));

	if (only_received()) {
		MUST(n == -EINVAL);
		return;
	}
	MUST(n >= SMCX_LLC_LEN);
	MUST(!smcx_llc_decode(buf, (size_t)n, &again));
	if (m.type == SMCX_LLC_ADD_LINK) {
		if (m.add_link.has_ext)
			triples(n);
		keep = m.add_link.triples;
		m.add_link.triples = again.add_link.triples = NULL;
	} else if (m.type == SMCX_LLC_DELETE_RKEY) {
		keys();
		keep = m.delete_rkey.rkeys;
		m.delete_rkey.rkeys = again.delete_rkey.rkeys = NULL;
	}
	MUST(!memcmp(&m, &again, sizeof(m)));
	if (m.type == SMCX_LLC_ADD_LINK)
		m.add_link.triples = keep;
	else if (m.type == SMCX_LLC_DELETE_RKEY)
		m.delete_rkey.rkeys = keep;
}

static void due(u8 state)
{
	struct smcx_llc_ctx ctx = {
		.is_server = state & 1, .confirmed = state & 2, .can_add = state & 4,
		.flow = (state >> 3) % SMCX_LLC_FLOW_MAX,
	};
	enum smcx_llc_due d = smcx_llc_due(&m, &ctx);

	MUST(!smcx_llc_is_response(&m) || d == SMCX_LLC_DUE_IGNORE || d == SMCX_LLC_DUE_FLOW ||
	     d == SMCX_LLC_DUE_TEST);
	if (d == SMCX_LLC_DUE_REJECT) {
		MUST(!smcx_llc_reject(&m, &rsp));
		MUST(smcx_llc_is_response(&rsp));
		MUST(smcx_llc_encode(&rsp, buf, sizeof(buf)) == SMCX_LLC_LEN);
	}
	if (d == SMCX_LLC_DUE_ANSWER && !only_received()) {
		smcx_llc_reply(&m, &rsp);
		MUST(smcx_llc_encode(&rsp, buf, sizeof(buf)) >= SMCX_LLC_LEN);
		if (!smcx_llc_reject(&m, &rsp))
			MUST(smcx_llc_encode(&rsp, buf, sizeof(buf)) >= SMCX_LLC_LEN);
	}
}

static void cdc(const u8 *data, size_t len)
{
	struct smcx_cdc_msg c, back;
	u8 out[SMCX_CDC_LEN], out2[SMCX_CDC_LEN];

	if (smcx_cdc_decode(data, len, &c))
		return;
	smcx_cdc_encode(&c, out);
	MUST(!smcx_cdc_decode(out, sizeof(out), &back));
	smcx_cdc_encode(&back, out2);
	MUST(!memcmp(out, out2, sizeof(out)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	u8 state = take(&data, &len);

	if (len > SMCX_LLC_LEN_MAX)
		len = SMCX_LLC_LEN_MAX;
	cdc(data, len);
	if (smcx_llc_is_cdc(data, len)) {
		MUST(smcx_llc_decode(data, len, &m));
		return 0;
	}
	if (smcx_llc_decode(data, len, &m))
		return 0;
	there_and_back();
	due(state);
	return 0;
}
