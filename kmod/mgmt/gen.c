// SPDX-License-Identifier: GPL-2.0
/* Generic netlink SMC_GEN_NETLINK: family, system, EIDs, handshake limitation; protocol.rst 7.2. */
#include <linux/module.h>
#include <linux/smcx_abi.h>
#include <linux/utsname.h>

#include "../base/eid.h"
#include "../base/netns.h"
#include "../proto/eid.h"
#include "priv.h"

#define SMCX_SMC_VERSION	2
#define SMCX_SMC_RELEASE	1
#define SMCX_HOST_LEN		32

static int smcx_gen_fill_sys(struct sk_buff *skb)
{
	char host[SMCX_HOST_LEN + 1];

	memset(host, ' ', SMCX_HOST_LEN);
	memcpy(host, init_utsname()->nodename, strnlen(init_utsname()->nodename, SMCX_HOST_LEN));
	host[SMCX_HOST_LEN] = '\0';
	if (nla_put_u8(skb, SMCX_SYS_VER, SMCX_SMC_VERSION) ||
	    nla_put_u8(skb, SMCX_SYS_REL, SMCX_SMC_RELEASE) ||
	    nla_put_u8(skb, SMCX_SYS_IS_ISM_V2, 0) ||
	    nla_put_u8(skb, SMCX_SYS_IS_SMCR_V2, 1) ||
	    nla_put_string(skb, SMCX_SYS_LOCAL_HOST, host))
		return -EMSGSIZE;
	return 0;
}

/* Start of a dump of a single item; NULL when it was sent already. */
static void *smcx_gen_single(struct smcx_dump *d, struct sk_buff *skb,
			     struct netlink_callback *cb, int nest,
			     struct nlattr **inner)
{
	*d = (struct smcx_dump){ .skb = skb, .cb = cb };
	if (smcx_dump_is_sent(d))
		return NULL;
	return smcx_dump_begin(d, nest, inner);
}

static int smcx_gen_dump_sys(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *inner;
	struct smcx_dump d;
	void *msg;

	msg = smcx_gen_single(&d, skb, cb, SMCX_GEN_SYS_INFO, &inner);
	if (msg)
		smcx_dump_end(&d, msg, inner, smcx_gen_fill_sys(skb));
	return skb->len;
}

/* SMC-D: this module has none of it. */
static int smcx_gen_dump_nothing(struct sk_buff *skb, struct netlink_callback *cb)
{
	return skb->len;
}

static int smcx_gen_dump_ueid(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	u8 eids[SMCX_EID_MAX][SMCX_EID_LEN];
	unsigned int i, n = smcx_eid_get(eids);
	char text[SMCX_EID_LEN + 1];
	struct nlattr *inner;
	void *msg;

	for (i = 0; i < n; i++) {
		if (smcx_dump_is_sent(&d))
			continue;
		memcpy(text, eids[i], SMCX_EID_LEN);
		text[SMCX_EID_LEN] = '\0';
		msg = smcx_dump_begin(&d, 0, &inner);
		if (!msg ||
		    smcx_dump_end(&d, msg, NULL, nla_put_string(skb, SMCX_EID_ENTRY, text)))
			break;
	}
	return skb->len;
}

/* The 32 bytes of the attribute, whose syntax must be that of a UEID. */
static const u8 *smcx_gen_eid(struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[SMCX_EID_ENTRY];
	const u8 *eid;

	if (!attr || nla_len(attr) != SMCX_EID_LEN + 1)
		return NULL;
	eid = nla_data(attr);
	return eid[SMCX_EID_LEN] == '\0' && smcx_eid_is_valid(eid) ? eid : NULL;
}

static int smcx_gen_add_ueid(struct sk_buff *skb, struct genl_info *info)
{
	const u8 *eid = smcx_gen_eid(info);

	return eid ? smcx_eid_add(eid) : -EINVAL;
}

static int smcx_gen_remove_ueid(struct sk_buff *skb, struct genl_info *info)
{
	const u8 *eid = smcx_gen_eid(info);

	return eid ? smcx_eid_remove(eid) : -EINVAL;
}

static int smcx_gen_flush_ueid(struct sk_buff *skb, struct genl_info *info)
{
	smcx_eid_flush();
	return 0;
}

/* An empty message is in-tree smc's answer where there is no SMC-D. */
static int smcx_gen_dump_seid(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *inner;
	struct smcx_dump d;
	void *msg;

	msg = smcx_gen_single(&d, skb, cb, 0, &inner);
	if (msg)
		smcx_dump_end(&d, msg, NULL, 0);
	return skb->len;
}

static int smcx_gen_set_seid(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

static int smcx_gen_dump_hs(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_net *sn = smcx_net(sock_net(cb->skb->sk));
	struct nlattr *inner;
	struct smcx_dump d;
	void *msg;

	msg = smcx_gen_single(&d, skb, cb, 0, &inner);
	if (msg)
		smcx_dump_end(&d, msg, NULL, nla_put_u8(skb, SMCX_HS_LIMITED,
							READ_ONCE(sn->sysctl.limit_hs)));
	return skb->len;
}

static int smcx_gen_enable_hs(struct sk_buff *skb, struct genl_info *info)
{
	WRITE_ONCE(smcx_net(genl_info_net(info))->sysctl.limit_hs, 1);
	return 0;
}

static int smcx_gen_disable_hs(struct sk_buff *skb, struct genl_info *info)
{
	WRITE_ONCE(smcx_net(genl_info_net(info))->sysctl.limit_hs, 0);
	return 0;
}

static const struct nla_policy smcx_gen_no_attr[] = {
	[1] = { .type = NLA_REJECT },
};

static const struct nla_policy smcx_gen_eid_attr[] = {
	[SMCX_EID_ENTRY] = { .type = NLA_STRING, .len = SMCX_EID_LEN + 1 },
};

#define SMCX_GEN_DUMP(c, fn)	{ .cmd = SMCX_GEN_##c, .dumpit = fn }
/* EIDs are the host's, not a namespace's: GENL_ADMIN_PERM */
#define SMCX_GEN_EID(c, fn)	{					\
	.cmd = SMCX_GEN_##c, .doit = fn, .flags = GENL_ADMIN_PERM,	\
	.policy = smcx_gen_eid_attr, .maxattr = SMCX_EID_ENTRY,		\
}
#define SMCX_GEN_DO(c, fn, f)	{ .cmd = SMCX_GEN_##c, .doit = fn, .flags = f }

static const struct genl_ops smcx_gen_ops[] = {
	SMCX_GEN_DUMP(GET_SYS_INFO, smcx_gen_dump_sys),
	SMCX_GEN_DUMP(GET_LGR_SMCR, smcx_gen_dump_lgr),
	SMCX_GEN_DUMP(GET_LINK_SMCR, smcx_gen_dump_link),
	SMCX_GEN_DUMP(GET_LGR_SMCD, smcx_gen_dump_nothing),
	SMCX_GEN_DUMP(GET_DEV_SMCD, smcx_gen_dump_nothing),
	SMCX_GEN_DUMP(GET_DEV_SMCR, smcx_gen_dump_dev),
	SMCX_GEN_DUMP(GET_STATS, smcx_gen_dump_stats),
	SMCX_GEN_DUMP(GET_FBACK_STATS, smcx_gen_dump_fback),
	SMCX_GEN_DUMP(DUMP_UEID, smcx_gen_dump_ueid),
	SMCX_GEN_EID(ADD_UEID, smcx_gen_add_ueid),
	SMCX_GEN_EID(REMOVE_UEID, smcx_gen_remove_ueid),
	SMCX_GEN_DO(FLUSH_UEID, smcx_gen_flush_ueid, GENL_ADMIN_PERM),
	SMCX_GEN_DUMP(DUMP_SEID, smcx_gen_dump_seid),
	SMCX_GEN_DO(ENABLE_SEID, smcx_gen_set_seid, GENL_ADMIN_PERM),
	SMCX_GEN_DO(DISABLE_SEID, smcx_gen_set_seid, GENL_ADMIN_PERM),
	SMCX_GEN_DUMP(DUMP_HS_LIMITATION, smcx_gen_dump_hs),
	SMCX_GEN_DO(ENABLE_HS_LIMITATION, smcx_gen_enable_hs, GENL_UNS_ADMIN_PERM),
	SMCX_GEN_DO(DISABLE_HS_LIMITATION, smcx_gen_disable_hs, GENL_UNS_ADMIN_PERM),
};

static struct genl_family smcx_gen_family __ro_after_init = {
	.name		= SMCX_GEN_NAME,
	.version	= SMCX_GEN_VERSION,
	.maxattr	= 1,
	.policy		= smcx_gen_no_attr,
	.netnsok	= true,
	.module		= THIS_MODULE,
	.ops		= smcx_gen_ops,
	.n_ops		= ARRAY_SIZE(smcx_gen_ops),
	.resv_start_op	= SMCX_GEN_DISABLE_HS_LIMITATION + 1,
};

int smcx_mgmt_gen_init(void)
{
	return genl_register_family(&smcx_gen_family);
}

void smcx_mgmt_gen_exit(void)
{
	genl_unregister_family(&smcx_gen_family);
}

MODULE_ALIAS_GENL_FAMILY(SMCX_GEN_NAME);
