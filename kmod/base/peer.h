/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_PEER_H
#define SMCX_BASE_PEER_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct smcx_net;
struct sockaddr;

/**
 * DOC: Known servers
 *
 * What a client remembers about servers of its namespace: the token of one that announced the Proposal
 * in the SYN, and experiences that speak against it (Documentation/one-rtt.rst, "Client"). An
 * entry is found by server address and port, and told apart by own address, for which the token
 * is made. That RDMA messages do not get through is a matter of the host: such an entry has port 0 and no
 * own address. Its connections stay TCP for a while, twice as long each time in a row; then one tries again.
 * The table is bounded; the entry unused for longest makes room. One spinlock protects it:
 * an operation is a short list walk.
 */

#define SMCX_PEERS_MAX		1024
#define SMCX_PEER_BUCKETS	256
#define SMCX_PEER_IDLE_S	3600	/* an unused entry is forgotten */
#define SMCX_PEER_BAN_S		600	/* a plain server took our data */
#define SMCX_PEER_LOST_S	600	/* a SYN with data was lost */
#define SMCX_PEER_DOUBLINGS	6	/* of the time for which a host is left on TCP */
#define SMCX_PEER_PROBE_S	15	/* for that long, one connection tries alone */

/**
 * struct smcx_peer_key - which server, seen from where
 * @family: AF_INET or AF_INET6
 * @port: server's port, 0: the whole host
 * @addr: its address; IPv4 in word 0, the rest zero
 * @own: own address, the same way
 */
struct smcx_peer_key {
	u16		family;
	__be16		port;
	struct in6_addr	addr;
	struct in6_addr	own;
};

/**
 * struct smcx_invite - what a server's Accept said that is of use next time
 * @token: its invitation, 0 = none
 * @caps: its capabilities, enum smcx_cap
 * @peer_id: its id
 * @gid: its GID
 */
struct smcx_invite {
	u64	token;
	u16	caps;
	u8	peer_id[8];
	u8	gid[16];
};

/**
 * struct smcx_peer - one server
 * @hash: in its bucket
 * @lru: all entries, least recently used first
 * @key: which
 * @invite: what it said
 * @used: jiffies of the last use
 * @ban_until: jiffies, valid if @banned
 * @lost_until: jiffies, valid if @lost
 * @dead_until: jiffies, valid if @dead
 * @banned: a plain server took our data: no more attempts until @ban_until
 * @lost: a SYN with data was lost: none until @lost_until
 * @dead: of a host: RDMA messages did not get through: no SMC until @dead_until
 * @dead_times: how often in a row
 * @probing: one connection tries whether it works again; until @dead_until nobody else
 * @learnt: tokens received
 * @tried: SYNs sent with a Proposal
 */
struct smcx_peer {
	struct hlist_node	hash;
	struct list_head	lru;
	struct smcx_peer_key	key;
	struct smcx_invite	invite;
	unsigned long		used;
	unsigned long		ban_until;
	unsigned long		lost_until;
	unsigned long		dead_until;
	bool			banned;
	bool			lost;
	bool			dead;
	u8			dead_times;
	bool			probing;
	u32			learnt;
	u32			tried;
};

/**
 * struct smcx_peers - the table of a namespace
 * @lock: protects all; taken with bottom halves off
 * @buckets: by address and port
 * @lru: all entries, least recently used first
 * @n: their number, read locklessly
 * @seed: of the hash
 */
struct smcx_peers {
	spinlock_t		lock;
	struct hlist_head	buckets[SMCX_PEER_BUCKETS];
	struct list_head	lru;
	unsigned int		n;
	u32			seed;
};

/** smcx_peer_net_init() - empty table. @sn: namespace. Context: process. */
void smcx_peer_net_init(struct smcx_net *sn);
/** smcx_peer_net_exit() - forget all. @sn: namespace. Context: process. */
void smcx_peer_net_exit(struct smcx_net *sn);

/** smcx_peer_key_of() - the server that connect() is to reach. @addr: an address, IPv4 in IPv6 stands for IPv4. @len: its length. @key: result, without @own. Context: any. Return: false: no Internet address. */
bool smcx_peer_key_of(const struct sockaddr *addr, int len, struct smcx_peer_key *key);

/** smcx_peer_is_known() - could there be a token for this server, whatever the own address? @sn: namespace. @key: @own is not looked at. Context: any. */
bool smcx_peer_is_known(struct smcx_net *sn, const struct smcx_peer_key *key);
/** smcx_peer_use() - invitation to use now, counted as a try. @sn: namespace. @key: server. @invite: result. Context: any. Return: false: none, or not now. */
bool smcx_peer_use(struct smcx_net *sn, const struct smcx_peer_key *key, struct smcx_invite *invite);
/** smcx_peer_is_banned() - do experiences forbid SYN data? @sn: namespace. @key: server. Context: any. */
bool smcx_peer_is_banned(struct smcx_net *sn, const struct smcx_peer_key *key);
/** smcx_peer_learn() - a handshake brought an invitation. @sn: namespace. @key: server. @invite: what it said. Context: any. */
void smcx_peer_learn(struct smcx_net *sn, const struct smcx_peer_key *key,
		     const struct smcx_invite *invite);
/** smcx_peer_forget() - drop the token. @sn: namespace. @key: server. Context: any. */
void smcx_peer_forget(struct smcx_net *sn, const struct smcx_peer_key *key);
/** smcx_peer_ban() - a plain server took our data. @sn: namespace. @key: server. Context: any. */
void smcx_peer_ban(struct smcx_net *sn, const struct smcx_peer_key *key);
/** smcx_peer_lost() - a SYN with data was lost, one without was not. @sn: namespace. @key: server. Context: any. */
void smcx_peer_lost(struct smcx_net *sn, const struct smcx_peer_key *key);
/** smcx_peer_path_failed() - RDMA messages do not reach a host. @sn: namespace. @host: it. Context: any. Return: seconds for which it is left on TCP, 0 = net.smc.path_retry is off, or that is known already. */
u32 smcx_peer_path_failed(struct smcx_net *sn, const struct smcx_peer_key *host);
/** smcx_peer_path_works() - one did. @sn: namespace. @host: it. Context: any. */
void smcx_peer_path_works(struct smcx_net *sn, const struct smcx_peer_key *host);
/** smcx_peer_may_try() - may a connection try SMC? @sn: namespace. @host: where to. Context: any. Return: false: rather not; true for one that finds out whether it works again. */
bool smcx_peer_may_try(struct smcx_net *sn, const struct smcx_peer_key *host);
/** smcx_peer_flush() - forget all. @sn: namespace. Context: any. */
void smcx_peer_flush(struct smcx_net *sn);

/**
 * smcx_peer_for_each() - visit the entries, least recently used first
 * @sn: namespace
 * @fn: called with a copy, no lock held; non-zero stops
 * @arg: for @fn
 *
 * Context: process. Return: what @fn returned last, 0 if there was none, -ENOMEM.
 */
int smcx_peer_for_each(struct smcx_net *sn, int (*fn)(const struct smcx_peer *p, void *arg), void *arg);

/** smcx_peer_left() - seconds until @when. @on: does it count? @when: jiffies. Context: any. Return: 0 if it is over. */
u32 smcx_peer_left(bool on, unsigned long when);

#endif
