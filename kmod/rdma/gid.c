// SPDX-License-Identifier: GPL-2.0
/* GID tables of RoCE ports, see DOC in gid.h and protocol.rst 2.8, 2.9, 3.8 */

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "gid.h"

/* Scores add up: the netdev decides, the address only between equals. */
#define SMCX_SCORE_ADDR		1
#define SMCX_SCORE_ANY		2
#define SMCX_SCORE_LOWER	4
#define SMCX_SCORE_EXACT	8

static bool smcx_gid_has_flavour(const struct ib_gid_attr *attr, enum smcx_rocever ver)
{
	if (ver == SMCX_ROCE_V1)
		return attr->gid_type == IB_GID_TYPE_ROCE;
	return attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
	       ipv6_addr_v4mapped((const struct in6_addr *)&attr->gid);
}

/* rxe routes its packets in the initial namespace only */
bool smcx_gid_is_foreign(const struct ib_device *ibdev, const struct net *net)
{
	return ibdev->ops.driver_id == RDMA_DRIVER_RXE && !net_eq(net, &init_net);
}

static int smcx_gid_score_netdev(const struct ib_gid_attr *attr,
				 const struct smcx_gid_query *q,
				 struct net_device *ndev)
{
	/* before the PNET table, which the owner of a namespace may write */
	if (smcx_gid_is_foreign(attr->device, q->net))
		return 0;
	if (q->any_netdev)
		return SMCX_SCORE_ANY;
	if (ndev == q->egress)
		return SMCX_SCORE_EXACT;
	return netdev_has_upper_dev_all_rcu(ndev, q->egress) ? SMCX_SCORE_LOWER : 0;
}

static u16 smcx_gid_vlan(const struct ib_gid_attr *attr)
{
	u16 vlan = 0xffff;

	if (rdma_read_gid_l2_fields(attr, &vlan, NULL))
		return 0;
	return vlan == 0xffff ? 0 : vlan;
}

static int smcx_gid_score(const struct ib_gid_attr *attr,
			  const struct smcx_gid_query *q, struct net_device *ndev,
			  bool *misfit)
{
	int score = smcx_gid_score_netdev(attr, q, ndev);

	if (!score)
		return 0;
	if (!smcx_gid_has_flavour(attr, q->ver) || smcx_gid_vlan(attr) != q->vlan_id) {
		*misfit = true;
		return 0;
	}
	if (q->ver == SMCX_ROCE_V2 && q->saddr &&
	    ((const struct in6_addr *)&attr->gid)->s6_addr32[3] == q->saddr)
		score += SMCX_SCORE_ADDR;
	return score;
}

static bool smcx_gid_consider(const struct ib_gid_attr *attr,
			      const struct smcx_gid_query *q, struct smcx_gid_match *m)
{
	struct net_device *ndev = rdma_read_gid_attr_ndev_rcu(attr);
	int score;

	if (IS_ERR(ndev))
		return false;
	score = smcx_gid_score(attr, q, ndev, &m->misfit);
	if (score <= m->score)
		return false;
	m->score = score;
	m->path.port = attr->port_num;
	m->path.gid_index = attr->index;
	m->path.ver = q->ver;
	m->path.gid = attr->gid;
	m->path.ifindex = ndev->ifindex;
	m->path.vlan_id = q->vlan_id;
	m->path.mtu = iboe_get_mtu(READ_ONCE(ndev->mtu));
	if (!smcx_gid_mac(attr->device, attr->port_num, m->path.mac))
		ether_addr_copy(m->path.mac, ndev->dev_addr);
	return true;
}

/* dev->gid_span: which change it was true after, and the number of entries up to the last used one. */
static int smcx_gid_span(const struct smcx_dev *dev, u8 port, u32 gen)
{
	u64 span = atomic64_read(&dev->gid_span[port - 1]);

	if (upper_32_bits(span) == gen)
		return lower_32_bits(span);
	/* a queue pair's attributes have 8 bits for the index */
	return min(dev->ibdev->port_data[port].immutable.gid_tbl_len, U8_MAX + 1);
}

bool smcx_gid_search(struct smcx_dev *dev, u8 port,
		     const struct smcx_gid_query *q, struct smcx_gid_match *m)
{
	/* read before the table, written after it: a change meanwhile makes it void */
	u32 gen = atomic_read_acquire(&dev->gid_gen);
	int i, end = 0, len = smcx_gid_span(dev, port, gen);
	const struct ib_gid_attr *attr;
	bool better = false;

	for (i = 0; i < len; i++) {
		attr = rdma_get_gid_attr(dev->ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		end = i + 1;
		better |= smcx_gid_consider(attr, q, m);
		rdma_put_gid_attr(attr);
	}
	if (end < len)
		atomic64_set_release(&dev->gid_span[port - 1], (u64)gen << 32 | end);
	return better;
}

bool smcx_gid_is(struct ib_device *ibdev, u8 port, int index, const union ib_gid *gid)
{
	union ib_gid now;

	return !rdma_query_gid(ibdev, port, index, &now) &&
	       !memcmp(&now, gid, sizeof(now));
}

bool smcx_gid_mac(struct ib_device *ibdev, u8 port, u8 mac[6])
{
	const struct ib_gid_attr *attr;
	bool ok;

	attr = rdma_get_gid_attr(ibdev, port, 0);
	if (IS_ERR(attr))
		return false;
	ok = !rdma_read_gid_l2_fields(attr, NULL, mac);
	rdma_put_gid_attr(attr);
	return ok;
}

bool smcx_port_is_active(struct ib_device *ibdev, u8 port)
{
	enum ib_port_state state;

	return !ib_get_cached_port_state(ibdev, port, &state) &&
	       state == IB_PORT_ACTIVE;
}
