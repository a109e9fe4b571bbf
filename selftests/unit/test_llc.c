// SPDX-License-Identifier: GPL-2.0 OR MIT
/* LLC messages: golden messages, all types and versions, every rule, answers */

#include "llc.h"
#include "tap.h"

static struct smcx_llc_msg m, back;
static u8 buf[SMCX_LLC_LEN_MAX];
static u8 keys[4 * 255];

static int decode_exact(const u8 *msg, size_t len)
{
	/* kept: triples and keys point into it */
	static u8 *copy;

	free(copy);
	copy = tap_exact(msg, len);
	return smcx_llc_decode(copy, len, &back);
}

/*
 * Messages of Linux decode, and encode to the same bytes but for the length field of
 * version 2, which Linux stores in host order.
 */
static void golden_same(const char *name)
{
	const u8 *msg;
	size_t len, i;

	msg = golden_get(name, &len);
	CHECK_EQ(decode_exact(msg, len), 0);
	CHECK_EQ(back.version, 2);
	CHECK_EQ(smcx_llc_encode(&back, buf, sizeof(buf)), len);
	for (i = 0; back.type == SMCX_LLC_ADD_LINK && i < back.add_link.n_triples; i++) {
		struct smcx_llc_triple t;

		CHECK_EQ(smcx_llc_get_triple(&back.add_link, (unsigned int)i, &t), 0);
		CHECK_EQ(smcx_llc_put_triple(buf, len, (unsigned int)i, &t), 0);
	}
	CHECK_EQ(buf[0], msg[0]);
	CHECK_EQ(buf[1], msg[2]);
	CHECK_EQ(buf[2], msg[1]);
	CHECK_MEM(buf + 3, msg + 3, len - 3);
}

static void golden_confirm_link(void)
{
	golden_same("confirm_link_req");
	CHECK(!smcx_llc_is_response(&back));
	CHECK_EQ(back.type, SMCX_LLC_CONFIRM_LINK);
	CHECK_EQ(back.flags & SMCX_LLC_F_NO_EYECATCHER, 3);
	CHECK_EQ(back.confirm_link.qpn, 0x11);
	CHECK_EQ(back.confirm_link.link_id, 1);
	CHECK_EQ(back.confirm_link.link_uid, 0x00000101);
	CHECK_EQ(back.confirm_link.max_links, 2);
	CHECK_EQ(back.confirm_link.max_conns, 255);
	CHECK_MEM(back.confirm_link.mac, "\x52\x54\x00\x00\x00\x01", 6);
	CHECK_MEM(back.confirm_link.gid + 10, "\xff\xff\x0a\x00\x00\x01", 6);
	golden_same("confirm_link_rsp");
	CHECK(smcx_llc_is_response(&back));
}

static void golden_add_link(void)
{
	struct smcx_llc_triple t;
	struct smcx_llc_msg rej;

	golden_same("add_link_req");
	CHECK_EQ(back.add_link.qpn, 0x12);
	CHECK_EQ(back.add_link.link_id, 2);
	CHECK_EQ(back.add_link.mtu, 3);
	CHECK_EQ(back.add_link.psn, 0xfe3ec7);
	CHECK(back.add_link.has_ext && back.add_link.v2_direct);
	CHECK_MEM(back.add_link.gid, back.add_link.target_gid, 16);
	CHECK_EQ(back.add_link.n_triples, 1);
	CHECK_EQ(smcx_llc_get_triple(&back.add_link, 0, &t), 0);
	CHECK_EQ(t.rkey, 0x39d);
	CHECK_EQ(t.rkey_new, 0x5b9);
	CHECK_EQ(t.addr_new, 0xff1100003cbe4000);
	CHECK_EQ(smcx_llc_get_triple(&back.add_link, 1, &t), -EINVAL);
	/* our rejection of it is Linux' rejection of it */
	CHECK_EQ(smcx_llc_reject(&back, &rej), 0);
	golden_same("add_link_reject");
	CHECK_EQ(back.flags, SMCX_LLC_F_RESP | SMCX_LLC_F_REJECT);
	CHECK(!back.add_link.has_ext);
	CHECK_MEM(&back, &rej, sizeof(rej));
}

static void golden_rkeys(void)
{
	struct smcx_llc_msg rsp;
	u32 rkey;

	golden_same("confirm_rkey_req");
	CHECK_EQ(back.confirm_rkey.n_more, 0);
	CHECK_EQ(back.confirm_rkey.own.rkey, 0x39d);
	CHECK_EQ(back.confirm_rkey.own.addr, 0xff1100003cbe4000);
	smcx_llc_reply(&back, &rsp);
	golden_same("confirm_rkey_rsp");
	CHECK_MEM(&back, &rsp, sizeof(rsp));

	golden_same("delete_rkey_req");
	CHECK_EQ(back.delete_rkey.n_rkeys, 1);
	CHECK_EQ(back.delete_rkey.err, 0);
	CHECK_EQ(smcx_llc_get_rkey(&back.delete_rkey, 0, &rkey), 0);
	CHECK_EQ(rkey, 0x32f);
	CHECK_EQ(smcx_llc_get_rkey(&back.delete_rkey, 1, &rkey), -EINVAL);
	golden_same("delete_rkey_rsp");
	CHECK_EQ(back.delete_rkey.n_rkeys, 1);
	CHECK_EQ(back.delete_rkey.err, 0);
	CHECK_EQ(smcx_llc_get_rkey(&back.delete_rkey, 0, &rkey), -EINVAL);
	CHECK_EQ(back.flags, SMCX_LLC_F_RESP);
}

static void golden_test_delete(void)
{
	struct smcx_llc_msg rsp;

	golden_same("test_link_req");
	smcx_llc_reply(&back, &rsp);
	golden_same("test_link_rsp");
	CHECK_MEM(&back, &rsp, sizeof(rsp));
	golden_same("delete_link_all");
	CHECK_EQ(back.flags, SMCX_LLC_F_DEL_ALL);
	CHECK_EQ(back.delete_link.reason, SMCX_LLC_DEL_OPERATOR);
	CHECK_EQ(back.delete_link.link_id, 0);
	golden_same("delete_link_orderly");
	CHECK_EQ(back.flags, SMCX_LLC_F_DEL_ALL | SMCX_LLC_F_DEL_ORDERLY);
}

static void make(u8 type, u8 version, u8 flags)
{
	unsigned int i;

	memset(&m, 0, sizeof(m));
	m.type = type;
	m.version = version;
	m.flags = flags;
	switch (type) {
	case SMCX_LLC_CONFIRM_LINK:
		m.confirm_link.qpn = 0xfffffe;
		m.confirm_link.link_id = 9;
		m.confirm_link.link_uid = 0x01020304;
		m.confirm_link.max_links = 2;
		m.confirm_link.max_conns = 77;
		memcpy(m.confirm_link.mac, "mac-ad", 6);
		memcpy(m.confirm_link.gid, "gid-of-this-link", 16);
		break;
	case SMCX_LLC_ADD_LINK:
		m.add_link.qpn = 0x010203;
		m.add_link.psn = 0xa0b0c0;
		m.add_link.mtu = 5;
		m.add_link.link_id = 3;
		memcpy(m.add_link.mac, "mac-ad", 6);
		memcpy(m.add_link.gid, "gid-of-this-link", 16);
		break;
	case SMCX_LLC_ADD_LINK_CONT:
		m.add_link_cont.link_id = 3;
		m.add_link_cont.n_left = 2;
		for (i = 0; i < 2; i++) {
			m.add_link_cont.triples[i].rkey = 0x10 + i;
			m.add_link_cont.triples[i].rkey_new = 0x20 + i;
			m.add_link_cont.triples[i].addr_new = 0xff00000000000000 + i;
		}
		break;
	case SMCX_LLC_DELETE_LINK:
		m.delete_link.link_id = 2;
		m.delete_link.reason = SMCX_LLC_DEL_LOST_PATH;
		break;
	case SMCX_LLC_REQ_ADD_LINK:
		if (flags & SMCX_LLC_F_RESP)
			break;
		m.req_add_link.n_gids = 2;
		memcpy(m.req_add_link.gids[0], "gid-of-this-link", 16);
		memcpy(m.req_add_link.gids[1], "gid-of-next-link", 16);
		break;
	case SMCX_LLC_CONFIRM_RKEY:
		m.confirm_rkey.n_more = 2;
		m.confirm_rkey.own.rkey = 0x0badcafe;
		m.confirm_rkey.own.addr = 0x1122334455667788;
		for (i = 0; i < 2; i++) {
			m.confirm_rkey.more[i].link_id = (u8)(i + 2);
			m.confirm_rkey.more[i].rkey = 0x80000000 + i;
			m.confirm_rkey.more[i].addr = 0xfedcba9876543210 + i;
		}
		break;
	case SMCX_LLC_TEST_LINK:
		memcpy(m.test_link.user_data, "sixteen bytes...", 16);
		break;
	case SMCX_LLC_DELETE_RKEY:
		m.delete_rkey.n_rkeys = 8;
		m.delete_rkey.err = flags & SMCX_LLC_F_RKEY_NEG ? 0xa0 : 0;
		m.delete_rkey.rkeys = keys;
		for (i = 0; i < sizeof(keys); i++)
			keys[i] = (u8)(i + i / 251 + 1);
		break;
	}
}

static bool known(int version, int type)
{
	if (version == 1)
		return type >= 1 && type <= 9 && type != SMCX_LLC_REQ_ADD_LINK;
	return type >= 1 && type <= 9 && type != SMCX_LLC_ADD_LINK_CONT &&
	       type != SMCX_LLC_CONFIRM_RKEY_CONT;
}

/* Keys are compared where the pointers point to. */
static void same_msg(void)
{
	unsigned int i;
	u32 a, b;

	if (m.type == SMCX_LLC_DELETE_RKEY && (m.version == 1 || !smcx_llc_is_response(&m))) {
		for (i = 0; !smcx_llc_get_rkey(&m.delete_rkey, i, &a); i++) {
			CHECK_EQ(smcx_llc_get_rkey(&back.delete_rkey, i, &b), 0);
			CHECK_EQ(a, b);
		}
		CHECK_EQ(i, m.delete_rkey.n_rkeys);
		CHECK_EQ(smcx_llc_get_rkey(&back.delete_rkey, i, &b), -EINVAL);
	}
	if (m.type == SMCX_LLC_DELETE_RKEY)
		m.delete_rkey.rkeys = back.delete_rkey.rkeys;
	CHECK_MEM(&back, &m, sizeof(m));
	if (m.type == SMCX_LLC_DELETE_RKEY)
		m.delete_rkey.rkeys = keys;
}

static void roundtrip(void)
{
	static const u8 flags[] = { 0, SMCX_LLC_F_RESP, 0x20, 0x10, 0x03, SMCX_LLC_F_RESP | SMCX_LLC_F_RKEY_NEG };
	int version, type, len, cap;
	size_t f;

	for (version = 1; version <= 2; version++)
	for (type = 0; type < 16; type++)
	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		make((u8)type, (u8)version, flags[f]);
		len = smcx_llc_encode(&m, buf, sizeof(buf));
		if (!known(version, type) || type == SMCX_LLC_CONFIRM_RKEY_CONT) {
			CHECK_EQ(len, -EINVAL);
			continue;
		}
		CHECK_EQ(len, type == SMCX_LLC_REQ_ADD_LINK && !(flags[f] & 0x80) ? 60 : 44);
		CHECK_EQ(decode_exact(buf, (size_t)len), 0);
		same_msg();
		for (cap = 0; cap < len; cap++) {
			CHECK_EQ(smcx_llc_encode(&m, buf, (size_t)cap), -ENOSPC);
			if (cap < 44)
				CHECK_EQ(decode_exact(buf, (size_t)cap), -EPROTO);
		}
	}
	make(SMCX_LLC_TEST_LINK, 3, 0);
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
	make(SMCX_LLC_TEST_LINK, 2, 0);
	m.type = 16;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
}

static void first_byte(void)
{
	int i, want;

	memset(buf, 0, 44);
	buf[1] = 44;
	buf[29] = 1;
	for (i = 0; i < 256; i++) {
		buf[0] = (u8)i;
		want = -ENOMSG;
		if ((i >> 4 == 0 && known(1, i)) || (i >> 4 == 2 && known(2, i & 15)))
			want = 0;
		CHECK_EQ(decode_exact(buf, 44), want);
		CHECK_EQ(smcx_llc_is_cdc(buf, 44), i == 0xfe);
	}
	CHECK(!smcx_llc_is_cdc(buf, 0));
	/* the length byte binds version 1 only */
	buf[0] = 0x07;
	buf[1] = 43;
	CHECK_EQ(decode_exact(buf, 44), -EPROTO);
	buf[0] = 0x27;
	CHECK_EQ(decode_exact(buf, 44), 0);
}

static void link_number_zero(void)
{
	make(SMCX_LLC_CONFIRM_LINK, 2, 0);
	m.confirm_link.link_id = 0;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
	m.flags = SMCX_LLC_F_RESP;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	CHECK_EQ(decode_exact(buf, 44), 0);
	buf[3] = 0;
	CHECK_EQ(decode_exact(buf, 44), -EPROTO);
	make(SMCX_LLC_CONFIRM_LINK, 2, 0);
	m.confirm_link.qpn = 0xffffff;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	m.confirm_link.qpn = 1 << 24;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
}

static void add_link_rules(void)
{
#define BAD(version, flags, change) do { \
		make(SMCX_LLC_ADD_LINK, version, flags); \
		m.add_link.change; \
		CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL); \
	} while (0)
	BAD(2, 0, qpn = 1 << 24);
	BAD(2, 0, psn = 1 << 24);
	BAD(2, 0, mtu = 6);
	BAD(1, 0, has_ext = true);
	BAD(2, 0xc0, has_ext = true);
	BAD(2, 0xc0, reject_reason = 1);
	BAD(1, 0x80, reject_reason = 1);
	BAD(1, 0xc0, reject_reason = 16);
#undef BAD
	make(SMCX_LLC_ADD_LINK, 2, 0);
	m.add_link.qpn = m.add_link.psn = 0xffffff;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	make(SMCX_LLC_ADD_LINK, 1, 0xc0);
	m.add_link.reject_reason = 15;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	m.add_link.reject_reason = SMCX_LLC_REJ_NO_ALT_PATH;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	CHECK_EQ(decode_exact(buf, 44), 0);
	CHECK_EQ(back.add_link.reject_reason, 1);

	make(SMCX_LLC_ADD_LINK, 2, 0);
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	buf[32] = 6;
	CHECK_EQ(decode_exact(buf, 44), -EPROTO);
	buf[3] = SMCX_LLC_F_REJECT;		/* no rejection, as it is a request */
	CHECK_EQ(decode_exact(buf, 44), -EPROTO);
	buf[3] = 0xc0;				/* a rejection repeats what it was asked */
	CHECK_EQ(decode_exact(buf, 44), 0);

	/* all zero is a trigger inside of Linux, never to be sent */
	memset(&m, 0, sizeof(m));
	m.type = SMCX_LLC_ADD_LINK;
	m.version = 2;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
	m.flags = SMCX_LLC_F_RESP;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	m.flags = 0;
	m.add_link.gid[3] = 1;			/* an invitation */
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	m.add_link.gid[3] = 0;
	m.add_link.mac[0] = 1;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	m.add_link.mac[0] = 0;
	m.add_link.link_id = 1;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	m.add_link.link_id = 0;
	m.add_link.mtu = 1;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	m.add_link.mtu = 0;
	m.add_link.psn = 1;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
}

static void add_link_triples(void)
{
	struct smcx_llc_triple t = { 1, 2, 3 }, got;
	unsigned int n, i;
	int len;

	for (n = 0; n <= 255; n++) {
		make(SMCX_LLC_ADD_LINK, 2, 0);
		m.add_link.has_ext = true;
		m.add_link.v2_direct = n & 1;
		m.add_link.n_triples = (u8)n;
		memcpy(m.add_link.target_gid, "the-target's-gid", 16);
		len = smcx_llc_encode(&m, buf, sizeof(buf));
		CHECK_EQ(len, 72 + 16 * n);
		/* what a little-endian Linux makes of our big-endian length passes its check */
		CHECK((buf[2] << 8 | buf[1]) >= 44);
		for (i = 0; i < n; i++) {
			t.rkey = i;
			t.rkey_new = ~i;
			t.addr_new = (u64)i << 40;
			CHECK_EQ(smcx_llc_put_triple(buf, (size_t)len, i, &t), 0);
		}
		CHECK_EQ(smcx_llc_put_triple(buf, (size_t)len, n, &t), -EINVAL);
		CHECK_EQ(decode_exact(buf, (size_t)len), 0);
		CHECK_EQ(back.add_link.n_triples, n);
		CHECK_EQ(back.add_link.v2_direct, n & 1);
		CHECK_MEM(back.add_link.target_gid, m.add_link.target_gid, 16);
		for (i = 0; i < n; i++) {
			CHECK_EQ(smcx_llc_get_triple(&back.add_link, i, &got), 0);
			CHECK(got.rkey == i && got.rkey_new == ~i && got.addr_new == (u64)i << 40);
		}
		/* big-endian count: the other byte */
		buf[71] = buf[70];
		buf[70] = 0;
		CHECK_EQ(decode_exact(buf, (size_t)len), 0);
		CHECK_EQ(back.add_link.n_triples, n);
	}
	buf[70] = 1;				/* 511 or 65281: neither is possible */
	CHECK_EQ(decode_exact(buf, (size_t)len), -EPROTO);
	buf[71] = 0;
	buf[70] = 255;				/* announced but not there */
	CHECK_EQ(decode_exact(buf, 72 + 16 * 2 + 15), 0);
	CHECK_EQ(back.add_link.n_triples, 2);
	CHECK_EQ(decode_exact(buf, 71), 0);
	CHECK(!back.add_link.has_ext);
	CHECK_EQ(smcx_llc_get_triple(&back.add_link, 0, &got), -EINVAL);
	back.add_link.has_ext = true;
	CHECK_EQ(smcx_llc_get_triple(&back.add_link, 0, &got), -EINVAL);
	/* a long version 1 message has no extension */
	buf[0] = 0x02;
	buf[1] = 44;
	CHECK_EQ(decode_exact(buf, 88), 0);
	CHECK(!back.add_link.has_ext);
	CHECK_EQ(smcx_llc_put_triple(buf, 88, 0, &t), -EINVAL);
	buf[0] = 0x22;
	CHECK_EQ(smcx_llc_put_triple(buf, 10, 0, &t), -EINVAL);
	CHECK_EQ(smcx_llc_put_triple(buf, 88, 0xffffffff, &t), -EINVAL);
}

static void add_link_cont(void)
{
	int n;

	for (n = 0; n <= 255; n++) {
		make(SMCX_LLC_ADD_LINK_CONT, 1, 0);
		m.add_link_cont.n_left = (u8)n;
		if (n < 2)
			memset(&m.add_link_cont.triples[1], 0, sizeof(struct smcx_llc_triple));
		if (n < 1)
			memset(&m.add_link_cont.triples[0], 0, sizeof(struct smcx_llc_triple));
		CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
		CHECK_EQ(decode_exact(buf, 44), 0);
		CHECK_MEM(&back, &m, sizeof(m));
	}
}

static void req_add_link_rules(void)
{
	unsigned int n;

	for (n = 0; n <= 9; n++) {
		make(SMCX_LLC_REQ_ADD_LINK, 2, 0);
		m.req_add_link.n_gids = (u8)n;
		CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), n > 8 ? -EINVAL : n < 1 ? 44 : (int)(28 + 16 * n));
	}
	make(SMCX_LLC_REQ_ADD_LINK, 2, SMCX_LLC_F_RESP);
	m.req_add_link.n_gids = 1;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
	memset(buf, 0, 512);
	buf[0] = 0x25;
	for (n = 0; n <= 255; n++) {
		buf[24] = (u8)n;
		CHECK_EQ(decode_exact(buf, 28 + 16 * 10), n > 10 ? -EPROTO : 0);
		if (n <= 10)
			CHECK_EQ(back.req_add_link.n_gids, n < 8 ? n : 8);
	}
	buf[3] = SMCX_LLC_F_RESP;
	CHECK_EQ(decode_exact(buf, 44), 0);
	CHECK_EQ(back.req_add_link.n_gids, 0);
}

static void confirm_rkey_rules(void)
{
	int n;

	make(SMCX_LLC_CONFIRM_RKEY, 2, 0);
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	for (n = 0; n <= 255; n++) {
		buf[4] = (u8)n;
		CHECK_EQ(decode_exact(buf, 44), 0);
		CHECK_EQ(back.confirm_rkey.n_more, n < 2 ? n : 2);
		CHECK_EQ(back.confirm_rkey.too_many, n > 2);
	}
	CHECK_EQ(smcx_llc_encode(&back, buf, sizeof(buf)), -EINVAL);
	make(SMCX_LLC_CONFIRM_RKEY, 2, 0);
	m.confirm_rkey.n_more = 3;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
}

static void delete_rkey_rules(void)
{
	unsigned int n;
	int len;

	for (n = 0; n <= 255; n++) {
		make(SMCX_LLC_DELETE_RKEY, 2, 0);
		m.delete_rkey.n_rkeys = (u8)n;
		len = smcx_llc_encode(&m, buf, sizeof(buf));
		CHECK_EQ(len, n <= 9 ? 44 : 8 + 4 * n);
		CHECK_EQ(decode_exact(buf, (size_t)len), 0);
		same_msg();
		if (n > 9)
			CHECK_EQ(decode_exact(buf, (size_t)len - 1), -EPROTO);
		m.version = 1;
		CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), n <= 8 ? 44 : -EINVAL);
	}
	make(SMCX_LLC_DELETE_RKEY, 1, 0);
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	buf[4] = 9;
	CHECK_EQ(decode_exact(buf, 44), -EPROTO);
	m.delete_rkey.rkeys = NULL;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), -EINVAL);
	/* no keys are needed where none are sent */
	m.delete_rkey.n_rkeys = 0;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
	make(SMCX_LLC_DELETE_RKEY, 2, SMCX_LLC_F_RESP);
	m.delete_rkey.rkeys = NULL;
	CHECK_EQ(smcx_llc_encode(&m, buf, sizeof(buf)), 44);
}

static void answers(void)
{
	static const u8 types[] = { 2, 4, 5, 6, 9 };
	struct smcx_llc_msg rsp;
	u8 version;
	size_t i;

	for (version = 1; version <= 2; version++) {
		for (i = 0; i < ARRAY_SIZE(types); i++) {
			if (!known(version, types[i]))
				continue;
			make(types[i], version, 0);
			CHECK_EQ(smcx_llc_reject(&m, &rsp), 0);
			CHECK(smcx_llc_is_response(&rsp));
			CHECK_EQ(smcx_llc_encode(&rsp, buf, sizeof(buf)), 44);
			CHECK_EQ(decode_exact(buf, 44), 0);
			/* in place, too; and no answer to an answer */
			CHECK_EQ(smcx_llc_reject(&m, &m), 0);
			CHECK_MEM(&m, &rsp, sizeof(m));
			CHECK_EQ(smcx_llc_reject(&m, &rsp), -EINVAL);
		}
	}
	make(SMCX_LLC_ADD_LINK, 1, 0);
	smcx_llc_reject(&m, &rsp);
	CHECK_EQ(rsp.flags, 0xc0);
	CHECK_EQ(rsp.add_link.reject_reason, SMCX_LLC_REJ_NO_ALT_PATH);
	make(SMCX_LLC_ADD_LINK, 2, 0);
	m.add_link.has_ext = true;
	m.add_link.n_triples = 200;
	smcx_llc_reject(&m, &rsp);
	CHECK(!rsp.add_link.has_ext && !rsp.add_link.triples && !rsp.add_link.reject_reason);
	make(SMCX_LLC_ADD_LINK_CONT, 1, 0);
	CHECK_EQ(smcx_llc_reject(&m, &rsp), 0);
	CHECK_EQ(rsp.add_link_cont.n_left, 0);
	make(SMCX_LLC_DELETE_LINK, 2, SMCX_LLC_F_DEL_ALL);
	smcx_llc_reject(&m, &rsp);
	CHECK_EQ(rsp.delete_link.reason, SMCX_LLC_DEL_RSP_UNKNOWN_LINK);
	CHECK_EQ(rsp.flags, 0xc0);
	make(SMCX_LLC_REQ_ADD_LINK, 2, 0);
	smcx_llc_reject(&m, &rsp);
	CHECK_EQ(smcx_llc_encode(&rsp, buf, sizeof(buf)), 44);
	CHECK_MEM(buf + 4, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 40);
	make(SMCX_LLC_CONFIRM_RKEY, 2, 0);
	m.confirm_rkey.too_many = true;
	smcx_llc_reject(&m, &rsp);
	CHECK_EQ(rsp.flags, 0xb0);
	CHECK_EQ(smcx_llc_encode(&rsp, buf, sizeof(buf)), 44);
	make(SMCX_LLC_DELETE_RKEY, 1, 0);
	for (version = 0; version <= 8; version++) {
		m.delete_rkey.n_rkeys = version;
		smcx_llc_reject(&m, &rsp);
		CHECK_EQ(rsp.flags, 0xa0);
		CHECK_EQ(rsp.delete_rkey.err, (0xff << (8 - version)) & 0xff);
	}
	make(SMCX_LLC_DELETE_RKEY, 2, 0);
	m.delete_rkey.n_rkeys = 200;
	smcx_llc_reject(&m, &rsp);
	CHECK_EQ(rsp.delete_rkey.err, 200);
	CHECK_EQ(smcx_llc_encode(&rsp, buf, sizeof(buf)), 44);
	make(SMCX_LLC_CONFIRM_LINK, 2, 0);
	CHECK_EQ(smcx_llc_reject(&m, &rsp), -EINVAL);
	make(SMCX_LLC_TEST_LINK, 2, 0);
	CHECK_EQ(smcx_llc_reject(&m, &rsp), -EINVAL);
	smcx_llc_reply(&m, &m);
	CHECK_EQ(m.flags, SMCX_LLC_F_RESP);
	CHECK_MEM(m.test_link.user_data, "sixteen bytes...", 16);
}

const struct tap_case llc_cases[] = {
	{ "llc: CONFIRM_LINK of 6.12", golden_confirm_link },
	{ "llc: ADD_LINK of 6.12 and its rejection", golden_add_link },
	{ "llc: CONFIRM_RKEY, DELETE_RKEY of 6.12", golden_rkeys },
	{ "llc: TEST_LINK, DELETE_LINK of 6.12", golden_test_delete },
	{ "llc: all types and versions, there and back, cut short", roundtrip },
	{ "llc: every first byte", first_byte },
	{ "llc: CONFIRM_LINK without a link number", link_number_zero },
	{ "llc: ADD_LINK, field by field", add_link_rules },
	{ "llc: ADD_LINK, 0 to 255 triples, both byte orders", add_link_triples },
	{ "llc: ADD_LINK_CONT", add_link_cont },
	{ "llc: REQ_ADD_LINK", req_add_link_rules },
	{ "llc: CONFIRM_RKEY, number of keys", confirm_rkey_rules },
	{ "llc: DELETE_RKEY, number of keys", delete_rkey_rules },
	{ "llc: answers and rejections", answers },
	{ 0 }
};
