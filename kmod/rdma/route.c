// SPDX-License-Identifier: GPL-2.0
/* Route and neighbour look-ups, see protocol.rst 2.8 */

#include <net/arp.h>
#include <net/dst.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/ipv6_stubs.h>
#include <net/neighbour.h>
#include <net/route.h>

#include "../proto/reason.h"
#include "path.h"
#include "route.h"

bool smcx_route_is_v4(const struct sock *sk)
{
	return sk->sk_family == AF_INET ||
	       (sk->sk_family == AF_INET6 && ipv6_addr_v4mapped(&sk->sk_v6_daddr));
}

static struct dst_entry *smcx_route_lookup_v4(struct sock *sk)
{
	struct inet_sock *inet = inet_sk(sk);
	struct flowi4 fl4;
	struct rtable *rt;

	rt = ip_route_output_ports(sock_net(sk), &fl4, sk, inet->inet_daddr,
				   inet->inet_saddr, inet->inet_dport,
				   inet->inet_sport, IPPROTO_TCP,
				   RT_TOS(READ_ONCE(inet->tos)),
				   sk->sk_bound_dev_if);
	return IS_ERR(rt) ? NULL : &rt->dst;
}

static struct dst_entry *smcx_route_lookup_v6(struct sock *sk)
{
	struct inet_sock *inet = inet_sk(sk);
	struct flowi6 fl6 = {
		.flowi6_proto	= IPPROTO_TCP,
		.daddr		= sk->sk_v6_daddr,
		.saddr		= sk->sk_v6_rcv_saddr,
		.flowi6_oif	= sk->sk_bound_dev_if,
		.flowi6_mark	= READ_ONCE(sk->sk_mark),
		.fl6_sport	= inet->inet_sport,
		.fl6_dport	= inet->inet_dport,
		.flowi6_uid	= sk->sk_uid,
	};
	struct dst_entry *dst;

	dst = ipv6_stub->ipv6_dst_lookup_flow(sock_net(sk), sk, &fl6, NULL);
	return IS_ERR(dst) ? NULL : dst;
}

struct net_device *smcx_route_egress(struct sock *sk, u32 *mtu)
{
	struct net_device *ndev = NULL;
	struct dst_entry *dst;

	dst = sk_dst_get(sk);
	if (dst && dst->obsolete > 0) {
		dst_release(dst);
		dst = NULL;
	}
	if (!dst)
		dst = smcx_route_is_v4(sk) ? smcx_route_lookup_v4(sk) :
					     smcx_route_lookup_v6(sk);
	if (!dst)
		return NULL;
	if (mtu)
		*mtu = dst_mtu(dst);
	rcu_read_lock();
	ndev = READ_ONCE(dst->dev);
	dev_hold(ndev);
	rcu_read_unlock();
	dst_release(dst);
	return ndev;
}

/*
 * Linux peers copy whatever hardware address the neighbour entry holds. An
 * unresolved one would only send RDMA frames nowhere, so it counts as unknown
 * and its resolution is started.
 */
static void smcx_route_neigh_mac(struct rtable *rt, __be32 daddr, u8 mac[6])
{
	u8 ha[MAX_ADDR_LEN] __aligned(sizeof(long));
	struct neighbour *neigh;

	neigh = dst_neigh_lookup(&rt->dst, &daddr);
	if (!neigh)
		return;
	if (READ_ONCE(neigh->nud_state) & NUD_VALID) {
		neigh_ha_snapshot(ha, neigh, neigh->dev);
		memcpy(mac, ha, ETH_ALEN);
	} else {
		neigh_event_send(neigh, NULL);
	}
	neigh_release(neigh);
}

u32 smcx_path_route(struct net *net, __be32 saddr, const union ib_gid *peer_gid,
		    bool *gateway, u8 mac[6])
{
	const struct in6_addr *gid = (const struct in6_addr *)peer_gid;
	struct flowi4 fl4 = { .saddr = saddr };
	u32 reason = SMCX_REASON_NOROUTE;
	struct rtable *rt;

	if (!ipv6_addr_v4mapped(gid))
		return reason;
	fl4.daddr = gid->s6_addr32[3];
	rt = ip_route_output_key(net, &fl4);
	if (IS_ERR(rt))
		return reason;
	if (!rt->rt_uses_gateway || rt->rt_gw_family == AF_INET) {
		*gateway = rt->rt_uses_gateway;
		if (*gateway)
			smcx_route_neigh_mac(rt, fl4.daddr, mac);
		reason = SMCX_REASON_NONE;
	}
	ip_rt_put(rt);
	return reason;
}
