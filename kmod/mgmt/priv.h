/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_MGMT_PRIV_H
#define SMCX_MGMT_PRIV_H

#include <net/genetlink.h>
#include <net/netlink.h>

#include "../link/link.h"

/* ---- parts of the layer, in the order of their registration ---- */

/** smcx_mgmt_sysctl_init() - net.smc of every namespace. Context: load. Return: 0 or errno. */
int smcx_mgmt_sysctl_init(void);
/** smcx_mgmt_sysctl_exit() - undo. Context: unload. */
void smcx_mgmt_sysctl_exit(void);
/** smcx_mgmt_gen_init() - SMC_GEN_NETLINK. Context: load. Return: 0 or errno. */
int smcx_mgmt_gen_init(void);
/** smcx_mgmt_gen_exit() - undo. Context: unload. */
void smcx_mgmt_gen_exit(void);
/** smcx_mgmt_pnet_init() - SMC_PNETID. Context: load. Return: 0 or errno. */
int smcx_mgmt_pnet_init(void);
/** smcx_mgmt_pnet_exit() - undo. Context: unload. */
void smcx_mgmt_pnet_exit(void);
/** smcx_mgmt_own_init() - SMCX. Context: load. Return: 0 or errno. */
int smcx_mgmt_own_init(void);
/** smcx_mgmt_own_exit() - undo. Context: unload. */
void smcx_mgmt_own_exit(void);
/** smcx_mgmt_diag_init() - sock_diag. Context: load. Return: 0 or errno. */
int smcx_mgmt_diag_init(void);
/** smcx_mgmt_diag_exit() - undo. Context: unload. */
void smcx_mgmt_diag_exit(void);

/* ---- dumps ---- */

/**
 * struct smcx_dump - one call of a dump, see DOC "Management"
 * @skb: messages
 * @cb: the dump; args[0] counts the items sent in earlier calls
 * @pos: items met in this call
 */
struct smcx_dump {
	struct sk_buff		*skb;
	struct netlink_callback	*cb;
	long			pos;
};

/**
 * smcx_dump_is_sent() - meet an item: was it sent by an earlier call?
 * @d: dump
 * Context: any. Return: true to skip it.
 */
static inline bool smcx_dump_is_sent(struct smcx_dump *d)
{
	return d->pos++ < d->cb->args[0];
}

/** smcx_dump_net() - namespace of the reader. @d: dump. Context: any. */
static inline struct net *smcx_dump_net(const struct smcx_dump *d)
{
	return sock_net(d->cb->skb->sk);
}

/**
 * smcx_dump_begin() - start the message of the item just met
 * @d: generic netlink dump; the answer's command is the request's
 * @nest: attribute to open in it, 0 = none
 * @inner: result: the open attribute, NULL if @nest is 0
 * Context: any. Return: message, or NULL when the buffer is full.
 */
void *smcx_dump_begin(struct smcx_dump *d, int nest, struct nlattr **inner);

/**
 * smcx_dump_end() - finish the message
 * @d: dump
 * @msg: from smcx_dump_begin()
 * @inner: open attribute or NULL
 * @rc: 0, or an error while filling it: the message is taken back
 * Context: any. Return: 0, or -EMSGSIZE: come back with the next buffer.
 */
int smcx_dump_end(struct smcx_dump *d, void *msg, struct nlattr *inner, int rc);

/**
 * smcx_put_uint() - variable-size number as newer kernels' nla_put_uint() does
 * @skb: message
 * @attr: type
 * @value: 4 bytes where it fits, 8 otherwise
 * Context: any. Return: 0 or -EMSGSIZE.
 */
int smcx_put_uint(struct sk_buff *skb, int attr, u64 value);

/**
 * smcx_put_u64s() - a row of u64 attributes
 * @skb: message
 * @first: type of the first, the others follow
 * @values: values
 * @n: their number
 * @pad: attribute for alignment
 * Context: any. Return: 0 or -EMSGSIZE.
 */
int smcx_put_u64s(struct sk_buff *skb, int first, const u64 *values, unsigned int n, int pad);

/**
 * smcx_mgmt_is_visible() - may the reader see a link group?
 * @net: namespace of the reader
 * @lgr: group
 *
 * The initial namespace sees the whole host, others see what is theirs.
 * Context: any.
 */
static inline bool smcx_mgmt_is_visible(const struct net *net, const struct smcx_lgr *lgr)
{
	/* its namespace may be going while the reader has no more than a reference on the group */
	return net_eq(net, &init_net) || lgr->sn == smcx_net(net);
}

/* ---- known servers, for SMCX ---- */

/** smcx_own_dump_peers() - SMCX_CMD_GET_PEERS. @skb: messages. @cb: dump. Context: process. Return: length. */
int smcx_own_dump_peers(struct sk_buff *skb, struct netlink_callback *cb);
/** smcx_own_flush_peers() - SMCX_CMD_FLUSH_PEERS. @skb: request. @info: request. Context: process. Return: 0. */
int smcx_own_flush_peers(struct sk_buff *skb, struct genl_info *info);

/* ---- trusted prefixes, for SMCX ---- */

/** smcx_own_add_trust() - SMCX_CMD_ADD_TRUST. @skb: request. @info: request. Context: process. Return: 0 or errno. */
int smcx_own_add_trust(struct sk_buff *skb, struct genl_info *info);
/** smcx_own_del_trust() - SMCX_CMD_DEL_TRUST. @skb: request. @info: request. Context: process. Return: 0 or errno. */
int smcx_own_del_trust(struct sk_buff *skb, struct genl_info *info);
/** smcx_own_dump_trust() - SMCX_CMD_GET_TRUST. @skb: messages. @cb: dump. Context: process. Return: length. */
int smcx_own_dump_trust(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- dumps of SMC_GEN_NETLINK, as genl_ops.dumpit ---- */

/** smcx_gen_dump_lgr() - link groups. @skb: messages. @cb: dump. Context: process. Return: length. */
int smcx_gen_dump_lgr(struct sk_buff *skb, struct netlink_callback *cb);
/** smcx_gen_dump_link() - link groups with their links. @skb: messages. @cb: dump. Context: process. Return: length. */
int smcx_gen_dump_link(struct sk_buff *skb, struct netlink_callback *cb);
/** smcx_gen_dump_dev() - RDMA devices. @skb: messages. @cb: dump. Context: process. Return: length. */
int smcx_gen_dump_dev(struct sk_buff *skb, struct netlink_callback *cb);
/** smcx_gen_dump_stats() - counters. @skb: messages. @cb: dump. Context: process. Return: length. */
int smcx_gen_dump_stats(struct sk_buff *skb, struct netlink_callback *cb);
/** smcx_gen_dump_fback() - fallback counts. @skb: messages. @cb: dump. Context: process. Return: length. */
int smcx_gen_dump_fback(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- dumps of SMCX ---- */

/** smcx_own_dump_setup() - set-up times. @skb: messages. @cb: dump. Context: process. Return: length or errno. */
int smcx_own_dump_setup(struct sk_buff *skb, struct netlink_callback *cb);

#endif
