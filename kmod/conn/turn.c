// SPDX-License-Identifier: GPL-2.0
/*
 * Applications that answer in several writes, see "Turns" in DOC: Connections.
 */
#include <linux/ktime.h>

#include "conn_priv.h"

#define TURN_HOLD_NS	(2 * NSEC_PER_MSEC)	/* longest that bytes are held back */
#define TURN_QUICK_NS	(TURN_HOLD_NS / 2)	/* a turn worth waiting for takes less */
#define TURN_EVENTS_MAX	4			/* and has no more events than that */
#define TURN_SURE	3

static void turn_count(struct smcx_conn_turn *t)
{
	u64 now = ktime_get_ns();

	if (!t->events) {
		t->start = now;
		t->quick = true;
	} else if (now - t->start > TURN_QUICK_NS) {
		t->quick = false;
	}
	if (t->events <= TURN_EVENTS_MAX)
		t->events++;
}

static void turn_learn(struct smcx_conn_turn *t)
{
	u8 n = t->quick && t->events <= TURN_EVENTS_MAX ? t->events : 0;

	/* a busy machine disturbs a turn now and then: no reason to forget at once */
	if (n == t->expect)
		t->sure = min(t->sure + 1, TURN_SURE);
	else if (t->sure)
		t->sure--;
	else
		t->expect = n;
	t->events = 0;
}

void smcx_turn_release(struct smcx_conn *c)
{
	lockdep_assert_held(&c->lock);
	if (!c->turn.held)
		return;
	c->turn.held = false;
	/* if it runs already it finds nothing held, and drops the reference itself */
	if (hrtimer_try_to_cancel(&c->turn.timer) != 1)
		return;
	c->turn.armed = false;
	smcx_member_put(&c->m);
}

static void turn_hold(struct smcx_conn *c)
{
	if (c->turn.held)
		return;
	c->turn.held = true;
	/* a timer that could not be cancelled is still there, and so is its reference */
	if (!c->turn.armed)
		smcx_member_hold(&c->m);
	c->turn.armed = true;
	hrtimer_start(&c->turn.timer, ns_to_ktime(TURN_HOLD_NS), HRTIMER_MODE_REL_SOFT);
}

/* The application did not do what it used to do. */
static enum hrtimer_restart turn_timeout(struct hrtimer *timer)
{
	struct smcx_conn *c = container_of(timer, struct smcx_conn, turn.timer);
	bool again;

	smcx_conn_lock(c);
	/* armed anew while we waited for the lock: what is held now has time left, the reference is the next run's */
	again = hrtimer_is_queued(timer);
	if (!again)
		c->turn.armed = false;
	if (!again && c->turn.held) {
		c->turn.held = false;
		if (c->turn.sure)
			c->turn.sure--;
		smcx_conn_push(c);
	}
	smcx_conn_unlock(c);
	if (!again)
		smcx_member_put(&c->m);
	return HRTIMER_NORESTART;
}

void smcx_turn_init(struct smcx_conn *c)
{
	hrtimer_init(&c->turn.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	c->turn.timer.function = turn_timeout;
}

void smcx_turn_write(struct smcx_conn *c)
{
	struct smcx_conn_turn *t = &c->turn;

	lockdep_assert_held(&c->lock);
	turn_count(t);
	if (t->sure && t->quick && t->events < t->expect)
		turn_hold(c);
	else
		smcx_turn_release(c);
}

void smcx_turn_end(struct smcx_conn *c)
{
	bool held = c->turn.held;

	lockdep_assert_held(&c->lock);
	if (!c->turn.events)
		return;
	turn_learn(&c->turn);
	smcx_turn_release(c);
	if (held)
		smcx_conn_push(c);
}

u16 smcx_conn_habit(struct smcx_conn *c)
{
	struct smcx_conn_turn *t = &c->turn;
	u16 habit;

	smcx_conn_lock(c);
	if (t->events) {
		turn_count(t);
		turn_learn(t);
	}
	habit = t->sure << 8 | t->expect;
	smcx_conn_unlock(c);
	return habit;
}

void smcx_conn_set_habit(struct smcx_conn *c, u16 habit)
{
	smcx_conn_lock(c);
	c->turn.expect = habit & 0xff;
	c->turn.sure = habit >> 8;
	smcx_conn_unlock(c);
}
