/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_NETNS_H
#define SMCX_BASE_NETNS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <net/net_namespace.h>

#include "drop.h"
#include "fallback.h"
#include "peer.h"
#include "stats.h"
#include "token.h"
#include "trust.h"

/**
 * DOC: Per-namespace state
 *
 * Everything an administrator of one network namespace sees or sets lives in
 * &struct smcx_net: sysctl values, statistics, the list of SMC sockets and the
 * records of sockets that fell back. RDMA devices, link groups and EIDs belong
 * to the host and live elsewhere. The structure appears with the namespace (or
 * at module load) and goes with it; whoever holds a socket of the namespace or
 * a reference on the namespace may use it without further protection.
 */

/**
 * struct smcx_sysctl - values of net.smc.* in one namespace
 * @autocorking_size: bytes up to which sends are gathered while a CDC is under way, 0 = off
 * @buf_type: smcr_buf_type of in-tree smc, kept for tools; all values behave alike here
 * @testlink_time_s: seconds of silence after which a link is tested, 0 = off
 * @wmem: default limit of queued send bytes per connection
 * @rmem: default size of a receive buffer element (RMBE), bytes
 * @max_links: links per link group offered, 1..2
 * @max_conns: connections per link group offered, 16..255
 * @limit_hs: 1 = new listeners refuse SMC while the handshake work is congested
 * @lgr_free_delay_s: seconds an unused link group is kept; the client adds 10
 * @hs_timeout_ms: limit for each wait for a CLC message
 * @close_timeout_s: limit for a peer's answer after local close
 * @path_retry_s: seconds for which a host that RDMA messages do not reach is left on TCP at first, 0 = not at all
 * @onertt: Proposal in the SYN, SMCX_ONERTT_* bits
 * @onertt_token_life: seconds a server's secret is current
 * @onertt_filter: cut Proposals off SYNs to ports without SMC listener
 * @data_in_cdc: 1 = small messages carry their bytes behind the CDC, with peers that can
 * @rkey_skip: 0 = exchange keys per connection, 1 = skip it where the group has one link
 *
 * Written by the sysctl layer with WRITE_ONCE() semantics, read with READ_ONCE().
 */
struct smcx_sysctl {
	unsigned int	autocorking_size;
	unsigned int	buf_type;
	int		testlink_time_s;
	int		wmem;
	int		rmem;
	unsigned int	max_links;
	unsigned int	max_conns;
	unsigned int	limit_hs;
	unsigned int	lgr_free_delay_s;
	unsigned int	hs_timeout_ms;
	unsigned int	close_timeout_s;
	unsigned int	path_retry_s;
	unsigned int	onertt;
	unsigned int	onertt_token_life;
	unsigned int	onertt_filter;
	unsigned int	data_in_cdc;
	unsigned int	rkey_skip;
};

#define SMCX_ONERTT_CLIENT	1
#define SMCX_ONERTT_SERVER	2

/**
 * struct smcx_net - this module's share of a network namespace
 * @net: the namespace; no reference, the pernet life time covers us
 * @sysctl: settings
 * @sysctl_hdr: registration handle, owned by mgmt/sysctl
 * @stats: per-CPU counters, see stats.h
 * @socks_lock: protects @socks; taken with bottom halves off
 * @socks: all sockets with SMC state (struct smcx_sock), for dumps and counts
 * @nsocks: length of @socks
 * @fb_lock: protects the fallback records
 * @fb_recs: most recent first, see fallback.h
 * @nfb_recs: length of @fb_recs
 * @fb_seq: number of the last record
 * @fb_counts: occurrences per reason, by role (0 client, 1 server), under fb_lock
 * @fb_totals: fallbacks by role, under fb_lock
 * @peers: known servers, see peer.h
 * @trusts: trusted prefixes, see trust.h
 * @secrets: keys of own tokens, see token.h
 * @filter_on: net.smc.onertt_filter is in force, under a lock of sock/
 * @onertt_hint: the administrator has been told what keeps the server side of onertt off
 */
struct smcx_net {
	struct net		*net;
	struct smcx_sysctl	sysctl;
	struct ctl_table_header	*sysctl_hdr;
	struct smcx_stats __percpu *stats;

	spinlock_t		socks_lock;
	struct list_head	socks;
	unsigned int		nsocks;

	spinlock_t		fb_lock;
	struct list_head	fb_recs;
	unsigned int		nfb_recs;
	u64			fb_seq;
	struct smcx_fb_count	fb_counts[2][SMCX_FB_REASONS_MAX];
	u64			fb_totals[2];

	struct smcx_peers	peers;
	struct smcx_trusts	trusts;
	struct smcx_secrets	secrets;
	bool			filter_on;
	bool			onertt_hint;
};

/**
 * smcx_net() - find the module's state of a namespace
 * @net: the namespace
 *
 * Context: any; the caller keeps @net alive.
 * Return: never NULL while the module is loaded.
 */
struct smcx_net *smcx_net(const struct net *net);

/**
 * smcx_base_netns_init() - register the per-namespace state
 *
 * Context: process, module load.
 * Return: 0 or a negative errno.
 */
int smcx_base_netns_init(void);

/**
 * smcx_base_netns_exit() - unregister; all sockets are gone by then
 *
 * Context: process, module unload.
 */
void smcx_base_netns_exit(void);

#endif
