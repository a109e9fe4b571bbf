/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_CONN_CONN_H
#define SMCX_CONN_CONN_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "../link/link.h"
#include "../link/pool.h"
#include "../proto/cdc.h"
#include "../proto/close.h"
#include "../proto/cursor.h"

struct pipe_inode_info;

/**
 * DOC: Connections
 *
 * A connection moves bytes: application -> chunks -> RDMA WRITE into the peer's
 * element, announced by a CDC; peer -> own element -> application. It knows
 * nothing of sockets: nothing in here blocks, the socket layer above waits and is
 * told through &struct smcx_conn_ops. It outlives its socket: after close() it
 * drains, exchanges close messages and gives its element back on its own.
 *
 * Sending: bytes are copied into a queue of chunks (no send ring, an idle connection
 * holds no send memory). A message takes what is queued: at most two writes (the
 * peer's ring may wrap) and one CDC, posted together; or, if it is small and the peer can take
 * it (one-rtt.rst, DATA), one CDC with the bytes behind it: half of the packets. With nothing
 * under way it goes at once; behind one under way small sends gather (net.smc.autocorking_size) and only
 * full-sized messages (half of the peer's element, at most 64 KiB) follow, up to four, so
 * that bulk data keeps the link busy. Chunks are freed when the CDC's send completion says
 * that they were placed.
 *
 * Turns: many servers answer a request with two or three system calls that follow each other
 * at once: header, body, perhaps close(). Sent one by one each costs a message (four packets on
 * soft-RoCE) and a wake-up of the peer. What an application does between two reads is a turn; its
 * writes, and the close, are its events. When a turn had as many events as the one before,
 * quickly, the next one's bytes are held back until as many events have come. Any read, shutdown or
 * flush ends the holding, and so does a timer after 2 ms; after a few of these the habit is forgotten. Only small
 * amounts are held (below net.smc.autocorking_size, too). A listener hands the habit of its
 * last child on to the next, so that it serves connections with one request as well.
 *
 * Receiving: the CDC handler (softirq) validates sequence number and cursors
 * against the ring (proto/cursor.h), puts bytes that came with the message into it, advances,
 * wakes. A peer that breaks the rules is aborted, its bytes never reach the application.
 *
 * Window updates: the consumer cursor rides with data and close flags for nothing. A message of
 * its own is sent after the application consumed, if it is not yet sent and
 *  - the peer asked for it (0x10), or an urgent byte was passed; or
 *  - at least a quarter of the element would be announced, and the peer said that it is blocked
 *    or sees at most half of the element free.
 * This has the shape of protocol.rst 5.5 with a quarter in place of a tenth: a blocked in-tree
 * producer sends whatever was announced at once, so small updates make small messages.
 * Nobody starves: a producer without space has filled the element, so its reader can always
 * consume the quarter; poll() never waits for more than half of it. A producer that streams learns
 * of the first half when it still has the second to fill, so it does not stop. No update goes to
 * a peer that has stopped writing.
 *
 * The peer's end: net/smc says "done writing" or "closed" while bytes of its still wait for room (BLOCKED in the same message),
 * and sends these as room comes, at once. Such flags are held, and not taken back by what follows. BLOCKED may also be left over
 * from bytes that just filled the element, and nothing says so: what a peer does not send within 0.3 s of a message that tells it
 * of room, it does not have. Our own close() does not wait for that, nor does what comes after it, but then the element is kept
 * for a moment.
 *
 * Locking: conn->lock (BH) covers all of the mutable state below; it is taken before lgr->lock and
 * qp->lock. Readers and writers of one connection are serialized among themselves by the caller
 * (the socket lock), so copying from and to user memory happens outside conn->lock.
 *
 * References (member.ref): owner socket or handshake (1), token table (1), each posted
 * slot (1), each timer (1) while pending or running.
 *
 * Files, callees first: state.c (events, close table, end of life), urg.c (urgent mark), xmit.c (one
 * message; what may go now), turn.c (writes that belong together), tx.c, rx.c, splice.c, cdc.c, poll.c, close.c, conn.c (life).
 */

struct smcx_conn;

/**
 * struct smcx_conn_ops - conn -> sock, any context incl. softirq, under rcu_read_lock(), conn->lock not held unless noted
 * @readable: bytes, EOF or urgent data arrived
 * @writable: send space grew after a refused send, or the queue ran empty
 * @urgent: urgent data announced: raise SIGURG
 * @state: state or error changed: wake everybody, re-evaluate poll; smcx_conn_err() has the error
 * @oobinline: SO_OOBINLINE as it is now; only reads a flag, called with or without conn->lock held
 *
 * After smcx_conn_close() a call may still be running until an RCU grace period has passed.
 */
struct smcx_conn_ops {
	void (*readable)(void *owner);
	void (*writable)(void *owner);
	void (*urgent)(void *owner);
	void (*state)(void *owner);
	bool (*oobinline)(void *owner);
};

/**
 * struct smcx_conn_rx - receive half, protected by conn->lock
 * @rmbe: own element; the peer writes it
 * @prod: peer's producer cursor, validated
 * @cons: consumed by the application
 * @cons_sent: last consumer cursor sent to the peer
 * @avail: bytes between @cons and @prod (atomic_t so that poll reads it locklessly)
 * @seq: sequence number of the last accepted CDC
 * @pflags: peer's last producer flags
 * @sflags: peer's connection state flags so far (sticky)
 * @held: flags that it writes no more, not believed yet: see "The peer's end" in the DOC
 * @asked: the peer has been told of room, and has sent nothing since
 * @ask_msgs: messages under way up to the one that told it, 0 = it has got that
 * @ask_until: jiffies, while @ask_msgs is 0: then it has nothing
 * @doubt: detached, and the peer's end was believed before it was known whether there is more
 * @doubt_until: jiffies: of a closed one: the peer has long heard of it, and writes no more
 * @high: high-water mark of bytes ever received (bounds zeroing)
 * @urg_state: SMCX_URG_*
 * @urg_cur: cursor just after the urgent byte
 * @urg_byte: the byte itself
 * @shutdown: application shut down reading
 * @broken: the peer broke the rules: only its state flags count from now on
 */
struct smcx_conn_rx {
	struct smcx_rmbe	rmbe;
	struct smcx_cursor	prod;
	struct smcx_cursor	cons;
	struct smcx_cursor	cons_sent;
	atomic_t		avail;
	u16			seq;
	u8			pflags;
	u8			sflags;
	u8			held;
	bool			asked;
	u8			ask_msgs;
	unsigned long		ask_until;
	bool			doubt;
	unsigned long		doubt_until;
	u32			high;
	u8			urg_state;
	struct smcx_cursor	urg_cur;
	u8			urg_byte;
	bool			shutdown;
	bool			broken;
};

#define SMCX_CONN_MSGS		8	/* messages under way per connection, of which: */
#define SMCX_CONN_DATA_MSGS	4	/* may carry data */

/**
 * struct smcx_conn_queue - bytes on their way out, part of the send half
 *
 * A chunk in @queue holds off bytes that are posted, then len bytes that are not; in
 * @flight everything (off bytes) is posted. Only the first chunk of @queue can be
 * partly posted.
 *
 * @queue: chunks with bytes not yet posted, oldest first
 * @flight: chunks wholly posted, waiting for completions
 * @append: last chunk of @queue while a sender copies behind its end: must stay where it is
 * @queued: bytes not posted
 * @inflight: bytes posted, not completed
 * @acked: completed bytes of the oldest chunk
 * @limit: most bytes of both kinds (SO_SNDBUF / wmem)
 * @push: leading bytes of @queued that cork and gathering must not hold back
 */
struct smcx_conn_queue {
	struct list_head	queue;
	struct list_head	flight;
	struct smcx_chunk	*append;
	u32			queued;
	u32			inflight;
	u32			acked;
	u32			limit;
	u32			push;
};

/**
 * struct smcx_conn_tx - send half, protected by conn->lock
 * @q: bytes
 * @msgs: messages (slots) under way
 * @data_msgs: those of them that carry data
 * @msg_len: data bytes of the messages under way, a ring: completions come in order
 * @msg_first: oldest entry of @msg_len
 * @prod: producer cursor: placed in the peer's element
 * @peer_cons: peer's consumer cursor, validated
 * @peer_size: size of the peer's element, 0 until known
 * @peer_token: the peer's alert token
 * @rkey: key of the peer's region
 * @raddr: address of the peer's element (region + element offset)
 * @rkey_slot: its slot in lgr->rkeys
 * @seq: last sequence number used
 * @sflags: state flags posted (sticky)
 * @fin: state flags to be posted once everything before them is
 * @corked: application corked (TCP_CORK)
 * @more: the last send said MSG_MORE
 * @cork_timer: the timer will flush what cork holds back
 * @nospace: somebody waits for space
 * @nomem: a send found no memory for its bytes: no space until a message is completed
 * @drain_wait: somebody waits until nothing is left
 * @update_due: a consumer cursor update must be sent
 * @urg_due: pending urgent data must be announced although no data can be posted
 * @urg_len: bytes of the queue up to and including the urgent byte, 0 = none
 * @urg_wait: urgent byte announced, nothing may follow until the peer's element is empty
 * @unheard: the application has sent to a peer that had closed
 */
struct smcx_conn_tx {
	struct smcx_conn_queue	q;
	unsigned int		msgs;
	unsigned int		data_msgs;
	u32			msg_len[SMCX_CONN_MSGS];
	unsigned int		msg_first;
	struct smcx_cursor	prod;
	struct smcx_cursor	peer_cons;
	u32			peer_size;
	u32			peer_token;
	u32			rkey;
	u64			raddr;
	int			rkey_slot;
	u16			seq;
	u8			sflags;
	u8			fin;
	bool			corked;
	bool			more;
	bool			cork_timer;
	bool			nospace;
	bool			nomem;
	bool			drain_wait;
	bool			update_due;
	bool			urg_due;
	u32			urg_len;
	bool			urg_wait;
	bool			unheard;
};

/**
 * struct smcx_conn_turn - the application's habits, protected by conn->lock; see "Turns" in the DOC
 * @expect: events of the last turn, 0 = it was not worth waiting for
 * @sure: how sure that is: up when a turn had as many, down when it had not or was waited for in vain
 * @events: events of this turn
 * @quick: they followed each other quickly
 * @held: bytes wait for the next event
 * @armed: @timer has a reference: it is queued, or its function has not got the lock yet
 * @start: time of the first event, ns
 * @timer: ends @held
 */
struct smcx_conn_turn {
	u8		expect;
	u8		sure;
	u8		events;
	bool		quick;
	bool		held;
	bool		armed;
	u64		start;
	struct hrtimer	timer;
};

/**
 * struct smcx_conn - one SMC connection
 * @m: membership in the link group (reference count, token); @m.link may be followed under @lock
 *	while @finished is not set, and by the owner until it closes
 * @lock: see DOC
 * @state: close state machine (proto/close.h), under @lock, read locklessly
 * @err: positive errno for SO_ERROR (ECONNRESET, ECONNABORTED ...), under @lock
 * @killed: the link group is gone: post nothing
 * @detached: socket has closed, the connection finishes alone
 * @abortive: close() found unread bytes, or wants a reset
 * @expired: the peer did not answer our close in time; if the timer fires again, the group ends
 * @finished: element and membership are given back, or being so
 * @events: SMCX_CEV_* to deliver when @lock is dropped (conn_priv.h)
 * @rx: receive half
 * @tx: send half
 * @turn: when to hold sends back
 * @ops: owner's upcalls, RCU, NULL when detached
 * @owner: for @ops
 * @timer: open: flushes what cork holds back; detached: gives up when the peer does not answer
 * @deadline: jiffies when the latter is due; put off while data still drains, and not just byte by byte
 * @taken: bytes the peer has taken since then
 * @dev: device of the link, referenced: where send chunks come from
 * @sn: namespace, for statistics; the group's end, which precedes its, is the last use
 * @setup: clock of the set-up's last part, under @lock; stands still from the peer's first byte on
 * @rcu: frees the struct
 */
struct smcx_conn {
	struct smcx_member	m;
	spinlock_t		lock;
	u8			state;
	int			err;
	bool			killed;
	bool			detached;
	bool			abortive;
	bool			expired;
	bool			finished;
	unsigned int		events;
	struct smcx_conn_rx	rx;
	struct smcx_conn_tx	tx;
	struct smcx_conn_turn	turn;
	const struct smcx_conn_ops __rcu *ops;
	void			*owner;
	struct delayed_work	timer;
	unsigned long		deadline;
	u32			taken;
	struct smcx_dev		*dev;
	struct smcx_net		*sn;
	struct smcx_setup	setup;
	struct rcu_head		rcu;
};

/** enum smcx_urg - urgent data of the receive half, protocol.rst 5.7 */
enum smcx_urg { SMCX_URG_NONE, SMCX_URG_VALID, SMCX_URG_NOTYET, SMCX_URG_READ };

/** smcx_conn_init() - layer start. Context: load. Return: 0 or errno. */
int smcx_conn_init(void);
/** smcx_conn_exit() - all groups ended; waits (bounded) until the last connection is freed. Context: unload. */
void smcx_conn_exit(void);

/* ---- set-up, used by hs ---- */

/**
 * smcx_conn_create() - element, token, membership
 * @lgr: group in which the caller has a seat; on success the seat is the connection's
 * @link: link
 * @rmb_size: wish for the receive element, bytes
 * @snd_limit: most bytes queued for sending
 * @w: as of smcx_rmbe_get(), so are -EAGAIN and -EINPROGRESS
 * Context: process. Return: connection in INIT with one reference (the caller's), or ERR_PTR (seat still the caller's).
 */
struct smcx_conn *smcx_conn_create(struct smcx_lgr *lgr, struct smcx_link *link,
				   u32 rmb_size, u32 snd_limit, struct smcx_lgr_waiter *w);

/**
 * smcx_conn_set_peer() - the peer's element, from Accept or Confirm
 * @c: connection
 * @token: peer's alert token
 * @rkey: its region's key
 * @addr: its region's address
 * @idx: 1-based RMBE index
 * @size: element size, bytes
 * Context: process. Return: 0, -ENOSPC (ERR_RTOK), -EPROTO (zero token or index).
 */
int smcx_conn_set_peer(struct smcx_conn *c, u32 token, u32 rkey, u64 addr, u8 idx, u32 size);

/** smcx_conn_activate() - INIT -> ACTIVE; data may flow. CDCs that came before count. @c: connection. @setup: clock, runs on until the first byte. Context: any. */
void smcx_conn_activate(struct smcx_conn *c, const struct smcx_setup *setup);

/**
 * smcx_conn_discard() - handshake failed: undo smcx_conn_create(), drops the caller's reference
 * @c: connection never activated
 * @quarantine: the peer may hold the key and write (it got our Accept/Confirm and did not decline)
 * Context: process.
 */
void smcx_conn_discard(struct smcx_conn *c, bool quarantine);

/* ---- use, by sock; the caller holds the socket lock ---- */

/** smcx_conn_attach() - install the upcalls; state changes before it are found by polling once. @c: connection. @ops: upcalls. @owner: for them. Context: process. */
void smcx_conn_attach(struct smcx_conn *c, const struct smcx_conn_ops *ops, void *owner);

/**
 * smcx_conn_send() - queue bytes for sending
 * @c: connection
 * @msg: iterator to copy from
 * @len: bytes wanted
 * @flags: MSG_MORE, MSG_OOB honoured
 *
 * Takes as much as there is room for, in one go, and starts transmission unless corked.
 * Context: process, may fault. Return: bytes taken (> 0), -EAGAIN (no room; nospace is set and
 * @writable will be called), -EPIPE (shut down or closed), -ECONNRESET / -c->err, -EFAULT, -ENOMEM.
 */
ssize_t smcx_conn_send(struct smcx_conn *c, struct msghdr *msg, size_t len, int flags);

/** smcx_conn_set_cork() - TCP_CORK; clearing flushes. @c: connection. @on: value. Context: any. */
void smcx_conn_set_cork(struct smcx_conn *c, bool on);
/** smcx_conn_flush() - TCP_NODELAY: transmit what is queued. @c: connection. Context: any. */
void smcx_conn_flush(struct smcx_conn *c);

/** smcx_conn_end_more() - nothing follows the bytes that were sent as MSG_MORE. @c: connection. Context: any. */
void smcx_conn_end_more(struct smcx_conn *c);

/** smcx_conn_habit() - how the application sends, for connections of the same kind; call before smcx_conn_close(). @c: connection. Context: process. Return: opaque, 0 = nothing known. */
u16 smcx_conn_habit(struct smcx_conn *c);
/** smcx_conn_set_habit() - start with it. @c: connection. @habit: from smcx_conn_habit(). Context: any. */
void smcx_conn_set_habit(struct smcx_conn *c, u16 habit);

/**
 * smcx_conn_recv() - copy bytes out
 * @c: connection
 * @msg: iterator; unused with MSG_TRUNC
 * @len: most bytes
 * @flags: MSG_PEEK (nothing consumed), MSG_TRUNC (discard)
 * @peek_off: with MSG_PEEK: bytes to skip
 *
 * Stops at the urgent mark as TCP does.
 * Context: process, may fault. Return: bytes (> 0), 0 at EOF, -EAGAIN when nothing is there,
 * -c->err once after an error, -EFAULT.
 */
ssize_t smcx_conn_recv(struct smcx_conn *c, struct msghdr *msg, size_t len, int flags, size_t peek_off);

/** smcx_conn_recv_urg() - MSG_OOB. @c: connection. @msg: iterator. @len: room. @flags: MSG_PEEK. Context: process. Return: 1, 0 at EOF, -EINVAL (also with SO_OOBINLINE), -EAGAIN. */
ssize_t smcx_conn_recv_urg(struct smcx_conn *c, struct msghdr *msg, size_t len, int flags);

/** smcx_conn_splice() - move bytes into a pipe as freshly allocated pages (element pages never leave us). @c: connection. @pipe: locked by the caller as splice_read has it. @len: most bytes. @flags: SPLICE_F_*. Context: process. Return: as smcx_conn_recv(), -EXFULL when the pipe has no room. */
ssize_t smcx_conn_splice(struct smcx_conn *c, struct pipe_inode_info *pipe, size_t len, unsigned int flags);

/** smcx_conn_avail() - readable bytes (without a non-inline urgent byte). @c: connection. Context: any. */
u32 smcx_conn_avail(const struct smcx_conn *c);
/** smcx_conn_outq() - bytes not yet known to be placed at the peer (SIOCOUTQ). @c: connection. Context: any. */
u32 smcx_conn_outq(const struct smcx_conn *c);
/** smcx_conn_outq_nsd() - bytes not yet posted (SIOCOUTQNSD). @c: connection. Context: any. */
u32 smcx_conn_outq_nsd(const struct smcx_conn *c);
/** smcx_conn_at_mark() - SIOCATMARK. @c: connection. @off: bytes from where reading stands, 0 = there. Context: any. */
bool smcx_conn_at_mark(const struct smcx_conn *c, size_t off);
/** smcx_conn_tell_room() - about to wait for more than is there, and taking nothing (MSG_PEEK): tell the peer of all room. @c: connection. Context: any. */
void smcx_conn_tell_room(struct smcx_conn *c);
/** smcx_conn_lowat() - bytes from which on it is readable. @c: connection. @rcvlowat: SO_RCVLOWAT. Context: any. */
u32 smcx_conn_lowat(const struct smcx_conn *c, int rcvlowat);
/** smcx_conn_space() - room for sending, bytes. @c: connection. Context: any. */
u32 smcx_conn_space(const struct smcx_conn *c);
/** smcx_conn_set_limit() - SO_SNDBUF changed. @c: connection. @bytes: new limit. Context: any. */
void smcx_conn_set_limit(struct smcx_conn *c, u32 bytes);

/** smcx_conn_poll() - poll mask as TCP would give; sets nospace when not writable. @c: connection. @rcvlowat: SO_RCVLOWAT. Context: any. */
__poll_t smcx_conn_poll(struct smcx_conn *c, int rcvlowat);

/**
 * smcx_conn_err() - hand over the pending error
 * @c: connection
 * @to: where it is told from now on, positive errno; untouched if there is none. Whoever sees the connection ended
 *	and then asks here finds the error here or there
 *
 * Context: any. Return: positive errno or 0.
 */
int smcx_conn_err(struct smcx_conn *c, int *to);

/** smcx_conn_rcv_closed() - EOF reached or will be after the readable bytes. @c: connection. Context: any. */
bool smcx_conn_rcv_closed(const struct smcx_conn *c);

/** smcx_conn_has_fin() - did the peer end its stream in order, and not abort? @c: connection. Context: any. */
bool smcx_conn_has_fin(const struct smcx_conn *c);
/** smcx_conn_snd_closed() - no more sending (own shutdown, error, peer gone). @c: connection. Context: any. */
bool smcx_conn_snd_closed(const struct smcx_conn *c);
/** smcx_conn_unheard() - the application sends although smcx_conn_snd_closed(): TCP would get a reset for it. @c: connection. Context: any. */
void smcx_conn_unheard(struct smcx_conn *c);
/** smcx_conn_is_over() - both ends have said that they write no more, or it is dead. @c: connection. Context: any. */
bool smcx_conn_is_over(const struct smcx_conn *c);
/** smcx_conn_drained() - everything sent was placed, close flags included; if not, @writable will be called when it is. @c: connection. Context: any. */
bool smcx_conn_drained(struct smcx_conn *c);

/** smcx_conn_shutdown() - shutdown(2); queued bytes go out first, then the flag. Never blocks. @c: connection. @how: RCV_SHUTDOWN | SEND_SHUTDOWN. Context: process. */
void smcx_conn_shutdown(struct smcx_conn *c, int how);

/**
 * smcx_conn_close() - the socket goes away: detach, finish in the background
 * @c: connection; the caller's reference is dropped
 * @abort: as TCP's RST: queued bytes are thrown away, the peer gets ECONNRESET (also chosen by itself when unread bytes are left)
 * Context: process.
 */
void smcx_conn_close(struct smcx_conn *c, bool abort);

/**
 * smcx_conn_reset() - the TCP connection was reset or timed out
 * @c: connection, activated
 * @err: positive errno the application gets
 *
 * The link still works: the peer is told, as it may wait for that, and its own abort may
 * be on the way and give the receive element back.
 * Context: any.
 */
void smcx_conn_reset(struct smcx_conn *c, int err);

#endif
