// SPDX-License-Identifier: GPL-2.0
/*
 * net.smc.onertt_filter (Documentation/one-rtt.rst, "Filter"): on a host that runs the module, a Proposal in a SYN for a
 * port without SMC listener is cut off before TCP sees it, so that not even a TCP server which takes
 * such data from anybody gets it.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/spinlock.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/tcp.h>

#include "../proto/clc.h"
#include "sock_priv.h"

/* ports of listeners, all namespaces */
#define SMCX_PORT_BUCKETS	64
static struct hlist_head smcx_ports[SMCX_PORT_BUCKETS];
static DEFINE_SPINLOCK(smcx_ports_lock);

static DEFINE_MUTEX(smcx_filter_lock);

static struct hlist_head *smcx_port_bucket(u16 port)
{
	return &smcx_ports[port % SMCX_PORT_BUCKETS];
}

void smcx_filter_add_port(struct smcx_sock *ss)
{
	struct smcx_listener *lsn = ss->lsn;

	spin_lock_bh(&smcx_ports_lock);
	lsn->port = inet_sk(ss->sk)->inet_num;
	if (hlist_unhashed(&lsn->port_node))
		hlist_add_head(&lsn->port_node, smcx_port_bucket(lsn->port));
	spin_unlock_bh(&smcx_ports_lock);
}

void smcx_filter_del_port(struct smcx_sock *ss)
{
	spin_lock_bh(&smcx_ports_lock);
	hlist_del_init(&ss->lsn->port_node);
	spin_unlock_bh(&smcx_ports_lock);
}

static bool smcx_filter_has_port(const struct net *net, u16 port)
{
	struct smcx_listener *lsn;
	bool has = false;

	spin_lock_bh(&smcx_ports_lock);
	hlist_for_each_entry(lsn, smcx_port_bucket(port), port_node)
		if (lsn->port == port && net_eq(lsn->ss->sn->net, net))
			has = true;
	spin_unlock_bh(&smcx_ports_lock);
	return has;
}

/**
 * struct smcx_syn - a SYN with data
 * @off: of the TCP header in the packet
 * @head: length of the TCP header
 * @payload: bytes of data
 * @port: destination, host order
 */
struct smcx_syn {
	int	off;
	int	head;
	int	payload;
	u16	port;
};

/* Does it start like a Proposal, behind a header with the SMC option? */
static bool smcx_filter_is_proposal(const struct sk_buff *skb, const struct smcx_syn *s)
{
	u8 start[SMCX_CLC_HDR_LEN], head[60];
	struct smcx_clc_hdr hdr;

	return s->payload >= SMCX_CLC_HDR_LEN &&
		!skb_copy_bits(skb, s->off + s->head, start, sizeof(start)) &&
		!smcx_clc_decode_hdr(start, sizeof(start), &hdr) && hdr.type == SMCX_CLC_PROPOSAL &&
		!skb_copy_bits(skb, s->off, head, s->head) &&
		smcx_tcp_has_option((const struct tcphdr *)head);
}

/* Return: true if @s describes a SYN (without ACK) with data; @len: of the whole packet. */
static bool smcx_filter_parse(const struct sk_buff *skb, int off, int len, struct smcx_syn *s)
{
	struct tcphdr buf;
	const struct tcphdr *th = skb_header_pointer(skb, off, sizeof(buf), &buf);

	if (!th || !th->syn || th->ack || th->rst || th->doff < 5)
		return false;
	s->off = off;
	s->head = th->doff * 4;
	s->payload = len - off - s->head;
	s->port = ntohs(th->dest);
	return s->payload > 0 && len <= skb->len;
}

/* Return: TCP header of the packet without data, checksum still to be set; NULL = leave it alone. */
static struct tcphdr *smcx_filter_cut(struct sk_buff *skb, const struct smcx_syn *s, u8 pf)
{
	int len = s->off + s->head;
	struct tcphdr *th;

	/* a broken packet stays broken, for TCP to see */
	if (nf_checksum(skb, NF_INET_LOCAL_IN, s->off, IPPROTO_TCP, pf) ||
	    pskb_trim(skb, len) || skb_ensure_writable(skb, len))
		return NULL;
	th = (struct tcphdr *)(skb->data + s->off);
	th->check = 0;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	smcx_stat_inc(smcx_net(dev_net(skb->dev)), SMCX_CNT_ONERTT_FILTERED);
	return th;
}

static unsigned int smcx_filter_v4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct iphdr *iph = ip_hdr(skb);
	struct smcx_syn s;
	struct tcphdr *th;

	if (iph->protocol != IPPROTO_TCP || ip_is_fragment(iph) ||
	    !smcx_filter_parse(skb, ip_hdrlen(skb), ntohs(iph->tot_len), &s) ||
	    smcx_filter_has_port(state->net, s.port) || !smcx_filter_is_proposal(skb, &s))
		return NF_ACCEPT;
	th = smcx_filter_cut(skb, &s, NFPROTO_IPV4);
	if (!th)
		return NF_ACCEPT;
	iph = ip_hdr(skb);
	iph->tot_len = htons(s.off + s.head);
	ip_send_check(iph);
	th->check = tcp_v4_check(s.head, iph->saddr, iph->daddr, csum_partial(th, s.head, 0));
	return NF_ACCEPT;
}

/* Extension headers are left alone: nothing of ours sends them. */
static unsigned int smcx_filter_v6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct ipv6hdr *ip6 = ipv6_hdr(skb);
	struct smcx_syn s;
	struct tcphdr *th;

	if (ip6->nexthdr != IPPROTO_TCP ||
	    !smcx_filter_parse(skb, sizeof(*ip6), sizeof(*ip6) + ntohs(ip6->payload_len), &s) ||
	    smcx_filter_has_port(state->net, s.port) || !smcx_filter_is_proposal(skb, &s))
		return NF_ACCEPT;
	th = smcx_filter_cut(skb, &s, NFPROTO_IPV6);
	if (!th)
		return NF_ACCEPT;
	ip6 = ipv6_hdr(skb);
	ip6->payload_len = htons(s.head);
	th->check = tcp_v6_check(s.head, &ip6->saddr, &ip6->daddr, csum_partial(th, s.head, 0));
	return NF_ACCEPT;
}

static const struct nf_hook_ops smcx_filter_hooks[] = {
	{
		.hook		= smcx_filter_v4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_LAST,
	}, {
		.hook		= smcx_filter_v6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP6_PRI_LAST,
	},
};

int smcx_filter_set(struct smcx_net *sn, bool on)
{
	int rc = 0;

	mutex_lock(&smcx_filter_lock);
	if (on && !sn->filter_on)
		rc = nf_register_net_hooks(sn->net, smcx_filter_hooks, ARRAY_SIZE(smcx_filter_hooks));
	else if (!on && sn->filter_on)
		nf_unregister_net_hooks(sn->net, smcx_filter_hooks, ARRAY_SIZE(smcx_filter_hooks));
	if (!rc)
		sn->filter_on = on;
	mutex_unlock(&smcx_filter_lock);
	return rc;
}
