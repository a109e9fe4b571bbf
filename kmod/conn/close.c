// SPDX-License-Identifier: GPL-2.0
/*
 * Ending a connection: shutdown, close in the background, reset, kill.
 */
#include <linux/tcp.h>
#include <net/sock.h>

#include "conn_priv.h"

#define CLOSE_DEAD_WAIT	(2UL * HZ)

void smcx_conn_shutdown(struct smcx_conn *c, int how)
{
	smcx_conn_lock(c);
	smcx_turn_release(c);
	if (how & RCV_SHUTDOWN) {
		WRITE_ONCE(c->rx.shutdown, true);
		c->events |= SMCX_CEV_READABLE | SMCX_CEV_STATE;
	}
	/*
	 * Both directions are no close: as with TCP only "done writing" goes out, and
	 * what the peer still sends can be read.
	 */
	if (how & SEND_SHUTDOWN) {
		smcx_conn_event(c, SMCX_CLOSE_EV_APP_SHUT_WR, 0);
		c->tx.q.push = c->tx.q.queued;
		c->events |= SMCX_CEV_WRITABLE | SMCX_CEV_STATE;
	}
	smcx_conn_push(c);
	smcx_conn_unlock(c);
}

/*
 * Of a connection that has ended already only the element is waited for: a peer that reset TCP
 * sends its own abort at once, or has never known the connection.
 */
static unsigned long close_patience(const struct smcx_conn *c)
{
	unsigned long limit = smcx_conn_close_timeout(c);

	return smcx_conn_is_dead(c) ? min(limit, CLOSE_DEAD_WAIT) : limit;
}

static void close_believe(struct smcx_conn *c)
{
	u8 end = c->rx.held;

	c->rx.held = 0;
	c->rx.asked = false;
	smcx_conn_peer_flags(c, end);
}

void smcx_conn_doubt(struct smcx_conn *c)
{
	unsigned long until = c->rx.doubt_until;

	c->rx.doubt = true;
	if (!c->killed && time_before(jiffies, until) && time_before(until, c->deadline))
		smcx_conn_timer_arm(c, until - jiffies);
}

void smcx_conn_close(struct smcx_conn *c, bool abort)
{
	unsigned long limit;
	bool end_in_doubt;

	/* TCP is reset, too */
	if (abort)
		smcx_lgr_note_reset(c->m.lgr);
	smcx_conn_lock(c);
	limit = close_patience(c);
	end_in_doubt = c->rx.held;
	if (end_in_doubt)
		close_believe(c);
	/* as TCP: data that nobody will read was lost, and the peer shall know */
	c->abortive = abort || smcx_conn_avail(c);
	/* only now: the owner says whether an urgent byte is such data */
	RCU_INIT_POINTER(c->ops, NULL);
	c->detached = true;
	smcx_turn_release(c);
	smcx_conn_event(c, SMCX_CLOSE_EV_APP_CLOSE, 0);
	c->tx.q.push = c->tx.q.queued;
	c->deadline = jiffies + limit;
	c->rx.doubt_until = jiffies + SMCX_CONN_DOUBT_WAIT;
	if (!c->killed)
		smcx_conn_timer_arm(c, limit);
	if (end_in_doubt)
		smcx_conn_doubt(c);
	smcx_conn_push(c);
	smcx_conn_unlock(c);
	smcx_member_put(&c->m);
}

void smcx_conn_reset(struct smcx_conn *c, int err)
{
	smcx_lgr_note_reset(c->m.lgr);
	smcx_conn_lock(c);
	smcx_conn_event(c, SMCX_CLOSE_EV_KILL, err);
	smcx_conn_push(c);
	smcx_conn_unlock(c);
}

void smcx_conn_kill(struct smcx_member *m, int err)
{
	struct smcx_conn *c = smcx_conn_of(m);

	smcx_conn_lock(c);
	if (!c->killed && !c->finished)
		smcx_stat_inc(c->sn, SMCX_CNT_KILLED);
	smcx_conn_die(c, abs(err));
	smcx_conn_unlock(c);
}

/*
 * The peer does not answer our close: tell it that we are gone, and go. Messages under way hold us, and a peer that posts no
 * receives can keep them so for ever (RNR), while what it sends itself makes the link look alive. Then the link is worth nothing.
 */
static void close_give_up(struct smcx_conn *c)
{
	if (c->expired) {
		smcx_lgr_terminate(c->m.lgr, -ETIMEDOUT, 0);
		return;
	}
	c->expired = true;
	smcx_conn_event(c, SMCX_CLOSE_EV_KILL, 0);
	smcx_conn_push(c);
	if (c->tx.msgs)
		smcx_conn_timer_arm(c, smcx_conn_close_timeout(c));
}

/* Told that there is room, the peer sends nothing; what it has not got yet does not count. */
static void close_no_more(struct smcx_conn *c)
{
	if (c->rx.ask_msgs) {
		smcx_conn_timer_arm(c, SMCX_CONN_END_WAIT);
	} else if (time_before(jiffies, c->rx.ask_until)) {
		smcx_conn_timer_arm(c, c->rx.ask_until - jiffies);
	} else {
		close_believe(c);
		smcx_conn_push(c);
	}
}

void smcx_conn_timer(struct work_struct *work)
{
	struct smcx_conn *c = container_of(to_delayed_work(work),
					   struct smcx_conn, timer);

	smcx_conn_lock(c);
	c->tx.cork_timer = false;
	if (c->finished || c->killed) {
		;
	} else if (!c->detached) {
		c->tx.q.push = c->tx.q.queued;
		smcx_conn_push(c);
		if (c->rx.asked)
			close_no_more(c);
	} else if (time_before(jiffies, c->deadline)) {
		smcx_conn_timer_arm(c, c->deadline - jiffies);
	} else {
		close_give_up(c);
	}
	smcx_conn_unlock(c);
	smcx_member_put(&c->m);
}
