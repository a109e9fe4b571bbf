// SPDX-License-Identifier: GPL-2.0
/* The only file that touches struct tcp_sock (protocol.rst 1.3). */
#include <linux/net.h>
#include <linux/slab.h>
#include <net/inet_common.h>
#include <net/inet_connection_sock.h>
#include <net/tcp.h>
#include <net/xfrm.h>

#include "sock_priv.h"

static const struct proto_ops *smcx_inet6_stream_ops __ro_after_init;
static void (*smcx_def_data_ready)(struct sock *sk) __ro_after_init;
static void (*smcx_def_state_change)(struct sock *sk) __ro_after_init;

static int smcx_tcp_learn(int family)
{
	struct socket *sock;
	int rc;

	rc = sock_create_kern(&init_net, family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (rc)
		return rc;
	smcx_def_data_ready = sock->sk->sk_data_ready;
	smcx_def_state_change = sock->sk->sk_state_change;
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

void smcx_tcp_state_change(struct sock *sk)
{
	smcx_def_state_change(sk);
}

u32 smcx_tcp_why_not(const struct sock *sk)
{
	if (tcp_sk(sk)->repair)
		return SMCX_REASON_LOCAL_REPAIR;
	if (tcp_sk(sk)->fastopen_connect)
		return SMCX_REASON_OPTUNSUPP;
	/* shutdown() came first, or the listener was killed; TCP hands that on to children. CLC could not be sent */
	if (sk->sk_shutdown)
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

void smcx_tcp_delay_ack(struct sock *sk)
{
	inet_csk_enter_pingpong_mode(sk);
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

/* The one sample that TCP has of a new child is that of its SYN-ACK. */
u64 smcx_tcp_rtt_ns(const struct sock *sk)
{
	return (u64)(READ_ONCE(tcp_sk(sk)->srtt_us) >> 3) * NSEC_PER_USEC;
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

void smcx_tcp_child_init(struct sock *child, bool no_cookie)
{
	tcp_sk(child)->smc_hs_congested = NULL;
	tcp_sk(child)->fastopen_no_cookie = no_cookie;
}

bool smcx_tcp_is_corked(const struct sock *sk)
{
	return tcp_sk(sk)->nonagle & TCP_NAGLE_CORK;
}

int smcx_tcp_send_now(struct sock *sk, struct msghdr *msg, size_t len)
{
	u8 cork;
	int rc;

	/* a BPF program's, which takes the lock itself */
	if (READ_ONCE(sk->sk_prot)->sendmsg != tcp_sendmsg)
		return sk->sk_prot->sendmsg(sk, msg, len);
	lock_sock(sk);
	cork = tcp_sk(sk)->nonagle & TCP_NAGLE_CORK;
	tcp_sk(sk)->nonagle &= ~TCP_NAGLE_CORK;
	rc = tcp_sendmsg_locked(sk, msg, len);
	tcp_sk(sk)->nonagle |= cork;
	release_sock(sk);
	return rc;
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

bool smcx_tcp_may_syn_data(const struct sock *sk)
{
	/* the administrator's switch for clients holds for us, too */
	return READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_fastopen) & TFO_CLIENT_ENABLE &&
	       !tcp_sk(sk)->fastopen_req;
}

bool smcx_tcp_syn_data_set(struct sock *sk, struct msghdr *msg, int len, bool cookie)
{
	struct tcp_fastopen_request *fo = kzalloc(sizeof(*fo), sk->sk_allocation);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!fo)
		return false;
	fo->data = msg;
	fo->size = len;
	tp->fastopen_req = fo;
	/* else the token takes the cookie's place: TCP's cache is neither read nor written */
	tp->fastopen_no_cookie = !cookie;
	return true;
}

bool smcx_tcp_no_cookie(const struct sock *sk)
{
	return tcp_sk(sk)->fastopen_no_cookie;
}

int smcx_tcp_syn_data_done(struct sock *sk, bool no_cookie)
{
	struct tcp_sock *tp = tcp_sk(sk);
	int copied = 0;

	tp->fastopen_no_cookie = no_cookie;
	if (tp->fastopen_req)
		copied = tp->fastopen_req->copied;
	kfree(tp->fastopen_req);
	tp->fastopen_req = NULL;
	return copied;
}

int smcx_tcp_syn_data_left(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return tp->write_seq - tp->snd_una;
}

bool smcx_tcp_syn_was_lost(const struct sock *sk)
{
	return tcp_sk(sk)->total_retrans;
}

/* kind 254, "SMCR" in EBCDIC */
bool smcx_tcp_has_option(const struct tcphdr *th)
{
	const u8 *p = (const u8 *)(th + 1);
	const u8 *end = (const u8 *)th + th->doff * 4;

	while (p < end && *p != TCPOPT_EOL) {
		if (*p == TCPOPT_NOP) {
			p++;
			continue;
		}
		if (end - p < 2 || p[1] < 2 || p[1] > end - p)
			return false;
		if (p[0] == TCPOPT_EXP && p[1] >= TCPOLEN_EXP_SMC_BASE &&
		    get_unaligned_be32(p + 2) == TCPOPT_SMC_MAGIC)
			return true;
		p += p[1];
	}
	return false;
}

/* What tcp_write_queue_purge() does, which is not exported, and the sequence numbers besides. */
void smcx_tcp_syn_data_purge(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *skb;

	while ((skb = tcp_send_head(sk))) {
		tcp_unlink_write_queue(skb, sk);
		tcp_wmem_free_skb(sk, skb);
	}
	while ((skb = tcp_rtx_queue_head(sk)))
		tcp_rtx_queue_unlink_and_free(skb, sk);
	INIT_LIST_HEAD(&tp->tsorted_sent_queue);
	tcp_clear_all_retrans_hints(tp);
	inet_csk_clear_xmit_timer(sk, ICSK_TIME_RETRANS);
	inet_csk(sk)->icsk_backoff = 0;
	tp->packets_out = 0;
	tp->retrans_out = 0;
	tp->sacked_out = 0;
	tp->lost_out = 0;
	tp->chrono_type = TCP_CHRONO_UNSPEC;
	WRITE_ONCE(tp->write_seq, tp->snd_una);
	WRITE_ONCE(tp->snd_nxt, tp->snd_una);
	tp->pushed_seq = tp->snd_una;
	tp->snd_sml = tp->snd_una;
	tp->syn_data = 0;
}

/* Places are plenty: a client's RST takes one for a minute, the backlog bounds the children. */
bool smcx_tcp_fastopen_listen(struct sock *sk)
{
	bool no_cookie = tcp_sk(sk)->fastopen_no_cookie;

	WRITE_ONCE(inet_csk(sk)->icsk_accept_queue.fastopenq.max_qlen,
		   max(READ_ONCE(sock_net(sk)->core.sysctl_somaxconn), 1024));
	tcp_sk(sk)->fastopen_no_cookie = 1;
	return no_cookie;
}

void smcx_tcp_fastopen_unlisten(struct sock *sk, bool no_cookie)
{
	WRITE_ONCE(inet_csk(sk)->icsk_accept_queue.fastopenq.max_qlen, 0);
	tcp_sk(sk)->fastopen_no_cookie = no_cookie;
}

bool smcx_tcp_came_with_data(const struct sock *child)
{
	return tcp_sk(child)->syn_data_acked;
}

bool smcx_tcp_is_syn_recv(const struct sock *sk)
{
	return inet_sk_state_load(sk) == TCP_SYN_RECV;
}
