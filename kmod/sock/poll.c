// SPDX-License-Identifier: GPL-2.0
/* poll(), getname(), ioctl() and other questions */
#include <linux/poll.h>
#include <linux/sockios.h>
#include <linux/termios.h>
#include <linux/uaccess.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "sock_priv.h"

static __poll_t smcx_poll_smc(struct socket *sock, struct smcx_sock *ss)
{
	struct sock *sk = ss->sk;
	struct smcx_conn *conn;
	__poll_t mask = 0;

	rcu_read_lock();
	conn = rcu_dereference(ss->conn);
	if (conn)
		mask = smcx_conn_poll(conn, sock_rcvlowat(sk, 0, INT_MAX));
	/* SO_ERROR, which the core answers, must know */
	if (mask & EPOLLERR)
		smcx_take_error(ss, conn);
	rcu_read_unlock();
	if (!(mask & EPOLLOUT))
		set_bit(SOCKWQ_ASYNC_NOSPACE, &sock->wq.flags);
	if (READ_ONCE(sk->sk_err) || !skb_queue_empty_lockless(&sk->sk_error_queue))
		mask |= EPOLLERR;
	return mask;
}

static __poll_t smcx_poll_listener(struct smcx_sock *ss)
{
	if (READ_ONCE(ss->lsn->nready) || smcx_listen_has_plain(ss))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

__poll_t smcx_op_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait)
{
	struct smcx_sock *ss;
	__poll_t mask;

	if (smcx_op_enter(sock->sk, &ss))
		return 0;
	/* enter the queue first, look at the state afterwards: the wake-up follows the change */
	sock_poll_wait(file, sock, wait);
	if (smcx_sock_is_smc(ss))
		mask = smcx_poll_smc(sock, ss);
	else if (ss && smcx_sock_mode(ss) == SMCX_MODE_LISTEN && sock->sk->sk_state == TCP_LISTEN)
		mask = smcx_poll_listener(ss);
	else if (ss && smcx_sock_is_pending(ss))
		mask = 0;
	else
		mask = smcx_tcp_ops(sock->sk)->poll(file, sock, NULL);
	smcx_op_leave(ss);
	return mask;
}

int smcx_op_getname(struct socket *sock, struct sockaddr *addr, int peer)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	/* the application is still connecting */
	if (peer && ss && !ss->lsn && smcx_sock_is_pending(ss))
		rc = -ENOTCONN;
	else
		rc = smcx_tcp_ops(sock->sk)->getname(sock, addr, peer);
	smcx_op_leave(ss);
	return rc;
}

static int smcx_ioctl_smc(struct smcx_sock *ss, unsigned int cmd, int *answer)
{
	struct smcx_conn *conn;
	int rc = 0;

	lock_sock(ss->sk);
	conn = smcx_sock_conn(ss);
	switch (cmd) {
	case SIOCINQ:
		*answer = conn ? smcx_conn_avail(conn) : 0;
		break;
	case SIOCOUTQ:
		*answer = conn ? smcx_conn_outq(conn) : 0;
		break;
	case SIOCOUTQNSD:
		*answer = conn ? smcx_conn_outq_nsd(conn) : 0;
		break;
	case SIOCATMARK:
		*answer = conn && smcx_conn_at_mark(conn, 0);
		break;
	default:
		rc = -ENOIOCTLCMD;
	}
	release_sock(ss->sk);
	return rc;
}

/* TCP's numbers count CLC messages while the handshake runs. */
static bool smcx_ioctl_counts(unsigned int cmd)
{
	return cmd == SIOCINQ || cmd == SIOCOUTQ || cmd == SIOCOUTQNSD || cmd == SIOCATMARK;
}

int smcx_op_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct smcx_sock *ss;
	int answer = 0;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	rc = -ENOIOCTLCMD;
	if (smcx_sock_is_smc(ss))
		rc = smcx_ioctl_smc(ss, cmd, &answer);
	else if (ss && smcx_sock_is_pending(ss) && smcx_ioctl_counts(cmd))
		rc = 0;
	if (!rc)
		rc = put_user(answer, (int __user *)arg);
	else if (rc == -ENOIOCTLCMD)
		rc = smcx_tcp_ops(sock->sk)->ioctl(sock, cmd, arg);
	smcx_op_leave(ss);
	return rc;
}

int smcx_op_mmap(struct file *file, struct socket *sock, struct vm_area_struct *vma)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sock->sk, &ss);
	if (rc)
		return rc;
	if (ss)
		rc = sock_no_mmap(file, sock, vma);
	else
		rc = smcx_tcp_ops(sock->sk)->mmap(file, sock, vma);
	smcx_op_leave(ss);
	return rc;
}

/* The caller holds the socket lock. */
int smcx_op_set_rcvlowat(struct sock *sk, int val)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sk, &ss);
	if (rc)
		return rc;
	if (smcx_sock_is_smc(ss)) {
		WRITE_ONCE(sk->sk_rcvlowat, val ? : 1);
		smcx_wake(ss, EPOLLIN | EPOLLRDNORM, SOCK_WAKE_WAITD, POLL_IN);
	} else {
		rc = smcx_tcp_ops(sk)->set_rcvlowat(sk, val);
	}
	smcx_op_leave(ss);
	return rc;
}
