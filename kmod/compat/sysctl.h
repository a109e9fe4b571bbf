/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_COMPAT_SYSCTL_H
#define SMCX_COMPAT_SYSCTL_H

#include <linux/sysctl.h>
#include <linux/version.h>
#include <net/net_namespace.h>

/** typedef smcx_compat_ctl_table - what a proc_handler gets; constant since 6.11 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
typedef struct ctl_table smcx_compat_ctl_table;
#else
typedef const struct ctl_table smcx_compat_ctl_table;
#endif

/**
 * smcx_compat_register_net_sysctl() - register a table of one namespace
 * @net: namespace
 * @path: directory
 * @table: entries, and an empty one behind them
 * @n: number of entries without the empty one
 *
 * Before 6.6 the empty entry ends the table, since 6.11 it must not be seen.
 * Context: process. Return: handle, or NULL.
 */
static inline struct ctl_table_header *
smcx_compat_register_net_sysctl(struct net *net, const char *path,
				struct ctl_table *table, size_t n)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return register_net_sysctl(net, path, table);
#else
	return register_net_sysctl_sz(net, path, table, n);
#endif
}

#endif
