// SPDX-License-Identifier: GPL-2.0
/* Moving bytes: the waiting that conn/ does not do, and TCP's return values. */
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/inet_common.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "sock_priv.h"

/**
 * struct smcx_xfer - one send or receive call
 * @sock: the user's socket
 * @ss: its state
 * @conn: its connection
 * @done: bytes moved
 * @timeo: jiffies left to wait
 * @seen: bytes that were there for a look that takes none (MSG_PEEK): more than these have to come
 */
struct smcx_xfer {
	struct socket		*sock;
	struct smcx_sock	*ss;
	struct smcx_conn	*conn;
	size_t			done;
	long			timeo;
	size_t			seen;
};

/* The call tells of the bytes it moved; the connection's error, which was taken with it, is the next one's. Return: 0. */
static int smcx_keep_error(struct sock *sk, int rc)
{
	switch (rc) {
	case -ECONNRESET:
	case -ECONNABORTED:
	case -ETIMEDOUT:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -ENETDOWN:
	case -EIO:
	case -ENODEV:
	case -EPROTO:
		WRITE_ONCE(sk->sk_err, -rc);
	}
	return 0;
}

/* ---- sending ---- */

static bool smcx_can_send(struct smcx_sock *ss, size_t unused)
{
	struct smcx_conn *conn = smcx_sock_conn(ss);

	return !conn || smcx_conn_space(conn) || smcx_conn_snd_closed(conn) ||
		READ_ONCE(ss->sk->sk_err);
}

/* Return: 0 = try again, negative errno = give up. */
static int smcx_send_wait(struct smcx_xfer *x)
{
	struct sock *sk = x->ss->sk;

	set_bit(SOCKWQ_ASYNC_NOSPACE, &x->sock->wq.flags);
	if (!x->timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(x->timeo);
	x->timeo = smcx_wait_event(x->sock, x->timeo, smcx_can_send, x->ss, 0);
	x->conn = smcx_sock_conn(x->ss);
	if (!x->conn)
		return sock_error(sk) ? : -EPIPE;
	/* or the wait would be no wait from now on */
	return READ_ONCE(sk->sk_err) ? -EPIPE : 0;
}

static void smcx_send_update_limit(struct smcx_sock *ss, struct smcx_conn *conn)
{
	int sndbuf = READ_ONCE(ss->sk->sk_sndbuf);

	/* the core sets SO_SNDBUF without asking us; it doubles the value */
	if (!(ss->sk->sk_userlocks & SOCK_SNDBUF_LOCK) || sndbuf == ss->sndbuf)
		return;
	ss->sndbuf = sndbuf;
	smcx_conn_set_limit(conn, sndbuf / 2);
}

static int smcx_send_loop(struct smcx_xfer *x, struct msghdr *msg, int flags)
{
	struct sock *sk = x->ss->sk;
	ssize_t n;
	int rc;

	if (READ_ONCE(sk->sk_err) || smcx_conn_snd_closed(x->conn)) {
		if (msg_data_left(msg))
			smcx_conn_unheard(x->conn);
		if (!READ_ONCE(sk->sk_err))
			smcx_take_error(x->ss, x->conn);
		return -EPIPE;
	}
	while (msg_data_left(msg)) {
		n = smcx_conn_send(x->conn, msg, msg_data_left(msg), flags);
		if (n > 0) {
			x->done += n;
			continue;
		}
		rc = n == -EAGAIN ? smcx_send_wait(x) : n;
		if (rc)
			return rc;
	}
	return 0;
}

/* MSG_ZEROCOPY: bytes are copied, and the notification says so, as TCP's does over loopback. */
static int smcx_send_zerocopy(struct sock *sk, struct msghdr *msg, struct ubuf_info **uarg)
{
	*uarg = NULL;
	if (!(msg->msg_flags & MSG_ZEROCOPY) || !sock_flag(sk, SOCK_ZEROCOPY) ||
	    msg->msg_ubuf || !msg_data_left(msg))
		return 0;
	*uarg = msg_zerocopy_realloc(sk, msg_data_left(msg), NULL);
	if (!*uarg)
		return -ENOBUFS;
	uarg_to_msgzc(*uarg)->zerocopy = 0;
	return 0;
}

static int smcx_send_smc(struct socket *sock, struct smcx_sock *ss, struct msghdr *msg)
{
	struct sock *sk = ss->sk;
	int flags = msg->msg_flags;
	struct smcx_xfer x = {
		.sock	= sock,
		.ss	= ss,
		.conn	= smcx_sock_conn(ss),
		.timeo	= sock_sndtimeo(sk, flags & MSG_DONTWAIT),
	};
	struct ubuf_info *uarg;
	int rc;

	if (flags & MSG_FASTOPEN)
		return -EISCONN;
	if (!x.conn)
		return sk_stream_error(sk, flags, -EPIPE);
	if (flags & SMCX_COMPAT_MSG_MORE)
		flags |= MSG_MORE;
	rc = smcx_send_zerocopy(sk, msg, &uarg);
	if (rc)
		return rc;
	smcx_send_update_limit(ss, x.conn);
	rc = smcx_send_loop(&x, msg, flags);
	if (uarg && x.done)
		net_zcopy_put(uarg);
	else if (uarg)
		net_zcopy_put_abort(uarg, true);
	if (!x.done)
		return sk_stream_error(sk, flags, rc);
	smcx_keep_error(sk, rc);
	return x.done;
}

/* Who answers a call on a socket. ANSWERED: the answer is known. */
enum smcx_by { SMCX_BY_TCP, SMCX_BY_SMC, SMCX_BY_ANSWERED };

/* Waits until SMC or TCP can send. Called and left with the sk locked. */
static enum smcx_by smcx_send_begin(struct socket *sock, struct smcx_sock **ssp,
				    struct msghdr *msg, int *rc)
{
	struct sock *sk = sock->sk;

	smcx_op_relook(sk, ssp);
	if (msg->msg_flags & MSG_FASTOPEN) {
		if (!*ssp) {
			smcx_fallback_idle(sock);
			return SMCX_BY_TCP;
		}
		if (smcx_sock_is_pending(*ssp)) {
			*rc = -EALREADY;
			return SMCX_BY_ANSWERED;
		}
	}
	/* as TCP waits for ESTABLISHED */
	*rc = smcx_settle(sock, ssp, sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT));
	if (*rc)
		return SMCX_BY_ANSWERED;
	return smcx_sock_is_smc(*ssp) ? SMCX_BY_SMC : SMCX_BY_TCP;
}

/*
 * Under the lock that TCP was chosen under: nobody makes the socket a client of SMC meanwhile, whose stream is the
 * handshake's. A BPF program's or TLS's sendmsg() takes the lock itself; such sockets stay TCP.
 */
static enum smcx_by smcx_send_tcp(struct sock *sk, struct msghdr *msg, size_t len, int *rc)
{
	if (READ_ONCE(sk->sk_prot)->sendmsg != tcp_sendmsg)
		return SMCX_BY_TCP;
	sock_rps_record_flow(sk);
	*rc = tcp_sendmsg_locked(sk, msg, len);
	return SMCX_BY_ANSWERED;
}

int smcx_op_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct smcx_sock *ss;
	bool fastopen = false;
	enum smcx_by by;
	int rc;

	rc = smcx_op_enter(sk, &ss);
	if (rc)
		return rc;
	/* MSG_FASTOPEN would connect */
	smcx_listen_reap(ss);
	lock_sock(sk);
	by = smcx_send_begin(sock, &ss, msg, &rc);
	if (by == SMCX_BY_SMC) {
		rc = smcx_send_smc(sock, ss, msg);
	} else if (by == SMCX_BY_TCP) {
		fastopen = (msg->msg_flags & MSG_FASTOPEN) && !ss;
		by = smcx_send_tcp(sk, msg, len, &rc);
	}
	release_sock(sk);
	if (by == SMCX_BY_TCP)
		rc = smcx_tcp_ops(sk)->sendmsg(sock, msg, len);
	if (fastopen && inet_sk(sk)->inet_dport)
		smcx_fallback_record(sk, SMCX_REASON_OPTUNSUPP, false);
	smcx_op_leave(ss);
	return rc;
}

/* sendfile() found the end of the file earlier than asked for, and the bytes before it were sent as MSG_MORE. */
void smcx_op_splice_eof(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct smcx_sock *ss;

	if (smcx_op_enter(sk, &ss))
		return;
	lock_sock(sk);
	if (smcx_sock_is_smc(ss) && smcx_sock_conn(ss))
		smcx_conn_end_more(smcx_sock_conn(ss));
	release_sock(sk);
	if (!smcx_sock_is_smc(ss) && smcx_tcp_ops(sk)->splice_eof)
		smcx_tcp_ops(sk)->splice_eof(sock);
	smcx_op_leave(ss);
}

/* In-kernel users that bring their own lock expect TCP underneath. */
int smcx_op_sendmsg_locked(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct smcx_sock *ss;
	int rc;

	rc = smcx_op_enter(sk, &ss);
	if (rc)
		return rc;
	if (ss && (smcx_sock_is_smc(ss) || smcx_sock_is_pending(ss)))
		rc = -EOPNOTSUPP;
	else
		rc = smcx_tcp_ops(sk)->sendmsg_locked(sk, msg, len);
	smcx_op_leave(ss);
	return rc;
}

/* ---- receiving ---- */

static bool smcx_can_recv(struct smcx_sock *ss, size_t seen)
{
	struct smcx_conn *conn = smcx_sock_conn(ss);

	return !conn || smcx_conn_avail(conn) > seen || smcx_conn_rcv_closed(conn) ||
		READ_ONCE(ss->sk->sk_err);
}

/*
 * Nothing was there. @over is what the look that found nothing said of the end of the
 * stream: a second look could see the end arrive together with bytes not yet read.
 * Return: 1 = wait, 0 = end of stream or enough, negative errno.
 */
static int smcx_recv_empty(struct smcx_xfer *x, bool over)
{
	struct sock *sk = x->ss->sk;

	if (x->done)
		return x->timeo && !READ_ONCE(sk->sk_err) && !over && !signal_pending(current);
	/* as TCP: an error behind the end of the stream is not the reader's */
	if (over && x->conn && smcx_conn_has_fin(x->conn))
		return 0;
	if (READ_ONCE(sk->sk_err))
		return sock_error(sk);
	if (over)
		return 0;
	if (!x->timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(x->timeo);
	return 1;
}

static void smcx_recv_wait(struct smcx_xfer *x)
{
	if (sock_flag(x->ss->sk, SOCK_FASYNC))
		set_bit(SOCKWQ_ASYNC_WAITDATA, &x->sock->wq.flags);
	x->timeo = smcx_wait_event(x->sock, x->timeo, smcx_can_recv, x->ss, x->seen);
	clear_bit(SOCKWQ_ASYNC_WAITDATA, &x->sock->wq.flags);
	x->conn = smcx_sock_conn(x->ss);
}

/* One look. Return: bytes, 0 at the end of the stream, or negative errno (-EAGAIN: nothing there). */
static ssize_t smcx_recv_some(struct smcx_xfer *x, struct msghdr *msg, size_t len, int flags,
			      size_t peek_off)
{
	if (!x->conn)
		return 0;
	if (len)
		return smcx_conn_recv(x->conn, msg, len, flags, peek_off);
	return smcx_conn_rcv_closed(x->conn) ? 0 : -EAGAIN;
}

/* As TCP, a call for no bytes waits until there is one. */
static bool smcx_recv_wants(const struct smcx_xfer *x, size_t len)
{
	if (len)
		return x->done < len;
	return x->conn && !smcx_conn_avail(x->conn);
}

static int smcx_recv_loop(struct smcx_xfer *x, struct msghdr *msg, size_t len, int flags,
			  size_t target)
{
	struct sock *sk = x->ss->sk;
	size_t skip = max(sk_peek_offset(sk, flags), 0);
	ssize_t n;
	int rc;

	while (smcx_recv_wants(x, len)) {
		/* before the look, which then misses nothing */
		if (x->conn && (flags & MSG_PEEK))
			x->seen = smcx_conn_avail(x->conn);
		n = smcx_recv_some(x, msg, len - x->done, flags,
				   flags & MSG_PEEK ? skip + x->done : 0);
		if (n > 0) {
			x->done += n;
			/* what TCP stops at, too: the byte after is urgent */
			if (smcx_conn_at_mark(x->conn, flags & MSG_PEEK ? skip + x->done : 0))
				break;
			continue;
		}
		if (n < 0 && n != -EAGAIN)
			return x->done ? smcx_keep_error(sk, n) : n;
		if (x->done >= target)
			break;
		rc = smcx_recv_empty(x, !n);
		if (rc <= 0)
			return rc;
		/* taking nothing, nobody else would tell of room there is */
		if (x->conn && (flags & MSG_PEEK))
			smcx_conn_tell_room(x->conn);
		smcx_recv_wait(x);
	}
	return 0;
}

static void smcx_recv_inq(struct smcx_xfer *x, struct msghdr *msg)
{
	int inq;

	if (!x->conn)
		return;
	inq = smcx_conn_avail(x->conn);
	/* TCP: end of stream counts as one byte */
	if (!inq && smcx_conn_rcv_closed(x->conn))
		inq = 1;
	msg->msg_inq = inq;
	if (smcx_tcp_wants_inq(x->ss->sk))
		put_cmsg(msg, SOL_TCP, TCP_CM_INQ, sizeof(inq), &inq);
}

static int smcx_recv_smc(struct socket *sock, struct smcx_sock *ss, struct msghdr *msg,
			 size_t len, int flags)
{
	struct sock *sk = ss->sk;
	struct smcx_xfer x = {
		.sock	= sock,
		.ss	= ss,
		.conn	= smcx_sock_conn(ss),
		.timeo	= sock_rcvtimeo(sk, flags & MSG_DONTWAIT),
	};
	int rc;

	if (flags & MSG_OOB)
		return x.conn ? smcx_conn_recv_urg(x.conn, msg, len, flags & MSG_PEEK) : -EINVAL;
	rc = smcx_recv_loop(&x, msg, len, flags & (MSG_PEEK | MSG_TRUNC),
			    sock_rcvlowat(sk, flags & MSG_WAITALL, len));
	if (x.done && (flags & MSG_PEEK))
		sk_peek_offset_fwd(sk, x.done);
	else if (x.done)
		sk_peek_offset_bwd(sk, x.done);
	if (rc >= 0)
		smcx_recv_inq(&x, msg);
	return x.done ? x.done : rc;
}

/* recv() on a socket that never was connected or no longer is: TCP's answers. */
static int smcx_recv_closed(struct sock *sk)
{
	if (sock_flag(sk, SOCK_DONE))
		return 0;
	if (READ_ONCE(sk->sk_err))
		return sock_error(sk);
	return sk->sk_shutdown & RCV_SHUTDOWN ? 0 : -ENOTCONN;
}

/* Waits until SMC or TCP can answer. Called and left with the sk locked. */
static enum smcx_by smcx_recv_begin(struct socket *sock, struct smcx_sock **ssp, bool nonblock,
				    int *rc)
{
	struct sock *sk = sock->sk;
	struct smcx_sock *ss;

	*rc = smcx_settle(sock, ssp, sock_rcvtimeo(sk, nonblock));
	if (*rc)
		return SMCX_BY_ANSWERED;
	ss = *ssp;
	if (!ss && sk->sk_state == TCP_CLOSE && skb_queue_empty(&sk->sk_receive_queue)) {
		*rc = smcx_recv_closed(sk);
		return SMCX_BY_ANSWERED;
	}
	return smcx_sock_is_smc(ss) ? SMCX_BY_SMC : SMCX_BY_TCP;
}

int smcx_op_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	enum smcx_by by;
	struct smcx_sock *ss;
	int addr_len = 0;
	int rc;

	if (unlikely(flags & MSG_ERRQUEUE))
		return inet_recv_error(sk, msg, len, &addr_len);
	rc = smcx_op_enter(sk, &ss);
	if (rc)
		return rc;
	lock_sock(sk);
	by = smcx_recv_begin(sock, &ss, flags & MSG_DONTWAIT, &rc);
	if (by == SMCX_BY_SMC)
		rc = smcx_recv_smc(sock, ss, msg, len, flags);
	release_sock(sk);
	if (by == SMCX_BY_TCP)
		rc = smcx_tcp_ops(sk)->recvmsg(sock, msg, len, flags);
	else if (rc >= 0)
		msg->msg_namelen = 0;
	smcx_op_leave(ss);
	return rc;
}

/* The pipe is locked by the caller, and stays so while waiting, as with TCP. */
static ssize_t smcx_splice_smc(struct socket *sock, struct smcx_sock *ss,
			       struct pipe_inode_info *pipe, size_t len, unsigned int flags)
{
	struct smcx_xfer x = {
		.sock	= sock,
		.ss	= ss,
		.conn	= smcx_sock_conn(ss),
		.timeo	= sock_rcvtimeo(ss->sk, sock->file->f_flags & O_NONBLOCK),
	};
	ssize_t n;
	int rc;

	smcx_stat_inc(ss->sn, SMCX_CNT_SPLICE);
	while (x.done < len) {
		n = x.conn ? smcx_conn_splice(x.conn, pipe, len - x.done, flags) : 0;
		if (n > 0) {
			x.done += n;
			continue;
		}
		if (x.done) {
			smcx_keep_error(ss->sk, n);
			break;
		}
		if (n < 0 && n != -EAGAIN)
			return n == -EXFULL ? -EAGAIN : n;
		rc = smcx_recv_empty(&x, !n);
		if (rc <= 0)
			return rc;
		smcx_recv_wait(&x);
	}
	return x.done;
}

ssize_t smcx_op_splice_read(struct socket *sock, loff_t *ppos, struct pipe_inode_info *pipe,
			    size_t len, unsigned int flags)
{
	struct sock *sk = sock->sk;
	enum smcx_by by;
	struct smcx_sock *ss;
	ssize_t rc;
	int err;

	if (*ppos)
		return -ESPIPE;
	err = smcx_op_enter(sk, &ss);
	if (err)
		return err;
	lock_sock(sk);
	by = smcx_recv_begin(sock, &ss, sock->file->f_flags & O_NONBLOCK, &err);
	rc = by == SMCX_BY_SMC ? smcx_splice_smc(sock, ss, pipe, len, flags) : err;
	release_sock(sk);
	if (by == SMCX_BY_TCP)
		rc = smcx_tcp_ops(sk)->splice_read(sock, ppos, pipe, len, flags);
	smcx_op_leave(ss);
	return rc;
}
