// SPDX-License-Identifier: GPL-2.0
/* Trusted prefixes over generic netlink SMCX, see base/trust.h. */
#include <linux/slab.h>
#include <linux/smcx.h>

#include "../base/netns.h"
#include "priv.h"

static const struct nla_policy smcx_trust_policy[SMCX_TRUST_ATTR_MAX + 1] = {
	[SMCX_TRUST_FAMILY]	= { .type = NLA_U16 },
	[SMCX_TRUST_PREFIX]	= { .type = NLA_BINARY, .len = sizeof(struct in6_addr) },
	[SMCX_TRUST_LEN]	= { .type = NLA_U8 },
	[SMCX_TRUST_PORT]	= { .type = NLA_U16 },
	[SMCX_TRUST_COOKIE]	= { .type = NLA_U8 },
};

/* Return: 0, or -EINVAL if the request names no prefix. */
static int smcx_trust_parse(struct genl_info *info, struct smcx_trust *t)
{
	struct nlattr *tb[SMCX_TRUST_ATTR_MAX + 1];
	int rc, len;

	if (!info->attrs[SMCX_ATTR_TRUST])
		return -EINVAL;
	rc = nla_parse_nested(tb, SMCX_TRUST_ATTR_MAX, info->attrs[SMCX_ATTR_TRUST],
			      smcx_trust_policy, info->extack);
	if (rc)
		return rc;
	if (!tb[SMCX_TRUST_FAMILY] || !tb[SMCX_TRUST_PREFIX] || !tb[SMCX_TRUST_LEN])
		return -EINVAL;
	memset(t, 0, sizeof(*t));
	t->family = nla_get_u16(tb[SMCX_TRUST_FAMILY]);
	t->len = nla_get_u8(tb[SMCX_TRUST_LEN]);
	len = t->family == AF_INET ? sizeof(__be32) : sizeof(t->addr);
	if (nla_len(tb[SMCX_TRUST_PREFIX]) != len)
		return -EINVAL;
	memcpy(&t->addr, nla_data(tb[SMCX_TRUST_PREFIX]), len);
	if (tb[SMCX_TRUST_PORT])
		t->port = nla_get_u16(tb[SMCX_TRUST_PORT]);
	if (tb[SMCX_TRUST_COOKIE])
		t->cookie = nla_get_u8(tb[SMCX_TRUST_COOKIE]);
	return 0;
}

int smcx_own_add_trust(struct sk_buff *skb, struct genl_info *info)
{
	struct smcx_trust t;
	int rc = smcx_trust_parse(info, &t);

	return rc ? rc : smcx_trust_add(smcx_net(genl_info_net(info)), &t);
}

int smcx_own_del_trust(struct sk_buff *skb, struct genl_info *info)
{
	struct smcx_trust t;
	int rc = smcx_trust_parse(info, &t);

	return rc ? rc : smcx_trust_del(smcx_net(genl_info_net(info)), &t);
}

static int smcx_trust_fill(struct sk_buff *skb, const struct smcx_trust *t)
{
	int len = t->family == AF_INET ? sizeof(__be32) : sizeof(t->addr);

	if (nla_put_u16(skb, SMCX_TRUST_FAMILY, t->family) ||
	    nla_put(skb, SMCX_TRUST_PREFIX, len, &t->addr) ||
	    nla_put_u8(skb, SMCX_TRUST_LEN, t->len) ||
	    nla_put_u16(skb, SMCX_TRUST_PORT, t->port) ||
	    nla_put_u8(skb, SMCX_TRUST_COOKIE, t->cookie))
		return -EMSGSIZE;
	return 0;
}

static int smcx_trust_dump_all(struct smcx_dump *d, const struct smcx_trust *all, unsigned int n)
{
	struct nlattr *inner;
	unsigned int i;
	void *msg;

	for (i = 0; i < n; i++) {
		if (smcx_dump_is_sent(d))
			continue;
		msg = smcx_dump_begin(d, SMCX_ATTR_TRUST, &inner);
		if (!msg || smcx_dump_end(d, msg, inner, smcx_trust_fill(d->skb, &all[i])))
			return -EMSGSIZE;
	}
	return 0;
}

int smcx_own_dump_trust(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	struct smcx_trust *all;

	all = kcalloc(SMCX_TRUST_MAX, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	smcx_trust_dump_all(&d, all, smcx_trust_get(smcx_net(smcx_dump_net(&d)), all));
	kfree(all);
	return skb->len;
}
