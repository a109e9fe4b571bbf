/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_CONN_CONN_PRIV_H
#define SMCX_CONN_CONN_PRIV_H

#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "conn.h"

/* What happened under conn->lock and is told after it is dropped. */
#define SMCX_CEV_READABLE	0x01
#define SMCX_CEV_WRITABLE	0x02
#define SMCX_CEV_URGENT		0x04
#define SMCX_CEV_STATE		0x08
#define SMCX_CEV_FINISH		0x10	/* give back element and membership */

/* ---- state.c: events, close table, end of life ---- */

/**
 * smcx_conn_lock() - enter
 * @c: connection
 * Context: any but hard interrupt.
 */
static inline void smcx_conn_lock(struct smcx_conn *c)
	__acquires(&c->lock)
{
	spin_lock_bh(&c->lock);
}

/**
 * smcx_conn_unlock() - leave, deliver what has happened
 * @c: connection, kept alive by the caller (reference, or RCU)
 *
 * Decides whether the connection is over, drops conn->lock, makes the upcalls.
 * Context: conn->lock held, no other lock of this layer or below.
 */
void smcx_conn_unlock(struct smcx_conn *c) __releases(&c->lock);

/**
 * smcx_conn_event() - feed the close table (proto/close.h) and do what it says
 * @c: connection
 * @ev: event
 * @err: positive errno if the table wants the connection aborted (KILL only)
 * Context: conn->lock held.
 */
void smcx_conn_event(struct smcx_conn *c, enum smcx_close_event ev, int err)
	__must_hold(&c->lock);

/**
 * smcx_conn_peer_flags() - the peer's state flags arrived
 * @c: connection; in INIT they are kept for smcx_conn_activate()
 * @flags: SMCX_CDC_STATE_*
 * Context: conn->lock held.
 */
void smcx_conn_peer_flags(struct smcx_conn *c, u8 flags) __must_hold(&c->lock);

/**
 * smcx_conn_die() - end at once, send nothing more
 * @c: connection
 * @err: positive errno for the application
 * Context: conn->lock held.
 */
void smcx_conn_die(struct smcx_conn *c, int err) __must_hold(&c->lock);

/**
 * smcx_conn_violation() - the peer broke the protocol: abort towards both sides
 * @c: connection
 *
 * The caller transmits afterwards. Bytes accepted before stay readable.
 * Context: conn->lock held.
 */
void smcx_conn_violation(struct smcx_conn *c) __must_hold(&c->lock);

/**
 * smcx_conn_refuse() - abort towards both sides: the peer sends to somebody who is gone
 * @c: connection
 *
 * The caller transmits afterwards.
 * Context: conn->lock held.
 */
void smcx_conn_refuse(struct smcx_conn *c) __must_hold(&c->lock);

/**
 * smcx_conn_purge() - throw away what is not posted
 * @c: connection
 * Context: conn->lock held.
 */
void smcx_conn_purge(struct smcx_conn *c) __must_hold(&c->lock);

/**
 * smcx_conn_reap() - bytes are completed: free their chunks
 * @c: connection
 * @n: bytes, 0 to catch up after a chunk went to the flight list
 * Context: conn->lock held.
 */
void smcx_conn_reap(struct smcx_conn *c, u32 n) __must_hold(&c->lock);

/**
 * smcx_conn_timer_arm() - (re)start the timer, with its reference
 * @c: connection
 * @delay: jiffies
 * Context: conn->lock held.
 */
void smcx_conn_timer_arm(struct smcx_conn *c, unsigned long delay)
	__must_hold(&c->lock);

/**
 * smcx_conn_state_init() - work queue and count of connections
 * Context: load. Return: 0 or -ENOMEM.
 */
int smcx_conn_state_init(void);

/**
 * smcx_conn_state_exit() - wait (bounded) for the last connection, drop the work queue
 * Context: unload.
 */
void smcx_conn_state_exit(void);

/**
 * smcx_conn_count_new() - one connection more exists
 * Context: any.
 */
void smcx_conn_count_new(void);

/**
 * smcx_conn_release() - member operation: the last reference is gone
 * @m: member of the connection
 * Context: any.
 */
void smcx_conn_release(struct smcx_member *m);

static inline struct smcx_conn *smcx_conn_of(struct smcx_member *m)
{
	return container_of(m, struct smcx_conn, m);
}

static inline unsigned long smcx_conn_close_timeout(const struct smcx_conn *c)
{
	return max(READ_ONCE(c->sn->sysctl.close_timeout_s), 1u) * HZ;
}

/* Over for good: no data will come or go, whatever the flags say. */
static inline bool smcx_conn_is_dead(const struct smcx_conn *c)
{
	u8 state = READ_ONCE(c->state);

	return READ_ONCE(c->killed) || state == SMCX_ST_CLOSED ||
	       state == SMCX_ST_PROCESSABORT || state == SMCX_ST_PEERABORTWAIT;
}

/* Shut down by ourselves, as against by the peer's going away. */
static inline bool smcx_conn_is_shut_wr(const struct smcx_conn *c)
{
	return READ_ONCE(c->tx.fin) || smcx_conn_is_dead(c);
}

/* ---- urg.c: the urgent mark ---- */

/**
 * smcx_urg_mark() - where is the urgent byte?
 * @c: connection
 * @end: result: bytes from the consumer cursor to just behind it; 0 = it was passed
 *	over (smcx_urg_skip()) and nothing was read since
 * Context: conn->lock held for an exact answer.
 * Return: false if there is no mark.
 */
bool smcx_urg_mark(const struct smcx_conn *c, u32 *end);

/** smcx_urg_is_inline() - does the urgent byte stay in the stream (SO_OOBINLINE)? @c: connection. Context: any. Return: true without an owner, too. */
bool smcx_urg_is_inline(const struct smcx_conn *c);

/**
 * smcx_urg_skip() - the consumer cursor stands before a non-inline urgent byte: pass it over
 * @c: connection
 *
 * Nobody will read the byte from the element, it is kept apart. The peer must not
 * wait for it to be consumed: it sends nothing until the element is empty.
 * Context: conn->lock held. Return: true if there was one: the peer shall be told.
 */
bool smcx_urg_skip(struct smcx_conn *c) __must_hold(&c->lock);

/**
 * smcx_urg_arrive() - a CDC brought progress up to rx.prod and flagged its last byte urgent
 * @c: connection
 * Context: conn->lock held.
 */
void smcx_urg_arrive(struct smcx_conn *c) __must_hold(&c->lock);

/* ---- xmit.c: messages to the peer ---- */

/**
 * smcx_conn_push() - send whatever may be sent now
 * @c: connection
 *
 * Data as far as window, cork and gathering allow; failing that, a due cursor update or
 * flags. Without a send slot it asks for one and goes on in smcx_conn_tx_ready().
 * Context: conn->lock held.
 */
void smcx_conn_push(struct smcx_conn *c) __must_hold(&c->lock);

/**
 * smcx_conn_tx_ready() - member operation: a send slot is free
 * @m: member of the connection
 * Context: any but hard interrupt, conn->lock not held.
 */
void smcx_conn_tx_ready(struct smcx_member *m);

/**
 * smcx_conn_window() - bytes the peer's element has room for
 * @c: connection
 * Context: conn->lock held. Return: bytes, 0 while the peer is unknown.
 */
u32 smcx_conn_window(const struct smcx_conn *c);

/* ---- turn.c: writes that belong together ---- */

/** smcx_turn_init() - nothing is known. @c: new connection. Context: process. */
void smcx_turn_init(struct smcx_conn *c);
/** smcx_turn_write() - the application has written; decides whether to hold it back. @c: connection. Context: conn->lock held. */
void smcx_turn_write(struct smcx_conn *c) __must_hold(&c->lock);
/** smcx_turn_end() - the application wants to read: send what is held back. @c: connection. Context: conn->lock held. */
void smcx_turn_end(struct smcx_conn *c) __must_hold(&c->lock);
/** smcx_turn_release() - hold nothing back; the caller sends. @c: connection. Context: conn->lock held. */
void smcx_turn_release(struct smcx_conn *c) __must_hold(&c->lock);

/* ---- the peer's end ---- */

#define SMCX_CONN_END_WAIT	(3UL * HZ / 10)	/* for more bytes */
#define SMCX_CONN_DOUBT_WAIT	(2UL * HZ)	/* until a peer that closed has heard that we did */

/** smcx_conn_end_has_room() - may the peer have more, and room for it, if it knows of @cons? @c: connection. @cons: consumer cursor. Context: conn->lock held. */
static inline bool smcx_conn_end_has_room(const struct smcx_conn *c, struct smcx_cursor cons)
{
	const struct smcx_conn_rx *rx = &c->rx;

	return rx->held && smcx_cursor_diff(cons, rx->prod, rx->rmbe.size) < rx->rmbe.size;
}

/**
 * smcx_conn_doubt() - of a detached connection, whose peer's end was believed: keep the element until that has heard of ours
 * @c: connection
 * Context: conn->lock held.
 */
void smcx_conn_doubt(struct smcx_conn *c) __must_hold(&c->lock);

/* ---- tx.c ---- */

/* As TCP: worth waking a writer when a third of the limit is free. */
static inline bool smcx_conn_is_writable(const struct smcx_conn *c)
{
	u32 used = READ_ONCE(c->tx.q.queued) + READ_ONCE(c->tx.q.inflight);
	u32 limit = READ_ONCE(c->tx.q.limit);

	return !READ_ONCE(c->tx.nomem) && used < limit && limit - used >= used / 2;
}

#define SMCX_TURN_HOLD_LEN	4096	/* more bytes are worth a message of their own */

/** smcx_turn_is_holding() - shall the queued bytes wait? @c: connection. Context: conn->lock held. */
static inline bool smcx_turn_is_holding(const struct smcx_conn *c)
{
	const struct smcx_conn_tx *tx = &c->tx;

	return c->turn.held && tx->q.queued <= SMCX_TURN_HOLD_LEN && !tx->update_due &&
	       tx->q.queued < READ_ONCE(c->sn->sysctl.autocorking_size) &&
	       smcx_conn_is_writable(c);
}

/* ---- rx.c: shared by recv and splice; one reader at a time ---- */

/**
 * struct smcx_rx_span - a stretch of the element that can be read in one go
 * @piece: its one or two parts
 * @n: number of parts
 * @len: bytes in all parts
 * @skip: bytes before it (a non-inline urgent byte) that go with it when it is consumed
 */
struct smcx_rx_span {
	struct smcx_ring_piece	piece[2];
	unsigned int		n;
	u32			len;
	u32			skip;
};

/**
 * smcx_rx_span() - what can be read
 * @c: connection
 * @want: most bytes
 * @off: bytes to pass over first (peek offset)
 * @span: result
 *
 * Ends before the urgent byte; starts behind it unless it is inline. The CPU sees the bytes.
 * Context: process, the connection's only reader.
 * Return: bytes; with none: 0 at EOF, the pending error (cleared), or -EAGAIN, as of the same moment.
 */
int smcx_rx_span(struct smcx_conn *c, size_t want, size_t off,
		 struct smcx_rx_span *span);

/**
 * smcx_rx_consume() - the application has taken bytes
 * @c: connection
 * @n: bytes from the consumer cursor on
 *
 * Sends a window update if one is due.
 * Context: process, the connection's only reader.
 */
void smcx_rx_consume(struct smcx_conn *c, u32 n);

/* ---- cdc.c, close.c: member operations ---- */

/**
 * smcx_conn_cdc() - member operation: a CDC message arrived
 * @m: member of the connection
 * @buf: the message
 * @len: its length on the wire
 * Context: softirq, RCU held.
 */
void smcx_conn_cdc(struct smcx_member *m, const u8 *buf, u32 len);

/**
 * smcx_conn_kill() - member operation: the link group ends
 * @m: member of the connection
 * @err: negative errno
 * Context: process.
 */
void smcx_conn_kill(struct smcx_member *m, int err);

/**
 * smcx_conn_timer() - the timer fired
 * @work: c->timer.work
 * Context: process.
 */
void smcx_conn_timer(struct work_struct *work);

#endif
