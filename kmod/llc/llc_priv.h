/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_LLC_LLC_PRIV_H
#define SMCX_LLC_LLC_PRIV_H

#include "../proto/llc.h"
#include "../proto/llcflow.h"
#include "llc.h"

/**
 * DOC: Deferred work of link control
 *
 * Works of a group's &struct smcx_llc_state hold no reference: the state is freed with the
 * group, after smcx_llc_lgr_exit() has set @stopped under @lock, so that nothing is queued any
 * more, and has cancelled them all synchronously.
 *
 * =============  ===================================================  =====================
 * work           queued by                                            runs
 * =============  ===================================================  =====================
 * confirm_timer  smcx_llc_confirm_link(), smcx_llc_expect_confirm();  2 s, 4 s later
 *                cancelled by the message it waits for
 * confirm_work   client: CONFIRM_LINK has come and is expected        at once
 * ask_timer      CONFIRM_RKEY sent                                    2 s later
 * test_work      link_up, then itself until the group ends            when silence is due
 * =============  ===================================================  =====================
 *
 * The hook of a posted message refers to the state, too; it is called by
 * smcx_qp_stop() at the latest, which comes before the state is freed.
 *
 * Calls inside of the folder go down only:
 * llc_init -> { llc_rx -> { bye, confirm, rkey -> ask }, keepalive } -> llc_tx.
 *
 * llc->lock is taken before qp->lock, never together with lgr->lock.
 */

#define SMCX_LLC_WAIT		(2 * HZ)	/* protocol.rst 4.11 */
#define SMCX_LLC_OUT_MAX	16	/* messages waiting for a slot; a peer that asks for more gets no answer */

/**
 * struct smcx_llc_out - a message waiting for a send slot
 * @msg: its bytes
 * @bye: the last one, somebody waits for its completion
 */
struct smcx_llc_out {
	u8	msg[SMCX_LLC_LEN];
	bool	bye;
};

/**
 * struct smcx_llc_link - what LLC keeps for one link
 * @link: the link
 * @out: messages waiting for a slot, a ring
 * @first: oldest one
 * @n: their number
 * @test_work: keep-alive
 * @tests: TEST_LINKs sent since the last message from the peer
 * @test_sent: jiffies of the last one
 *
 * @out, @first, @n under llc->lock; the test fields belong to @test_work.
 */
struct smcx_llc_link {
	struct smcx_link	*link;
	struct smcx_llc_out	out[SMCX_LLC_OUT_MAX];
	unsigned int		first;
	unsigned int		n;
	struct delayed_work	test_work;
	unsigned int		tests;
	unsigned long		test_sent;
};

/**
 * struct smcx_llc_state - what LLC keeps for one group
 * @lgr: the group, owner of this
 * @lock: protects all that may change; bottom halves off
 * @stopped: the group is over: nothing is queued or started
 * @flow: exchange of ours that waits for an answer
 * @confirmed: link 0 is confirmed
 * @links: by link index
 * @confirm_timer: see DOC
 * @confirm_work: see DOC
 * @expected: client: our Confirm is on its way, CONFIRM_LINK may be carried out
 * @have_req: client: CONFIRM_LINK is in @req
 * @req: the peer's CONFIRM_LINK request
 * @req_flags: its flags
 * @flow_done: the answer for @flow has come (DELETE_RKEY)
 * @test_interval: jiffies of silence before a link is tested, 0 = never
 * @asks: who waits for the turn to have a key confirmed
 * @asked: whose key is being confirmed, NULL if its owner has gone
 * @asked_rkey: the key
 * @ask_due: when the answer is due, jiffies; @ask_timer does nothing before
 * @ask_timer: see DOC
 * @peer_leaves: the peer has said DELETE_LINK all
 * @has_bye: @bye is said instead of DELETE_LINK all
 * @bye: an answer that must leave before the group ends
 * @bye_done: the last message has left, or will not
 */
struct smcx_llc_state {
	struct smcx_lgr			*lgr;
	spinlock_t			lock;
	bool				stopped;
	enum smcx_llc_flow		flow;
	bool				confirmed;
	struct smcx_llc_link		links[SMCX_LGR_LINKS];

	struct delayed_work		confirm_timer;
	struct work_struct		confirm_work;
	bool				expected;
	bool				have_req;
	struct smcx_llc_confirm_link	req;
	u8				req_flags;

	struct completion		flow_done;
	unsigned long			test_interval;

	struct list_head		asks;
	struct smcx_llc_ask		*asked;
	u32				asked_rkey;
	unsigned long			ask_due;
	struct delayed_work		ask_timer;

	bool				peer_leaves;
	bool				has_bye;
	u8				bye[SMCX_LLC_LEN];
	struct completion		bye_done;
};

/* ---- llc_tx.c ---- */

/**
 * smcx_llc_send() - send a message, or queue it until a slot is free
 * @link: link
 * @msg: message that fits into 44 bytes
 * Context: any. Return: 0, -ENOTCONN (link not in RTS, or group over), -ENOBUFS (queue full), or -EINVAL.
 */
int smcx_llc_send(struct smcx_link *link, const struct smcx_llc_msg *msg);

/**
 * smcx_llc_send_bye() - send the last message; llc->bye_done is completed when it has left
 * @link: link
 * @buf: 44 bytes
 * Context: process. Return: as smcx_llc_send().
 */
int smcx_llc_send_bye(struct smcx_link *link, const u8 *buf);

/** smcx_llc_slot_free() - handler: send what is queued. @link: link. Context: bottom halves off. */
void smcx_llc_slot_free(struct smcx_link *link);

/* ---- confirm.c ---- */

/** smcx_llc_confirm_init() - set up works and state. @llc: new state. Context: process. */
void smcx_llc_confirm_init(struct smcx_llc_state *llc);
/** smcx_llc_confirm_rx() - CONFIRM_LINK that belongs to the flow. @link: link. @msg: message. Context: softirq. */
void smcx_llc_confirm_rx(struct smcx_link *link, const struct smcx_llc_msg *msg);

/* ---- rkey.c ---- */

/** smcx_llc_confirm_rkey_rx() - learn a key, answer. @link: link. @msg: request; becomes the answer. Context: softirq. */
void smcx_llc_confirm_rkey_rx(struct smcx_link *link, struct smcx_llc_msg *msg);

/** smcx_llc_delete_rkey_rx() - forget keys, answer. @link: link. @msg: request; becomes the answer. Context: softirq. */
void smcx_llc_delete_rkey_rx(struct smcx_link *link, struct smcx_llc_msg *msg);

/* ---- ask.c ---- */

/** smcx_llc_ask_init() - set up. @llc: new state. Context: process. */
void smcx_llc_ask_init(struct smcx_llc_state *llc);
/** smcx_llc_ask_exit() - tell all who wait that the group is over. @llc: stopped state. Context: process. */
void smcx_llc_ask_exit(struct smcx_llc_state *llc);
/** smcx_llc_ask_go() - the flow may have become free. @llc: state. Context: any. */
void smcx_llc_ask_go(struct smcx_llc_state *llc);
/** smcx_llc_ask_response() - the awaited answer has come. @llc: state. @msg: response. Context: softirq. */
void smcx_llc_ask_response(struct smcx_llc_state *llc, const struct smcx_llc_msg *msg);

/* ---- bye.c ---- */

/** smcx_llc_delete_link_rx() - DELETE_LINK request. @link: link. @msg: request; may become the answer. Context: softirq. */
void smcx_llc_delete_link_rx(struct smcx_link *link, struct smcx_llc_msg *msg);
/** smcx_llc_goodbye() - handler. @lgr: DYING group. @reason: DELETE_LINK reason. Context: process. */
void smcx_llc_goodbye(struct smcx_lgr *lgr, u32 reason);

/* ---- keepalive.c ---- */

/** smcx_llc_test_init() - set up keep-alive of all links. @llc: new state. Context: process. */
void smcx_llc_test_init(struct smcx_llc_state *llc);
/** smcx_llc_link_up() - handler: start keep-alive. @link: link. Context: any. */
void smcx_llc_link_up(struct smcx_link *link);

/* ---- llc_rx.c ---- */

/** smcx_llc_rx() - handler: a message has come. @link: link. @buf: its first bytes. @len: its length. Context: softirq. */
void smcx_llc_rx(struct smcx_link *link, const u8 *buf, u32 len);

#endif
