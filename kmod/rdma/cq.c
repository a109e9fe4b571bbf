// SPDX-License-Identifier: GPL-2.0
/* Completion queues: small ones, shared, added as QPs need room (big ones cost milliseconds to make) */

#include "priv.h"

static struct smcx_cq *smcx_cq_create(struct smcx_dev *dev)
{
	struct ib_device *ibdev = dev->ibdev;
	int cqes = min(SMCX_CQ_CQES, ibdev->attrs.max_cqe);
	struct smcx_cq *scq;
	struct ib_cq *cq;

	lockdep_assert_held(&dev->cq_lock);
	if (cqes < SMCX_QP_CQES)
		return ERR_PTR(-EOPNOTSUPP);
	scq = kzalloc(sizeof(*scq), GFP_KERNEL);
	if (!scq)
		return ERR_PTR(-ENOMEM);
	cq = ib_alloc_cq(ibdev, scq, cqes, dev->ncqs % ibdev->num_comp_vectors,
			 IB_POLL_SOFTIRQ);
	if (IS_ERR(cq)) {
		kfree(scq);
		return ERR_CAST(cq);
	}
	scq->cq = cq;
	scq->room = cqes;
	INIT_LIST_HEAD(&scq->graves);
	list_add_tail(&scq->node, &dev->cqs);
	dev->ncqs++;
	return scq;
}

/* QPs spread over the CQs that exist would need more softirqs; fill one after the other */
static struct smcx_cq *smcx_cq_find(struct smcx_dev *dev)
{
	struct smcx_cq *scq;

	lockdep_assert_held(&dev->cq_lock);
	list_for_each_entry(scq, &dev->cqs, node)
		if (scq->room >= SMCX_QP_CQES)
			return scq;
	return smcx_cq_create(dev);
}

int smcx_cq_join(struct smcx_qp *qp)
{
	struct smcx_dev *dev = qp->dev;
	struct smcx_cq *scq;
	int rc = -ENODEV;

	mutex_lock(&dev->cq_lock);
	if (dev->gone)
		goto out;
	scq = smcx_cq_find(dev);
	rc = PTR_ERR_OR_ZERO(scq);
	if (rc)
		goto out;
	scq->room -= SMCX_QP_CQES;
	qp->priv->cq = scq;
	list_add_tail(&qp->priv->node, &dev->qps);
	atomic_inc(&dev->lnk_cnt_by_port[qp->port - 1]);
out:
	mutex_unlock(&dev->cq_lock);
	return rc;
}

void smcx_cq_leave(struct smcx_qp *qp, bool clean)
{
	struct smcx_qp_priv *p = qp->priv;
	struct smcx_dev *dev = qp->dev;

	if (!p->cq)
		return;
	mutex_lock(&dev->cq_lock);
	if (clean)
		p->cq->room += SMCX_QP_CQES;
	else
		list_add(&smcx_qp_hold(qp)->priv->grave, &p->cq->graves);
	list_del_init(&p->node);
	p->cq = NULL;
	atomic_dec(&dev->lnk_cnt_by_port[qp->port - 1]);
	mutex_unlock(&dev->cq_lock);
}

int smcx_cqs_init(struct smcx_dev *dev)
{
	struct smcx_cq *scq;

	mutex_lock(&dev->cq_lock);
	scq = smcx_cq_create(dev);
	mutex_unlock(&dev->cq_lock);
	return PTR_ERR_OR_ZERO(scq);
}

void smcx_cqs_exit(struct smcx_dev *dev)
{
	struct smcx_qp_priv *p, *pnext;
	struct smcx_cq *scq, *next;

	mutex_lock(&dev->cq_lock);
	list_for_each_entry_safe(scq, next, &dev->cqs, node) {
		list_del(&scq->node);
		ib_free_cq(scq->cq);
		list_for_each_entry_safe(p, pnext, &scq->graves, grave) {
			list_del_init(&p->grave);
			smcx_qp_put(p->qp);
		}
		kfree(scq);
	}
	mutex_unlock(&dev->cq_lock);
}
