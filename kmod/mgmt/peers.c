// SPDX-License-Identifier: GPL-2.0
/* Known servers over generic netlink SMCX, see base/peer.h. */
#include <linux/smcx.h>

#include "../base/netns.h"
#include "priv.h"

static int smcx_peers_fill(struct sk_buff *skb, const struct smcx_peer *p)
{
	const struct smcx_peer_key *key = &p->key;
	int len = key->family == AF_INET ? sizeof(__be32) : sizeof(key->addr);

	if (nla_put_u16(skb, SMCX_PEER_FAMILY, key->family) ||
	    nla_put_u16(skb, SMCX_PEER_PORT, ntohs(key->port)) ||
	    nla_put(skb, SMCX_PEER_ADDR, len, &key->addr) ||
	    nla_put(skb, SMCX_PEER_OWN, len, &key->own) ||
	    nla_put_u8(skb, SMCX_PEER_HAS_TOKEN, !!p->invite.token) ||
	    nla_put_u32(skb, SMCX_PEER_IDLE, (jiffies - p->used) / HZ) ||
	    nla_put_u32(skb, SMCX_PEER_BAN, smcx_peer_left(p->banned, p->ban_until)) ||
	    nla_put_u32(skb, SMCX_PEER_LOST, smcx_peer_left(p->lost, p->lost_until)) ||
	    nla_put_u32(skb, SMCX_PEER_LEARNT, p->learnt) ||
	    nla_put_u32(skb, SMCX_PEER_TRIED, p->tried) ||
	    nla_put_u32(skb, SMCX_PEER_NO_PATH, smcx_peer_left(p->dead, p->dead_until)))
		return -EMSGSIZE;
	return 0;
}

static int smcx_peers_dump_one(const struct smcx_peer *p, void *arg)
{
	struct smcx_dump *d = arg;
	struct nlattr *inner;
	void *msg;

	if (smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, SMCX_ATTR_PEER, &inner);
	if (!msg)
		return -EMSGSIZE;
	return smcx_dump_end(d, msg, inner, smcx_peers_fill(d->skb, p));
}

int smcx_own_dump_peers(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	int rc = smcx_peer_for_each(smcx_net(smcx_dump_net(&d)), smcx_peers_dump_one, &d);

	/* no memory must not look like no peer */
	return rc == -ENOMEM ? rc : skb->len;
}

int smcx_own_flush_peers(struct sk_buff *skb, struct genl_info *info)
{
	smcx_peer_flush(smcx_net(genl_info_net(info)));
	return 0;
}
