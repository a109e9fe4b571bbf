/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_DEV_H
#define SMCX_RDMA_DEV_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/completion.h>
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
 * only when all QPs, regions and chunks are destroyed. Then CQs go. The struct
 * itself stays until its last reference, but nothing reaches the ib_device
 * through it any more.
 */

#define SMCX_DEV_PORTS	2	/* only ports 1..2 are used, protocol.md 3.8 */

struct smcx_cq;

/**
 * struct smcx_dev - one RDMA device
 * @node: in the device list; list mutex / RCU
 * @ref: list (1), every smcx_path, every QP and region
 * @ibdev: valid until removal has completed
 * @gone: removal has begun: nothing new may be created
 * @events: for ib_register_event_handler()
 * @cq_lock: mutex; protects @cqs and the room counts in them
 * @cqs: completion queues with the room that is left in each
 * @chunk_lock: protects the free list of send chunks
 * @chunks: free send chunks, mapped
 * @nchunks_free: length of @chunks
 * @nchunks: all chunks that exist; removal waits for 0 (bounded)
 * @port_work: translates port events, which come in atomic context, into calls of smcx_rdma_events
 * @ports_down: bit n: port n+1 reported down, for @port_work
 * @lnk_cnt_by_port: links per port, shown by tools
 * @rcu: frees the struct
 */
struct smcx_dev {
	struct list_head	node;
	refcount_t		ref;
	struct ib_device	*ibdev;
	bool			gone;
	struct ib_event_handler	events;

	struct mutex		cq_lock;
	struct list_head	cqs;

	spinlock_t		chunk_lock;
	struct list_head	chunks;
	unsigned int		nchunks_free;
	atomic_t		nchunks;

	struct work_struct	port_work;
	unsigned long		ports_down;
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
 * Context: process, module load. Return: 0 or negative errno.
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
 * Context: any. Return: @dev.
 */
struct smcx_dev *smcx_dev_hold(struct smcx_dev *dev);

/**
 * smcx_dev_put() - drop a reference; the last one frees (RCU)
 * @dev: device or NULL
 * Context: any.
 */
void smcx_dev_put(struct smcx_dev *dev);

/**
 * smcx_dev_for_each() - visit all devices
 * @fn: called with a reference held for the call; non-zero stops
 * @arg: for @fn
 * Context: process, may sleep in @fn. Return: last value of @fn or 0.
 */
int smcx_dev_for_each(int (*fn)(struct smcx_dev *dev, void *arg), void *arg);

/**
 * smcx_rdma_peer_id() - this host's peer id (protocol.md 2.9)
 * @id: 8 bytes: two random bytes drawn at load, MAC of the first active port
 *
 * Context: any. Return: true when defined (a port has been active).
 */
bool smcx_rdma_peer_id(u8 id[8]);

#endif
