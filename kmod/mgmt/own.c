// SPDX-License-Identifier: GPL-2.0
/* Generic netlink SMCX: what in-tree smc's formats cannot carry, see linux/smcx.h. */
#include <linux/module.h>
#include <linux/smcx.h>

#include "../base/netns.h"
#include "../proto/reason.h"
#include "priv.h"

static int smcx_own_put_addr(struct sk_buff *skb, int attr, u16 family, const struct in6_addr *a)
{
	return nla_put(skb, attr, family == AF_INET ? sizeof(__be32) : sizeof(*a), a);
}

static int smcx_own_fill_fallback(struct sk_buff *skb, const struct smcx_fb_rec *rec)
{
	if (nla_put_u64_64bit(skb, SMCX_FB_COOKIE, rec->cookie, SMCX_FB_PAD) ||
	    nla_put_u16(skb, SMCX_FB_FAMILY, rec->family) ||
	    nla_put_u16(skb, SMCX_FB_SPORT, rec->sport) ||
	    nla_put_u16(skb, SMCX_FB_DPORT, ntohs(rec->dport)) ||
	    smcx_own_put_addr(skb, SMCX_FB_SADDR, rec->family, &rec->saddr) ||
	    smcx_own_put_addr(skb, SMCX_FB_DADDR, rec->family, &rec->daddr) ||
	    nla_put_u32(skb, SMCX_FB_IFINDEX, rec->ifindex) ||
	    nla_put_u32(skb, SMCX_FB_REASON, rec->reason) ||
	    nla_put_u32(skb, SMCX_FB_PEER_REASON, rec->peer_reason) ||
	    nla_put_u8(skb, SMCX_FB_IS_SERVER, rec->is_server) ||
	    nla_put_string(skb, SMCX_FB_NAME, smcx_reason_name(rec->reason)))
		return -EMSGSIZE;
	return 0;
}

static int smcx_own_dump_one_fallback(const struct smcx_fb_rec *rec, void *arg)
{
	struct smcx_dump *d = arg;
	struct nlattr *inner;
	void *msg;

	if (smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, SMCX_ATTR_FALLBACK, &inner);
	if (!msg)
		return -EMSGSIZE;
	return smcx_dump_end(d, msg, inner, smcx_own_fill_fallback(d->skb, rec));
}

static int smcx_own_dump_fallback(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	int rc = smcx_fb_for_each(smcx_net(smcx_dump_net(&d)), smcx_own_dump_one_fallback, &d);

	/* no memory must not look like no record */
	return rc == -ENOMEM ? rc : skb->len;
}

static int smcx_own_fill_count(struct sk_buff *skb, const struct smcx_fb_count *c, bool is_server)
{
	if (nla_put_u32(skb, SMCX_FBC_REASON, c->reason) ||
	    nla_put_u32(skb, SMCX_FBC_COUNT, c->count) ||
	    nla_put_u8(skb, SMCX_FBC_IS_SERVER, is_server) ||
	    nla_put_string(skb, SMCX_FBC_NAME, smcx_reason_name(c->reason)))
		return -EMSGSIZE;
	return 0;
}

static int smcx_own_dump_role(struct smcx_dump *d, const struct smcx_fb_count *counts,
			      unsigned int n, bool is_server)
{
	struct nlattr *inner;
	unsigned int i;
	void *msg;

	for (i = 0; i < n; i++) {
		if (smcx_dump_is_sent(d))
			continue;
		msg = smcx_dump_begin(d, SMCX_ATTR_FB_COUNT, &inner);
		if (!msg || smcx_dump_end(d, msg, inner,
					  smcx_own_fill_count(d->skb, &counts[i], is_server)))
			return -EMSGSIZE;
	}
	return 0;
}

static int smcx_own_dump_counts(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	struct smcx_net *sn = smcx_net(smcx_dump_net(&d));
	struct smcx_fb_count *counts;
	int role, rc = 0;

	counts = kcalloc(SMCX_FB_REASONS_MAX, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		return -ENOMEM;
	for (role = SMCX_CLIENT; !rc && role <= SMCX_SERVER; role++)
		rc = smcx_own_dump_role(&d, counts, smcx_fb_counts(sn, role, counts), role);
	kfree(counts);
	return skb->len;
}

/* Those that SMC_GEN_NETLINK has no place for, and those that tests compare. */
static const struct {
	enum smcx_cnt	cnt;
	const char	*name;
} smcx_own_counters[] = {
	{ SMCX_CNT_CLNT_FALLBACK, "client_fallback" },
	{ SMCX_CNT_SRV_FALLBACK, "server_fallback" },
	{ SMCX_CNT_FIRST_CONTACT, "first_contact" },
	{ SMCX_CNT_REUSE, "group_reuse" },
	{ SMCX_CNT_RMB_ALLOC, "receive_element_alloc" },
	{ SMCX_CNT_RMB_REUSE, "receive_element_reuse" },
	{ SMCX_CNT_RMB_FULL_PEER, "peer_element_full" },
	{ SMCX_CNT_SND_FULL, "send_limit_reached" },
	{ SMCX_CNT_PROTO_ERR, "refused_message" },
	{ SMCX_CNT_KILLED, "killed_with_group" },
	{ SMCX_CNT_ACCEPT_DROP, "accept_drop" },
	{ SMCX_CNT_TX_DATA_CDC, "data_in_cdc" },
	{ SMCX_CNT_ONERTT_SENT, "onertt_sent" },
	{ SMCX_CNT_ONERTT_ACKED, "onertt_acked" },
	{ SMCX_CNT_ONERTT_UNACKED, "onertt_unacked" },
	{ SMCX_CNT_ONERTT_PURGED, "onertt_purged" },
	{ SMCX_CNT_ONERTT_VETOED, "onertt_vetoed" },
	{ SMCX_CNT_ONERTT_RESET, "onertt_reset" },
	{ SMCX_CNT_ONERTT_LOST, "onertt_lost" },
	{ SMCX_CNT_ONERTT_LEARNT, "onertt_learnt" },
	{ SMCX_CNT_ONERTT_ACCEPTED, "onertt_accepted" },
	{ SMCX_CNT_ONERTT_COMMITTED, "onertt_committed" },
	{ SMCX_CNT_ONERTT_DECLINED, "onertt_declined" },
	{ SMCX_CNT_ONERTT_TIMEOUT, "onertt_timeout" },
	{ SMCX_CNT_ONERTT_FAILED, "onertt_failed" },
	{ SMCX_CNT_ONERTT_REPLAYED, "onertt_replayed" },
	{ SMCX_CNT_ONERTT_CROWDED, "onertt_crowded" },
	{ SMCX_CNT_ONERTT_BAD_TOKEN, "onertt_bad_token" },
	{ SMCX_CNT_ONERTT_NO_PROPOSAL, "onertt_no_proposal" },
	{ SMCX_CNT_ONERTT_FILTERED, "onertt_filtered" },
};

static int smcx_own_fill_counter(struct sk_buff *skb, const char *name, u64 value)
{
	if (nla_put_string(skb, SMCX_CNTR_NAME, name) ||
	    nla_put_u64_64bit(skb, SMCX_CNTR_VALUE, value, SMCX_CNTR_PAD))
		return -EMSGSIZE;
	return 0;
}

static int smcx_own_dump_counter(struct smcx_dump *d, const char *name, u64 value)
{
	struct nlattr *inner;
	void *msg;

	if (smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, SMCX_ATTR_COUNTER, &inner);
	if (!msg)
		return -EMSGSIZE;
	return smcx_dump_end(d, msg, inner, smcx_own_fill_counter(d->skb, name, value));
}

static int smcx_own_dump_counters(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	struct smcx_net *sn = smcx_net(smcx_dump_net(&d));
	struct smcx_stats *sum;
	unsigned int i;
	int rc;

	sum = kmalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	smcx_stats_sum(sn, sum);
	/* not monotonic, as the others are: how many there are now */
	rc = smcx_own_dump_counter(&d, "sockets_now", READ_ONCE(sn->nsocks));
	for (i = 0; !rc && i < ARRAY_SIZE(smcx_own_counters); i++)
		rc = smcx_own_dump_counter(&d, smcx_own_counters[i].name,
					   sum->cnt[smcx_own_counters[i].cnt]);
	kfree(sum);
	return skb->len;
}

static const struct nla_policy smcx_own_policy[SMCX_ATTR_MAX + 1] = {
	[SMCX_ATTR_TRUST]	= { .type = NLA_NESTED },
};

static const struct genl_ops smcx_own_ops[] = {
	{ .cmd = SMCX_CMD_GET_FALLBACK, .dumpit = smcx_own_dump_fallback },
	{ .cmd = SMCX_CMD_GET_FB_COUNT, .dumpit = smcx_own_dump_counts },
	{ .cmd = SMCX_CMD_GET_COUNTERS, .dumpit = smcx_own_dump_counters },
	{ .cmd = SMCX_CMD_GET_PEERS, .dumpit = smcx_own_dump_peers },
	{ .cmd = SMCX_CMD_FLUSH_PEERS, .doit = smcx_own_flush_peers, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = SMCX_CMD_GET_TRUST, .dumpit = smcx_own_dump_trust },
	{ .cmd = SMCX_CMD_ADD_TRUST, .doit = smcx_own_add_trust, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = SMCX_CMD_DEL_TRUST, .doit = smcx_own_del_trust, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = SMCX_CMD_GET_SETUP, .dumpit = smcx_own_dump_setup },
};

static struct genl_family smcx_own_family __ro_after_init = {
	.name		= SMCX_GENL_NAME,
	.version	= SMCX_GENL_VERSION,
	.maxattr	= SMCX_ATTR_MAX,
	.policy		= smcx_own_policy,
	.netnsok	= true,
	.module		= THIS_MODULE,
	.ops		= smcx_own_ops,
	.n_ops		= ARRAY_SIZE(smcx_own_ops),
	.resv_start_op	= SMCX_CMD_MAX + 1,
};

int smcx_mgmt_own_init(void)
{
	return genl_register_family(&smcx_own_family);
}

void smcx_mgmt_own_exit(void)
{
	genl_unregister_family(&smcx_own_family);
}
