// SPDX-License-Identifier: GPL-2.0
/*
 * First contact in one round trip (Documentation/one-rtt.rst, EARLY). The client makes group, QP and element
 * before it sends its Proposal and tells the server in it; the server has its QP in RTS before it answers. The commit
 * points stay where they are, CONFIRM_LINK comes after them.
 */
#include <linux/slab.h>

#include "hs_priv.h"

static void smcx_early_fill(const struct smcx_hs *hs, struct smcx_clc_early *e)
{
	const struct smcx_rmbe *rmbe = &hs->conn->rx.rmbe;

	e->qpn = hs->link->qp->qpn;
	e->mtu = hs->link->path.mtu;
	e->psn = hs->link->qp->psn;
	e->rkey = rmbe->rkey;
	e->rmb_addr = rmbe->addr;
	e->rmbe_idx = rmbe->idx;
	e->rmbe_code = smcx_rmbe_code(rmbe->size, SMCX_RMBE_CODE_MAX);
	e->token = hs->conn->m.token;
}

/* What the Accept will say is not known yet: the group gets it in smcx_hs_early_adopt(). */
static void smcx_early_params(struct smcx_hs *hs, struct smcx_lgr_params *p)
{
	const struct smcx_offer *offer = &hs->local.offer;

	hs->agreed.version = 2;
	hs->agreed.release = offer->release;
	hs->agreed.max_conns = offer->max_conns;
	hs->agreed.max_links = offer->max_links;
	memcpy(hs->agreed.eid, offer->eids[0], sizeof(hs->agreed.eid));
	smcx_hs_fill_params(hs, p);
	memcpy(p->peer_id, hs->invite.peer_id, sizeof(p->peer_id));
	memcpy(p->peer_gid.raw, hs->invite.gid, sizeof(hs->invite.gid));
}

void smcx_hs_early_prepare(struct smcx_hs *hs)
{
	struct smcx_lgr_params p = {};
	struct smcx_lgr *lgr;

	if (!(hs->invite.caps & hs->local.offer.caps & SMCX_CAP_EARLY))
		return;
	smcx_early_params(hs, &p);
	lgr = smcx_lgr_has_client(&p) ? NULL : smcx_lgr_create_client(&p);
	if (IS_ERR_OR_NULL(lgr))
		return;
	hs->lgr = lgr;
	hs->link = &lgr->links[0];
	hs->seat = true;
	hs->first = true;
	hs->early = true;
	if (smcx_hs_make_conn(hs) || !hs->conn)
		smcx_hs_drop_group(hs);
	else
		smcx_early_fill(hs, &hs->early_block);
}

bool smcx_hs_early_adopt(struct smcx_hs *hs, const struct smcx_clc_accept *acc,
			 const struct smcx_lgr_params *p)
{
	if (!hs->early)
		return false;
	if (acc->first_contact && smcx_ext_caps(acc->fce.vendor) & SMCX_CAP_EARLY) {
		smcx_lgr_set_peer(hs->lgr, p);
		return true;
	}
	/* there is a group after all, or the server has lost the capability */
	smcx_hs_drop_group(hs);
	return false;
}

u32 smcx_hs_early_link(struct smcx_hs *hs, const struct smcx_peer_path *peer)
{
	if (smcx_link_connect(hs->link, peer, true))
		return SMCX_REASON_ERR_RDYLNK;
	return smcx_rmbe_settle(&hs->conn->rx.rmbe) ? SMCX_REASON_ERR_REGBUF : SMCX_REASON_NONE;
}

u32 smcx_hs_early_connect(struct smcx_hs *hs)
{
	const struct smcx_clc_early *e = &hs->prop.early;
	struct smcx_peer_path peer;
	struct smcx_clc_accept *clc;
	u32 reason;

	clc = kzalloc(sizeof(*clc), GFP_KERNEL);
	if (!clc)
		return SMCX_REASON_MEM;
	clc->token = e->token;
	clc->rkey = e->rkey;
	clc->rmb_addr = e->rmb_addr;
	clc->rmbe_idx = e->rmbe_idx;
	clc->rmbe_code = e->rmbe_code;
	clc->qpn = e->qpn;
	clc->psn = e->psn;
	clc->mtu = e->mtu;
	memcpy(clc->gid, hs->prop.v2.gid, sizeof(clc->gid));
	memcpy(clc->mac, hs->prop.mac, sizeof(clc->mac));
	reason = smcx_hs_learn_peer(hs, clc, &peer);
	kfree(clc);
	return reason ? reason : smcx_hs_early_link(hs, &peer);
}

bool smcx_hs_early_is_same(const struct smcx_hs *hs, const struct smcx_clc_accept *cfm)
{
	const struct smcx_clc_early *e = &hs->prop.early;

	return cfm->qpn == e->qpn && cfm->psn == e->psn && cfm->rkey == e->rkey &&
	       cfm->rmb_addr == e->rmb_addr && cfm->rmbe_idx == e->rmbe_idx &&
	       cfm->rmbe_code == e->rmbe_code && cfm->token == e->token;
}
