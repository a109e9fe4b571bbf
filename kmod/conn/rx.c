// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving side as the socket sees it: reading the element, window updates.
 */
#include <linux/socket.h>
#include <linux/uio.h>

#include "conn_priv.h"

/* Is it time to tell the peer how far we have read? See DOC: Connections. */
static bool rx_is_update_due(const struct smcx_conn *c, bool force)
{
	const struct smcx_conn_rx *rx = &c->rx;
	u32 size = rx->rmbe.size;
	u32 unsaid = smcx_cursor_diff(rx->cons_sent, rx->cons, size);

	if (!unsaid || rx->sflags)	/* a peer that writes no more needs no room */
		return false;
	if (force || (rx->pflags & SMCX_CDC_PROD_CURS_UPDATE))
		return true;
	if (unsaid < size / 4)
		return false;
	return (rx->pflags & SMCX_CDC_PROD_BLOCKED) ||
	       smcx_cursor_diff(rx->cons_sent, rx->prod, size) >= size / 2;
}

/* Reading moves from before or at the urgent mark by @n bytes. Return: true if the byte is passed. */
static bool rx_pass_mark(struct smcx_conn *c, u32 n)
{
	u32 end;

	if (!n || !smcx_urg_mark(c, &end) || n < end)
		return false;
	/* not inline, standing right behind it is still being at the mark */
	if (n > end || smcx_urg_is_inline(c))
		WRITE_ONCE(c->rx.urg_state, SMCX_URG_NONE);
	return end;
}

void smcx_rx_consume(struct smcx_conn *c, u32 n)
{
	struct smcx_conn_rx *rx = &c->rx;
	bool passed;

	smcx_conn_lock(c);
	passed = rx_pass_mark(c, n);
	rx->cons = smcx_cursor_add(rx->cons, n, rx->rmbe.size);
	atomic_sub(n, &rx->avail);
	passed |= smcx_urg_skip(c);
	if (rx_is_update_due(c, passed)) {
		c->tx.update_due = true;
		smcx_conn_push(c);
	}
	if (!atomic_read(&rx->avail))
		rx->pflags &= ~SMCX_CDC_PROD_BLOCKED;
	smcx_conn_unlock(c);
}

void smcx_conn_tell_room(struct smcx_conn *c)
{
	smcx_conn_lock(c);
	if (rx_is_update_due(c, true)) {
		c->tx.update_due = true;
		smcx_conn_push(c);
	}
	smcx_conn_unlock(c);
}

/* Why there is nothing to read. The proper end of the stream comes before any error after it. */
static int rx_nothing(struct smcx_conn *c)
{
	int err = c->err;

	if (c->rx.sflags & (SMCX_CDC_STATE_DONE_WRITING | SMCX_CDC_STATE_CLOSED))
		return 0;
	if (err) {
		WRITE_ONCE(c->err, 0);
		return -err;
	}
	return smcx_conn_rcv_closed(c) ? 0 : -EAGAIN;
}

static void rx_sync(const struct smcx_conn *c, const struct smcx_rx_span *span)
{
	unsigned int i;

	for (i = 0; i < span->n; i++)
		smcx_rmbe_sync(&c->rx.rmbe, span->piece[i].off, span->piece[i].len);
}

int smcx_rx_span(struct smcx_conn *c, size_t want, size_t off,
		 struct smcx_rx_span *span)
{
	struct smcx_conn_rx *rx = &c->rx;
	u32 avail, end;
	int rc;

	smcx_conn_lock(c);
	smcx_turn_end(c);
	avail = atomic_read(&rx->avail);
	span->skip = 0;
	if (smcx_urg_mark(c, &end) && end) {
		if (off < end - 1)
			want = min_t(size_t, want, end - 1 - off);
		else if (!smcx_urg_is_inline(c))
			span->skip = 1;
	}
	off = min_t(size_t, off + span->skip, avail);
	span->len = min_t(size_t, want, avail - off);
	span->n = smcx_ring_split(smcx_cursor_add(rx->cons, off, rx->rmbe.size).off,
				  span->len, rx->rmbe.size, span->piece);
	rc = span->len ? (int)span->len : rx_nothing(c);
	smcx_conn_unlock(c);
	rx_sync(c, span);
	return rc;
}

static u32 rx_copy(struct smcx_conn *c, const struct smcx_rx_span *span,
		   struct msghdr *msg)
{
	u32 copied = 0, got;
	unsigned int i;

	for (i = 0; i < span->n; i++) {
		got = copy_to_iter(c->rx.rmbe.base + span->piece[i].off,
				   span->piece[i].len, &msg->msg_iter);
		copied += got;
		if (got < span->piece[i].len)
			break;
	}
	return copied;
}

ssize_t smcx_conn_recv(struct smcx_conn *c, struct msghdr *msg, size_t len,
		       int flags, size_t peek_off)
{
	bool peek = flags & MSG_PEEK;
	struct smcx_rx_span span;
	u32 copied;
	int rc;

	if (!len)
		return 0;
	if (!peek) {
		peek_off = 0;
		smcx_stat_inc(c->sn, SMCX_CNT_RX_CALLS);
	}
	rc = smcx_rx_span(c, len, peek_off, &span);
	copied = flags & MSG_TRUNC ? span.len : rx_copy(c, &span, msg);
	if (span.len && !copied)
		return -EFAULT;
	if (!peek && copied + span.skip)
		smcx_rx_consume(c, copied + span.skip);
	if (!copied)
		return rc;
	if (!peek) {
		smcx_stat_add(c->sn, SMCX_CNT_RX_BYTES, copied);
		smcx_stat_hist(c->sn, SMCX_HIST_RX_PAYLOAD, copied);
	}
	return copied;
}
