// SPDX-License-Identifier: GPL-2.0
/* Generic netlink SMC_PNETID: the PNET table, protocol.rst 7.3. */
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/smcx_abi.h>

#include "../rdma/pnet.h"
#include "priv.h"

#define SMCX_PNET_NO_PORT	255
/* room for every entry a table of sane size has under one name */
#define SMCX_PNET_REPLY_SIZE	16384

static struct genl_family smcx_pnet_family;

/* 1 to 16 letters and digits, blanks around them ignored, to upper case. */
static int smcx_pnet_parse_name(const struct nlattr *attr, char name[SMCX_PNETID_LEN + 1])
{
	char text[SMCX_PNETID_LEN + 1];
	unsigned int i;
	char *at;

	if (!attr)
		return -EINVAL;
	nla_strscpy(text, attr, sizeof(text));
	at = strim(text);
	if (!*at)
		return -EINVAL;
	for (i = 0; at[i]; i++) {
		if (!isascii(at[i]) || !isalnum(at[i]))
			return -EINVAL;
		name[i] = toupper(at[i]);
	}
	name[i] = '\0';
	return 0;
}

static int smcx_pnet_parse(struct genl_info *info, struct smcx_pnet_entry *e)
{
	const struct nlattr *eth = info->attrs[SMCX_PNET_ETH];
	const struct nlattr *ib = info->attrs[SMCX_PNET_IB];
	const struct nlattr *port = info->attrs[SMCX_PNET_PORT];

	memset(e, 0, sizeof(*e));
	if (!eth && !ib)
		return -EINVAL;
	if (eth && nla_strscpy(e->eth, eth, sizeof(e->eth)) <= 0)
		return -EINVAL;
	if (ib && nla_strscpy(e->ib, ib, sizeof(e->ib)) <= 0)
		return -EINVAL;
	if (ib)
		e->ib_port = port ? nla_get_u8(port) : 1;
	if (ib && (e->ib_port < 1 || e->ib_port > SMCX_DEV_PORTS))
		return -EINVAL;
	return smcx_pnet_parse_name(info->attrs[SMCX_PNET_NAME], e->name);
}

static int smcx_pnet_do_add(struct sk_buff *skb, struct genl_info *info)
{
	struct smcx_pnet_entry e;
	int rc = smcx_pnet_parse(info, &e);

	return rc ?: smcx_pnet_add(genl_info_net(info), &e);
}

static int smcx_pnet_do_del(struct sk_buff *skb, struct genl_info *info)
{
	char name[SMCX_PNETID_LEN + 1];
	int rc = smcx_pnet_parse_name(info->attrs[SMCX_PNET_NAME], name);

	return rc ?: smcx_pnet_del(genl_info_net(info), name);
}

static int smcx_pnet_do_flush(struct sk_buff *skb, struct genl_info *info)
{
	smcx_pnet_del(genl_info_net(info), NULL);
	return 0;
}

static int smcx_pnet_fill(struct sk_buff *skb, const struct smcx_pnet_entry *e)
{
	if (nla_put_string(skb, SMCX_PNET_NAME, e->name) ||
	    nla_put_string(skb, SMCX_PNET_ETH, e->eth[0] ? e->eth : "n/a") ||
	    nla_put_string(skb, SMCX_PNET_IB, e->ib[0] ? e->ib : "n/a") ||
	    nla_put_u8(skb, SMCX_PNET_PORT, e->ib[0] ? e->ib_port : SMCX_PNET_NO_PORT))
		return -EMSGSIZE;
	return 0;
}

static int smcx_pnet_dump_one(const struct smcx_pnet_entry *e, void *arg)
{
	struct smcx_dump *d = arg;
	struct nlattr *inner;
	void *msg;

	if (smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, 0, &inner);
	if (!msg)
		return -EMSGSIZE;
	return smcx_dump_end(d, msg, NULL, smcx_pnet_fill(d->skb, e));
}

static int smcx_pnet_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };

	smcx_pnet_for_each(smcx_dump_net(&d), NULL, smcx_pnet_dump_one, &d);
	return skb->len;
}

struct smcx_pnet_reply {
	struct sk_buff		*skb;
	struct genl_info	*info;
};

static int smcx_pnet_reply_one(const struct smcx_pnet_entry *e, void *arg)
{
	struct smcx_pnet_reply *r = arg;
	void *msg = genlmsg_put_reply(r->skb, r->info, &smcx_pnet_family, NLM_F_MULTI,
				      SMCX_PNET_CMD_GET);

	if (!msg)
		return -EMSGSIZE;
	if (smcx_pnet_fill(r->skb, e)) {
		genlmsg_cancel(r->skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(r->skb, msg);
	return 0;
}

/* By name; the answer is in-tree smc's: several messages and their end in one buffer. */
static int smcx_pnet_do_get(struct sk_buff *skb, struct genl_info *info)
{
	struct smcx_pnet_reply r = { .info = info };
	char name[SMCX_PNETID_LEN + 1];
	int rc;

	rc = smcx_pnet_parse_name(info->attrs[SMCX_PNET_NAME], name);
	if (rc)
		return rc;
	r.skb = nlmsg_new(SMCX_PNET_REPLY_SIZE, GFP_KERNEL);
	if (!r.skb)
		return -ENOMEM;
	rc = smcx_pnet_for_each(genl_info_net(info), name, smcx_pnet_reply_one, &r);
	if (!rc && !nlmsg_put(r.skb, info->snd_portid, info->snd_seq, NLMSG_DONE, 0, NLM_F_MULTI))
		rc = -EMSGSIZE;
	if (rc) {
		nlmsg_free(r.skb);
		return rc;
	}
	return genlmsg_reply(r.skb, info);
}

static const struct nla_policy smcx_pnet_policy[SMCX_PNET_MAX + 1] = {
	[SMCX_PNET_NAME]	= { .type = NLA_NUL_STRING, .len = SMCX_PNETID_LEN },
	[SMCX_PNET_ETH]		= { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[SMCX_PNET_IB]		= { .type = NLA_NUL_STRING, .len = IB_DEVICE_NAME_MAX - 1 },
	[SMCX_PNET_PORT]	= { .type = NLA_U8 },
};

static const struct genl_ops smcx_pnet_ops[] = {
	{
		.cmd	= SMCX_PNET_CMD_GET,
		.doit	= smcx_pnet_do_get,
		.dumpit	= smcx_pnet_dump,
	}, {
		.cmd	= SMCX_PNET_CMD_ADD,
		.flags	= GENL_UNS_ADMIN_PERM,
		.doit	= smcx_pnet_do_add,
	}, {
		.cmd	= SMCX_PNET_CMD_DEL,
		.flags	= GENL_UNS_ADMIN_PERM,
		.doit	= smcx_pnet_do_del,
	}, {
		.cmd	= SMCX_PNET_CMD_FLUSH,
		.flags	= GENL_UNS_ADMIN_PERM,
		.doit	= smcx_pnet_do_flush,
	},
};

static struct genl_family smcx_pnet_family __ro_after_init = {
	.name		= SMCX_PNET_GENL_NAME,
	.version	= SMCX_PNET_GENL_VERSION,
	.maxattr	= SMCX_PNET_MAX,
	.policy		= smcx_pnet_policy,
	.netnsok	= true,
	.module		= THIS_MODULE,
	.ops		= smcx_pnet_ops,
	.n_ops		= ARRAY_SIZE(smcx_pnet_ops),
	.resv_start_op	= SMCX_PNET_CMD_FLUSH + 1,
};

int smcx_mgmt_pnet_init(void)
{
	return genl_register_family(&smcx_pnet_family);
}

void smcx_mgmt_pnet_exit(void)
{
	genl_unregister_family(&smcx_pnet_family);
}

MODULE_ALIAS_GENL_FAMILY(SMCX_PNET_GENL_NAME);
