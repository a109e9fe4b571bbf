// SPDX-License-Identifier: GPL-2.0
/* Options: TCP keeps and answers them, some have a meaning for SMC besides. */
#include <linux/in6.h>
#include <linux/sockptr.h>
#include <linux/tcp.h>
#include <linux/uaccess.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "sock_priv.h"

/* For who learns only now, from the port, that SMC is not wanted here. */
static int smcx_opt_set_plain(struct socket *sock, int on)
{
	if (!on)
		return -EINVAL;
	smcx_fallback_idle(sock);
	return smcx_fallback_is_ours(sock) ? -EISCONN : 0;
}

static int smcx_opt_set_smc(struct socket *sock, int name, sockptr_t val, unsigned int len)
{
	struct sock *sk = sock->sk;
	int rc = -EOPNOTSUPP;
	int on;

	if (name != SMCX_SO_LIMIT_HS && name != SMCX_SO_PLAIN_TCP)
		return rc;
	if (len < sizeof(on))
		return -EINVAL;
	if (copy_from_sockptr(&on, val, sizeof(on)))
		return -EFAULT;
	lock_sock(sk);
	if (smcx_fallback_is_ours(sock) && name == SMCX_SO_PLAIN_TCP) {
		rc = smcx_opt_set_plain(sock, on);
	} else if (smcx_fallback_is_ours(sock)) {
		smcx_listen_set_limit(sk, on);
		rc = 0;
	}
	release_sock(sk);
	return rc;
}

static int smcx_opt_put_int(int on, char __user *val, int __user *len)
{
	int n;

	if (get_user(n, len))
		return -EFAULT;
	if (n < 0)
		return -EINVAL;
	n = min_t(int, n, sizeof(on));
	if (put_user(n, len) || copy_to_user(val, &on, n))
		return -EFAULT;
	return 0;
}

static int smcx_opt_get_smc(struct socket *sock, int name, char __user *val, int __user *len)
{
	if (name != SMCX_SO_LIMIT_HS)
		return -EOPNOTSUPP;
	return smcx_opt_put_int(smcx_tcp_limit_hs(sock->sk, smcx_tcp_congested_limit), val, len);
}

/*
 * Options that make a connection plain TCP. On an unconnected socket TCP takes them and
 * connect() or listen() finds them there.
 */
static u32 smcx_opt_reason(int level, int name)
{
	if (level != SOL_TCP)
		return 0;
	switch (name) {
	case TCP_FASTOPEN:
	case TCP_FASTOPEN_CONNECT:
	case TCP_FASTOPEN_KEY:
	case TCP_FASTOPEN_NO_COOKIE:
		return SMCX_REASON_OPTUNSUPP;
	case TCP_ULP:
		return SMCX_REASON_LOCAL_ULP;
	case TCP_REPAIR:
		return SMCX_REASON_LOCAL_REPAIR;
	default:
		return 0;
	}
}

/* It exchanges sock->ops, and so may an upper layer protocol. */
static bool smcx_opt_is_addrform(int level, int name)
{
	return level == SOL_IPV6 && name == IPV6_ADDRFORM;
}

/*
 * What may not reach TCP while it carries CLC or SMC: it would send bytes of its own or
 * exchange sock->ops behind our back.
 */
static int smcx_opt_refuse(const struct smcx_sock *ss, int level, int name)
{
	if (smcx_opt_is_addrform(level, name))
		return smcx_sock_is_smc(ss) ? -EOPNOTSUPP : -ENOTCONN;
	switch (smcx_opt_reason(level, name)) {
	case 0:
		return 0;
	case SMCX_REASON_OPTUNSUPP:
		return -EINVAL;
	default:
		return smcx_sock_is_smc(ss) ? -EOPNOTSUPP : -ENOTCONN;
	}
}

static void smcx_opt_apply(struct smcx_sock *ss, int name)
{
	struct smcx_conn *conn;

	lock_sock(ss->sk);
	conn = smcx_sock_conn(ss);
	if (conn && name == TCP_NODELAY && smcx_tcp_is_nodelay(ss->sk)) {
		smcx_stat_inc(ss->sn, SMCX_CNT_NODELAY);
		smcx_conn_flush(conn);
	} else if (conn && name == TCP_CORK) {
		smcx_stat_inc(ss->sn, SMCX_CNT_CORK);
		smcx_conn_set_cork(conn, smcx_tcp_is_corked(ss->sk));
	}
	release_sock(ss->sk);
}

static int smcx_opt_set(struct socket *sock, struct smcx_sock **ssp, int level, int name,
			sockptr_t val, unsigned int len)
{
	u32 reason = smcx_opt_reason(level, name);
	struct sock *sk = sock->sk;
	int rc = 0;

	if (level == SOL_SMC)
		return smcx_opt_set_smc(sock, name, val, len);
	if (reason || smcx_opt_is_addrform(level, name)) {
		lock_sock(sk);
		smcx_op_relook(sk, ssp);
		if (*ssp && READ_ONCE((*ssp)->attached))
			rc = smcx_opt_refuse(*ssp, level, name);
		else if (reason == SMCX_REASON_LOCAL_ULP)
			smcx_fallback_idle(sock);
		else if (!reason && sk->sk_state == TCP_CLOSE)
			rc = -ENOTCONN;
		release_sock(sk);
	}
	if (rc)
		return rc;
	rc = smcx_tcp_ops(sk)->setsockopt(sock, level, name, val, len);
	if (!rc && level == SOL_TCP && smcx_sock_is_smc(*ssp))
		smcx_opt_apply(*ssp, name);
	return rc;
}

int smcx_op_setsockopt(struct socket *sock, int level, int name, sockptr_t val, unsigned int len)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	smcx_listen_reap(ss);
	rc = smcx_opt_set(sock, &ss, level, name, val, len);
	smcx_op_leave(ss);
	return rc;
}

/* TCP's values on a listener are ours, the application has not asked for Fast Open. */
static bool smcx_opt_is_ours(const struct smcx_sock *ss, int level, int name)
{
	return level == SOL_TCP && (name == TCP_FASTOPEN || name == TCP_FASTOPEN_NO_COOKIE) &&
	       ss && ss->lsn && READ_ONCE(ss->attached);
}

/* It takes bytes from TCP, where these are CLC's or none. */
static bool smcx_opt_takes_bytes(struct sock *sk, struct smcx_sock **ssp, int level, int name)
{
	bool not_tcp;

	if (level != SOL_TCP || name != TCP_ZEROCOPY_RECEIVE)
		return false;
	lock_sock(sk);
	smcx_op_relook(sk, ssp);
	not_tcp = *ssp && (smcx_sock_is_smc(*ssp) || smcx_sock_is_pending(*ssp));
	release_sock(sk);
	return not_tcp;
}

int smcx_op_getsockopt(struct socket *sock, int level, int name, char __user *val, int __user *len)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	if (level == SOL_SMC)
		rc = smcx_opt_get_smc(sock, name, val, len);
	else if (smcx_opt_takes_bytes(sock->sk, &ss, level, name))
		rc = -EOPNOTSUPP;
	else if (smcx_opt_is_ours(ss, level, name))
		rc = smcx_opt_put_int(name == TCP_FASTOPEN_NO_COOKIE && ss->lsn->no_cookie, val, len);
	else
		rc = smcx_tcp_ops(sock->sk)->getsockopt(sock, level, name, val, len);
	smcx_op_leave(ss);
	return rc;
}
