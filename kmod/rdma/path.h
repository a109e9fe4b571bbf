/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_PATH_H
#define SMCX_RDMA_PATH_H

#include <linux/types.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "dev.h"

struct sock;

/**
 * DOC: From a TCP connection to an RDMA port
 *
 * The egress device of the TCP connection's route names the RDMA port: the GID
 * tables of all RoCE ports are searched for an entry whose own netdev is the
 * egress device (the RDMA core enters VLAN and bond devices there by itself),
 * then for one whose netdev is a lower device of it. That needs no
 * configuration and no get_netdev op, so it works over soft-RoCE and under bond and
 * VLAN on both kernels. A PNET entry for the egress or base device overrides
 * (protocol.rst 3.8): with it only ports carrying the same PNET id count. Unlike in-tree
 * smc, an empty PNET id equals nothing.
 *
 * RDMA packets are not larger than the route's MTU allows, be that an administrator's or found out
 * (PMTU), when the link group is made; it keeps that size.
 */

/** enum smcx_rocever - RoCE flavour, tied to the SMC-R version (protocol.rst 2.8) */
enum smcx_rocever {
	SMCX_ROCE_V1 = 1,	/* SMC-Rv1, RoCEv1 GID */
	SMCX_ROCE_V2 = 2,	/* SMC-Rv2, RoCEv2 GID holding an IPv4 address */
};

/**
 * struct smcx_path - the local end of an RDMA connection
 * @dev: device, one reference held by this struct
 * @port: 1-based port number
 * @gid_index: index into the port's GID table
 * @ver: flavour of @gid
 * @gid: local GID
 * @mac: MAC of GID table index 0 of the port, as CLC messages carry it
 * @ifindex: the netdev of @gid
 * @vlan_id: VLAN of the connection, 0 = none
 * @mtu: MTU code (1 = 256 .. 5 = 4096): what port, netdev and the connection's route allow
 * @pnetid: PNET id that chose the port, NUL terminated, empty if none
 */
struct smcx_path {
	struct smcx_dev		*dev;
	u8			port;
	u16			gid_index;
	enum smcx_rocever	ver;
	union ib_gid		gid;
	u8			mac[6];
	int			ifindex;
	u16			vlan_id;
	u8			mtu;
	char			pnetid[17];
};

/**
 * struct smcx_peer_path - the peer's end, as CLC messages tell it
 * @gid: peer GID
 * @mac: peer MAC (direct) or next hop's MAC (@gateway)
 * @qpn: peer QP number
 * @psn: peer's initial packet sequence number
 * @mtu: path MTU code: min(own, peer)
 * @gateway: v2: peer is behind a router, hop limit 64 instead of 1
 */
struct smcx_peer_path {
	union ib_gid	gid;
	u8		mac[6];
	u32		qpn;
	u32		psn;
	u8		mtu;
	bool		gateway;
};

/**
 * smcx_path_find() - choose the RDMA port for a TCP connection
 * @sk: connected (or routed) TCP socket
 * @ver: flavour wanted
 * @path: result, owns a device reference on success
 *
 * Context: process.
 * Return: 0, or a reason (enum smcx_reason) such as SMCX_REASON_NOSMCRDEV.
 */
u32 smcx_path_find(struct sock *sk, enum smcx_rocever ver, struct smcx_path *path);

/**
 * smcx_path_release() - drop what smcx_path_find() took
 * @path: may be all zero
 * Context: any.
 */
void smcx_path_release(struct smcx_path *path);

/**
 * smcx_path_copy() - duplicate a path with a reference of its own
 * @dst: result
 * @src: source
 * Context: any.
 */
void smcx_path_copy(struct smcx_path *dst, const struct smcx_path *src);

/**
 * smcx_path_usable() - is the port still up and its GID still the same?
 * @path: path
 * Context: process or atomic.
 * Return: true if new connections may use it.
 */
bool smcx_path_usable(const struct smcx_path *path);

/**
 * smcx_path_route() - v2: is the peer direct or behind a gateway, and which MAC is next?
 * @net: namespace of the TCP connection
 * @saddr: local IPv4 address of the route look-up (network order)
 * @peer_gid: peer's RoCEv2 GID, IPv4-mapped
 * @gateway: result
 * @mac: result: next hop's MAC if gateway and known, else untouched
 *
 * Context: process.
 * Return: 0 or SMCX_REASON_NOROUTE.
 */
u32 smcx_path_route(struct net *net, __be32 saddr, const union ib_gid *peer_gid,
		    bool *gateway, u8 mac[6]);

/**
 * smcx_path_prefixes() - v1: IP prefixes of the egress device (protocol.rst 2.8)
 * @sk: TCP socket
 * @v4net: result: subnet (address AND mask), network order, 0 if none
 * @v4len: result: prefix length
 * @v6: result: up to 8 entries of 16 byte prefix + 1 byte length
 *
 * Context: process.
 * Return: number of IPv6 prefixes (0 = IPv4 matching), or -ENOENT.
 */
int smcx_path_prefixes(struct sock *sk, __be32 *v4net, u8 *v4len, u8 v6[8][17]);

/**
 * smcx_path_prefix_match() - v1 server: does the egress device own one of the peer's prefixes?
 * @sk: accepted TCP socket
 * @v4net: peer's IPv4 subnet
 * @v4len: its prefix length
 * @v6: peer's IPv6 prefixes
 * @n6: their number; 0 = compare IPv4
 *
 * Context: process.
 * Return: true on match.
 */
bool smcx_path_prefix_match(struct sock *sk, __be32 v4net, u8 v4len,
			    const u8 (*v6)[17], unsigned int n6);

#endif
