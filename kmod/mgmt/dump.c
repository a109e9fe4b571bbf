// SPDX-License-Identifier: GPL-2.0
/* What the generic netlink dumps share: see priv.h. */
#include "priv.h"

/* All families of this module are in their first version. */
#define SMCX_DUMP_VERSION	1

void *smcx_dump_begin(struct smcx_dump *d, int nest, struct nlattr **inner)
{
	const struct nlmsghdr *req = d->cb->nlh;
	struct genlmsghdr *hdr;
	struct nlmsghdr *msg;

	*inner = NULL;
	msg = nlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid, req->nlmsg_seq,
			req->nlmsg_type, GENL_HDRLEN, NLM_F_MULTI);
	if (!msg)
		return NULL;
	/* not by genlmsg_put(): the family's table of operations knows the dumps, not they it */
	hdr = nlmsg_data(msg);
	hdr->cmd = ((const struct genlmsghdr *)nlmsg_data(req))->cmd;
	hdr->version = SMCX_DUMP_VERSION;
	hdr->reserved = 0;
	if (!nest)
		return msg;
	*inner = nla_nest_start(d->skb, nest);
	if (*inner)
		return msg;
	nlmsg_cancel(d->skb, msg);
	return NULL;
}

int smcx_dump_end(struct smcx_dump *d, void *msg, struct nlattr *inner, int rc)
{
	if (rc) {
		nlmsg_cancel(d->skb, msg);
		return -EMSGSIZE;
	}
	if (inner)
		nla_nest_end(d->skb, inner);
	nlmsg_end(d->skb, msg);
	d->cb->args[0] = d->pos;
	return 0;
}

int smcx_put_uint(struct sk_buff *skb, int attr, u64 value)
{
	if (value == (u32)value)
		return nla_put_u32(skb, attr, value);
	return nla_put(skb, attr, sizeof(value), &value);
}

int smcx_put_u64s(struct sk_buff *skb, int first, const u64 *values, unsigned int n, int pad)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (nla_put_u64_64bit(skb, first + i, values[i], pad))
			return -EMSGSIZE;
	return 0;
}
