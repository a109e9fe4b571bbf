// SPDX-License-Identifier: GPL-2.0
/*
 * Messages to the peer: what may go now, and how one message is built.
 *
 * A message is RDMA writes followed by a CDC; a small one, to a peer that can take it
 * (one-rtt.rst, DATA), is one SEND with its bytes behind the CDC.
 */
#include "conn_priv.h"

#define XMIT_DATA_MAX	(64 * 1024)	/* most bytes in one message */
#define XMIT_CORK_MAX	(HZ / 5)	/* as long as TCP holds a corked segment back */
#define XMIT_ORPHAN_STEP 4096		/* bytes an orphan must get rid of in each close_timeout */

u32 smcx_conn_window(const struct smcx_conn *c)
{
	const struct smcx_conn_tx *tx = &c->tx;

	if (!tx->peer_size)
		return 0;
	return tx->peer_size -
	       smcx_cursor_diff(tx->peer_cons, tx->prod, tx->peer_size);
}

/* Wake the owner when what it waits for has come. */
static void xmit_check_waiters(struct smcx_conn *c)
{
	struct smcx_conn_tx *tx = &c->tx;

	if (tx->nospace && smcx_conn_is_writable(c)) {
		tx->nospace = false;
		c->events |= SMCX_CEV_WRITABLE;
	}
	if (tx->drain_wait && !tx->msgs && !tx->q.queued &&
	    !(tx->fin & ~tx->sflags)) {
		tx->drain_wait = false;
		c->events |= SMCX_CEV_WRITABLE;
	}
}

/*
 * Does the application want these bytes held back? Only while holding can make
 * a bigger message: the peer's window is not used up, and the writer is not waiting for us.
 */
static bool xmit_is_corked(const struct smcx_conn *c, u32 window, u32 full)
{
	const struct smcx_conn_queue *q = &c->tx.q;

	return (c->tx.corked || c->tx.more) && q->queued < min(window, full) &&
	       smcx_conn_is_writable(c);
}

/*
 * How many of the queued bytes go out now?
 *
 * Nothing under way: all that fits, unless corked. Otherwise small sends gather behind
 * the message under way, and only full messages follow at once.
 */
static u32 xmit_budget(struct smcx_conn *c)
{
	struct smcx_conn_tx *tx = &c->tx;
	u32 full = min_t(u32, max(tx->peer_size / 2, 1u), XMIT_DATA_MAX);
	u32 window = smcx_conn_window(c);
	u32 n = min3(tx->q.queued, window, full);

	if (!n || tx->urg_wait || tx->data_msgs >= SMCX_CONN_DATA_MSGS)
		return 0;
	if (tx->urg_len)
		return min(n, tx->urg_len);
	/* nothing can join what is pushed, or what ends the stream */
	if (tx->q.push || (tx->fin & ~tx->sflags))
		return n;
	if (xmit_is_corked(c, window, full)) {
		if (!tx->cork_timer && !c->detached) {
			tx->cork_timer = true;
			smcx_conn_timer_arm(c, XMIT_CORK_MAX);
		}
		return 0;
	}
	if (smcx_turn_is_holding(c))
		return 0;
	if (!tx->data_msgs)
		return n;
	return n >= min(full, READ_ONCE(c->sn->sysctl.autocorking_size)) ? n : 0;
}

/**
 * struct xmit_plan - the writes of one message
 * @w: writes
 * @nw: their number
 * @len: bytes they carry
 */
struct xmit_plan {
	struct smcx_write	w[SMCX_QP_MAX_WRITES];
	int			nw;
	u32			len;
};

/* A new write is needed at the start, at the ring's end, and when the SGEs are used up. */
static struct smcx_write *plan_write(const struct smcx_conn *c,
				     struct xmit_plan *p, u32 *off)
{
	const struct smcx_conn_tx *tx = &c->tx;
	int max_sge = c->m.link->qp->max_sge;
	struct smcx_write *w = p->nw ? &p->w[p->nw - 1] : NULL;

	if (w && *off < tx->peer_size && w->nsge < max_sge)
		return w;
	if (p->nw == SMCX_QP_MAX_WRITES)
		return NULL;
	if (*off == tx->peer_size)
		*off = 0;
	w = &p->w[p->nw++];
	w->raddr = tx->raddr + *off;
	w->rkey = tx->rkey;
	w->nsge = 0;
	return w;
}

/* Lay out up to @want bytes of the queue; fewer if they lie in too many chunks. */
static void plan_message(struct smcx_conn *c, u32 want, struct xmit_plan *p)
{
	struct smcx_chunk *ch = list_first_entry_or_null(&c->tx.q.queue,
							 struct smcx_chunk, node);
	u32 off = c->tx.prod.off, used = 0;
	struct smcx_write *w;

	p->nw = 0;
	p->len = 0;
	while (p->len < want) {
		struct ib_sge *sge;

		if (used == ch->len) {
			ch = list_next_entry(ch, node);
			used = 0;
			continue;
		}
		w = plan_write(c, p, &off);
		if (!w)
			return;
		sge = &w->sge[w->nsge++];
		sge->addr = ch->dma + ch->off + used;
		sge->length = min3(want - p->len, ch->len - used,
				   c->tx.peer_size - off);
		ib_dma_sync_single_for_device(ch->dev->ibdev, sge->addr,
					      sge->length, DMA_TO_DEVICE);
		used += sge->length;
		off += sge->length;
		p->len += sge->length;
	}
}

/* @len bytes are posted: the chunks that hold them are in flight. */
static void xmit_advance(struct smcx_conn *c, u32 len)
{
	struct smcx_conn_queue *q = &c->tx.q;
	struct smcx_chunk *ch, *tmp;
	u32 left = len;

	list_for_each_entry_safe(ch, tmp, &q->queue, node) {
		u32 n = min(left, ch->len);

		ch->off += n;
		ch->len -= n;
		left -= n;
		if (!ch->len && ch != q->append)
			list_move_tail(&ch->node, &q->flight);
		if (!left)
			break;
	}
	WRITE_ONCE(q->inflight, q->inflight + len);
	WRITE_ONCE(q->queued, q->queued - len);
	q->push -= min(q->push, len);
}

/*
 * An orphan whose peer still takes data is not given up, but one that takes a byte now and then is: it would hold the
 * connection for ever. What is left may be taken to the last byte.
 */
static void xmit_put_off_end(struct smcx_conn *c, u32 n)
{
	c->taken += n;
	if (c->taken < XMIT_ORPHAN_STEP && (c->tx.q.queued || c->tx.q.inflight))
		return;
	c->taken = 0;
	c->deadline = jiffies + smcx_conn_close_timeout(c);
}

/* Send completion: everything before this CDC is placed, and it itself delivered. */
static void conn_sent(struct smcx_slot *slot, bool ok)
{
	struct smcx_conn *c = slot->ctx;
	struct smcx_conn_tx *tx = &c->tx;
	u32 n;

	smcx_conn_lock(c);
	n = tx->msg_len[tx->msg_first];
	tx->msg_first = (tx->msg_first + 1) % SMCX_CONN_MSGS;
	tx->msgs--;
	if (c->rx.ask_msgs && !--c->rx.ask_msgs)
		c->rx.ask_until = jiffies + SMCX_CONN_END_WAIT;
	if (n) {
		tx->data_msgs--;
		WRITE_ONCE(tx->nomem, false);
		WRITE_ONCE(tx->q.inflight, tx->q.inflight - n);
		smcx_conn_reap(c, n);
	}
	if (n && ok && c->detached)
		xmit_put_off_end(c, n);
	/* a failure means that the QP broke: the group's end follows */
	if (ok)
		smcx_conn_push(c);
	xmit_check_waiters(c);
	smcx_conn_unlock(c);
	smcx_member_put(&c->m);
}

/* A peer that may still write gets no room in an element that nobody reads any more. */
static struct smcx_cursor xmit_cons(const struct smcx_conn *c)
{
	return c->detached && c->rx.doubt ? c->rx.cons_sent : c->rx.cons;
}

static void xmit_encode(const struct smcx_conn *c, u32 len, u8 *buf)
{
	const struct smcx_conn_tx *tx = &c->tx;
	struct smcx_cdc_msg msg = {
		.token		= tx->peer_token,
		.seqno		= tx->seq + 1,
		.state_flags	= tx->sflags,
		.prod		= smcx_cursor_add(tx->prod, len, tx->peer_size),
		.cons		= xmit_cons(c),
	};

	if (len == tx->q.queued)
		msg.state_flags |= tx->fin;
	/* together with an end of ours it would mean that more is to come */
	if (len && len == smcx_conn_window(c) && !msg.state_flags)
		msg.prod_flags |= SMCX_CDC_PROD_BLOCKED;
	if (smcx_conn_end_has_room(c, msg.cons))
		msg.prod_flags |= SMCX_CDC_PROD_CURS_UPDATE;
	if (tx->urg_len && !tx->urg_wait)
		msg.prod_flags |= SMCX_CDC_PROD_URG_PENDING;
	if (len && len == tx->urg_len)
		msg.prod_flags |= SMCX_CDC_PROD_URG_PRESENT;
	smcx_cdc_encode(&msg, buf);
}

/* Of the message that is about to count as sent. If nothing comes, the timer ends the waiting; what is corked may have set it earlier. */
static void xmit_asked(struct smcx_conn *c)
{
	c->rx.asked = true;
	c->rx.ask_msgs = c->tx.msgs + 1;
	if (!c->tx.cork_timer && !c->detached)
		smcx_conn_timer_arm(c, SMCX_CONN_END_WAIT);
}

/* The message is with the device: what it announced is now true. */
static void xmit_commit(struct smcx_conn *c, u32 len)
{
	struct smcx_conn_tx *tx = &c->tx;

	tx->seq++;
	if (len == tx->q.queued)
		WRITE_ONCE(tx->sflags, tx->sflags | tx->fin);
	if (!tx->urg_wait)
		tx->urg_due = false;
	if (tx->urg_len && len) {
		tx->urg_len -= len;
		tx->urg_wait = !tx->urg_len;
	}
	tx->prod = smcx_cursor_add(tx->prod, len, tx->peer_size);
	c->rx.cons_sent = xmit_cons(c);
	if (!c->rx.asked && smcx_conn_end_has_room(c, c->rx.cons_sent))
		xmit_asked(c);
	c->rx.pflags &= ~SMCX_CDC_PROD_CURS_UPDATE;
	tx->update_due = false;

	tx->msg_len[(tx->msg_first + tx->msgs) % SMCX_CONN_MSGS] = len;
	tx->msgs++;
	if (len) {
		tx->data_msgs++;
		xmit_advance(c, len);
		if (!smcx_conn_window(c))
			smcx_stat_inc(c->sn, SMCX_CNT_RMB_FULL_PEER);
	}
}

/*
 * Does the message fit behind its CDC?
 * Return: pieces in @sge, 0 if it is to be written.
 */
static int plan_data(const struct smcx_conn *c, const struct xmit_plan *p, struct ib_sge *sge)
{
	int max = c->m.link->qp->max_sge - 1;
	int i, j, n = 0;

	if (!c->m.lgr->data || p->len > SMCX_CDC_DATA_MAX)
		return 0;
	for (i = 0; i < p->nw; i++)
		for (j = 0; j < p->w[i].nsge; j++) {
			if (n == max)
				return 0;
			sge[n++] = p->w[i].sge[j];
		}
	return n;
}

static int xmit_post(struct smcx_conn *c, struct smcx_slot *slot, struct xmit_plan *p)
{
	struct ib_sge sge[SMCX_QP_WRITE_SGES];
	int n = plan_data(c, p, sge);

	if (!n)
		return smcx_qp_post(slot, p->w, p->nw);
	smcx_stat_inc(c->sn, SMCX_CNT_TX_DATA_CDC);
	return smcx_qp_post_data(slot, sge, n);
}

/* Return: false when nothing more can be posted for now. */
static bool xmit_message(struct smcx_conn *c, u32 want)
{
	struct xmit_plan plan;
	struct smcx_slot *slot;
	int err;

	slot = smcx_slot_get(c->m.link->qp, false);
	if (!slot) {
		smcx_link_wait_slot(c->m.link, &c->m);
		return false;
	}
	plan_message(c, want, &plan);
	xmit_encode(c, plan.len, slot->msg);
	slot->done = conn_sent;
	slot->ctx = c;
	smcx_member_hold(&c->m);
	err = xmit_post(c, slot, &plan);
	if (!err) {
		xmit_commit(c, plan.len);
		return true;
	}
	smcx_member_put(&c->m);
	/* a stopped QP brings the group's end; anything else is ours alone */
	if (err != -ENOTCONN)
		smcx_conn_die(c, ECONNABORTED);
	return false;
}

/* Is there something to say without data? */
static bool xmit_is_control_due(const struct smcx_conn *c)
{
	const struct smcx_conn_tx *tx = &c->tx;

	return tx->update_due || (tx->urg_due && !tx->urg_wait) ||
	       (!tx->q.queued && (tx->fin & ~tx->sflags));
}

void smcx_conn_push(struct smcx_conn *c)
{
	struct smcx_conn_tx *tx = &c->tx;
	u32 n;

	lockdep_assert_held(&c->lock);
	if (c->killed || c->finished || !tx->peer_size || c->state == SMCX_ST_INIT)
		return;
	while (tx->msgs < SMCX_CONN_MSGS && (n = xmit_budget(c)))
		if (!xmit_message(c, n))
			return;
	if (tx->msgs < SMCX_CONN_MSGS && xmit_is_control_due(c))
		xmit_message(c, 0);
}

void smcx_conn_tx_ready(struct smcx_member *m)
{
	struct smcx_conn *c = smcx_conn_of(m);

	smcx_conn_lock(c);
	smcx_conn_push(c);
	smcx_conn_unlock(c);
}
