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
 * same one is not let in again; marks are overwritten by others (direct-mapped table), and the same token
 * works from other ports. A Proposal that nobody stands behind costs one element of the peer's group,
 * and that for as long as the group lives: the Accept has named its key, and nobody can know that it
 * did not arrive. So these elements are counted per peer (a hash of its id), and when there are
 * too many, its SYNs are answered as if they had no data, until the groups that hold them have ended.
 */

#define SMCX_TOKEN_MARKS	4096
#define SMCX_TOKEN_LOST_SLOTS	64
#define SMCX_TOKEN_LOST_MAX	64	/* elements of one slot's peers: 4 MiB of the default size */

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
 * @lost: elements of living groups that went to Proposals never confirmed, by peer id
 */
struct smcx_secrets {
	spinlock_t	lock;
	siphash_key_t	key[2];
	unsigned long	born;
	bool		has_old;
	siphash_key_t	mark_key;
	u32		*marks;
	atomic_t	lost[SMCX_TOKEN_LOST_SLOTS];
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

/** smcx_token_lost() - elements went to Proposals in SYNs that nobody confirmed, or are free again. @sn: namespace. @peer_id: from the Proposal. @n: how many more, or fewer. Context: any. */
void smcx_token_lost(struct smcx_net *sn, const u8 peer_id[8], int n);

/** smcx_token_is_crowded() - have too many been lost that way? @sn: namespace. @peer_id: from the Proposal. Context: any. */
bool smcx_token_is_crowded(struct smcx_net *sn, const u8 peer_id[8]);

#endif
