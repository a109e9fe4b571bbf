/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_RDMA_PNET_H
#define SMCX_RDMA_PNET_H

#include <linux/types.h>
#include <net/net_namespace.h>

struct ib_device;

/**
 * DOC: PNET table
 *
 * The administrator's statement that an Ethernet device and an RDMA port are on
 * the same physical network (protocol.rst 3.8, 7.3). Ethernet entries belong to
 * a namespace, RDMA entries to the initial one. Without entries the device is
 * found by itself (path.h).
 */

#define SMCX_PNETID_LEN	16

/**
 * struct smcx_pnet_entry - one entry
 * @name: PNET id, upper case, NUL terminated
 * @eth: Ethernet device name or empty
 * @ib: RDMA device name or empty
 * @ib_port: 1..2 for RDMA entries
 */
struct smcx_pnet_entry {
	char	name[SMCX_PNETID_LEN + 1];
	char	eth[16];
	char	ib[64];
	u8	ib_port;
};

/**
 * smcx_pnet_add() - add an entry (@e may name eth and ib, then two are added)
 * @net: namespace
 * @e: checked entry
 * Context: process.
 * Return: 0, -EEXIST, -ENOMEM, -ENOSPC (table full), -EPERM (RDMA entry outside the initial namespace).
 */
int smcx_pnet_add(struct net *net, const struct smcx_pnet_entry *e);

/**
 * smcx_pnet_del() - remove by name
 * @net: namespace
 * @name: PNET id, NULL = all
 * Context: process.
 * Return: 0 or -ENOENT.
 */
int smcx_pnet_del(struct net *net, const char *name);

/**
 * smcx_pnet_for_each() - visit entries visible in @net
 * @net: namespace
 * @name: only this PNET id, or NULL
 * @fn: callback on a copy; non-zero stops
 * @arg: for @fn
 * Context: process.
 * Return: last value of @fn or 0.
 */
int smcx_pnet_for_each(struct net *net, const char *name,
		       int (*fn)(const struct smcx_pnet_entry *e, void *arg),
		       void *arg);

/**
 * smcx_pnet_eth() - PNET id of an Ethernet device
 * @net: namespace
 * @ifname: device name
 * @name: result, NUL terminated
 * Context: any.
 * Return: true if there is one.
 */
bool smcx_pnet_eth(struct net *net, const char *ifname, char name[SMCX_PNETID_LEN + 1]);

/**
 * smcx_pnet_ib() - PNET id of an RDMA port
 * @ibdev: device, which an entry names as RDMA shows it or by its bus address
 * @port: port
 * @name: result
 * Context: any.
 * Return: true if there is one.
 */
bool smcx_pnet_ib(const struct ib_device *ibdev, u8 port, char name[SMCX_PNETID_LEN + 1]);

/** smcx_pnet_init() - set up the table. Context: module load. Return: 0 or negative errno. */
int smcx_pnet_init(void);
/** smcx_pnet_exit() - free the table. Context: module unload. */
void smcx_pnet_exit(void);

#endif
