// SPDX-License-Identifier: GPL-2.0
/* connect() and listen() */
#include <linux/sched/signal.h>
#include <net/inet_common.h>
#include <net/sock.h>

#include "sock_priv.h"

/* What connect() says on a socket that TCP has not closed; 1 = ask TCP. Takes over SS_CONNECTING. */
static int smcx_connect_outcome(struct socket *sock, const struct smcx_sock *ss)
{
	switch (smcx_sock_mode(ss)) {
	case SMCX_MODE_SMC:
		/* the first connect() after success returns 0, as on TCP */
		if (sock->state == SS_CONNECTED)
			return -EISCONN;
		sock->state = SS_CONNECTED;
		return 0;
	case SMCX_MODE_LISTEN:
		return -EISCONN;
	default:
		return 1;
	}
}

static int smcx_connect_wait(struct socket *sock, struct smcx_sock *ss, int flags, int err)
{
	long timeo = sock_sndtimeo(sock->sk, flags & O_NONBLOCK);

	timeo = smcx_wait_verdict(ss, sock, timeo);
	if (!smcx_sock_is_pending(ss))
		return smcx_connect_outcome(sock, ss);
	if (timeo && signal_pending(current))
		return sock_intr_errno(timeo);
	return err;
}

/*
 * TCP's answer, given while the sk is locked: nobody begins to connect meanwhile, so TCP
 * does not go to sleep on a queue that is about to change.
 */
static int smcx_connect_tcp(struct socket *sock, struct smcx_sock **ssp, struct sockaddr *addr,
			    int len, int flags)
{
	smcx_op_relook(sock->sk, ssp);
	if (*ssp)
		return -EALREADY;
	return __inet_stream_connect(sock, addr, len, flags, 0);
}

/* Plain TCP for a reason known before the first packet; the record needs the addresses. */
static int smcx_connect_plain(struct socket *sock, struct sockaddr *addr, int len, int flags,
			      u32 reason)
{
	int rc;

	smcx_fallback_idle(sock);
	rc = __inet_stream_connect(sock, addr, len, flags | O_NONBLOCK, 0);
	if (rc && rc != -EINPROGRESS)
		return rc;
	smcx_fallback_record(sock->sk, reason, false);
	if (!rc || (flags & O_NONBLOCK))
		return rc;
	rc = __inet_stream_connect(sock, addr, len, flags, 0);
	return rc == -EALREADY ? -EINPROGRESS : rc;
}

static int smcx_connect(struct socket *sock, struct sockaddr *addr, int len, int flags,
			struct smcx_sock **ssp)
{
	struct sock *sk = sock->sk;
	struct smcx_sock *started;
	int rc = -EALREADY;
	u32 reason;

	lock_sock(sk);
	smcx_op_relook(sk, ssp);
	if (!*ssp) {
		rc = smcx_client_start(sock, addr, len, flags, &started, &reason);
		if (started)
			smcx_op_adopt(ssp, started);
		if (reason)
			rc = smcx_connect_plain(sock, addr, len, flags, reason);
		if (reason || (rc && rc != -EINPROGRESS))
			goto out;
	}
	rc = *ssp ? smcx_connect_wait(sock, *ssp, flags, rc) : 1;
	if (rc > 0)
		rc = smcx_connect_tcp(sock, ssp, addr, len, flags);
out:
	release_sock(sk);
	return rc;
}

int smcx_op_connect(struct socket *sock, struct sockaddr *addr, int len, int flags)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	smcx_listen_reap(ss);
	if (len < (int)sizeof(addr->sa_family))
		rc = -EINVAL;
	else if (addr->sa_family == AF_UNSPEC)
		rc = smcx_disconnect(sock, &ss, addr, len, flags);
	else
		rc = smcx_connect(sock, addr, len, flags, &ss);
	smcx_op_leave(ss);
	return rc;
}

int smcx_op_bind(struct socket *sock, struct sockaddr *addr, int len)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	rc = smcx_tcp_ops(sock->sk)->bind(sock, addr, len);
	smcx_op_leave(ss);
	return rc;
}

static int smcx_listen_new(struct socket *sock, int backlog)
{
	const struct proto_ops *tcp = smcx_tcp_ops(sock->sk);
	bool listens, shut = false;
	struct smcx_sock *ss;
	int rc;

	rc = smcx_listen_start(sock, &ss);
	if (rc < 0)
		return rc;
	if (rc)
		return tcp->listen(sock, backlog);
	rc = tcp->listen(sock, backlog);
	/* meanwhile another thread may have stopped it, and begun something else on the sk */
	if (rc || !smcx_listen_started(ss)) {
		listens = inet_sk_state_load(sock->sk) == TCP_LISTEN;
		shut = smcx_listen_stop(ss) && !rc && listens;
	}
	smcx_sock_put(ss);
	/* shut down before it listened, which TCP does not mind */
	return shut ? tcp->listen(sock, backlog) : rc;
}

static int smcx_listen(struct socket *sock, int backlog, struct smcx_sock *ss)
{
	if (ss && ss->lsn && smcx_listen_set_backlog(ss, backlog))
		return 0;
	if (!ss || smcx_listen_reap(ss))
		return smcx_listen_new(sock, backlog);
	/* TCP's error, or another thread is about to listen */
	return smcx_tcp_ops(sock->sk)->listen(sock, backlog);
}

int smcx_op_listen(struct socket *sock, int backlog)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	rc = smcx_listen(sock, backlog, ss);
	smcx_op_leave(ss);
	return rc;
}
