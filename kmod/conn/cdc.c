// SPDX-License-Identifier: GPL-2.0
/*
 * CDC messages from the peer (protocol.rst 5.1 - 5.8). Softirq.
 */
#include "conn_priv.h"

/*
 * Failover validation (4.13 item 5): the peer moved to another link and says up to which
 * message it knows us served. A gap means that a CDC, and its data, got lost.
 */
static void cdc_validate_failover(struct smcx_conn *c, u16 seqno)
{
	if ((s16)(c->rx.seq - seqno) < 0)
		smcx_conn_violation(c);
}

/* The peer consumed. Return: false if that is impossible. */
static bool cdc_take_cons(struct smcx_conn *c, struct smcx_cursor cons)
{
	struct smcx_conn_tx *tx = &c->tx;
	u32 most;

	if (!tx->peer_size)	/* came before its Confirm: there is nothing it could have */
		return true;
	most = smcx_cursor_diff(tx->peer_cons, tx->prod, tx->peer_size);
	switch (smcx_cursor_check_advance(tx->peer_cons, cons, tx->peer_size, most)) {
	case SMCX_CURSOR_BAD:
		return false;
	case SMCX_CURSOR_OLD:
		return true;
	case SMCX_CURSOR_OK:
		break;
	}
	tx->peer_cons = cons;
	if (tx->urg_wait && smcx_conn_window(c) == tx->peer_size)
		tx->urg_wait = false;
	return true;
}

/* As TCP in FIN_WAIT: nobody here will ever read what comes now, and nothing could be answered. */
static bool cdc_is_unwanted(const struct smcx_conn *c)
{
	return c->rx.shutdown && (c->tx.fin & SMCX_CDC_STATE_DONE_WRITING);
}

/* What came behind the message goes where RDMA writes would have put it. */
static void cdc_store(struct smcx_conn *c, const u8 *data, u32 n)
{
	struct smcx_ring_piece piece[2];
	unsigned int i, np;

	np = smcx_ring_split(c->rx.prod.off, n, c->rx.rmbe.size, piece);
	for (i = 0; i < np; i++) {
		smcx_rmbe_store(&c->rx.rmbe, piece[i].off, data, piece[i].len);
		data += piece[i].len;
	}
}

/*
 * The peer produced; @data are the bytes, or there are none and they have been written.
 * Return: bytes; -EPROTO if that is impossible; -ESHUTDOWN if the application has shut down both ways.
 */
static int cdc_take_prod(struct smcx_conn *c, struct smcx_cursor prod, const u8 *data, u32 len)
{
	struct smcx_conn_rx *rx = &c->rx;
	u32 size = rx->rmbe.size;
	u32 room = size - atomic_read(&rx->avail);
	u32 n;

	switch (smcx_cursor_check_advance(rx->prod, prod, size, room)) {
	case SMCX_CURSOR_BAD:
		return -EPROTO;
	case SMCX_CURSOR_OLD:
		return 0;
	case SMCX_CURSOR_OK:
		break;
	}
	n = smcx_cursor_diff(rx->prod, prod, size);
	if (len && n != len)
		return -EPROTO;
	if (!n)
		return 0;
	if (cdc_is_unwanted(c))
		return -ESHUTDOWN;
	if (unlikely(c->setup.since)) {
		smcx_setup_phase(c->sn, &c->setup, SMCX_PHASE_FIRST_BYTE);
		c->setup.since = 0;
	}
	if (len)
		cdc_store(c, data, n);
	rx->prod = prod;
	rx->high = min(size - rx->high, n) + rx->high;
	atomic_add(n, &rx->avail);
	c->events |= SMCX_CEV_READABLE;
	return n;
}

static void cdc_take_flags(struct smcx_conn *c, const struct smcx_cdc_msg *msg, u32 n)
{
	struct smcx_conn_rx *rx = &c->rx;

	rx->pflags = msg->prod_flags;
	if (n && (msg->prod_flags & SMCX_CDC_PROD_URG_PRESENT)) {
		smcx_urg_arrive(c);
	} else if (!n && (msg->prod_flags & SMCX_CDC_PROD_URG_PENDING) &&
		   rx->urg_state == SMCX_URG_NONE) {
		WRITE_ONCE(rx->urg_state, SMCX_URG_NOTYET);
	}
	if (!n && (msg->prod_flags & SMCX_CDC_PROD_BLOCKED) && atomic_read(&rx->avail))
		c->events |= SMCX_CEV_READABLE;
	if ((msg->prod_flags & SMCX_CDC_PROD_CURS_UPDATE) &&
	    smcx_cursor_diff(rx->cons_sent, rx->cons, rx->rmbe.size))
		c->tx.update_due = true;
}

/*
 * Is this the peer's end? See "The peer's end" in the DOC. @moved: the message brought bytes.
 * Return: state flags to believe.
 */
static u8 cdc_hold_end(struct smcx_conn *c, const struct smcx_cdc_msg *msg, bool moved)
{
	struct smcx_conn_rx *rx = &c->rx;
	/* what was said once, no later message takes back */
	u8 end = (msg->state_flags & (SMCX_CDC_STATE_DONE_WRITING | SMCX_CDC_STATE_CLOSED)) | rx->held;

	if (!end || rx->sflags || rx->broken || (msg->state_flags & SMCX_CDC_STATE_ABORT) ||
	    !(msg->prod_flags & SMCX_CDC_PROD_BLOCKED)) {
		rx->held = 0;
		rx->asked = false;
		return msg->state_flags | end;
	}
	if (c->detached) {
		smcx_conn_doubt(c);
		return msg->state_flags;
	}
	if (moved)
		rx->asked = false;
	rx->held = end;
	if (!rx->asked && smcx_conn_end_has_room(c, rx->cons_sent))
		c->tx.update_due = true;
	return msg->state_flags & ~end;
}

/*
 * Cursors, then flags: flags speak of what the cursors have brought.
 * Return: state flags to look at.
 */
static u8 cdc_take(struct smcx_conn *c, const struct smcx_cdc_msg *msg, const u8 *data, u32 len)
{
	int n;

	if (msg->prod_flags & SMCX_CDC_PROD_FAILOVER) {
		if (!c->rx.broken)
			cdc_validate_failover(c, msg->seqno);
		return 0;
	}
	if (smcx_cdc_seq_is_old(c->rx.seq, msg->seqno))
		return 0;
	c->rx.seq = msg->seqno;
	if (c->rx.broken)	/* how it ends still matters: is the element ours again? */
		return msg->state_flags;
	n = cdc_take_cons(c, msg->cons) ? cdc_take_prod(c, msg->prod, data, len) : -EPROTO;
	if (n == -ESHUTDOWN)
		smcx_conn_refuse(c);
	else if (n < 0)
		smcx_conn_violation(c);
	else
		cdc_take_flags(c, msg, n);
	return cdc_hold_end(c, msg, n > 0);
}

void smcx_conn_cdc(struct smcx_member *m, const u8 *buf, u32 len)
{
	struct smcx_conn *c = smcx_conn_of(m);
	struct smcx_cdc_msg msg;
	int more = c->m.lgr->data ? smcx_cdc_data_len(len) : 0;

	if (more < 0 || smcx_cdc_decode(buf, min_t(u32, len, SMCX_CDC_LEN), &msg)) {
		smcx_drop_note(c->sn, SMCX_DROP_CDC);
		return;
	}
	smcx_conn_lock(c);
	if (!c->finished && !c->killed) {
		smcx_conn_peer_flags(c, cdc_take(c, &msg, buf + SMCX_CDC_LEN, more));
		smcx_conn_push(c);
	}
	smcx_conn_unlock(c);
}
