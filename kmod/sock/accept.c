// SPDX-License-Identifier: GPL-2.0
/* accept() */
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <net/inet_connection_sock.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "sock_priv.h"

/**
 * struct smcx_taken - what accept() found
 * @cs: child with state, or NULL
 * @plain: else a child that never had any
 */
struct smcx_taken {
	struct smcx_sock *cs;
	struct sock *plain;
};

/* Return: 0, -EAGAIN (nothing there), or TCP's error. */
static int smcx_accept_try(struct smcx_sock *ss, struct smcx_taken *t)
{
	struct sock *child;
	int err = -EAGAIN;

	for (;;) {
		if (inet_sk_state_load(ss->sk) != TCP_LISTEN || smcx_sock_mode(ss) != SMCX_MODE_LISTEN)
			return -EINVAL;
		t->cs = smcx_child_pop(ss);
		if (t->cs)
			return 0;
		child = smcx_listen_pull(ss, &err);
		if (!child)
			return err;
		if (!smcx_tcp_child_offers(child)) {
			smcx_fb_record(ss->sn, child, SMCX_REASON_PEERNOSMC, 0, true);
			t->plain = child;
			return 0;
		}
		smcx_child_take(ss, child);
	}
}

static int smcx_accept_wait(struct smcx_sock *ss, struct socket *sock, int flags,
			    struct smcx_taken *t)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	long timeo = sock_rcvtimeo(ss->sk, flags & O_NONBLOCK);
	int rc = smcx_accept_try(ss, t);

	if (rc != -EAGAIN || !timeo)
		return rc;
	add_wait_queue_exclusive(&sock->wq.wait, &wait);
	for (;;) {
		rc = smcx_accept_try(ss, t);
		if (rc != -EAGAIN || !timeo)
			break;
		if (signal_pending(current)) {
			rc = sock_intr_errno(timeo);
			break;
		}
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
	}
	remove_wait_queue(&sock->wq.wait, &wait);
	return rc;
}

static void smcx_accept_graft(struct socket *sock, struct socket *newsock, struct smcx_taken *t)
{
	struct sock *sk = t->cs ? t->cs->sk : t->plain;

	sock_rps_record_flow(sk);
	if (test_bit(SOCK_SUPPORT_ZC, &sock->flags))
		set_bit(SOCK_SUPPORT_ZC, &newsock->flags);
	if (t->cs) {
		smcx_child_graft(t->cs, newsock);
		return;
	}
	lock_sock(sk);
	sock_graft(sk, newsock);
	smcx_fallback_accepted(newsock);
	newsock->state = SS_CONNECTED;
	release_sock(sk);
}

/* A listener that is TCP's: TCP's ops for its child. */
static int smcx_accept_tcp(struct socket *sock, struct socket *newsock, int flags, bool kern)
{
	int rc = smcx_compat_ops_accept(smcx_tcp_ops(sock->sk), sock, newsock, flags, kern);

	if (rc)
		return rc;
	smcx_fallback_record(newsock->sk, smcx_tcp_is_fastopen_listener(sock->sk) ?
			     SMCX_REASON_OPTUNSUPP : SMCX_REASON_LOCAL_LISTENER, true);
	/* copied from the listener: a function of ours that may have been set there */
	smcx_tcp_set_congested(newsock->sk, NULL);
	smcx_fallback_accepted(newsock);
	return 0;
}

int smcx_accept(struct socket *sock, struct socket *newsock, int flags, bool kern, int *empty)
{
	/* before the state is looked for: listen() of another thread makes that first, and then listens */
	bool listens = inet_sk_state_load(sock->sk) == TCP_LISTEN;
	struct smcx_taken t = {};
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	*empty = -1;
	if (!ss || !ss->lsn) {
		rc = listens ? smcx_accept_tcp(sock, newsock, flags, kern) : -EINVAL;
	} else {
		rc = smcx_accept_wait(ss, sock, flags, &t);
		if (!rc)
			smcx_accept_graft(sock, newsock, &t);
		*empty = !READ_ONCE(ss->lsn->nready) &&
			reqsk_queue_empty(&inet_csk(ss->sk)->icsk_accept_queue);
	}
	smcx_op_leave(ss);
	return rc;
}
