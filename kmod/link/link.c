// SPDX-License-Identifier: GPL-2.0
/* Links: a QP's upcalls, its way up and down, and who waits for a send slot */

#include "../base/trace.h"
#include "../proto/cdc.h"
#include "priv.h"

/* wake-ups in one go before other softirqs get their turn */
#define SMCX_LINK_WAKES	16

static_assert(SMCX_RECV_LEN == SMCX_CDC_LEN + SMCX_CDC_DATA_MAX);

static void smcx_link_recv(struct smcx_qp *qp, const u8 *buf, u32 len)
{
	struct smcx_link *link = qp->owner;

	WRITE_ONCE(link->last_rx, jiffies);
	if (smcx_llc_is_cdc(buf, len))
		smcx_member_rx(link->lgr, buf, len);
	else
		smcx_link_llc->llc_rx(link, buf, len);
}

static void smcx_link_kick(struct smcx_link *link)
{
	smcx_lgr_hold(link->lgr);
	if (!queue_work(smcx_link_wq, &link->kick_work))
		smcx_lgr_put(link->lgr);
}

/*
 * One member for one slot: whoever does not get one has asked again before the
 * next look. A member that came for nothing leaves its slot to the next.
 */
static void smcx_link_wake(struct smcx_link *link)
{
	struct smcx_member *m;
	int i;

	for (i = 0; i < SMCX_LINK_WAKES; i++) {
		if (list_empty_careful(&link->tx_wait) || !smcx_slot_ask(link->qp))
			return;
		m = smcx_member_pop(link);
		if (!m)
			return;
		m->ops->tx_ready(m);
		smcx_member_put(m);
	}
	smcx_link_kick(link);
}

static void smcx_link_slot_free(struct smcx_qp *qp)
{
	struct smcx_link *link = qp->owner;

	smcx_link_llc->slot_free(link);
	smcx_link_wake(link);
}

static void smcx_link_acked(struct smcx_qp *qp)
{
	struct smcx_link *link = qp->owner;

	smcx_lgr_path_works(link->lgr);
}

static void smcx_link_kick_work(struct work_struct *work)
{
	struct smcx_link *link = container_of(work, struct smcx_link, kick_work);

	smcx_link_wake(link);
	smcx_lgr_put(link->lgr);
}

/* With one link a broken QP is the end of the group, protocol.rst 4.12. */
static void smcx_link_error(struct smcx_qp *qp)
{
	struct smcx_link *link = qp->owner;

	smcx_lgr_terminate(link->lgr, -ECONNRESET, 0);
}

static const struct smcx_qp_ops smcx_link_qp_ops = {
	.recv		= smcx_link_recv,
	.slot_free	= smcx_link_slot_free,
	.acked		= smcx_link_acked,
	.error		= smcx_link_error,
};

void smcx_link_init_one(struct smcx_lgr *lgr, u8 idx)
{
	struct smcx_link *link = &lgr->links[idx];

	link->lgr = lgr;
	link->idx = idx;
	link->state = SMCX_LNK_UNUSED;
	INIT_LIST_HEAD(&link->tx_wait);
	spin_lock_init(&link->tx_lock);
	INIT_WORK(&link->kick_work, smcx_link_kick_work);
	link->last_rx = jiffies;
}

int smcx_link_create(struct smcx_link *link)
{
	struct smcx_lgr *lgr = link->lgr;
	struct smcx_qp *qp;
	bool alive;

	qp = smcx_qp_create(&link->path, &smcx_link_qp_ops, link);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	spin_lock_bh(&lgr->lock);
	alive = lgr->state != SMCX_LGR_DYING;
	if (alive) {
		link->qp = qp;
		WRITE_ONCE(link->state, SMCX_LNK_ACTIVATING);
	}
	spin_unlock_bh(&lgr->lock);
	if (alive)
		return 0;
	/* the DYING work has not seen it */
	smcx_qp_stop(qp);
	smcx_qp_put(qp);
	return -ENODEV;
}

int smcx_link_connect(struct smcx_link *link, const struct smcx_peer_path *peer, bool rts)
{
	int rc;

	spin_lock_bh(&link->lgr->lock);
	link->peer = *peer;
	spin_unlock_bh(&link->lgr->lock);
	rc = smcx_qp_connect_rtr(link->qp, &link->path, peer);
	if (rc || !rts)
		return rc;
	return smcx_link_ready(link);
}

int smcx_link_ready(struct smcx_link *link)
{
	int rc;

	if (smcx_link_is_sendable(link))
		return 0;
	rc = smcx_qp_connect_rts(link->qp);
	return rc ? rc : smcx_pool_register(link);
}

bool smcx_link_confirmed(struct smcx_link *link, u8 id, u32 peer_uid)
{
	struct smcx_lgr *lgr = link->lgr;
	bool alive;

	spin_lock_bh(&lgr->lock);
	alive = lgr->state != SMCX_LGR_DYING;
	if (alive) {
		link->id = id;
		link->uid = lgr->id + id;
		link->peer_uid = peer_uid;
		WRITE_ONCE(link->state, SMCX_LNK_ACTIVE);
	}
	spin_unlock_bh(&lgr->lock);
	if (alive)
		trace_smcx_link(lgr->id, id, link->path.port, true, READ_ONCE(lgr->conns));
	return alive;
}

struct smcx_link *smcx_link_by_id(struct smcx_lgr *lgr, u8 id)
{
	struct smcx_link *found = NULL;
	int i;

	spin_lock_bh(&lgr->lock);
	for (i = 0; i < SMCX_LGR_LINKS && id && !found; i++)
		if (lgr->links[i].id == id && lgr->links[i].state != SMCX_LNK_UNUSED)
			found = &lgr->links[i];
	spin_unlock_bh(&lgr->lock);
	return found;
}

/*
 * A slot may have come free between the member's failure to get one and its entry
 * into the queue, when nobody was there to be told. Hence the second look; the
 * upcall is left to a work, the caller holds its locks.
 */
void smcx_link_wait_slot(struct smcx_link *link, struct smcx_member *m)
{
	spin_lock_bh(&link->tx_lock);
	if (test_bit(SMCX_MEMBER_LISTED, &m->flags) && list_empty(&m->wait_node))
		list_add_tail(&m->wait_node, &link->tx_wait);
	spin_unlock_bh(&link->tx_lock);
	if (smcx_slot_ask(link->qp))
		smcx_link_kick(link);
}

void smcx_link_fence(struct smcx_link *link)
{
	struct smcx_lgr *lgr = link->lgr;

	if (!link->qp)
		return;
	spin_lock_bh(&lgr->lock);
	WRITE_ONCE(link->state, SMCX_LNK_INACTIVE);
	spin_unlock_bh(&lgr->lock);
	trace_smcx_link(lgr->id, link->id, link->path.port, false, READ_ONCE(lgr->conns));
	smcx_qp_fence(link->qp);
}

void smcx_link_stop(struct smcx_link *link)
{
	if (link->qp)
		smcx_qp_stop(link->qp);
}
