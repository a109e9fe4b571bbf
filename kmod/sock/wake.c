// SPDX-License-Identifier: GPL-2.0
/*
 * Waking the user. TCP's own wake-ups end in the state's private queue while a verdict is
 * pending and in SMC mode, so everything the user sees comes from here.
 */
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <net/sock.h>

#include "sock_priv.h"

void smcx_wake(struct smcx_sock *ss, __poll_t mask, int how, int band)
{
	struct socket *sock;

	rcu_read_lock();
	sock = READ_ONCE(ss->sock);
	if (sock) {
		if (!mask)
			wake_up_interruptible_all(&sock->wq.wait);
		else if (skwq_has_sleeper(&sock->wq))
			wake_up_interruptible_poll(&sock->wq.wait, mask);
		if (sock_flag(ss->sk, SOCK_FASYNC))
			sock_wake_async(&sock->wq, how, band);
	}
	rcu_read_unlock();
}

void smcx_sock_error_report(struct sock *sk)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_sock_of(sk);
	if (ss && smcx_sock_mode(ss) != SMCX_MODE_HANDSHAKE && !READ_ONCE(ss->redoing))
		smcx_wake(ss, EPOLLERR, SOCK_WAKE_IO, POLL_ERR);
	rcu_read_unlock();
}

static void smcx_up_readable(void *owner)
{
	struct smcx_sock *ss = owner;
	struct smcx_conn *conn = rcu_dereference(ss->conn);

	/* pairs with the second look at the bytes in smcx_child_defer() */
	smp_mb();
	if (READ_ONCE(ss->deferred))
		smcx_sock_queue(ss, &ss->defer_work, 0);
	if (conn && smcx_conn_avail(conn) < smcx_conn_lowat(conn, READ_ONCE(ss->sk->sk_rcvlowat)) &&
	    !smcx_conn_rcv_closed(conn))
		return;
	smcx_wake(ss, EPOLLIN | EPOLLPRI | EPOLLRDNORM | EPOLLRDBAND,
		  SOCK_WAKE_WAITD, POLL_IN);
}

static void smcx_up_writable(void *owner)
{
	struct smcx_sock *ss = owner;

	smcx_wake(ss, EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND, SOCK_WAKE_SPACE, POLL_OUT);
}

static void smcx_up_urgent(void *owner)
{
	struct smcx_sock *ss = owner;
	struct sock *sk = ss->sk;

	/* sock_orphan() clears sk_socket under this lock, before the file can go */
	read_lock_bh(&sk->sk_callback_lock);
	if (READ_ONCE(ss->sock) && sk->sk_socket)
		sk_send_sigurg(sk);
	read_unlock_bh(&sk->sk_callback_lock);
	smcx_wake(ss, EPOLLPRI, SOCK_WAKE_URG, POLL_PRI);
}

int smcx_take_error(struct smcx_sock *ss, struct smcx_conn *conn)
{
	return smcx_conn_err(conn, &ss->sk->sk_err);
}

static void smcx_up_state(void *owner)
{
	struct smcx_sock *ss = owner;
	struct smcx_conn *conn = rcu_dereference(ss->conn);
	int err = conn ? smcx_take_error(ss, conn) : 0;

	if (READ_ONCE(ss->deferred))
		smcx_sock_queue(ss, &ss->defer_work, 0);
	smcx_wake(ss, 0, err ? SOCK_WAKE_IO : SOCK_WAKE_WAITD, err ? POLL_ERR : POLL_IN);
}

/* SO_OOBINLINE does not pass through our ops (6.1), so it is asked for at each use. */
static bool smcx_up_oobinline(void *owner)
{
	struct smcx_sock *ss = owner;

	return sock_flag(ss->sk, SOCK_URGINLINE);
}

const struct smcx_conn_ops smcx_sock_conn_ops = {
	.readable	= smcx_up_readable,
	.writable	= smcx_up_writable,
	.urgent		= smcx_up_urgent,
	.state		= smcx_up_state,
	.oobinline	= smcx_up_oobinline,
};
