// SPDX-License-Identifier: GPL-2.0
/* Who has written to a region: device or CPU? See DOC in region.h */

#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>

#include "priv.h"

bool smcx_dev_is_coherent(const struct smcx_dev *dev)
{
	return ib_uses_virt_dma(dev->ibdev) || dev_is_dma_coherent(dev->ibdev->dma_device);
}

static bool smcx_region_needs_sync(const struct smcx_region *r)
{
	struct ib_device *ibdev = r->qp->dev->ibdev;
	struct scatterlist *sg;
	unsigned int i;

	if (ib_uses_virt_dma(ibdev))
		return false;
	for_each_sgtable_dma_sg(&r->priv->sgt, sg, i)
		if (dma_need_sync(ibdev->dma_device, sg_dma_address(sg)))
			return true;
	return false;
}

int smcx_region_sync_init(struct smcx_region *r)
{
	struct smcx_region_priv *rp = r->priv;
	struct sg_dma_page_iter iter;
	unsigned int n = 0;

	lockdep_assert_held(&r->qp->priv->mutex);
	r->sync = smcx_region_needs_sync(r);
	if (!r->sync)
		return 0;
	rp->dma = kvmalloc_array(r->size >> PAGE_SHIFT, sizeof(*rp->dma), GFP_KERNEL);
	if (!rp->dma)
		return -ENOMEM;
	for_each_sgtable_dma_page(&rp->sgt, &iter, 0)
		rp->dma[n++] = sg_page_iter_dma_address(&iter);
	return 0;
}

/*
 * Page by page: a bounce buffer knows its mappings, and neighbours in DMA addresses need not be of one.
 * qp->lock keeps the mapping: it is undone after @state has become DEAD under that lock.
 */
static void smcx_region_sync(struct smcx_region *r, size_t off, size_t len, bool to_cpu)
{
	struct ib_device *ibdev = r->qp->dev->ibdev;
	size_t part;
	u64 dma;

	spin_lock_bh(&r->qp->lock);
	for (; len && r->state != SMCX_REGION_DEAD; off += part, len -= part) {
		part = min_t(size_t, len, PAGE_SIZE - offset_in_page(off));
		dma = r->priv->dma[off >> PAGE_SHIFT] + offset_in_page(off);
		if (to_cpu)
			ib_dma_sync_single_for_cpu(ibdev, dma, part, DMA_BIDIRECTIONAL);
		else
			ib_dma_sync_single_for_device(ibdev, dma, part, DMA_BIDIRECTIONAL);
	}
	spin_unlock_bh(&r->qp->lock);
}

void smcx_region_sync_cpu(struct smcx_region *r, size_t off, size_t len)
{
	if (r->sync)
		smcx_region_sync(r, off, len, true);
}

void smcx_region_sync_device(struct smcx_region *r, size_t off, size_t len)
{
	if (r->sync)
		smcx_region_sync(r, off, len, false);
}
