// SPDX-License-Identifier: GPL-2.0
/* release, shutdown, disconnect */
#include <linux/sched/signal.h>
#include <net/inet_common.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "sock_priv.h"

/* Ends whatever is under way; no verdict counts afterwards. Called with the sk locked, left without. */
static void smcx_stop_unlock(struct smcx_sock *ss)
{
	struct sock *sk = ss->sk;
	struct smcx_hs *hs;

	ss->closing = true;
	if (smcx_sock_is_pending(ss))
		smp_store_release(&ss->mode, SMCX_MODE_DEAD);
	hs = ss->hs;
	ss->hs = NULL;
	release_sock(sk);
	if (hs) {
		smcx_hs_cancel(hs);
		smcx_hs_put(hs);
	}
}

static void smcx_stop(struct smcx_sock *ss)
{
	if (ss->lsn) {
		smcx_listen_stop(ss);
		return;
	}
	lock_sock(ss->sk);
	smcx_stop_unlock(ss);
}

/* The sk is TCP's again, to be closed or disconnected. Return: connection to close, or NULL. */
static struct smcx_conn *smcx_give_up(struct smcx_sock *ss)
{
	struct smcx_conn *conn = smcx_sock_conn(ss);

	RCU_INIT_POINTER(ss->conn, NULL);
	smp_store_release(&ss->mode, SMCX_MODE_DEAD);
	WRITE_ONCE(ss->sock, NULL);
	smcx_early_abandon(ss);
	smcx_tcp_unoffer(ss->sk);
	smcx_sock_detach(ss);
	return conn;
}

static bool smcx_is_drained(struct smcx_sock *ss, size_t unused)
{
	return smcx_conn_drained(smcx_sock_conn(ss));
}

/* Return: true if the peer shall be told that data is lost, as TCP's RST does. */
static bool smcx_linger(struct smcx_sock *ss, struct socket *sock)
{
	struct sock *sk = ss->sk;
	long timeo = sk->sk_lingertime;

	if (!smcx_sock_is_smc(ss) || !sock_flag(sk, SOCK_LINGER))
		return false;
	if (!timeo)
		return true;
	lock_sock(sk);
	if (!(current->flags & PF_EXITING) && !smcx_conn_avail(smcx_sock_conn(ss)))
		smcx_conn_shutdown(smcx_sock_conn(ss), SEND_SHUTDOWN);
	else
		timeo = 0;
	while (timeo && !smcx_is_drained(ss, 0) && !signal_pending(current))
		timeo = smcx_wait_event(sock, timeo, smcx_is_drained, ss, 0);
	release_sock(sk);
	return false;
}

static void smcx_release_state(struct socket *sock, struct smcx_sock *ss)
{
	struct smcx_conn *conn;
	bool abort;

	smcx_stop(ss);
	abort = smcx_linger(ss, sock);
	lock_sock(ss->sk);
	conn = smcx_give_up(ss);
	release_sock(ss->sk);
	if (conn && ss->parent)
		WRITE_ONCE(ss->parent->lsn->habit, smcx_conn_habit(conn));
	if (conn)
		smcx_conn_close(conn, abort);
}

int smcx_op_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct smcx_sock *ss;
	int rc;

	/* accept() failed: no sk, no R */
	if (!sk)
		return 0;
	ss = smcx_sock_get(sk);
	if (ss) {
		smcx_release_state(sock, ss);
		smcx_sock_put(ss);
	}
	smcx_own_module_ref(sk);
	rc = smcx_tcp_ops(sk)->release(sock);
	module_put(THIS_MODULE);	/* R; the core's reference still pins us */
	return rc;
}

int smcx_disconnect(struct socket *sock, struct smcx_sock **ssp, struct sockaddr *addr,
		    int len, int flags)
{
	struct smcx_conn *conn = NULL;
	struct sock *sk = sock->sk;
	int rc;

	for (;;) {
		if (*ssp)
			smcx_stop(*ssp);
		lock_sock(sk);
		if (*ssp && (*ssp)->attached)
			break;
		smcx_op_relook(sk, ssp);
		if (!*ssp)
			break;
		/* another thread was faster and has begun anew */
		release_sock(sk);
	}
	if (*ssp) {
		smcx_wake(*ssp, 0, SOCK_WAKE_IO, POLL_HUP);
		conn = smcx_give_up(*ssp);
	}
	rc = __inet_stream_connect(sock, addr, len, flags, 0);
	release_sock(sk);
	if (conn)
		smcx_conn_close(conn, true);
	return rc;
}

static int smcx_shutdown_smc(struct socket *sock, struct smcx_sock *ss, int how)
{
	struct smcx_conn *conn;
	int rc = -ENOTCONN;

	lock_sock(ss->sk);
	conn = smcx_sock_conn(ss);
	/* both have ended: TCP would be closed or in TIME_WAIT */
	if (conn && ss->sk->sk_state != TCP_CLOSE && !smcx_conn_is_over(conn)) {
		sock->state = SS_CONNECTED;
		smcx_conn_shutdown(conn, how);
		rc = 0;
	}
	release_sock(ss->sk);
	smcx_wake(ss, 0, SOCK_WAKE_IO, POLL_HUP);
	return rc;
}

/* As TCP does in SYN_SENT: the attempt is over. */
static int smcx_shutdown_pending(struct socket *sock, struct smcx_sock *ss, int how)
{
	struct sock *sk = sock->sk;
	struct smcx_conn *conn;
	int rc;

	lock_sock(sk);
	/* the verdict came first */
	if (smcx_sock_is_smc(ss)) {
		release_sock(sk);
		return smcx_shutdown_smc(sock, ss, how + 1);
	}
	smcx_stop_unlock(ss);
	lock_sock(sk);
	if (!ss->attached) {
		/* the attempt had just ended by itself */
		release_sock(sk);
		return smcx_tcp_ops(sk)->shutdown(sock, how);
	}
	conn = smcx_give_up(ss);
	rc = sk->sk_prot->disconnect(sk, O_NONBLOCK);
	sock->state = rc ? SS_DISCONNECTING : SS_UNCONNECTED;
	sk->sk_state_change(sk);
	release_sock(sk);
	if (conn)
		smcx_conn_close(conn, true);
	return rc;
}

/* As TCP does in LISTEN. */
static int smcx_shutdown_listener(struct socket *sock, struct smcx_sock *ss, int how)
{
	if (!smcx_listen_stop(ss))
		return smcx_tcp_ops(sock->sk)->shutdown(sock, how);
	return 0;
}

static int smcx_shutdown(struct socket *sock, struct smcx_sock *ss, int how)
{
	/* SHUT_RD, SHUT_WR, SHUT_RDWR -> RCV_SHUTDOWN | SEND_SHUTDOWN */
	int mask = how + 1;

	if ((mask & ~SHUTDOWN_MASK) || !mask)
		return -EINVAL;
	if (smcx_sock_is_smc(ss))
		return smcx_shutdown_smc(sock, ss, mask);
	if (ss->lsn && (mask & RCV_SHUTDOWN))
		return smcx_shutdown_listener(sock, ss, how);
	if (!ss->lsn && smcx_sock_is_pending(ss))
		return smcx_shutdown_pending(sock, ss, how);
	return smcx_tcp_ops(sock->sk)->shutdown(sock, how);
}

int smcx_op_shutdown(struct socket *sock, int how)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	smcx_listen_reap(ss);
	if (ss)
		rc = smcx_shutdown(sock, ss, how);
	else
		rc = smcx_tcp_ops(sock->sk)->shutdown(sock, how);
	smcx_op_leave(ss);
	return rc;
}
