// SPDX-License-Identifier: GPL-2.0
/* IP prefixes of the egress device, SMC-R version 1, see protocol.rst 2.8 */

#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>

#include "path.h"
#include "route.h"

#define SMCX_PREFIXES_V6	8

static int smcx_prefix_v4(struct net_device *ndev, __be32 addr, __be32 *net, u8 *len)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return -ENOENT;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		if (!inet_ifa_match(addr, ifa))
			continue;
		*net = ifa->ifa_address & ifa->ifa_mask;
		*len = inet_mask_len(ifa->ifa_mask);
		return 0;
	}
	return -ENOENT;
}

/* Calls @fn for each address that counts; non-zero stops and is returned. */
static int smcx_prefix_v6_walk(struct net_device *ndev,
			       int (*fn)(const struct inet6_ifaddr *ifa, void *arg),
			       void *arg)
{
	struct inet6_dev *in6_dev = __in6_dev_get(ndev);
	struct inet6_ifaddr *ifa;
	int rc = 0;

	if (!in6_dev)
		return 0;
	read_lock_bh(&in6_dev->lock);
	list_for_each_entry(ifa, &in6_dev->addr_list, if_list) {
		if (ipv6_addr_type(&ifa->addr) & IPV6_ADDR_LINKLOCAL)
			continue;
		rc = fn(ifa, arg);
		if (rc)
			break;
	}
	read_unlock_bh(&in6_dev->lock);
	return rc;
}

struct smcx_prefix_list {
	u8		(*v6)[17];
	unsigned int	n;
};

static int smcx_prefix_v6_collect(const struct inet6_ifaddr *ifa, void *arg)
{
	struct smcx_prefix_list *list = arg;
	struct in6_addr prefix;
	unsigned int i;
	u8 *entry;

	ipv6_addr_prefix(&prefix, &ifa->addr, ifa->prefix_len);
	for (i = 0; i < list->n; i++)
		if (!memcmp(list->v6[i], &prefix, 16) &&
		    list->v6[i][16] == ifa->prefix_len)
			return 0;
	entry = list->v6[list->n++];
	memcpy(entry, &prefix, 16);
	entry[16] = ifa->prefix_len;
	return list->n == SMCX_PREFIXES_V6;
}

int smcx_path_prefixes(struct sock *sk, __be32 *v4net, u8 *v4len, u8 v6[8][17])
{
	struct smcx_prefix_list list = { .v6 = v6 };
	struct net_device *ndev;
	int rc;

	*v4net = 0;
	*v4len = 0;
	ndev = smcx_route_egress(sk, NULL);
	if (!ndev)
		return -ENOENT;
	rcu_read_lock();
	if (smcx_route_is_v4(sk)) {
		rc = smcx_prefix_v4(ndev, inet_sk(sk)->inet_saddr, v4net, v4len);
	} else {
		smcx_prefix_v6_walk(ndev, smcx_prefix_v6_collect, &list);
		rc = list.n ? list.n : -ENOENT;
	}
	rcu_read_unlock();
	dev_put(ndev);
	return rc;
}

static bool smcx_prefix_match_v4(struct net_device *ndev, __be32 v4net, u8 v4len)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (inet_mask_len(ifa->ifa_mask) == v4len &&
		    inet_ifa_match(v4net, ifa))
			return true;
	return false;
}

struct smcx_prefix_wanted {
	const u8	(*v6)[17];
	unsigned int	n;
};

static int smcx_prefix_v6_match(const struct inet6_ifaddr *ifa, void *arg)
{
	struct smcx_prefix_wanted *w = arg;
	unsigned int i;

	for (i = 0; i < w->n; i++)
		if (ifa->prefix_len == w->v6[i][16] &&
		    ipv6_prefix_equal(&ifa->addr, (const struct in6_addr *)w->v6[i],
				      ifa->prefix_len))
			return 1;
	return 0;
}

bool smcx_path_prefix_match(struct sock *sk, __be32 v4net, u8 v4len,
			    const u8 (*v6)[17], unsigned int n6)
{
	struct smcx_prefix_wanted wanted = { .v6 = v6, .n = n6 };
	struct net_device *ndev = smcx_route_egress(sk, NULL);
	bool match;

	if (!ndev)
		return false;
	rcu_read_lock();
	match = n6 ? smcx_prefix_v6_walk(ndev, smcx_prefix_v6_match, &wanted) :
		     smcx_prefix_match_v4(ndev, v4net, v4len);
	rcu_read_unlock();
	dev_put(ndev);
	return match;
}
