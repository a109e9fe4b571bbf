/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_GID_H
#define SMCX_RDMA_GID_H

#include <linux/netdevice.h>

#include "path.h"

/**
 * DOC: GID tables
 *
 * Questions to the RDMA core's cached tables. Nothing here sleeps or asks the
 * driver (rxe takes the RTNL for a port query), and everything may
 * run inside an RCU read section that keeps the ib_device.
 *
 * Tables are long and nearly empty (rxe: 1024 entries, of which a handful is used),
 * and each entry costs a lock. So a search that has seen the whole table remembers where
 * its last used entry is; the next ones stop there, until an event says that the table has changed.
 */

/**
 * struct smcx_gid_query - what a GID must be like
 * @ver: flavour
 * @net: namespace of the connection
 * @egress: egress device of the connection
 * @vlan_id: VLAN of the connection, 0 = none
 * @saddr: local IPv4 address of the connection, 0 = none; preferred, not required
 * @any_netdev: the port was chosen by the administrator: the GID's netdev does not matter
 */
struct smcx_gid_query {
	enum smcx_rocever	ver;
	struct net		*net;
	struct net_device	*egress;
	u16			vlan_id;
	__be32			saddr;
	bool			any_netdev;
};

/**
 * struct smcx_gid_match - best GID so far, over all ports looked at
 * @score: how well it fits, 0 = none found
 * @misfit: there was one of the right network device that has another flavour, or VLAN
 * @path: where it is; @path->dev and @path->pnetid are the caller's business
 */
struct smcx_gid_match {
	int			score;
	bool			misfit;
	struct smcx_path	path;
};

/**
 * smcx_gid_search() - look for a better GID on one port
 * @dev: device
 * @port: port
 * @q: what is wanted
 * @m: best match so far, replaced by a better one
 * Context: RCU read section that keeps @dev->ibdev.
 * Return: true if @m was replaced.
 */
bool smcx_gid_search(struct smcx_dev *dev, u8 port,
		     const struct smcx_gid_query *q, struct smcx_gid_match *m);

/** smcx_gid_is_foreign() - is the device of no use to connections of @net, although it can be seen there? @ibdev: device. @net: namespace. Context: any. */
bool smcx_gid_is_foreign(const struct ib_device *ibdev, const struct net *net);

/** smcx_gid_is() - is @gid still entry @index of @port? @ibdev: device. @port: port. @index: index. @gid: GID. Context: any, @ibdev kept alive. */
bool smcx_gid_is(struct ib_device *ibdev, u8 port, int index, const union ib_gid *gid);

/** smcx_gid_mac() - MAC of GID table index 0 (protocol.rst 2.9). @ibdev: device. @port: port. @mac: result. Context: any, @ibdev kept alive. Return: false if there is none. */
bool smcx_gid_mac(struct ib_device *ibdev, u8 port, u8 mac[6]);

/** smcx_port_is_active() - by the core's cache. @ibdev: device. @port: port. Context: any, @ibdev kept alive. */
bool smcx_port_is_active(struct ib_device *ibdev, u8 port);

#endif
