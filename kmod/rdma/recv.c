// SPDX-License-Identifier: GPL-2.0
/* Receives: posted in advance, reposted before their message is handed up */

#include "priv.h"

static int smcx_recv_post(struct smcx_recv *rv)
{
	struct smcx_qp *qp = rv->qp;
	u32 lkey = qp->priv->pd->local_dma_lkey;
	struct ib_sge sge[2] = {
		{ .addr = rv->dma, .length = SMCX_MSG_LEN, .lkey = lkey },
		{ .addr = qp->dev->spill_dma,
		  .length = SMCX_SPILL_LEN - SMCX_MSG_LEN, .lkey = lkey },
	};
	struct ib_recv_wr wr = {
		.wr_cqe		= &rv->cqe,
		.sg_list	= sge,
		.num_sge	= ARRAY_SIZE(sge),
	};

	lockdep_assert_held(&qp->lock);
	ib_dma_sync_single_for_device(qp->dev->ibdev, rv->dma, SMCX_MSG_LEN,
				      DMA_FROM_DEVICE);
	return ib_post_recv(qp->priv->ibqp, &wr, NULL);
}

static void smcx_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smcx_recv *rv = container_of(wc->wr_cqe, struct smcx_recv, cqe);
	struct smcx_qp *qp = rv->qp;
	u8 msg[SMCX_MSG_LEN] __aligned(8);
	int rc = 0;

	if (wc->status != IB_WC_SUCCESS) {
		smcx_qp_fail(qp, true);
		return;
	}
	/*
	 * The repost comes first, or a peer with many messages under way meets
	 * an empty queue and backs off for a whole tick. So the message is copied.
	 */
	spin_lock_bh(&qp->lock);
	if (qp->priv->dead) {
		spin_unlock_bh(&qp->lock);
		return;
	}
	ib_dma_sync_single_for_cpu(qp->dev->ibdev, rv->dma, SMCX_MSG_LEN,
				   DMA_FROM_DEVICE);
	memcpy(msg, rv->buf, SMCX_MSG_LEN);
	if (qp->priv->rx_live)
		rc = smcx_recv_post(rv);
	spin_unlock_bh(&qp->lock);

	rcu_read_lock();
	qp->ops->recv(qp, msg, wc->byte_len);
	rcu_read_unlock();
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

int smcx_recvs_alloc(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	struct smcx_recv *rv;
	int i;

	p->recvs = kcalloc(SMCX_QP_RECV_WRS, sizeof(*p->recvs), GFP_KERNEL);
	p->recv_mem = kcalloc(SMCX_QP_RECV_WRS, SMCX_MSG_LEN, GFP_KERNEL);
	if (!p->recvs || !p->recv_mem)
		return -ENOMEM;
	for (i = 0; i < SMCX_QP_RECV_WRS; i++) {
		rv = &p->recvs[i];
		rv->cqe.done = smcx_recv_done;
		rv->qp = qp;
		rv->buf = p->recv_mem + i * SMCX_MSG_LEN;
	}
	return 0;
}

void smcx_recvs_free(struct smcx_qp *qp)
{
	kfree(qp->priv->recvs);
	kfree(qp->priv->recv_mem);
}

int smcx_recvs_map(struct smcx_qp *qp)
{
	struct ib_device *ibdev = qp->dev->ibdev;
	struct smcx_qp_priv *p = qp->priv;
	u64 dma;
	int i;

	dma = ib_dma_map_single(ibdev, p->recv_mem,
				SMCX_QP_RECV_WRS * SMCX_MSG_LEN, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(ibdev, dma))
		return -EIO;
	p->recv_dma = dma;
	for (i = 0; i < SMCX_QP_RECV_WRS; i++)
		p->recvs[i].dma = dma + i * SMCX_MSG_LEN;
	return 0;
}

void smcx_recvs_unmap(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;

	if (!p->recv_dma)
		return;
	ib_dma_unmap_single(qp->dev->ibdev, p->recv_dma,
			    SMCX_QP_RECV_WRS * SMCX_MSG_LEN, DMA_FROM_DEVICE);
	p->recv_dma = 0;
}
