// SPDX-License-Identifier: GPL-2.0
/*
 * What a connection looks like from outside.
 */
#include <linux/poll.h>

#include "conn_priv.h"

bool smcx_conn_drained(struct smcx_conn *c)
{
	struct smcx_conn_tx *tx = &c->tx;
	bool drained;

	smcx_conn_lock(c);
	drained = c->killed || (!tx->msgs && !tx->q.queued &&
				!(tx->fin & ~tx->sflags));
	tx->drain_wait = !drained;
	smcx_conn_unlock(c);
	return drained;
}

void smcx_conn_unheard(struct smcx_conn *c)
{
	/* poll says so; nobody waits for what their own send() has just told them */
	WRITE_ONCE(c->tx.unheard, true);
}

/* Not writable: ask to be told. Looking again under the lock is what loses no wake-up. */
static bool poll_arm_writable(struct smcx_conn *c)
{
	bool writable;

	smcx_conn_lock(c);
	writable = smcx_conn_is_writable(c) || smcx_conn_snd_closed(c);
	if (!writable)
		c->tx.nospace = true;
	smcx_conn_unlock(c);
	return writable;
}

u32 smcx_conn_lowat(const struct smcx_conn *c, int rcvlowat)
{
	u32 end;

	/* nothing comes behind an urgent byte before it is passed */
	if (smcx_urg_mark(c, &end) && end)
		return 1;
	/*
	 * The peer may see a quarter of the element as used although it is
	 * read (window updates), so never ask for more than half of it.
	 */
	return clamp_t(u32, rcvlowat, 1, c->rx.rmbe.size / 2);
}

__poll_t smcx_conn_poll(struct smcx_conn *c, int rcvlowat)
{
	bool rcv_closed = smcx_conn_rcv_closed(c);
	__poll_t mask = 0;

	if (rcv_closed)
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	if (rcv_closed && (smcx_conn_is_shut_wr(c) || READ_ONCE(c->tx.unheard)))
		mask |= EPOLLHUP;
	if (smcx_conn_avail(c) >= smcx_conn_lowat(c, rcvlowat))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (smcx_conn_is_writable(c) || smcx_conn_snd_closed(c) ||
	    poll_arm_writable(c))
		mask |= EPOLLOUT | EPOLLWRNORM;
	if (READ_ONCE(c->rx.urg_state) == SMCX_URG_VALID)
		mask |= EPOLLPRI;
	/* last: set before what made us look is told */
	if (READ_ONCE(c->err))
		mask |= EPOLLERR;
	return mask;
}
