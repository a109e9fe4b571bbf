// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Proposal: golden messages, every part in every combination, every rule */

#include "clc.h"
#include "tap.h"

static struct smcx_clc_proposal p;

static int decode_exact(const u8 *buf, size_t len)
{
	u8 *copy = tap_exact(buf, len);
	int rc = smcx_clc_decode_proposal(copy, len, &p);

	free(copy);
	return rc;
}

static struct smcx_clc_proposal make(u8 version, bool v1, bool v2, u8 n_v6, u8 n_eids)
{
	struct smcx_clc_proposal m;
	unsigned int i;

	memset(&m, 0, sizeof(m));
	m.version = version;
	m.typev1 = v1 ? SMCX_CLC_SMC_R : SMCX_CLC_SMC_NONE;
	m.typev2 = v2 ? SMCX_CLC_SMC_R : SMCX_CLC_SMC_NONE;
	memcpy(m.peer_id, "peer-id", 8);
	memcpy(m.gid_v1, "gid-of-version-1", 16);
	memcpy(m.mac, "mac-ad", 6);
	if (version == 2) {
		memcpy(m.vendor_oui, "oui", 3);
		memcpy(m.vendor, "vendo", 5);
	}
	if (v1) {
		m.has_ip = true;
		memcpy(&m.v4_net, "\x0a\x00\x00\x00", 4);
		m.v4_len = 24;
		m.n_v6 = n_v6;
		for (i = 0; i < n_v6; i++) {
			memset(m.v6[i], (int)i + 1, 16);
			m.v6[i][16] = (u8)(64 + i);
		}
	}
	if (v2) {
		m.has_v2 = true;
		m.v2.n_eids = n_eids;
		m.v2.release = 1;
		m.v2.max_conns = 200;
		m.v2.max_links = 2;
		m.v2.features = 0xfffe;
		memcpy(m.v2.gid, "gid-of-version-2", 16);
		memcpy(m.v2.reserved, "twelve bytes", 12);
		for (i = 0; i < n_eids; i++)
			memset(m.v2.eids[i], 'A' + (int)i, 32);
	}
	return m;
}

static void golden_proposals(void)
{
	static const struct {
		const char *name;
		size_t len;
		u8 release, conns, links, n_eids;
		u16 features;
	} want[] = {
		{ "proposal_612", 156, 1, 255, 2, 1, 1 },
		{ "proposal_612_3eids", 220, 1, 255, 2, 3, 1 },
		{ "proposal_61", 156, 0, 0, 0, 1, 0 },
	};
	u8 buf[SMCX_CLC_PROPOSAL_LEN_MAX];
	const u8 *msg;
	size_t len, i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		msg = golden_get(want[i].name, &len);
		CHECK_EQ(len, want[i].len);
		CHECK_EQ(smcx_clc_peek_len(msg, 8), len);
		CHECK_EQ(decode_exact(msg, len), 0);
		CHECK_EQ(p.version, 2);
		CHECK_EQ(p.typev1, SMCX_CLC_SMC_NONE);
		CHECK_EQ(p.typev2, SMCX_CLC_SMC_R);
		CHECK(!p.has_ip && p.has_v2 && !p.v2.has_seid);
		CHECK_EQ(p.v2.release, want[i].release);
		CHECK_EQ(p.v2.max_conns, want[i].conns);
		CHECK_EQ(p.v2.max_links, want[i].links);
		CHECK_EQ(p.v2.features, want[i].features);
		CHECK_EQ(p.v2.n_eids, want[i].n_eids);
		CHECK_MEM(p.v2.eids[0], "SMCX-TEST                       ", 32);
		CHECK_MEM(p.v2.gid + 10, "\xff\xff\x0a\x00\x00\x02", 6);
		CHECK_EQ(smcx_clc_encode_proposal(&p, buf, sizeof(buf)), len);
		CHECK_MEM(buf, msg, len);
	}
	msg = golden_get("proposal_612_3eids", &len);
	CHECK_EQ(decode_exact(msg, len), 0);
	CHECK_MEM(p.v2.eids[2], "GOLD.B-2                        ", 32);
}

static void roundtrip(void)
{
	u8 buf[SMCX_CLC_PROPOSAL_LEN_MAX + 1];
	struct smcx_clc_proposal m;
	int kind, n6, k, len, want, cap;

	/* kind: version 1; version 2 with v1, v2, both */
	for (kind = 0; kind < 4; kind++)
	for (n6 = 0; n6 <= SMCX_CLC_V6_MAX; n6++)
	for (k = 0; k <= SMCX_CLC_EIDS_MAX; k++) {
		m = make(kind ? 2 : 1, kind != 2, kind >= 2, (u8)n6, (u8)k);
		want = kind ? 84 : 44;
		if (kind != 2)
			want += 8 + 17 * n6;
		if (kind >= 2)
			want += 40 + 32 * k;
		memset(buf, 0x5a, sizeof(buf));
		len = smcx_clc_encode_proposal(&m, buf, sizeof(buf));
		CHECK_EQ(len, want);
		CHECK_EQ(buf[len], 0x5a);
		CHECK_EQ(decode_exact(buf, (size_t)len), 0);
		CHECK_MEM(&p, &m, sizeof(p));
		for (cap = 0; cap < len; cap += 13)
			CHECK_EQ(smcx_clc_encode_proposal(&m, buf, (size_t)cap), -ENOSPC);
		CHECK_EQ(smcx_clc_encode_proposal(&m, buf, (size_t)len - 1), -ENOSPC);
		CHECK_EQ(smcx_clc_encode_proposal(&m, buf, (size_t)len), len);
	}
	CHECK_EQ(SMCX_CLC_PROPOSAL_LEN_MAX, 84 + 8 + 17 * 8 + 40 + 32 * 8 + 26);
	/* examples of protocol.rst 2.3 */
	m = make(2, true, true, 0, 1);
	CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), 164);
	CHECK_EQ(buf[7], 0x20);
	CHECK_EQ(buf[39], 40);
	CHECK_EQ(buf[51], 36);
	m = make(2, true, false, 0, 0);
	CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), 92);
	CHECK_EQ(buf[7], 0x28);
	m = make(2, false, true, 0, 1);
	m.v2.has_seid = true;
	len = smcx_clc_encode_proposal(&m, buf, sizeof(buf));
	CHECK_EQ(decode_exact(buf, (size_t)len), 0);
	CHECK(p.v2.has_seid);
}

static void refuses_to_encode(void)
{
	u8 buf[SMCX_CLC_PROPOSAL_LEN_MAX];
	struct smcx_clc_proposal m;

#define BAD(version, v1, v2, change) do { \
		m = make(version, v1, v2, 1, 1); \
		m.change; \
		CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), -EINVAL); \
	} while (0)
	BAD(2, 1, 1, version = 0);
	BAD(2, 1, 1, version = 3);
	BAD(2, 1, 1, version = 1);		/* knows no version 2 */
	BAD(2, 0, 0, mac[0] = 0);		/* offers nothing */
	BAD(2, 1, 1, typev1 = SMCX_CLC_SMC_D);
	BAD(2, 1, 1, typev1 = SMCX_CLC_SMC_BOTH);
	BAD(2, 1, 1, typev2 = SMCX_CLC_SMC_D);
	BAD(2, 1, 1, typev2 = SMCX_CLC_SMC_BOTH);
	BAD(2, 1, 1, has_ip = false);
	BAD(2, 1, 1, has_v2 = false);
	BAD(2, 0, 1, has_ip = true);
	BAD(2, 1, 0, has_v2 = true);
	BAD(1, 1, 0, n_v6 = 9);
	BAD(1, 1, 0, v4_len = 33);
	BAD(1, 1, 0, v6[0][16] = 129);
	m = make(1, 1, 0, 2, 0);
	m.v6[1][16] = 129;
	CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), -EINVAL);
	m.v6[1][16] = 128;
	m.v4_len = 32;
	CHECK_EQ(smcx_clc_encode_proposal(&m, buf, sizeof(buf)), 52 + 34);
	BAD(2, 1, 1, v2.n_eids = 9);
	BAD(2, 1, 1, v2.release = 16);
#undef BAD
}

static void truncated(void)
{
	struct smcx_clc_proposal m = make(2, true, true, 3, 4);
	u8 msg[SMCX_CLC_PROPOSAL_LEN_MAX];
	int len = smcx_clc_encode_proposal(&m, msg, sizeof(msg)), n;

	for (n = 0; n < len; n++)
		CHECK_EQ(decode_exact(msg, (size_t)n), -EPROTO);
	/* shorter by its own account: never accepted, never read beyond */
	for (n = 12; n < len; n++) {
		smcx_clc_encode_proposal(&m, msg, sizeof(msg));
		msg[5] = (u8)(n >> 8);
		msg[6] = (u8)n;
		memcpy(msg + n - 4, "\xe2\xd4\xc3\xd9", 4);
		CHECK_EQ(decode_exact(msg, (size_t)n), -EPROTO);
	}
	/* version 1, the same */
	m = make(1, true, false, 3, 0);
	len = smcx_clc_encode_proposal(&m, msg, sizeof(msg));
	for (n = 12; n < len; n++) {
		smcx_clc_encode_proposal(&m, msg, sizeof(msg));
		msg[5] = 0;
		msg[6] = (u8)n;
		memcpy(msg + n - 4, "\xe2\xd4\xc3\xd9", 4);
		CHECK_EQ(decode_exact(msg, (size_t)n), -EPROTO);
	}
}

/* Exactly what the parts add up to: neither more nor less. */
static void wrong_length(void)
{
	struct smcx_clc_proposal m = make(2, true, true, 1, 1);
	u8 msg[SMCX_CLC_PROPOSAL_LEN_MAX] = { 0 };
	int len = smcx_clc_encode_proposal(&m, msg, sizeof(msg));

	msg[6] = (u8)(len + 1);
	memcpy(msg + len - 3, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, (size_t)len + 1), -EPROTO);
}

static void rules(void)
{
	struct smcx_clc_proposal m = make(2, true, true, 2, 2);
	u8 good[SMCX_CLC_PROPOSAL_LEN_MAX], msg[SMCX_CLC_PROPOSAL_LEN_MAX];
	size_t len = (size_t)smcx_clc_encode_proposal(&m, good, sizeof(good));
	const int ip = 80, v2 = 88 + 34;

#define TRY(change, want) do { \
		memcpy(msg, good, sizeof(msg)); \
		change; \
		CHECK_EQ(decode_exact(msg, len), want); \
	} while (0)
	TRY(msg[0] = 0xE2, 0);
	TRY(msg[0] = 0xE1, -EPROTO);
	TRY(msg[4] = SMCX_CLC_ACCEPT, -EPROTO);
	TRY(msg[39] = 41, -EPROTO);		/* IP area offset */
	TRY(msg[38] = 1, -EPROTO);
	TRY(msg[39] = 0, -EPROTO);		/* then it is read from the pointer area: no prefixes there */
	TRY(msg[ip + 4] = 33, -EPROTO);		/* IPv4 prefix length */
	TRY(msg[ip + 4] = 32, 0);
	TRY(msg[ip + 5] = 0xff, 0);		/* reserved */
	TRY(msg[ip + 7] = 9, -EPROTO);		/* IPv6 prefixes */
	TRY(msg[ip + 7] = 8, -EPROTO);
	TRY(msg[ip + 7] = 1, -EPROTO);
	TRY(msg[ip + 8 + 16] = 129, -EPROTO);	/* IPv6 prefix length */
	TRY(msg[ip + 8 + 17 + 16] = 129, -EPROTO);
	TRY(msg[ip + 8 + 17 + 16] = 128, 0);
	TRY(msg[50] = 1, -EPROTO);		/* v2 extension offset */
	TRY(msg[51] = 173, -EPROTO);
	TRY(msg[51] = 172, -EPROTO);
	TRY(msg[60] = 0xff, 0);			/* reserved */
	TRY(msg[v2] = 9, -EPROTO);		/* EIDs */
	TRY(msg[v2] = 3, -EPROTO);
	TRY(msg[v2] = 1, -EPROTO);
	TRY(msg[v2 + 1] = 9, 0);		/* ISM entries count only with SMC-D */
	TRY(msg[v2 + 2] = 0xff, 0);		/* reserved */
	TRY(msg[v2 + 4] = 0xff, 0);
	TRY(msg[v2 + 3] = 0xf0, 0);		/* a later release is for negotiation */
	CHECK_EQ(p.v2.release, 15);
	TRY(msg[7] = 0x30, 0);			/* so is a later version */
	CHECK_EQ(p.version, 3);
	TRY(msg[len - 1] = 0xC4, 0);
	TRY(msg[len - 1] = 0, -EPROTO);
#undef TRY
}

/* Claims version 2, has no extension: decodes, for negotiation to say why not. */
static void v2_missing(void)
{
	struct smcx_clc_proposal m = make(2, true, false, 0, 0);
	u8 msg[128];
	int len = smcx_clc_encode_proposal(&m, msg, sizeof(msg));

	CHECK_EQ(len, 92);
	msg[7] = 0x20;
	CHECK_EQ(decode_exact(msg, (size_t)len), 0);
	CHECK_EQ(p.typev2, SMCX_CLC_SMC_R);
	CHECK(!p.has_v2 && p.has_ip);
}

/* No transport in either version: well-formed, and nothing but the base. */
static void offers_nothing(void)
{
	struct smcx_clc_proposal m = make(2, true, false, 0, 0);
	u8 msg[128];

	smcx_clc_encode_proposal(&m, msg, sizeof(msg));
	msg[6] = 84;
	msg[7] = 0x2a;
	memcpy(msg + 80, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, 84), 0);
	CHECK(!p.has_ip && !p.has_v2);
	msg[6] = 83;
	memcpy(msg + 79, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, 83), -EPROTO);
}

/* Version 1 proper: no pointer area, but the offset may leave a gap. */
static void version_1(void)
{
	struct smcx_clc_proposal m = make(1, true, false, 1, 0);
	u8 msg[256];
	int len = smcx_clc_encode_proposal(&m, msg, sizeof(msg)), gap;

	CHECK_EQ(len, 40 + 8 + 17 + 4);
	CHECK_EQ(msg[7], 0x10);
	for (gap = 0; gap <= 42; gap++) {
		smcx_clc_encode_proposal(&m, msg, sizeof(msg));
		memmove(msg + 40 + gap, msg + 40, 29);
		msg[39] = (u8)gap;
		msg[6] = (u8)(len + gap);
		CHECK_EQ(decode_exact(msg, (size_t)(len + gap)), gap <= 40 ? 0 : -EPROTO);
		if (gap <= 40)
			CHECK_MEM(&p, &m, sizeof(p));
	}
	smcx_clc_encode_proposal(&m, msg, sizeof(msg));
	msg[7] = 0x12;				/* offers nothing */
	CHECK_EQ(decode_exact(msg, (size_t)len), -EPROTO);
	msg[7] = 0x1c;				/* version 2 bits mean nothing here */
	CHECK_EQ(decode_exact(msg, (size_t)len), 0);
	CHECK_EQ(p.typev2, SMCX_CLC_SMC_NONE);

	m = make(1, true, false, 0, 0);		/* the shortest there is */
	CHECK_EQ(smcx_clc_encode_proposal(&m, msg, sizeof(msg)), 52);
	CHECK_EQ(decode_exact(msg, 52), 0);
	for (gap = 1; gap <= 40; gap++) {
		msg[39] = (u8)gap;		/* an IP area that reaches beyond the end */
		CHECK_EQ(decode_exact(msg, 52), -EPROTO);
	}
	msg[39] = 0;
	msg[6] = 43;
	memcpy(msg + 39, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, 43), -EPROTO);
}

/* SMC-D beside or instead of SMC-R: measured, not read. */
static void smcd(void)
{
	struct smcx_clc_proposal m = make(2, true, true, 0, 1);
	u8 good[512] = { 0 }, msg[512];
	size_t len = (size_t)smcx_clc_encode_proposal(&m, good, sizeof(good));
	const int v2 = 88;
	int n;

	/* both transports in both versions, m = 2 ISM entries, no SEID */
	good[7] = 0x2f;
	good[v2 + 1] = 2;
	good[v2 + 7] = 32 + 32;
	memset(good + len - 4, 0, 4);
	len += 48 + 20;
	good[5] = (u8)(len >> 8);
	good[6] = (u8)len;
	memcpy(good + len - 4, "\xe2\xd4\xc3\xd9", 4);
#define TRY(change, want) do { \
		memcpy(msg, good, sizeof(msg)); \
		change; \
		CHECK_EQ(decode_exact(msg, len), want); \
	} while (0)
	TRY(msg[0] = 0xE2, 0);
	CHECK(p.typev1 == SMCX_CLC_SMC_BOTH && p.typev2 == SMCX_CLC_SMC_BOTH);
	CHECK(p.has_v2 && p.v2.n_eids == 1);
	TRY(msg[7] = 0x25, 0);			/* D only */
	CHECK(p.typev1 == SMCX_CLC_SMC_D && p.typev2 == SMCX_CLC_SMC_D);
	TRY(msg[v2 + 1] = 9, -EPROTO);
	TRY(msg[v2 + 1] = 3, -EPROTO);
	TRY(msg[v2 + 1] = 1, -EPROTO);
	TRY(msg[v2 + 7] = 65, -EPROTO);		/* beyond the end */
	TRY(msg[v2 + 6] = 2, -EPROTO);		/* 288 at most */
	TRY(msg[v2 + 7] = 63, 0);		/* overlapping is odd, not dangerous */
	for (n = 12; n < (int)len; n++)
		CHECK_EQ(decode_exact(msg, (size_t)n), -EPROTO);
	/* the highest offset there is, after eight EIDs */
	m = make(2, false, true, 0, 8);
	len = (size_t)smcx_clc_encode_proposal(&m, msg, sizeof(msg));
	msg[7] = 0x2e;
	msg[80 + 6] = 1;
	msg[80 + 7] = 32;
	memset(msg + len - 4, 0, 48);
	len += 48;
	msg[5] = (u8)(len >> 8);
	msg[6] = (u8)len;
	memcpy(msg + len - 4, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, len), 0);
	msg[80 + 7] = 33;
	CHECK_EQ(decode_exact(msg, len), -EPROTO);
	/* claimed, but offset 0: missing, so not counted */
	memcpy(msg, good, sizeof(msg));
	len = (size_t)msg[5] << 8 | msg[6];
	msg[v2 + 7] = 0;
	CHECK_EQ(decode_exact(msg, len), -EPROTO);
	msg[5] = 0;
	msg[6] = 164;
	memcpy(msg + 160, "\xe2\xd4\xc3\xd9", 4);
	CHECK_EQ(decode_exact(msg, 164), 0);
#undef TRY
}

/* What protocol.rst 2.3 says of a message with both parts: where they may stand, and how long they are together. */
static bool offsets_fit(const u8 *msg, int body, int ip, int v2)
{
	int at = 40 + ip, at2 = 52 + v2, v6;

	if (ip > 40 || at + 8 > body || msg[at + 7] > 8 || at + 8 + 17 * msg[at + 7] > body || msg[at + 4] > 32)
		return false;
	for (v6 = 0; v6 < msg[at + 7]; v6++)
		if (msg[at + 8 + 17 * v6 + 16] > 128)
			return false;
	if (!v2 || v2 > 172 || at2 + 40 > body || msg[at2] > 8 || at2 + 40 + 32 * msg[at2] > body)
		return false;
	return 40 + 40 + 8 + 17 * msg[at + 7] + 40 + 32 * msg[at2] == body;
}

/* Any two offsets: never a crash, and only true lengths pass. */
static void all_offsets(void)
{
	struct smcx_clc_proposal m = make(2, true, true, 1, 1);
	u8 msg[SMCX_CLC_PROPOSAL_LEN_MAX];
	int len = smcx_clc_encode_proposal(&m, msg, sizeof(msg)), i, j, ok = 0;
	bool fits;

	for (i = 0; i < 300; i++) {
		for (j = 0; j < 300; j++) {
			msg[38] = (u8)(i >> 8);
			msg[39] = (u8)i;
			msg[50] = (u8)(j >> 8);
			msg[51] = (u8)j;
			fits = offsets_fit(msg, len - 4, i, j);
			CHECK_EQ(!decode_exact(msg, (size_t)len), fits);
			ok += fits;
		}
	}
	CHECK(ok >= 1);
}

const struct tap_case proposal_cases[] = {
	{ "proposal: of 6.12 and 6.1", golden_proposals },
	{ "proposal: there and back, all combinations of parts", roundtrip },
	{ "proposal: one that must not be sent", refuses_to_encode },
	{ "proposal: cut short", truncated },
	{ "proposal: longer than its parts", wrong_length },
	{ "proposal: field by field", rules },
	{ "proposal: version 2 without its extension", v2_missing },
	{ "proposal: no transport", offers_nothing },
	{ "proposal: version 1", version_1 },
	{ "proposal: SMC-D parts", smcd },
	{ "proposal: all offsets", all_offsets },
	{ 0 }
};
