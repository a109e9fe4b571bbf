// SPDX-License-Identifier: GPL-2.0
/*
 * Urgent data, receiving side (protocol.rst 5.7, semantics of TCP).
 */
#include <linux/socket.h>
#include <linux/uio.h>

#include "conn_priv.h"

bool smcx_urg_mark(const struct smcx_conn *c, u32 *end)
{
	u8 state = READ_ONCE(c->rx.urg_state);

	if (state != SMCX_URG_VALID && state != SMCX_URG_READ)
		return false;
	/* @urg_cur is never behind @cons: reading on from it clears the state */
	*end = smcx_cursor_diff(c->rx.cons, c->rx.urg_cur, c->rx.rmbe.size);
	return true;
}

/*
 * Nobody to ask: inline, so that no byte is passed over that an owner to come wants to read;
 * smcx_conn_attach() makes up for it.
 */
bool smcx_urg_is_inline(const struct smcx_conn *c)
{
	const struct smcx_conn_ops *ops;
	bool is_inline;

	rcu_read_lock();
	ops = rcu_dereference(c->ops);
	is_inline = !ops || ops->oobinline(c->owner);
	rcu_read_unlock();
	return is_inline;
}

bool smcx_urg_skip(struct smcx_conn *c)
{
	struct smcx_conn_rx *rx = &c->rx;
	u32 end;

	lockdep_assert_held(&c->lock);
	if (!smcx_urg_mark(c, &end) || end != 1 || smcx_urg_is_inline(c))
		return false;
	rx->cons = smcx_cursor_add(rx->cons, 1, rx->rmbe.size);
	atomic_dec(&rx->avail);
	return true;
}

void smcx_urg_arrive(struct smcx_conn *c)
{
	struct smcx_conn_rx *rx = &c->rx;
	u32 last = (rx->prod.off ? rx->prod.off : rx->rmbe.size) - 1;

	lockdep_assert_held(&c->lock);
	rx->urg_cur = rx->prod;
	smcx_rmbe_sync(&rx->rmbe, last, 1);
	rx->urg_byte = ((const u8 *)rx->rmbe.base)[last];
	WRITE_ONCE(rx->urg_state, SMCX_URG_VALID);
	/* alone in the element; no reader can be copying */
	if (smcx_urg_skip(c))
		c->tx.update_due = true;
	c->events |= SMCX_CEV_URGENT;
}

/* Take the byte if it is there. Return: 1, 0 at EOF, -EINVAL, -EAGAIN. */
static int urg_take(struct smcx_conn *c, bool peek, u8 *byte)
{
	struct smcx_conn_rx *rx = &c->rx;
	int rc = 1;

	smcx_conn_lock(c);
	if (rx->urg_state == SMCX_URG_VALID) {
		*byte = rx->urg_byte;
		if (!peek)
			WRITE_ONCE(rx->urg_state, SMCX_URG_READ);
	} else if (rx->urg_state != SMCX_URG_NOTYET) {
		rc = -EINVAL;
	} else if (smcx_conn_rcv_closed(c)) {
		rc = 0;
	} else {
		rc = -EAGAIN;
	}
	smcx_conn_unlock(c);
	return rc;
}

ssize_t smcx_conn_recv_urg(struct smcx_conn *c, struct msghdr *msg, size_t len,
			   int flags)
{
	u8 byte;
	int rc;

	if (smcx_urg_is_inline(c))
		return -EINVAL;
	rc = urg_take(c, flags & MSG_PEEK, &byte);
	if (rc <= 0)
		return rc;

	msg->msg_flags |= MSG_OOB;
	if (!len) {
		msg->msg_flags |= MSG_TRUNC;
		return 0;
	}
	if (!(flags & MSG_TRUNC) && copy_to_iter(&byte, 1, &msg->msg_iter) != 1)
		return -EFAULT;
	smcx_stat_add(c->sn, SMCX_CNT_RX_BYTES, 1);
	return 1;
}

bool smcx_conn_at_mark(const struct smcx_conn *c, size_t off)
{
	u32 end;

	return smcx_urg_mark(c, &end) && end <= off + 1;
}

u32 smcx_conn_avail(const struct smcx_conn *c)
{
	u32 avail = atomic_read(&c->rx.avail);
	u32 end;

	if (!smcx_urg_mark(c, &end) || !end || smcx_urg_is_inline(c))
		return avail;
	/* up to the mark; standing before it, what is behind */
	if (end > 1)
		return min(end - 1, avail);
	return avail ? avail - 1 : 0;
}
