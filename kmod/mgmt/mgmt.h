/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_MGMT_MGMT_H
#define SMCX_MGMT_MGMT_H

/**
 * DOC: Management
 *
 * What administrators and their tools see and set: sysctls, sock_diag of family 43, generic netlink
 * SMC_GEN_NETLINK and SMC_PNETID as in-tree smc has them (protocol.rst chapter 7, linux/smcx_abi.h),
 * and the family SMCX with what is new (linux/smcx.h). The layer stores nothing: it reads
 * through the iterators of the layers below, and nobody calls it.
 *
 * Dumps may be cut at any item, because a message buffer is full; the number of items sent
 * so far is kept in the dump's context, and the next call skips as many. Objects that come and go
 * between two calls can therefore be missed or seen twice, which readers of dumps know.
 *
 * Locks: none of its own. Callbacks of iterators run under whatever the iterator's header says.
 */

/**
 * smcx_mgmt_init() - register all interfaces; the layers below are up
 * Context: process, module load. Return: 0 or negative errno.
 */
int smcx_mgmt_init(void);

/** smcx_mgmt_exit() - unregister; no request runs afterwards. Context: process, module unload. */
void smcx_mgmt_exit(void);

#endif
