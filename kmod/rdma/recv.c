// SPDX-License-Identifier: GPL-2.0
/* Receives: posted in advance, reposted as soon as their message has been looked at */

#include "priv.h"

static int smcx_recv_post(struct smcx_recv *rv)
{
	struct smcx_qp *qp = rv->qp;
	u32 lkey = qp->priv->pd->local_dma_lkey;
	struct ib_sge sge[2] = {
		{ .addr = rv->dma, .length = SMCX_RECV_LEN, .lkey = lkey },
		{ .addr = qp->dev->spill_dma,
		  .length = SMCX_SPILL_LEN - SMCX_RECV_LEN, .lkey = lkey },
	};
	struct ib_recv_wr wr = {
		.wr_cqe		= &rv->cqe,
		.sg_list	= sge,
		.num_sge	= ARRAY_SIZE(sge),
	};

	lockdep_assert_held(&qp->lock);
	ib_dma_sync_single_for_device(qp->dev->ibdev, rv->dma, SMCX_RECV_LEN,
				      DMA_FROM_DEVICE);
	return ib_post_recv(qp->priv->ibqp, &wr, NULL);
}

static int smcx_recv_again(struct smcx_recv *rv)
{
	struct smcx_qp_priv *p = rv->qp->priv;

	return p->rx_live && !p->dead ? smcx_recv_post(rv) : 0;
}

static void smcx_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smcx_recv *rv = container_of(wc->wr_cqe, struct smcx_recv, cqe);
	struct smcx_qp *qp = rv->qp;
	u8 msg[SMCX_MSG_LEN] __aligned(8);
	bool brief = wc->byte_len <= SMCX_MSG_LEN;
	int rc = 0;

	if (wc->status != IB_WC_SUCCESS) {
		smcx_qp_fail(qp, true);
		return;
	}
	/*
	 * The repost comes first, or a peer with many messages under way meets
	 * an empty queue and backs off for a whole tick. So the message is copied,
	 * unless it brings data.
	 */
	spin_lock_bh(&qp->lock);
	if (qp->priv->dead) {
		spin_unlock_bh(&qp->lock);
		return;
	}
	ib_dma_sync_single_for_cpu(qp->dev->ibdev, rv->dma,
				   min_t(u32, wc->byte_len, SMCX_RECV_LEN), DMA_FROM_DEVICE);
	if (brief) {
		memcpy(msg, rv->buf, SMCX_MSG_LEN);
		rc = smcx_recv_again(rv);
	}
	spin_unlock_bh(&qp->lock);

	rcu_read_lock();
	qp->ops->recv(qp, brief ? msg : rv->buf, wc->byte_len);
	rcu_read_unlock();
	if (!brief) {
		spin_lock_bh(&qp->lock);
		rc = smcx_recv_again(rv);
		spin_unlock_bh(&qp->lock);
	}
	if (rc)
		smcx_qp_fail(qp, true);
}

int smcx_recvs_post(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	int i, rc = 0;

	lockdep_assert_held(&p->mutex);
	p->rx_posted = true;
	spin_lock_bh(&qp->lock);
	p->rx_live = true;
	for (i = 0; i < SMCX_QP_RECV_WRS && !rc; i++)
		rc = smcx_recv_post(&p->recvs[i]);
	spin_unlock_bh(&qp->lock);
	return rc;
}

#define SMCX_RECV_PER_PAGE	(PAGE_SIZE / SMCX_RECV_LEN)

/* The first of those that share a page has it. */
static bool smcx_recv_owns_page(int i)
{
	return i % SMCX_RECV_PER_PAGE == 0;
}

int smcx_recvs_alloc(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	struct smcx_recv *rv;
	int i;

	p->recvs = kcalloc(SMCX_QP_RECV_WRS, sizeof(*p->recvs), GFP_KERNEL);
	if (!p->recvs)
		return -ENOMEM;
	for (i = 0; i < SMCX_QP_RECV_WRS; i++) {
		rv = &p->recvs[i];
		rv->cqe.done = smcx_recv_done;
		rv->qp = qp;
		rv->buf = smcx_recv_owns_page(i) ? (u8 *)get_zeroed_page(GFP_KERNEL) :
						   rv[-1].buf + SMCX_RECV_LEN;
		if (!rv->buf)
			return -ENOMEM;
	}
	return 0;
}

void smcx_recvs_free(struct smcx_qp *qp)
{
	struct smcx_recv *recvs = qp->priv->recvs;
	int i;

	for (i = 0; recvs && i < SMCX_QP_RECV_WRS; i++)
		if (smcx_recv_owns_page(i))
			free_page((unsigned long)recvs[i].buf);
	kfree(recvs);
}

int smcx_recvs_map(struct smcx_qp *qp)
{
	struct ib_device *ibdev = qp->dev->ibdev;
	struct smcx_qp_priv *p = qp->priv;
	struct smcx_recv *rv;
	u64 dma;
	int i;

	for (i = 0; i < SMCX_QP_RECV_WRS; i++) {
		rv = &p->recvs[i];
		if (!smcx_recv_owns_page(i)) {
			rv->dma = rv[-1].dma + SMCX_RECV_LEN;
			continue;
		}
		dma = ib_dma_map_single(ibdev, rv->buf, PAGE_SIZE, DMA_FROM_DEVICE);
		if (ib_dma_mapping_error(ibdev, dma))
			return -EIO;
		rv->dma = dma;
		rv->mapped = true;
	}
	return 0;
}

void smcx_recvs_unmap(struct smcx_qp *qp)
{
	struct smcx_recv *recvs = qp->priv->recvs;
	struct smcx_recv *rv;
	int i;

	for (i = 0; recvs && i < SMCX_QP_RECV_WRS; i++) {
		rv = &recvs[i];
		if (rv->mapped)
			ib_dma_unmap_single(qp->dev->ibdev, rv->dma, PAGE_SIZE,
					    DMA_FROM_DEVICE);
		rv->mapped = false;
	}
}
