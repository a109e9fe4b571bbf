/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_LINK_LINK_H
#define SMCX_LINK_LINK_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "../base/netns.h"
#include "../rdma/path.h"
#include "../rdma/qp.h"
#include "../rdma/region.h"

/**
 * DOC: Link groups, links, members
 *
 * A link group (lgr) is everything shared by the connections of one peer pair in
 * one role: up to three links (RC QPs), the receive buffer pool, the table of the peer's
 * remote keys, and the members: connections found by alert token. Today's groups
 * use one link; every structure holds three.
 *
 *   FORMING --smcx_lgr_activate()--> ACTIVE --smcx_lgr_terminate()--> DYING
 *      \------------smcx_lgr_terminate()-------------------------------/
 *
 * FORMING: the first-contact handshake owns it. Others that want the same peer
 * wait (&struct smcx_lgr_waiter) instead of opening a second group, but only for
 * a bounded time, so a silent peer delays nobody for long. Then one of them opens another,
 * but no more than a few are FORMING for one peer, for one address, for all: what many silent ones cost is bounded too.
 * ACTIVE: new connections take a seat; the last one leaving starts the free timer. Groups without connections end before
 * that if together they hold too much memory (room.c). The others cost a connection each, which the application has accepted.
 * DYING: nobody joins any more, a worker ends it: waiters told, goodbye said, QPs
 * fenced, members killed, regions unmapped, QPs stopped, off the list. The memory lives
 * until the last reference; whoever still holds one finds everything inert.
 *
 * References on an lgr: the list (until the DYING work is done), each member, each
 * handshake with a seat, each waiter, each queued work. References on a member: owner
 * (conn layer), the token table, whoever looked it up.
 *
 * Lock order: smcx_lgr_list_lock -> lgr->lock -> { the waiters' lock, lock of @members,
 * qp->lock }. Members' own locks (conn->lock) are taken before lgr->lock and link->tx_lock,
 * never after; tx_lock and pool_lock are innermost. @pool_mutex is outermost and sleeping; it
 * is held over local memory registration only.
 */

/**
 * DOC: Deferred work of the link layer
 *
 * All of it runs on one work queue of the layer, and all but lgr->release_work holds a
 * reference on the group, taken by who queues it and dropped by the work (or by who cancels it):
 *
 * ============  ==================================  =======================================
 * work          queued by                           cancelled by
 * ============  ==================================  =======================================
 * free_work     last seat given up while ACTIVE     term_work, synchronously. A join does not
 *                                                   cancel it: the work looks again, under
 *                                                   lgr->lock, whether the group is unused
 * shrink_work   a region fell idle while ACTIVE     term_work, synchronously
 * term_work     ACTIVE or FORMING -> DYING, once    nobody; every step of it is bounded
 * kick_work     a member asked for a slot although  nobody; does nothing on a QP not live
 *               one is free
 * release_work  last reference                      nobody; unload waits for it
 * ============  ==================================  =======================================
 *
 * Nothing of it is queued on a DYING group (checked under lgr->lock) save kick_work
 * and release_work. The works of llc are in llc/llc_priv.h.
 */

#define SMCX_LGR_LINKS		3
#define SMCX_LGR_RKEYS		255	/* remote keys per group, protocol.rst 3.5 */

struct smcx_lgr;
struct smcx_link;
struct smcx_member;
struct smcx_llc_state;		/* llc/llc.h, embedded by pointer */

enum smcx_role { SMCX_CLIENT = 0, SMCX_SERVER = 1 };

/* values are those of in-tree smc's link state attribute */
enum smcx_link_state {
	SMCX_LNK_UNUSED = 0,
	SMCX_LNK_INACTIVE = 1,	/* broken or not yet connected */
	SMCX_LNK_ACTIVATING = 2,/* QP exists, CONFIRM_LINK not done */
	SMCX_LNK_ACTIVE = 3,
};

enum smcx_lgr_state { SMCX_LGR_FORMING, SMCX_LGR_ACTIVE, SMCX_LGR_DYING };

/**
 * struct smcx_link - one RC connection of a group
 * @lgr: group; the link lives as long as the group's memory
 * @idx: index in lgr->links
 * @id: link id, assigned by the server, 0 = none yet; under lgr->lock
 * @uid: own link uid, informational
 * @peer_uid: peer's
 * @state: under lgr->lock, read locklessly
 * @path: local end, constant
 * @peer: remote end; gid and mac from the start, for matching; under lgr->lock
 * @qp: queue pair, referenced until the group is freed; set once, before ACTIVATING
 * @nconns: members using it
 * @tx_wait: members waiting for a send slot, under @tx_lock
 * @tx_lock: bottom halves off; innermost
 * @kick_work: see "Deferred work of the link layer"
 * @last_rx: jiffies of the last message, for keep-alive
 */
struct smcx_link {
	struct smcx_lgr		*lgr;
	u8			idx;
	u8			id;
	u32			uid;
	u32			peer_uid;
	enum smcx_link_state	state;
	struct smcx_path	path;
	struct smcx_peer_path	peer;
	struct smcx_qp		*qp;
	atomic_t		nconns;
	struct list_head	tx_wait;
	spinlock_t		tx_lock;
	struct work_struct	kick_work;
	unsigned long		last_rx;
};

/**
 * struct smcx_rkey - one of the peer's receive regions
 * @used: slot holds a key
 * @rkey: key per link index, 0 = unknown on that link
 * @addr: address per link index
 */
struct smcx_rkey {
	bool	used;
	u32	rkey[SMCX_LGR_LINKS];
	u64	addr[SMCX_LGR_LINKS];
};

/**
 * struct smcx_lgr - link group
 * @node: in the list of groups (list lock); empty when DYING work took it off
 * @rcu: frees the struct; near its start, where kvfree_rcu() wants it
 * @seq: order in the list, ever growing
 * @ref: see DOC
 * @sn: namespace; the namespace's exit ends the group before @sn goes, so who has but a reference on a group may
 *	compare it, but not follow it
 * @net_cookie: of the namespace, for dumps
 * @buf_type: net.smc.smcr_buf_type when the group was made, for dumps
 * @id: local group id (counter * 256)
 * @role: SMCX_CLIENT or SMCX_SERVER, fixed
 * @version: SMC-R version 1 or 2
 * @release: v2 release agreed (0 or 1)
 * @max_conns: connections allowed
 * @max_links: links agreed
 * @features: agreed feature mask
 * @data: small messages carry their bytes behind the CDC (one-rtt.rst, DATA); set before the first message
 * @peer_vendor: peer's vendor options (FCE 144..147), for later extensions
 * @peer_id: peer's id
 * @family: AF_INET or AF_INET6, of the two addresses
 * @client_ip: the client's TCP address: a server's group serves one; IPv4 in word 0, the rest zero
 * @server_ip: the server's TCP address at the first contact, the same way
 * @peer_os: OS type of the peer's FCE
 * @peer_host: host name of the peer's FCE, NUL terminated
 * @eid: agreed EID, v2
 * @vlan_id: VLAN of all connections
 * @pnetid: PNET id that chose the device
 * @lock: protects state, conns, links' states, rkeys. Bottom halves off.
 * @state: life
 * @conns: seats taken (handshakes and members)
 * @unused_since: jiffies when the last seat was given up
 * @retired: takes no new connections, ends with the last one; read locklessly
 * @links: link slots, unused ones in state UNUSED without QP
 * @rkeys: peer's keys
 * @nrkeys: slots in use
 * @members: alert token -> member; readers under RCU, writers under its own lock (BH)
 * @waiters: handshakes waiting for FORMING to end, or for @growing, under the waiters' lock
 * @nwaiters: their number
 * @growing: a handshake makes a region, others that need one wait in @waiters; under @lock
 * @pool_mutex: serializes growing and shrinking of the pool
 * @pool_lock: protects @regions, the elements' states and the counts; bottom halves off, innermost
 * @regions: struct smcx_pool_region list, see pool.c; changed under both
 * @nregions: length of @regions
 * @quarantined: elements lost to quarantine
 * @syn_lost: those of them that smcx_token_lost() knows
 * @pool_over: the group is over: nothing more is counted
 * @rmb_bytes: bytes of all regions (read locklessly for dumps)
 * @llc: state of the LLC layer, created and freed through smcx_link_handlers
 * @free_work: ends an unused group after the delay
 * @shrink_work: gives idle regions back
 * @term_work: does the DYING work
 * @release_work: frees
 * @term_err: errno members are killed with
 * @term_reason: DELETE_LINK reason to send, 0 = send nothing
 * @born: jiffies when it was made
 * @hung_up: the server ended a connection's TCP sooner than a bad path would have made it do so
 * @decline: why the peer cannot be served (enum smcx_reason), for the handshake that made the group;
 *	set before smcx_lgr_terminate(), 0 = nothing is known
 * @dead: completed when the DYING work is done
 */
struct smcx_lgr {
	struct list_head	node;
	struct rcu_head		rcu;
	u64			seq;
	refcount_t		ref;
	struct smcx_net		*sn;
	u64			net_cookie;
	u8			buf_type;
	u32			id;
	enum smcx_role		role;
	u8			version;
	u8			release;
	u8			max_conns;
	u8			max_links;
	u16			features;
	bool			data;
	u8			peer_vendor[4];
	u8			peer_id[8];
	u16			family;
	struct in6_addr		client_ip;
	struct in6_addr		server_ip;
	u8			peer_os;
	char			peer_host[33];
	u8			eid[32];
	u16			vlan_id;
	char			pnetid[17];

	spinlock_t		lock;
	enum smcx_lgr_state	state;
	unsigned int		conns;
	unsigned long		unused_since;
	bool			retired;
	struct smcx_link	links[SMCX_LGR_LINKS];
	struct smcx_rkey	rkeys[SMCX_LGR_RKEYS];
	unsigned int		nrkeys;

	struct list_head	waiters;
	unsigned int		nwaiters;

	struct xarray		members;

	bool			growing;
	struct mutex		pool_mutex;
	spinlock_t		pool_lock;
	struct list_head	regions;
	unsigned int		nregions;
	unsigned int		quarantined;
	unsigned int		syn_lost;
	bool			pool_over;
	size_t			rmb_bytes;

	struct smcx_llc_state	*llc;
	struct delayed_work	free_work;
	struct delayed_work	shrink_work;
	struct work_struct	term_work;
	struct work_struct	release_work;
	int			term_err;
	u32			term_reason;
	u32			decline;
	unsigned long		born;
	bool			hung_up;
	struct completion	dead;
};

/**
 * struct smcx_lgr_waiter - somebody who wants to know when FORMING ends, or the pool has grown
 * @node: in lgr->waiters
 * @lgr: set while queued (holds a reference), NULL otherwise
 * @fn: called at most once, bottom halves off and under a lock of this layer: must only queue work;
 *	its argument ok says that the group became, or still is, ACTIVE. Not called after smcx_lgr_waiter_cancel() returned.
 */
struct smcx_lgr_waiter {
	struct list_head	node;
	struct smcx_lgr		*lgr;
	void			(*fn)(struct smcx_lgr_waiter *w, bool ok);
};

/**
 * struct smcx_member_ops - link layer -> connection
 * @cdc: a CDC message for this member, softirq, RCU held; @buf has at most SMCX_RECV_LEN bytes, @len is
 *	the length on the wire
 * @tx_ready: a send slot is free again, softirq or process
 * @kill: group is ending with @err: drop every reference to the QP and to chunks now, tell the
 *	user. Process context, may not sleep for the network. Called once.
 * @release: last reference gone, free (any context)
 */
struct smcx_member_ops {
	void (*cdc)(struct smcx_member *m, const u8 *buf, u32 len);
	void (*tx_ready)(struct smcx_member *m);
	void (*kill)(struct smcx_member *m, int err);
	void (*release)(struct smcx_member *m);
};

/**
 * struct smcx_member - what a connection embeds to be in a group
 * @ref: references, @ops->release at zero
 * @token: own alert token (non-zero), the peer addresses us with it
 * @lgr: group, referenced while in the table
 * @link: link in use
 * @ops: upcalls
 * @wait_node: in link->tx_wait
 * @flags: SMCX_MEMBER_*, atomic bits
 */
struct smcx_member {
	refcount_t			ref;
	u32				token;
	struct smcx_lgr			*lgr;
	struct smcx_link		*link;
	const struct smcx_member_ops	*ops;
	struct list_head		wait_node;
	unsigned long			flags;
};

#define SMCX_MEMBER_LISTED	0	/* in the token table */

/**
 * struct smcx_link_handlers - link layer -> llc (installed once at load)
 * @llc_rx: a message whose first byte is not CDC's; softirq. @buf has at most 44 bytes, @len is the
 *	length on the wire
 * @slot_free: a send slot became free; bottom halves off
 * @lgr_init: allocate lgr->llc. Process context.
 * @lgr_exit: cancel all LLC work of the group (sync), wake who waits in LLC; none starts afterwards. Process context.
 * @lgr_free: free lgr->llc; last reference of the group is gone, QPs are stopped. Process context.
 * @lgr_goodbye: send DELETE_LINK all with @reason and wait (bounded, <= 2 s) until it left. Process context.
 * @link_up: link became ACTIVE: start keep-alive. Any context.
 * @delete_rkey: tell the peer that a region is going and wait for the answer (<= 2 s). Process
 *	context. Return: 0: it knows, or never will.
 */
struct smcx_link_handlers {
	void (*llc_rx)(struct smcx_link *link, const u8 *buf, u32 len);
	void (*slot_free)(struct smcx_link *link);
	int  (*lgr_init)(struct smcx_lgr *lgr);
	void (*lgr_exit)(struct smcx_lgr *lgr);
	void (*lgr_free)(struct smcx_lgr *lgr);
	void (*lgr_goodbye)(struct smcx_lgr *lgr, u32 reason);
	void (*link_up)(struct smcx_link *link);
	int  (*delete_rkey)(struct smcx_link *link, u32 rkey);
};

/* ---- module life ---- */

/** smcx_link_init() - start the layer (calls smcx_rdma_init()). @h: LLC handlers. Context: load. Return: 0 or errno. */
int smcx_link_init(const struct smcx_link_handlers *h);
/** smcx_link_exit() - end all groups, wait, stop the layer (calls smcx_rdma_exit()). Context: unload. */
void smcx_link_exit(void);
/** smcx_lgr_netns_exit() - end all groups of a namespace and wait. @sn: namespace. Context: process. */
void smcx_lgr_netns_exit(struct smcx_net *sn);

/* ---- finding and making groups ---- */

/**
 * struct smcx_lgr_params - who the peer is and what was agreed
 * @sn: namespace
 * @role: own role
 * @version: 1 or 2
 * @release: agreed release
 * @max_conns: agreed
 * @max_links: agreed
 * @features: agreed
 * @data: bytes may follow a CDC message
 * @peer_id: from Proposal (server) or Accept (client)
 * @family: of the TCP connection
 * @client_ip: the client's TCP address, as in struct smcx_lgr
 * @server_ip: the server's
 * @peer_gid: from Proposal or Accept
 * @peer_mac: compared in version 1 only
 * @peer_qpn: client, reuse only: from Accept
 * @eid: agreed EID (v2)
 * @path: local end (its device reference stays the caller's; copied)
 */
struct smcx_lgr_params {
	struct smcx_net		*sn;
	enum smcx_role		role;
	u8			version;
	u8			release;
	u8			max_conns;
	u8			max_links;
	u16			features;
	bool			data;
	u8			peer_id[8];
	u16			family;
	struct in6_addr		client_ip;
	struct in6_addr		server_ip;
	union ib_gid		peer_gid;
	u8			peer_mac[6];
	u32			peer_qpn;
	u8			eid[32];
	const struct smcx_path	*path;
};

enum smcx_join { SMCX_JOIN_REUSE, SMCX_JOIN_FIRST, SMCX_JOIN_WAIT };

/**
 * smcx_lgr_join_server() - take a seat in a matching group, or start one (protocol.rst 3.7)
 * @p: parameters
 * @w: queued when the answer is WAIT; NULL = never start a group, answer WAIT if there is none to join
 * @waited: another group that is FORMING has been waited for long enough: start one, unless
 *	several are FORMING for this peer already, or many for its address or for all
 * @lgr: result for REUSE and FIRST: group with one reference and one seat
 *
 * FIRST: the group is FORMING with link 0 and its QP in RESET; the caller must end in
 * smcx_lgr_activate() (through llc) or smcx_lgr_terminate().
 * Context: process. Return: enum smcx_join, or negative errno (-ENOMEM, -ENODEV ...).
 */
int smcx_lgr_join_server(const struct smcx_lgr_params *p,
			 struct smcx_lgr_waiter *w, bool waited, struct smcx_lgr **lgr);

/**
 * smcx_lgr_find_client() - take a seat in the group the Accept names
 * @p: parameters with @peer_qpn
 * @link: result: the link with that QPN
 * Context: process. Return: group with reference and seat, or NULL (decline SYNCERR).
 */
struct smcx_lgr *smcx_lgr_find_client(const struct smcx_lgr_params *p,
				      struct smcx_link **link);

/**
 * smcx_lgr_create_client() - new FORMING group after an Accept with first contact
 * @p: parameters
 * Context: process. Return: group with one reference and one seat, or ERR_PTR.
 */
struct smcx_lgr *smcx_lgr_create_client(const struct smcx_lgr_params *p);

/** smcx_lgr_has_client() - could this server's Accept name a group of ours? @p: @sn, @peer_id, @peer_gid and @client_ip count. Context: any. */
bool smcx_lgr_has_client(const struct smcx_lgr_params *p);
/** smcx_lgr_set_peer() - the Accept has come for a group that was made before it. @lgr: FORMING client's group. @p: what is known now. Context: any. */
void smcx_lgr_set_peer(struct smcx_lgr *lgr, const struct smcx_lgr_params *p);

/** smcx_lgr_wait() - queue @w until FORMING ends; false = it has ended already (@w not queued). @lgr: group. @w: waiter. Context: any. */
bool smcx_lgr_wait(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w);
/** smcx_lgr_waiter_cancel() - @w->fn is not running and will not be called afterwards. @w: waiter. Context: process. Return: true if it was still queued. */
bool smcx_lgr_waiter_cancel(struct smcx_lgr_waiter *w);

/** smcx_lgr_activate() - FORMING -> ACTIVE, waiters told; link 0 is ACTIVE by smcx_link_confirmed(). @lgr: group. Context: any. Return: false if it was not FORMING. */
bool smcx_lgr_activate(struct smcx_lgr *lgr);

/**
 * smcx_lgr_terminate() - end a group, asynchronously
 * @lgr: group
 * @err: negative errno the members get (-ECONNABORTED, -ENETDOWN ...)
 * @reason: reason of the DELETE_LINK sent to the peer (protocol.rst 4.6), 0 = say nothing (link broken)
 * Idempotent. Context: any.
 */
void smcx_lgr_terminate(struct smcx_lgr *lgr, int err, u32 reason);

/** smcx_lgr_leave() - give up a seat (not the reference). @lgr: group. Context: any. */
void smcx_lgr_leave(struct smcx_lgr *lgr);
/** smcx_lgr_hold() - take a reference. @lgr: group. Context: any. Return: @lgr. */
struct smcx_lgr *smcx_lgr_hold(struct smcx_lgr *lgr);
/** smcx_lgr_put() - drop a reference. @lgr: group or NULL. Context: any (freeing is deferred to a worker). */
void smcx_lgr_put(struct smcx_lgr *lgr);

/** smcx_lgr_free_delay_changed() - let it count for groups that are unused already. @sn: namespace. Context: process. */
void smcx_lgr_free_delay_changed(const struct smcx_net *sn);

/** smcx_lgr_for_each() - visit groups not DYING, reference held for the call. @fn: callback, non-zero stops. @arg: for @fn. Context: process. Return: last value of @fn. */
int smcx_lgr_for_each(int (*fn)(struct smcx_lgr *lgr, void *arg), void *arg);

/* ---- links ---- */

/** smcx_lgr_pick_link() - link for a new connection (protocol.rst 3.7). @lgr: group. Context: any. Return: link or NULL. */
struct smcx_link *smcx_lgr_pick_link(struct smcx_lgr *lgr);

/**
 * smcx_link_connect() - bring the QP towards the peer
 * @link: link in ACTIVATING
 * @peer: remote end, stored
 * @rts: also go to RTS and post the registration of all regions of the pool (server: true; client: false,
 *	llc calls smcx_link_ready() when CONFIRM_LINK has come)
 * Context: process. Return: 0 or negative errno.
 */
int smcx_link_connect(struct smcx_link *link, const struct smcx_peer_path *peer, bool rts);

/**
 * smcx_link_confirmed() - CONFIRM_LINK has arrived: the link may carry connections
 * @link: link in ACTIVATING
 * @id: its id
 * @peer_uid: peer's uid
 *
 * The group stays FORMING until smcx_lgr_activate(), but a client finds the link from now on.
 * Context: any. Return: false if the group is DYING.
 */
bool smcx_link_confirmed(struct smcx_link *link, u8 id, u32 peer_uid);

/** smcx_link_by_id() - look a link up. @lgr: group. @id: link id; 0 finds none. Context: any. Return: link or NULL. */
struct smcx_link *smcx_link_by_id(struct smcx_lgr *lgr, u8 id);

/** smcx_link_ready() - RTR -> RTS and register the pool's regions, unless that was done early. @link: link. Context: process. Return: 0 or errno. */
int smcx_link_ready(struct smcx_link *link);

/** smcx_link_is_sendable() - posting makes sense (QP in RTS, not broken). @link: link. Context: any. */
static inline bool smcx_link_is_sendable(const struct smcx_link *link)
{
	return link->qp && READ_ONCE(link->qp->live);
}

/** smcx_lgr_note_reset() - a connection's TCP was reset: a group that ends for it says nothing of the path. @lgr: group. Context: any. */
void smcx_lgr_note_reset(struct smcx_lgr *lgr);

/** smcx_link_is_acked() - has a message of ours arrived at the peer's device, so that the path is good both ways? @link: link. Context: any. */
static inline bool smcx_link_is_acked(const struct smcx_link *link)
{
	return link->qp && READ_ONCE(link->qp->is_acked);
}

/** smcx_link_wait_slot() - ask for @m->ops->tx_ready() when a slot is free. @link: link. @m: member (idempotent). Context: any. */
void smcx_link_wait_slot(struct smcx_link *link, struct smcx_member *m);

/* ---- members ---- */

/**
 * smcx_member_add() - give a connection its alert token
 * @m: member with @ref and @ops set; takes a reference on lgr and one on @m for the table
 * @lgr: group the caller has a seat in; the seat now belongs to the member
 * @link: link it uses
 * Context: process. Return: 0, -ENOMEM, -ENOTCONN (DYING).
 */
int smcx_member_add(struct smcx_member *m, struct smcx_lgr *lgr, struct smcx_link *link);

/** smcx_member_del() - out of the table; gives up seat and both references. Idempotent. @m: member. Context: any. */
void smcx_member_del(struct smcx_member *m);
/** smcx_member_hold() - take a reference. @m: member. Context: any. */
void smcx_member_hold(struct smcx_member *m);
/** smcx_member_put() - drop a reference. @m: member. Context: any. */
void smcx_member_put(struct smcx_member *m);

/* ---- remote keys (llc: CONFIRM_RKEY, DELETE_RKEY; hs: Accept, Confirm) ---- */

/**
 * smcx_rkey_add() - learn a key; a known (rkey, addr) returns its slot
 * @link: link the key is valid on
 * @rkey: key
 * @addr: address of the region
 * Context: any. Return: slot index, or -ENOSPC.
 */
int smcx_rkey_add(struct smcx_link *link, u32 rkey, u64 addr);
/** smcx_rkey_set() - add another link's key to a slot. @lgr: group. @slot: slot. @link_id: that link's id. @rkey: key. @addr: address. Context: any. */
void smcx_rkey_set(struct smcx_lgr *lgr, int slot, u8 link_id, u32 rkey, u64 addr);
/** smcx_rkey_is_known() - has the peer announced this region on this link? @link: link. @rkey: key. @addr: address. Context: any. */
bool smcx_rkey_is_known(const struct smcx_link *link, u32 rkey, u64 addr);
/** smcx_rkey_del() - forget a key. @link: link it is valid on. @rkey: key. Context: any. Return: 0 or -ENOENT. */
int smcx_rkey_del(struct smcx_link *link, u32 rkey);

#endif
