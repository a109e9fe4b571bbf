// SPDX-License-Identifier: GPL-2.0
/* From a TCP socket to an RDMA port, see DOC in path.h and protocol.rst 3.8 */

#include <linux/if_vlan.h>
#include <linux/rculist.h>
#include <net/inet_sock.h>
#include <net/vxlan.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "../proto/reason.h"
#include "gid.h"
#include "path.h"
#include "pnet.h"
#include "route.h"

/**
 * struct smcx_search - one search over all ports
 * @q: the GID wanted
 * @mtu: MTU of the connection's route
 * @pnetid: PNET id of the egress device, empty = find the port by its netdev
 * @m: best match
 * @dev: its device
 * @reason: nearest miss, if there is no match
 */
struct smcx_search {
	struct smcx_gid_query	q;
	u32			mtu;
	char			pnetid[SMCX_PNETID_LEN + 1];
	struct smcx_gid_match	m;
	struct smcx_dev		*dev;
	u32			reason;
};

static int smcx_path_vlan_of(struct net_device *lower, struct netdev_nested_priv *priv)
{
	u16 *vlan = (u16 *)priv->data;

	if (!is_vlan_dev(lower))
		return 0;
	*vlan = vlan_dev_vlan_id(lower);
	return 1;
}

/* VLAN of frames that leave by @ndev: its own or the first one below */
static u16 smcx_path_vlan(struct net_device *ndev)
{
	u16 vlan = 0;
	struct netdev_nested_priv priv = { .data = &vlan };

	if (!smcx_path_vlan_of(ndev, &priv))
		netdev_walk_all_lower_dev_rcu(ndev, smcx_path_vlan_of, &priv);
	return vlan;
}

static int smcx_path_is_hidden(struct net_device *ndev, struct netdev_nested_priv *priv)
{
	u32 *reason = (u32 *)priv->data;

	if (netif_is_macsec(ndev))
		*reason = SMCX_REASON_IPSEC;
	else if (netif_is_vxlan(ndev))
		*reason = SMCX_REASON_LOCAL_NO_PORT;
	return *reason != SMCX_REASON_NONE;
}

/* Frames of RDMA would leave below it: not encrypted, or outside the tunnel and past what protects that. Return: 0 or reason */
static u32 smcx_path_hidden(struct net_device *ndev)
{
	u32 reason = SMCX_REASON_NONE;
	struct netdev_nested_priv priv = { .data = &reason };

	if (!smcx_path_is_hidden(ndev, &priv))
		netdev_walk_all_lower_dev_rcu(ndev, smcx_path_is_hidden, &priv);
	return reason;
}

static int smcx_path_last_lower(struct net_device *lower, struct netdev_nested_priv *priv)
{
	struct net_device **base = (struct net_device **)priv->data;

	/* the walk is depth first: take the first child at each level only */
	if (netdev_has_upper_dev_all_rcu(lower, *base))
		*base = lower;
	return 0;
}

static bool smcx_path_eth_pnetid(struct net_device *egress, char *pnetid)
{
	struct net_device *base = egress;
	struct netdev_nested_priv priv = { .data = &base };

	netdev_walk_all_lower_dev_rcu(egress, smcx_path_last_lower, &priv);
	return smcx_pnet_eth(dev_net(base), base->name, pnetid) ||
	       (base != egress &&
		smcx_pnet_eth(dev_net(egress), egress->name, pnetid));
}

static bool smcx_path_port_has_pnetid(struct ib_device *ibdev, u8 port, const char *pnetid)
{
	char name[SMCX_PNETID_LEN + 1];

	return smcx_pnet_ib(ibdev, port, name) && !strcmp(name, pnetid);
}

/* Reasons get better the further the search came. */
static void smcx_path_miss(struct smcx_search *s, u32 reason)
{
	static const u32 order[] = {
		SMCX_REASON_NOSMCRDEV, SMCX_REASON_LOCAL_NETNS,
		SMCX_REASON_LOCAL_NO_PORT, SMCX_REASON_LOCAL_NO_PNET,
		SMCX_REASON_LOCAL_PORT_DOWN, SMCX_REASON_LOCAL_NO_GID,
	};
	int i, old = 0, new = 0;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		if (order[i] == s->reason)
			old = i;
		if (order[i] == reason)
			new = i;
	}
	if (new > old)
		s->reason = reason;
}

/* Why has an active port no GID for the connection? */
static u32 smcx_path_no_gid(const struct smcx_search *s, const struct ib_device *ibdev)
{
	if (s->pnetid[0] || s->m.misfit)
		return SMCX_REASON_LOCAL_NO_GID;
	return smcx_gid_is_foreign(ibdev, s->q.net) ? SMCX_REASON_LOCAL_NETNS :
						      SMCX_REASON_LOCAL_NO_PORT;
}

static void smcx_path_try_port(struct smcx_search *s, struct smcx_dev *dev, u8 port)
{
	struct ib_device *ibdev = dev->ibdev;

	if (!rdma_protocol_roce(ibdev, port))
		return;
	if (s->pnetid[0] && !smcx_path_port_has_pnetid(ibdev, port, s->pnetid)) {
		smcx_path_miss(s, SMCX_REASON_LOCAL_NO_PNET);
		return;
	}
	if (!smcx_port_is_active(ibdev, port)) {
		smcx_path_miss(s, SMCX_REASON_LOCAL_PORT_DOWN);
		return;
	}
	if (smcx_gid_search(dev, port, &s->q, &s->m))
		s->dev = dev;
	else if (!s->m.score)
		smcx_path_miss(s, smcx_path_no_gid(s, ibdev));
}

/* Packets must suit the port, the netdev of the GID and the connection's route. Return: MTU code, 0 = there is none */
static u8 smcx_path_mtu(const struct smcx_search *s)
{
	u8 port = READ_ONCE(s->dev->port_mtu[s->m.path.port - 1]);
	u8 route = iboe_get_mtu(s->mtu);

	return min3(s->m.path.mtu, port ? port : s->m.path.mtu, route);
}

/* Return: true with a reference on the best match's device */
static bool smcx_path_search(struct smcx_search *s)
{
	struct smcx_dev *dev;
	u8 port;

	list_for_each_entry_rcu(dev, &smcx_dev_list, node) {
		if (READ_ONCE(dev->gone))
			continue;
		if (!rdma_dev_access_netns(dev->ibdev, s->q.net)) {
			smcx_path_miss(s, SMCX_REASON_LOCAL_NETNS);
			continue;
		}
		for (port = 1; port <= SMCX_DEV_PORTS && port <= dev->ibdev->phys_port_cnt; port++)
			smcx_path_try_port(s, dev, port);
	}
	if (!s->dev)
		return false;
	s->m.path.mtu = smcx_path_mtu(s);
	if (!s->m.path.mtu) {
		s->reason = SMCX_REASON_LOCAL_NO_PORT;
		return false;
	}
	return refcount_inc_not_zero(&s->dev->ref);
}

u32 smcx_path_find(struct sock *sk, enum smcx_rocever ver, struct smcx_path *path)
{
	struct smcx_search s = {
		.q.ver		= ver,
		.q.net		= sock_net(sk),
		.reason		= SMCX_REASON_NOSMCRDEV,
	};
	bool found = false;
	u32 hidden;

	s.q.egress = smcx_route_egress(sk, &s.mtu);
	if (!s.q.egress)
		return SMCX_REASON_LOCAL_NO_NETDEV;
	if (smcx_route_is_v4(sk))
		s.q.saddr = inet_sk(sk)->inet_saddr;
	rcu_read_lock();
	s.q.vlan_id = smcx_path_vlan(s.q.egress);
	s.q.any_netdev = smcx_path_eth_pnetid(s.q.egress, s.pnetid);
	hidden = smcx_path_hidden(s.q.egress);
	if (hidden)
		s.reason = hidden;
	else
		found = smcx_path_search(&s);
	rcu_read_unlock();
	dev_put(s.q.egress);
	if (!found)
		return s.reason;
	*path = s.m.path;
	path->dev = s.dev;
	memcpy(path->pnetid, s.pnetid, sizeof(path->pnetid));
	return SMCX_REASON_NONE;
}

void smcx_path_release(struct smcx_path *path)
{
	smcx_dev_put(path->dev);
	path->dev = NULL;
}

void smcx_path_copy(struct smcx_path *dst, const struct smcx_path *src)
{
	*dst = *src;
	if (dst->dev)
		smcx_dev_hold(dst->dev);
}

bool smcx_path_usable(const struct smcx_path *path)
{
	bool usable;

	if (!path->dev)
		return false;
	rcu_read_lock();
	usable = !READ_ONCE(path->dev->gone) &&
		 smcx_port_is_active(path->dev->ibdev, path->port) &&
		 smcx_gid_is(path->dev->ibdev, path->port, path->gid_index, &path->gid);
	rcu_read_unlock();
	return usable;
}
