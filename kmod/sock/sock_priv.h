/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_SOCK_SOCK_PRIV_H
#define SMCX_SOCK_SOCK_PRIV_H

#include <linux/module.h>
#include <linux/smcx.h>

#include "../base/fallback.h"
#include "../base/netns.h"
#include "../compat/sockops.h"
#include "../proto/reason.h"
#include "sock.h"

/*
 * Files, bottom first; each calls only those above it:
 *
 *   tcp_glue   what we read and write in struct tcp_sock; TCP's own ops tables
 *   af_ops     copies of TCP's connection ops
 *   life       state object: references, attachment to the sk, dumps, work queue
 *   wake       wake-ups of the user, upcalls of the connection
 *   fallback   the only place where sock->ops change
 *   verdict    entering SMC mode, waiting for a verdict
 *   early_*    Proposal in the SYN
 *   client     connect
 *   child      children in handshake
 *   listen     hooks of a listener, TCP's accept queue
 *   close      release, shutdown, disconnect
 *   connect, accept, msg, poll, sockopt   operations
 *   family     ops tables, socket(), registration
 */

/* ---- tcp_glue.c ---- */

struct tcphdr;

/** enum smcx_tcp_verdict - what TCP's handshake said about SMC */
enum smcx_tcp_verdict {
	SMCX_TCP_BOTH_OFFERED,
	SMCX_TCP_PEER_DID_NOT,
	SMCX_TCP_CROSSED_SYN,
};

/** smcx_tcp_glue_init() - learn TCP's ops tables. Context: load. Return: 0 or errno. */
int smcx_tcp_glue_init(void);
/** smcx_tcp_ops() - TCP's own table for this socket. @sk: socket with our ops. Context: any. */
const struct proto_ops *smcx_tcp_ops(const struct sock *sk);
/** smcx_tcp_ops6() - TCP's table of IPv6 sockets or NULL. Context: after init. */
const struct proto_ops *smcx_tcp_ops6(void);
/** smcx_tcp_has_ipv6() - is there TCP over IPv6 on this host? Context: after init. */
bool smcx_tcp_has_ipv6(void);
/** smcx_tcp_data_ready() - TCP's sk_data_ready, for children whose listener has just closed. @sk: socket. Context: any. */
void smcx_tcp_data_ready(struct sock *sk);
/** smcx_tcp_state_change() - TCP's sk_state_change, likewise. @sk: socket. Context: any. */
void smcx_tcp_state_change(struct sock *sk);
/** smcx_tcp_why_not() - reason not to offer SMC on this connection, 0 = none. @sk: closed socket, locked. Context: process. */
u32 smcx_tcp_why_not(const struct sock *sk);
/** smcx_tcp_is_fastopen_listener() - did the application ask for Fast Open? @sk: socket. Context: any. */
bool smcx_tcp_is_fastopen_listener(const struct sock *sk);
/** smcx_tcp_offer() - put the option into our SYN or SYN-ACK. @sk: closed socket, locked. Context: process. */
void smcx_tcp_offer(struct sock *sk);
/** smcx_tcp_delay_ack() - a CLC message goes out in a moment, no ACK needs a packet of its own. @sk: socket, locked. Context: any. */
void smcx_tcp_delay_ack(struct sock *sk);
/** smcx_tcp_unoffer() - be plain TCP in later connections and as a listener. @sk: socket, locked. Context: any. */
void smcx_tcp_unoffer(struct sock *sk);
/** smcx_tcp_verdict() - outcome of the option exchange. @sk: just established, locked. Context: any. */
enum smcx_tcp_verdict smcx_tcp_verdict(const struct sock *sk);
/** smcx_tcp_rtt_ns() - round-trip time. @sk: socket. Context: any. Return: nanoseconds, 0 = not measured. */
u64 smcx_tcp_rtt_ns(const struct sock *sk);
/** smcx_tcp_set_congested() - ignore the option in SYNs while @fn says so. @sk: socket, locked. @fn: callback or NULL. Context: process. */
void smcx_tcp_set_congested(struct sock *sk, bool (*fn)(const struct sock *sk));
/** smcx_tcp_child_offers() - did client and listener both offer? @child: new child. Context: any. */
bool smcx_tcp_child_offers(const struct sock *child);
/** smcx_tcp_child_init() - take back what a child inherits from our listener. @child: new child, locked. @no_cookie: the application's TCP_FASTOPEN_NO_COOKIE. Context: any. */
void smcx_tcp_child_init(struct sock *child, bool no_cookie);
/** smcx_tcp_limit_hs() - the socket's SMC_LIMIT_HS, kept as the congestion callback. @sk: socket. @fn: callback that means "on". Context: any. */
bool smcx_tcp_limit_hs(const struct sock *sk, bool (*fn)(const struct sock *sk));
/** smcx_tcp_is_corked() - TCP_CORK. @sk: socket. Context: any. */
bool smcx_tcp_is_corked(const struct sock *sk);
/** smcx_tcp_send_now() - send in spite of TCP_CORK. @sk: socket, not locked. @msg: message. @len: bytes. Context: process. Return: bytes or errno. */
int smcx_tcp_send_now(struct sock *sk, struct msghdr *msg, size_t len);
/** smcx_tcp_is_nodelay() - TCP_NODELAY. @sk: socket. Context: any. */
bool smcx_tcp_is_nodelay(const struct sock *sk);
/** smcx_tcp_wants_inq() - TCP_INQ. @sk: socket. Context: any. */
bool smcx_tcp_wants_inq(const struct sock *sk);
/** smcx_tcp_defer_time() - TCP_DEFER_ACCEPT of a listener. @sk: listener. Context: any. Return: jiffies, 0 = off. */
unsigned long smcx_tcp_defer_time(const struct sock *sk);

/** smcx_tcp_may_syn_data() - may we send data in this socket's SYN? @sk: closed socket, locked. Context: any. */
bool smcx_tcp_may_syn_data(const struct sock *sk);
/** smcx_tcp_syn_data_set() - TCP shall send @msg in the SYN. @sk: socket in rebuild_header of connect. @msg: stays valid until smcx_tcp_syn_data_done(). @len: its length. @cookie: with a cookie of TCP's own, or ask for one. Context: process. */
bool smcx_tcp_syn_data_set(struct sock *sk, struct msghdr *msg, int len, bool cookie);
/** smcx_tcp_no_cookie() - the application's TCP_FASTOPEN_NO_COOKIE. @sk: socket. Context: any. */
bool smcx_tcp_no_cookie(const struct sock *sk);
/** smcx_tcp_syn_data_done() - connect has returned. @sk: socket, locked. @no_cookie: as it was. Context: process. Return: bytes that TCP took. */
int smcx_tcp_syn_data_done(struct sock *sk, bool no_cookie);
/** smcx_tcp_syn_data_left() - bytes not acknowledged, once the SYN is. @sk: socket, locked. Context: any. */
int smcx_tcp_syn_data_left(const struct sock *sk);
/** smcx_tcp_syn_was_lost() - was the SYN sent more than once? @sk: socket, locked. Context: any. */
bool smcx_tcp_syn_was_lost(const struct sock *sk);
/** smcx_tcp_syn_data_purge() - take back all unacknowledged data, as if it had never been written. @sk: just established, locked; no data has been sent but in the SYN. Context: any. */
void smcx_tcp_syn_data_purge(struct sock *sk);
/** smcx_tcp_fastopen_listen() - TCP shall ask our guard about SYNs with data. @sk: socket, locked. Context: any. Return: the application's TCP_FASTOPEN_NO_COOKIE. */
bool smcx_tcp_fastopen_listen(struct sock *sk);
/** smcx_tcp_fastopen_unlisten() - undo. @sk: listener, locked. @no_cookie: from smcx_tcp_fastopen_listen(). Context: any. */
void smcx_tcp_fastopen_unlisten(struct sock *sk, bool no_cookie);
/** smcx_tcp_has_option() - is the SMC option in this header? @th: whole header. Context: any. */
bool smcx_tcp_has_option(const struct tcphdr *th);
/** smcx_tcp_came_with_data() - did the guard let the data of its SYN in? @child: child. Context: any. */
bool smcx_tcp_came_with_data(const struct sock *child);
/** smcx_tcp_is_syn_recv() - a child whose client has not confirmed the SYN-ACK. @sk: child. Context: any. */
bool smcx_tcp_is_syn_recv(const struct sock *sk);

/* ---- af_ops.c ---- */

struct inet_connection_sock_af_ops;
struct request_sock;
typedef void smcx_af_ops_patch(struct inet_connection_sock_af_ops *ops);

/** smcx_af_ops_orig() - TCP's table behind @ops, which may be TCP's own already. @ops: table. Context: any. */
const struct inet_connection_sock_af_ops *
smcx_af_ops_orig(const struct inet_connection_sock_af_ops *ops);
/** smcx_af_ops_copy() - a patched copy, one for all sockets. @ops: table of a socket. @patch: puts functions in. Context: process. Return: copy, NULL if there is no room. */
const struct inet_connection_sock_af_ops *
smcx_af_ops_copy(const struct inet_connection_sock_af_ops *ops, smcx_af_ops_patch *patch);
/** smcx_af_ops_restore() - give the socket TCP's table back, if ours is in place. @sk: socket, locked. Context: any. */
void smcx_af_ops_restore(struct sock *sk);

/* ---- life.c ---- */

extern struct workqueue_struct *smcx_sock_wq;
extern struct socket *smcx_sock_dummy;

/** smcx_life_init() - work queue, dummy socket. Context: load. Return: 0 or errno. */
int smcx_life_init(void);
/** smcx_life_exit() - waits until no code of ours runs. Context: unload. */
void smcx_life_exit(void);

/** smcx_sock_alloc() - new state, not attached. @sk: TCP socket. @role: role. @mode: first mode. Context: process. Return: state with one reference, or NULL. */
struct smcx_sock *smcx_sock_alloc(struct sock *sk, enum smcx_role role, enum smcx_mode mode);
/** smcx_sock_hold() - take another reference. @ss: state. Context: any. */
void smcx_sock_hold(struct smcx_sock *ss);
/** smcx_sock_put() - drop a reference. @ss: state. Context: any. */
void smcx_sock_put(struct smcx_sock *ss);
/** smcx_sock_of() - state of a TCP socket. @sk: socket. Context: RCU. Return: state or NULL. */
struct smcx_sock *smcx_sock_of(const struct sock *sk);
/** smcx_sock_get() - the same with a reference. @sk: socket. Context: any. */
struct smcx_sock *smcx_sock_get(const struct sock *sk);
/** smcx_sock_queue() - run work that holds a reference. @ss: state. @work: in it; puts the reference when done. @delay: jiffies. Context: any. */
void smcx_sock_queue(struct smcx_sock *ss, struct delayed_work *work, unsigned long delay);

/**
 * smcx_sock_attach() - put the state on the sk
 * @ss: state
 * @sock: the user's socket or NULL
 * @hooks: callbacks
 * @own_wq: TCP shall not wake the user by itself; for children, which no thread has sent anything on yet
 *
 * Takes a reference for the attachment. Nobody may ever sleep inside TCP on this sk if @own_wq: the queue goes with the state.
 * Context: process, sk locked.
 */
void smcx_sock_attach(struct smcx_sock *ss, struct socket *sock,
		      const struct smcx_sock_hooks *hooks, bool own_wq);
/** smcx_sock_detach() - give the sk back to TCP; idempotent. @ss: state, referenced or RCU. Context: any, sk locked. */
void smcx_sock_detach(struct smcx_sock *ss);
/** smcx_sock_list() - show in dumps. @ss: state. Context: any. */
void smcx_sock_list(struct smcx_sock *ss);

/**
 * smcx_op_enter() - begin an operation
 * @sk: TCP socket
 * @ss: its state, referenced, or NULL
 *
 * Pins the module until smcx_op_leave(), see "Sockets - locking and lifetimes".
 * Context: any. Return: 0, -EAGAIN (the module is being unloaded).
 */
int smcx_op_enter(const struct sock *sk, struct smcx_sock **ss);
/**
 * smcx_op_relook() - look for state again, now that the sk is locked
 * @sk: TCP socket, locked
 * @ss: from smcx_op_enter(), updated: state that was detached is dropped, new state found
 *
 * An operation that found no state must not go to sleep inside TCP if another thread has begun to
 * connect meanwhile: it would sleep on a queue that changes, or read the peer's CLC messages.
 * Context: process.
 */
void smcx_op_relook(const struct sock *sk, struct smcx_sock **ss);
/** smcx_op_adopt() - the operation made state itself. @ss: NULL, updated. @started: reference passed. Context: process. */
void smcx_op_adopt(struct smcx_sock **ss, struct smcx_sock *started);
/** smcx_op_leave() - end an operation. @ss: from smcx_op_enter(). Context: any. */
void smcx_op_leave(struct smcx_sock *ss);

/** smcx_sock_mode() - current mode. @ss: state. Context: any. */
static inline enum smcx_mode smcx_sock_mode(const struct smcx_sock *ss)
{
	return smp_load_acquire(&ss->mode);
}

/** smcx_sock_is_smc() - data travels by SMC? @ss: state or NULL. Context: any. */
static inline bool smcx_sock_is_smc(const struct smcx_sock *ss)
{
	return ss && smcx_sock_mode(ss) == SMCX_MODE_SMC;
}

/** smcx_sock_is_pending() - attached, and neither SMC nor TCP nor listener yet? @ss: state. Context: any. */
static inline bool smcx_sock_is_pending(const struct smcx_sock *ss)
{
	enum smcx_mode mode = smcx_sock_mode(ss);

	return READ_ONCE(ss->attached) &&
		(mode == SMCX_MODE_CONNECTING || mode == SMCX_MODE_HANDSHAKE ||
		 mode == SMCX_MODE_DEAD);
}

/** smcx_sock_conn() - the connection. @ss: state, sk locked. Context: process. */
static inline struct smcx_conn *smcx_sock_conn(const struct smcx_sock *ss)
{
	return rcu_dereference_protected(ss->conn, lockdep_sock_is_held(ss->sk));
}

/* ---- wake.c ---- */

extern const struct smcx_conn_ops smcx_sock_conn_ops;

/** smcx_take_error() - the connection's error becomes the sk's, from which the core answers SO_ERROR. @ss: state. @conn: its connection. Context: any. Return: the error, 0 = none. */
int smcx_take_error(struct smcx_sock *ss, struct smcx_conn *conn);
/** smcx_wake() - wake the user. @ss: state. @mask: events, 0 = everybody. @how: SOCK_WAKE_* for SIGIO. @band: POLL_*. Context: any. */
void smcx_wake(struct smcx_sock *ss, __poll_t mask, int how, int band);
/** smcx_sock_error_report() - sk_error_report in SMC mode and while connecting. @sk: socket. Context: any. */
void smcx_sock_error_report(struct sock *sk);

/* ---- fallback.c ---- */

/** smcx_own_module_ref() - from here on R belongs to the socket, not to the sk. @sk: TCP socket. Context: any. */
void smcx_own_module_ref(struct sock *sk);
/** smcx_fallback_is_ours() - do our ops still stand? @sock: socket, sk locked. Context: any. */
bool smcx_fallback_is_ours(const struct socket *sock);
/** smcx_fallback() - a connection goes on as TCP. @ss: state, referenced or RCU; detached on return. @reason: own. @peer_reason: peer's. Context: any, sk locked. */
void smcx_fallback(struct smcx_sock *ss, u32 reason, u32 peer_reason);
/** smcx_fallback_idle() - an unconnected socket becomes a TCP socket; record the reason once its peer is known. @sock: socket, sk locked. Context: process. */
void smcx_fallback_idle(struct socket *sock);
/** smcx_fallback_record() - why a connection is TCP that never had state. @sk: TCP socket with its addresses. @reason: why. @is_server: passive side. Context: process. */
void smcx_fallback_record(struct sock *sk, u32 reason, bool is_server);
/** smcx_fallback_accepted() - accept() took a plain child. @newsock: its socket, grafted. Context: process. */
void smcx_fallback_accepted(struct socket *newsock);

/* ---- verdict.c ---- */

/** smcx_enter_smc() - the handshake gave a connection. @ss: state. @conn: reference passed. Context: process, sk locked. */
void smcx_enter_smc(struct smcx_sock *ss, struct smcx_conn *conn);
/** smcx_smc_state_change() - sk_state_change in SMC mode. @ss: state. Context: any, sk locked. */
void smcx_smc_state_change(struct smcx_sock *ss);
/** smcx_wait_verdict() - sleep while a verdict is pending. @ss: state. @sock: socket. @timeo: jiffies. Context: process, sk locked (released meanwhile). Return: what is left of @timeo. */
long smcx_wait_verdict(struct smcx_sock *ss, struct socket *sock, long timeo);
/** smcx_settle() - wait until no verdict is pending. @sock: socket. @ss: as of smcx_op_relook(). @timeo: jiffies. Context: process, sk locked (released meanwhile). Return: 0, -EAGAIN, interrupted. */
int smcx_settle(struct socket *sock, struct smcx_sock **ss, long timeo);
/** smcx_wait_event() - sleep for one wake-up of the user's queue. @sock: socket. @timeo: jiffies. @cond: checked before sleeping, true = do not. @ss, @n: for @cond. Context: process, sk locked (released meanwhile). Return: what is left of @timeo. */
long smcx_wait_event(struct socket *sock, long timeo, bool (*cond)(struct smcx_sock *ss, size_t n),
		     struct smcx_sock *ss, size_t n);

/* ---- early_client.c ---- */

/** enum smcx_early_next - how a handshake goes on when TCP is up */
enum smcx_early_next {
	SMCX_EARLY_CLASSIC,	/* nothing was sent: as if there were no extension */
	SMCX_EARLY_PROPOSED,	/* the Proposal is with the server, ss->hs waits for the Accept */
	SMCX_EARLY_WAIT,	/* connecting anew */
};

/**
 * struct smcx_early_ops - what client.c hands down
 * @hs: verdict of the handshake that made the Proposal
 * @failed: the attempt is over, TCP's error is the answer; any context, sk locked
 */
struct smcx_early_ops {
	const struct smcx_hs_ops *hs;
	void (*failed)(struct smcx_sock *ss);
};

/** smcx_early_arm() - about to connect: prepare a Proposal in the SYN if the server is known. @ss: attached client. @addr: peer. @len: its length. @ops: upcalls. Context: process, sk locked. */
void smcx_early_arm(struct smcx_sock *ss, const struct sockaddr *addr, int len,
		    const struct smcx_early_ops *ops);
/** smcx_early_launched() - TCP's connect has returned. @ss: client. @rc: what it returned. Context: process, sk locked. */
void smcx_early_launched(struct smcx_sock *ss, int rc);
/** smcx_early_established() - TCP is up. @ss: client. Context: any, sk locked. */
enum smcx_early_next smcx_early_established(struct smcx_sock *ss);
/** smcx_early_abandon() - the attempt is over; idempotent. @ss: client. Context: any, sk locked. */
void smcx_early_abandon(struct smcx_sock *ss);
/** smcx_early_was_taken() - did a server that offers SMC take the SYN's Proposal? @ss: client. Context: any, sk locked. */
bool smcx_early_was_taken(const struct smcx_sock *ss);
/** smcx_early_failed() - the handshake ended in an error: do not trust the server's token. @ss: client. Context: any, sk locked. */
void smcx_early_failed(struct smcx_sock *ss);

/* ---- early_server.c ---- */

/** smcx_early_guard() - shall a child be made from this SYN's data? @ss: listener, RCU. @skb: SYN. @req: its request. Context: softirq. */
bool smcx_early_guard(struct smcx_sock *ss, const struct sk_buff *skb, const struct request_sock *req);
/** smcx_early_listen() - a listener takes Proposals in SYNs. @ss: listener about to listen. Context: process, sk locked. */
void smcx_early_listen(struct smcx_sock *ss);
/** smcx_early_unlisten() - undo. @ss: listener. Context: process, sk locked. */
void smcx_early_unlisten(struct smcx_sock *ss);

/* ---- early_filter.c ---- */

/** smcx_filter_add_port() - a socket listens. @ss: listener. Context: process, sk locked. */
void smcx_filter_add_port(struct smcx_sock *ss);
/** smcx_filter_del_port() - it does not any more; idempotent. @ss: listener. Context: process. */
void smcx_filter_del_port(struct smcx_sock *ss);

/* ---- client.c ---- */

/**
 * smcx_client_start() - begin connecting
 * @sock: unconnected socket, sk locked
 * @addr: peer
 * @len: its length
 * @flags: of the file
 * @ssp: state, referenced, or NULL: TCP's business
 * @reason: NULL state: why the socket shall become TCP first, 0 = no reason, just ask TCP
 *
 * Context: process.
 * Return: -EINPROGRESS, or what TCP refused with; 0 without state.
 */
int smcx_client_start(struct socket *sock, struct sockaddr *addr, int len, int flags,
		      struct smcx_sock **ssp, u32 *reason);

/* ---- child.c ---- */

/** smcx_child_take() - care for a child from TCP's accept queue. @lss: listener. @child: its reference is passed. Context: process. */
void smcx_child_take(struct smcx_sock *lss, struct sock *child);
/** smcx_child_pop() - oldest child that is ready, its list reference is passed. @lss: listener. Context: process. Return: child or NULL. */
struct smcx_sock *smcx_child_pop(struct smcx_sock *lss);
/** smcx_child_close_all() - nobody accepts any more. @lss: listener. Context: process, no locks. */
void smcx_child_close_all(struct smcx_sock *lss);
/** smcx_child_graft() - give a child its socket. @cs: popped child, references dropped as needed. @newsock: socket. Context: process. */
void smcx_child_graft(struct smcx_sock *cs, struct socket *newsock);

/* ---- listen.c ---- */

/** smcx_listen_start() - hook a socket that is about to listen. @sock: socket. @out: state, referenced, if 0. Context: process. Return: 0, 1 = leave it to TCP, or errno. */
int smcx_listen_start(struct socket *sock, struct smcx_sock **out);
/** smcx_listen_started() - it listens. @ss: from smcx_listen_start(). Context: process. Return: false if shutdown() of another thread came between: to be stopped. */
bool smcx_listen_started(struct smcx_sock *ss);
/** smcx_listen_set_backlog() - listen() again. @ss: listener. @backlog: its argument. Context: process. Return: false if it does not listen. */
bool smcx_listen_set_backlog(struct smcx_sock *ss, int backlog);
/** smcx_listen_pull() - next child of TCP's accept queue. @ss: listener. @err: errno if there is none. Context: process. */
struct sock *smcx_listen_pull(struct smcx_sock *ss, int *err);
/** smcx_listen_stop() - TCP leaves LISTEN; unhook, wake who waits, close all children. @ss: listener. Context: process, no locks. Return: false if another thread had stopped it. */
bool smcx_listen_stop(struct smcx_sock *ss);
/** smcx_listen_reap() - end what TCP has ended (SOCK_DESTROY), now. @ss: state, referenced, or NULL. Context: process, no locks. Return: true if it was such a listener. */
bool smcx_listen_reap(struct smcx_sock *ss);
/** smcx_tcp_congested_limit() - congestion callback with SMC_LIMIT_HS. @sk: listener. Context: RCU. */
bool smcx_tcp_congested_limit(const struct sock *sk);
/** smcx_listen_set_limit() - SMC_LIMIT_HS. @sk: socket with our ops, locked. @on: value. Context: process. */
void smcx_listen_set_limit(struct sock *sk, bool on);
/** smcx_listen_has_plain() - TCP's accept queue has children and none of them is for us. @ss: listener. Context: any. */
bool smcx_listen_has_plain(const struct smcx_sock *ss);

/* ---- operations, see struct proto_ops ---- */

int smcx_op_release(struct socket *sock);
int smcx_op_bind(struct socket *sock, struct sockaddr *addr, int len);
int smcx_op_connect(struct socket *sock, struct sockaddr *addr, int len, int flags);
int smcx_op_listen(struct socket *sock, int backlog);
int smcx_accept(struct socket *sock, struct socket *newsock, int flags, bool kern, int *empty);
int smcx_op_getname(struct socket *sock, struct sockaddr *addr, int peer);
__poll_t smcx_op_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait);
int smcx_op_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int smcx_op_shutdown(struct socket *sock, int how);
int smcx_op_setsockopt(struct socket *sock, int level, int name, sockptr_t val, unsigned int len);
int smcx_op_getsockopt(struct socket *sock, int level, int name, char __user *val, int __user *len);
int smcx_op_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int smcx_op_sendmsg_locked(struct sock *sk, struct msghdr *msg, size_t len);
int smcx_op_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
void smcx_op_splice_eof(struct socket *sock);
ssize_t smcx_op_splice_read(struct socket *sock, loff_t *ppos, struct pipe_inode_info *pipe,
			    size_t len, unsigned int flags);
int smcx_op_mmap(struct file *file, struct socket *sock, struct vm_area_struct *vma);
int smcx_op_set_rcvlowat(struct sock *sk, int val);
/** smcx_disconnect() - connect(AF_UNSPEC). @sock: socket. @ss: its state or NULL, updated. @addr: AF_UNSPEC. @len: its length. @flags: of the file. Context: process. */
int smcx_disconnect(struct socket *sock, struct smcx_sock **ss, struct sockaddr *addr, int len, int flags);

#endif
