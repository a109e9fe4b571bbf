/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_QP_H
#define SMCX_RDMA_QP_H

#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "path.h"

/**
 * DOC: Queue pairs
 *
 * &struct smcx_qp wraps one RC QP with its own protection domain, the receive
 * buffers posted to it, and a fixed set of send slots for the 44-byte LLC and
 * CDC messages. The PD is per QP so that no rkey of one peer's group is worth
 * anything on another's QP.
 *
 * Completions arrive through ib_alloc_cq() in softirq (the only arming that
 * works on rxe of both kernels). A receive is reposted before the message is
 * handed up, so that the peer never meets an empty receive queue. Every CQ is at least
 * as large as the queues of its QPs together.
 *
 * Life: create (RESET) -> connect_rtr (INIT, RTR, receives posted) ->
 * connect_rts -> stop (ERR, flushed, bounded wait, verbs objects destroyed).
 * After smcx_qp_stop() the struct lives on for those who still hold a
 * reference; posting returns -ENOTCONN. @lock orders posting against stopping.
 *
 * Nothing waits without a limit. If a QP does not flush in time, its verbs objects are
 * destroyed all the same; completions it may have left in a shared CQ name
 * memory of the struct, so the CQ keeps a reference on it until the CQ itself
 * goes, and the handlers look at priv->dead before anything else.
 *
 * No upcall is made from inside a call of the layer above, so that it may hold
 * its locks then: what such a call finds out (a failed post, a slot given
 * back) is told by a work. So is an event of the QP, which may come in hard
 * interrupt.
 */

struct smcx_qp;
struct smcx_region;

#define SMCX_QP_SEND_SLOTS	64	/* SENDs in flight, of which: */
#define SMCX_QP_LLC_SLOTS	8	/* kept for LLC */
#define SMCX_QP_RECV_WRS	128
#define SMCX_QP_MAX_WRITES	2	/* RDMA writes per message */
#define SMCX_QP_WRITE_SGES	6	/* chunks gathered per write; less if the device grants less */
#define SMCX_MSG_LEN		44
#define SMCX_RECV_LEN		2048	/* kept of a received message: the 44 bytes and what may follow */

/**
 * struct smcx_qp_ops - upcalls with bottom halves off (CQ polling, or a work), must not sleep
 * @recv: one message of @len bytes; @buf is valid during the call only. At most
 *	SMCX_RECV_LEN bytes are delivered; @len is the whole length on the wire.
 * @slot_free: a send slot became free after smcx_qp_slot_get() had failed
 * @acked: the first message has reached the peer's device; once
 * @error: the QP broke (first failure only); the owner shall call smcx_qp_stop() from process context
 */
struct smcx_qp_ops {
	void (*recv)(struct smcx_qp *qp, const u8 *buf, u32 len);
	void (*slot_free)(struct smcx_qp *qp);
	void (*acked)(struct smcx_qp *qp);
	void (*error)(struct smcx_qp *qp);
};

/**
 * struct smcx_slot - one message on its way
 * @cqe: completion hook
 * @qp: owner
 * @node: in the free list
 * @msg: the 44 bytes, DMA-mapped; fill before posting
 * @dma: its address
 * @done: called in softirq when the message left or failed (@ok false), before
 *	the slot is freed; exactly once after a successful post. May be NULL.
 * @ctx: for @done; references it needs are the caller's
 * @posted: @done is still due; qp->lock
 */
struct smcx_slot {
	struct ib_cqe		cqe;
	struct smcx_qp		*qp;
	struct list_head	node;
	u8			*msg;
	u64			dma;
	void			(*done)(struct smcx_slot *slot, bool ok);
	void			*ctx;
	bool			posted;
};

/**
 * struct smcx_write - one RDMA WRITE
 * @raddr: remote address
 * @rkey: remote key
 * @nsge: entries of @sge
 * @sge: address (DMA), length; lkey is filled in by the QP layer (local DMA lkey)
 */
struct smcx_write {
	u64		raddr;
	u32		rkey;
	int		nsge;
	struct ib_sge	sge[SMCX_QP_WRITE_SGES];
};

/**
 * struct smcx_qp - one queue pair
 * @ref: creator (1) and whoever keeps a pointer
 * @dev: device, referenced
 * @port: port used
 * @ops: upcalls
 * @owner: for @ops
 * @lock: protects @live, the free slots and posting; taken with bottom halves off
 * @live: posting allowed
 * @free: free slots
 * @nfree: their number
 * @starved: someone was refused a slot
 * @is_acked: a message has reached the peer's device; set by the completion handler, read locklessly
 * @max_sge: SGEs usable per write, SMCX_QP_WRITE_SGES at most
 * @psn: own initial PSN, 24 bit
 * @qpn: own QP number, valid from create on
 * @max_mr_pages: pages per fast registration of the device
 * @release: frees the struct, for smcx_qp_put()
 * @priv: verbs objects, private to this folder
 */
struct smcx_qp {
	refcount_t		ref;
	struct smcx_dev		*dev;
	u8			port;
	const struct smcx_qp_ops *ops;
	void			*owner;

	spinlock_t		lock;
	bool			live;
	struct list_head	free;
	unsigned int		nfree;
	bool			starved;
	bool			is_acked;

	unsigned int		max_sge;
	u32			psn;
	u32			qpn;
	unsigned int		max_mr_pages;

	void			(*release)(struct smcx_qp *qp);
	struct smcx_qp_priv	*priv;
};

/**
 * smcx_qp_create() - make a QP in state RESET
 * @path: local port
 * @ops: upcalls
 * @owner: for the upcalls
 *
 * Context: process, may sleep.
 * Return: QP with one reference, or ERR_PTR.
 */
struct smcx_qp *smcx_qp_create(const struct smcx_path *path,
			       const struct smcx_qp_ops *ops, void *owner);

/**
 * smcx_qp_connect_rtr() - RESET -> INIT -> RTR, receives posted (protocol.rst 3.1)
 * @qp: QP
 * @path: local end
 * @peer: remote end
 * Context: process.
 * Return: 0 or negative errno.
 */
int smcx_qp_connect_rtr(struct smcx_qp *qp, const struct smcx_path *path,
			const struct smcx_peer_path *peer);

/**
 * smcx_qp_connect_rts() - RTR -> RTS; posting is allowed from here on
 * @qp: QP
 * Context: process.
 * Return: 0 or negative errno.
 */
int smcx_qp_connect_rts(struct smcx_qp *qp);

/**
 * smcx_qp_stop() - end of communication: ERR, flush, destroy the verbs objects
 * @qp: QP in any state
 *
 * On return no upcall runs or will run, every posted slot has had its @done.
 * Regions registered on it must have been released before (smcx_region_unmap()).
 * Idempotent and safe against a concurrent second caller. Waits bounded.
 * Context: process, may sleep; not from an upcall.
 */
void smcx_qp_stop(struct smcx_qp *qp);

/** smcx_qp_hold() - take a reference. @qp: QP. Context: any. Return: @qp. */
static inline struct smcx_qp *smcx_qp_hold(struct smcx_qp *qp)
{
	refcount_inc(&qp->ref);
	return qp;
}

/** smcx_qp_put() - drop a reference; the last put requires a stopped QP. @qp: QP or NULL. Context: any. */
static inline void smcx_qp_put(struct smcx_qp *qp)
{
	if (qp && refcount_dec_and_test(&qp->ref))
		qp->release(qp);
}

/**
 * smcx_slot_get() - take a send slot
 * @qp: QP
 * @llc: may use the slots kept for LLC
 *
 * Context: any.
 * Return: slot, or NULL (none free: @slot_free will be called; or QP not live).
 */
struct smcx_slot *smcx_slot_get(struct smcx_qp *qp, bool llc);

/** smcx_slot_ask() - would smcx_slot_get() give a slot to others than LLC? @qp: QP. Context: any. Return: false: no, @slot_free will be called. */
bool smcx_slot_ask(struct smcx_qp *qp);

/**
 * smcx_slot_put() - give back a slot that was not posted
 * @slot: slot
 * Context: any.
 */
void smcx_slot_put(struct smcx_slot *slot);

/**
 * smcx_qp_post() - post up to SMCX_QP_MAX_WRITES writes and the slot's SEND in one go
 * @slot: slot with @msg, @done and @ctx filled
 * @w: writes, executed before the SEND
 * @nw: their number, may be 0
 *
 * SEND is signalled and solicited, writes are unsignalled (a failed write fails the SEND, too).
 * A verbs error ends the QP. If it came behind the first write the slot counts as posted.
 * Context: any.
 * Return: 0 (then @done will be called), or -ENOTCONN / verbs error
 * (then the slot has been given back and @done will not be called).
 */
int smcx_qp_post(struct smcx_slot *slot, struct smcx_write *w, int nw);

/**
 * smcx_qp_post_data() - post the slot's SEND with bytes behind the 44
 * @slot: slot with @msg, @done and @ctx filled
 * @data: address (DMA) and length of the bytes' pieces; lkey is filled in
 * @n: their number, below qp->max_sge
 *
 * Context: any.
 * Return: as smcx_qp_post().
 */
int smcx_qp_post_data(struct smcx_slot *slot, struct ib_sge *data, int n);

#endif
