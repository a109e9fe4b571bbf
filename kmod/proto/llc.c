// SPDX-License-Identifier: GPL-2.0 OR MIT
/* LLC messages, protocol.rst chapter 4 */

#include "llc.h"
#include "wire.h"

#define V2_MARK			0x20
#define ADD_LINK_EXT_LEN	72	/* length of an ADD_LINK v2 without triples */
#define TRIPLE_LEN		16
#define REQ_GIDS_OFF		28
#define DEL_RKEYS_OFF		8
#define DEL_RKEYS_V1_MAX	8

/* types by version, protocol.rst 4.2 */
#define TYPES_V1		0x03DE	/* 1 2 3 4 6 7 8 9 */
#define TYPES_V2		0x02F6	/* 1 2 4 5 6 7 9 */

static bool type_is_known(u8 version, u8 type)
{
	return (version == 2 ? TYPES_V2 : TYPES_V1) & (1u << type);
}

static void triple_get(const u8 *p, struct smcx_llc_triple *out)
{
	out->rkey = smcx_get32(p);
	out->rkey_new = smcx_get32(p + 4);
	out->addr_new = smcx_get64(p + 8);
}

static void triple_put(const struct smcx_llc_triple *in, u8 *p)
{
	smcx_put32(p, in->rkey);
	smcx_put32(p + 4, in->rkey_new);
	smcx_put64(p + 8, in->addr_new);
}

static int confirm_link_get(const u8 *buf, struct smcx_llc_msg *out)
{
	struct smcx_llc_confirm_link *m = &out->confirm_link;

	memcpy(m->mac, buf + 4, sizeof(m->mac));
	memcpy(m->gid, buf + 10, sizeof(m->gid));
	m->qpn = smcx_get24(buf + 26);
	m->link_id = buf[29];
	m->link_uid = smcx_get32(buf + 30);
	m->max_links = buf[34];
	m->max_conns = buf[35];
	/* the client adopts the number; 0 means "no link" everywhere else */
	return m->link_id || smcx_llc_is_response(out) ? 0 : -EPROTO;
}

static void confirm_link_put(const struct smcx_llc_confirm_link *m, u8 *buf)
{
	memcpy(buf + 4, m->mac, sizeof(m->mac));
	memcpy(buf + 10, m->gid, sizeof(m->gid));
	smcx_put24(buf + 26, m->qpn);
	buf[29] = m->link_id;
	smcx_put32(buf + 30, m->link_uid);
	buf[34] = m->max_links;
	buf[35] = m->max_conns;
}

/*
 * The number of triples is 8 bits wide in practice but sits in a 16-bit field of
 * the sender's byte order (protocol.rst 4.4): take whichever byte is set.
 */
static int add_link_ext_get(const u8 *buf, size_t len,
			    struct smcx_llc_add_link *m)
{
	size_t room = (len - ADD_LINK_EXT_LEN) / TRIPLE_LEN;

	if (buf[70] && buf[71])
		return -EPROTO;
	m->has_ext = true;
	m->v2_direct = buf[44] & 0x80;
	memcpy(m->target_gid, buf + 46, sizeof(m->target_gid));
	m->n_triples = buf[70] | buf[71];
	/* Linux counts connections, not entries: the rest is missing or zero */
	if (m->n_triples > room)
		m->n_triples = (u8)room;
	m->triples = buf + ADD_LINK_EXT_LEN;
	return 0;
}

/* A rejection repeats what it was asked; in a request the bit means nothing. */
static bool is_rejection(const struct smcx_llc_msg *msg)
{
	return msg->flags & SMCX_LLC_F_RESP && msg->flags & SMCX_LLC_F_REJECT;
}

static int add_link_get(const u8 *buf, size_t len, struct smcx_llc_msg *out)
{
	struct smcx_llc_add_link *m = &out->add_link;

	memcpy(m->mac, buf + 4, sizeof(m->mac));
	memcpy(m->gid, buf + 12, sizeof(m->gid));
	m->qpn = smcx_get24(buf + 28);
	m->link_id = buf[31];
	m->mtu = buf[32] & 0x0F;
	m->psn = smcx_get24(buf + 33);
	if (is_rejection(out)) {
		if (out->version == 1)
			m->reject_reason = buf[2] & 0x0F;
		return 0;
	}
	if (m->mtu > 5)
		return -EPROTO;
	if (out->version == 2 && len >= ADD_LINK_EXT_LEN)
		return add_link_ext_get(buf, len, m);
	return 0;
}

static void add_link_put(const struct smcx_llc_add_link *m, u8 *buf)
{
	memcpy(buf + 4, m->mac, sizeof(m->mac));
	memcpy(buf + 12, m->gid, sizeof(m->gid));
	smcx_put24(buf + 28, m->qpn);
	buf[31] = m->link_id;
	buf[32] = m->mtu;
	smcx_put24(buf + 33, m->psn);
	if (!m->has_ext)
		return;
	buf[44] = m->v2_direct ? 0x80 : 0;
	memcpy(buf + 46, m->target_gid, sizeof(m->target_gid));
	/* little-endian, as nearly all peers store it */
	buf[70] = m->n_triples;
}

static u8 cont_count(const struct smcx_llc_add_link_cont *m)
{
	return m->n_left < SMCX_LLC_CONT_TRIPLES_MAX ?
	       m->n_left : SMCX_LLC_CONT_TRIPLES_MAX;
}

static void add_link_cont_get(const u8 *buf, struct smcx_llc_add_link_cont *m)
{
	unsigned int i;

	m->link_id = buf[4];
	m->n_left = buf[5];
	for (i = 0; i < cont_count(m); i++)
		triple_get(buf + 8 + TRIPLE_LEN * i, &m->triples[i]);
}

static void add_link_cont_put(const struct smcx_llc_add_link_cont *m, u8 *buf)
{
	unsigned int i;

	buf[4] = m->link_id;
	buf[5] = m->n_left;
	for (i = 0; i < cont_count(m); i++)
		triple_put(&m->triples[i], buf + 8 + TRIPLE_LEN * i);
}

static int req_add_link_get(const u8 *buf, size_t len, struct smcx_llc_msg *out)
{
	struct smcx_llc_req_add_link *m = &out->req_add_link;
	u8 n = buf[24];

	if (smcx_llc_is_response(out))
		return 0;
	if (!smcx_fits(len, REQ_GIDS_OFF, 16 * n))
		return -EPROTO;
	m->n_gids = n < SMCX_LLC_GIDS_MAX ? n : SMCX_LLC_GIDS_MAX;
	memcpy(m->gids, buf + REQ_GIDS_OFF, 16 * m->n_gids);
	return 0;
}

static void rkey_get(const u8 *p, struct smcx_llc_rkey *out)
{
	out->rkey = smcx_get32(p);
	out->addr = smcx_get64(p + 4);
}

static void rkey_put(const struct smcx_llc_rkey *in, u8 *p)
{
	smcx_put32(p, in->rkey);
	smcx_put64(p + 4, in->addr);
}

static void confirm_rkey_get(const u8 *buf, struct smcx_llc_confirm_rkey *m)
{
	unsigned int i;

	m->n_more = buf[4];
	if (m->n_more > SMCX_LLC_RKEY_MORE_MAX) {
		m->too_many = true;
		m->n_more = SMCX_LLC_RKEY_MORE_MAX;
	}
	rkey_get(buf + 5, &m->own);
	for (i = 0; i < m->n_more; i++) {
		m->more[i].link_id = buf[17 + 13 * i];
		rkey_get(buf + 18 + 13 * i, &m->more[i]);
	}
}

static void confirm_rkey_put(const struct smcx_llc_confirm_rkey *m, u8 *buf)
{
	unsigned int i;

	buf[4] = m->n_more;
	rkey_put(&m->own, buf + 5);
	for (i = 0; i < m->n_more; i++) {
		buf[17 + 13 * i] = m->more[i].link_id;
		rkey_put(&m->more[i], buf + 18 + 13 * i);
	}
}

/* v2 responses carry no keys */
static unsigned int del_rkey_count(const struct smcx_llc_msg *msg)
{
	if (msg->version == 2 && smcx_llc_is_response(msg))
		return 0;
	return msg->delete_rkey.n_rkeys;
}

static int delete_rkey_get(const u8 *buf, size_t len, struct smcx_llc_msg *out)
{
	struct smcx_llc_delete_rkey *m = &out->delete_rkey;
	unsigned int n;

	m->n_rkeys = buf[4];
	m->err = buf[5];
	n = del_rkey_count(out);
	if ((out->version == 1 && n > DEL_RKEYS_V1_MAX) ||
	    !smcx_fits(len, DEL_RKEYS_OFF, 4 * n))
		return -EPROTO;
	if (n)
		m->rkeys = buf + DEL_RKEYS_OFF;
	return 0;
}

static void delete_rkey_put(const struct smcx_llc_msg *in, u8 *buf)
{
	const struct smcx_llc_delete_rkey *m = &in->delete_rkey;

	buf[4] = m->n_rkeys;
	buf[5] = m->err;
	if (del_rkey_count(in))
		memcpy(buf + DEL_RKEYS_OFF, m->rkeys, 4 * del_rkey_count(in));
}

static int body_get(const u8 *buf, size_t len, struct smcx_llc_msg *out)
{
	switch (out->type) {
	case SMCX_LLC_CONFIRM_LINK:
		return confirm_link_get(buf, out);
	case SMCX_LLC_ADD_LINK:
		return add_link_get(buf, len, out);
	case SMCX_LLC_ADD_LINK_CONT:
		add_link_cont_get(buf, &out->add_link_cont);
		return 0;
	case SMCX_LLC_DELETE_LINK:
		out->delete_link.link_id = buf[4];
		out->delete_link.reason = smcx_get32(buf + 5);
		return 0;
	case SMCX_LLC_REQ_ADD_LINK:
		return req_add_link_get(buf, len, out);
	case SMCX_LLC_CONFIRM_RKEY:
		confirm_rkey_get(buf, &out->confirm_rkey);
		return 0;
	case SMCX_LLC_TEST_LINK:
		memcpy(out->test_link.user_data, buf + 4,
		       sizeof(out->test_link.user_data));
		return 0;
	case SMCX_LLC_DELETE_RKEY:
		return delete_rkey_get(buf, len, out);
	default:
		/* CONFIRM_RKEY_CONT: nobody reads it */
		return 0;
	}
}

int smcx_llc_decode(const u8 *buf, size_t len, struct smcx_llc_msg *out)
{
	u8 version;

	if (!len)
		return -EPROTO;
	version = (buf[0] & 0xF0) == V2_MARK ? 2 : 1;
	if ((buf[0] & 0xF0 && version == 1) ||
	    !type_is_known(version, buf[0] & 0x0F))
		return -ENOMSG;
	if (len < SMCX_LLC_LEN)
		return -EPROTO;
	/* the length of version 2 is in the sender's byte order: useless */
	if (version == 1 && buf[1] != SMCX_LLC_LEN)
		return -EPROTO;

	memset(out, 0, sizeof(*out));
	out->type = buf[0] & 0x0F;
	out->version = version;
	out->flags = buf[3];
	return body_get(buf, len, out);
}

static size_t msg_len(const struct smcx_llc_msg *in)
{
	size_t len = SMCX_LLC_LEN;

	if (in->type == SMCX_LLC_ADD_LINK && in->add_link.has_ext)
		len = ADD_LINK_EXT_LEN + TRIPLE_LEN * in->add_link.n_triples;
	else if (in->type == SMCX_LLC_REQ_ADD_LINK)
		len = REQ_GIDS_OFF + 16 * in->req_add_link.n_gids;
	else if (in->type == SMCX_LLC_DELETE_RKEY)
		len = DEL_RKEYS_OFF + 4 * del_rkey_count(in);
	return len < SMCX_LLC_LEN ? SMCX_LLC_LEN : len;
}

static bool add_link_is_valid(const struct smcx_llc_msg *in)
{
	const struct smcx_llc_add_link *m = &in->add_link;
	static const u8 zero[16];

	if (m->qpn > 0xFFFFFF || m->psn > 0xFFFFFF || m->mtu > 5)
		return false;
	if (m->has_ext && (in->version != 2 || is_rejection(in)))
		return false;
	if (m->reject_reason &&
	    (in->version != 1 || m->reject_reason > 0x0F || !is_rejection(in)))
		return false;
	/* Linux takes an all-zero request for a trigger of its own, 4.4 */
	return m->qpn || m->link_id || m->mtu || m->psn ||
	       memcmp(m->gid, zero, 16) || memcmp(m->mac, zero, 6) ||
	       smcx_llc_is_response(in);
}

static bool body_is_valid(const struct smcx_llc_msg *in)
{
	switch (in->type) {
	case SMCX_LLC_CONFIRM_LINK:
		return in->confirm_link.qpn <= 0xFFFFFF &&
		       (in->confirm_link.link_id || smcx_llc_is_response(in));
	case SMCX_LLC_ADD_LINK:
		return add_link_is_valid(in);
	case SMCX_LLC_REQ_ADD_LINK:
		return in->req_add_link.n_gids <=
		       (smcx_llc_is_response(in) ? 0 : SMCX_LLC_GIDS_MAX);
	case SMCX_LLC_CONFIRM_RKEY:
		return in->confirm_rkey.n_more <= SMCX_LLC_RKEY_MORE_MAX &&
		       !in->confirm_rkey.too_many;
	case SMCX_LLC_DELETE_RKEY:
		return (in->delete_rkey.rkeys || !del_rkey_count(in)) &&
		       (in->version == 2 || in->delete_rkey.n_rkeys <= DEL_RKEYS_V1_MAX);
	default:
		return true;
	}
}

static void body_put(const struct smcx_llc_msg *in, u8 *buf)
{
	switch (in->type) {
	case SMCX_LLC_CONFIRM_LINK:
		confirm_link_put(&in->confirm_link, buf);
		break;
	case SMCX_LLC_ADD_LINK:
		add_link_put(&in->add_link, buf);
		break;
	case SMCX_LLC_ADD_LINK_CONT:
		add_link_cont_put(&in->add_link_cont, buf);
		break;
	case SMCX_LLC_DELETE_LINK:
		buf[4] = in->delete_link.link_id;
		smcx_put32(buf + 5, in->delete_link.reason);
		break;
	case SMCX_LLC_REQ_ADD_LINK:
		buf[24] = in->req_add_link.n_gids;
		memcpy(buf + REQ_GIDS_OFF, in->req_add_link.gids,
		       16 * in->req_add_link.n_gids);
		break;
	case SMCX_LLC_CONFIRM_RKEY:
		confirm_rkey_put(&in->confirm_rkey, buf);
		break;
	case SMCX_LLC_TEST_LINK:
		memcpy(buf + 4, in->test_link.user_data,
		       sizeof(in->test_link.user_data));
		break;
	default:
		delete_rkey_put(in, buf);
	}
}

int smcx_llc_encode(const struct smcx_llc_msg *in, u8 *buf, size_t cap)
{
	size_t len;

	if ((in->version != 1 && in->version != 2) || in->type > 0x0F ||
	    !type_is_known(in->version, in->type) ||
	    in->type == SMCX_LLC_CONFIRM_RKEY_CONT || !body_is_valid(in))
		return -EINVAL;
	len = msg_len(in);
	if (len > cap)
		return -ENOSPC;

	memset(buf, 0, len);
	if (in->version == 2) {
		buf[0] = V2_MARK | in->type;
		smcx_put16(buf + 1, (u16)len);
	} else {
		buf[0] = in->type;
		buf[1] = SMCX_LLC_LEN;
		if (in->type == SMCX_LLC_ADD_LINK)
			buf[2] = in->add_link.reject_reason;
	}
	buf[3] = in->flags;
	body_put(in, buf);
	return (int)len;
}

int smcx_llc_get_triple(const struct smcx_llc_add_link *al, unsigned int i,
			struct smcx_llc_triple *out)
{
	if (!al->has_ext || !al->triples || i >= al->n_triples)
		return -EINVAL;
	triple_get(al->triples + TRIPLE_LEN * i, out);
	return 0;
}

int smcx_llc_put_triple(u8 *buf, size_t len, unsigned int i,
			const struct smcx_llc_triple *in)
{
	size_t off = ADD_LINK_EXT_LEN + (size_t)TRIPLE_LEN * i;

	if (len < SMCX_LLC_LEN || buf[0] != (V2_MARK | SMCX_LLC_ADD_LINK) ||
	    !smcx_fits(len, off, TRIPLE_LEN))
		return -EINVAL;
	triple_put(in, buf + off);
	return 0;
}

int smcx_llc_get_rkey(const struct smcx_llc_delete_rkey *del, unsigned int i, u32 *out)
{
	if (!del->rkeys || i >= del->n_rkeys)
		return -EINVAL;
	*out = smcx_get32(del->rkeys + 4 * i);
	return 0;
}

void smcx_llc_reply(const struct smcx_llc_msg *req, struct smcx_llc_msg *out)
{
	if (out != req)
		*out = *req;
	out->flags |= SMCX_LLC_F_RESP;
	/* a longer request is answered with its first 44 bytes */
	if (out->type == SMCX_LLC_ADD_LINK) {
		out->add_link.has_ext = false;
		out->add_link.v2_direct = false;
		memset(out->add_link.target_gid, 0, sizeof(out->add_link.target_gid));
		out->add_link.n_triples = 0;
		out->add_link.triples = NULL;
	} else if (out->type == SMCX_LLC_REQ_ADD_LINK) {
		memset(&out->req_add_link, 0, sizeof(out->req_add_link));
	} else if (out->type == SMCX_LLC_CONFIRM_RKEY) {
		out->confirm_rkey.too_many = false;
	}
}

int smcx_llc_reject(const struct smcx_llc_msg *req, struct smcx_llc_msg *out)
{
	struct smcx_llc_delete_rkey *del = &out->delete_rkey;

	if (smcx_llc_is_response(req))
		return -EINVAL;
	switch (req->type) {
	case SMCX_LLC_ADD_LINK:
		smcx_llc_reply(req, out);
		out->flags |= SMCX_LLC_F_REJECT;
		if (out->version == 1)
			out->add_link.reject_reason = SMCX_LLC_REJ_NO_ALT_PATH;
		return 0;
	case SMCX_LLC_ADD_LINK_CONT:
		smcx_llc_reply(req, out);
		out->add_link_cont.n_left = 0;
		return 0;
	case SMCX_LLC_DELETE_LINK:
		smcx_llc_reply(req, out);
		out->delete_link.reason = SMCX_LLC_DEL_RSP_UNKNOWN_LINK;
		return 0;
	case SMCX_LLC_REQ_ADD_LINK:
		smcx_llc_reply(req, out);
		return 0;
	case SMCX_LLC_CONFIRM_RKEY:
		smcx_llc_reply(req, out);
		out->flags |= SMCX_LLC_F_RKEY_NEG | SMCX_LLC_F_RKEY_RETRY;
		return 0;
	case SMCX_LLC_DELETE_RKEY:
		smcx_llc_reply(req, out);
		out->flags |= SMCX_LLC_F_RKEY_NEG;
		del->err = del->n_rkeys;
		if (out->version == 1)
			del->err = (u8)(0xFF00 >> del->n_rkeys);
		return 0;
	default:
		return -EINVAL;
	}
}
