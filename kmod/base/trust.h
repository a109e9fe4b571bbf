/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_TRUST_H
#define SMCX_BASE_TRUST_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct smcx_net;

/**
 * DOC: Trusted prefixes
 *
 * The administrator's word that every TCP server (of one port, or of any) in a prefix may be sent a Proposal in the
 * SYN without having invited us, and that every client in it may send us one without an invitation
 * (Documentation/one-rtt.rst, "Trusted prefixes"). Empty unless he fills it.
 */

#define SMCX_TRUST_MAX	64

/**
 * struct smcx_trust - one prefix
 * @node: in the list
 * @family: AF_INET or AF_INET6
 * @len: prefix length
 * @cookie: clients: use TCP's own Fast Open cookies, as servers without this module want them
 * @port: server's port, host order, 0 = any
 * @addr: address; IPv4 in word 0, the rest zero
 */
struct smcx_trust {
	struct list_head	node;
	u16			family;
	u8			len;
	bool			cookie;
	u16			port;
	struct in6_addr		addr;
};

/**
 * struct smcx_trusts - the list of a namespace
 * @lock: protects all; taken with bottom halves off
 * @list: entries
 * @n: their number, read locklessly
 */
struct smcx_trusts {
	spinlock_t		lock;
	struct list_head	list;
	unsigned int		n;
};

/** smcx_trust_net_init() - empty list. @sn: namespace. Context: process. */
void smcx_trust_net_init(struct smcx_net *sn);
/** smcx_trust_flush() - forget all. @sn: namespace. Context: process. */
void smcx_trust_flush(struct smcx_net *sn);

/**
 * smcx_trust_add() - trust a prefix
 * @sn: namespace
 * @t: @node is not used; bits beyond @len are ignored
 *
 * Context: process. Return: 0, -EINVAL, -EEXIST, -ENOSPC, -ENOMEM.
 */
int smcx_trust_add(struct smcx_net *sn, const struct smcx_trust *t);
/** smcx_trust_del() - trust it no more. @sn: namespace. @t: as added; @cookie is not compared. Context: process. Return: 0 or -ENOENT. */
int smcx_trust_del(struct smcx_net *sn, const struct smcx_trust *t);
/** smcx_trust_find() - is an address trusted? @sn: namespace. @family: of @addr. @addr: as in &struct smcx_trust. @port: server's port, host order. @cookie: result, may be NULL. Context: any. */
bool smcx_trust_find(struct smcx_net *sn, u16 family, const struct in6_addr *addr, u16 port,
		     bool *cookie);
/** smcx_trust_get() - copy the list. @sn: namespace. @to: SMCX_TRUST_MAX entries. Context: any. Return: number of entries. */
unsigned int smcx_trust_get(struct smcx_net *sn, struct smcx_trust *to);

#endif
