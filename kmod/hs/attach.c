// SPDX-License-Identifier: GPL-2.0
/* Steps both roles share: group, connection, messages, verdicts. */
#include <linux/etherdevice.h>
#include <linux/utsname.h>
#include <net/ipv6.h>

#include "hs_priv.h"

void smcx_hs_fill_params(const struct smcx_hs *hs, struct smcx_lgr_params *p)
{
	p->sn = hs->sn;
	p->role = hs->role;
	p->version = hs->agreed.version;
	p->release = hs->agreed.release;
	p->max_conns = hs->agreed.max_conns;
	p->max_links = hs->agreed.max_links;
	p->features = hs->agreed.features;
	p->data = hs->agreed.caps & SMCX_CAP_DATA;
	memcpy(p->eid, hs->agreed.eid, sizeof(p->eid));
	p->path = smcx_local_path(hs);
	p->family = smcx_route_is_v4(hs->sk) ? AF_INET : AF_INET6;
	smcx_hs_addresses(hs, &p->client_ip, &p->server_ip);
}

static u32 smcx_hs_errno_reason(int err)
{
	return err == -ENOMEM ? SMCX_REASON_MEM : SMCX_REASON_INTERR;
}

u32 smcx_hs_make_conn(struct smcx_hs *hs)
{
	const struct sock *sk = hs->sk;
	u32 rcv = READ_ONCE(hs->sn->sysctl.rmem);
	u32 snd = READ_ONCE(hs->sn->sysctl.wmem);
	struct smcx_conn *conn;

	if (!hs->link)
		hs->link = smcx_lgr_pick_link(hs->lgr);
	if (!hs->link)
		return SMCX_REASON_NOACTLINK;
	/* the kernel doubles what the application asks for */
	if (sk->sk_userlocks & SOCK_RCVBUF_LOCK)
		rcv = READ_ONCE(sk->sk_rcvbuf) / 2;
	if (sk->sk_userlocks & SOCK_SNDBUF_LOCK)
		snd = READ_ONCE(sk->sk_sndbuf) / 2;
	conn = smcx_conn_create(hs->lgr, hs->link, rcv, snd, hs->brief ? NULL : &hs->waiter);
	if (conn == ERR_PTR(-EAGAIN) || conn == ERR_PTR(-EINPROGRESS))
		return SMCX_REASON_NONE;
	if (IS_ERR(conn))
		return smcx_hs_errno_reason(PTR_ERR(conn));
	hs->conn = conn;
	hs->seat = false;
	return SMCX_REASON_NONE;
}

enum smcx_hs_next smcx_hs_wait_rmb(struct smcx_hs *hs)
{
	if (hs->state != SMCX_HS_WAIT_RMB)
		smcx_hs_set_deadline(hs, READ_ONCE(hs->sn->sysctl.hs_timeout_ms));
	hs->state = SMCX_HS_WAIT_RMB;
	return SMCX_HS_SLEEP;
}

enum smcx_hs_next smcx_hs_step_rmb(struct smcx_hs *hs, enum smcx_hs_next (*go)(struct smcx_hs *hs))
{
	bool expired = smcx_hs_expired(hs);

	/* woken by something else */
	if (!expired && !READ_ONCE(hs->link_event))
		return SMCX_HS_SLEEP;
	smcx_lgr_waiter_cancel(&hs->waiter);
	WRITE_ONCE(hs->link_event, 0);
	return expired ? smcx_hs_decline(hs, SMCX_REASON_ERR_REGBUF) : go(hs);
}

static void smcx_hs_fill_fce(const struct smcx_hs *hs, struct smcx_clc_fce *fce)
{
	size_t len = strnlen(utsname()->nodename, SMCX_CLC_HOST_LEN);

	fce->v2_direct = !hs->gateway;
	fce->os = SMCX_CLC_OS_LINUX;
	fce->release = hs->agreed.release;
	if (hs->agreed.release) {
		fce->max_conns = hs->agreed.max_conns;
		fce->max_links = hs->agreed.max_links;
		fce->features = hs->agreed.features;
	}
	memset(fce->host, ' ', sizeof(fce->host));
	memcpy(fce->host, utsname()->nodename, len);
}

void smcx_hs_fill_clc(struct smcx_hs *hs, struct smcx_clc_accept *clc)
{
	const struct smcx_path *path = &hs->link->path;
	const struct smcx_rmbe *rmbe = &hs->conn->rx.rmbe;

	memset(clc, 0, sizeof(*clc));
	clc->is_confirm = hs->role == SMCX_CLIENT;
	clc->version = hs->agreed.version;
	clc->first_contact = hs->first;
	clc->rmbe_idx = rmbe->idx;
	clc->rmbe_code = smcx_rmbe_code(rmbe->size, SMCX_RMBE_CODE_MAX);
	clc->mtu = path->mtu;
	clc->qpn = hs->link->qp->qpn;
	clc->psn = hs->link->qp->psn;
	clc->rkey = rmbe->rkey;
	clc->rmb_addr = rmbe->addr;
	clc->token = hs->conn->m.token;
	smcx_rdma_peer_id(clc->peer_id);
	memcpy(clc->gid, path->gid.raw, sizeof(clc->gid));
	memcpy(clc->mac, path->mac, sizeof(clc->mac));
	if (hs->agreed.version == 1)
		return;
	memcpy(clc->eid, hs->agreed.eid, sizeof(clc->eid));
	if (hs->first)
		smcx_hs_fill_fce(hs, &clc->fce);
	smcx_onertt_fill_accept(hs, clc);
	if (hs->first && clc->is_confirm) {
		clc->n_gids = 1;
		memcpy(clc->gids[0], path->gid.raw, sizeof(clc->gids[0]));
	}
}

void smcx_hs_learn_group(struct smcx_hs *hs, const struct smcx_clc_accept *clc)
{
	struct smcx_lgr *lgr = hs->lgr;

	/* FORMING: the group is still ours alone */
	lgr->peer_os = clc->fce.os;
	memcpy(lgr->peer_vendor, clc->fce.vendor, sizeof(lgr->peer_vendor));
	memcpy(lgr->peer_host, clc->fce.host, SMCX_CLC_HOST_LEN);
	lgr->peer_host[SMCX_CLC_HOST_LEN] = '\0';
}

u32 smcx_hs_learn_peer(struct smcx_hs *hs, const struct smcx_clc_accept *clc,
		       struct smcx_peer_path *peer)
{
	int rc;

	rc = smcx_conn_set_peer(hs->conn, clc->token, clc->rkey, clc->rmb_addr,
				clc->rmbe_idx, smcx_rmbe_size(clc->rmbe_code));
	if (rc)
		return rc == -ENOSPC ? SMCX_REASON_ERR_RTOK : SMCX_REASON_INTERR;
	if (!hs->first)
		return SMCX_REASON_NONE;

	if (hs->agreed.version > 1)
		smcx_hs_learn_group(hs, clc);
	memset(peer, 0, sizeof(*peer));
	memcpy(peer->gid.raw, clc->gid, sizeof(clc->gid));
	ether_addr_copy(peer->mac, hs->gateway ? hs->gw_mac : clc->mac);
	peer->gateway = hs->gateway;
	peer->qpn = clc->qpn;
	peer->psn = clc->psn;
	peer->mtu = min(clc->mtu, hs->link->path.mtu);
	return SMCX_REASON_NONE;
}

int smcx_hs_send_clc(struct smcx_hs *hs, const struct smcx_clc_accept *clc)
{
	u8 buf[SMCX_CLC_ACCEPT_LEN_MAX];
	int rc;

	/* from here on the peer may write to the element */
	hs->told = true;
	rc = smcx_clc_encode_accept(clc, buf, sizeof(buf));
	return smcx_chan_send(hs, buf, rc);
}

void smcx_hs_wait_link(struct smcx_hs *hs)
{
	hs->state = SMCX_HS_WAIT_LINK;
	/* llc limits the wait; this deadline only guards against a lost event */
	smcx_hs_set_deadline(hs, 10 * MSEC_PER_SEC);
	if (!smcx_lgr_wait(hs->lgr, &hs->waiter))
		WRITE_ONCE(hs->link_event,
			   READ_ONCE(hs->lgr->state) == SMCX_LGR_ACTIVE ? 1 : -1);
}

/* A Decline is the only message that may arrive now; anything else is an error. */
static int smcx_hs_poll_decline(struct smcx_hs *hs)
{
	struct smcx_clc_hdr hdr;
	int rc = smcx_chan_recv(hs, &hdr);

	if (rc <= 0)
		return rc;
	return hdr.type == SMCX_CLC_DECLINE ? 1 : -EPROTO;
}

/* This end has confirmed the link, and the other may use the group already. */
static bool smcx_hs_has_confirmed(const struct smcx_hs *hs)
{
	return READ_ONCE(hs->lgr->links[0].state) == SMCX_LNK_ACTIVE;
}

/* The link did not come up. A group that ends for this says what it knows of the path, see link/path.c; the first reason counts. */
static enum smcx_hs_next smcx_hs_no_path(struct smcx_hs *hs, enum smcx_hs_next (*end)(struct smcx_hs *hs))
{
	smcx_lgr_terminate(hs->lgr, -ETIMEDOUT, 0);
	return end(hs);
}

enum smcx_hs_next smcx_hs_step_link(struct smcx_hs *hs)
{
	int event = READ_ONCE(hs->link_event);
	int rc;

	if (event > 0)
		return smcx_hs_commit(hs);
	rc = smcx_hs_poll_decline(hs);
	if (rc > 0)
		return smcx_hs_no_path(hs, smcx_hs_declined);
	if (rc < 0)
		smcx_lgr_note_reset(hs->lgr);
	/* we are ready, too, and about to be told so: a quick server may have served, and closed; a quick client sent, and closed */
	if (!event && !smcx_hs_expired(hs) &&
	    (!rc || smcx_hs_has_confirmed(hs) || READ_ONCE(hs->sk->sk_state) == TCP_CLOSE_WAIT))
		return SMCX_HS_SLEEP;
	if (rc < 0)
		return smcx_hs_fail(hs, rc);
	/* what this end has found out the peer will not tell */
	if (READ_ONCE(hs->lgr->decline))
		return smcx_hs_decline(hs, READ_ONCE(hs->lgr->decline));
	hs->state = SMCX_HS_WAIT_DECLINE;
	smcx_hs_set_deadline(hs, hs->role == SMCX_CLIENT ? SMCX_HS_DECLINE_WAIT_CLIENT_MS : SMCX_HS_DECLINE_WAIT_MS);
	return SMCX_HS_AGAIN;
}

static enum smcx_hs_next smcx_hs_no_answer(struct smcx_hs *hs)
{
	return smcx_hs_decline(hs, SMCX_REASON_TIMEOUT_CL);
}

enum smcx_hs_next smcx_hs_step_decline(struct smcx_hs *hs)
{
	int rc = smcx_hs_poll_decline(hs);

	if (rc > 0)
		return smcx_hs_no_path(hs, smcx_hs_declined);
	if (rc < 0)
		return smcx_hs_fail(hs, rc);
	if (!smcx_hs_expired(hs))
		return SMCX_HS_SLEEP;
	return smcx_hs_no_path(hs, smcx_hs_no_answer);
}

/*
 * First contact: the CLC messages carry the keys. The standard wants all others confirmed; a client needs it only if it
 * knows the group by another address of the server's (smcx_client_may_join()).
 */
static bool smcx_hs_is_key_due(const struct smcx_hs *hs)
{
	struct in6_addr client, server;

	if (hs->first)
		return false;
	if (!READ_ONCE(hs->sn->sysctl.rkey_skip))
		return true;
	smcx_hs_addresses(hs, &client, &server);
	return hs->role == SMCX_SERVER && !ipv6_addr_equal(&hs->lgr->server_ip, &server);
}

bool smcx_hs_confirm_rkey(struct smcx_hs *hs)
{
	const struct smcx_rmbe *rmbe = &hs->conn->rx.rmbe;

	if (!smcx_hs_is_key_due(hs))
		return false;
	hs->ask.rkey = rmbe->rkey;
	hs->ask.addr = rmbe->addr;
	hs->state = SMCX_HS_WAIT_RKEY;
	smcx_hs_set_deadline(hs, READ_ONCE(hs->sn->sysctl.hs_timeout_ms));
	smcx_llc_confirm_rkey(hs->link, &hs->ask);
	return true;
}

enum smcx_hs_next smcx_hs_step_rkey(struct smcx_hs *hs, enum smcx_hs_next (*go)(struct smcx_hs *hs))
{
	int event = READ_ONCE(hs->rkey_event);

	if (!event && !smcx_hs_expired(hs))
		return SMCX_HS_SLEEP;
	if (event <= 0)
		return smcx_hs_decline(hs, SMCX_REASON_ERR_REGBUF);
	return go(hs);
}

void smcx_hs_drop_group(struct smcx_hs *hs)
{
	smcx_llc_confirm_rkey_cancel(&hs->ask);
	smcx_lgr_waiter_cancel(&hs->waiter);
	/*
	 * A group that never came up has no other user worth keeping it for. Once this end has confirmed the link, others
	 * may be in it: it becomes ACTIVE, or ends, by itself.
	 */
	if (hs->lgr && hs->first && !smcx_hs_has_confirmed(hs))
		smcx_lgr_terminate(hs->lgr, -ECONNABORTED, 0);
	if (hs->conn && hs->told && hs->syn && !hs->syn_up)
		smcx_pool_note_syn(hs->lgr);
	if (hs->conn)
		smcx_conn_discard(hs->conn, hs->told);
	hs->conn = NULL;
	if (hs->seat)
		smcx_lgr_leave(hs->lgr);
	hs->seat = false;
	smcx_lgr_put(hs->lgr);
	hs->lgr = NULL;
	hs->link = NULL;
	hs->first = false;
	hs->early = false;
}

void smcx_hs_drop(struct smcx_hs *hs)
{
	smcx_hs_drop_group(hs);
	smcx_local_release(hs);
}

enum smcx_hs_next smcx_hs_commit(struct smcx_hs *hs)
{
	smcx_llc_confirm_rkey_cancel(&hs->ask);
	smcx_lgr_waiter_cancel(&hs->waiter);
	smcx_onertt_commit(hs);
	smcx_setup_phase(hs->sn, &hs->setup, SMCX_PHASE_CONFIRM);
	smcx_conn_activate(hs->conn, &hs->setup);
	hs->res.conn = hs->conn;
	hs->conn = NULL;
	smcx_lgr_put(hs->lgr);
	hs->lgr = NULL;
	smcx_local_release(hs);
	return SMCX_HS_FINISHED;
}

enum smcx_hs_next smcx_hs_decline(struct smcx_hs *hs, u32 reason)
{
	int rc = smcx_chan_decline(hs, reason, reason == SMCX_REASON_SYNCERR);

	/* the peer would take what comes next for the rest of it; and the error of a broken TCP is told once, which was here */
	if (rc && rc != -EPIPE)
		return smcx_hs_fail(hs, rc);
	hs->res.reason = reason;
	smcx_hs_drop(hs);
	return SMCX_HS_FINISHED;
}

enum smcx_hs_next smcx_hs_declined(struct smcx_hs *hs)
{
	struct smcx_clc_decline dec;

	if (smcx_clc_decode_decline(hs->chan.buf, smcx_chan_len(hs), &dec))
		return smcx_hs_fail(hs, -EPROTO);
	hs->res.reason = SMCX_REASON_PEERDECL;
	hs->res.peer_reason = dec.diagnosis;
	if (dec.out_of_sync && hs->lgr)
		smcx_lgr_terminate(hs->lgr, -ECONNABORTED, 0);
	/* a peer that declines promises to use the stream, not the element */
	hs->told = false;
	smcx_hs_drop(hs);
	return SMCX_HS_FINISHED;
}

enum smcx_hs_next smcx_hs_fail(struct smcx_hs *hs, int err)
{
	hs->res.err = err;
	smcx_hs_drop(hs);
	return SMCX_HS_FINISHED;
}
