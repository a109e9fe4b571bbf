/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_SOCK_SOCK_H
#define SMCX_SOCK_SOCK_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/net.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "../conn/conn.h"
#include "../hs/hs.h"

/**
 * DOC: Sockets
 *
 * The user's socket is a TCP socket from socket() on; SMC is a table of operations in
 * sock->ops and, while there is something to say, a &struct smcx_sock that the TCP
 * sk's sk_user_data points at. No state means: do what TCP does::
 *
 *   socket()   our ops, no state
 *   connect()  state CONNECTING -> HANDSHAKE -> SMC
 *                          |            |
 *                          |            +-> fallback: ops are TCP's own, no state
 *                          |            +-> failed:   our ops, no state, TCP is closed with the error
 *                          +-> peer has no SMC: fallback, in softirq, before connect() returns
 *   listen()   state LISTEN; a child is HANDSHAKE -> SMC or TCP, then waits for accept()
 *
 * Falling back is one pointer written (sock/fallback.c); what follows is plain TCP at plain TCP's
 * cost. Whatever TCP has an answer to, TCP answers: options, names, errors
 * of connect, ioctls; only bytes, poll, shutdown and close of a connection in SMC mode are ours.
 */

/**
 * DOC: Sockets - locking and lifetimes
 *
 * The TCP socket lock (lock_sock() in process context, the spinlock in TCP's softirq, where the
 * callbacks run) protects the state and everything in it that is not noted otherwise. Order::
 *
 *   sk lock > sk_callback_lock > listener->lock > conn->lock
 *   sk lock > smcx_net.socks_lock
 *
 * Two sk locks are never held together. smcx_hs_cancel() and flush_delayed_work() are called with
 * none of them held.
 *
 * References of a &struct smcx_sock: sk_user_data (1); its listener's lists (1, children); an
 * operation running on it; a dump; each queued work item (1). The state holds a reference on the
 * TCP sk until an RCU grace period after its own end, so that a late upcall still finds both.
 *
 * Module references. A socket with our ops holds two: that of the core for sock->ops, and one
 * of our own (R). R is taken by sk_alloc() through the protosw's copy of tcp_prot, and stays tied
 * to the sk (sk_prot_creator) as long as inet_create() may still undo it; the first operation that
 * could let the sk outlive the socket (listen, connect, release) moves sk_prot_creator to
 * TCP's own, and R then belongs to the socket. Accepted SMC sockets take R when they
 * are grafted. R goes in ->release or at fallback, the core's goes with the ops. No orphan or TIME_WAIT
 * of TCP thus keeps the module.
 *
 * After a fallback a thread may still be inside an operation of ours (blocked in TCP, even). So
 * every state object holds the module while it has references, and an operation that found none takes a
 * module reference itself; the few instructions before and after are covered by
 * synchronize_rcu_tasks() in smcx_sock_exit().
 *
 * Fallback swaps sock->ops only while it holds a reference on the socket's file: __sock_release()
 * reads ops twice on some kernels, and must find the same table both times. Without a
 * file (kernel sockets, last fput() under way) the ops stay and forward.
 */

/**
 * enum smcx_mode - what a socket with state is doing
 * @SMCX_MODE_CONNECTING: TCP's own handshake
 * @SMCX_MODE_HANDSHAKE: TCP is up, CLC runs
 * @SMCX_MODE_SMC: data travels by SMC; final until close or disconnect
 * @SMCX_MODE_LISTEN: listener
 * @SMCX_MODE_TCP: went on as TCP; only seen on children that wait for accept()
 * @SMCX_MODE_DEAD: failed or closed
 */
enum smcx_mode {
	SMCX_MODE_CONNECTING,
	SMCX_MODE_HANDSHAKE,
	SMCX_MODE_SMC,
	SMCX_MODE_LISTEN,
	SMCX_MODE_TCP,
	SMCX_MODE_DEAD,
};

/* lists of a listener that a child is in */
enum smcx_child_list {
	SMCX_CHILD_NONE,
	SMCX_CHILD_PENDING,
	SMCX_CHILD_SLOW,
	SMCX_CHILD_READY,
};

struct smcx_sock;
struct smcx_early;

/**
 * struct smcx_sock_hooks - callbacks of the TCP sk while state is attached; NULL = leave TCP's
 * @data_ready: sk_data_ready
 * @state_change: sk_state_change
 * @write_space: sk_write_space
 * @error_report: sk_error_report
 */
struct smcx_sock_hooks {
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*error_report)(struct sock *sk);
};

/**
 * struct smcx_listener - what only a listener has
 * @ss: the state it belongs to
 * @lock: protects the lists, the counts and @closed; taken with bottom halves off
 * @pending: children in handshake or deferred, oldest first; they count against the backlog
 * @slow: children pending for longer than a healthy handshake takes; they do not, so that
 *	silent peers shut nobody out, but are bounded together with @pending (net.core.somaxconn)
 * @ready: children that accept() may take, oldest first
 * @npending: length of @pending
 * @nslow: length of @slow
 * @nready: length of @ready
 * @no_cookie: the application's TCP_FASTOPEN_NO_COOKIE; TCP's is ours
 * @habit: how the last child's application sent, see smcx_conn_habit()
 * @port: local port, for the filter
 * @port_node: in the filter's table, under its lock
 * @nsmc: children that offered SMC and are still in TCP's accept queue
 * @closed: nobody will accept any more
 * @listening: listen() was through; under the sk's lock
 * @killed: TCP left LISTEN without us (SOCK_DESTROY); written once, read locklessly
 * @work: takes children out of TCP's accept queue; ends a listener that was killed
 */
struct smcx_listener {
	struct smcx_sock	*ss;
	spinlock_t		lock;
	struct list_head	pending;
	struct list_head	slow;
	struct list_head	ready;
	unsigned int		npending;
	unsigned int		nslow;
	unsigned int		nready;
	bool			no_cookie;
	u16			habit;
	u16			port;
	struct hlist_node	port_node;
	atomic_t		nsmc;
	bool			closed;
	bool			listening;
	bool			killed;
	struct delayed_work	work;
};

/**
 * struct smcx_sock - SMC state of one TCP socket
 * @ref: see DOC "Sockets - locking and lifetimes"
 * @sk: TCP socket, one reference
 * @sn: namespace
 * @role: SMCX_CLIENT or SMCX_SERVER
 * @mode: enum smcx_mode; read locklessly
 * @attached: sk_user_data points here
 * @closing: close or disconnect has begun; verdicts are thrown away
 * @sock: the user's socket; NULL for a child nobody accepted. RCU for readers without the lock
 * @hs: handshake, one reference, taken out by whoever ends it
 * @conn: SMC connection, one reference; RCU for readers without the lock
 * @hooks: our callbacks
 * @orig: TCP's callbacks
 * @wq: child: stands in as sk_wq, so that TCP does not wake the user by itself
 * @early: client: Proposal in the SYN, early_client.c; NULL = none; freed with the state
 * @redoing: client: the connection is about to be reset and made anew, its events do not count
 * @sndbuf: value of sk_sndbuf last given to @conn
 * @reason: why it is TCP, 0 = it is not
 * @peer_reason: diagnosis of the peer's Decline
 * @net_node: in smcx_net.socks, under socks_lock; empty if not listed
 * @lsn: listener part or NULL
 * @parent: child: its listener's state, one reference for good
 * @child_node: child: in a list of parent->lsn, under its lock
 * @child_list: which one, enum smcx_child_list
 * @born: child: when it came, jiffies
 * @defer_work: child: TCP_DEFER_ACCEPT, first byte or time-out
 * @deferred: child: waits for bytes
 * @late: child: goes on as TCP, but its client has not confirmed the SYN-ACK yet; @defer_work limits the wait
 * @syn_at: client: when connect() began, ns
 * @rcu: frees
 */
struct smcx_sock {
	refcount_t			ref;
	struct sock			*sk;
	struct smcx_net			*sn;
	enum smcx_role			role;
	u8				mode;
	bool				attached;
	bool				closing;
	struct socket			*sock;
	struct smcx_hs			*hs;
	struct smcx_conn __rcu		*conn;
	const struct smcx_sock_hooks	*hooks;
	struct smcx_sock_hooks		orig;
	struct socket_wq		wq;
	struct smcx_early		*early;
	bool				redoing;
	int				sndbuf;
	u32				reason;
	u32				peer_reason;
	struct list_head		net_node;

	struct smcx_listener		*lsn;
	struct smcx_sock		*parent;
	struct list_head		child_node;
	u8				child_list;
	unsigned long			born;
	u64				syn_at;
	struct delayed_work		defer_work;
	bool				deferred;
	bool				late;
	struct rcu_head			rcu;
};

/**
 * struct smcx_sock_info - one socket, for dumps; addresses in the form of inet_diag_sockid
 * @family: AF_INET or AF_INET6
 * @state: enum smcx_state: LISTEN, INIT until connected, else the connection's close state
 * @mode: enum smcx_mode
 * @role: enum smcx_role
 * @shutdown: RCV_SHUTDOWN | SEND_SHUTDOWN
 * @sport: own port, network order
 * @dport: peer's port, network order
 * @src: own address; IPv4 in word 0, the rest zero
 * @dst: peer's address
 * @ifindex: bound device or 0
 * @cookie: socket cookie
 * @uid: owner
 * @inode: inode of the file, 0 = not accepted yet
 * @reason: fallback reason or 0
 * @peer_reason: diagnosis of the peer's Decline
 * @conn: the connection, one reference that smcx_sock_info_put() drops, or NULL. Its
 *	members m.token, m.lgr and m.link, rx and tx may be read; m.lgr and m.link only while it is in its group
 */
struct smcx_sock_info {
	u16			family;
	u8			state;
	u8			mode;
	u8			role;
	u8			shutdown;
	__be16			sport;
	__be16			dport;
	__be32			src[4];
	__be32			dst[4];
	u32			ifindex;
	u64			cookie;
	kuid_t			uid;
	unsigned long		inode;
	u32			reason;
	u32			peer_reason;
	struct smcx_conn	*conn;
};

/** smcx_sock_init() - take family 43 and IPPROTO_SMC, switch the TCP option on. Context: load. Return: 0 or errno (-EBUSY: family taken). */
int smcx_sock_init(void);
/** smcx_sock_exit() - undo; no socket is left, as each holds the module. Context: unload. */
void smcx_sock_exit(void);

/**
 * smcx_sock_for_each() - visit the sockets of a namespace: listeners, handshakes, SMC
 * @sn: namespace
 * @fn: called with a reference held; non-zero stops the walk
 * @arg: for @fn
 *
 * Sockets that come or go during the walk may be missed. The order is that of creation.
 * Context: process; @fn may sleep.
 * Return: what @fn returned last, 0 if there was none, -ENOMEM.
 */
int smcx_sock_for_each(struct smcx_net *sn,
		       int (*fn)(struct smcx_sock *ss, void *arg), void *arg);

/**
 * smcx_filter_set() - cut Proposals off SYNs for ports without SMC listener (net.smc.onertt_filter)
 * @sn: namespace
 * @on: or no longer; idempotent
 * Context: process. Return: 0 or errno of netfilter.
 */
int smcx_filter_set(struct smcx_net *sn, bool on);

/** smcx_sock_info_get() - describe a socket; one that changes meanwhile partly as before, partly as after. @ss: socket, referenced. @info: filled. Context: any but hard interrupt; without the socket lock. */
void smcx_sock_info_get(struct smcx_sock *ss, struct smcx_sock_info *info);
/** smcx_sock_info_put() - drop what @info holds. @info: from smcx_sock_info_get(). Context: any. */
void smcx_sock_info_put(struct smcx_sock_info *info);

#endif
