// SPDX-License-Identifier: GPL-2.0
/* CONFIRM_LINK of the first link, both roles: protocol.rst 3.9, 4.3 */

#include <linux/etherdevice.h>

#include "../proto/clc.h"
#include "../proto/reason.h"
#include "llc_priv.h"

#define SMCX_LLC_CLIENT_WAIT	(4 * HZ)

static void smcx_llc_confirm_fill(const struct smcx_link *link, u8 id, u8 flags,
				  struct smcx_llc_msg *msg)
{
	struct smcx_llc_confirm_link *m = &msg->confirm_link;
	const struct smcx_lgr *lgr = link->lgr;

	memset(msg, 0, sizeof(*msg));
	msg->type = SMCX_LLC_CONFIRM_LINK;
	msg->version = lgr->version;
	msg->flags = flags | SMCX_LLC_F_NO_EYECATCHER;
	ether_addr_copy(m->mac, link->path.mac);
	memcpy(m->gid, link->path.gid.raw, sizeof(m->gid));
	m->qpn = link->qp->qpn;
	m->link_id = id;
	m->link_uid = lgr->id + id;
	m->max_links = 2;
	if (lgr->version > 1 && lgr->release) {
		m->max_links = lgr->max_links;
		m->max_conns = lgr->max_conns;
	}
}

/* Return: true if the flow was waiting for CONFIRM_LINK and is now the caller's */
static bool smcx_llc_confirm_claim(struct smcx_llc_state *llc)
{
	bool mine;

	spin_lock_bh(&llc->lock);
	mine = !llc->stopped && llc->flow == SMCX_LLC_FLOW_CONFIRM_LINK;
	if (mine)
		llc->flow = SMCX_LLC_FLOW_NONE;
	spin_unlock_bh(&llc->lock);
	return mine;
}

static void smcx_llc_confirm_timeout(struct work_struct *work)
{
	struct smcx_llc_state *llc = container_of(to_delayed_work(work),
						  struct smcx_llc_state, confirm_timer);

	if (smcx_llc_confirm_claim(llc))
		smcx_lgr_terminate(llc->lgr, -ETIMEDOUT, 0);
}

/* Our elements have no eye catchers; a peer that wants them cannot be served. */
static bool smcx_llc_confirm_is_usable(struct smcx_lgr *lgr, u8 flags)
{
	if (flags & SMCX_LLC_F_NO_EYECATCHER)
		return true;
	WRITE_ONCE(lgr->decline, SMCX_REASON_RMBE_EC);
	return false;
}

static void smcx_llc_set_confirmed(struct smcx_llc_state *llc)
{
	spin_lock_bh(&llc->lock);
	llc->confirmed = true;
	spin_unlock_bh(&llc->lock);
}

/*
 * Before v2.1 a Linux client counts on a second link: its connect() waits up to 3 s for an
 * ADD_LINK (protocol.rst 2.10). One without an MTU is what it rejects whatever ports it has, and
 * goes on with the one link at once. Others get none: they may take it for an error.
 */
static void smcx_llc_deny_second_link(struct smcx_link *link)
{
	const struct smcx_lgr *lgr = link->lgr;
	struct smcx_llc_msg msg = {
		.type		= SMCX_LLC_ADD_LINK,
		.version	= lgr->version,
	};

	if (lgr->version < 2 || lgr->release || lgr->peer_os != SMCX_CLC_OS_LINUX)
		return;
	ether_addr_copy(msg.add_link.mac, link->path.mac);
	memcpy(msg.add_link.gid, link->path.gid.raw, sizeof(msg.add_link.gid));
	/* lost, it costs the client its wait, no more */
	smcx_llc_send(link, &msg);
}

/* Server: the response ends first contact. */
static void smcx_llc_confirm_response(struct smcx_link *link, const struct smcx_llc_msg *msg)
{
	struct smcx_lgr *lgr = link->lgr;

	if (!smcx_llc_confirm_claim(lgr->llc))
		return;
	cancel_delayed_work(&lgr->llc->confirm_timer);
	if (!smcx_llc_confirm_is_usable(lgr, msg->flags)) {
		smcx_lgr_terminate(lgr, -EPROTO, 0);
		return;
	}
	smcx_llc_set_confirmed(lgr->llc);
	if (!smcx_link_confirmed(link, link->id, msg->confirm_link.link_uid))
		return;
	smcx_llc_deny_second_link(link);
	smcx_lgr_activate(lgr);
}

static int smcx_llc_confirm_answer(struct smcx_link *link)
{
	struct smcx_llc_state *llc = link->lgr->llc;
	struct smcx_llc_msg msg;
	int rc;

	if (!smcx_llc_confirm_is_usable(link->lgr, llc->req_flags))
		return -EPROTO;
	rc = smcx_link_ready(link);
	if (rc) {
		WRITE_ONCE(link->lgr->decline, SMCX_REASON_ERR_RDYLNK);
		return rc;
	}
	/* all of this before the server can learn of it and go on */
	smcx_llc_set_confirmed(llc);
	if (!smcx_link_confirmed(link, llc->req.link_id, llc->req.link_uid))
		return -ENOTCONN;
	smcx_llc_confirm_fill(link, link->id, SMCX_LLC_F_RESP, &msg);
	return smcx_llc_send(link, &msg);
}

/* Client: readying the QP sleeps. */
static void smcx_llc_confirm_work(struct work_struct *work)
{
	struct smcx_llc_state *llc = container_of(work, struct smcx_llc_state, confirm_work);
	struct smcx_lgr *lgr = llc->lgr;
	int rc;

	if (!smcx_llc_confirm_claim(llc))
		return;
	cancel_delayed_work(&llc->confirm_timer);
	rc = smcx_llc_confirm_answer(&lgr->links[0]);
	if (rc)
		smcx_lgr_terminate(lgr, rc, 0);
	else
		smcx_lgr_activate(lgr);
}

static void smcx_llc_confirm_try(struct smcx_llc_state *llc)
{
	lockdep_assert_held(&llc->lock);
	if (llc->have_req && llc->expected && !llc->stopped)
		queue_work(system_highpri_wq, &llc->confirm_work);
}

/* The first request counts; what else comes before it is carried out is dropped. */
static void smcx_llc_confirm_request(struct smcx_llc_state *llc, const struct smcx_llc_msg *msg)
{
	spin_lock_bh(&llc->lock);
	if (!llc->have_req) {
		llc->req = msg->confirm_link;
		llc->req_flags = msg->flags;
		llc->have_req = true;
		smcx_llc_confirm_try(llc);
	}
	spin_unlock_bh(&llc->lock);
}

void smcx_llc_confirm_rx(struct smcx_link *link, const struct smcx_llc_msg *msg)
{
	bool response = smcx_llc_is_response(msg);

	if (link->lgr->role == SMCX_SERVER && response)
		smcx_llc_confirm_response(link, msg);
	else if (link->lgr->role == SMCX_CLIENT && !response)
		smcx_llc_confirm_request(link->lgr->llc, msg);
}

int smcx_llc_confirm_link(struct smcx_link *link)
{
	struct smcx_llc_state *llc = link->lgr->llc;
	struct smcx_llc_msg msg;
	int rc = -ENOTCONN;

	/* before sending: the answer may be quicker than we are */
	spin_lock_bh(&llc->lock);
	if (!llc->stopped && llc->flow == SMCX_LLC_FLOW_NONE && !llc->confirmed) {
		llc->flow = SMCX_LLC_FLOW_CONFIRM_LINK;
		queue_delayed_work(system_wq, &llc->confirm_timer, SMCX_LLC_WAIT);
		rc = 0;
	}
	spin_unlock_bh(&llc->lock);
	if (rc)
		return rc;
	smcx_llc_confirm_fill(link, link->id, 0, &msg);
	rc = smcx_llc_send(link, &msg);
	if (rc && smcx_llc_confirm_claim(llc))
		cancel_delayed_work(&llc->confirm_timer);
	return rc;
}

void smcx_llc_expect_confirm(struct smcx_link *link)
{
	struct smcx_llc_state *llc = link->lgr->llc;

	spin_lock_bh(&llc->lock);
	if (!llc->stopped && !llc->expected) {
		llc->expected = true;
		queue_delayed_work(system_wq, &llc->confirm_timer, SMCX_LLC_CLIENT_WAIT);
		smcx_llc_confirm_try(llc);
	}
	spin_unlock_bh(&llc->lock);
}

void smcx_llc_confirm_init(struct smcx_llc_state *llc)
{
	INIT_DELAYED_WORK(&llc->confirm_timer, smcx_llc_confirm_timeout);
	INIT_WORK(&llc->confirm_work, smcx_llc_confirm_work);
	if (llc->lgr->role == SMCX_CLIENT)
		llc->flow = SMCX_LLC_FLOW_CONFIRM_LINK;
}
