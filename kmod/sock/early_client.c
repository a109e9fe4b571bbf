// SPDX-License-Identifier: GPL-2.0
/*
 * The Proposal in the SYN, active side (Documentation/one-rtt.rst, "Client").
 *
 * A socket that is about to connect to a known server gets a copy of TCP's connection ops with three
 * functions of ours. TCP calls them in this order:
 *
 *   rebuild_header   route and addresses are chosen, nothing is built yet: make the Proposal, hand it to TCP as
 *                    data of a Fast Open SYN
 *   queue_xmit       the SYN is built: let it go only if the SMC option fitted and all of the Proposal is in it
 *   sk_rx_dst_set    the SYN-ACK is being processed, nothing was retransmitted yet: the verdict. Once, then
 *                    TCP's own table is back
 */
#include <linux/slab.h>
#include <net/inet_common.h>
#include <net/inet_connection_sock.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "../proto/clc.h"
#include "sock_priv.h"

/** enum smcx_early_phase - how far a SYN with Proposal has come */
enum smcx_early_phase {
	SMCX_EARLY_ARMED,	/* ops are in place, no SYN yet */
	SMCX_EARLY_OFF,		/* the SYN goes without */
	SMCX_EARLY_SENT,	/* TCP has the Proposal as data of the SYN */
	SMCX_EARLY_VETOED,	/* the same, but the SYN had to go without it */
	SMCX_EARLY_TAKEN,	/* the SYN-ACK is SMC's and acknowledges it */
	SMCX_EARLY_RETURNED,	/* the SYN-ACK does not: nothing was sent */
	SMCX_EARLY_LEAKED,	/* a plain server took it: reset, connect anew */
	SMCX_EARLY_ANEW,	/* connecting anew, without option and data */
};

/**
 * struct smcx_early - a client's SYN with Proposal
 * @ss: the state it belongs to
 * @ops: upcalls
 * @phase: enum smcx_early_phase
 * @no_cookie: the application's TCP_FASTOPEN_NO_COOKIE
 * @cookie: the SYN needs a cookie of TCP's own
 * @key: the server
 * @hs: handshake that made the Proposal, one reference, until it starts or is abandoned
 * @len: bytes of the Proposal
 * @vec: for @msg
 * @msg: what TCP copies from
 * @redo_work: connects anew
 * @addr_len: length of @addr
 * @addr: the peer as connect() got it
 * @buf: Proposal
 */
struct smcx_early {
	struct smcx_sock	*ss;
	const struct smcx_early_ops *ops;
	u8			phase;
	bool			no_cookie;
	bool			cookie;
	struct smcx_peer_key	key;
	struct smcx_hs		*hs;
	int			len;
	struct kvec		vec;
	struct msghdr		msg;
	struct delayed_work	redo_work;
	int			addr_len;
	struct sockaddr_storage	addr;
	u8			buf[SMCX_CLC_PROPOSAL_LEN_MAX];
};

static struct smcx_sock *smcx_early_find(const struct sock *sk, u8 phase)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_sock_of(sk);
	if (ss && (!ss->early || ss->early->phase != phase))
		ss = NULL;
	rcu_read_unlock();
	/* the sk lock keeps it attached, and whoever attached it holds a reference */
	return ss;
}

/* ---- the three functions ---- */

/* By the server in an earlier Accept, or by the administrator. */
static bool smcx_early_invited(struct smcx_sock *ss, struct smcx_invite *invite)
{
	struct smcx_early *e = ss->early;

	e->cookie = false;
	if (smcx_peer_use(ss->sn, &e->key, invite))
		return true;
	memset(invite, 0, sizeof(*invite));
	return smcx_trust_find(ss->sn, e->key.family, &e->key.addr, ntohs(e->key.port),
			       &e->cookie) && !smcx_peer_is_banned(ss->sn, &e->key);
}

static void smcx_early_propose(struct smcx_sock *ss)
{
	struct smcx_early *e = ss->early;
	struct sock *sk = ss->sk;
	struct smcx_invite invite;

	e->phase = SMCX_EARLY_OFF;
	smcx_hs_peer_key(sk, &e->key);
	if (!smcx_early_invited(ss, &invite))
		return;
	e->hs = smcx_hs_create(sk, SMCX_CLIENT, e->ops->hs, ss, GFP_KERNEL);
	if (!e->hs)
		return;
	e->len = smcx_hs_propose_syn(e->hs, &invite, e->buf, sizeof(e->buf));
	if (e->len < 0)
		return;
	e->vec.iov_base = e->buf;
	e->vec.iov_len = e->len;
	iov_iter_kvec(&e->msg.msg_iter, ITER_SOURCE, &e->vec, 1, e->len);
	if (smcx_tcp_syn_data_set(sk, &e->msg, e->len, e->cookie))
		e->phase = SMCX_EARLY_SENT;
}

static int smcx_early_rebuild_header(struct sock *sk)
{
	int rc = smcx_af_ops_orig(inet_csk(sk)->icsk_af_ops)->rebuild_header(sk);
	struct smcx_sock *ss;

	/* later calls come from retransmissions */
	ss = rc ? NULL : smcx_early_find(sk, SMCX_EARLY_ARMED);
	if (ss)
		smcx_early_propose(ss);
	return rc;
}

static int smcx_early_queue_xmit(struct sock *sk, struct sk_buff *skb, struct flowi *fl)
{
	const struct tcphdr *th = tcp_hdr(skb);
	int payload = skb->len - th->doff * 4;
	struct smcx_sock *ss;

	ss = th->syn && payload > 0 ? smcx_early_find(sk, SMCX_EARLY_SENT) : NULL;
	if (ss && (payload != ss->early->len || !smcx_tcp_has_option(th))) {
		ss->early->phase = SMCX_EARLY_VETOED;
		smcx_stat_inc(ss->sn, SMCX_CNT_ONERTT_VETOED);
		kfree_skb(skb);
		return -ENOBUFS;
	}
	return smcx_af_ops_orig(inet_csk(sk)->icsk_af_ops)->queue_xmit(sk, skb, fl);
}

/* Nobody took the Proposal: TCP must not send it again by itself. */
static void smcx_early_take_back(struct smcx_sock *ss, bool smc)
{
	struct smcx_early *e = ss->early;

	smcx_tcp_syn_data_purge(ss->sk);
	if (e->phase == SMCX_EARLY_SENT && smcx_tcp_syn_was_lost(ss->sk)) {
		smcx_peer_lost(ss->sn, &e->key);
		smcx_stat_inc(ss->sn, SMCX_CNT_ONERTT_LOST);
	} else if (e->phase == SMCX_EARLY_SENT) {
		smcx_peer_forget(ss->sn, &e->key);
	}
	smcx_stat_inc(ss->sn, smc ? SMCX_CNT_ONERTT_UNACKED : SMCX_CNT_ONERTT_PURGED);
	e->phase = SMCX_EARLY_RETURNED;
}

#define SMCX_LEAKED_TEXT \
	" took an SMC Proposal from a SYN; reset, and connecting as TCP. For %u s no SYN to it carries one. It accepts data in SYNs without a cookie (net.ipv4.tcp_fastopen bit 0x200 or TCP_FASTOPEN_NO_COOKIE) where an SMC server was.\n"

static void smcx_early_leaked(struct smcx_sock *ss)
{
	struct smcx_early *e = ss->early;

	e->phase = SMCX_EARLY_LEAKED;
	smcx_peer_ban(ss->sn, &e->key);
	smcx_stat_inc(ss->sn, SMCX_CNT_ONERTT_RESET);
	if (e->key.family == AF_INET)
		pr_warn_ratelimited("smcx: TCP server %pI4:%u" SMCX_LEAKED_TEXT,
				    &e->key.addr, ntohs(e->key.port), SMCX_PEER_BAN_S);
	else
		pr_warn_ratelimited("smcx: TCP server [%pI6c]:%u" SMCX_LEAKED_TEXT,
				    &e->key.addr, ntohs(e->key.port), SMCX_PEER_BAN_S);
}

/* The table of one-rtt.rst, Client 4. */
static void smcx_early_verdict(struct smcx_sock *ss)
{
	struct smcx_early *e = ss->early;
	bool smc = smcx_tcp_verdict(ss->sk) == SMCX_TCP_BOTH_OFFERED;
	int left = smcx_tcp_syn_data_left(ss->sk);

	if (e->phase != SMCX_EARLY_SENT && e->phase != SMCX_EARLY_VETOED)
		return;
	if (left == e->len) {
		smcx_early_take_back(ss, smc);
	} else if (smc) {
		/* taken, or so much of it that TCP must send the rest */
		e->phase = SMCX_EARLY_TAKEN;
		smcx_stat_inc(ss->sn, SMCX_CNT_ONERTT_ACKED);
	} else {
		smcx_early_leaked(ss);
	}
}

static void smcx_early_rx_dst_set(struct sock *sk, const struct sk_buff *skb)
{
	struct smcx_sock *ss;

	smcx_af_ops_restore(sk);
	inet_csk(sk)->icsk_af_ops->sk_rx_dst_set(sk, skb);
	rcu_read_lock();
	ss = smcx_sock_of(sk);
	if (ss && ss->early)
		smcx_early_verdict(ss);
	rcu_read_unlock();
}

static void smcx_early_patch(struct inet_connection_sock_af_ops *ops)
{
	ops->rebuild_header = smcx_early_rebuild_header;
	ops->queue_xmit = smcx_early_queue_xmit;
	ops->sk_rx_dst_set = smcx_early_rx_dst_set;
}

/* ---- connecting anew ---- */

static void smcx_early_redo(struct smcx_sock *ss)
{
	struct smcx_early *e = ss->early;
	struct sock *sk = ss->sk;
	int rc;

	/* RST; what the application sees is still SYN_SENT */
	sk->sk_prot->disconnect(sk, O_NONBLOCK);
	WRITE_ONCE(sk->sk_err, 0);
	WRITE_ONCE(ss->redoing, false);
	smcx_tcp_unoffer(sk);
	ss->sock->state = SS_UNCONNECTED;
	e->phase = SMCX_EARLY_ANEW;
	rc = __inet_stream_connect(ss->sock, (struct sockaddr *)&e->addr, e->addr_len,
				   O_NONBLOCK, 0);
	if (!rc || rc == -EINPROGRESS)
		return;
	WRITE_ONCE(sk->sk_err, -rc);
	/* so that the connect() that waits reports this, and does not begin again */
	ss->sock->state = SS_CONNECTING;
	e->ops->failed(ss);
	sk_error_report(sk);
}

static void smcx_early_redo_work(struct work_struct *work)
{
	struct smcx_early *e = container_of(to_delayed_work(work), struct smcx_early, redo_work);
	struct smcx_sock *ss = e->ss;

	lock_sock(ss->sk);
	if (ss->attached && !ss->closing && ss->sock && e->phase == SMCX_EARLY_LEAKED)
		smcx_early_redo(ss);
	release_sock(ss->sk);
	smcx_sock_put(ss);
}

/* ---- around the connect ---- */

static bool smcx_early_may_try(const struct smcx_sock *ss, const struct sockaddr *addr, int len)
{
	struct smcx_peer_key key;

	/* TCP exchanges the ops of a v4-mapped connection before the SYN: no hook there */
	return READ_ONCE(ss->sn->sysctl.onertt) & SMCX_ONERTT_CLIENT &&
	       addr->sa_family == ss->sk->sk_family && len <= sizeof(struct sockaddr_storage) &&
	       smcx_peer_key_of(addr, len, &key) && key.family == addr->sa_family &&
	       (smcx_peer_is_known(ss->sn, &key) ||
		smcx_trust_find(ss->sn, key.family, &key.addr, ntohs(key.port), NULL)) &&
	       smcx_tcp_may_syn_data(ss->sk);
}

void smcx_early_arm(struct smcx_sock *ss, const struct sockaddr *addr, int len,
		    const struct smcx_early_ops *ops)
{
	const struct inet_connection_sock_af_ops *af_ops;
	struct smcx_early *e;

	if (!smcx_early_may_try(ss, addr, len))
		return;
	af_ops = smcx_af_ops_copy(inet_csk(ss->sk)->icsk_af_ops, smcx_early_patch);
	e = af_ops ? kzalloc(sizeof(*e), GFP_KERNEL) : NULL;
	if (!e)
		return;
	e->ss = ss;
	e->ops = ops;
	e->no_cookie = smcx_tcp_no_cookie(ss->sk);
	INIT_DELAYED_WORK(&e->redo_work, smcx_early_redo_work);
	memcpy(&e->addr, addr, len);
	e->addr_len = len;
	ss->early = e;
	WRITE_ONCE(inet_csk(ss->sk)->icsk_af_ops, af_ops);
}

void smcx_early_launched(struct smcx_sock *ss, int rc)
{
	struct smcx_early *e = ss->early;
	int copied;

	if (!e)
		return;
	copied = smcx_tcp_syn_data_done(ss->sk, e->no_cookie);
	/* TCP had no room or no memory for any of it */
	if (!copied && e->phase == SMCX_EARLY_SENT)
		e->phase = SMCX_EARLY_OFF;
	/* a small MSS: TCP took less of it, and still holds that after the veto */
	if (e->phase == SMCX_EARLY_VETOED)
		e->len = copied;
	if (rc != -EINPROGRESS)
		e->phase = SMCX_EARLY_OFF;
	if (e->phase == SMCX_EARLY_SENT) {
		smcx_stat_inc(ss->sn, SMCX_CNT_ONERTT_SENT);
	} else if (e->phase != SMCX_EARLY_VETOED) {
		smcx_af_ops_restore(ss->sk);
		smcx_early_abandon(ss);
	}
}

void smcx_early_abandon(struct smcx_sock *ss)
{
	struct smcx_hs *hs;

	smcx_af_ops_restore(ss->sk);
	if (!ss->early)
		return;
	hs = ss->early->hs;
	ss->early->hs = NULL;
	if (hs)
		smcx_hs_abandon(hs);
}

enum smcx_early_next smcx_early_established(struct smcx_sock *ss)
{
	struct smcx_early *e = ss->early;

	if (!e)
		return SMCX_EARLY_CLASSIC;
	/* crossed SYNs come here without the SYN-ACK's hook */
	smcx_early_verdict(ss);
	if (e->phase == SMCX_EARLY_LEAKED) {
		smcx_early_abandon(ss);
		WRITE_ONCE(ss->redoing, true);
		smcx_sock_queue(ss, &e->redo_work, 0);
		return SMCX_EARLY_WAIT;
	}
	if (e->phase != SMCX_EARLY_TAKEN) {
		smcx_early_abandon(ss);
		return SMCX_EARLY_CLASSIC;
	}
	ss->hs = e->hs;
	e->hs = NULL;
	return SMCX_EARLY_PROPOSED;
}

bool smcx_early_was_taken(const struct smcx_sock *ss)
{
	return ss->early && ss->early->phase == SMCX_EARLY_TAKEN;
}

void smcx_early_failed(struct smcx_sock *ss)
{
	if (smcx_early_was_taken(ss))
		smcx_peer_forget(ss->sn, &ss->early->key);
}
