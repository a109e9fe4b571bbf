// SPDX-License-Identifier: GPL-2.0
/* The active side, from SYN to verdict. */
#include <linux/poll.h>
#include <net/inet_common.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "sock_priv.h"

/* TCP failed, or the handshake did: TCP's own state and error are the answer from here on. */
static void smcx_client_failed(struct smcx_sock *ss)
{
	struct sock *sk = ss->sk;

	smcx_early_abandon(ss);
	smp_store_release(&ss->mode, SMCX_MODE_DEAD);
	smcx_tcp_unoffer(sk);
	smcx_sock_detach(ss);
	sk->sk_state_change(sk);
}

/*
 * The handshake found an error that forbids TCP as well. tcp_abort() takes the socket lock;
 * until it has closed the connection the state stays attached, so no byte of
 * the application can get on it, and ss->hs in its place: who begins anew on the sk cancels that first, and waits for us.
 * Return: the handshake, whose reference is the caller's, or NULL: it was cancelled.
 */
static struct smcx_hs *smcx_client_abort(struct smcx_sock *ss, int err)
{
	struct sock *sk = ss->sk;
	struct smcx_hs *hs;

	tcp_abort(sk, err);
	lock_sock(sk);
	hs = ss->hs;
	ss->hs = NULL;
	if (ss->attached && !ss->closing) {
		if (!sk->sk_err)
			WRITE_ONCE(sk->sk_err, err);
		smcx_client_failed(ss);
		sk_error_report(sk);
	}
	release_sock(sk);
	return hs;
}

/* What the application would have seen at ESTABLISHED. */
static void smcx_client_wake_tcp(struct sock *sk)
{
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
	if (!skb_queue_empty_lockless(&sk->sk_receive_queue))
		sk->sk_data_ready(sk);
}

static void smcx_client_done(void *owner, const struct smcx_hs_result *res)
{
	struct smcx_conn *drop = NULL;
	struct smcx_sock *ss = owner;
	struct sock *sk = ss->sk;
	bool abort = false, ack = false;
	struct smcx_hs *hs = NULL;

	smcx_sock_hold(ss);
	lock_sock(sk);
	if (ss->closing) {
		drop = res->conn;
	} else if (res->conn) {
		smcx_enter_smc(ss, res->conn);
		smcx_wake(ss, 0, SOCK_WAKE_IO, POLL_OUT);
	} else if (!res->err) {
		/* a server's TCP does not show the connection to anybody before it */
		ack = smcx_early_was_taken(ss);
		smcx_fallback(ss, res->reason, res->peer_reason);
		smcx_client_wake_tcp(sk);
	} else {
		smcx_early_failed(ss);
		smp_store_release(&ss->mode, SMCX_MODE_DEAD);
		abort = true;
	}
	if (!abort) {
		hs = ss->hs;
		ss->hs = NULL;
	}
	release_sock(sk);
	if (ack)
		tcp_sock_set_quickack(sk, 1);
	if (abort)
		hs = smcx_client_abort(ss, -res->err);
	if (drop)
		smcx_conn_close(drop, true);
	smcx_hs_put(hs);
	smcx_sock_put(ss);
}

static const struct smcx_hs_ops smcx_client_hs_ops = {
	.done	= smcx_client_done,
	.send	= smcx_tcp_send_now,
};

static const struct smcx_early_ops smcx_client_early_ops = {
	.hs	= &smcx_client_hs_ops,
	.failed	= smcx_client_failed,
};

static void smcx_client_tcp_fallback(struct smcx_sock *ss, u32 reason)
{
	struct sock *sk = ss->sk;

	smcx_fallback(ss, reason, 0);
	/* the caller, in TCP, sends the SIGIO by itself */
	sk->sk_state_change(sk);
}

static void smcx_client_handshake(struct smcx_sock *ss)
{
	smp_store_release(&ss->mode, SMCX_MODE_HANDSHAKE);
	smcx_sock_list(ss);
}

static void smcx_client_established(struct smcx_sock *ss)
{
	switch (smcx_early_established(ss)) {
	case SMCX_EARLY_WAIT:
		return;
	case SMCX_EARLY_PROPOSED:
		smcx_client_handshake(ss);
		/* the Accept is right behind the SYN-ACK: the Confirm takes the final ACK along */
		smcx_tcp_delay_ack(ss->sk);
		smcx_hs_start_proposed(ss->hs);
		smcx_hs_note_syn(ss->hs, ktime_get_ns() - ss->syn_at);
		return;
	case SMCX_EARLY_CLASSIC:
		break;
	}
	switch (smcx_tcp_verdict(ss->sk)) {
	case SMCX_TCP_PEER_DID_NOT:
		smcx_client_tcp_fallback(ss, SMCX_REASON_PEERNOSMC);
		return;
	case SMCX_TCP_CROSSED_SYN:
		smcx_client_tcp_fallback(ss, SMCX_REASON_LOCAL_CROSSED_SYN);
		return;
	case SMCX_TCP_BOTH_OFFERED:
		break;
	}
	ss->hs = smcx_hs_create(ss->sk, SMCX_CLIENT, &smcx_client_hs_ops, ss, GFP_ATOMIC);
	if (!ss->hs) {
		/* the server finds no Proposal and resets: an error, never mixed data */
		smcx_client_tcp_fallback(ss, SMCX_REASON_MEM);
		return;
	}
	smcx_client_handshake(ss);
	/* the Proposal takes the final ACK along: one event for the server instead of two */
	smcx_tcp_delay_ack(ss->sk);
	smcx_hs_start(ss->hs);
	smcx_hs_note_syn(ss->hs, ktime_get_ns() - ss->syn_at);
}

static void smcx_client_state_change(struct sock *sk)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_sock_of(sk);
	/* on the way out nothing counts any more, but lingering must learn of a reset */
	if (!ss || (ss->closing && ss->mode != SMCX_MODE_SMC))
		goto out;
	switch (ss->mode) {
	case SMCX_MODE_CONNECTING:
		if (ss->redoing)
			break;
		if (sk->sk_state == TCP_CLOSE)
			smcx_client_failed(ss);
		else if (sk->sk_state != TCP_SYN_SENT && sk->sk_state != TCP_SYN_RECV)
			smcx_client_established(ss);
		break;
	case SMCX_MODE_HANDSHAKE:
		if (ss->hs)
			smcx_hs_kick(ss->hs);
		break;
	case SMCX_MODE_SMC:
		smcx_smc_state_change(ss);
		break;
	default:
		break;
	}
out:
	rcu_read_unlock();
}

/*
 * A CLC message. Ours that answers it takes TCP's ACK along: TCP asks for quick ACKs when
 * it gets the SYN-ACK, so this is said again. Context: softirq or backlog, sk locked.
 */
static void smcx_client_data_ready(struct sock *sk)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_sock_of(sk);
	if (ss && ss->hs) {
		smcx_tcp_delay_ack(sk);
		smcx_hs_kick(ss->hs);
	}
	rcu_read_unlock();
}

/* room on TCP: of interest to the handshake only */
static void smcx_client_kick(struct sock *sk)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_sock_of(sk);
	if (ss && ss->hs)
		smcx_hs_kick(ss->hs);
	rcu_read_unlock();
}

static const struct smcx_sock_hooks smcx_client_hooks = {
	.data_ready	= smcx_client_data_ready,
	.write_space	= smcx_client_kick,
	.state_change	= smcx_client_state_change,
	.error_report	= smcx_sock_error_report,
};

static bool smcx_client_may_start(const struct socket *sock)
{
	const struct sock *sk = sock->sk;

	return smcx_fallback_is_ours(sock) && sock->state == SS_UNCONNECTED &&
		sk->sk_state == TCP_CLOSE && !sk->sk_user_data;
}

/* Has RDMA to this host failed lately? */
static bool smcx_client_may_try(const struct sock *sk, const struct sockaddr *addr, int len)
{
	struct smcx_peer_key host;

	if (!smcx_peer_key_of(addr, len, &host))
		return true;
	host.port = 0;
	return smcx_peer_may_try(smcx_net(sock_net(sk)), &host);
}

int smcx_client_start(struct socket *sock, struct sockaddr *addr, int len, int flags,
		      struct smcx_sock **ssp, u32 *reason)
{
	struct sock *sk = sock->sk;
	struct smcx_sock *ss;
	int rc;

	*ssp = NULL;
	*reason = 0;
	if (!smcx_client_may_start(sock))
		return 0;
	*reason = smcx_tcp_why_not(sk);
	if (!*reason && !smcx_client_may_try(sk, addr, len))
		*reason = SMCX_REASON_LOCAL_NO_PATH;
	if (*reason)
		return 0;
	ss = smcx_sock_alloc(sk, SMCX_CLIENT, SMCX_MODE_CONNECTING);
	if (!ss)
		return -ENOMEM;
	smcx_own_module_ref(sk);
	/*
	 * The user's queue stays sk_wq: another thread's send() may have been TCP's business a moment ago,
	 * and sleeps in there until after this state is gone. So TCP may signal its part of the set-up (SIGIO), too.
	 */
	smcx_sock_attach(ss, sock, &smcx_client_hooks, false);
	smcx_tcp_offer(sk);
	smcx_early_arm(ss, addr, len, &smcx_client_early_ops);
	ss->syn_at = ktime_get_ns();
	/* never wait inside TCP: it would sleep on the queue that is about to change */
	rc = __inet_stream_connect(sock, addr, len, flags | O_NONBLOCK, 0);
	smcx_early_launched(ss, rc);
	if (rc != -EINPROGRESS) {
		smcx_tcp_unoffer(sk);
		smp_store_release(&ss->mode, SMCX_MODE_DEAD);
		smcx_sock_detach(ss);
	}
	*ssp = ss;
	return rc;
}
