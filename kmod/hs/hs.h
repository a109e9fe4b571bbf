/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_HS_HS_H
#define SMCX_HS_HS_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "../base/peer.h"
#include "../conn/conn.h"
#include "../llc/llc.h"
#include "../proto/clc.h"
#include "../proto/negotiate.h"

/**
 * DOC: Handshake
 *
 * One &struct smcx_hs carries one TCP connection from ESTABLISHED (both SYNs had the
 * SMC option) to its verdict: SMC, TCP, or failed. It is an event-driven state
 * machine: events (bytes on TCP, link group decided, time-out, cancel) only
 * queue the step work; a step never waits for the network, so 10,000 half-open
 * handshakes hold no thread. The registration of a region may have to (see smcx_rmbe_get()): one thread for each group.
 * A server's first step runs in whoever has taken the child from
 * TCP, because the Proposal mostly is there already; making a group, which sleeps and would
 * delay the children behind this one, is left to the work.
 *
 *   client:  PROPOSE -> WAIT_ACCEPT -> [WAIT_RMB] -> [WAIT_RKEY] -> [first contact: WAIT_LINK] -> done
 *   server:  WAIT_PROPOSAL -> [WAIT_LGR] -> [WAIT_RMB] -> [WAIT_RKEY] -> WAIT_CONFIRM -> [first contact: WAIT_LINK] -> done
 *   either:  -> WAIT_DECLINE (the link did not come up: does the peer say why?) -> done
 *
 * The commit point: client, when the Confirm has been sent on a known link group, or
 * when the first contact's link is up; server, when the Confirm has been processed,
 * or the first contact's link is up. Before it a positive reason means fallback, after it never.
 *
 * TCP is read with MSG_PEEK first and then exactly by message length: what follows a
 * Decline is application data and stays in the socket.
 */

struct smcx_hs;

/**
 * struct smcx_hs_result - the verdict
 * @conn: SMC connection, ACTIVE, reference passed to the receiver; NULL = not SMC
 * @err: 0, or negative errno: the connection failed and must not be used as TCP
 * @reason: @conn NULL and @err 0: go on as TCP, for this reason
 * @peer_reason: diagnosis of the peer's Decline, 0 = none
 */
struct smcx_hs_result {
	struct smcx_conn	*conn;
	int			err;
	u32			reason;
	u32			peer_reason;
};

/**
 * struct smcx_hs_ops - hs -> sock
 * @done: called exactly once unless cancelled before; process context (worker), no locks held. hs does
 *	not touch the TCP socket afterwards. May call smcx_hs_put(), not smcx_hs_cancel().
 * @send: TCP's sendmsg() for a message of ours, which nothing that the application asked for its own bytes holds back;
 *	process context, @sk not locked. Return: bytes taken, or negative errno.
 */
struct smcx_hs_ops {
	void (*done)(void *owner, const struct smcx_hs_result *res);
	int (*send)(struct sock *sk, struct msghdr *msg, size_t len);
};

/** smcx_hs_init() - layer start. Context: load. Return: 0 or errno. */
int smcx_hs_init(void);
/** smcx_hs_exit() - no handshake exists any more. Context: unload. */
void smcx_hs_exit(void);

/**
 * smcx_hs_create() - prepare a handshake
 * @sk: TCP socket; the caller guarantees that it lives (and sk->sk_socket is set, for sending) until @done or cancel
 * @role: SMCX_CLIENT or SMCX_SERVER
 * @ops: verdict
 * @owner: for @ops
 * @gfp: allocation flags (callable in softirq)
 * Return: handshake with one reference, or NULL.
 */
struct smcx_hs *smcx_hs_create(struct sock *sk, enum smcx_role role,
			       const struct smcx_hs_ops *ops, void *owner, gfp_t gfp);

/** smcx_hs_start() - TCP is ESTABLISHED and both sides offered SMC: go. @hs: handshake. Context: any. */
void smcx_hs_start(struct smcx_hs *hs);

/**
 * smcx_hs_propose_syn() - client: build the Proposal that travels in the SYN
 * @hs: just created, not started
 * @invite: what the server said last time
 * @buf: result
 * @cap: bytes in @buf
 *
 * Route and addresses of the socket are known, TCP has not sent anything yet.
 * Context: process, socket locked. Return: length, or negative errno: connect without.
 */
int smcx_hs_propose_syn(struct smcx_hs *hs, const struct smcx_invite *invite, u8 *buf, size_t cap);

/** smcx_hs_start_proposed() - client: the SYN's Proposal was taken by a server that offers SMC: wait for the Accept. @hs: handshake. Context: any. */
void smcx_hs_start_proposed(struct smcx_hs *hs);

/** smcx_hs_abandon() - a handshake that never started is not needed. @hs: handshake, the caller's reference is taken. Context: any. */
void smcx_hs_abandon(struct smcx_hs *hs);

/** smcx_hs_peer_key() - the server as base/peer knows it. @sk: client's TCP socket with addresses. @key: result. Context: any. */
void smcx_hs_peer_key(const struct sock *sk, struct smcx_peer_key *key);

/** smcx_hs_prepare() - smcx_hs_start() in two parts, so that no work is needed; takes a reference for smcx_hs_run_first(), which must follow. @hs: handshake. Context: any. */
void smcx_hs_prepare(struct smcx_hs *hs);

/** smcx_hs_prepare_syn() - the same for a server whose Proposal came in the SYN; the child may be in SYN_RECV. @hs: handshake. Context: any. */
void smcx_hs_prepare_syn(struct smcx_hs *hs);

/** smcx_hs_run_first() - run what steps need not wait. @hs: prepared handshake; drops the reference, @done may be called. Context: process, socket not locked. */
void smcx_hs_run_first(struct smcx_hs *hs);

/** smcx_hs_note_syn() - how long TCP took; right after the start. @hs: handshake. @ns: nanoseconds, 0 = not known. Context: any. */
void smcx_hs_note_syn(struct smcx_hs *hs, u64 ns);

/** smcx_hs_kick() - something happened on the TCP socket (data, FIN, RST). @hs: handshake. Context: any. */
void smcx_hs_kick(struct smcx_hs *hs);

/**
 * smcx_hs_cancel() - the socket is going away
 * @hs: handshake
 *
 * On return no step runs or will run; if @done had not been called it will not be, and
 * everything the handshake held is given back. The TCP socket lock must not be held.
 * Context: process, may sleep. Return: true if @done was prevented.
 */
bool smcx_hs_cancel(struct smcx_hs *hs);

/** smcx_hs_put() - drop a reference. @hs: handshake or NULL. Context: any. */
void smcx_hs_put(struct smcx_hs *hs);

/** smcx_hs_congested() - is the handshake work overloaded? For limit_smc_hs. Context: any. */
bool smcx_hs_congested(void);

#endif
