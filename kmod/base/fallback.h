/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_FALLBACK_H
#define SMCX_BASE_FALLBACK_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct sock;
struct smcx_net;

/**
 * DOC: Fallback records
 *
 * A socket that fell back is plain TCP: it carries nothing of this module, so
 * its reason is kept beside it, in a bounded per-namespace list of records that
 * name the socket by cookie and address. A record is dropped when the list is
 * full (oldest first) or when a dump finds its socket gone. Per-reason counts
 * are kept for good.
 */

#define SMCX_FB_RECS_MAX	4096
#define SMCX_FB_REASONS_MAX	64

/**
 * struct smcx_fb_rec - why one socket is not SMC
 * @node: in smcx_net.fb_recs, protected by fb_lock
 * @seq: number of the record, grows
 * @cookie: socket cookie as sock_diag reports it
 * @family: AF_INET or AF_INET6
 * @sport: local port, host order
 * @dport: peer port, network order
 * @saddr: local address (IPv4: first word)
 * @daddr: peer address
 * @ifindex: bound device or 0
 * @reason: own reason (enum smcx_reason)
 * @peer_reason: diagnosis of the peer's Decline, 0 = none
 * @is_server: passive side
 * @uid: owner of the socket; filled in for smcx_fb_for_each()
 * @inode: inode of its file, 0 = none; filled in for smcx_fb_for_each()
 */
struct smcx_fb_rec {
	struct list_head	node;
	u64			seq;
	u64			cookie;
	u16			family;
	u16			sport;
	__be16			dport;
	struct in6_addr		saddr;
	struct in6_addr		daddr;
	int			ifindex;
	u32			reason;
	u32			peer_reason;
	bool			is_server;
	kuid_t			uid;
	unsigned long		inode;
};

/**
 * smcx_fb_record() - remember and count why a socket goes on as TCP
 * @sn: namespace
 * @sk: the TCP socket, addresses already known
 * @reason: own reason
 * @peer_reason: diagnosis in the peer's Decline or 0
 * @is_server: passive side
 *
 * Losing the record for lack of memory loses the words, never the count.
 * Context: any, @sk kept alive by the caller.
 */
void smcx_fb_record(struct smcx_net *sn, struct sock *sk, u32 reason,
		    u32 peer_reason, bool is_server);

/**
 * smcx_fb_for_each() - visit the records whose socket still lives
 * @sn: namespace
 * @fn: called with a copy of the record; non-zero stops the walk
 * @arg: for @fn
 *
 * Newest first. Records of dead sockets met on the way are dropped.
 * Context: process; @fn may sleep.
 * Return: what @fn returned last, 0 if there was none, -ENOMEM.
 */
int smcx_fb_for_each(struct smcx_net *sn,
		     int (*fn)(const struct smcx_fb_rec *rec, void *arg),
		     void *arg);

/**
 * struct smcx_fb_count - how often one reason occurred
 * @reason: enum smcx_reason
 * @count: occurrences since module load, 4294967295 at most
 */
struct smcx_fb_count {
	u32 reason;
	u32 count;
};

/**
 * smcx_fb_counts() - copy the per-reason counts of one role
 * @sn: namespace
 * @is_server: role
 * @out: SMCX_FB_REASONS_MAX entries
 *
 * Context: any.
 * Return: number of entries filled.
 */
unsigned int smcx_fb_counts(struct smcx_net *sn, bool is_server,
			    struct smcx_fb_count *out);

#endif
