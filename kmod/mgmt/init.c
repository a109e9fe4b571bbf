// SPDX-License-Identifier: GPL-2.0
/* Registration of all interfaces, and what their dumps share: see mgmt.h. */
#include <linux/module.h>

#include "mgmt.h"
#include "priv.h"

static const struct {
	const char	*name;
	int		(*init)(void);
	void		(*exit)(void);
} smcx_mgmt_parts[] = {
	{ "sysctl net.smc",	smcx_mgmt_sysctl_init,	smcx_mgmt_sysctl_exit },
	{ "SMC_GEN_NETLINK",	smcx_mgmt_gen_init,	smcx_mgmt_gen_exit },
	{ "SMC_PNETID",		smcx_mgmt_pnet_init,	smcx_mgmt_pnet_exit },
	{ "SMCX netlink",	smcx_mgmt_own_init,	smcx_mgmt_own_exit },
	{ "sock_diag",		smcx_mgmt_diag_init,	smcx_mgmt_diag_exit },
};

static void smcx_mgmt_undo(unsigned int n)
{
	while (n--)
		smcx_mgmt_parts[n].exit();
}

int smcx_mgmt_init(void)
{
	unsigned int i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(smcx_mgmt_parts); i++) {
		rc = smcx_mgmt_parts[i].init();
		if (rc) {
			pr_err("smcx: cannot register %s, error %d\n",
			       smcx_mgmt_parts[i].name, rc);
			smcx_mgmt_undo(i);
			return rc;
		}
	}
	return 0;
}

void smcx_mgmt_exit(void)
{
	smcx_mgmt_undo(ARRAY_SIZE(smcx_mgmt_parts));
}

void *smcx_dump_begin(struct smcx_dump *d, int nest, struct nlattr **inner)
{
	void *msg = genlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid, d->cb->nlh->nlmsg_seq,
				d->family, NLM_F_MULTI, d->cmd);

	*inner = NULL;
	if (!msg || !nest)
		return msg;
	*inner = nla_nest_start(d->skb, nest);
	if (*inner)
		return msg;
	genlmsg_cancel(d->skb, msg);
	return NULL;
}

int smcx_dump_end(struct smcx_dump *d, void *msg, struct nlattr *inner, int rc)
{
	if (rc) {
		genlmsg_cancel(d->skb, msg);
		return -EMSGSIZE;
	}
	if (inner)
		nla_nest_end(d->skb, inner);
	genlmsg_end(d->skb, msg);
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
