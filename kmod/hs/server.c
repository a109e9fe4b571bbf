// SPDX-License-Identifier: GPL-2.0
/* Server's procedure (protocol.rst 2.7, 3.9, 3.10). */
#include <linux/random.h>
#include <net/inet_sock.h>

#include "hs_priv.h"

/*
 * Waits for one message of type @type. Return: 1 = it is in the buffer; 0 = @next is
 * what the step shall return.
 */
static int smcx_server_await(struct smcx_hs *hs, u8 type, enum smcx_hs_next *next)
{
	struct smcx_clc_hdr hdr;
	int rc = smcx_chan_recv(hs, &hdr);

	smcx_onertt_check_up(hs);
	if (rc < 0)
		*next = smcx_hs_fail(hs, rc);
	else if (!rc)
		*next = smcx_hs_expired(hs) ? smcx_hs_fail(hs, -ETIMEDOUT) : SMCX_HS_SLEEP;
	else if (hdr.type == SMCX_CLC_DECLINE)
		*next = smcx_hs_declined(hs);
	else if (hdr.type != type)
		*next = smcx_hs_fail(hs, -EPROTO);
	else
		return 1;
	return 0;
}

/* v2: the route to the client's GID decides direct or not (protocol.rst 2.8). */
static u32 smcx_server_route(struct smcx_hs *hs)
{
	union ib_gid gid;

	if (hs->agreed.version == 1)
		return SMCX_REASON_NONE;
	memcpy(gid.raw, hs->prop.v2.gid, sizeof(gid.raw));
	return smcx_path_route(sock_net(hs->sk), smcx_hs_saddr(hs),
			       &gid, &hs->gateway, hs->gw_mac);
}

/* Hundreds that came together shall not wake up together. */
static void smcx_server_set_patience(struct smcx_hs *hs)
{
	smcx_hs_set_deadline(hs, SMCX_HS_LGR_WAIT_MS +
			     get_random_u32() % SMCX_HS_LGR_SPREAD_MS);
}

static enum smcx_hs_next smcx_server_wait_proposal(struct smcx_hs *hs)
{
	struct smcx_offer *offer = &hs->local.offer;
	enum smcx_hs_next next;
	u32 reason;

	if (!smcx_server_await(hs, SMCX_CLC_PROPOSAL, &next))
		return next;
	if (smcx_clc_decode_proposal(hs->chan.buf, smcx_chan_len(hs), &hs->prop)) {
		smcx_drop_note(hs->sn, SMCX_DROP_CLC);
		return smcx_hs_fail(hs, -EPROTO);
	}
	smcx_chan_next(hs);
	hs->version = hs->prop.version > 1 ? 2 : 1;
	if (smcx_local_is_ipsec(hs->sk))
		return smcx_hs_decline(hs, SMCX_REASON_IPSEC);
	smcx_local_build(hs);
	offer->v1_prefix_ok = hs->prop.has_ip && !offer->no_v1 &&
		smcx_path_prefix_match(hs->sk, hs->prop.v4_net, hs->prop.v4_len,
				       hs->prop.v6, hs->prop.n_v6);
	if (!smcx_negotiate_server(&hs->prop, offer, &hs->agreed, &reason))
		return smcx_hs_decline(hs, reason);
	reason = smcx_server_route(hs);
	if (reason)
		return smcx_hs_decline(hs, reason);
	hs->state = SMCX_HS_WAIT_LGR;
	smcx_server_set_patience(hs);
	return SMCX_HS_AGAIN;
}

static enum smcx_hs_next smcx_server_send_accept(struct smcx_hs *hs)
{
	struct smcx_clc_accept clc;
	int rc;

	smcx_hs_fill_clc(hs, &clc);
	rc = smcx_hs_send_clc(hs, &clc);
	if (rc)
		return smcx_hs_fail(hs, rc);
	smcx_setup_phase(hs->sn, &hs->setup, SMCX_PHASE_ACCEPT);
	hs->state = SMCX_HS_WAIT_CONFIRM;
	smcx_hs_set_deadline(hs, hs->syn && !hs->syn_up ? SMCX_HS_SYN_MS :
			     READ_ONCE(hs->sn->sysctl.hs_timeout_ms));
	return SMCX_HS_AGAIN;
}

static enum smcx_hs_next smcx_server_accept(struct smcx_hs *hs)
{
	u32 reason;

	reason = smcx_hs_make_conn(hs);
	if (!reason && !hs->conn) {
		if (!hs->brief)
			return smcx_hs_wait_rmb(hs);
		/* WAIT_LGR: the work begins again */
		smcx_hs_drop_group(hs);
		return SMCX_HS_SLEEP;
	}
	if (!reason && hs->early)
		reason = smcx_hs_early_connect(hs);
	if (reason)
		return smcx_hs_decline(hs, reason);
	return smcx_hs_confirm_rkey(hs) ? SMCX_HS_AGAIN : smcx_server_send_accept(hs);
}

/* All the groups that may form for this peer are forming. */
static enum smcx_hs_next smcx_server_wait_on(struct smcx_hs *hs)
{
	if (++hs->lgr_waits >= SMCX_HS_LGR_WAITS)
		return smcx_hs_decline(hs, SMCX_REASON_NOACTLINK);
	smcx_server_set_patience(hs);
	return SMCX_HS_SLEEP;
}

static enum smcx_hs_next smcx_server_join(struct smcx_hs *hs)
{
	bool waited = smcx_hs_expired(hs);
	struct smcx_lgr_params p = {};
	int rc;

	/* woken by something else while still in the group's list? */
	if (hs->waiter.lgr && !waited && !READ_ONCE(hs->link_event))
		return SMCX_HS_SLEEP;
	smcx_lgr_waiter_cancel(&hs->waiter);
	WRITE_ONCE(hs->link_event, 0);

	smcx_hs_fill_params(hs, &p);
	memcpy(p.peer_id, hs->prop.peer_id, sizeof(p.peer_id));
	memcpy(p.peer_mac, hs->prop.mac, sizeof(p.peer_mac));
	memcpy(p.peer_gid.raw, hs->agreed.version == 1 ? hs->prop.gid_v1 : hs->prop.v2.gid,
	       sizeof(p.peer_gid.raw));
	rc = smcx_lgr_join_server(&p, hs->brief ? NULL : &hs->waiter, waited, &hs->lgr);
	if (rc < 0)
		return smcx_hs_decline(hs, rc == -ENOMEM ? SMCX_REASON_MEM : SMCX_REASON_INTERR);
	if (rc == SMCX_JOIN_WAIT)
		return waited ? smcx_server_wait_on(hs) : SMCX_HS_SLEEP;
	hs->seat = true;
	hs->first = rc == SMCX_JOIN_FIRST;
	if (hs->first)
		hs->link = &hs->lgr->links[0];
	hs->early = hs->first && hs->prop.has_early && hs->agreed.version > 1;
	return smcx_server_accept(hs);
}

static enum smcx_hs_next smcx_server_link_up(struct smcx_hs *hs,
					     const struct smcx_peer_path *peer)
{
	if (smcx_link_connect(hs->link, peer, true))
		return smcx_hs_decline(hs, SMCX_REASON_ERR_RDYLNK);
	if (smcx_llc_confirm_link(hs->link))
		return smcx_hs_decline(hs, SMCX_REASON_TIMEOUT_CL);
	smcx_hs_wait_link(hs);
	return SMCX_HS_AGAIN;
}

/* The client has committed with its Confirm: SMC, or nothing. */
static enum smcx_hs_next smcx_server_early_confirmed(struct smcx_hs *hs,
						     const struct smcx_clc_accept *cfm)
{
	if (!smcx_hs_early_is_same(hs, cfm))
		return smcx_hs_fail(hs, -EPROTO);
	smcx_hs_learn_group(hs, cfm);
	if (smcx_llc_confirm_link(hs->link))
		return smcx_hs_fail(hs, -ECONNABORTED);
	return smcx_hs_commit(hs);
}

static enum smcx_hs_next smcx_server_wait_confirm(struct smcx_hs *hs)
{
	struct smcx_peer_path peer;
	struct smcx_clc_accept cfm;
	enum smcx_hs_next next;
	u32 reason;

	if (!smcx_server_await(hs, SMCX_CLC_CONFIRM, &next))
		return next;
	if (smcx_clc_decode_accept(hs->chan.buf, smcx_chan_len(hs), &cfm) ||
	    !cfm.is_confirm) {
		smcx_drop_note(hs->sn, SMCX_DROP_CLC);
		return smcx_hs_fail(hs, -EPROTO);
	}
	smcx_chan_next(hs);
	if (hs->early && smcx_negotiate_confirm(&hs->agreed, true, &cfm, &reason))
		return smcx_server_early_confirmed(hs, &cfm);
	if (smcx_negotiate_confirm(&hs->agreed, hs->first, &cfm, &reason))
		reason = smcx_hs_learn_peer(hs, &cfm, &peer);
	/* on an existing group the client has committed with its Confirm: too late for TCP */
	if (reason)
		return hs->first && !hs->early ? smcx_hs_decline(hs, reason) :
						 smcx_hs_fail(hs, -EPROTO);
	return hs->first ? smcx_server_link_up(hs, &peer) : smcx_hs_commit(hs);
}

enum smcx_hs_next smcx_hs_server_step(struct smcx_hs *hs)
{
	switch (hs->state) {
	case SMCX_HS_WAIT_PROPOSAL:
		return smcx_server_wait_proposal(hs);
	case SMCX_HS_WAIT_LGR:
		return smcx_server_join(hs);
	case SMCX_HS_WAIT_RMB:
		return smcx_hs_step_rmb(hs, smcx_server_accept);
	case SMCX_HS_WAIT_RKEY:
		return smcx_hs_step_rkey(hs, smcx_server_send_accept);
	case SMCX_HS_WAIT_CONFIRM:
		return smcx_server_wait_confirm(hs);
	default:
		return SMCX_HS_SLEEP;
	}
}
