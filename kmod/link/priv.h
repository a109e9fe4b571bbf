/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_LINK_PRIV_H
#define SMCX_LINK_PRIV_H

#include "link.h"
#include "pool.h"

/*
 * What the files of this folder share. Calls go down only:
 *
 *   init -> lgr -> lgr_end -> link -> { pool, member } -> life
 *                  lgr, lgr_end -> waiter -> life;  lgr -> room -> life;  rkey
 *   early -> lgr;  lgr_end, link -> path
 */

/* DELETE_LINK reasons used here are those of protocol.rst 4.6 */
#include "../proto/llc.h"

/* groups that may be FORMING for one peer at a time, as it calls itself; see room.c for more limits */
#define SMCX_LGR_FORMING_MAX	4

/* ---- life.c: references, the way to DYING ---- */

/** smcx_link_wq - runs all deferred work of the layer */
extern struct workqueue_struct *smcx_link_wq;
/** smcx_link_llc - handlers of the LLC layer */
extern const struct smcx_link_handlers *smcx_link_llc;
/** smcx_lgr_list - all groups whose DYING work is not done, oldest first */
extern struct list_head smcx_lgr_list;
/** smcx_lgr_list_lock - protects it; process context only */
extern spinlock_t smcx_lgr_list_lock;

/** smcx_lgr_life_init() - make the work queue. @h: LLC handlers. Context: load. Return: 0 or -ENOMEM. */
int smcx_lgr_life_init(const struct smcx_link_handlers *h);
/** smcx_lgr_life_exit() - wait (bounded) until the last group is freed. Context: unload. */
void smcx_lgr_life_exit(void);
/** smcx_lgr_life_count() - a group's memory appeared (+1) or is about to be freed (-1). @n: which. Context: any. */
void smcx_lgr_life_count(int n);

/**
 * smcx_lgr_schedule() - queue work of an ACTIVE group, with its reference
 * @lgr: group, lgr->lock held
 * @work: work; its function drops the reference
 * @delay: jiffies; counts if the work is not pending already
 * Context: any.
 */
void smcx_lgr_schedule(struct smcx_lgr *lgr, struct delayed_work *work, unsigned long delay);

/** smcx_lgr_free_at() - when does an unused group end? @lgr: ACTIVE group without seats, lgr->lock held. Context: any. Return: jiffies. */
unsigned long smcx_lgr_free_at(const struct smcx_lgr *lgr);

/**
 * smcx_lgr_doom() - smcx_lgr_terminate() under the lock
 * @lgr: group, lgr->lock held
 * @err: errno for the members
 * @reason: reason for the peer or 0
 * Context: any.
 */
void smcx_lgr_doom(struct smcx_lgr *lgr, int err, u32 reason);

/** smcx_lgr_unused() - nobody has a seat: start the free timer, if ACTIVE. @lgr: group, lgr->lock held. Context: any. */
void smcx_lgr_unused(struct smcx_lgr *lgr);

/* ---- waiter.c ---- */

/**
 * smcx_lgr_wait_locked() - queue a waiter if the group can take it
 * @lgr: group, lgr->lock held
 * @w: waiter
 * @max: most seats and waiters together
 * Context: any. Return: false if the group is not FORMING, or full.
 */
bool smcx_lgr_wait_locked(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w, unsigned int max);

/**
 * smcx_lgr_grow_begin() - only one makes a region, which can take as long as the peer likes
 * @lgr: group with a seat
 * @w: waiter, queued if somebody else is at it
 * Context: any. Return: 0: the caller is the one, smcx_lgr_grow_end() follows; -EINPROGRESS: @w is queued; -ENOTCONN: DYING.
 */
int smcx_lgr_grow_begin(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w);

/** smcx_lgr_grow_end() - done, with or without a new region: those who wait try again. @lgr: group. Context: any. */
void smcx_lgr_grow_end(struct smcx_lgr *lgr);

/** smcx_lgr_waiters_tell() - FORMING has ended, or the pool has grown: call all waiters. @lgr: group, no lock held. @ok: it is ACTIVE. Context: any. */
void smcx_lgr_waiters_tell(struct smcx_lgr *lgr, bool ok);

/* ---- path.c ---- */

/** smcx_lgr_path_works() - our first message has arrived. @lgr: group, not over. Context: any. */
void smcx_lgr_path_works(struct smcx_lgr *lgr);
/** smcx_lgr_path_over() - remember if none has. @lgr: DYING group, before its waiters and members are told. Context: process. */
void smcx_lgr_path_over(struct smcx_lgr *lgr);

/* ---- member.c ---- */

/** smcx_member_rx() - hand a CDC message to the member it names. @lgr: group that received it. @buf: message. @len: its length on the wire. Context: softirq, RCU held. */
void smcx_member_rx(struct smcx_lgr *lgr, const u8 *buf, u32 len);
/** smcx_members_kill() - call @kill of every member once. @lgr: DYING group. Context: process. */
void smcx_members_kill(struct smcx_lgr *lgr);
/** smcx_member_pop() - take the member that has waited longest for a slot. @link: link. Context: any. Return: referenced member or NULL. */
struct smcx_member *smcx_member_pop(struct smcx_link *link);

/* ---- pool.c ---- */

/** smcx_pool_init() - start with nothing. @lgr: new group. Context: process. */
void smcx_pool_init(struct smcx_lgr *lgr);

/* ---- link.c ---- */

/** smcx_link_init_one() - fill in what needs no QP. @lgr: new group. @idx: which link. Context: process. */
void smcx_link_init_one(struct smcx_lgr *lgr, u8 idx);
/** smcx_link_create() - QP in RESET; UNUSED -> ACTIVATING. @link: link with its path. Context: process. Return: 0 or errno (-ENODEV: group is DYING). */
int smcx_link_create(struct smcx_link *link);
/** smcx_link_fence() - forbid posting. @link: link of a DYING group, any state. Context: process. */
void smcx_link_fence(struct smcx_link *link);
/** smcx_link_stop() - end the QP. @link: fenced link. Context: process. */
void smcx_link_stop(struct smcx_link *link);

/* ---- room.c ---- */

/**
 * smcx_lgr_may_form() - may one more group be made for a client?
 * @p: parameters, role SMCX_SERVER
 *
 * Bounds what Proposals cost whose senders never come to the RDMA side.
 * Context: process, list lock held. Return: false while too many are FORMING for its address, its network, or altogether.
 */
bool smcx_lgr_may_form(const struct smcx_lgr_params *p);

/** smcx_lgr_trim_idle() - a group is about to be made: end those without connections, longest unused first, while they hold too much memory. Context: process. */
void smcx_lgr_trim_idle(void);

/* ---- lgr.c, for early.c ---- */

/**
 * smcx_lgr_fill_agreed() - what Accept and Proposal say of the peer and of the group
 * @lgr: group that is not in use yet, or its lock and the list's are held
 * @p: parameters
 * Context: any.
 */
void smcx_lgr_fill_agreed(struct smcx_lgr *lgr, const struct smcx_lgr_params *p);

/* ---- lgr_end.c ---- */

/** smcx_lgr_end_init() - set up the works that end a group. @lgr: new group. Context: process. */
void smcx_lgr_end_init(struct smcx_lgr *lgr);

/** smcx_lgr_free() - free a group nobody else knows. @lgr: never listed, or stopped. Context: process. */
void smcx_lgr_free(struct smcx_lgr *lgr);

/**
 * smcx_lgr_end_start() - terminate groups
 * @match: which; called under the list lock
 * @arg: for @match
 * @err: errno for the members
 * @reason: for the peers, 0 = say nothing
 * Context: process. Return: lgr->seq of the youngest of them, 0 = there is none.
 */
u64 smcx_lgr_end_start(bool (*match)(const struct smcx_lgr *lgr, const void *arg),
		       const void *arg, int err, u32 reason);

/**
 * smcx_lgr_end_all() - terminate groups and wait until they are dead
 * @match: which; called under the list lock
 * @arg: for @match
 * @err: errno for the members
 * @reason: for the peers, 0 = say nothing
 *
 * Groups that appear meanwhile are left alone: whoever wants none has seen to it before.
 * Context: process; bounded.
 */
void smcx_lgr_end_all(bool (*match)(const struct smcx_lgr *lgr, const void *arg),
		      const void *arg, int err, u32 reason);

#endif
