/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_TOKEN_H
#define SMCX_BASE_TOKEN_H

#include <linux/in6.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct smcx_net;

/**
 * DOC: Tokens of a server
 *
 * A server invites a client with a token: a keyed hash over both addresses and the server's
 * port. It keeps nothing about the client; a Proposal in a SYN carries the token back
 * and the hash is computed again (Documentation/one-rtt.rst, "Server"). The key changes every
 * net.smc.onertt_token_life seconds, lazily, when it is used; the last one is still accepted.
 *
 * A token can be captured and the SYN replayed. Each SYN that was let in leaves a mark, so that the very
 * same one is not let in again; marks are overwritten by others (direct-mapped table), which only means
 * that a replay then costs what the text says: one element for three seconds.
 */

#define SMCX_TOKEN_MARKS	4096

/**
 * struct smcx_flow - addresses of one TCP connection as its server sees them
 * @family: AF_INET or AF_INET6, that of the packets (a v4-mapped socket's is AF_INET)
 * @port: server's port
 * @client: client's address; IPv4 in word 0, the rest zero
 * @server: server's address, the same way
 */
struct smcx_flow {
	__be16		family;
	__be16		port;
	struct in6_addr	client;
	struct in6_addr	server;
} __aligned(SIPHASH_ALIGNMENT);

/**
 * struct smcx_secrets - a namespace's keys
 * @lock: protects all; taken with bottom halves off
 * @key: current and previous
 * @born: jiffies when the current one was made, 0 = none yet
 * @has_old: the previous one counts
 * @mark_key: key of the marks
 * @marks: SYNs that were let in, or NULL until the first
 */
struct smcx_secrets {
	spinlock_t	lock;
	siphash_key_t	key[2];
	unsigned long	born;
	bool		has_old;
	siphash_key_t	mark_key;
	u32		*marks;
};

/** smcx_token_net_init() - no key yet. @sn: namespace. Context: process. */
void smcx_token_net_init(struct smcx_net *sn);
/** smcx_token_net_exit() - free. @sn: namespace. Context: process. */
void smcx_token_net_exit(struct smcx_net *sn);

/**
 * smcx_token_make() - invite a client
 * @sn: namespace
 * @flow: addresses
 *
 * Context: any.
 * Return: token, never 0.
 */
u64 smcx_token_make(struct smcx_net *sn, const struct smcx_flow *flow);

/**
 * smcx_token_check() - is this one of ours, current or previous?
 * @sn: namespace
 * @flow: addresses
 * @token: from the Proposal
 *
 * Context: any.
 */
bool smcx_token_check(struct smcx_net *sn, const struct smcx_flow *flow, u64 token);

/**
 * smcx_token_may_invite() - would the kernel hand us the Proposal of a SYN?
 * @sn: namespace
 *
 * Only if this side is on, TCP's own Fast Open for servers is, and no listener of the namespace takes
 * data from anybody without a cookie.
 * Context: any.
 */
bool smcx_token_may_invite(const struct smcx_net *sn);

/**
 * smcx_token_is_replay() - was the very same SYN let in before? Marks it.
 * @sn: namespace
 * @flow: addresses
 * @sport: client's port
 * @isn: its initial sequence number
 *
 * Context: any.
 */
bool smcx_token_is_replay(struct smcx_net *sn, const struct smcx_flow *flow, __be16 sport, u32 isn);

#endif
