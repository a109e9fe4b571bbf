// SPDX-License-Identifier: GPL-2.0
/* Children of a listener, from TCP's accept queue to accept(). */
#include <linux/poll.h>
#include <linux/security.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "sock_priv.h"

/* for the final ACK of a child that goes on as TCP */
#define SMCX_CHILD_LATE_JIFFIES	(3 * HZ)

/*
 * Who takes a child off its list owns the list's reference and the child's fate: accept(),
 * the verdict of a failed handshake, or the listener that closes.
 */
static unsigned int *smcx_child_count(struct smcx_listener *lsn, u8 list)
{
	switch (list) {
	case SMCX_CHILD_PENDING:
		return &lsn->npending;
	case SMCX_CHILD_SLOW:
		return &lsn->nslow;
	default:
		return &lsn->nready;
	}
}

static void smcx_child_unlink_locked(struct smcx_sock *cs)
{
	struct smcx_listener *lsn = cs->parent->lsn;
	unsigned int *n = smcx_child_count(lsn, cs->child_list);

	lockdep_assert_held(&lsn->lock);
	WRITE_ONCE(*n, *n - 1);
	list_del_init(&cs->child_node);
	cs->child_list = SMCX_CHILD_NONE;
}

static bool smcx_child_unlink(struct smcx_sock *cs)
{
	struct smcx_listener *lsn = cs->parent->lsn;
	bool mine;

	spin_lock_bh(&lsn->lock);
	mine = cs->child_list != SMCX_CHILD_NONE;
	if (mine)
		smcx_child_unlink_locked(cs);
	spin_unlock_bh(&lsn->lock);
	return mine;
}

/* Return: false if the listener has closed. */
static bool smcx_child_link(struct smcx_sock *cs, u8 list)
{
	struct smcx_listener *lsn = cs->parent->lsn;
	bool open;

	spin_lock_bh(&lsn->lock);
	open = !lsn->closed;
	if (open) {
		unsigned int *n = smcx_child_count(lsn, list);

		WRITE_ONCE(*n, *n + 1);
		cs->child_list = list;
		list_add_tail(&cs->child_node,
			      list == SMCX_CHILD_READY ? &lsn->ready : &lsn->pending);
	}
	spin_unlock_bh(&lsn->lock);
	return open;
}

/* A handshake is over: pending or slow -> ready, unless the child was taken away meanwhile. */
static void smcx_child_ready(struct smcx_sock *cs)
{
	struct smcx_sock *lss = cs->parent;
	struct smcx_listener *lsn = lss->lsn;
	bool linked;

	spin_lock_bh(&lsn->lock);
	linked = cs->child_list == SMCX_CHILD_PENDING || cs->child_list == SMCX_CHILD_SLOW;
	if (linked) {
		smcx_child_unlink_locked(cs);
		cs->child_list = SMCX_CHILD_READY;
		list_add_tail(&cs->child_node, &lsn->ready);
		WRITE_ONCE(lsn->nready, lsn->nready + 1);
	}
	spin_unlock_bh(&lsn->lock);
	if (linked)
		lss->orig.data_ready(lss->sk);
}

/* As TCP treats children of a listener that closes: reset. Consumes the list's reference. */
static void smcx_child_close(struct smcx_sock *cs)
{
	struct sock *sk = cs->sk;
	struct smcx_conn *conn;
	struct smcx_hs *hs;

	lock_sock(sk);
	cs->closing = true;
	hs = cs->hs;
	cs->hs = NULL;
	release_sock(sk);
	if (hs) {
		smcx_hs_cancel(hs);
		smcx_hs_put(hs);
	}
	WRITE_ONCE(cs->deferred, false);
	if (cancel_delayed_work(&cs->defer_work))
		smcx_sock_put(cs);

	lock_sock(sk);
	conn = smcx_sock_conn(cs);
	RCU_INIT_POINTER(cs->conn, NULL);
	smp_store_release(&cs->mode, SMCX_MODE_DEAD);
	smcx_tcp_unoffer(sk);
	smcx_sock_detach(cs);
	release_sock(sk);
	if (conn)
		smcx_conn_close(conn, true);
	sock_no_linger(sk);
	sk->sk_prot->close(sk, 0);
	smcx_sock_put(cs);
}

/* TCP_DEFER_ACCEPT: not before the first byte, or the time is over. Return: true if deferred. */
static bool smcx_child_defer(struct smcx_sock *cs)
{
	unsigned long time = smcx_tcp_defer_time(cs->parent->sk);
	struct smcx_conn *conn;
	bool now;

	rcu_read_lock();
	conn = rcu_dereference(cs->conn);
	if (!time || !conn || smcx_conn_avail(conn) || smcx_conn_rcv_closed(conn)) {
		rcu_read_unlock();
		return false;
	}
	WRITE_ONCE(cs->deferred, true);
	smp_mb();	/* pairs with smcx_up_readable() */
	now = smcx_conn_avail(conn) || smcx_conn_rcv_closed(conn);
	rcu_read_unlock();
	smcx_sock_queue(cs, &cs->defer_work, now ? 0 : time);
	smp_mb();	/* pairs with the lock in smcx_child_close(), which may have looked before */
	if (READ_ONCE(cs->closing) && cancel_delayed_work(&cs->defer_work))
		smcx_sock_put(cs);
	return true;
}

/*
 * Goes on as TCP, from a SYN with data: the application did not ask for connections that TCP itself
 * does not call established. Either the final ACK has come, or nobody is there.
 */
static void smcx_child_late(struct smcx_sock *cs)
{
	bool up = false;

	lock_sock(cs->sk);
	if (!cs->closing && cs->attached && !smcx_tcp_is_syn_recv(cs->sk) &&
	    cs->sk->sk_state != TCP_CLOSE) {
		smcx_fallback(cs, cs->reason, cs->peer_reason);
		up = true;
	}
	release_sock(cs->sk);
	if (up)
		smcx_child_ready(cs);
	else if (smcx_child_unlink(cs))
		smcx_child_close(cs);
}

static void smcx_child_defer_work(struct work_struct *work)
{
	struct smcx_sock *cs = container_of(to_delayed_work(work), struct smcx_sock, defer_work);

	WRITE_ONCE(cs->deferred, false);
	if (READ_ONCE(cs->late))
		smcx_child_late(cs);
	else
		smcx_child_ready(cs);
	smcx_sock_put(cs);
}

/*
 * Made from a SYN's data and closed before anybody asked: TCP itself would never have shown
 * it to the application, and a replayed SYN must not either.
 */
static bool smcx_child_never_was(const struct sock *sk)
{
	return sk->sk_state == TCP_CLOSE && smcx_tcp_came_with_data(sk);
}

/* Return: true if the fallback has to wait for the final ACK; sk locked. */
static bool smcx_child_is_late(struct smcx_sock *cs, const struct smcx_hs_result *res)
{
	if (!smcx_tcp_is_syn_recv(cs->sk))
		return false;
	cs->reason = res->reason;
	cs->peer_reason = res->peer_reason;
	WRITE_ONCE(cs->late, true);
	smcx_sock_queue(cs, &cs->defer_work, SMCX_CHILD_LATE_JIFFIES);
	return true;
}

static void smcx_child_done(void *owner, const struct smcx_hs_result *res)
{
	struct smcx_conn *drop = NULL;
	struct smcx_sock *cs = owner;
	bool failed = false, late = false;
	struct smcx_hs *hs;

	smcx_sock_hold(cs);
	lock_sock(cs->sk);
	hs = cs->hs;
	cs->hs = NULL;
	if (cs->closing)
		drop = res->conn;
	else if (res->conn)
		smcx_enter_smc(cs, res->conn);
	else if (!res->err && smcx_child_is_late(cs, res))
		late = true;
	else if (!res->err && !smcx_child_never_was(cs->sk))
		smcx_fallback(cs, res->reason, res->peer_reason);
	else
		failed = true;
	release_sock(cs->sk);
	if (drop)
		smcx_conn_close(drop, true);
	if (failed && smcx_child_unlink(cs))
		smcx_child_close(cs);
	else if (!failed && !late && !smcx_child_defer(cs))
		smcx_child_ready(cs);
	smcx_hs_put(hs);
	smcx_sock_put(cs);
}

static const struct smcx_hs_ops smcx_child_hs_ops = {
	.done	= smcx_child_done,
	.send	= smcx_tcp_send_now,
};

static void smcx_child_kick(struct sock *sk)
{
	struct smcx_sock *cs;

	rcu_read_lock();
	cs = smcx_sock_of(sk);
	if (cs && cs->hs)
		smcx_hs_kick(cs->hs);
	rcu_read_unlock();
}

static void smcx_child_state_change(struct sock *sk)
{
	struct smcx_sock *cs;

	rcu_read_lock();
	cs = smcx_sock_of(sk);
	if (cs && cs->hs)
		smcx_hs_kick(cs->hs);
	else if (cs && cs->late)
		smcx_sock_queue(cs, &cs->defer_work, 0);
	else if (cs && cs->mode == SMCX_MODE_SMC)
		smcx_smc_state_change(cs);
	rcu_read_unlock();
}

static const struct smcx_sock_hooks smcx_child_hooks = {
	.data_ready	= smcx_child_kick,
	.write_space	= smcx_child_kick,
	.state_change	= smcx_child_state_change,
	.error_report	= smcx_sock_error_report,
};

static bool smcx_child_start(struct smcx_sock *cs)
{
	struct sock *sk = cs->sk;
	struct smcx_hs *hs;
	bool ok;

	cs->hs = smcx_hs_create(sk, SMCX_SERVER, &smcx_child_hs_ops, cs, GFP_KERNEL);
	if (!cs->hs)
		return false;
	lock_sock(sk);
	/* SOCK_FASYNC comes from the listener, and with it TCP writes into sk_wq while sending */
	smcx_sock_attach(cs, NULL, &smcx_child_hooks, true);
	ok = smcx_child_link(cs, SMCX_CHILD_PENDING);
	if (ok) {
		smcx_sock_list(cs);
		/* the verdict waits for this lock, so cs->hs stays */
		hs = cs->hs;
		if (smcx_tcp_came_with_data(sk))
			smcx_hs_prepare_syn(hs);
		else
			smcx_hs_prepare(hs);
		smcx_hs_note_syn(hs, smcx_tcp_rtt_ns(sk));
	}
	release_sock(sk);
	/* the Proposal mostly is there: it came with the final ACK */
	if (ok)
		smcx_hs_run_first(hs);
	return ok;
}

static bool smcx_child_plain(struct smcx_sock *cs)
{
	struct smcx_sock *lss = cs->parent;

	smcx_fb_record(cs->sn, cs->sk, SMCX_REASON_PEERNOSMC, 0, true);
	if (!smcx_child_link(cs, SMCX_CHILD_READY))
		return false;
	lss->orig.data_ready(lss->sk);
	return true;
}

static void smcx_child_drop(struct sock *child)
{
	sock_no_linger(child);
	child->sk_prot->close(child, 0);
}

void smcx_child_take(struct smcx_sock *lss, struct sock *child)
{
	bool offers = smcx_tcp_child_offers(child);
	struct smcx_sock *cs;

	cs = smcx_sock_alloc(child, SMCX_SERVER, offers ? SMCX_MODE_HANDSHAKE : SMCX_MODE_TCP);
	if (!cs) {
		smcx_child_drop(child);
		return;
	}
	smcx_sock_hold(lss);
	cs->parent = lss;
	cs->born = jiffies;
	INIT_DELAYED_WORK(&cs->defer_work, smcx_child_defer_work);
	if (offers ? !smcx_child_start(cs) : !smcx_child_plain(cs))
		smcx_child_close(cs);
}

struct smcx_sock *smcx_child_pop(struct smcx_sock *lss)
{
	struct smcx_listener *lsn = lss->lsn;
	struct smcx_sock *cs;

	spin_lock_bh(&lsn->lock);
	cs = list_first_entry_or_null(&lsn->ready, struct smcx_sock, child_node);
	if (cs)
		smcx_child_unlink_locked(cs);
	spin_unlock_bh(&lsn->lock);
	return cs;
}

static struct smcx_sock *smcx_child_pop_any(struct smcx_listener *lsn)
{
	struct smcx_sock *cs;

	spin_lock_bh(&lsn->lock);
	lsn->closed = true;
	cs = list_first_entry_or_null(&lsn->ready, struct smcx_sock, child_node);
	if (!cs)
		cs = list_first_entry_or_null(&lsn->pending, struct smcx_sock, child_node);
	if (!cs)
		cs = list_first_entry_or_null(&lsn->slow, struct smcx_sock, child_node);
	if (cs)
		smcx_child_unlink_locked(cs);
	spin_unlock_bh(&lsn->lock);
	return cs;
}

void smcx_child_close_all(struct smcx_sock *lss)
{
	struct smcx_sock *cs;

	for (cs = smcx_child_pop_any(lss->lsn); cs; cs = smcx_child_pop_any(lss->lsn))
		smcx_child_close(cs);
}

/* sock_graft() has made the user's queue sk_wq: TCP's wake-ups are not for an SMC socket. */
static void smcx_child_mute(struct smcx_sock *cs, struct socket *newsock)
{
	struct sock *sk = cs->sk;

	WRITE_ONCE(cs->sock, newsock);
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_pointer(sk->sk_wq, &cs->wq);
	write_unlock_bh(&sk->sk_callback_lock);
}

void smcx_child_graft(struct smcx_sock *cs, struct socket *newsock)
{
	struct sock *sk = cs->sk;
	bool smc;

	lock_sock(sk);
	smc = cs->mode == SMCX_MODE_SMC;
	sock_graft(sk, newsock);
	if (smc) {
		__module_get(THIS_MODULE);	/* R */
		smcx_child_mute(cs, newsock);
	} else {
		smcx_fallback_accepted(newsock);
	}
	newsock->state = SS_CONNECTED;
	release_sock(sk);
	smcx_sock_put(cs);	/* the list's; an SMC socket stays attached */
}
