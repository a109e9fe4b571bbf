// SPDX-License-Identifier: GPL-2.0
/*
 * The Proposal in the SYN, passive side (Documentation/one-rtt.rst, "Server"): a listener of ours takes part in
 * TCP Fast Open without cookies, and the guard decides about each SYN before a child exists.
 */
#include <linux/slab.h>
#include <net/inet_connection_sock.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/request_sock.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "../proto/clc.h"
#include "../proto/ext.h"
#include "sock_priv.h"

/**
 * struct smcx_guard - what the guard reads from a SYN; too large for the stack of a softirq
 * @flow: addresses, as the token was made for
 * @prop: decoded
 * @buf: bytes
 */
struct smcx_guard {
	struct smcx_flow		flow;
	struct smcx_clc_proposal	prop;
	u8				buf[SMCX_CLC_PROPOSAL_LEN_MAX];
};

/* Return: true if the SYN's data is exactly one complete Proposal. */
static bool smcx_guard_read(struct smcx_guard *g, const struct sk_buff *skb, int off, int len)
{
	return !skb_copy_bits(skb, off, g->buf, len) &&
		smcx_clc_peek_len(g->buf, len) == len &&
		!smcx_clc_decode_proposal(g->buf, len, &g->prop);
}

/* A request at an IPv6 listener is IPv6's by name, also when its client speaks IPv4. */
static bool smcx_guard_is_v4(const struct inet_request_sock *ireq)
{
#if IS_ENABLED(CONFIG_IPV6)
	return ireq->ireq_family == AF_INET || ipv6_addr_v4mapped(&ireq->ir_v6_rmt_addr);
#else
	return true;
#endif
}

static void smcx_guard_flow(const struct request_sock *req, struct smcx_flow *flow)
{
	const struct inet_request_sock *ireq = inet_rsk(req);

	memset(flow, 0, sizeof(*flow));
	flow->port = htons(ireq->ir_num);
	if (smcx_guard_is_v4(ireq)) {
		flow->family = htons(AF_INET);
		flow->client.s6_addr32[0] = ireq->ir_rmt_addr;
		flow->server.s6_addr32[0] = ireq->ir_loc_addr;
		return;
	}
#if IS_ENABLED(CONFIG_IPV6)
	flow->family = htons(AF_INET6);
	flow->client = ireq->ir_v6_rmt_addr;
	flow->server = ireq->ir_v6_loc_addr;
#endif
}

static bool smcx_guard_trusts(struct smcx_net *sn, const struct smcx_flow *flow)
{
	return smcx_trust_find(sn, ntohs(flow->family), &flow->client, ntohs(flow->port), NULL);
}

/* Return: the counter that says why not, or that it was let in. */
static enum smcx_cnt smcx_guard_judge(struct smcx_net *sn, struct smcx_guard *g,
				      const struct sk_buff *skb, const struct request_sock *req)
{
	int off = skb_transport_offset(skb) + tcp_hdrlen(skb);
	int len = (int)skb->len - off;
	u64 token;

	if (len < SMCX_CLC_HDR_LEN || len > sizeof(g->buf) || !smcx_guard_read(g, skb, off, len))
		return SMCX_CNT_ONERTT_NO_PROPOSAL;
	smcx_guard_flow(req, &g->flow);
	token = smcx_ext_proposal_token(&g->prop);
	if (token ? !smcx_token_check(sn, &g->flow, token) : !smcx_guard_trusts(sn, &g->flow))
		return SMCX_CNT_ONERTT_BAD_TOKEN;
	if (smcx_token_is_crowded(sn, g->prop.peer_id))
		return SMCX_CNT_ONERTT_CROWDED;
	if (smcx_token_is_replay(sn, &g->flow, tcp_hdr(skb)->source, tcp_rsk(req)->rcv_isn))
		return SMCX_CNT_ONERTT_REPLAYED;
	return SMCX_CNT_ONERTT_ACCEPTED;
}

bool smcx_early_guard(struct smcx_sock *ss, const struct sk_buff *skb,
		      const struct request_sock *req)
{
	struct smcx_guard *g;
	enum smcx_cnt cnt;

	/* TCP has no option there: an ordinary Fast Open client, whose data is for TCP to refuse */
	if (!inet_rsk(req)->smc_ok || !(READ_ONCE(ss->sn->sysctl.onertt) & SMCX_ONERTT_SERVER))
		return false;
	g = kmalloc(sizeof(*g), GFP_ATOMIC | __GFP_NOWARN);
	if (!g)
		return false;
	cnt = smcx_guard_judge(ss->sn, g, skb, req);
	kfree(g);
	smcx_stat_inc(ss->sn, cnt);
	return cnt == SMCX_CNT_ONERTT_ACCEPTED;
}

/* Once a namespace: without the administrator's help this side is off, and nobody would know. */
static void smcx_early_hint(struct smcx_net *sn)
{
	if (!(READ_ONCE(sn->sysctl.onertt) & SMCX_ONERTT_SERVER) || smcx_token_may_invite(sn) ||
	    sn->onertt_hint)
		return;
	sn->onertt_hint = true;
	pr_info_ratelimited("smcx: clients of this host need two round trips to connect: set bit 2 and clear bit 0x200 of net.ipv4.tcp_fastopen (sysctl net.ipv4.tcp_fastopen=3), or say net.smc.onertt=1 to have no hint\n");
}

void smcx_early_listen(struct smcx_sock *ss)
{
	ss->lsn->no_cookie = smcx_tcp_fastopen_listen(ss->sk);
	smcx_early_hint(ss->sn);
}

void smcx_early_unlisten(struct smcx_sock *ss)
{
	smcx_tcp_fastopen_unlisten(ss->sk, ss->lsn->no_cookie);
}
