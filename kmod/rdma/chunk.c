// SPDX-License-Identifier: GPL-2.0
/* Send memory: chunks mapped once and recycled, see DOC in region.h */

#include <linux/gfp.h>
#include <linux/mm.h>

#include "priv.h"

#define SMCX_CHUNK_ORDER	get_order(16384)
#define SMCX_CHUNKS_FREE_MAX	128	/* 2 MiB of mapped memory a device keeps */

static struct smcx_chunk *smcx_chunk_alloc(struct smcx_dev *dev, gfp_t gfp)
{
	unsigned int order = SMCX_CHUNK_ORDER;
	struct smcx_chunk *c;

	c = kzalloc(sizeof(*c), gfp);
	if (!c)
		return NULL;
	c->data = (void *)__get_free_pages(gfp | __GFP_NOWARN | __GFP_NORETRY, order);
	if (!c->data) {
		order = 0;
		c->data = (void *)__get_free_pages(gfp | __GFP_NOWARN, order);
	}
	if (!c->data)
		goto free;
	c->size = PAGE_SIZE << order;
	c->dma = ib_dma_map_single(dev->ibdev, c->data, c->size, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(dev->ibdev, c->dma))
		goto free_pages;
	return c;

free_pages:
	free_pages((unsigned long)c->data, order);
free:
	kfree(c);
	return NULL;
}

/* The mapping can be undone only while the ib_device lives, hence @chunk_lock and @dead. */
static void smcx_chunk_unmap(struct smcx_dev *dev, struct smcx_chunk *c)
{
	lockdep_assert_held(&dev->chunk_lock);
	if (!dev->dead)
		ib_dma_unmap_single(dev->ibdev, c->dma, c->size, DMA_TO_DEVICE);
	if (atomic_dec_and_test(&dev->nchunks) && dev->gone)
		wake_up(&dev->idle);
}

static void smcx_chunk_free(struct smcx_chunk *c)
{
	free_pages((unsigned long)c->data, get_order(c->size));
	kfree(c);
}

struct smcx_chunk *smcx_chunk_get(struct smcx_dev *dev, gfp_t gfp)
{
	struct smcx_chunk *c;

	spin_lock_bh(&dev->chunk_lock);
	if (dev->gone) {
		spin_unlock_bh(&dev->chunk_lock);
		return NULL;
	}
	c = list_first_entry_or_null(&dev->chunks, struct smcx_chunk, node);
	if (c) {
		list_del_init(&c->node);
		dev->nchunks_free--;
	} else {
		/* counted before it exists: removal waits for the mapping below */
		atomic_inc(&dev->nchunks);
	}
	spin_unlock_bh(&dev->chunk_lock);

	if (!c)
		c = smcx_chunk_alloc(dev, gfp);
	if (!c) {
		if (atomic_dec_and_test(&dev->nchunks))
			wake_up(&dev->idle);
		return NULL;
	}
	INIT_LIST_HEAD(&c->node);
	c->off = 0;
	c->len = 0;
	c->dev = smcx_dev_hold(dev);
	return c;
}

void smcx_chunk_put(struct smcx_chunk *c)
{
	struct smcx_dev *dev = c->dev;
	bool keep;

	c->dev = NULL;
	spin_lock_bh(&dev->chunk_lock);
	keep = !dev->gone && dev->nchunks_free < SMCX_CHUNKS_FREE_MAX;
	if (keep) {
		list_add(&c->node, &dev->chunks);
		dev->nchunks_free++;
	} else {
		smcx_chunk_unmap(dev, c);
	}
	spin_unlock_bh(&dev->chunk_lock);
	if (!keep)
		smcx_chunk_free(c);
	smcx_dev_put(dev);
}

void smcx_chunks_exit(struct smcx_dev *dev)
{
	struct smcx_chunk *c, *next;
	LIST_HEAD(list);

	spin_lock_bh(&dev->chunk_lock);
	list_splice_init(&dev->chunks, &list);
	dev->nchunks_free = 0;
	list_for_each_entry(c, &list, node)
		smcx_chunk_unmap(dev, c);
	spin_unlock_bh(&dev->chunk_lock);
	list_for_each_entry_safe(c, next, &list, node)
		smcx_chunk_free(c);

	if (!wait_event_timeout(dev->idle, !atomic_read(&dev->nchunks), 5 * HZ))
		pr_warn("smcx: %s removed with %d send buffers in use\n",
			dev_name(&dev->ibdev->dev), atomic_read(&dev->nchunks));
	spin_lock_bh(&dev->chunk_lock);
	dev->dead = true;
	spin_unlock_bh(&dev->chunk_lock);
}
