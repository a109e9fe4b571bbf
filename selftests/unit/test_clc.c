// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Header, Accept, Confirm, Decline: golden messages, every rule, every truncation */

#include "clc.h"
#include "reason.h"
#include "tap.h"

static const u8 gid1[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
static const u8 gid2[16] = { [10] = 0xff, 0xff, 10, 0, 0, 2 };
static const u8 mac1[6] = { 0x52, 0x54, 0, 0, 0, 1 };
static const u8 mac2[6] = { 0x52, 0x54, 0, 0, 0, 2 };

static struct smcx_clc_accept a;
static struct smcx_clc_decline d;

/* A valid message of ours to start from; memset: messages are compared as memory. */
static struct smcx_clc_accept accept_make(u8 version, bool first, bool confirm)
{
	struct smcx_clc_accept m;

	memset(&m, 0, sizeof(m));
	m.is_confirm = confirm;
	m.version = version;
	m.first_contact = first;
	m.rmbe_idx = 7;
	m.rmbe_code = 2;
	m.mtu = 3;
	m.qpn = 0x123456;
	m.psn = 0xabcdef;
	m.rkey = 0x01020304;
	m.token = 0x0a0b0c0d;
	m.rmb_addr = 0x1122334455667788;
	memcpy(m.peer_id, "\x01\x02\x52\x54\x00\x00\x00\x01", 8);
	memcpy(m.gid, gid1, 16);
	memcpy(m.mac, mac1, 6);
	if (version == 1)
		return m;
	memcpy(m.eid, "SMCX.DEFAULT                    ", 32);
	memcpy(m.reserved, "reserved", 8);
	if (!first)
		return m;
	m.fce.v2_direct = true;
	m.fce.os = SMCX_CLC_OS_LINUX;
	m.fce.release = 1;
	m.fce.max_conns = 255;
	m.fce.max_links = 2;
	m.fce.features = 0x8001;
	memcpy(m.fce.host, "host                            ", 32);
	memcpy(m.fce.vendor, "vend", 4);
	memcpy(m.fce.reserved, "RESERVED", 8);
	if (confirm) {
		m.n_gids = 2;
		memcpy(m.gids[0], gid1, 16);
		memcpy(m.gids[1], gid2, 16);
	}
	return m;
}

static int decode_exact(const u8 *buf, size_t len)
{
	u8 *copy = tap_exact(buf, len);
	int rc = smcx_clc_decode_accept(copy, len, &a);

	free(copy);
	return rc;
}

/* Messages from Linux decode, and encode to the very same bytes. */
static void golden_same(const char *name, const u8 *gid, const u8 *mac)
{
	u8 buf[SMCX_CLC_ACCEPT_LEN_MAX];
	const u8 *msg;
	size_t len;

	msg = golden_get(name, &len);
	CHECK_EQ(smcx_clc_peek_len(msg, 8), len);
	CHECK_EQ(decode_exact(msg, len), 0);
	CHECK_EQ(smcx_clc_encode_accept(&a, buf, sizeof(buf)), len);
	CHECK_MEM(buf, msg, len);
	CHECK_MEM(a.gid, gid, 16);
	CHECK_MEM(a.mac, mac, 6);
	CHECK_MEM(a.peer_id + 2, mac, 6);
	CHECK_EQ(a.version, 2);
	CHECK_EQ(a.rmbe_idx, 1);
	CHECK_EQ(a.mtu, 3);
	CHECK_MEM(a.eid, "SMCX-TEST                       ", 32);
}

static void golden_accept_612_first(void)
{
	golden_same("accept_612_first", gid1, mac1);
	CHECK(!a.is_confirm && a.first_contact && !a.is_smcd);
	CHECK_EQ(a.qpn, 0x11);
	CHECK_EQ(a.rkey, 0x39d);
	CHECK_EQ(a.token, 1);
	CHECK_EQ(smcx_rmbe_size(a.rmbe_code), 16384);
	CHECK_EQ(a.rmb_addr, 0xff1100003cbe4000);
	CHECK_EQ(a.psn, 0xe18803);
	CHECK(a.fce.v2_direct);
	CHECK_EQ(a.fce.os, SMCX_CLC_OS_LINUX);
	CHECK_EQ(a.fce.release, 1);
	CHECK_EQ(a.fce.max_conns, 255);
	CHECK_EQ(a.fce.max_links, 2);
	CHECK_EQ(a.fce.features, 1);
	CHECK_MEM(a.fce.host, "server                          ", 32);
	CHECK_EQ(a.n_gids, 0);
}

static void golden_confirm_612_first(void)
{
	golden_same("confirm_612_first", gid2, mac2);
	CHECK(a.is_confirm && a.first_contact && a.fce.v2_direct);
	CHECK_MEM(a.fce.host, "client                          ", 32);
	CHECK_EQ(a.n_gids, 1);
	CHECK_MEM(a.gids[0], gid2, 16);
}

static void golden_612_next(void)
{
	golden_same("accept_612_next", gid1, mac1);
	CHECK(!a.is_confirm && !a.first_contact);
	CHECK_EQ(a.token, 2);
	golden_same("confirm_612_next", gid2, mac2);
	CHECK(a.is_confirm && !a.first_contact);
	golden_same("accept_612_64k", gid1, mac1);
	CHECK_EQ(smcx_rmbe_size(a.rmbe_code), 65536);
}

static void golden_61(void)
{
	golden_same("accept_61_first", gid1, mac1);
	CHECK(a.first_contact && a.fce.v2_direct);
	CHECK_EQ(a.fce.release, 0);
	CHECK_EQ(a.fce.max_conns, 0);
	golden_same("confirm_61_first", gid2, mac2);
	CHECK_EQ(a.fce.release, 0);
	CHECK_EQ(a.n_gids, 1);
}

static void golden_decline(void)
{
	static const struct {
		const char *name;
		u32 diagnosis;
		u8 version, os;
		const u8 *mac;
	} want[] = {
		{ "decline_612_server", SMCX_REASON_NOSMCDEV, 2, SMCX_CLC_OS_LINUX, mac1 },
		{ "decline_612_client", SMCX_REASON_NOSMCDEV, 1, SMCX_CLC_OS_NONE, mac2 },
		{ "decline_612_regbuf", SMCX_REASON_ERR_REGBUF, 2, SMCX_CLC_OS_LINUX, mac1 },
	};
	u8 buf[SMCX_CLC_DECLINE_LEN_MAX];
	const u8 *msg;
	size_t len, i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		msg = golden_get(want[i].name, &len);
		CHECK_EQ(smcx_clc_decode_decline(msg, len, &d), 0);
		CHECK_EQ(d.diagnosis, want[i].diagnosis);
		CHECK_EQ(d.version, want[i].version);
		CHECK_EQ(d.os, want[i].os);
		CHECK(!d.out_of_sync);
		CHECK_MEM(d.peer_id + 2, want[i].mac, 6);
		CHECK_EQ(smcx_clc_encode_decline(&d, buf, sizeof(buf)), len);
		CHECK_MEM(buf, msg, len);
	}
}

static void header(void)
{
	u8 msg[16] = { 0xE2, 0xD4, 0xC3, 0xD9, 1, 0, 52, 0x28 };
	struct smcx_clc_hdr h;
	int i;

	for (i = 0; i < 8; i++)
		CHECK_EQ(smcx_clc_peek_len(msg, (size_t)i), 0);
	CHECK_EQ(smcx_clc_peek_len(msg, 8), 52);
	CHECK_EQ(smcx_clc_decode_hdr(msg, 7, &h), -EPROTO);
	CHECK_EQ(smcx_clc_decode_hdr(msg, 8, &h), 0);
	CHECK(h.version == 2 && h.type == SMCX_CLC_PROPOSAL && h.flags == 8 && !h.is_smcd);

	msg[3] = 0xC4;
	CHECK_EQ(smcx_clc_decode_hdr(msg, 8, &h), 0);
	CHECK(h.is_smcd);
	msg[3] = 0xC5;
	CHECK_EQ(smcx_clc_peek_len(msg, 8), -EPROTO);
	msg[3] = 0xD9;
	for (i = 0; i < 256; i++) {
		msg[4] = (u8)i;
		CHECK_EQ(smcx_clc_peek_len(msg, 8), i >= 1 && i <= 4 ? 52 : -EPROTO);
	}
	msg[4] = 4;
	msg[7] = 0x0F;
	CHECK_EQ(smcx_clc_peek_len(msg, 8), -EPROTO);
	msg[7] = 0xF0;
	CHECK_EQ(smcx_clc_peek_len(msg, 8), 52);
	msg[6] = 11;
	CHECK_EQ(smcx_clc_peek_len(msg, 8), -EPROTO);
	msg[6] = 12;
	CHECK_EQ(smcx_clc_peek_len(msg, 8), 12);
	msg[5] = msg[6] = 0xFF;
	CHECK_EQ(smcx_clc_peek_len(msg, 8), 65535);
}

static void accept_roundtrip(void)
{
	u8 buf[SMCX_CLC_ACCEPT_LEN_MAX + 8];
	struct smcx_clc_accept m;
	static const int want[2][2][2] = { { { 68, 68 }, { 68, 68 } },
					   { { 108, 108 }, { 160, 196 } } };
	int version, first, confirm, len, cap;

	for (version = 1; version <= 2; version++)
	for (first = 0; first <= 1; first++)
	for (confirm = 0; confirm <= 1; confirm++) {
		m = accept_make((u8)version, first, confirm);
		memset(buf, 0x5a, sizeof(buf));
		len = smcx_clc_encode_accept(&m, buf, sizeof(buf));
		CHECK_EQ(len, want[version - 1][first][confirm]);
		CHECK_EQ(buf[len], 0x5a);
		CHECK_EQ(decode_exact(buf, (size_t)len), 0);
		CHECK_MEM(&a, &m, sizeof(a));
		for (cap = 0; cap < len; cap++)
			CHECK_EQ(smcx_clc_encode_accept(&m, buf, (size_t)cap), -ENOSPC);
	}
	m = accept_make(2, true, true);
	m.n_gids = SMCX_CLC_GIDS_MAX;
	CHECK_EQ(smcx_clc_encode_accept(&m, buf, sizeof(buf)), SMCX_CLC_ACCEPT_LEN_MAX);
	m.fce.v2_direct = false;
	CHECK_EQ(smcx_clc_encode_accept(&m, buf, sizeof(buf)), SMCX_CLC_ACCEPT_LEN_MAX);
	CHECK_EQ(decode_exact(buf, SMCX_CLC_ACCEPT_LEN_MAX), 0);
	CHECK(!a.fce.v2_direct);
}

static void accept_refuses_to_encode(void)
{
	u8 buf[SMCX_CLC_ACCEPT_LEN_MAX];
	struct smcx_clc_accept m;

#define BAD(change) do { \
		m = accept_make(2, true, true); \
		m.change; \
		CHECK_EQ(smcx_clc_encode_accept(&m, buf, sizeof(buf)), -EINVAL); \
	} while (0)
	m = accept_make(2, true, true);
	m.rmbe_code = m.fce.os = m.fce.release = 15;
	m.mtu = 5;
	m.qpn = m.psn = 0xffffff;
	CHECK_EQ(smcx_clc_encode_accept(&m, buf, sizeof(buf)), 196);
	m.mtu = 1;
	CHECK_EQ(smcx_clc_encode_accept(&m, buf, sizeof(buf)), 196);
	BAD(is_smcd = true);
	BAD(version = 0);
	BAD(version = 3);
	BAD(rmbe_idx = 0);
	BAD(rmbe_code = 16);
	BAD(mtu = 0);
	BAD(mtu = 6);
	BAD(qpn = 1 << 24);
	BAD(psn = 1 << 24);
	BAD(fce.os = 16);
	BAD(fce.release = 16);
	BAD(n_gids = SMCX_CLC_GIDS_MAX + 1);
#undef BAD
}

static void accept_truncated(void)
{
	static const char *const names[] = { "accept_612_first", "confirm_612_first", "accept_612_next" };
	u8 msg[256];
	size_t len, i, n;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		memcpy(msg, golden_get(names[i], &len), sizeof(msg));
		for (n = 0; n < len; n++)
			CHECK_EQ(decode_exact(msg, n), -EPROTO);
	}
	/* shorter by its own account: the trailer moves, the extension is cut */
	memcpy(msg, golden_get("accept_612_first", &len), sizeof(msg));
	for (n = 12; n < len; n++) {
		msg[5] = 0;
		msg[6] = (u8)n;
		memcpy(msg + n - 4, "\xe2\xd4\xc3\xd9", 4);
		/* 104 bytes, 36 of extension as v2.0 names it, trailer */
		CHECK_EQ(decode_exact(msg, n), n < 104 + 36 + 4 ? -EPROTO : 0);
	}
}

static void accept_short_fce(void)
{
	u8 msg[256];
	size_t len;

	memcpy(msg, golden_get("accept_612_first", &len), sizeof(msg));
	msg[6] = 104 + 36 + 4;
	memcpy(msg + 104 + 36, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, 144), 0);
	CHECK_EQ(a.fce.release, 1);
	CHECK_EQ(a.fce.max_conns, 0);
	CHECK_EQ(a.fce.max_links, 0);
}

static void accept_rules(void)
{
	u8 msg[256], good[256];
	size_t len;

	memcpy(good, golden_get("accept_612_first", &len), sizeof(good));
	memcpy(msg, good, sizeof(msg));
#define TRY(change, want) do { \
		memcpy(msg, good, sizeof(msg)); \
		change; \
		CHECK_EQ(decode_exact(msg, len), want); \
	} while (0)
	TRY(msg[0] = 0xE1, -EPROTO);
	TRY(msg[4] = SMCX_CLC_PROPOSAL, -EPROTO);
	TRY(msg[4] = SMCX_CLC_DECLINE, -EPROTO);
	TRY(msg[4] = SMCX_CLC_CONFIRM, 0);
	TRY(msg[7] |= 0x01, 0);			/* SMC-D */
	CHECK(a.is_smcd && a.first_contact && a.qpn == 0);
	TRY(msg[7] |= 0x02, -EPROTO);		/* no such transport */
	TRY(msg[7] |= 0x03, -EPROTO);
	TRY(msg[7] |= 0x04, 0);			/* reserved bit */
	TRY(msg[45] = 0, -EPROTO);		/* RMBE index */
	TRY(msg[45] = 255, 0);
	TRY(msg[50] = 0x00, -EPROTO);		/* MTU code */
	TRY(msg[50] = 0x06, -EPROTO);
	TRY(msg[50] = 0x09, -EPROTO);
	TRY(msg[50] = 0x05, 0);
	TRY(msg[50] = 0x01, 0);
	TRY(msg[51] = 0xff, 0);			/* reserved */
	TRY(msg[60] = 0xff, 0);
	TRY(msg[106] = 0xff, 0);
	TRY(msg[len - 1] = 0xC4, 0);		/* either trailer will do */
	TRY(msg[len - 1] = 0x00, -EPROTO);
	TRY(msg[3] = 0xC4, 0);
	TRY(msg[7] = 0x38, 0);			/* a later version is for negotiation to refuse */
	CHECK_EQ(a.version, 3);
	TRY(msg[7] = 0x18, -EPROTO);		/* v1 has one length only */
	/* not programmed on a subsequent contact */
	TRY(msg[7] = 0x20; msg[50] = 0, 0);
	CHECK_EQ(a.mtu, 0);
#undef TRY
}

static void accept_v1_lengths(void)
{
	struct smcx_clc_accept m = accept_make(1, true, false);
	u8 msg[128] = { 0 };

	CHECK_EQ(smcx_clc_encode_accept(&m, msg, sizeof(msg)), 68);
	CHECK_EQ(msg[7], 0x18);
	msg[6] = 69;
	memcpy(msg + 65, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, 69), -EPROTO);
	/* SMC-D: 48 in version 1, 78 or more in version 2 */
	msg[7] = 0x19;
	msg[6] = 48;
	memcpy(msg + 44, "\xe2\xd4\xc3\xc4", 4);
	CHECK_EQ(decode_exact(msg, 48), 0);
	CHECK(a.is_smcd && a.version == 1);
	msg[6] = 49;
	memcpy(msg + 45, "\xe2\xd4\xc3\xc4", 4);
	CHECK_EQ(decode_exact(msg, 49), -EPROTO);
	msg[7] = 0x29;
	msg[6] = 77;
	memcpy(msg + 73, "\xe2\xd4\xc3\xc4", 4);
	CHECK_EQ(decode_exact(msg, 77), -EPROTO);
	msg[6] = 78;
	memcpy(msg + 74, "\xe2\xd4\xc3\xc4", 4);
	CHECK_EQ(decode_exact(msg, 78), 0);
}

/* What is longer than the buffer was thrown away: no trailer to check. */
static void accept_discard_rule(void)
{
	static u8 msg[SMCX_CLC_BUF_LEN];
	size_t len;
	const u8 *g = golden_get("accept_612_first", &len);

	memcpy(msg, g, len);
	msg[5] = 0x10;
	CHECK_EQ(smcx_clc_peek_len(msg, 8), 0x10a0);
	CHECK_EQ(decode_exact(msg, sizeof(msg)), 0);
	CHECK_EQ(a.qpn, 0x11);
	CHECK_EQ(decode_exact(msg, sizeof(msg) - 1), -EPROTO);
	/* exactly as long as the buffer: checked as usual */
	msg[5] = 0x04;
	msg[6] = 0x00;
	CHECK_EQ(decode_exact(msg, sizeof(msg)), -EPROTO);
	memcpy(msg + sizeof(msg) - 4, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, sizeof(msg)), 0);
}

static void confirm_gid_list(void)
{
	u8 msg[512] = { 0 };
	size_t len, n;

	memcpy(msg, golden_get("confirm_612_first", &len), sizeof(msg));
	msg[5] = 1;
	msg[6] = 0x40;				/* 320: room for nine GIDs */
	memcpy(msg + 316, "\xe2\xd4\xc3\xd9", 4);
	msg[156] = 9;
	CHECK_EQ(decode_exact(msg, 320), 0);
	CHECK_EQ(a.n_gids, SMCX_CLC_GIDS_MAX);
	msg[156] = 0;
	CHECK_EQ(decode_exact(msg, 320), 0);
	CHECK_EQ(a.n_gids, 0);
	/* announced but not there: what is there counts */
	for (n = 160; n <= 196; n++) {
		memcpy(msg, golden_get("confirm_612_first", &len), sizeof(msg));
		msg[156] = 8;
		msg[6] = (u8)n;
		memcpy(msg + n - 4, "\xe2\xd4\xc3\xd9", 4);
		CHECK_EQ(decode_exact(msg, n), 0);
		CHECK_EQ(a.n_gids, n < 164 ? 0 : (n - 164) / 16);
	}
	/* an Accept has none */
	memcpy(msg, golden_get("confirm_612_first", &len), sizeof(msg));
	msg[4] = SMCX_CLC_ACCEPT;
	CHECK_EQ(decode_exact(msg, len), 0);
	CHECK_EQ(a.n_gids, 0);
}

static void decline(void)
{
	struct smcx_clc_decline m;
	u8 buf[64], *copy;
	const u8 *msg;
	size_t glen;
	int len, n;

	memset(&m, 0, sizeof(m));
	m.version = 2;
	m.out_of_sync = true;
	m.os = SMCX_CLC_OS_LINUX;
	memcpy(m.peer_id, "peer-id", 8);
	m.diagnosis = SMCX_REASON_SYNCERR;
	m.more[0] = 1;
	m.more[3] = 0xfffffffe;

	len = smcx_clc_encode_decline(&m, buf, sizeof(buf));
	CHECK_EQ(len, 44);
	CHECK_EQ(buf[7], 0x28);
	for (n = 0; n <= len; n++) {
		copy = tap_exact(buf, (size_t)n);
		CHECK_EQ(smcx_clc_decode_decline(copy, (size_t)n, &d), n < len ? -EPROTO : 0);
		free(copy);
		if (n < len)
			CHECK_EQ(smcx_clc_encode_decline(&m, buf, (size_t)n), -ENOSPC);
	}
	CHECK_MEM(&d, &m, sizeof(d));
	/* the trailer and reserved bits are nobody's business */
	buf[43] = buf[42] = 0;
	buf[20] |= 0x0f;
	buf[21] = 1;
	CHECK_EQ(smcx_clc_decode_decline(buf, 44, &d), 0);
	CHECK_EQ(d.os, SMCX_CLC_OS_LINUX);
	buf[7] = 0x10;				/* length of the other version */
	CHECK_EQ(smcx_clc_decode_decline(buf, 44, &d), -EPROTO);
	buf[7] = 0x30;				/* "any other version" */
	CHECK_EQ(smcx_clc_decode_decline(buf, 44, &d), 0);
	buf[4] = SMCX_CLC_ACCEPT;
	CHECK_EQ(smcx_clc_decode_decline(buf, 44, &d), -EPROTO);

	msg = golden_get("accept_612_first", &glen);
	CHECK_EQ(smcx_clc_decode_decline(msg, glen, &d), -EPROTO);

	m.version = 1;
	memset(m.more, 0, sizeof(m.more));
	m.out_of_sync = false;
	CHECK_EQ(smcx_clc_encode_decline(&m, buf, sizeof(buf)), 28);
	CHECK_EQ(smcx_clc_decode_decline(buf, 28, &d), 0);
	CHECK_MEM(&d, &m, sizeof(d));
	buf[7] = 0x20;
	CHECK_EQ(smcx_clc_decode_decline(buf, 28, &d), -EPROTO);

	m.version = 3;
	CHECK_EQ(smcx_clc_encode_decline(&m, buf, sizeof(buf)), -EINVAL);
	m.version = 0;
	CHECK_EQ(smcx_clc_encode_decline(&m, buf, sizeof(buf)), -EINVAL);
	m.version = 2;
	m.os = 16;
	CHECK_EQ(smcx_clc_encode_decline(&m, buf, sizeof(buf)), -EINVAL);
	m.os = 15;
	CHECK_EQ(smcx_clc_encode_decline(&m, buf, sizeof(buf)), 44);
	m.os = 2;
	m.diagnosis = SMCX_REASON_LOCAL_NO_PORT;
	CHECK_EQ(smcx_clc_encode_decline(&m, buf, sizeof(buf)), -EINVAL);
	m.diagnosis = smcx_reason_to_wire(m.diagnosis);
	CHECK_EQ(smcx_clc_encode_decline(&m, buf, sizeof(buf)), 44);
}

const struct tap_case clc_cases[] = {
	{ "clc: Accept of 6.12, first contact", golden_accept_612_first },
	{ "clc: Confirm of 6.12, first contact", golden_confirm_612_first },
	{ "clc: Accept and Confirm of 6.12, subsequent contact", golden_612_next },
	{ "clc: Accept and Confirm of 6.1", golden_61 },
	{ "clc: Declines of 6.12", golden_decline },
	{ "clc: header", header },
	{ "clc: Accept and Confirm, there and back", accept_roundtrip },
	{ "clc: Accept that must not be sent", accept_refuses_to_encode },
	{ "clc: Accept and Confirm cut short", accept_truncated },
	{ "clc: first contact extension of v2.0", accept_short_fce },
	{ "clc: Accept, field by field", accept_rules },
	{ "clc: Accept, lengths by version and transport", accept_v1_lengths },
	{ "clc: message longer than the buffer", accept_discard_rule },
	{ "clc: GID list of a Confirm", confirm_gid_list },
	{ "clc: Decline", decline },
	{ 0 }
};
