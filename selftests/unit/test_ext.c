// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The extension: vendor bytes, tokens, the EARLY block, and that nobody else's bytes pass for ours */

#include "ext.h"
#include "negotiate.h"
#include "tap.h"

static struct smcx_clc_proposal p;

static int decode_exact(const u8 *buf, size_t len)
{
	u8 *copy = tap_exact(buf, len);
	int rc = smcx_clc_decode_proposal(copy, len, &p);

	free(copy);
	return rc;
}

static struct smcx_clc_proposal make(u16 caps)
{
	struct smcx_clc_proposal m;

	memset(&m, 0, sizeof(m));
	m.version = 2;
	m.typev1 = SMCX_CLC_SMC_NONE;
	m.typev2 = SMCX_CLC_SMC_R;
	m.has_v2 = true;
	m.v2.n_eids = 1;
	m.v2.release = 1;
	m.v2.max_conns = 255;
	m.v2.max_links = 1;
	memset(m.v2.eids[0], 'A', SMCX_EID_LEN);
	smcx_ext_put_caps(m.vendor, caps);
	if (caps & SMCX_CAP_EARLY) {
		m.has_early = true;
		/* field by field: padding is compared, too */
		m.early.qpn = 0x123456;
		m.early.mtu = 3;
		m.early.psn = 0xfedcba;
		m.early.rkey = 0xdeadbeef;
		m.early.rmb_addr = 0x1122334455667788;
		m.early.rmbe_idx = 7;
		m.early.rmbe_code = 2;
		m.early.token = 0x99aabbcc;
	}
	return m;
}

static void vendor_bytes(void)
{
	u8 v[5] = { 1, 1, 1, 1, 1 };

	smcx_ext_put_caps(v, 0);
	CHECK_MEM(v, "\0\0\0\0\1", 5);
	CHECK_EQ(smcx_ext_caps(v), 0);
	smcx_ext_put_caps(v, 0x0103);
	CHECK_MEM(v, "\x58\x01\x01\x03\x01", 5);
	CHECK_EQ(smcx_ext_caps(v), 0x0103);
	v[1] = 2;				/* a later version keeps the bits */
	CHECK_EQ(smcx_ext_caps(v), 0x0103);
	v[1] = 0;
	CHECK_EQ(smcx_ext_caps(v), 0);
	v[1] = 1;
	v[0] = 0x59;				/* somebody else's */
	CHECK_EQ(smcx_ext_caps(v), 0);
}

static void proposal_token(void)
{
	struct smcx_clc_proposal m = make(SMCX_CAP_SYN);
	u8 buf[SMCX_CLC_PROPOSAL_LEN_MAX];
	int len;

	CHECK_EQ(smcx_ext_proposal_token(&m), 0);
	smcx_ext_put_token(m.v2.reserved + SMCX_EXT_TOKEN_OFF, 0x0102030405060708);
	len = smcx_clc_encode_proposal(&m, buf, sizeof(buf));
	/* where the text says: bytes 55..58 of the message, 32..39 of the extension */
	CHECK_MEM(buf + 55, "\x58\x01\x00\x01\x00", 5);
	CHECK_MEM(buf + 80 + 32, "\1\2\3\4\5\6\7\10", 8);
	CHECK_EQ(decode_exact(buf, (size_t)len), 0);
	CHECK_EQ(smcx_ext_proposal_token(&p), 0x0102030405060708);
	p.has_v2 = false;
	CHECK_EQ(smcx_ext_proposal_token(&p), 0);
	p.has_v2 = true;
	smcx_ext_put_caps(p.vendor, SMCX_CAP_QUIET);
	CHECK_EQ(smcx_ext_proposal_token(&p), 0);
}

static void accept_token(void)
{
	struct smcx_clc_accept a;

	memset(&a, 0, sizeof(a));
	a.version = 2;
	smcx_ext_put_token(a.reserved, 77);
	CHECK_EQ(smcx_ext_accept_token(&a, SMCX_CAP_SYN), 77);
	CHECK_EQ(smcx_ext_accept_token(&a, SMCX_CAP_QUIET), 0);
	a.is_smcd = true;
	CHECK_EQ(smcx_ext_accept_token(&a, SMCX_CAP_SYN), 0);
	a.is_smcd = false;
	a.version = 1;
	CHECK_EQ(smcx_ext_accept_token(&a, SMCX_CAP_SYN), 0);
}

static void early_block(void)
{
	struct smcx_clc_proposal m = make(SMCX_CAP_SYN | SMCX_CAP_EARLY);
	u8 buf[SMCX_CLC_PROPOSAL_LEN_MAX], msg[SMCX_CLC_PROPOSAL_LEN_MAX];
	int len = smcx_clc_encode_proposal(&m, buf, sizeof(buf)), n;
	const int e = 152;

	CHECK_EQ(len, 156 + 26);
	CHECK_MEM(buf + e, "\x12\x34\x56\x03\xfe\xdc\xba\x00\xde\xad\xbe\xef", 12);
	CHECK_MEM(buf + e + 12, "\x11\x22\x33\x44\x55\x66\x77\x88\x07\x02\x99\xaa\xbb\xcc", 14);
	CHECK_EQ(decode_exact(buf, (size_t)len), 0);
	CHECK_MEM(&p, &m, sizeof(p));
	CHECK_EQ(smcx_clc_encode_proposal(&m, msg, (size_t)len - 1), -ENOSPC);
	for (n = 0; n < len; n++)
		CHECK_EQ(decode_exact(buf, (size_t)n), -EPROTO);

#define TRY(change, want) do { \
		memcpy(msg, buf, sizeof(msg)); \
		change; \
		CHECK_EQ(decode_exact(msg, (size_t)len), want); \
	} while (0)
	TRY(msg[e + 3] = 0, -EPROTO);		/* MTU */
	TRY(msg[e + 3] = 6, -EPROTO);
	TRY(msg[e + 3] = 5, 0);
	TRY(msg[e + 7] = 0xff, 0);		/* reserved */
	TRY(msg[e + 20] = 0, -EPROTO);		/* element index */
	TRY(msg[e + 21] = SMCX_RMBE_CODE_MAX + 1, -EPROTO);
	TRY(msg[e + 21] = SMCX_RMBE_CODE_MAX, 0);
	TRY(msg[55] = 0x59, -EPROTO);		/* somebody else's: 26 bytes too many */
	TRY(msg[58] = SMCX_CAP_SYN, -EPROTO);
	TRY(msg[50] = msg[51] = 0, -EPROTO);	/* no v2 extension, no block */
#undef TRY
	/* announced, but not there */
	m = make(SMCX_CAP_SYN);
	len = smcx_clc_encode_proposal(&m, buf, sizeof(buf));
	buf[58] |= SMCX_CAP_EARLY;
	CHECK_EQ(decode_exact(buf, (size_t)len), -EPROTO);
}

static void early_refused(void)
{
	u8 buf[SMCX_CLC_PROPOSAL_LEN_MAX];
	struct smcx_clc_proposal m;

#define BAD(change) do { \
		m = make(SMCX_CAP_SYN | SMCX_CAP_EARLY); \
		m.change; \
		CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), -EINVAL); \
	} while (0)
	BAD(has_early = false);
	BAD(vendor[3] = SMCX_CAP_SYN);
	BAD(early.mtu = 0);
	BAD(early.mtu = 6);
	BAD(early.rmbe_idx = 0);
	BAD(early.rmbe_code = SMCX_RMBE_CODE_MAX + 1);
	BAD(early.qpn = 0x1000000);
	BAD(early.psn = 0x1000000);
#undef BAD
	m = make(0);
	m.has_early = true;
	CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), -EINVAL);
	/* version 1 only: the bit has no block to go with it */
	memset(&m, 0, sizeof(m));
	m.version = 2;
	m.typev1 = SMCX_CLC_SMC_R;
	m.typev2 = SMCX_CLC_SMC_NONE;
	m.has_ip = true;
	smcx_ext_put_caps(m.vendor, SMCX_CAP_SYN | SMCX_CAP_EARLY);
	CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), 92);
	CHECK_EQ(decode_exact(buf, 92), 0);
	CHECK(!p.has_early);
}

static void negotiated(void)
{
	struct smcx_clc_proposal m = make(SMCX_CAP_SYN | SMCX_CAP_QUIET);
	struct smcx_offer offer;
	struct smcx_clc_accept a;
	struct smcx_agreed agreed;
	u32 reason;

	memset(&offer, 0, sizeof(offer));
	offer.release = 1;
	offer.max_conns = 255;
	offer.max_links = 1;
	offer.n_eids = 1;
	memset(offer.eids[0], 'A', SMCX_EID_LEN);
	offer.caps = SMCX_CAP_QUIET | SMCX_CAP_DATA;
	CHECK(smcx_negotiate_server(&m, &offer, &agreed, &reason));
	CHECK_EQ(agreed.caps, SMCX_CAP_QUIET);
	smcx_ext_put_caps(m.vendor, 0);
	CHECK(smcx_negotiate_server(&m, &offer, &agreed, &reason));
	CHECK_EQ(agreed.caps, 0);

	memset(&a, 0, sizeof(a));
	a.version = 2;
	memset(a.eid, 'A', SMCX_EID_LEN);
	smcx_ext_put_caps(a.fce.vendor, SMCX_CAP_SYN | SMCX_CAP_DATA);
	CHECK(smcx_negotiate_client(&offer, &a, &agreed, &reason));
	CHECK_EQ(agreed.caps, 0);		/* a subsequent contact says nothing */
	a.first_contact = true;
	CHECK(smcx_negotiate_client(&offer, &a, &agreed, &reason));
	CHECK_EQ(agreed.caps, SMCX_CAP_DATA);
}

const struct tap_case ext_cases[] = {
	{ "ext: identification and capabilities", vendor_bytes },
	{ "ext: token of a Proposal", proposal_token },
	{ "ext: token of an Accept", accept_token },
	{ "ext: EARLY block", early_block },
	{ "ext: EARLY blocks that are not sent", early_refused },
	{ "ext: negotiation of capabilities", negotiated },
	{ 0 }
};
