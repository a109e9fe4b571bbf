/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_LLC_LLC_H
#define SMCX_LLC_LLC_H

#include "../link/link.h"

/**
 * DOC: Link control
 *
 * LLC messages travel by RDMA SEND on the link they concern (protocol.rst ch. 4).
 * The receive handler runs in softirq: it decodes, answers at once what needs
 * no sleep (TEST_LINK, CONFIRM_RKEY, DELETE_RKEY, REQ_ADD_LINK and ADD_LINK
 * rejections, responses) and leaves the rest (CONFIRM_LINK, DELETE_LINK) to the
 * group's workers. Answers that find no send slot wait in a bounded queue; a storm of
 * unsolicited messages costs the sender its answers, never our memory. Every wait has a limit.
 *
 * Flows of a group with one link:
 *  server first contact: smcx_llc_confirm_link() -> CONFIRM_LINK request, response within 2 s -> ACTIVE
 *   (and, to a Linux client without v2.1, an ADD_LINK that it rejects: it would wait for one)
 *  client first contact: request -> QP to RTS, regions registered, response -> ACTIVE
 *  keep-alive: TEST_LINK after net.smc.smcr_testlink_time s of silence, again after 2 s and 4 s; nothing
 *   received within 6 s: the link is down
 *  end: DELETE_LINK "all"
 * Since the group never gets a second link (ADD_LINK is refused), CLC messages alone carry the
 * keys and no CONFIRM_RKEY is sent (protocol.rst 3.11), unless net.smc.rkey_skip is 0; the peer's are answered.
 */

/** smcx_llc_init() - fills the handler table. Context: load. Return: 0 or errno. */
int smcx_llc_init(void);
/** smcx_llc_exit() - all groups are gone. Context: unload. */
void smcx_llc_exit(void);
/** smcx_llc_handlers - to be passed to smcx_link_init() */
extern const struct smcx_link_handlers smcx_llc_handlers;

/**
 * smcx_llc_confirm_link() - server: send CONFIRM_LINK for a link in RTS and expect the answer
 * @link: link 0 of a FORMING group
 *
 * Does not wait: success ends in smcx_lgr_activate(), a missing or wrong answer within
 * 2 s in smcx_lgr_terminate(); waiters of the group learn of either.
 * Context: process. Return: 0 or negative errno (nothing sent).
 */
int smcx_llc_confirm_link(struct smcx_link *link);

/**
 * smcx_llc_expect_confirm() - client: the Confirm was sent, CONFIRM_LINK must come within 4 s
 * @link: link 0 of a FORMING group
 * Context: process. Like above; a request that came before this call counts.
 */
void smcx_llc_expect_confirm(struct smcx_link *link);

/**
 * smcx_llc_delete_rkey() - tell the peer that a region is going, and wait for the answer
 * @link: active link
 * @rkey: key on that link
 * Context: process; at most 2 s. Return: 0, -ETIMEDOUT, -ENOTCONN, -EBUSY (another exchange is under way), or -ENOBUFS.
 */
int smcx_llc_delete_rkey(struct smcx_link *link, u32 rkey);

/**
 * struct smcx_llc_ask - somebody who wants a key confirmed by the peer
 * @node: while waiting for its turn
 * @lgr: group, set by smcx_llc_confirm_rkey(); no reference: the owner has one, and cancels before it drops it
 * @rkey: key
 * @addr: address of the region
 * @fn: called at most once, bottom halves off and under a lock of this layer: must only queue work. @err: 0, or
 *	negative errno
 */
struct smcx_llc_ask {
	struct list_head	node;
	struct smcx_lgr		*lgr;
	u32			rkey;
	u64			addr;
	void			(*fn)(struct smcx_llc_ask *ask, int err);
};

/**
 * smcx_llc_confirm_rkey() - tell the peer a key and let @ask->fn know when it has answered (within 2 s of its turn)
 * @link: active link
 * @ask: @node initialized, @rkey, @addr and @fn set
 * Context: any.
 */
void smcx_llc_confirm_rkey(struct smcx_link *link, struct smcx_llc_ask *ask);

/** smcx_llc_confirm_rkey_cancel() - @ask->fn is not running and will not be called; idempotent. @ask: may never have been used. Context: any. */
void smcx_llc_confirm_rkey_cancel(struct smcx_llc_ask *ask);

#endif
