// SPDX-License-Identifier: GPL-2.0
/* Counters for SMC_GEN_NETLINK, protocol.rst 7.2. */
#include <linux/smcx_abi.h>

#include "../base/netns.h"
#include "priv.h"

static int smcx_gen_fill_hist(struct sk_buff *skb, int attr, const u64 *classes)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	BUILD_BUG_ON(SMCX_CLASSES != SMCX_HIST_CLASSES);
	if (!nest || smcx_put_u64s(skb, 1, classes, SMCX_CLASSES, SMCX_GEN_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* @rmb: SMCX_RMB_SIZE_SM_PEER .. SMCX_RMB_DGRADE */
static int smcx_gen_fill_rmb(struct sk_buff *skb, int attr, const u64 *rmb)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || smcx_put_u64s(skb, SMCX_RMB_SIZE_SM_PEER, rmb, SMCX_RMB_DGRADE, SMCX_GEN_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int smcx_gen_fill_bufs(struct sk_buff *skb, const u64 *cnt)
{
	u64 tx[SMCX_RMB_DGRADE] = {
		[SMCX_RMB_FULL_PEER - 1]	= cnt[SMCX_CNT_RMB_FULL_PEER],
		[SMCX_RMB_FULL - 1]		= cnt[SMCX_CNT_SND_FULL],
	};
	u64 rx[SMCX_RMB_DGRADE] = {
		[SMCX_RMB_REUSE - 1]		= cnt[SMCX_CNT_RMB_REUSE],
		[SMCX_RMB_ALLOC - 1]		= cnt[SMCX_CNT_RMB_ALLOC],
	};

	return smcx_gen_fill_rmb(skb, SMCX_TECH_TX_RMB, tx) ?:
		smcx_gen_fill_rmb(skb, SMCX_TECH_RX_RMB, rx);
}

static int smcx_gen_fill_tech(struct sk_buff *skb, const struct smcx_stats *s)
{
	const u64 *cnt = s->cnt;
	/* SMCX_TECH_CLNT_V1_OK .. SMCX_TECH_TX_CALLS */
	const u64 row[] = {
		cnt[SMCX_CNT_CLNT_V1_OK], cnt[SMCX_CNT_CLNT_V2_OK],
		cnt[SMCX_CNT_SRV_V1_OK], cnt[SMCX_CNT_SRV_V2_OK],
		0,		/* sendpage, counted as splice here */
		cnt[SMCX_CNT_SPLICE], cnt[SMCX_CNT_CORK], cnt[SMCX_CNT_NODELAY],
		cnt[SMCX_CNT_URGENT], cnt[SMCX_CNT_RX_BYTES], cnt[SMCX_CNT_TX_BYTES],
		cnt[SMCX_CNT_RX_CALLS], cnt[SMCX_CNT_TX_CALLS],
	};

	BUILD_BUG_ON(SMCX_TECH_CLNT_V1_OK + ARRAY_SIZE(row) != SMCX_TECH_RX_RMB_USAGE);
	return smcx_gen_fill_hist(skb, SMCX_TECH_TX_RMB_SIZE, s->hist[SMCX_HIST_TX_RMB]) ?:
		smcx_gen_fill_hist(skb, SMCX_TECH_RX_RMB_SIZE, s->hist[SMCX_HIST_RX_RMB]) ?:
		smcx_gen_fill_hist(skb, SMCX_TECH_TX_PAYLOAD, s->hist[SMCX_HIST_TX_PAYLOAD]) ?:
		smcx_gen_fill_hist(skb, SMCX_TECH_RX_PAYLOAD, s->hist[SMCX_HIST_RX_PAYLOAD]) ?:
		smcx_gen_fill_bufs(skb, cnt) ?:
		smcx_put_u64s(skb, SMCX_TECH_CLNT_V1_OK, row, ARRAY_SIZE(row), SMCX_GEN_PAD);
}

/**
 * struct smcx_gen_usage - memory of receive buffers
 * @net: of the groups of this namespace
 * @bytes: sum
 */
struct smcx_gen_usage {
	const struct net	*net;
	u64			bytes;
};

static int smcx_gen_add_usage(struct smcx_lgr *lgr, void *arg)
{
	struct smcx_gen_usage *u = arg;

	if (lgr->sn == smcx_net(u->net))
		u->bytes += READ_ONCE(lgr->rmb_bytes);
	return 0;
}

/* Send memory is no fixed ring: nothing to tell but that it is not kept. */
static int smcx_gen_fill_usage(struct sk_buff *skb, const struct net *net)
{
	struct smcx_gen_usage u = { .net = net };

	smcx_lgr_for_each(smcx_gen_add_usage, &u);
	return smcx_put_uint(skb, SMCX_TECH_RX_RMB_USAGE, u.bytes) ?:
		smcx_put_uint(skb, SMCX_TECH_TX_RMB_USAGE, 0);
}

static int smcx_gen_fill_stats(struct sk_buff *skb, const struct smcx_stats *s,
			       const struct net *net)
{
	/* a nest of its own for SMC-D, all zero: readers of in-tree smc's format expect it */
	static const struct smcx_stats none;
	static const int nests[] = { SMCX_STATS_SMCD, SMCX_STATS_SMCR };
	struct nlattr *nest;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nests); i++) {
		nest = nla_nest_start(skb, nests[i]);
		if (!nest ||
		    smcx_gen_fill_tech(skb, nests[i] == SMCX_STATS_SMCR ? s : &none) ||
		    (nests[i] == SMCX_STATS_SMCR && smcx_gen_fill_usage(skb, net)))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	if (nla_put_u64_64bit(skb, SMCX_STATS_CLNT_HS_ERR, s->cnt[SMCX_CNT_CLNT_HS_ERR],
			      SMCX_GEN_PAD) ||
	    nla_put_u64_64bit(skb, SMCX_STATS_SRV_HS_ERR, s->cnt[SMCX_CNT_SRV_HS_ERR],
			      SMCX_GEN_PAD))
		return -EMSGSIZE;
	return 0;
}

int smcx_gen_dump_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	struct nlattr *inner;
	struct smcx_stats *sum;
	void *msg;

	if (smcx_dump_is_sent(&d))
		return skb->len;
	sum = kmalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	smcx_stats_sum(smcx_net(smcx_dump_net(&d)), sum);
	msg = smcx_dump_begin(&d, SMCX_GEN_STATS, &inner);
	if (msg)
		smcx_dump_end(&d, msg, inner, smcx_gen_fill_stats(skb, sum, smcx_dump_net(&d)));
	kfree(sum);
	return skb->len;
}

/* Totals stand in the first message only. */
static int smcx_gen_fill_fback(struct sk_buff *skb, const struct smcx_fb_count *c, bool is_server,
			       const u64 *totals)
{
	if (nla_put_u8(skb, SMCX_FBACK_TYPE, is_server) ||
	    (totals && (nla_put_u64_64bit(skb, SMCX_FBACK_SRV_CNT, totals[1], SMCX_GEN_PAD) ||
			nla_put_u64_64bit(skb, SMCX_FBACK_CLNT_CNT, totals[0], SMCX_GEN_PAD))) ||
	    nla_put_u32(skb, SMCX_FBACK_RSN_CODE, c->reason) ||
	    nla_put_u16(skb, SMCX_FBACK_RSN_CNT, min_t(u32, c->count, U16_MAX)))
		return -EMSGSIZE;
	return 0;
}

static int smcx_gen_fback_role(struct smcx_dump *d, const struct smcx_fb_count *counts,
			       unsigned int n, bool is_server, const u64 *totals)
{
	struct nlattr *inner;
	unsigned int i;
	void *msg;

	for (i = 0; i < n; i++) {
		if (smcx_dump_is_sent(d))
			continue;
		msg = smcx_dump_begin(d, SMCX_GEN_FBACK_STATS, &inner);
		if (!msg || smcx_dump_end(d, msg, inner,
					  smcx_gen_fill_fback(d->skb, &counts[i], is_server,
							      d->pos == 1 ? totals : NULL)))
			return -EMSGSIZE;
	}
	return 0;
}

int smcx_gen_dump_fback(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	struct smcx_net *sn = smcx_net(smcx_dump_net(&d));
	struct smcx_fb_count *counts;
	unsigned int n[2];
	u64 totals[2];

	counts = kcalloc(2 * SMCX_FB_REASONS_MAX, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		return -ENOMEM;
	spin_lock_bh(&sn->fb_lock);
	totals[0] = sn->fb_totals[0];
	totals[1] = sn->fb_totals[1];
	spin_unlock_bh(&sn->fb_lock);
	n[0] = smcx_fb_counts(sn, false, counts);
	n[1] = smcx_fb_counts(sn, true, counts + SMCX_FB_REASONS_MAX);
	/* at least one message, for the totals */
	if (!smcx_gen_fback_role(&d, counts + SMCX_FB_REASONS_MAX, max(n[1], 1U), true, totals))
		smcx_gen_fback_role(&d, counts, n[0], false, NULL);
	kfree(counts);
	return skb->len;
}
