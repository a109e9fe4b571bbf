// SPDX-License-Identifier: GPL-2.0 OR MIT
/* CLC Proposal, protocol.rst 2.3 */

#include "clc.h"
#include "clc_wire.h"
#include "ext.h"
#include "wire.h"

#define BASE_LEN		40	/* up to and including the IP area offset */
#define PTR_LEN			40	/* SMC-D / v2 pointer area */
#define IP_OFF_MAX		40
#define IP_LEN			8
#define V6_LEN			17
#define V2_OFF_FROM		52	/* v2 extension offset counts from here */
#define V2_OFF_MAX		172
#define V2_LEN			40
#define SMCD_OFF_FROM		8	/* in the v2 extension */
#define SMCD_OFF_MAX		288
#define SMCD_LEN		48
#define SMCD_ISM_LEN		10
#define EARLY_LEN		26	/* the last part, in front of the trailer */

static bool has_r(u8 smctype)
{
	return smctype == SMCX_CLC_SMC_R || smctype == SMCX_CLC_SMC_BOTH;
}

static bool has_d(u8 smctype)
{
	return smctype == SMCX_CLC_SMC_D || smctype == SMCX_CLC_SMC_BOTH;
}

/*
 * Each of the three getters below reads one optional part that ends before @body
 * and adds its length to @sum: the parts of a Proposal must fill it exactly.
 */
static int ip_get(const u8 *buf, size_t body, size_t *sum,
		  struct smcx_clc_proposal *out)
{
	size_t off = smcx_get16(buf + 38);
	unsigned int i;
	const u8 *p;

	if (off > IP_OFF_MAX || !smcx_fits(body, BASE_LEN + off, IP_LEN))
		return -EPROTO;
	p = buf + BASE_LEN + off;
	off += BASE_LEN + IP_LEN;

	out->has_ip = true;
	memcpy(&out->v4_net, p, sizeof(out->v4_net));
	out->v4_len = p[4];
	out->n_v6 = p[7];
	if (out->v4_len > 32 || out->n_v6 > SMCX_CLC_V6_MAX ||
	    !smcx_fits(body, off, V6_LEN * out->n_v6))
		return -EPROTO;
	memcpy(out->v6, buf + off, V6_LEN * out->n_v6);
	for (i = 0; i < out->n_v6; i++) {
		if (out->v6[i][16] > 128)
			return -EPROTO;
	}
	*sum += IP_LEN + V6_LEN * out->n_v6;
	/* version 1 knows no pointer area: what the offset skips is just a gap */
	if (out->version == 1)
		*sum += off - BASE_LEN - IP_LEN;
	return 0;
}

/* SMC-D is not spoken here: its extension is only measured. */
static int smcd_skip(const u8 *buf, size_t body, size_t v2, size_t *sum)
{
	size_t off = smcx_get16(buf + v2 + 6);
	size_t len = SMCD_LEN + SMCD_ISM_LEN * buf[v2 + 1];

	if (!off)
		return 0;
	if (off > SMCD_OFF_MAX || buf[v2 + 1] > SMCX_CLC_ISM_MAX ||
	    !smcx_fits(body, v2 + SMCD_OFF_FROM + off, len))
		return -EPROTO;
	*sum += len;
	return 0;
}

static int v2_get(const u8 *buf, size_t body, size_t *sum,
		  struct smcx_clc_proposal *out)
{
	size_t off = smcx_get16(buf + 50);
	struct smcx_clc_v2ext *v2 = &out->v2;
	const u8 *p;

	/* claimed but missing: negotiation says SMCX_REASON_NOV2EXT */
	if (!off)
		return 0;
	if (off > V2_OFF_MAX || !smcx_fits(body, V2_OFF_FROM + off, V2_LEN))
		return -EPROTO;
	off += V2_OFF_FROM;
	p = buf + off;

	out->has_v2 = true;
	v2->n_eids = p[0];
	v2->release = p[3] >> 4;
	v2->has_seid = p[3] & 0x01;
	memcpy(v2->gid, p + 8, sizeof(v2->gid));
	v2->max_conns = p[24];
	v2->max_links = p[25];
	v2->features = smcx_get16(p + 26);
	memcpy(v2->reserved, p + 28, sizeof(v2->reserved));
	if (v2->n_eids > SMCX_CLC_EIDS_MAX ||
	    !smcx_fits(body, off + V2_LEN, SMCX_EID_LEN * v2->n_eids))
		return -EPROTO;
	memcpy(v2->eids, p + V2_LEN, SMCX_EID_LEN * v2->n_eids);
	*sum += V2_LEN + SMCX_EID_LEN * v2->n_eids;
	return has_d(out->typev2) ? smcd_skip(buf, body, off, sum) : 0;
}

static int early_get(const u8 *buf, size_t body, size_t *sum,
		     struct smcx_clc_proposal *out)
{
	struct smcx_clc_early *e = &out->early;
	const u8 *p = buf + body - EARLY_LEN;

	/* the last bytes, wherever offsets put the other parts: nothing is read beyond @body */
	if (body < *sum + EARLY_LEN)
		return -EPROTO;
	*sum += EARLY_LEN;
	out->has_early = true;
	e->qpn = smcx_get24(p);
	e->mtu = p[3];
	e->psn = smcx_get24(p + 4);
	e->rkey = smcx_get32(p + 8);
	e->rmb_addr = smcx_get64(p + 12);
	e->rmbe_idx = p[20];
	e->rmbe_code = p[21];
	e->token = smcx_get32(p + 22);
	if (!e->rmbe_idx || e->rmbe_code > SMCX_RMBE_CODE_MAX || e->mtu < 1 || e->mtu > 5)
		return -EPROTO;
	return 0;
}

int smcx_clc_decode_proposal(const u8 *buf, size_t len,
			     struct smcx_clc_proposal *out)
{
	size_t body, sum = BASE_LEN;
	struct smcx_clc_hdr hdr;

	if (smcx_clc_open(buf, len, &hdr, &body) ||
	    hdr.type != SMCX_CLC_PROPOSAL)
		return -EPROTO;

	memset(out, 0, sizeof(*out));
	out->version = hdr.version;
	out->typev1 = hdr.flags & 0x03;
	out->typev2 = SMCX_CLC_SMC_NONE;
	if (hdr.version > 1) {
		out->typev2 = hdr.flags >> 2;
		sum += PTR_LEN;
	} else if (out->typev1 == SMCX_CLC_SMC_NONE) {
		return -EPROTO;
	}
	if (body < sum)
		return -EPROTO;

	memcpy(out->peer_id, buf + 8, sizeof(out->peer_id));
	memcpy(out->gid_v1, buf + 16, sizeof(out->gid_v1));
	memcpy(out->mac, buf + 32, sizeof(out->mac));
	if (hdr.version > 1) {
		memcpy(out->vendor_oui, buf + 52, sizeof(out->vendor_oui));
		memcpy(out->vendor, buf + 55, sizeof(out->vendor));
	}
	if (out->typev1 != SMCX_CLC_SMC_NONE && ip_get(buf, body, &sum, out))
		return -EPROTO;
	if (out->typev2 != SMCX_CLC_SMC_NONE && v2_get(buf, body, &sum, out))
		return -EPROTO;
	if (out->has_v2 && smcx_ext_caps(out->vendor) & SMCX_CAP_EARLY &&
	    early_get(buf, body, &sum, out))
		return -EPROTO;
	return sum == body ? 0 : -EPROTO;
}

static bool ip_is_valid(const struct smcx_clc_proposal *in)
{
	unsigned int i;

	if (in->n_v6 > SMCX_CLC_V6_MAX || in->v4_len > 32)
		return false;
	for (i = 0; i < in->n_v6; i++) {
		if (in->v6[i][16] > 128)
			return false;
	}
	return true;
}

static bool early_is_valid(const struct smcx_clc_early *e)
{
	return e->rmbe_idx && e->rmbe_code <= SMCX_RMBE_CODE_MAX &&
	       e->mtu >= 1 && e->mtu <= 5 &&
	       e->qpn <= 0xFFFFFF && e->psn <= 0xFFFFFF;
}

/* R or nothing, and exactly the parts that go with it */
static bool proposal_is_valid(const struct smcx_clc_proposal *in)
{
	bool v1 = has_r(in->typev1), v2 = has_r(in->typev2);

	if (has_d(in->typev1) || has_d(in->typev2) || (!v1 && !v2))
		return false;
	if (in->version != 2 && (in->version != 1 || v2))
		return false;
	if (v1 != in->has_ip || v2 != in->has_v2)
		return false;
	if (v1 && !ip_is_valid(in))
		return false;
	/* who says EARLY sends the block, and nobody else does */
	if (in->has_early != (v2 && smcx_ext_caps(in->vendor) & SMCX_CAP_EARLY))
		return false;
	if (in->has_early && !early_is_valid(&in->early))
		return false;
	return !v2 || (in->v2.n_eids <= SMCX_CLC_EIDS_MAX &&
		       in->v2.release <= 0x0F);
}

static size_t ip_put(const struct smcx_clc_proposal *in, u8 *buf, size_t off)
{
	u8 *p = buf + off;

	memcpy(p, &in->v4_net, sizeof(in->v4_net));
	p[4] = in->v4_len;
	p[7] = in->n_v6;
	memcpy(p + IP_LEN, in->v6, V6_LEN * in->n_v6);
	smcx_put16(buf + 38, (u16)(off - BASE_LEN));
	return off + IP_LEN + V6_LEN * in->n_v6;
}

static void v2_put(const struct smcx_clc_v2ext *v2, u8 *buf, size_t off)
{
	u8 *p = buf + off;

	p[0] = v2->n_eids;
	p[3] = (u8)(v2->release << 4 | (v2->has_seid ? 0x01 : 0));
	memcpy(p + 8, v2->gid, sizeof(v2->gid));
	p[24] = v2->max_conns;
	p[25] = v2->max_links;
	smcx_put16(p + 26, v2->features);
	memcpy(p + 28, v2->reserved, sizeof(v2->reserved));
	memcpy(p + V2_LEN, v2->eids, SMCX_EID_LEN * v2->n_eids);
	smcx_put16(buf + 50, (u16)(off - V2_OFF_FROM));
}

static void early_put(const struct smcx_clc_early *e, u8 *p)
{
	smcx_put24(p, e->qpn);
	p[3] = e->mtu;
	smcx_put24(p + 4, e->psn);
	smcx_put32(p + 8, e->rkey);
	smcx_put64(p + 12, e->rmb_addr);
	p[20] = e->rmbe_idx;
	p[21] = e->rmbe_code;
	smcx_put32(p + 22, e->token);
}

int smcx_clc_encode_proposal(const struct smcx_clc_proposal *in, u8 *buf,
			     size_t cap)
{
	size_t off = BASE_LEN, len;

	if (!proposal_is_valid(in))
		return -EINVAL;
	if (in->version == 2)
		off += PTR_LEN;
	len = off + SMCX_CLC_TRAILER_LEN;
	if (in->has_ip)
		len += IP_LEN + V6_LEN * in->n_v6;
	if (in->has_v2)
		len += V2_LEN + SMCX_EID_LEN * in->v2.n_eids;
	if (in->has_early)
		len += EARLY_LEN;
	if (len > cap)
		return -ENOSPC;

	memset(buf, 0, len);
	memcpy(buf + 8, in->peer_id, sizeof(in->peer_id));
	memcpy(buf + 16, in->gid_v1, sizeof(in->gid_v1));
	memcpy(buf + 32, in->mac, sizeof(in->mac));
	if (in->version == 2) {
		memcpy(buf + 52, in->vendor_oui, sizeof(in->vendor_oui));
		memcpy(buf + 55, in->vendor, sizeof(in->vendor));
	}
	if (in->has_ip)
		off = ip_put(in, buf, off);
	if (in->has_v2)
		v2_put(&in->v2, buf, off);
	if (in->has_early)
		early_put(&in->early, buf + len - SMCX_CLC_TRAILER_LEN - EARLY_LEN);
	smcx_clc_close(buf, len, SMCX_CLC_PROPOSAL, in->version,
		       in->version == 1 ? in->typev1 :
		       (u8)(in->typev2 << 2 | in->typev1));
	return (int)len;
}
