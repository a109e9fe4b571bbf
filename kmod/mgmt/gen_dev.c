// SPDX-License-Identifier: GPL-2.0
/* RDMA devices for SMC_GEN_NETLINK, protocol.rst 7.2. */
#include <linux/pci.h>
#include <linux/smcx_abi.h>
#include <rdma/ib_cache.h>

#include "../rdma/dev.h"
#include "../rdma/gid.h"
#include "../rdma/pnet.h"
#include "priv.h"

struct smcx_gen_crit {
	const struct smcx_dev	*dev;
	bool			found;
};

/* A group that would not survive the loss of the device. */
static int smcx_gen_lgr_depends(struct smcx_lgr *lgr, void *arg)
{
	struct smcx_gen_crit *crit = arg;
	unsigned int i, here = 0, elsewhere = 0;

	for (i = 0; i < SMCX_LGR_LINKS; i++) {
		if (READ_ONCE(lgr->links[i].state) != SMCX_LNK_ACTIVE)
			continue;
		if (lgr->links[i].path.dev == crit->dev)
			here++;
		else
			elsewhere++;
	}
	crit->found = here && !elsewhere;
	return crit->found;
}

static bool smcx_gen_dev_is_critical(const struct smcx_dev *dev)
{
	struct smcx_gen_crit crit = { .dev = dev };

	smcx_lgr_for_each(smcx_gen_lgr_depends, &crit);
	return crit.found;
}

/*
 * GID 0 of a RoCE port is that of its own netdev, which soft-RoCE cannot tell otherwise. An index means something in the
 * netdev's own namespace only.
 */
static u32 smcx_gen_port_ifindex(struct ib_device *ibdev, u8 port, const struct net *net)
{
	const struct ib_gid_attr *attr = rdma_get_gid_attr(ibdev, port, 0);
	struct net_device *ndev;
	u32 ifindex;

	if (IS_ERR(attr))
		return 0;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	ifindex = IS_ERR_OR_NULL(ndev) || !net_eq(dev_net(ndev), net) ? 0 : ndev->ifindex;
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	return ifindex;
}

static int smcx_gen_fill_port(struct sk_buff *skb, struct smcx_dev *dev, u8 port, const struct net *net)
{
	struct nlattr *nest = nla_nest_start(skb, SMCX_DEV_PORT + port - 1);
	bool exists = port <= dev->ibdev->phys_port_cnt;
	char pnetid[SMCX_PNETID_LEN + 1] = "";
	bool by_user = exists && smcx_pnet_ib(dev->ibdev, port, pnetid);

	if (!nest ||
	    nla_put_u8(skb, SMCX_PORT_PNET_USR, by_user) ||
	    nla_put_string(skb, SMCX_PORT_PNETID, pnetid) ||
	    nla_put_u32(skb, SMCX_PORT_NETDEV,
			exists ? smcx_gen_port_ifindex(dev->ibdev, port, net) : 0) ||
	    nla_put_u8(skb, SMCX_PORT_STATE, exists && smcx_port_is_active(dev->ibdev, port)) ||
	    nla_put_u8(skb, SMCX_PORT_VALID, exists) ||
	    nla_put_u32(skb, SMCX_PORT_LNK_CNT, atomic_read(&dev->lnk_cnt_by_port[port - 1])))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Only where the parent really is a PCI device; soft-RoCE has none. */
static int smcx_gen_fill_pci(struct sk_buff *skb, const struct ib_device *ibdev)
{
	const struct device *parent = ibdev->dev.parent;
	const struct pci_dev *pci;

	if (!parent || !dev_is_pci(parent))
		return 0;
	pci = to_pci_dev(parent);
	if (nla_put_u32(skb, SMCX_DEV_PCI_FID, 0) ||
	    nla_put_u16(skb, SMCX_DEV_PCI_CHID, 0) ||
	    nla_put_u16(skb, SMCX_DEV_PCI_VENDOR, pci->vendor) ||
	    nla_put_u16(skb, SMCX_DEV_PCI_DEVICE, pci->device) ||
	    nla_put_string(skb, SMCX_DEV_PCI_ID, pci_name(pci)))
		return -EMSGSIZE;
	return 0;
}

static int smcx_gen_fill_dev(struct sk_buff *skb, struct smcx_dev *dev, const struct net *net)
{
	if (nla_put_u8(skb, SMCX_DEV_IS_CRIT, smcx_gen_dev_is_critical(dev)) ||
	    smcx_gen_fill_pci(skb, dev->ibdev) ||
	    nla_put_string(skb, SMCX_DEV_IB_NAME, dev->ibdev->name) ||
	    smcx_gen_fill_port(skb, dev, 1, net) ||
	    smcx_gen_fill_port(skb, dev, 2, net))
		return -EMSGSIZE;
	return 0;
}

static int smcx_gen_dump_one_dev(struct smcx_dev *dev, void *arg)
{
	struct smcx_dump *d = arg;
	struct nlattr *inner;
	void *msg;

	if (!rdma_dev_access_netns(dev->ibdev, smcx_dump_net(d)) || smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, SMCX_GEN_DEV_SMCR, &inner);
	if (!msg)
		return -EMSGSIZE;
	return smcx_dump_end(d, msg, inner, smcx_gen_fill_dev(d->skb, dev, smcx_dump_net(d)));
}

int smcx_gen_dump_dev(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };

	smcx_dev_for_each(smcx_gen_dump_one_dev, &d);
	return skb->len;
}
