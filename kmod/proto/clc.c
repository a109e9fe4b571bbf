// SPDX-License-Identifier: GPL-2.0 OR MIT
/* CLC header, Accept, Confirm and Decline, protocol.rst 2.1, 2.2, 2.5, 2.6 */

#include "clc.h"
#include "clc_wire.h"
#include "reason.h"
#include "wire.h"

#define FLAG_FIRST_CONTACT	0x08	/* Accept, Confirm */
#define FLAG_OUT_OF_SYNC	0x08	/* Decline */

#define ACCEPT_V1_LEN		68
#define ACCEPT_V1_SMCD_LEN	48
#define ACCEPT_V2_LEN		108
#define ACCEPT_V2_SMCD_LEN	78
#define FCE_OFF			104
#define FCE_LEN_V20		36	/* what v2.0 names; both kernels send more */
#define FCE_LEN			52
#define GIDS_OFF		(FCE_OFF + FCE_LEN)
#define GIDS_HDR_LEN		4
#define DECLINE_V1_LEN		28
#define DECLINE_V2_LEN		44

static bool eye_is_r(const u8 *p)
{
	return smcx_get32(p) == SMCX_CLC_EYE_R;
}

static bool eye_is_d(const u8 *p)
{
	return smcx_get32(p) == SMCX_CLC_EYE_D;
}

int smcx_clc_decode_hdr(const u8 *buf, size_t len, struct smcx_clc_hdr *out)
{
	if (len < SMCX_CLC_HDR_LEN || !(eye_is_r(buf) || eye_is_d(buf)))
		return -EPROTO;

	memset(out, 0, sizeof(*out));
	out->is_smcd = eye_is_d(buf);
	out->type = buf[4];
	out->len = smcx_get16(buf + 5);
	out->version = buf[7] >> 4;
	out->flags = buf[7] & 0x0F;
	if (out->type < SMCX_CLC_PROPOSAL || out->type > SMCX_CLC_DECLINE ||
	    !out->version ||
	    out->len < SMCX_CLC_HDR_LEN + SMCX_CLC_TRAILER_LEN)
		return -EPROTO;
	return 0;
}

int smcx_clc_peek_len(const u8 *buf, size_t len)
{
	struct smcx_clc_hdr hdr;

	if (len < SMCX_CLC_HDR_LEN)
		return 0;
	if (smcx_clc_decode_hdr(buf, len, &hdr))
		return -EPROTO;
	return hdr.len;
}

int smcx_clc_open(const u8 *buf, size_t len, struct smcx_clc_hdr *hdr,
		  size_t *body)
{
	if (smcx_clc_decode_hdr(buf, len, hdr))
		return -EPROTO;

	/* discard rule: what lies beyond the buffer was thrown away unseen */
	if (hdr->len > len) {
		if (len < SMCX_CLC_BUF_LEN)
			return -EPROTO;
		*body = len;
		return 0;
	}
	*body = hdr->len - SMCX_CLC_TRAILER_LEN;
	if (hdr->type != SMCX_CLC_DECLINE &&
	    !eye_is_r(buf + *body) && !eye_is_d(buf + *body))
		return -EPROTO;
	return 0;
}

void smcx_clc_close(u8 *buf, size_t len, u8 type, u8 version, u8 flags)
{
	smcx_put32(buf, SMCX_CLC_EYE_R);
	buf[4] = type;
	smcx_put16(buf + 5, (u16)len);
	buf[7] = (u8)(version << 4 | flags);
	/* the trailer of a Decline, too, though nobody looks at it */
	smcx_put32(buf + len - SMCX_CLC_TRAILER_LEN, SMCX_CLC_EYE_R);
}

/* The part v1 and v2 share. */
static int accept_get_base(const u8 *buf, struct smcx_clc_accept *out)
{
	memcpy(out->peer_id, buf + 8, sizeof(out->peer_id));
	memcpy(out->gid, buf + 16, sizeof(out->gid));
	memcpy(out->mac, buf + 32, sizeof(out->mac));
	out->qpn = smcx_get24(buf + 38);
	out->rkey = smcx_get32(buf + 41);
	out->rmbe_idx = buf[45];
	out->token = smcx_get32(buf + 46);
	out->rmbe_code = buf[50] >> 4;
	out->mtu = buf[50] & 0x0F;
	out->rmb_addr = smcx_get64(buf + 52);
	out->psn = smcx_get24(buf + 61);

	/* index 0 would address memory before the RMB */
	if (!out->rmbe_idx)
		return -EPROTO;
	/* only a first contact programs a queue pair with it, which looks itself: an old Confirm has no flag */
	if (out->first_contact && (out->mtu < 1 || out->mtu > 5))
		return -EPROTO;
	return 0;
}

static void fce_get(const u8 *p, size_t len, struct smcx_clc_fce *out)
{
	out->v2_direct = p[0] & 0x80;
	out->os = p[1] >> 4;
	out->release = p[1] & 0x0F;
	memcpy(out->host, p + 4, sizeof(out->host));
	if (len < FCE_LEN)
		return;
	out->max_conns = p[36];
	out->max_links = p[37];
	out->features = smcx_get16(p + 38);
	memcpy(out->vendor, p + 40, sizeof(out->vendor));
	memcpy(out->reserved, p + 44, sizeof(out->reserved));
}

/* The list is information only, so one that is cut short is no error. */
static void gids_get(const u8 *buf, size_t body, struct smcx_clc_accept *out)
{
	size_t off = GIDS_OFF + GIDS_HDR_LEN;
	u8 n;

	if (!smcx_fits(body, GIDS_OFF, GIDS_HDR_LEN))
		return;
	n = buf[GIDS_OFF];
	if (n > SMCX_CLC_GIDS_MAX)
		n = SMCX_CLC_GIDS_MAX;
	while (out->n_gids < n && smcx_fits(body, off, 16)) {
		memcpy(out->gids[out->n_gids++], buf + off, 16);
		off += 16;
	}
}

static int accept_get_v2(const u8 *buf, size_t body,
			 struct smcx_clc_accept *out)
{
	memcpy(out->eid, buf + 64, sizeof(out->eid));
	memcpy(out->reserved, buf + 96, sizeof(out->reserved));
	if (!out->first_contact)
		return 0;
	if (!smcx_fits(body, FCE_OFF, FCE_LEN_V20))
		return -EPROTO;
	fce_get(buf + FCE_OFF, body - FCE_OFF, &out->fce);
	if (out->is_confirm)
		gids_get(buf, body, out);
	return 0;
}

static bool accept_len_is_valid(const struct smcx_clc_hdr *hdr, bool is_smcd)
{
	if (hdr->version == 1)
		return hdr->len == (is_smcd ? ACCEPT_V1_SMCD_LEN : ACCEPT_V1_LEN);
	return hdr->len >= (is_smcd ? ACCEPT_V2_SMCD_LEN : ACCEPT_V2_LEN);
}

int smcx_clc_decode_accept(const u8 *buf, size_t len,
			   struct smcx_clc_accept *out)
{
	struct smcx_clc_hdr hdr;
	size_t body;
	u8 smctype;

	if (smcx_clc_open(buf, len, &hdr, &body) ||
	    (hdr.type != SMCX_CLC_ACCEPT && hdr.type != SMCX_CLC_CONFIRM))
		return -EPROTO;

	smctype = hdr.flags & 0x03;
	if (smctype > SMCX_CLC_SMC_D ||
	    !accept_len_is_valid(&hdr, smctype == SMCX_CLC_SMC_D))
		return -EPROTO;

	memset(out, 0, sizeof(*out));
	out->is_confirm = hdr.type == SMCX_CLC_CONFIRM;
	out->version = hdr.version;
	out->first_contact = hdr.flags & FLAG_FIRST_CONTACT;
	if (smctype == SMCX_CLC_SMC_D) {
		out->is_smcd = true;
		return 0;
	}
	if (accept_get_base(buf, out))
		return -EPROTO;
	return hdr.version == 1 ? 0 : accept_get_v2(buf, body, out);
}

static void accept_put_base(const struct smcx_clc_accept *in, u8 *buf)
{
	memcpy(buf + 8, in->peer_id, sizeof(in->peer_id));
	memcpy(buf + 16, in->gid, sizeof(in->gid));
	memcpy(buf + 32, in->mac, sizeof(in->mac));
	smcx_put24(buf + 38, in->qpn);
	smcx_put32(buf + 41, in->rkey);
	buf[45] = in->rmbe_idx;
	smcx_put32(buf + 46, in->token);
	buf[50] = (u8)(in->rmbe_code << 4 | in->mtu);
	smcx_put64(buf + 52, in->rmb_addr);
	smcx_put24(buf + 61, in->psn);
}

static void fce_put(const struct smcx_clc_fce *in, u8 *p)
{
	p[0] = in->v2_direct ? 0x80 : 0;
	p[1] = (u8)(in->os << 4 | in->release);
	memcpy(p + 4, in->host, sizeof(in->host));
	p[36] = in->max_conns;
	p[37] = in->max_links;
	smcx_put16(p + 38, in->features);
	memcpy(p + 40, in->vendor, sizeof(in->vendor));
	memcpy(p + 44, in->reserved, sizeof(in->reserved));
}

static bool accept_is_valid(const struct smcx_clc_accept *in)
{
	return !in->is_smcd && (in->version == 1 || in->version == 2) &&
	       in->rmbe_idx && in->rmbe_code <= SMCX_RMBE_CODE_MAX &&
	       in->mtu >= 1 && in->mtu <= 5 &&
	       in->qpn <= 0xFFFFFF && in->psn <= 0xFFFFFF &&
	       in->fce.os <= 0x0F && in->fce.release <= 0x0F &&
	       in->n_gids <= SMCX_CLC_GIDS_MAX;
}

static size_t accept_len(const struct smcx_clc_accept *in)
{
	if (in->version == 1)
		return ACCEPT_V1_LEN;
	if (!in->first_contact)
		return ACCEPT_V2_LEN;
	if (!in->is_confirm)
		return GIDS_OFF + SMCX_CLC_TRAILER_LEN;
	return GIDS_OFF + GIDS_HDR_LEN + 16 * in->n_gids + SMCX_CLC_TRAILER_LEN;
}

int smcx_clc_encode_accept(const struct smcx_clc_accept *in, u8 *buf,
			   size_t cap)
{
	size_t len;

	if (!accept_is_valid(in))
		return -EINVAL;
	len = accept_len(in);
	if (len > cap)
		return -ENOSPC;

	memset(buf, 0, len);
	accept_put_base(in, buf);
	if (in->version == 2) {
		memcpy(buf + 64, in->eid, sizeof(in->eid));
		memcpy(buf + 96, in->reserved, sizeof(in->reserved));
		if (in->first_contact)
			fce_put(&in->fce, buf + FCE_OFF);
		if (in->first_contact && in->is_confirm) {
			buf[GIDS_OFF] = in->n_gids;
			memcpy(buf + GIDS_OFF + GIDS_HDR_LEN, in->gids,
			       16 * in->n_gids);
		}
	}
	smcx_clc_close(buf, len,
		       in->is_confirm ? SMCX_CLC_CONFIRM : SMCX_CLC_ACCEPT,
		       in->version,
		       in->first_contact ? FLAG_FIRST_CONTACT : 0);
	return (int)len;
}

int smcx_clc_decode_decline(const u8 *buf, size_t len,
			    struct smcx_clc_decline *out)
{
	struct smcx_clc_hdr hdr;
	size_t body;
	unsigned int i;

	if (smcx_clc_open(buf, len, &hdr, &body) ||
	    hdr.type != SMCX_CLC_DECLINE ||
	    hdr.len != (hdr.version == 1 ? DECLINE_V1_LEN : DECLINE_V2_LEN))
		return -EPROTO;

	memset(out, 0, sizeof(*out));
	out->version = hdr.version;
	out->out_of_sync = hdr.flags & FLAG_OUT_OF_SYNC;
	memcpy(out->peer_id, buf + 8, sizeof(out->peer_id));
	out->diagnosis = smcx_get32(buf + 16);
	out->os = buf[20] >> 4;
	if (hdr.version == 1)
		return 0;
	for (i = 0; i < 4; i++)
		out->more[i] = smcx_get32(buf + 24 + 4 * i);
	return 0;
}

int smcx_clc_encode_decline(const struct smcx_clc_decline *in, u8 *buf,
			    size_t cap)
{
	size_t len = in->version == 1 ? DECLINE_V1_LEN : DECLINE_V2_LEN;
	unsigned int i;

	if ((in->version != 1 && in->version != 2) || in->os > 0x0F ||
	    smcx_reason_is_local(in->diagnosis))
		return -EINVAL;
	if (len > cap)
		return -ENOSPC;

	memset(buf, 0, len);
	memcpy(buf + 8, in->peer_id, sizeof(in->peer_id));
	smcx_put32(buf + 16, in->diagnosis);
	buf[20] = (u8)(in->os << 4);
	for (i = 0; in->version == 2 && i < 4; i++)
		smcx_put32(buf + 24 + 4 * i, in->more[i]);
	smcx_clc_close(buf, len, SMCX_CLC_DECLINE, in->version,
		       in->out_of_sync ? FLAG_OUT_OF_SYNC : 0);
	return (int)len;
}
