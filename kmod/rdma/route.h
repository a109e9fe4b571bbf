/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_ROUTE_H
#define SMCX_RDMA_ROUTE_H

#include <linux/netdevice.h>
#include <net/sock.h>

/**
 * smcx_route_egress() - the device a TCP socket's packets leave by
 * @sk: socket with both addresses known
 * @mtu: result: MTU of the route, which may be lower than the device's; NULL = of no interest
 *
 * The cached route is used if it still holds, else a look-up made with the
 * socket's addresses and bound device.
 * Context: process.
 * Return: device, to be given back with dev_put(), or NULL.
 */
struct net_device *smcx_route_egress(struct sock *sk, u32 *mtu);

/**
 * smcx_route_is_v4() - does the socket speak IPv4 on the wire?
 * @sk: socket
 * Context: any.
 * Return: true for AF_INET and for IPv4-mapped AF_INET6.
 */
bool smcx_route_is_v4(const struct sock *sk);

#endif
