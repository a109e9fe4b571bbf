// SPDX-License-Identifier: GPL-2.0
/* Client's procedure (protocol.rst 2.4, 3.9, 3.10). */
#include <linux/etherdevice.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>

#include "hs_priv.h"

static void smcx_client_fill_v1(struct smcx_hs *hs, struct smcx_clc_proposal *prop)
{
	const struct smcx_path *path = &hs->local.v1;
	int n;

	prop->typev1 = SMCX_CLC_SMC_NONE;
	if (hs->local.offer.no_v1)
		return;
	n = smcx_path_prefixes(hs->sk, &prop->v4_net, &prop->v4_len, prop->v6);
	if (n < 0) {
		hs->local.offer.no_v1 = SMCX_REASON_CNFERR;
		return;
	}
	prop->typev1 = SMCX_CLC_SMC_R;
	prop->has_ip = true;
	prop->n_v6 = n;
	memcpy(prop->gid_v1, path->gid.raw, sizeof(prop->gid_v1));
}

static void smcx_client_fill_v2(struct smcx_hs *hs, struct smcx_clc_proposal *prop)
{
	const struct smcx_offer *offer = &hs->local.offer;

	prop->typev2 = SMCX_CLC_SMC_NONE;
	if (offer->no_v2)
		return;
	prop->typev2 = SMCX_CLC_SMC_R;
	prop->has_v2 = true;
	prop->v2.n_eids = offer->n_eids;
	prop->v2.release = offer->release;
	prop->v2.max_conns = offer->max_conns;
	prop->v2.max_links = offer->max_links;
	prop->v2.features = offer->features;
	memcpy(prop->v2.gid, hs->local.v2.gid.raw, sizeof(prop->v2.gid));
	memcpy(prop->v2.eids, offer->eids, sizeof(offer->eids));
	smcx_onertt_fill_proposal(hs, prop);
}

/* Return: false if there is nothing to propose. */
static bool smcx_client_fill_proposal(struct smcx_hs *hs)
{
	/* filled here because it is larger than a stack frame should be */
	memset(&hs->prop, 0, sizeof(hs->prop));
	hs->prop.version = 2;
	smcx_client_fill_v1(hs, &hs->prop);
	smcx_client_fill_v2(hs, &hs->prop);
	/*
	 * A Linux server takes the direct peer's MAC from here even for
	 * version 2, so it is filled whatever is offered (protocol.rst 2.8).
	 */
	smcx_rdma_peer_id(hs->prop.peer_id);
	ether_addr_copy(hs->prop.mac, hs->local.offer.no_v2 ? hs->local.v1.mac :
							     hs->local.v2.mac);
	return hs->prop.typev1 != SMCX_CLC_SMC_NONE || hs->prop.typev2 != SMCX_CLC_SMC_NONE;
}

static int smcx_client_send_proposal(struct smcx_hs *hs)
{
	/* nothing has been received yet; half a KiB of stack under TCP's sendmsg() is too much */
	u8 *buf = hs->chan.buf;

	BUILD_BUG_ON(sizeof(hs->chan.buf) < SMCX_CLC_PROPOSAL_LEN_MAX);
	return smcx_chan_send(hs, buf, smcx_clc_encode_proposal(&hs->prop, buf, sizeof(hs->chan.buf)));
}

/* Paths that a Proposal in the SYN has found are given back when that was not taken. */
static u32 smcx_client_prepare(struct smcx_hs *hs)
{
	const struct smcx_offer *offer = &hs->local.offer;

	smcx_local_release(hs);
	if (smcx_local_is_ipsec(hs->sk))
		return SMCX_REASON_IPSEC;
	smcx_local_build(hs);
	return offer->no_v1 && offer->no_v2 ? offer->no_v2 : SMCX_REASON_NONE;
}

int smcx_hs_propose_syn(struct smcx_hs *hs, const struct smcx_invite *invite, u8 *buf, size_t cap)
{
	/* the token has its place in version 2 */
	if (smcx_client_prepare(hs) || hs->local.offer.no_v2)
		return -EOPNOTSUPP;
	hs->invite = *invite;
	smcx_hs_early_prepare(hs);
	smcx_client_fill_proposal(hs);
	return smcx_clc_encode_proposal(&hs->prop, buf, cap);
}

static enum smcx_hs_next smcx_client_propose(struct smcx_hs *hs)
{
	u32 reason = smcx_client_prepare(hs);
	int rc;

	if (reason)
		return smcx_hs_decline(hs, reason);
	hs->invite.token = 0;
	if (!smcx_client_fill_proposal(hs))
		return smcx_hs_decline(hs, SMCX_REASON_CNFERR);
	rc = smcx_client_send_proposal(hs);
	if (rc)
		return smcx_hs_fail(hs, rc);
	hs->state = SMCX_HS_WAIT_ACCEPT;
	smcx_hs_set_deadline(hs, READ_ONCE(hs->sn->sysctl.hs_timeout_ms));
	return SMCX_HS_AGAIN;
}

/* v2: is the way to the server's GID what the server says it is (protocol.rst 2.8)? */
static u32 smcx_client_route(struct smcx_hs *hs, const struct smcx_clc_accept *acc)
{
	union ib_gid gid;
	u32 reason;

	if (hs->agreed.version == 1 || acc->fce.v2_direct)
		return SMCX_REASON_NONE;
	memcpy(gid.raw, acc->gid, sizeof(gid.raw));
	reason = smcx_path_route(sock_net(hs->sk), smcx_hs_saddr(hs), &gid,
				 &hs->gateway, hs->gw_mac);
	if (reason)
		return reason;
	return hs->gateway ? SMCX_REASON_NONE : SMCX_REASON_NOINDIRECT;
}

/*
 * Any server can say that it is another one whose group we have, and name a key that is worth nothing there: the first byte
 * for it would break that link. So a new address must name a region that was announced over the link itself.
 */
static bool smcx_client_may_join(const struct smcx_hs *hs, const struct smcx_lgr_params *p,
				 const struct smcx_clc_accept *acc)
{
	return ipv6_addr_equal(&hs->lgr->server_ip, &p->server_ip) ||
	       smcx_rkey_is_known(hs->link, acc->rkey, acc->rmb_addr);
}

static u32 smcx_client_join(struct smcx_hs *hs, const struct smcx_clc_accept *acc)
{
	struct smcx_lgr_params p = {};
	struct smcx_lgr *lgr;

	smcx_hs_fill_params(hs, &p);
	memcpy(p.peer_id, acc->peer_id, sizeof(p.peer_id));
	memcpy(p.peer_gid.raw, acc->gid, sizeof(acc->gid));
	memcpy(p.peer_mac, acc->mac, sizeof(p.peer_mac));
	p.peer_qpn = acc->qpn;
	if (smcx_hs_early_adopt(hs, acc, &p))
		return SMCX_REASON_NONE;
	if (acc->first_contact) {
		lgr = smcx_lgr_create_client(&p);
		if (IS_ERR(lgr))
			return PTR_ERR(lgr) == -ENOMEM ? SMCX_REASON_MEM : SMCX_REASON_INTERR;
		hs->link = &lgr->links[0];
		hs->first = true;
	} else {
		lgr = smcx_lgr_find_client(&p, &hs->link);
		if (!lgr)
			return SMCX_REASON_SYNCERR;
	}
	hs->lgr = lgr;
	hs->seat = true;
	return hs->first || smcx_client_may_join(hs, &p, acc) ? SMCX_REASON_NONE : SMCX_REASON_ERR_RTOK;
}

static u32 smcx_client_connect(struct smcx_hs *hs, const struct smcx_peer_path *peer)
{
	if (hs->early)
		return smcx_hs_early_link(hs, peer);
	return smcx_link_connect(hs->link, peer, false) ? SMCX_REASON_ERR_RDYLNK : SMCX_REASON_NONE;
}

static enum smcx_hs_next smcx_client_confirm(struct smcx_hs *hs,
					     const struct smcx_peer_path *peer)
{
	u32 reason = hs->first ? smcx_client_connect(hs, peer) : SMCX_REASON_NONE;
	struct smcx_clc_accept clc;
	int rc;

	if (reason)
		return smcx_hs_decline(hs, reason);
	smcx_hs_fill_clc(hs, &clc);
	if (hs->first) {
		clc.mtu = peer->mtu;
		smcx_llc_expect_confirm(hs->link);
	}
	rc = smcx_hs_send_clc(hs, &clc);
	if (rc)
		return smcx_hs_fail(hs, rc);
	/* early: the server's end is ready, CONFIRM_LINK does not concern us any more */
	if (!hs->first || hs->early)
		return smcx_hs_commit(hs);
	smcx_hs_wait_link(hs);
	return SMCX_HS_AGAIN;
}

/* an existing group: there is nothing to be connected */
static enum smcx_hs_next smcx_client_confirm_reuse(struct smcx_hs *hs)
{
	return smcx_client_confirm(hs, NULL);
}

/* There is a group. The Accept, good as it is, stays in the buffer until there is an element too. */
static enum smcx_hs_next smcx_client_attach(struct smcx_hs *hs)
{
	struct smcx_peer_path peer;
	struct smcx_clc_accept acc;
	u32 reason = SMCX_REASON_NONE;

	if (!hs->conn)
		reason = smcx_hs_make_conn(hs);
	if (reason)
		return smcx_hs_decline(hs, reason);
	if (!hs->conn)
		return smcx_hs_wait_rmb(hs);
	if (smcx_clc_decode_accept(hs->chan.buf, smcx_chan_len(hs), &acc))
		return smcx_hs_fail(hs, -EPROTO);
	smcx_chan_next(hs);
	reason = smcx_hs_learn_peer(hs, &acc, &peer);
	if (reason)
		return smcx_hs_decline(hs, reason);
	smcx_onertt_learn(hs, &acc);
	return smcx_hs_confirm_rkey(hs) ? SMCX_HS_AGAIN : smcx_client_confirm(hs, &peer);
}

static enum smcx_hs_next smcx_client_on_accept(struct smcx_hs *hs)
{
	struct smcx_clc_accept acc;
	u32 reason;

	if (smcx_clc_decode_accept(hs->chan.buf, smcx_chan_len(hs), &acc) ||
	    acc.is_confirm)
		return smcx_hs_fail(hs, -EPROTO);
	smcx_setup_phase(hs->sn, &hs->setup, SMCX_PHASE_ACCEPT);
	hs->version = acc.version;
	if (!smcx_negotiate_client(&hs->local.offer, &acc, &hs->agreed, &reason))
		return smcx_hs_decline(hs, reason);
	reason = acc.first_contact ? smcx_client_route(hs, &acc) : SMCX_REASON_NONE;
	if (!reason)
		reason = smcx_client_join(hs, &acc);
	return reason ? smcx_hs_decline(hs, reason) : smcx_client_attach(hs);
}

static enum smcx_hs_next smcx_client_wait_accept(struct smcx_hs *hs)
{
	struct smcx_clc_hdr hdr;
	int rc = smcx_chan_recv(hs, &hdr);

	if (rc < 0)
		return smcx_hs_fail(hs, rc);
	if (!rc)
		return smcx_hs_expired(hs) ? smcx_hs_fail(hs, -ETIMEDOUT) : SMCX_HS_SLEEP;
	if (hdr.type == SMCX_CLC_DECLINE)
		return smcx_hs_declined(hs);
	if (hdr.type != SMCX_CLC_ACCEPT)
		return smcx_hs_fail(hs, -EPROTO);
	return smcx_client_on_accept(hs);
}

enum smcx_hs_next smcx_hs_client_step(struct smcx_hs *hs)
{
	switch (hs->state) {
	case SMCX_HS_PROPOSE:
		return smcx_client_propose(hs);
	case SMCX_HS_WAIT_ACCEPT:
		return smcx_client_wait_accept(hs);
	case SMCX_HS_WAIT_RMB:
		return smcx_hs_step_rmb(hs, smcx_client_attach);
	case SMCX_HS_WAIT_RKEY:
		return smcx_hs_step_rkey(hs, smcx_client_confirm_reuse);
	default:
		return SMCX_HS_SLEEP;
	}
}
