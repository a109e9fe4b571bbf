// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's states: feeding the close table, telling the owner, ending.
 */
#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "conn_priv.h"

#define CONN_EXIT_WAIT_S	30

#define CDC_CLOSED	(SMCX_CDC_STATE_CLOSED | SMCX_CDC_STATE_ABORT)
#define CDC_DONE	(SMCX_CDC_STATE_DONE_WRITING | CDC_CLOSED)

static struct workqueue_struct *smcx_conn_wq;
static atomic_t smcx_conn_count = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(smcx_conn_gone);

void smcx_conn_reap(struct smcx_conn *c, u32 n)
{
	struct smcx_conn_queue *q = &c->tx.q;
	struct smcx_chunk *ch, *tmp;

	q->acked += n;
	list_for_each_entry_safe(ch, tmp, &q->flight, node) {
		if (q->acked < ch->off)
			break;
		q->acked -= ch->off;
		list_del(&ch->node);
		smcx_chunk_put(ch);
	}
}

void smcx_conn_purge(struct smcx_conn *c)
{
	struct smcx_conn_queue *q = &c->tx.q;
	struct smcx_chunk *ch, *tmp;

	list_for_each_entry_safe(ch, tmp, &q->queue, node) {
		ch->len = 0;
		if (ch == q->append)
			continue;
		if (ch->off) {
			/* the device may still be reading its first part */
			list_move_tail(&ch->node, &q->flight);
		} else {
			list_del(&ch->node);
			smcx_chunk_put(ch);
		}
	}
	WRITE_ONCE(q->queued, 0);
	q->push = 0;
	c->tx.urg_len = 0;
	c->tx.urg_due = false;
	smcx_conn_reap(c, 0);
}

static void conn_set_err(struct smcx_conn *c, int err)
{
	if (err && !c->err)
		WRITE_ONCE(c->err, err);
}

void smcx_conn_event(struct smcx_conn *c, enum smcx_close_event ev, int err)
{
	u8 sent = c->tx.sflags | c->tx.fin;
	/*
	 * Nobody waits for draining here: flags in tx.fin follow the queue out,
	 * so for the table it is drained and they are sent.
	 */
	const struct smcx_close_ctx ctx = {
		.drained	= true,
		.unread		= c->abortive,
		.done_sent	= sent & SMCX_CDC_STATE_DONE_WRITING,
		.close_sent	= sent & CDC_CLOSED,
		.peer_closed	= c->rx.sflags & CDC_CLOSED,
		.app_closed	= c->detached,
	};
	struct smcx_close_result res;

	lockdep_assert_held(&c->lock);
	res = smcx_close_next(c->state, ev, &ctx);
	if (res.next != c->state) {
		WRITE_ONCE(c->state, res.next);
		c->events |= SMCX_CEV_STATE;
	}
	if (res.actions & SMCX_CLOSE_ACT_SEND_DONE)
		WRITE_ONCE(c->tx.fin, c->tx.fin | SMCX_CDC_STATE_DONE_WRITING);
	if (res.actions & SMCX_CLOSE_ACT_SEND_CLOSED)
		WRITE_ONCE(c->tx.fin, c->tx.fin | SMCX_CDC_STATE_CLOSED);
	if (res.actions & SMCX_CLOSE_ACT_SEND_ABORT) {
		WRITE_ONCE(c->tx.fin, c->tx.fin | SMCX_CDC_STATE_ABORT);
		smcx_conn_purge(c);
	}
	if (res.actions & SMCX_CLOSE_ACT_SET_RESET)
		conn_set_err(c, ECONNRESET);
	if (res.actions & SMCX_CLOSE_ACT_SET_ABORTED)
		conn_set_err(c, err);
	if (res.actions & SMCX_CLOSE_ACT_WAKE)
		c->events |= SMCX_CEV_STATE;
}

void smcx_conn_peer_flags(struct smcx_conn *c, u8 flags)
{
	u8 new = flags & ~c->rx.sflags & CDC_DONE;

	lockdep_assert_held(&c->lock);
	if (!new)
		return;
	if (c->state == SMCX_ST_INIT) {	/* smcx_conn_activate() feeds them */
		c->rx.sflags |= new;
		return;
	}
	/* an abort makes whatever comes with it meaningless */
	if (new & SMCX_CDC_STATE_ABORT) {
		/* as TCP in CLOSE_WAIT */
		if ((c->rx.sflags & CDC_DONE) && !(c->tx.fin & SMCX_CDC_STATE_DONE_WRITING))
			conn_set_err(c, EPIPE);
		smcx_conn_event(c, SMCX_CLOSE_EV_PEER_ABORT, 0);
	} else {
		if (new & SMCX_CDC_STATE_DONE_WRITING) {
			smcx_conn_event(c, SMCX_CLOSE_EV_PEER_DONE, 0);
			c->rx.sflags |= SMCX_CDC_STATE_DONE_WRITING;
		}
		if (new & SMCX_CDC_STATE_CLOSED)
			smcx_conn_event(c, SMCX_CLOSE_EV_PEER_CLOSED, 0);
	}
	WRITE_ONCE(c->rx.sflags, c->rx.sflags | new);
	/* who closed reads no more */
	if (new & CDC_CLOSED)
		smcx_conn_purge(c);
	c->events |= SMCX_CEV_READABLE | SMCX_CEV_STATE;
}

void smcx_conn_die(struct smcx_conn *c, int err)
{
	lockdep_assert_held(&c->lock);
	if (c->killed || c->finished)
		return;
	WRITE_ONCE(c->killed, true);
	smcx_conn_event(c, SMCX_CLOSE_EV_KILL, err);
	if (c->state == SMCX_ST_INIT)	/* the table knows no connection yet */
		conn_set_err(c, err);
	smcx_conn_purge(c);
	c->events |= SMCX_CEV_STATE;
}

void smcx_conn_violation(struct smcx_conn *c)
{
	lockdep_assert_held(&c->lock);
	smcx_drop_note(c->sn, SMCX_DROP_CURSOR);
	smcx_conn_refuse(c);
}

void smcx_conn_refuse(struct smcx_conn *c)
{
	lockdep_assert_held(&c->lock);
	c->rx.broken = true;
	/* ECONNRESET: what a TCP peer's senseless segment would end in */
	smcx_conn_event(c, SMCX_CLOSE_EV_KILL, ECONNRESET);
	if (c->state == SMCX_ST_INIT) {
		WRITE_ONCE(c->killed, true);
		conn_set_err(c, ECONNRESET);
	}
}

void smcx_conn_timer_arm(struct smcx_conn *c, unsigned long delay)
{
	lockdep_assert_held(&c->lock);
	smcx_member_hold(&c->m);
	if (mod_delayed_work(smcx_conn_wq, &c->timer, delay))
		smcx_member_put(&c->m);	/* was pending: has its reference */
}

static void conn_notify(struct smcx_conn *c, unsigned int events)
{
	const struct smcx_conn_ops *ops;

	rcu_read_lock();
	ops = rcu_dereference(c->ops);
	if (ops) {
		/* first: the error is there when the others wake somebody */
		if (events & SMCX_CEV_STATE)
			ops->state(c->owner);
		if (events & SMCX_CEV_URGENT)
			ops->urgent(c->owner);
		if (events & SMCX_CEV_READABLE)
			ops->readable(c->owner);
		if (events & SMCX_CEV_WRITABLE)
			ops->writable(c->owner);
	}
	rcu_read_unlock();
}

/* Only one caller gets here: @finished was set under the lock. */
static void conn_finish(struct smcx_conn *c)
{
	bool peer_closed = c->rx.sflags & CDC_CLOSED;
	/* given up before that is certain (net.smc.close_timeout is short) */
	bool in_doubt = c->rx.doubt && time_before(jiffies, c->rx.doubt_until);

	smcx_member_hold(&c->m);
	if (cancel_delayed_work(&c->timer))
		smcx_member_put(&c->m);
	smcx_rmbe_put(c->m.lgr, &c->rx.rmbe, c->rx.high, !peer_closed || in_doubt);
	smcx_member_del(&c->m);
	smcx_member_put(&c->m);
}

static bool conn_fin_posted(const struct smcx_conn *c)
{
	return !(c->tx.fin & ~c->tx.sflags);
}

/* Has the end been reached? Called whenever something may have changed. */
static void conn_settle(struct smcx_conn *c)
{
	bool hopeless = c->killed || c->expired;

	if (c->state == SMCX_ST_PEERABORTWAIT &&
	    (hopeless || (conn_fin_posted(c) && !c->tx.msgs)))
		smcx_conn_event(c, SMCX_CLOSE_EV_FLUSHED, 0);
	if (c->finished || !c->detached || c->state != SMCX_ST_CLOSED)
		return;
	/* the device reads our chunks until the last completion */
	if (c->tx.msgs || c->tx.q.append)
		return;
	/* the peer's own end gives the element back; it is mostly on the way */
	if (!hopeless && (!conn_fin_posted(c) || !(c->rx.sflags & CDC_CLOSED)))
		return;
	if (!hopeless && c->rx.doubt && time_before(jiffies, c->rx.doubt_until))
		return;
	c->finished = true;
	c->events |= SMCX_CEV_FINISH;
}

void smcx_conn_unlock(struct smcx_conn *c)
	__releases(&c->lock)
{
	unsigned int events;

	conn_settle(c);
	events = c->events;
	c->events = 0;
	spin_unlock_bh(&c->lock);

	if (events & ~SMCX_CEV_FINISH)
		conn_notify(c, events);
	if (events & SMCX_CEV_FINISH)
		conn_finish(c);
}

bool smcx_conn_rcv_closed(const struct smcx_conn *c)
{
	return READ_ONCE(c->rx.shutdown) || smcx_conn_is_dead(c) ||
	       (READ_ONCE(c->rx.sflags) & CDC_DONE);
}

bool smcx_conn_has_fin(const struct smcx_conn *c)
{
	u8 flags = READ_ONCE(c->rx.sflags);

	return (flags & (SMCX_CDC_STATE_DONE_WRITING | SMCX_CDC_STATE_CLOSED)) && !(flags & SMCX_CDC_STATE_ABORT);
}

bool smcx_conn_snd_closed(const struct smcx_conn *c)
{
	return smcx_conn_is_shut_wr(c) || (READ_ONCE(c->rx.sflags) & CDC_CLOSED);
}

bool smcx_conn_is_over(const struct smcx_conn *c)
{
	return smcx_conn_is_dead(c) ||
	       (smcx_conn_is_shut_wr(c) && (READ_ONCE(c->rx.sflags) & CDC_DONE));
}

int smcx_conn_err(struct smcx_conn *c, int *to)
{
	int err;

	/* the end shows before its error does, outside of the lock */
	if (!READ_ONCE(c->err) && !smcx_conn_is_dead(c))
		return 0;
	smcx_conn_lock(c);
	err = c->err;
	if (err)
		WRITE_ONCE(*to, err);
	WRITE_ONCE(c->err, 0);
	smcx_conn_unlock(c);
	return err;
}

void smcx_conn_count_new(void)
{
	atomic_inc(&smcx_conn_count);
}

static void conn_free(struct rcu_head *rcu)
{
	struct smcx_conn *c = container_of(rcu, struct smcx_conn, rcu);

	WARN_ON_ONCE(!list_empty(&c->tx.q.queue) || !list_empty(&c->tx.q.flight));
	smcx_dev_put(c->dev);
	kfree(c);
	if (atomic_dec_and_test(&smcx_conn_count))
		wake_up_all(&smcx_conn_gone);
}

void smcx_conn_release(struct smcx_member *m)
{
	call_rcu(&smcx_conn_of(m)->rcu, conn_free);
}

int smcx_conn_state_init(void)
{
	smcx_conn_wq = alloc_workqueue("smcx_conn", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return smcx_conn_wq ? 0 : -ENOMEM;
}

void smcx_conn_state_exit(void)
{
	long left = wait_event_timeout(smcx_conn_gone,
				       !atomic_read(&smcx_conn_count),
				       CONN_EXIT_WAIT_S * HZ);

	WARN(!left, "smcx: %d connections left\n", atomic_read(&smcx_conn_count));
	rcu_barrier();
	destroy_workqueue(smcx_conn_wq);
}
