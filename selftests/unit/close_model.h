/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Two close machines that talk to each other through channels that keep order and
 * lose nothing, as an RC queue pair does. Used by the unit test and the fuzzer.
 */
#ifndef SMCX_UNIT_CLOSE_MODEL_H
#define SMCX_UNIT_CLOSE_MODEL_H

#include "close.h"

#define F_DONE		1
#define F_CLOSED	2
#define F_ABORT		4
#define INBOX		64

/* One end: what conn keeps, and the messages on their way to it (in order, none lost). */
struct end {
	u8 state;
	struct smcx_close_ctx ctx;
	u8 sent;		/* sticky flags of our messages */
	u8 seen;		/* flags of the peer so far */
	u8 inbox[INBOX];
	unsigned int head, tail;
	unsigned int released;
	int pending;		/* event that waits for draining, or -1 */
};

static inline void end_init(struct end *e)
{
	memset(e, 0, sizeof(*e));
	e->state = SMCX_ST_ACTIVE;
	e->pending = -1;
}

static inline void apply(struct end *me, struct end *peer, enum smcx_close_event ev)
{
	struct smcx_close_result r = smcx_close_next(me->state, ev, &me->ctx);

	/* a close() that has to wait supersedes a shutdown that waits */
	if (r.actions & SMCX_CLOSE_ACT_DRAIN && me->pending != SMCX_CLOSE_EV_APP_CLOSE)
		me->pending = (int)ev;
	me->state = r.next;
	if (r.next == SMCX_ST_CLOSED)
		me->pending = -1;
	if (r.actions & SMCX_CLOSE_ACT_SEND_DONE)
		me->sent |= F_DONE;
	if (r.actions & SMCX_CLOSE_ACT_SEND_CLOSED)
		me->sent |= F_CLOSED;
	if (r.actions & SMCX_CLOSE_ACT_SEND_ABORT)
		me->sent |= F_ABORT;
	if (r.actions & (SMCX_CLOSE_ACT_SEND_DONE | SMCX_CLOSE_ACT_SEND_CLOSED | SMCX_CLOSE_ACT_SEND_ABORT))
		peer->inbox[peer->tail++ % INBOX] = me->sent;
	me->ctx.done_sent = me->sent & F_DONE;
	me->ctx.close_sent = me->sent & (F_CLOSED | F_ABORT);
	if (r.actions & SMCX_CLOSE_ACT_RELEASE)
		me->released++;
}

static inline void deliver(struct end *me, struct end *peer)
{
	u8 flags, fresh;

	if (me->head == me->tail)
		return;
	flags = me->inbox[me->head++ % INBOX];
	fresh = flags & ~me->seen;
	me->seen |= flags;
	if (fresh & F_DONE)
		apply(me, peer, SMCX_CLOSE_EV_PEER_DONE);
	if (fresh & F_CLOSED) {
		apply(me, peer, SMCX_CLOSE_EV_PEER_CLOSED);
		me->ctx.peer_closed = true;
	}
	if (fresh & F_ABORT) {
		apply(me, peer, SMCX_CLOSE_EV_PEER_ABORT);
		me->ctx.peer_closed = true;
	}
}

static inline void drain(struct end *me, struct end *peer)
{
	int ev = me->pending;

	me->ctx.drained = true;
	me->pending = -1;
	if (ev >= 0)
		apply(me, peer, (enum smcx_close_event)ev);
}

static inline void app_close(struct end *me, struct end *peer)
{
	if (me->ctx.app_closed)
		return;
	me->ctx.app_closed = true;
	apply(me, peer, SMCX_CLOSE_EV_APP_CLOSE);
}

/* One thing that may happen to @me; @rnd decides what is left open, 0 = no kills. */
static inline void step(struct end *me, struct end *peer, u32 what, u32 rnd)
{
	switch (what) {
	case 0:
		if (!me->ctx.app_closed)
			apply(me, peer, SMCX_CLOSE_EV_APP_SHUT_WR);
		break;
	case 1:
		if (!me->ctx.app_closed)	/* shutdown(RDWR) */
			apply(me, peer, SMCX_CLOSE_EV_APP_CLOSE);
		break;
	case 2:
		app_close(me, peer);
		break;
	case 3:
		me->ctx.unread = !me->ctx.app_closed && !me->ctx.unread;
		break;
	case 4:
		me->ctx.drained = me->pending < 0 && !me->ctx.drained;
		break;
	case 5:
		drain(me, peer);
		break;
	case 6:
		if (rnd & 1)
			apply(me, peer, SMCX_CLOSE_EV_KILL);
		break;
	default:
		deliver(me, peer);
	}
	if (me->state == SMCX_ST_PEERABORTWAIT && rnd & 2)
		apply(me, peer, SMCX_CLOSE_EV_FLUSHED);
}

/* Once both applications have closed and all is delivered, nothing hangs on either side. */
static inline void finish(struct end *e)
{
	int i, side;

	for (side = 0; side < 2; side++) {
		drain(&e[side], &e[!side]);
		app_close(&e[side], &e[!side]);
		drain(&e[side], &e[!side]);
	}
	for (i = 0; i < 20; i++)
		deliver(&e[i & 1], &e[!(i & 1)]);
	for (side = 0; side < 2; side++)
		apply(&e[side], &e[!side], SMCX_CLOSE_EV_FLUSHED);
}

#endif
