/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_PRIV_H
#define SMCX_RDMA_PRIV_H

#include <linux/mutex.h>
#include <linux/scatterlist.h>

#include "path.h"
#include "qp.h"
#include "region.h"

/*
 * What the files of this folder share. Calls go down only:
 *
 *   path -> dev -> qp -> { cq, region, slot, recv, chunk }
 *   path -> { gid, route, pnet }, dev -> gid, { region, recv } -> slot, region -> sync
 */

#define SMCX_QP_REG_WRS		16	/* registrations under way per QP */
#define SMCX_QP_SEND_DEPTH	(SMCX_QP_SEND_SLOTS * (1 + SMCX_QP_MAX_WRITES) + \
				 SMCX_QP_REG_WRS + 1)	/* 1: drain */
#define SMCX_QP_RECV_DEPTH	(SMCX_QP_RECV_WRS + 1)	/* 1: drain */
#define SMCX_QP_CQES		(SMCX_QP_SEND_DEPTH + SMCX_QP_RECV_DEPTH)
#define SMCX_CQ_CQES		4096
#define SMCX_SPILL_LEN		8192	/* longest v2 LLC message, protocol.rst 3.1 */

/**
 * struct smcx_cq - completion queue shared by several QPs
 * @node: in dev->cqs
 * @cq: the queue
 * @room: entries no QP has claimed; dev->cq_lock
 * @graves: QPs (priv->grave) that could not be drained: completions in the
 *	queue may still name their memory. One reference on each is ours.
 */
struct smcx_cq {
	struct list_head	node;
	struct ib_cq		*cq;
	unsigned int		room;
	struct list_head	graves;
};

/**
 * struct smcx_recv - one posted receive
 * @cqe: completion hook
 * @qp: owner
 * @buf: SMCX_RECV_LEN bytes
 * @dma: its address
 * @mapped: @dma is a mapping of the page that begins here
 */
struct smcx_recv {
	struct ib_cqe	cqe;
	struct smcx_qp	*qp;
	u8		*buf;
	u64		dma;
	bool		mapped;
};

/**
 * struct smcx_reg - one registration under way
 * @cqe: completion hook
 * @qp: owner
 * @region: what is registered; NULL when nobody waits any more. qp->lock
 * @busy: posted and not completed, or about to be. qp->lock
 * @alone: no message may be in the queue with it. qp->lock
 */
struct smcx_reg {
	struct ib_cqe		cqe;
	struct smcx_qp		*qp;
	struct smcx_region	*region;
	bool			busy;
	bool			alone;
};

/**
 * struct smcx_region_priv - verbs side of a region
 * @node: in priv->regions of the QP, while @mr exists; priv->mutex
 * @region: back pointer
 * @mr: memory region
 * @sgt: the pages, mapped for DMA
 * @dma: DMA address of each page, if region->sync
 */
struct smcx_region_priv {
	struct list_head	node;
	struct smcx_region	*region;
	struct ib_mr		*mr;
	struct sg_table		sgt;
	u64			*dma;
};

/**
 * struct smcx_drain - marker at the end of a queue
 * @cqe: completion hook
 * @done: everything posted before it has completed
 */
struct smcx_drain {
	struct ib_cqe		cqe;
	struct completion	done;
};

enum smcx_qp_state {
	SMCX_QP_NEW,		/* verbs objects not complete */
	SMCX_QP_RESET,
	SMCX_QP_RTR,		/* receives posted */
	SMCX_QP_RTS,
	SMCX_QP_ERR,		/* fenced */
	SMCX_QP_STOPPED,	/* verbs objects gone */
};

/* bits of smcx_qp_priv.tell */
#define SMCX_TELL_ERROR		0
#define SMCX_TELL_SLOT		1
#define SMCX_TELL_EVENT		2	/* the device says that the QP broke */

/**
 * struct smcx_qp_priv - verbs side of a QP
 * @mutex: state changes, regions; outside dev->cq_lock and qp->lock
 * @state: life
 * @rx_posted: receives may be queued: stopping must drain. @mutex
 * @tx_posted: the same for sends. @mutex
 * @regions: regions (struct smcx_region_priv) with an MR on @pd. @mutex
 * @pd: protection domain
 * @ibqp: queue pair
 * @cq: completion queue of both directions
 * @node: in dev->qps, dev->cq_lock
 * @grave: in cq->graves
 * @rx_live: reposting of receives allowed; qp->lock
 * @fenced: the owner gave up the QP: no more errors are told; qp->lock
 * @failed: @ops->error was called or is due; qp->lock
 * @starved_llc: somebody entitled to all slots found none; qp->lock
 * @dead: completions are stale, leave everything alone; qp->lock
 * @tell: what @tell_work shall do
 * @tell_work: upcalls on behalf of callers that may hold locks, or run in hard interrupt
 * @gid: local GID, to notice its disappearance
 * @gid_index: its index
 * @write_cqe: hook of all writes; completes only in failure
 * @drain_send: marker at the end of the send queue
 * @drain_recv: marker at the end of the receive queue
 * @slots: send slots
 * @slot_mem: their messages
 * @slot_dma: DMA address of @slot_mem, 0 = not mapped
 * @recvs: receives
 * @regs: registrations under way
 * @reg_waits: one of them, to be posted when the queue is empty; qp->lock
 * @when_empty: while there is such a one: to be called when no slot is out, or the QP is not live; qp->lock
 * @reg_holds: how many want the queue for themselves: no slot is given; qp->lock
 * @qp: the QP
 */
struct smcx_qp_priv {
	struct mutex		mutex;
	enum smcx_qp_state	state;
	bool			rx_posted;
	bool			tx_posted;
	struct list_head	regions;
	struct ib_pd		*pd;
	struct ib_qp		*ibqp;
	struct smcx_cq		*cq;
	struct list_head	node;
	struct list_head	grave;

	bool			rx_live;
	bool			fenced;
	bool			failed;
	bool			starved_llc;
	bool			dead;
	unsigned long		tell;
	struct work_struct	tell_work;

	union ib_gid		gid;
	u16			gid_index;

	struct ib_cqe		write_cqe;
	struct smcx_drain	drain_send;
	struct smcx_drain	drain_recv;
	struct smcx_slot	*slots;
	u8			*slot_mem;
	u64			slot_dma;
	struct smcx_recv	*recvs;
	struct smcx_reg		regs[SMCX_QP_REG_WRS];
	struct smcx_reg		*reg_waits;
	void			(*when_empty)(struct smcx_qp *qp);
	unsigned int		reg_holds;
	struct smcx_qp		*qp;
};

/* ---- slot.c ---- */

/** smcx_slot_wake() - may those that were refused a slot have one now? @qp: QP. Context: qp->lock held. Return: call @ops->slot_free. */
bool smcx_slot_wake(struct smcx_qp *qp);

/** smcx_slots_alloc() - memory of the send slots. @qp: new QP. Context: process. Return: 0 or -ENOMEM. */
int smcx_slots_alloc(struct smcx_qp *qp);
/** smcx_slots_free() - counterpart. @qp: QP, unmapped. Context: any. */
void smcx_slots_free(struct smcx_qp *qp);
/** smcx_slots_map() - make the slots usable. @qp: QP with a PD. Context: process. Return: 0 or -EIO. */
int smcx_slots_map(struct smcx_qp *qp);
/** smcx_slots_unmap() - counterpart, idempotent. @qp: QP, not live. Context: process. */
void smcx_slots_unmap(struct smcx_qp *qp);
/** smcx_slots_abort() - call @done(false) for all slots still posted. @qp: destroyed QP, no handler running. Context: process. */
void smcx_slots_abort(struct smcx_qp *qp);

/**
 * smcx_qp_fail() - the QP broke: no more posting, tell the owner once
 * @qp: QP
 * @direct: call @ops->error at once (CQ handlers); else through a work
 * Context: bottom halves off if @direct, else any.
 */
void smcx_qp_fail(struct smcx_qp *qp, bool direct);

/* ---- recv.c ---- */

/** smcx_recvs_alloc() - memory of the receives. @qp: new QP. Context: process. Return: 0 or -ENOMEM. */
int smcx_recvs_alloc(struct smcx_qp *qp);
/** smcx_recvs_free() - counterpart. @qp: QP, unmapped. Context: any. */
void smcx_recvs_free(struct smcx_qp *qp);
/** smcx_recvs_map() - map them for DMA. @qp: QP with a PD. Context: process. Return: 0 or -EIO. */
int smcx_recvs_map(struct smcx_qp *qp);
/** smcx_recvs_unmap() - counterpart, idempotent. @qp: destroyed QP. Context: process. */
void smcx_recvs_unmap(struct smcx_qp *qp);
/** smcx_recvs_post() - post all. @qp: QP in INIT. Context: process, priv->mutex. Return: 0 or verbs error. */
int smcx_recvs_post(struct smcx_qp *qp);

/* ---- region.c ---- */

/** smcx_regions_init() - prepare the registration hooks. @qp: new QP. Context: any. */
void smcx_regions_init(struct smcx_qp *qp);
/** smcx_regions_unmap() - unmap all regions of a fenced QP. @qp: QP. Context: process, priv->mutex held. */
void smcx_regions_unmap(struct smcx_qp *qp);

/* ---- sync.c ---- */

/** smcx_region_sync_init() - find out whether the region needs syncing, be ready for it. @r: region mapped for DMA. Context: process, priv->mutex. Return: 0 or -ENOMEM. */
int smcx_region_sync_init(struct smcx_region *r);

/* ---- cq.c ---- */

/** smcx_cqs_init() - make the first CQ, so that no connection waits for it. @dev: new device. Context: process. Return: 0 or errno. */
int smcx_cqs_init(struct smcx_dev *dev);
/** smcx_cqs_exit() - free all CQs and what is buried in them. @dev: device without QPs. Context: process. */
void smcx_cqs_exit(struct smcx_dev *dev);

/**
 * smcx_cq_join() - enter a QP into the device's list and give it a CQ with room
 * @qp: QP, priv->mutex held
 * Context: process.
 * Return: 0, -ENODEV (device is going), or errno of CQ creation.
 */
int smcx_cq_join(struct smcx_qp *qp);

/**
 * smcx_cq_leave() - counterpart of smcx_cq_join(); idempotent
 * @qp: QP whose verbs objects are gone, priv->mutex held
 * @clean: no completion of it can be in the CQ; else the room is lost and @qp buried
 * Context: process.
 */
void smcx_cq_leave(struct smcx_qp *qp, bool clean);

/* ---- qp.c ---- */

/** smcx_qps_stop() - stop every QP of a device that is going. @dev: device, gone. Context: process. */
void smcx_qps_stop(struct smcx_dev *dev);
/** smcx_qps_check_gids() - fail the QPs whose local GID has gone. @dev: device. Context: process. */
void smcx_qps_check_gids(struct smcx_dev *dev);

/* ---- chunk.c ---- */

/** smcx_chunks_exit() - free the free chunks, wait (5 s) for those in use. @dev: device, gone. Context: process. */
void smcx_chunks_exit(struct smcx_dev *dev);

#endif
