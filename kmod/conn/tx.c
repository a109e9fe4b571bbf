// SPDX-License-Identifier: GPL-2.0
/*
 * Sending side as the socket sees it: queue, cork, limits.
 */
#include <linux/socket.h>
#include <linux/uio.h>

#include "../proto/ext.h"
#include "conn_priv.h"

#define TX_BATCH	(64 * 1024)	/* bytes copied before transmission gets them */

/**
 * struct tx_copy - one batch on its way from the iterator to the queue
 * @tail: chunk that is in the queue already, or NULL
 * @pos: where to write in @tail
 * @tail_len: bytes written there
 * @fresh: new chunks
 * @len: bytes in @tail and @fresh
 */
struct tx_copy {
	struct smcx_chunk	*tail;
	u32			pos;
	u32			tail_len;
	struct list_head	fresh;
	u32			len;
};

static int tx_check(const struct smcx_conn *c)
{
	if (c->err)
		return -c->err;
	if (smcx_conn_snd_closed(c))
		return -EPIPE;
	return c->state == SMCX_ST_INIT ? -ENOTCONN : 0;
}

/*
 * Reserve room in the queue's last chunk. Marking it as @append keeps it where it is
 * while we copy behind its end without the lock, even if transmission empties it.
 * Return: bytes that may be copied, or why none.
 */
static int tx_begin(struct smcx_conn *c, size_t want, bool first, struct tx_copy *cp)
{
	struct smcx_conn_queue *q = &c->tx.q;
	struct smcx_chunk *last;
	u32 space;
	int rc;

	smcx_conn_lock(c);
	rc = tx_check(c);
	space = smcx_conn_space(c);
	if (!rc && !space)
		rc = -EAGAIN;
	if (rc) {
		if (first && rc == -EAGAIN)
			c->tx.nospace = true;
		else if (first && c->err)
			WRITE_ONCE(c->err, 0);
		smcx_conn_unlock(c);
		return rc;
	}
	cp->tail = NULL;
	if (!list_empty(&q->queue)) {
		last = list_last_entry(&q->queue, struct smcx_chunk, node);
		cp->pos = last->off + last->len;
		if (cp->pos < last->size) {
			cp->tail = last;
			q->append = last;
		}
	}
	smcx_conn_unlock(c);
	return min3(want, (size_t)space, (size_t)TX_BATCH);
}

/* Copy up to @want bytes. Return: 0 (maybe fewer), or why not a single one. */
static int tx_fill(struct smcx_conn *c, struct msghdr *msg, u32 want,
		   struct tx_copy *cp)
{
	struct smcx_chunk *ch;
	u32 n, got;

	INIT_LIST_HEAD(&cp->fresh);
	cp->tail_len = 0;
	cp->len = 0;
	if (cp->tail) {
		n = min(want, cp->tail->size - cp->pos);
		got = copy_from_iter(cp->tail->data + cp->pos, n, &msg->msg_iter);
		cp->tail_len = got;
		cp->len = got;
		if (got < n)
			return got ? 0 : -EFAULT;
	}
	while (cp->len < want) {
		ch = smcx_chunk_get(c->dev, GFP_KERNEL);
		if (!ch)
			return cp->len ? 0 : -ENOMEM;
		n = min(want - cp->len, ch->size);
		got = copy_from_iter(ch->data, n, &msg->msg_iter);
		ch->off = 0;
		ch->len = got;
		cp->len += got;
		if (got)
			list_add_tail(&ch->node, &cp->fresh);
		else
			smcx_chunk_put(ch);
		if (got < n)
			return cp->len ? 0 : -EFAULT;
	}
	return 0;
}

/* The tail may have been posted, or purged, while it was held in place. */
static void tx_release_tail(struct smcx_conn *c, struct smcx_chunk *tail)
{
	c->tx.q.append = NULL;
	if (tail->len)
		return;
	if (tail->off) {
		list_move_tail(&tail->node, &c->tx.q.flight);
		smcx_conn_reap(c, 0);
	} else {
		list_del(&tail->node);
		smcx_chunk_put(tail);
	}
}

static void tx_drop_fresh(struct tx_copy *cp)
{
	struct smcx_chunk *ch, *tmp;

	list_for_each_entry_safe(ch, tmp, &cp->fresh, node) {
		list_del(&ch->node);
		smcx_chunk_put(ch);
	}
}

/*
 * The last byte queued is urgent. An earlier one that the peer has not read becomes a byte of the stream, as with TCP, if
 * the peer is of our kind; net/smc would lose its place over a second one, and gets it when its element is empty.
 */
static void tx_urgent(struct smcx_conn *c)
{
	struct smcx_conn_tx *tx = &c->tx;

	tx->urg_len = tx->q.queued;
	tx->urg_due = true;
	if (smcx_ext_caps(c->m.lgr->peer_vendor))
		tx->urg_wait = false;
}

/*
 * Hand the batch to transmission.
 * Return: bytes queued, or why not: the connection may have ended meanwhile.
 */
static int tx_publish(struct smcx_conn *c, struct tx_copy *cp, int flags,
		      bool first, bool last)
{
	struct smcx_conn_tx *tx = &c->tx;
	int rc;

	smcx_conn_lock(c);
	rc = tx_check(c);
	if (!rc) {
		if (cp->tail)
			cp->tail->len += cp->tail_len;
		list_splice_tail_init(&cp->fresh, &tx->q.queue);
		WRITE_ONCE(tx->q.queued, tx->q.queued + cp->len);
		rc = cp->len;
	} else if (first && c->err) {
		WRITE_ONCE(c->err, 0);
	}
	if (cp->tail)
		tx_release_tail(c, cp->tail);
	if (rc > 0) {
		tx->more = last && (flags & MSG_MORE);
		if (last && (flags & MSG_OOB))
			tx_urgent(c);
		if (first)
			smcx_turn_write(c);
		smcx_conn_push(c);
	}
	smcx_conn_unlock(c);
	tx_drop_fresh(cp);
	return rc;
}

/* Return: bytes taken, or a negative errno if not a single one. */
static int tx_batch(struct smcx_conn *c, struct msghdr *msg, size_t len,
		    int flags, bool first)
{
	struct tx_copy cp;
	int rc, want;

	want = tx_begin(c, len, first, &cp);
	if (want <= 0)
		return want;
	rc = tx_fill(c, msg, want, &cp);
	if (!rc)
		return tx_publish(c, &cp, flags, first, cp.len == len);

	smcx_conn_lock(c);
	if (cp.tail)
		tx_release_tail(c, cp.tail);
	/* memory comes back with the next completion, if there is one to wait for; a device that goes ends us first */
	if (rc == -ENOMEM && first && (c->tx.data_msgs || READ_ONCE(c->dev->gone))) {
		WRITE_ONCE(c->tx.nomem, true);
		c->tx.nospace = true;
		rc = -EAGAIN;
	}
	smcx_conn_unlock(c);
	return rc;
}

ssize_t smcx_conn_send(struct smcx_conn *c, struct msghdr *msg, size_t len, int flags)
{
	size_t done = 0;
	int rc = 0;

	smcx_stat_inc(c->sn, SMCX_CNT_TX_CALLS);
	if (flags & MSG_OOB)
		smcx_stat_inc(c->sn, SMCX_CNT_URGENT);
	if (flags & MSG_MORE)
		smcx_stat_inc(c->sn, SMCX_CNT_CORK);
	while (done < len) {
		rc = tx_batch(c, msg, len - done, flags, !done);
		if (rc <= 0)
			break;
		done += rc;
	}
	if (!done) {
		if (rc == -EAGAIN)
			smcx_stat_inc(c->sn, SMCX_CNT_SND_FULL);
		return rc;
	}
	smcx_stat_add(c->sn, SMCX_CNT_TX_BYTES, done);
	smcx_stat_hist(c->sn, SMCX_HIST_TX_PAYLOAD, done);
	return done;
}

static void tx_flush(struct smcx_conn *c)
{
	smcx_turn_release(c);
	c->tx.more = false;
	c->tx.q.push = c->tx.q.queued;
	smcx_conn_push(c);
}

void smcx_conn_set_cork(struct smcx_conn *c, bool on)
{
	if (on)
		smcx_stat_inc(c->sn, SMCX_CNT_CORK);
	smcx_conn_lock(c);
	c->tx.corked = on;
	if (!on)
		tx_flush(c);
	smcx_conn_unlock(c);
}

void smcx_conn_flush(struct smcx_conn *c)
{
	smcx_stat_inc(c->sn, SMCX_CNT_NODELAY);
	smcx_conn_lock(c);
	tx_flush(c);
	smcx_conn_unlock(c);
}

void smcx_conn_end_more(struct smcx_conn *c)
{
	smcx_conn_lock(c);
	c->tx.more = false;
	smcx_conn_push(c);
	smcx_conn_unlock(c);
}

u32 smcx_conn_outq(const struct smcx_conn *c)
{
	return READ_ONCE(c->tx.q.queued) + READ_ONCE(c->tx.q.inflight);
}

u32 smcx_conn_outq_nsd(const struct smcx_conn *c)
{
	return READ_ONCE(c->tx.q.queued);
}

u32 smcx_conn_space(const struct smcx_conn *c)
{
	u32 used = smcx_conn_outq(c);
	u32 limit = READ_ONCE(c->tx.q.limit);

	return !READ_ONCE(c->tx.nomem) && used < limit ? limit - used : 0;
}

void smcx_conn_set_limit(struct smcx_conn *c, u32 bytes)
{
	smcx_conn_lock(c);
	WRITE_ONCE(c->tx.q.limit, bytes);
	if (c->tx.nospace && smcx_conn_is_writable(c)) {
		c->tx.nospace = false;
		c->events |= SMCX_CEV_WRITABLE;
	}
	smcx_conn_unlock(c);
}
