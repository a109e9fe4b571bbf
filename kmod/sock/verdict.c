// SPDX-License-Identifier: GPL-2.0
/* From handshake to data, both roles. */
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "sock_priv.h"

static int smcx_smc_tcp_error(struct sock *sk)
{
	int err = READ_ONCE(sk->sk_err);

	return err ? err : ECONNRESET;
}

void smcx_smc_state_change(struct smcx_sock *ss)
{
	struct smcx_conn *conn;

	/* FIN says nothing about SMC's data, only a broken connection counts */
	if (ss->sk->sk_state != TCP_CLOSE)
		return;
	rcu_read_lock();
	conn = rcu_dereference(ss->conn);
	if (conn)
		smcx_conn_reset(conn, smcx_smc_tcp_error(ss->sk));
	rcu_read_unlock();
}

void smcx_enter_smc(struct smcx_sock *ss, struct smcx_conn *conn)
{
	struct sock *sk = ss->sk;

	rcu_assign_pointer(ss->conn, conn);
	ss->sndbuf = sk->sk_sndbuf;
	smp_store_release(&ss->mode, SMCX_MODE_SMC);
	smcx_conn_attach(conn, &smcx_sock_conn_ops, ss);
	/* of the time when nobody was there to be told */
	smcx_take_error(ss, conn);
	if (ss->parent)
		smcx_conn_set_habit(conn, READ_ONCE(ss->parent->lsn->habit));
	if (smcx_tcp_is_corked(sk))
		smcx_conn_set_cork(conn, true);
	/* TCP may have broken between the last CLC message and now */
	smcx_smc_state_change(ss);
}

long smcx_wait_event(struct socket *sock, long timeo, bool (*cond)(struct smcx_sock *ss, size_t n),
		     struct smcx_sock *ss, size_t n)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = sock->sk;

	add_wait_queue(&sock->wq.wait, &wait);
	if (!cond(ss, n)) {
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
	}
	remove_wait_queue(&sock->wq.wait, &wait);
	return timeo;
}

static bool smcx_has_verdict(struct smcx_sock *ss, size_t unused)
{
	return !smcx_sock_is_pending(ss);
}

long smcx_wait_verdict(struct smcx_sock *ss, struct socket *sock, long timeo)
{
	while (timeo && smcx_sock_is_pending(ss) && !signal_pending(current))
		timeo = smcx_wait_event(sock, timeo, smcx_has_verdict, ss, 0);
	return timeo;
}

int smcx_settle(struct socket *sock, struct smcx_sock **ss, long timeo)
{
	/* after a failure another thread may have begun anew */
	for (;;) {
		smcx_op_relook(sock->sk, ss);
		if (!*ss || !smcx_sock_is_pending(*ss))
			return 0;
		timeo = smcx_wait_verdict(*ss, sock, timeo);
		if (smcx_sock_is_pending(*ss))
			return timeo ? sock_intr_errno(timeo) : -EAGAIN;
	}
}
