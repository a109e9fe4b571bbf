// SPDX-License-Identifier: GPL-2.0
/* Registered receive memory, see DOC in region.h and protocol.rst 3.3 */

#include <linux/dma-mapping.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/vmalloc.h>

#include "priv.h"

#define SMCX_REG_WAIT	(5 * HZ)	/* protocol.rst 3.2 */
#define SMCX_REG_FLUSH	(2 * HZ)	/* for a registration on a fenced QP */

static void smcx_region_settle(struct smcx_region *r, int state)
{
	lockdep_assert_held(&r->qp->lock);
	r->state = state;
	complete_all(&r->registered);
}

/* The registration is over, or will not be. */
static void smcx_reg_release(struct smcx_reg *reg)
{
	lockdep_assert_held(&reg->qp->lock);
	if (reg->alone)
		reg->qp->priv->reg_holds--;
	reg->alone = false;
	reg->region = NULL;
	reg->busy = false;
}

static void smcx_reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smcx_reg *reg = container_of(wc->wr_cqe, struct smcx_reg, cqe);
	bool ok = wc->status == IB_WC_SUCCESS;
	struct smcx_qp *qp = reg->qp;
	bool wake;

	spin_lock_bh(&qp->lock);
	if (qp->priv->dead) {
		spin_unlock_bh(&qp->lock);
		return;
	}
	if (reg->region)
		smcx_region_settle(reg->region, ok ? SMCX_REGION_READY :
						     SMCX_REGION_FAILED);
	smcx_reg_release(reg);
	wake = ok && smcx_slot_wake(qp);
	spin_unlock_bh(&qp->lock);
	if (!ok)
		smcx_qp_fail(qp, true);
	else if (wake)
		qp->ops->slot_free(qp);
}

void smcx_regions_init(struct smcx_qp *qp)
{
	int i;

	INIT_LIST_HEAD(&qp->priv->regions);
	for (i = 0; i < SMCX_QP_REG_WRS; i++) {
		qp->priv->regs[i].cqe.done = smcx_reg_done;
		qp->priv->regs[i].qp = qp;
	}
}

/* Bounce buffers (swiotlb) have an upper size. */
static unsigned int smcx_region_max_seg(struct ib_device *ibdev)
{
	unsigned int max = ib_dma_max_seg_size(ibdev);

	if (ib_uses_virt_dma(ibdev))
		return max;
	return min_t(size_t, max, dma_max_mapping_size(ibdev->dma_device));
}

static int smcx_region_build_sgt(struct smcx_region *r, struct sg_table *sgt)
{
	unsigned int max_seg = smcx_region_max_seg(r->qp->dev->ibdev);
	unsigned int i, n = r->size >> PAGE_SHIFT;
	struct page **pages;
	int rc;

	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		pages[i] = vmalloc_to_page(r->base + i * PAGE_SIZE);
	rc = sg_alloc_table_from_pages_segment(sgt, pages, n, 0, r->size, max_seg, GFP_KERNEL);
	kvfree(pages);
	return rc;
}

/* A random key byte and address: what the peer learns of this host is nothing. */
static int smcx_region_map_mr(struct smcx_region *r)
{
	struct smcx_region_priv *rp = r->priv;
	struct ib_mr *mr;
	int n;

	mr = ib_alloc_mr(r->qp->priv->pd, IB_MR_TYPE_MEM_REG, r->size >> PAGE_SHIFT);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	n = ib_map_mr_sg(mr, rp->sgt.sgl, rp->sgt.nents, NULL, PAGE_SIZE);
	if (n != rp->sgt.nents || mr->length != r->size) {
		ib_dereg_mr(mr);
		return n < 0 ? n : -EIO;
	}
	ib_update_fast_reg_key(mr, get_random_u32());
	mr->iova = (get_random_u64() >> 17) & PAGE_MASK;
	rp->mr = mr;
	r->rkey = mr->rkey;
	r->addr = mr->iova;
	return 0;
}

/* priv->mutex keeps PD and device alive */
static int smcx_region_map(struct smcx_region *r)
{
	struct smcx_region_priv *rp = r->priv;
	struct ib_device *ibdev = r->qp->dev->ibdev;
	int rc;

	lockdep_assert_held(&r->qp->priv->mutex);
	if (r->qp->priv->state == SMCX_QP_NEW || r->qp->priv->state >= SMCX_QP_ERR)
		return -ENOTCONN;
	rc = smcx_region_build_sgt(r, &rp->sgt);
	if (rc)
		return rc;
	/* to the device, too: what is zeroed here must not live on in a bounce buffer */
	rc = ib_dma_map_sgtable_attrs(ibdev, &rp->sgt, DMA_BIDIRECTIONAL, 0);
	if (rc)
		return rc;
	rc = smcx_region_sync_init(r);
	if (!rc)
		rc = smcx_region_map_mr(r);
	if (rc) {
		ib_dma_unmap_sgtable_attrs(ibdev, &rp->sgt, DMA_BIDIRECTIONAL, 0);
		return rc;
	}
	list_add(&rp->node, &r->qp->priv->regions);
	return 0;
}

struct smcx_region *smcx_region_create(struct smcx_qp *qp, size_t size)
{
	struct smcx_region *r;
	int rc = -ENOMEM;

	size = PAGE_ALIGN(size);
	if (!size || size >> PAGE_SHIFT > qp->max_mr_pages)
		return ERR_PTR(-EINVAL);
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	r->qp = smcx_qp_hold(qp);
	r->size = size;
	r->state = SMCX_REGION_NEW;
	init_completion(&r->registered);
	r->priv = kzalloc(sizeof(*r->priv), GFP_KERNEL);
	r->base = vzalloc(size);
	if (!r->priv || !r->base)
		goto free;
	r->priv->region = r;
	INIT_LIST_HEAD(&r->priv->node);
	mutex_lock(&qp->priv->mutex);
	rc = smcx_region_map(r);
	mutex_unlock(&qp->priv->mutex);
	if (rc)
		goto free;
	return r;

free:
	smcx_region_destroy(r);
	return ERR_PTR(rc);
}

static struct smcx_reg *smcx_reg_get(struct smcx_qp *qp)
{
	int i;

	for (i = 0; i < SMCX_QP_REG_WRS; i++)
		if (!qp->priv->regs[i].busy)
			return &qp->priv->regs[i];
	return NULL;
}

static void smcx_reg_go(struct smcx_qp *qp);

static void smcx_reg_wait(struct smcx_qp *qp, struct smcx_reg *reg)
{
	lockdep_assert_held(&qp->lock);
	qp->priv->reg_waits = reg;
	qp->priv->when_empty = reg ? smcx_reg_go : NULL;
}

static int smcx_reg_post(struct smcx_reg *reg)
{
	struct smcx_region *r = reg->region;
	struct ib_reg_wr wr = {
		.wr.opcode	= IB_WR_REG_MR,
		.wr.wr_cqe	= &reg->cqe,
		.wr.send_flags	= IB_SEND_SIGNALED,
		.mr		= r->priv->mr,
		.key		= r->rkey,
		.access		= IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	lockdep_assert_held(&reg->qp->lock);
	return ib_post_send(reg->qp->priv->ibqp, &wr.wr, NULL);
}

/* The queue is empty, or the QP has ended: post the registration that waits for that, or give it up. */
static void smcx_reg_go(struct smcx_qp *qp)
{
	struct smcx_reg *reg = qp->priv->reg_waits;

	lockdep_assert_held(&qp->lock);
	smcx_reg_wait(qp, NULL);
	if (qp->live && !smcx_reg_post(reg))
		return;
	smcx_region_settle(reg->region, SMCX_REGION_FAILED);
	smcx_reg_release(reg);
}

int smcx_region_register(struct smcx_region *r, bool busy)
{
	struct smcx_qp *qp = r->qp;
	struct smcx_qp_priv *p = qp->priv;
	struct smcx_reg *reg;
	int rc = -ENOTCONN;

	spin_lock_bh(&qp->lock);
	if (!qp->live)
		goto out;
	rc = -EINVAL;
	if (r->state != SMCX_REGION_NEW)
		goto out;
	rc = -EBUSY;
	reg = smcx_reg_get(qp);
	if (!reg || p->reg_waits)
		goto out;
	reg->busy = true;
	reg->region = r;
	reg->alone = busy && qp->dev->ibdev->ops.driver_id == RDMA_DRIVER_RXE;
	p->reg_holds += reg->alone;
	rc = 0;
	if (reg->alone && qp->nfree < SMCX_QP_SEND_SLOTS)
		smcx_reg_wait(qp, reg);
	else
		rc = smcx_reg_post(reg);
	if (rc)
		smcx_reg_release(reg);
	else
		r->state = SMCX_REGION_POSTED;
out:
	spin_unlock_bh(&qp->lock);
	return rc;
}

int smcx_region_wait(struct smcx_region *r)
{
	if (!wait_for_completion_timeout(&r->registered, SMCX_REG_WAIT))
		return -ETIMEDOUT;
	return READ_ONCE(r->state) == SMCX_REGION_READY ? 0 : -EIO;
}

/* The hook of a registration that did not come back must not find the region any more. */
static void smcx_region_detach(struct smcx_region *r)
{
	struct smcx_qp *qp = r->qp;
	int i;

	spin_lock_bh(&qp->lock);
	for (i = 0; i < SMCX_QP_REG_WRS; i++) {
		struct smcx_reg *reg = &qp->priv->regs[i];

		if (reg->region != r)
			continue;
		reg->region = NULL;
		if (qp->priv->reg_waits == reg) {
			smcx_reg_wait(qp, NULL);
			smcx_reg_release(reg);
		}
	}
	smcx_region_settle(r, SMCX_REGION_DEAD);
	spin_unlock_bh(&qp->lock);
}

static void smcx_region_unmap_locked(struct smcx_region *r)
{
	struct smcx_region_priv *rp = r->priv;

	lockdep_assert_held(&r->qp->priv->mutex);
	if (!rp->mr)
		return;
	if (READ_ONCE(r->state) == SMCX_REGION_POSTED)
		wait_for_completion_timeout(&r->registered, SMCX_REG_FLUSH);
	/* readers stop fetching when it is DEAD, before the mapping is undone */
	smcx_region_sync_cpu(r, 0, r->size);
	smcx_region_detach(r);
	list_del_init(&rp->node);
	WARN_ON_ONCE(ib_dereg_mr(rp->mr));
	rp->mr = NULL;
	ib_dma_unmap_sgtable_attrs(r->qp->dev->ibdev, &rp->sgt, DMA_BIDIRECTIONAL, 0);
}

void smcx_regions_unmap(struct smcx_qp *qp)
{
	struct smcx_region_priv *rp, *next;

	lockdep_assert_held(&qp->priv->mutex);
	list_for_each_entry_safe(rp, next, &qp->priv->regions, node)
		smcx_region_unmap_locked(rp->region);
}

void smcx_region_unmap(struct smcx_region *r)
{
	mutex_lock(&r->qp->priv->mutex);
	smcx_region_unmap_locked(r);
	mutex_unlock(&r->qp->priv->mutex);
}

void smcx_region_destroy(struct smcx_region *r)
{
	if (!r)
		return;
	if (r->priv) {
		smcx_region_unmap(r);
		sg_free_table(&r->priv->sgt);
		kvfree(r->priv->dma);
	}
	vfree(r->base);
	kfree(r->priv);
	smcx_qp_put(r->qp);
	kfree(r);
}
