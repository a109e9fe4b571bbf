// SPDX-License-Identifier: GPL-2.0
/* Send slots: posting LLC and CDC messages with their writes, and their completions */

#include "priv.h"

static void smcx_qp_tell(struct smcx_qp *qp, int what)
{
	lockdep_assert_held(&qp->lock);
	if (qp->priv->fenced)
		return;
	set_bit(what, &qp->priv->tell);
	queue_work(system_wq, &qp->priv->tell_work);
}

/* smcx_qp_stop() cancels it, so that it needs no reference */
static void smcx_qp_tell_work(struct work_struct *work)
{
	struct smcx_qp_priv *p = container_of(work, struct smcx_qp_priv, tell_work);

	local_bh_disable();
	if (test_and_clear_bit(SMCX_TELL_SLOT, &p->tell))
		p->qp->ops->slot_free(p->qp);
	if (test_and_clear_bit(SMCX_TELL_ERROR, &p->tell))
		p->qp->ops->error(p->qp);
	if (test_and_clear_bit(SMCX_TELL_EVENT, &p->tell))
		smcx_qp_fail(p->qp, true);
	local_bh_enable();
}

void smcx_qp_fail(struct smcx_qp *qp, bool direct)
{
	struct smcx_qp_priv *p = qp->priv;
	bool first;

	spin_lock_bh(&qp->lock);
	first = !p->failed && !p->fenced && !p->dead;
	if (first) {
		p->failed = true;
		qp->live = false;
		if (!direct)
			smcx_qp_tell(qp, SMCX_TELL_ERROR);
	}
	spin_unlock_bh(&qp->lock);
	if (first && direct)
		qp->ops->error(qp);
}

bool smcx_slot_wake(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;

	lockdep_assert_held(&qp->lock);
	if (!qp->live || p->reg_holds)
		return false;
	if (!p->starved_llc && !(qp->starved && qp->nfree > SMCX_QP_LLC_SLOTS))
		return false;
	p->starved_llc = false;
	qp->starved = false;
	return true;
}

/* Back into the free list. Return: somebody was refused a slot and may have this one. */
static bool smcx_slot_release(struct smcx_slot *slot)
{
	struct smcx_qp *qp = slot->qp;

	lockdep_assert_held(&qp->lock);
	slot->done = NULL;
	slot->ctx = NULL;
	list_add(&slot->node, &qp->free);
	qp->nfree++;
	if (qp->priv->when_empty && (!qp->live || qp->nfree == SMCX_QP_SEND_SLOTS))
		qp->priv->when_empty(qp);
	return smcx_slot_wake(qp);
}

static void smcx_slot_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smcx_slot *slot = container_of(wc->wr_cqe, struct smcx_slot, cqe);
	bool ok = wc->status == IB_WC_SUCCESS;
	struct smcx_qp *qp = slot->qp;
	bool wake;

	spin_lock_bh(&qp->lock);
	if (qp->priv->dead || !slot->posted) {
		spin_unlock_bh(&qp->lock);
		return;
	}
	slot->posted = false;
	spin_unlock_bh(&qp->lock);

	if (slot->done)
		slot->done(slot, ok);
	if (ok && !qp->is_acked) {
		WRITE_ONCE(qp->is_acked, true);
		qp->ops->acked(qp);
	}

	spin_lock_bh(&qp->lock);
	wake = smcx_slot_release(slot);
	spin_unlock_bh(&qp->lock);
	if (!ok)
		smcx_qp_fail(qp, true);
	else if (wake)
		qp->ops->slot_free(qp);
}

/* writes are unsignalled: this is a failure, its SEND follows with a flush error */
static void smcx_write_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smcx_qp_priv *p = container_of(wc->wr_cqe, struct smcx_qp_priv, write_cqe);

	if (wc->status != IB_WC_SUCCESS)
		smcx_qp_fail(p->qp, true);
}

bool smcx_slot_ask(struct smcx_qp *qp)
{
	bool has;

	spin_lock_bh(&qp->lock);
	has = qp->live && !qp->priv->reg_holds && qp->nfree > SMCX_QP_LLC_SLOTS;
	if (!has)
		qp->starved = true;
	spin_unlock_bh(&qp->lock);
	return has;
}

struct smcx_slot *smcx_slot_get(struct smcx_qp *qp, bool llc)
{
	struct smcx_slot *slot = NULL;

	spin_lock_bh(&qp->lock);
	if (!qp->live)
		goto out;
	if (!qp->priv->reg_holds && qp->nfree > (llc ? 0 : SMCX_QP_LLC_SLOTS)) {
		slot = list_first_entry(&qp->free, struct smcx_slot, node);
		list_del_init(&slot->node);
		qp->nfree--;
	} else if (llc) {
		qp->priv->starved_llc = true;
	} else {
		qp->starved = true;
	}
out:
	spin_unlock_bh(&qp->lock);
	return slot;
}

void smcx_slot_put(struct smcx_slot *slot)
{
	struct smcx_qp *qp = slot->qp;

	spin_lock_bh(&qp->lock);
	if (smcx_slot_release(slot))
		smcx_qp_tell(qp, SMCX_TELL_SLOT);
	spin_unlock_bh(&qp->lock);
}

static void smcx_write_fill(struct smcx_qp *qp, struct smcx_write *w,
			    struct ib_rdma_wr *wr)
{
	int i;

	for (i = 0; i < w->nsge; i++)
		w->sge[i].lkey = qp->priv->pd->local_dma_lkey;
	*wr = (struct ib_rdma_wr) {
		.wr.wr_cqe	= &qp->priv->write_cqe,
		.wr.sg_list	= w->sge,
		.wr.num_sge	= w->nsge,
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.remote_addr	= w->raddr,
		.rkey		= w->rkey,
	};
}

/*
 * One doorbell for all. Return: 0 or verbs error. If the chain broke in the
 * middle the writes already posted keep the buffers busy, so the slot stays
 * posted and ends with the QP.
 */
static int smcx_slot_send(struct smcx_slot *slot, struct smcx_write *w, int nw,
			  const struct ib_sge *data, int n)
{
	struct smcx_qp *qp = slot->qp;
	struct ib_rdma_wr wr[SMCX_QP_MAX_WRITES];
	u32 lkey = qp->priv->pd->local_dma_lkey;
	struct ib_sge sge[SMCX_QP_WRITE_SGES] = {
		{ .addr = slot->dma, .length = SMCX_MSG_LEN, .lkey = lkey },
	};
	struct ib_send_wr send = {
		.wr_cqe		= &slot->cqe,
		.sg_list	= sge,
		.num_sge	= 1 + n,
		.opcode		= IB_WR_SEND,
		.send_flags	= IB_SEND_SIGNALED | IB_SEND_SOLICITED,
	};
	const struct ib_send_wr *bad = NULL;
	struct ib_send_wr *first = &send;
	int i, rc;

	lockdep_assert_held(&qp->lock);
	for (i = 0; i < n; i++) {
		sge[1 + i] = data[i];
		sge[1 + i].lkey = lkey;
	}
	for (i = nw - 1; i >= 0; i--) {
		smcx_write_fill(qp, &w[i], &wr[i]);
		wr[i].wr.next = first;
		first = &wr[i].wr;
	}
	ib_dma_sync_single_for_device(qp->dev->ibdev, slot->dma, SMCX_MSG_LEN,
				      DMA_TO_DEVICE);
	slot->posted = true;
	rc = ib_post_send(qp->priv->ibqp, first, &bad);
	if (!rc)
		return 0;
	slot->posted = bad && bad != first;
	return rc;
}

static int smcx_slot_post(struct smcx_slot *slot, struct smcx_write *w, int nw,
			  const struct ib_sge *data, int n)
{
	struct smcx_qp *qp = slot->qp;
	bool broken = false;
	int rc = -ENOTCONN;

	if (WARN_ON_ONCE(nw > SMCX_QP_MAX_WRITES || n >= qp->max_sge)) {
		smcx_slot_put(slot);
		return -EINVAL;
	}
	spin_lock_bh(&qp->lock);
	if (qp->live) {
		rc = smcx_slot_send(slot, w, nw, data, n);
		broken = rc;
		/* no message may follow a write that is missing */
		qp->live = !broken;
		if (slot->posted)
			rc = 0;
	}
	if (rc && smcx_slot_release(slot))
		smcx_qp_tell(qp, SMCX_TELL_SLOT);
	spin_unlock_bh(&qp->lock);
	if (broken)
		smcx_qp_fail(qp, false);
	return rc;
}

int smcx_qp_post(struct smcx_slot *slot, struct smcx_write *w, int nw)
{
	return smcx_slot_post(slot, w, nw, NULL, 0);
}

int smcx_qp_post_data(struct smcx_slot *slot, struct ib_sge *data, int n)
{
	return smcx_slot_post(slot, NULL, 0, data, n);
}

void smcx_slots_abort(struct smcx_qp *qp)
{
	struct smcx_slot *slot;
	int i;

	for (i = 0; qp->priv->slots && i < SMCX_QP_SEND_SLOTS; i++) {
		slot = &qp->priv->slots[i];
		if (!slot->posted)
			continue;
		slot->posted = false;
		local_bh_disable();
		if (slot->done)
			slot->done(slot, false);
		spin_lock(&qp->lock);
		smcx_slot_release(slot);
		spin_unlock(&qp->lock);
		local_bh_enable();
	}
}

int smcx_slots_alloc(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	struct smcx_slot *slot;
	int i;

	INIT_WORK(&p->tell_work, smcx_qp_tell_work);
	p->slots = kcalloc(SMCX_QP_SEND_SLOTS, sizeof(*p->slots), GFP_KERNEL);
	p->slot_mem = kcalloc(SMCX_QP_SEND_SLOTS, SMCX_MSG_LEN, GFP_KERNEL);
	if (!p->slots || !p->slot_mem)
		return -ENOMEM;
	for (i = 0; i < SMCX_QP_SEND_SLOTS; i++) {
		slot = &p->slots[i];
		slot->cqe.done = smcx_slot_done;
		slot->qp = qp;
		slot->msg = p->slot_mem + i * SMCX_MSG_LEN;
		list_add_tail(&slot->node, &qp->free);
	}
	qp->nfree = SMCX_QP_SEND_SLOTS;
	p->write_cqe.done = smcx_write_done;
	return 0;
}

void smcx_slots_free(struct smcx_qp *qp)
{
	kfree(qp->priv->slots);
	kfree(qp->priv->slot_mem);
}

int smcx_slots_map(struct smcx_qp *qp)
{
	struct ib_device *ibdev = qp->dev->ibdev;
	struct smcx_qp_priv *p = qp->priv;
	u64 dma;
	int i;

	dma = ib_dma_map_single(ibdev, p->slot_mem,
				SMCX_QP_SEND_SLOTS * SMCX_MSG_LEN, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(ibdev, dma))
		return -EIO;
	p->slot_dma = dma;
	for (i = 0; i < SMCX_QP_SEND_SLOTS; i++)
		p->slots[i].dma = dma + i * SMCX_MSG_LEN;
	return 0;
}

void smcx_slots_unmap(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;

	if (!p->slot_dma)
		return;
	ib_dma_unmap_single(qp->dev->ibdev, p->slot_dma,
			    SMCX_QP_SEND_SLOTS * SMCX_MSG_LEN, DMA_TO_DEVICE);
	p->slot_dma = 0;
}
