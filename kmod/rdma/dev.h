/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_DEV_H
#define SMCX_RDMA_DEV_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

/**
 * DOC: RDMA devices
 *
 * One &struct smcx_dev per RoCE device the RDMA core tells us of. It owns what
 * is shared by all QPs of the device: completion queues (small ones, added as
 * QPs need them, because big ones cost milliseconds), the pool of DMA-mapped
 * send chunks, the event handler. The list of devices is protected by a mutex
 * for writers and RCU for readers.
 *
 * Removal: the RDMA core calls our client's remove(); verbs still work. The
 * device is taken off the list (no new paths), marked gone, the layer above is
 * told through &struct smcx_rdma_events to end every link on it and to return
 * only when all QPs, regions and chunks are destroyed. QPs somebody was still
 * creating are stopped here. Then CQs go. The struct itself stays until its last
 * reference, but nothing reaches the ib_device through it any more: who holds
 * no QP or chunk may touch @ibdev only under RCU with @gone seen false, or in
 * a callback of smcx_dev_for_each().
 *
 * DMA need not be coherent with the CPU, see "Memory the peer may write".
 *
 * Locks, outermost first: list mutex; qp->priv->mutex; @cq_lock (mutexes);
 * qp->lock, @chunk_lock (spin, bottom halves off, never nested in each other).
 */

#define SMCX_DEV_PORTS	2	/* only ports 1..2 are used, protocol.rst 3.8 */
#define SMCX_DEV_GIDS	8	/* bit in port_flags */

/**
 * struct smcx_dev - one RDMA device
 * @node: in the device list; list mutex / RCU
 * @ref: list (1), every smcx_path, every QP, every chunk in use
 * @ibdev: valid until removal has completed
 * @gone: removal has begun: nothing new may be created. Written under @cq_lock and @chunk_lock
 * @dead: removal is over, @ibdev must not be touched; under @chunk_lock
 * @events: for ib_register_event_handler()
 * @cq_lock: mutex; protects @cqs, the room counts in them, and @qps
 * @cqs: completion queues (struct smcx_cq) with the room that is left in each
 * @ncqs: their number
 * @qps: QPs whose verbs objects exist or are being made
 * @spill: where the tails of over-long messages go; written by devices, read by nobody
 * @spill_dma: its DMA address
 * @chunk_lock: protects the free list of send chunks
 * @chunks: free send chunks, mapped
 * @nchunks_free: length of @chunks
 * @nchunks: all chunks that exist; removal waits for 0 (bounded)
 * @idle: woken when @nchunks falls to 0 during removal
 * @port_work: translates port events, which may come in atomic context, into calls of smcx_rdma_events
 * @port_flags: pending for @port_work: bit n: port n+1 is down, SMCX_DEV_GIDS: GIDs changed
 * @port_mtu: active MTU code per port as last queried, 0 = not yet
 * @gid_gen: counts changes of the GID tables
 * @gid_span: per port: what smcx_gid_search() has learnt about the table, any thread
 * @lnk_cnt_by_port: QPs per port, shown by tools; kept by create and stop
 * @rcu: frees the struct
 */
struct smcx_dev {
	struct list_head	node;
	refcount_t		ref;
	struct ib_device	*ibdev;
	bool			gone;
	bool			dead;
	struct ib_event_handler	events;

	struct mutex		cq_lock;
	struct list_head	cqs;
	unsigned int		ncqs;
	struct list_head	qps;
	void			*spill;
	u64			spill_dma;

	spinlock_t		chunk_lock;
	struct list_head	chunks;
	unsigned int		nchunks_free;
	atomic_t		nchunks;
	wait_queue_head_t	idle;

	struct work_struct	port_work;
	unsigned long		port_flags;
	u8			port_mtu[SMCX_DEV_PORTS];
	atomic_t		gid_gen;
	atomic64_t		gid_span[SMCX_DEV_PORTS];
	atomic_t		lnk_cnt_by_port[SMCX_DEV_PORTS];
	struct rcu_head		rcu;
};

/**
 * struct smcx_rdma_events - what the link layer wants to know
 * @dev_remove: end every link on @dev; on return no QP, region or chunk of it exists. Process context, may sleep.
 * @port_down: port lost its carrier or GID; end or move its links. Process context (work).
 */
struct smcx_rdma_events {
	void (*dev_remove)(struct smcx_dev *dev);
	void (*port_down)(struct smcx_dev *dev, u8 port);
};

/**
 * smcx_rdma_init() - start watching RDMA devices
 * @ev: handlers of the link layer, must outlive smcx_rdma_exit()
 *
 * Context: process, module load.
 * Return: 0 or negative errno.
 */
int smcx_rdma_init(const struct smcx_rdma_events *ev);

/**
 * smcx_rdma_exit() - stop; ends all devices through @dev_remove
 *
 * Context: process, module unload; may sleep.
 */
void smcx_rdma_exit(void);

/**
 * smcx_dev_hold() - take another reference
 * @dev: device the caller already may use
 * Context: any.
 * Return: @dev.
 */
static inline struct smcx_dev *smcx_dev_hold(struct smcx_dev *dev)
{
	refcount_inc(&dev->ref);
	return dev;
}

/**
 * smcx_dev_put() - drop a reference; the last one frees (RCU)
 * @dev: device or NULL
 * Context: any.
 */
static inline void smcx_dev_put(struct smcx_dev *dev)
{
	if (dev && refcount_dec_and_test(&dev->ref))
		kfree_rcu(dev, rcu);
}

/**
 * smcx_dev_for_each() - visit all devices
 * @fn: called with the list mutex held, so that @dev->ibdev stays valid during the
 *	call; non-zero stops
 * @arg: for @fn
 * Context: process, may sleep in @fn.
 * Return: last value of @fn or 0.
 */
int smcx_dev_for_each(int (*fn)(struct smcx_dev *dev, void *arg), void *arg);

/**
 * smcx_rdma_peer_id() - this host's peer id (protocol.rst 2.9)
 * @id: 8 bytes: two random bytes drawn at load, MAC of the first active port
 *
 * Context: any.
 * Return: true when defined (a port has been active).
 */
bool smcx_rdma_peer_id(u8 id[8]);

/*
 * All devices, for path.c. RCU list; an entry with @gone clear keeps its @ibdev until the read section ends.
 */
extern struct list_head smcx_dev_list;

#endif
