// SPDX-License-Identifier: GPL-2.0
/* The only file that touches struct tcp_sock (protocol.md 1.3). */
#include <linux/net.h>
#include <net/inet_common.h>
#include <net/inet_connection_sock.h>
#include <net/tcp.h>
#include <net/xfrm.h>

#include "sock_priv.h"

static const struct proto_ops *smcx_inet6_stream_ops __ro_after_init;
static void (*smcx_def_data_ready)(struct sock *sk) __ro_after_init;

static int smcx_tcp_learn(int family)
{
	struct socket *sock;
	int rc;

	rc = sock_create_kern(&init_net, family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (rc)
		return rc;
	smcx_def_data_ready = sock->sk->sk_data_ready;
	/* not exported; every IPv6 TCP socket shows it */
	if (family == AF_INET6)
		smcx_inet6_stream_ops = sock->ops;
	sock_release(sock);
	return 0;
}

int smcx_tcp_glue_init(void)
{
	/* without IPv6 (ipv6.disable=1) there are just no IPv6 sockets */
	smcx_tcp_learn(AF_INET6);
	return smcx_tcp_learn(AF_INET);
}

const struct proto_ops *smcx_tcp_ops6(void)
{
	return smcx_inet6_stream_ops;
}

bool smcx_tcp_has_ipv6(void)
{
	return smcx_inet6_stream_ops;
}

const struct proto_ops *smcx_tcp_ops(const struct sock *sk)
{
	return READ_ONCE(sk->sk_family) == AF_INET6 ? smcx_inet6_stream_ops : &inet_stream_ops;
}

void smcx_tcp_data_ready(struct sock *sk)
{
	smcx_def_data_ready(sk);
}

u32 smcx_tcp_why_not(const struct sock *sk)
{
	if (tcp_sk(sk)->repair)
		return SMCX_REASON_LOCAL_REPAIR;
	if (tcp_sk(sk)->fastopen_connect)
		return SMCX_REASON_OPTUNSUPP;
#ifdef CONFIG_XFRM
	if (rcu_access_pointer(sk->sk_policy[0]) || rcu_access_pointer(sk->sk_policy[1]))
		return SMCX_REASON_IPSEC;
#endif
	return 0;
}

bool smcx_tcp_is_fastopen_listener(const struct sock *sk)
{
	return READ_ONCE(inet_csk(sk)->icsk_accept_queue.fastopenq.max_qlen);
}

/* A value of lrcvtime that tcp_finish_connect() does not leave behind. */
static u32 smcx_tcp_no_time(void)
{
	return tcp_jiffies32 - (1U << 31);
}

void smcx_tcp_offer(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	/* nothing else clears smc_ok between two connects of one socket */
	tp->rx_opt.smc_ok = 0;
	tp->syn_smc = 1;
	inet_csk(sk)->icsk_ack.lrcvtime = smcx_tcp_no_time();
}

void smcx_tcp_unoffer(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tp->syn_smc = 0;
	tp->rx_opt.smc_ok = 0;
	tp->smc_hs_congested = NULL;
}

/*
 * Crossed SYNs make both ends clients. TCP then comes from SYN_RECV and not through
 * tcp_finish_connect(), which alone sets lrcvtime before the first data.
 */
static bool smcx_tcp_is_crossed(const struct sock *sk)
{
	return (u32)(tcp_jiffies32 - inet_csk(sk)->icsk_ack.lrcvtime) > 1U << 30;
}

enum smcx_tcp_verdict smcx_tcp_verdict(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	/* syn_smc alone is not enough: nobody clears it while the option is off on this host */
	if (!tp->syn_smc || !tp->rx_opt.smc_ok)
		return SMCX_TCP_PEER_DID_NOT;
	return smcx_tcp_is_crossed(sk) ? SMCX_TCP_CROSSED_SYN : SMCX_TCP_BOTH_OFFERED;
}

void smcx_tcp_set_congested(struct sock *sk, bool (*fn)(const struct sock *sk))
{
	WRITE_ONCE(tcp_sk(sk)->smc_hs_congested, fn);
}

bool smcx_tcp_limit_hs(const struct sock *sk, bool (*fn)(const struct sock *sk))
{
	return READ_ONCE(tcp_sk(sk)->smc_hs_congested) == fn;
}

bool smcx_tcp_child_offers(const struct sock *child)
{
	return tcp_sk(child)->syn_smc;
}

void smcx_tcp_child_init(struct sock *child)
{
	tcp_sk(child)->smc_hs_congested = NULL;
}

bool smcx_tcp_is_corked(const struct sock *sk)
{
	return tcp_sk(sk)->nonagle & TCP_NAGLE_CORK;
}

bool smcx_tcp_is_nodelay(const struct sock *sk)
{
	return tcp_sk(sk)->nonagle & TCP_NAGLE_OFF;
}

bool smcx_tcp_wants_inq(const struct sock *sk)
{
	return tcp_sk(sk)->recvmsg_inq;
}

/* TCP keeps the time as a number of retransmissions: turn it back. */
unsigned long smcx_tcp_defer_time(const struct sock *sk)
{
	unsigned int n = READ_ONCE(inet_csk(sk)->icsk_accept_queue.rskq_defer_accept);
	unsigned long step = TCP_TIMEOUT_INIT;
	unsigned long sum = 0;

	for (; n; n--) {
		sum += step;
		step = min_t(unsigned long, step * 2, TCP_RTO_MAX);
	}
	return sum;
}
