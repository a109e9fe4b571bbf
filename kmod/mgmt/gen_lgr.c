// SPDX-License-Identifier: GPL-2.0
/* Link groups and links for SMC_GEN_NETLINK, protocol.rst 7.2. */
#include <linux/smcx_abi.h>

#include "../proto/eid.h"
#include "priv.h"

/* types of groups, as in-tree smc numbers them (protocol.rst 3.6) */
enum { SMCX_LGR_TYPE_NONE, SMCX_LGR_TYPE_SINGLE, SMCX_LGR_TYPE_SYMMETRIC };

static u8 smcx_gen_lgr_type(const struct smcx_lgr *lgr)
{
	unsigned int i, active = 0;

	for (i = 0; i < SMCX_LGR_LINKS; i++)
		active += READ_ONCE(lgr->links[i].state) == SMCX_LNK_ACTIVE;
	if (!active)
		return SMCX_LGR_TYPE_NONE;
	return active == 1 ? SMCX_LGR_TYPE_SINGLE : SMCX_LGR_TYPE_SYMMETRIC;
}

static int smcx_gen_fill_v2(struct sk_buff *skb, const struct smcx_lgr *lgr)
{
	struct nlattr *nest = nla_nest_start(skb, SMCX_LGR_V2_COMMON);
	char eid[SMCX_EID_LEN + 1];

	if (!nest)
		return -EMSGSIZE;
	memcpy(eid, lgr->eid, SMCX_EID_LEN);
	eid[SMCX_EID_LEN] = '\0';
	if (nla_put_u8(skb, SMCX_LGR_V2_VER, lgr->version) ||
	    nla_put_u8(skb, SMCX_LGR_V2_REL, lgr->release) ||
	    nla_put_u8(skb, SMCX_LGR_V2_OS, lgr->peer_os) ||
	    nla_put_string(skb, SMCX_LGR_V2_EID, eid) ||
	    nla_put_string(skb, SMCX_LGR_V2_PEER_HOST, lgr->peer_host))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);

	nest = nla_nest_start(skb, SMCX_LGR_V2);
	if (!nest ||
	    nla_put_u8(skb, SMCX_LGR_V2_DIRECT, !lgr->links[0].peer.gateway) ||
	    nla_put_u8(skb, SMCX_LGR_V2_MAX_CONNS, lgr->max_conns) ||
	    nla_put_u8(skb, SMCX_LGR_V2_MAX_LINKS, lgr->max_links))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int smcx_gen_fill_lgr(struct sk_buff *skb, const struct smcx_lgr *lgr)
{
	if (nla_put_u32(skb, SMCX_LGR_ID, lgr->id) ||
	    nla_put_u8(skb, SMCX_LGR_ROLE, lgr->role) ||
	    nla_put_u8(skb, SMCX_LGR_TYPE, smcx_gen_lgr_type(lgr)) ||
	    nla_put_string(skb, SMCX_LGR_PNETID, lgr->pnetid) ||
	    nla_put_u8(skb, SMCX_LGR_VLAN_ID, lgr->vlan_id) ||
	    nla_put_u32(skb, SMCX_LGR_CONNS, READ_ONCE(lgr->conns)) ||
	    nla_put_u64_64bit(skb, SMCX_LGR_NET_COOKIE, lgr->net_cookie,
			      SMCX_LGR_PAD) ||
	    nla_put_u8(skb, SMCX_LGR_BUF_TYPE, lgr->buf_type) ||
	    smcx_put_uint(skb, SMCX_LGR_RMB, READ_ONCE(lgr->rmb_bytes)))
		return -EMSGSIZE;
	return lgr->version > 1 ? smcx_gen_fill_v2(skb, lgr) : 0;
}

static int smcx_gen_put_gid(struct sk_buff *skb, int attr, const union ib_gid *gid)
{
	char text[40];

	snprintf(text, sizeof(text), "%pI6", gid->raw);
	return nla_put_string(skb, attr, text);
}

static int smcx_gen_fill_link(struct sk_buff *skb, const struct smcx_link *link)
{
	__be32 uid = cpu_to_be32(link->uid), peer_uid = cpu_to_be32(link->peer_uid);
	char ibname[IB_DEVICE_NAME_MAX] = "";
	const struct smcx_dev *dev;

	/* under RCU a device not yet gone keeps its name readable */
	rcu_read_lock();
	dev = link->path.dev;
	if (dev && !READ_ONCE(dev->gone))
		strscpy(ibname, dev->ibdev->name, sizeof(ibname));
	rcu_read_unlock();
	if (nla_put_u8(skb, SMCX_LINK_ID, link->id) ||
	    nla_put_string(skb, SMCX_LINK_IB_DEV, ibname) ||
	    nla_put_u8(skb, SMCX_LINK_IB_PORT, link->path.port) ||
	    smcx_gen_put_gid(skb, SMCX_LINK_GID, &link->path.gid) ||
	    smcx_gen_put_gid(skb, SMCX_LINK_PEER_GID, &link->peer.gid) ||
	    nla_put_u32(skb, SMCX_LINK_CONNS, atomic_read(&link->nconns)) ||
	    nla_put_u32(skb, SMCX_LINK_NET_DEV, link->path.ifindex) ||
	    nla_put(skb, SMCX_LINK_UID, sizeof(uid), &uid) ||
	    nla_put(skb, SMCX_LINK_PEER_UID, sizeof(peer_uid), &peer_uid) ||
	    nla_put_u32(skb, SMCX_LINK_STATE, READ_ONCE(link->state)))
		return -EMSGSIZE;
	return 0;
}

static int smcx_gen_dump_one_lgr(struct smcx_lgr *lgr, void *arg)
{
	struct smcx_dump *d = arg;
	struct nlattr *inner;
	void *msg;

	if (!smcx_mgmt_is_visible(smcx_dump_net(d), lgr) || smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, SMCX_GEN_LGR_SMCR, &inner);
	if (!msg)
		return -EMSGSIZE;
	return smcx_dump_end(d, msg, inner, smcx_gen_fill_lgr(d->skb, lgr));
}

int smcx_gen_dump_lgr(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };

	smcx_lgr_for_each(smcx_gen_dump_one_lgr, &d);
	return skb->len;
}

/* A group and its links are one item: a link without its group before it means nothing. */
static int smcx_gen_dump_lgr_links(struct smcx_lgr *lgr, void *arg)
{
	struct smcx_dump *d = arg;
	unsigned int start = d->skb->len;
	long sent = d->cb->args[0];
	struct nlattr *inner;
	unsigned int i;
	void *msg;
	int rc;

	if (!smcx_mgmt_is_visible(smcx_dump_net(d), lgr) || smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, SMCX_GEN_LGR_SMCR, &inner);
	rc = msg ? smcx_dump_end(d, msg, inner, smcx_gen_fill_lgr(d->skb, lgr)) : -EMSGSIZE;
	for (i = 0; !rc && i < SMCX_LGR_LINKS; i++) {
		if (READ_ONCE(lgr->links[i].state) == SMCX_LNK_UNUSED)
			continue;
		msg = smcx_dump_begin(d, SMCX_GEN_LINK_SMCR, &inner);
		rc = !msg ? -EMSGSIZE :
			smcx_dump_end(d, msg, inner, smcx_gen_fill_link(d->skb, &lgr->links[i]));
	}
	if (rc) {
		skb_trim(d->skb, start);
		d->cb->args[0] = sent;
	}
	return rc;
}

int smcx_gen_dump_link(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };

	smcx_lgr_for_each(smcx_gen_dump_lgr_links, &d);
	return skb->len;
}
