/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_REGION_H
#define SMCX_RDMA_REGION_H

#include <linux/completion.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "qp.h"

/**
 * DOC: Memory the peer may write, memory we send from
 *
 * A region is virtually contiguous, zeroed memory (no high-order pages needed), mapped
 * for DMA and registered as one MR for remote write. The link layer carves it
 * into elements (RMBE). Its key and address are known when it is created, so a CLC
 * message can carry them; the registration itself is a work request that is posted
 * once the QP is in RTS and runs before anything posted later.
 *
 * rxe executes a registration at once, but leaves it in the queue while a message before it is not acknowledged; if that
 * must be sent again, it executes the registration again, which fails and breaks the QP. Where messages may be under way,
 * a registration for rxe therefore waits until the queue is empty, and keeps it so: nobody gets a send slot meanwhile.
 *
 * The address shown to the peer is a random page-aligned number, not a kernel pointer.
 *
 * What the peer writes does not reach the CPU by itself everywhere: with bounce buffers
 * (swiotlb: encrypted guests, devices that address too little) or incoherent caches it must be
 * fetched (smcx_region_sync_cpu()) before each read, and what the CPU zeroes must be pushed
 * (smcx_region_sync_device()), or the next user's element would hold the last one's bytes.
 * Each region learns when it is mapped whether it needs that; where it does not, as on
 * hosts with coherent DMA and with soft-RoCE, it costs one test. Chunks, send slots and receives are
 * synced around each posting, where the DMA layer makes the test.
 *
 * A chunk is physically contiguous memory in the linear map (rxe of 6.12 insists),
 * mapped once and recycled through a per-device list. Bytes to send are copied
 * into chunks; an idle connection has none.
 */

/**
 * struct smcx_region - registered receive memory
 * @qp: QP (PD) it is registered with, referenced
 * @base: kernel address
 * @size: bytes, multiple of PAGE_SIZE
 * @rkey: key for the peer
 * @addr: address for the peer, start of the region
 * @state: enum smcx_region_state; written under qp->lock
 * @sync: smcx_region_sync_cpu() and smcx_region_sync_device() are needed; constant
 * @registered: completed when the registration is known to have succeeded or failed
 * @priv: verbs objects, private to rdma/region.c
 */
struct smcx_region {
	struct smcx_qp		*qp;
	void			*base;
	size_t			size;
	u32			rkey;
	u64			addr;
	int			state;
	bool			sync;
	struct completion	registered;
	struct smcx_region_priv	*priv;
};

/** enum smcx_region_state - life of a region */
enum smcx_region_state {
	SMCX_REGION_NEW,	/* mapped, key known, not registered */
	SMCX_REGION_POSTED,	/* registration posted */
	SMCX_REGION_READY,	/* the peer may write */
	SMCX_REGION_FAILED,
	SMCX_REGION_DEAD,	/* unmapped; memory still readable by us */
};

/**
 * smcx_region_create() - allocate, map, choose key and address
 * @qp: QP not stopped
 * @size: bytes, at most qp->max_mr_pages pages
 * Context: process.
 * Return: region or ERR_PTR.
 */
struct smcx_region *smcx_region_create(struct smcx_qp *qp, size_t size);

/**
 * smcx_region_register() - post the registration; QP must be in RTS
 * @r: region in state NEW
 * @busy: messages may be under way
 * Context: process. Does not wait.
 * Return: 0, -ENOTCONN, -EINVAL (not NEW), -EBUSY (too many registrations under way) or a verbs error.
 */
int smcx_region_register(struct smcx_region *r, bool busy);

/**
 * smcx_region_wait() - wait until the registration has completed
 * @r: region
 * Context: process; at most 5 s.
 * Return: 0, -ETIMEDOUT, or -EIO.
 */
int smcx_region_wait(struct smcx_region *r);

/**
 * smcx_region_unmap() - take it away from device and peer; memory stays
 * @r: region
 *
 * Order: QP to ERR (smcx_qp_fence()), regions unmapped, QP stopped; smcx_qp_stop()
 * unmaps what was forgotten. Waits (at most 2 s) for a registration under way. Idempotent.
 * Context: process.
 */
void smcx_region_unmap(struct smcx_region *r);

/**
 * smcx_region_sync_cpu() - before the CPU reads what the peer has written
 * @r: region in any state
 * @off: first byte
 * @len: bytes, within the region
 * Context: any but hard interrupt; takes qp->lock.
 */
void smcx_region_sync_cpu(struct smcx_region *r, size_t off, size_t len);

/**
 * smcx_region_sync_device() - after the CPU has written, and before the peer is told that it may
 * @r: region in any state
 * @off: first byte
 * @len: bytes, within the region
 * Context: any but hard interrupt; takes qp->lock.
 */
void smcx_region_sync_device(struct smcx_region *r, size_t off, size_t len);

/**
 * smcx_dev_is_coherent() - may CPU and device write into the same cache line?
 * @dev: device
 *
 * If not, pushing what the CPU has written takes the whole line along, with old bytes beside it. Zeroing is no matter: nobody
 * writes there yet.
 * Context: any.
 */
bool smcx_dev_is_coherent(const struct smcx_dev *dev);

/** smcx_region_destroy() - unmap if needed and free the memory. @r: region or NULL. Context: process. */
void smcx_region_destroy(struct smcx_region *r);

/**
 * smcx_qp_fence() - move the QP to ERR and forbid posting: the peer can write no more
 * @qp: QP
 * Context: process. Idempotent.
 */
void smcx_qp_fence(struct smcx_qp *qp);

/**
 * struct smcx_chunk - a piece of send memory
 * @node: in the device's free list, or the owner's queue
 * @dev: device it is mapped for, referenced
 * @data: kernel address
 * @dma: DMA address
 * @size: bytes (16 KiB, or PAGE_SIZE when memory is fragmented)
 * @off: owner's: first byte in use
 * @len: owner's: bytes in use
 */
struct smcx_chunk {
	struct list_head	node;
	struct smcx_dev		*dev;
	void			*data;
	u64			dma;
	u32			size;
	u32			off;
	u32			len;
};

/**
 * smcx_chunk_get() - take a chunk
 * @dev: device
 * @gfp: allocation flags if the free list is empty
 * Context: any that suits @gfp.
 * Return: chunk (off = len = 0) or NULL.
 */
struct smcx_chunk *smcx_chunk_get(struct smcx_dev *dev, gfp_t gfp);

/**
 * smcx_chunk_put() - give it back; contents may be seen by no one else
 * @c: chunk no work request refers to any more
 * Context: any. The free list is bounded; surplus is freed by a worker if unmapping may not happen here.
 */
void smcx_chunk_put(struct smcx_chunk *c);

#endif
