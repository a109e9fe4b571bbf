// SPDX-License-Identifier: GPL-2.0
/* Queue pairs from birth to death, see DOC in qp.h and protocol.rst 3.1 */

#include <linux/etherdevice.h>
#include <linux/random.h>

#include "gid.h"
#include "priv.h"

#define SMCX_QP_DRAIN_WAIT	(2 * HZ)
#define SMCX_QP_MIN_RNR		5	/* 0.06 ms */
/*
 * 7 retries mean "for ever" on rxe, and in-tree smc's time-out of 2^15 * 4 us
 * would then end all connections of a group after a second without answers,
 * which TCP would survive. 2^17 * 4 us * (6 + 1) = 3.8 s.
 */
#define SMCX_QP_ACK_TIMEOUT	17
#define SMCX_QP_RETRIES		6
#define SMCX_QP_RNR_RETRIES	7

static void smcx_qp_release(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;

	if (WARN_ON_ONCE(p->state != SMCX_QP_STOPPED))
		return;
	smcx_slots_free(qp);
	smcx_recvs_free(qp);
	smcx_dev_put(qp->dev);
	kfree(p);
	kfree(qp);
}

static void smcx_drain_done(struct ib_cq *cq, struct ib_wc *wc)
{
	complete(&container_of(wc->wr_cqe, struct smcx_drain, cqe)->done);
}

static void smcx_drain_init(struct smcx_drain *drain)
{
	drain->cqe.done = smcx_drain_done;
	init_completion(&drain->done);
}

static struct smcx_qp *smcx_qp_alloc(const struct smcx_path *path)
{
	struct smcx_qp_priv *p;
	struct smcx_qp *qp;

	qp = kzalloc(sizeof(*qp), GFP_KERNEL);
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!qp || !p) {
		kfree(qp);
		kfree(p);
		return NULL;
	}
	refcount_set(&qp->ref, 1);
	qp->dev = smcx_dev_hold(path->dev);
	qp->port = path->port;
	spin_lock_init(&qp->lock);
	INIT_LIST_HEAD(&qp->free);
	qp->psn = get_random_u32() & 0xffffff;
	qp->release = smcx_qp_release;
	qp->priv = p;
	p->qp = qp;
	p->gid = path->gid;
	p->gid_index = path->gid_index;
	mutex_init(&p->mutex);
	INIT_LIST_HEAD(&p->node);
	INIT_LIST_HEAD(&p->grave);
	smcx_drain_init(&p->drain_send);
	smcx_drain_init(&p->drain_recv);
	smcx_regions_init(qp);
	return qp;
}

/* Some drivers call it in hard interrupt, where qp->lock must not be taken. */
static void smcx_qp_event(struct ib_event *ev, void *ctx)
{
	struct smcx_qp *qp = ctx;

	if (ev->event != IB_EVENT_QP_FATAL && ev->event != IB_EVENT_QP_REQ_ERR &&
	    ev->event != IB_EVENT_QP_ACCESS_ERR)
		return;
	set_bit(SMCX_TELL_EVENT, &qp->priv->tell);
	queue_work(system_wq, &qp->priv->tell_work);
}

static int smcx_qp_create_ibqp(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	struct ib_qp_init_attr attr = {
		.event_handler	= smcx_qp_event,
		.qp_context	= qp,
		.send_cq	= p->cq->cq,
		.recv_cq	= p->cq->cq,
		.cap = {
			.max_send_wr	= SMCX_QP_SEND_DEPTH,
			.max_recv_wr	= SMCX_QP_RECV_DEPTH,
			.max_send_sge	= qp->max_sge,
			.max_recv_sge	= 2,
		},
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
	};
	struct ib_qp *ibqp;

	ibqp = ib_create_qp(p->pd, &attr);
	if (IS_ERR(ibqp))
		return PTR_ERR(ibqp);
	p->ibqp = ibqp;
	qp->qpn = ibqp->qp_num;
	return 0;
}

static int smcx_qp_create_verbs(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	const struct ib_device_attr *attrs;
	struct ib_pd *pd;
	int rc;

	lockdep_assert_held(&p->mutex);
	rc = smcx_cq_join(qp);
	if (rc)
		return rc;
	attrs = &qp->dev->ibdev->attrs;
	qp->max_sge = min_t(unsigned int, SMCX_QP_WRITE_SGES, attrs->max_send_sge);
	qp->max_mr_pages = attrs->max_fast_reg_page_list_len;
	pd = ib_alloc_pd(qp->dev->ibdev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	p->pd = pd;
	rc = smcx_slots_map(qp);
	if (!rc)
		rc = smcx_recvs_map(qp);
	if (!rc)
		rc = smcx_qp_create_ibqp(qp);
	if (!rc)
		p->state = SMCX_QP_RESET;
	return rc;
}

struct smcx_qp *smcx_qp_create(const struct smcx_path *path,
			       const struct smcx_qp_ops *ops, void *owner)
{
	struct smcx_qp *qp;
	int rc;

	qp = smcx_qp_alloc(path);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->ops = ops;
	qp->owner = owner;
	rc = smcx_slots_alloc(qp);
	if (!rc)
		rc = smcx_recvs_alloc(qp);
	if (!rc) {
		mutex_lock(&qp->priv->mutex);
		rc = smcx_qp_create_verbs(qp);
		mutex_unlock(&qp->priv->mutex);
	}
	if (!rc)
		return qp;
	smcx_qp_stop(qp);
	smcx_qp_put(qp);
	return ERR_PTR(rc);
}

static int smcx_qp_to_init(struct smcx_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state	 = IB_QPS_INIT,
		.pkey_index	 = 0,
		.port_num	 = qp->port,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	return ib_modify_qp(qp->priv->ibqp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | IB_QP_ACCESS_FLAGS);
}

static int smcx_qp_to_rtr(struct smcx_qp *qp, const struct smcx_path *path,
			  const struct smcx_peer_path *peer)
{
	u8 hops = path->ver == SMCX_ROCE_V2 && peer->gateway ? 64 : 1;
	struct ib_qp_attr attr = {
		.qp_state		= IB_QPS_RTR,
		.path_mtu		= peer->mtu,
		.dest_qp_num		= peer->qpn,
		.rq_psn			= peer->psn,
		.max_dest_rd_atomic	= 1,
		.min_rnr_timer		= SMCX_QP_MIN_RNR,
	};

	attr.ah_attr.type = rdma_ah_find_type(qp->dev->ibdev, path->port);
	rdma_ah_set_port_num(&attr.ah_attr, path->port);
	rdma_ah_set_grh(&attr.ah_attr, (union ib_gid *)&peer->gid, 0,
			path->gid_index, hops, 0);
	ether_addr_copy(attr.ah_attr.roce.dmac, peer->mac);
	return ib_modify_qp(qp->priv->ibqp, &attr, IB_QP_STATE | IB_QP_AV |
			    IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			    IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
}

/* Receives are posted in INIT already: a quick peer must not meet an empty queue. */
int smcx_qp_connect_rtr(struct smcx_qp *qp, const struct smcx_path *path,
			const struct smcx_peer_path *peer)
{
	struct smcx_qp_priv *p = qp->priv;
	int rc = -ENOTCONN;

	if (peer->mtu < IB_MTU_256 || peer->mtu > IB_MTU_4096)
		return -EINVAL;
	mutex_lock(&p->mutex);
	if (p->state != SMCX_QP_RESET)
		goto out;
	rc = smcx_qp_to_init(qp);
	if (!rc)
		rc = smcx_recvs_post(qp);
	if (!rc)
		rc = smcx_qp_to_rtr(qp, path, peer);
	if (!rc)
		p->state = SMCX_QP_RTR;
out:
	mutex_unlock(&p->mutex);
	return rc;
}

int smcx_qp_connect_rts(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_RTS,
		.timeout	= SMCX_QP_ACK_TIMEOUT,
		.retry_cnt	= SMCX_QP_RETRIES,
		.rnr_retry	= SMCX_QP_RNR_RETRIES,
		.sq_psn		= qp->psn,
		.max_rd_atomic	= 1,
	};
	int rc = -ENOTCONN;

	mutex_lock(&p->mutex);
	if (p->state != SMCX_QP_RTR)
		goto out;
	rc = ib_modify_qp(p->ibqp, &attr, IB_QP_STATE | IB_QP_TIMEOUT |
			  IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
			  IB_QP_MAX_QP_RD_ATOMIC);
	if (rc)
		goto out;
	p->state = SMCX_QP_RTS;
	p->tx_posted = true;
	spin_lock_bh(&qp->lock);
	qp->live = !p->failed;
	spin_unlock_bh(&qp->lock);
out:
	mutex_unlock(&p->mutex);
	return rc;
}

static void smcx_qp_fence_locked(struct smcx_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct smcx_qp_priv *p = qp->priv;

	lockdep_assert_held(&p->mutex);
	if (p->state >= SMCX_QP_ERR)
		return;
	spin_lock_bh(&qp->lock);
	qp->live = false;
	p->rx_live = false;
	p->fenced = true;
	spin_unlock_bh(&qp->lock);
	/* a QP that refuses is found by the drain's time-out */
	if (p->rx_posted)
		ib_modify_qp(p->ibqp, &attr, IB_QP_STATE);
	p->state = SMCX_QP_ERR;
}

void smcx_qp_fence(struct smcx_qp *qp)
{
	mutex_lock(&qp->priv->mutex);
	smcx_qp_fence_locked(qp);
	mutex_unlock(&qp->priv->mutex);
}

/*
 * A marker behind everything else in each queue; completions of a queue come in
 * order and one CQ is polled by one CPU at a time, so after both markers no
 * handler of this QP runs or will run.
 */
static bool smcx_qp_drain(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	struct ib_rdma_wr swr = {
		.wr.wr_cqe	= &p->drain_send.cqe,
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.wr.send_flags	= IB_SEND_SIGNALED,
	};
	struct ib_recv_wr rwr = { .wr_cqe = &p->drain_recv.cqe };
	unsigned long left = SMCX_QP_DRAIN_WAIT;

	lockdep_assert_held(&p->mutex);
	if (p->rx_posted && ib_post_recv(p->ibqp, &rwr, NULL))
		return false;
	if (p->tx_posted && ib_post_send(p->ibqp, &swr.wr, NULL))
		return false;
	if (p->rx_posted)
		left = wait_for_completion_timeout(&p->drain_recv.done, left);
	if (left && p->tx_posted)
		left = wait_for_completion_timeout(&p->drain_send.done, left);
	return left;
}

static void smcx_qp_destroy_verbs(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;

	if (p->ibqp)
		WARN_ON_ONCE(ib_destroy_qp(p->ibqp));
	p->ibqp = NULL;
	smcx_slots_unmap(qp);
	smcx_recvs_unmap(qp);
	if (p->pd)
		ib_dealloc_pd(p->pd);
	p->pd = NULL;
}

/* Completions that still come must find @dead set; those that did not see it must have returned. */
static void smcx_qp_abandon(struct smcx_qp *qp)
{
	spin_lock_bh(&qp->lock);
	qp->priv->dead = true;
	spin_unlock_bh(&qp->lock);
	synchronize_rcu();
	pr_warn_ratelimited("smcx: %s: QP %u did not flush\n",
			    dev_name(&qp->dev->ibdev->dev), qp->qpn);
}

void smcx_qp_stop(struct smcx_qp *qp)
{
	struct smcx_qp_priv *p = qp->priv;
	bool clean;

	mutex_lock(&p->mutex);
	if (p->state == SMCX_QP_STOPPED)
		goto out;
	smcx_qp_fence_locked(qp);
	smcx_regions_unmap(qp);
	clean = smcx_qp_drain(qp);
	if (!clean)
		smcx_qp_abandon(qp);
	smcx_qp_destroy_verbs(qp);
	/* no event queues it any more */
	cancel_work_sync(&p->tell_work);
	smcx_slots_abort(qp);
	smcx_cq_leave(qp, clean);
	p->state = SMCX_QP_STOPPED;
out:
	mutex_unlock(&p->mutex);
}

/* Return: referenced QP or NULL if there is none left */
static struct smcx_qp *smcx_qps_first(struct smcx_dev *dev)
{
	struct smcx_qp_priv *p;
	struct smcx_qp *qp = NULL;

	mutex_lock(&dev->cq_lock);
	p = list_first_entry_or_null(&dev->qps, struct smcx_qp_priv, node);
	if (p)
		qp = smcx_qp_hold(p->qp);
	mutex_unlock(&dev->cq_lock);
	return qp;
}

void smcx_qps_stop(struct smcx_dev *dev)
{
	struct smcx_qp *qp;

	while ((qp = smcx_qps_first(dev))) {
		local_bh_disable();
		smcx_qp_fail(qp, true);
		local_bh_enable();
		smcx_qp_stop(qp);
		smcx_qp_put(qp);
	}
}

void smcx_qps_check_gids(struct smcx_dev *dev)
{
	struct smcx_qp_priv *p;

	mutex_lock(&dev->cq_lock);
	list_for_each_entry(p, &dev->qps, node)
		if (!smcx_gid_is(dev->ibdev, p->qp->port, p->gid_index, &p->gid))
			smcx_qp_fail(p->qp, false);
	mutex_unlock(&dev->cq_lock);
}
