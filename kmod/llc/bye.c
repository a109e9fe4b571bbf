// SPDX-License-Identifier: GPL-2.0
/* DELETE_LINK: with one link it always means the group, protocol.rst 4.6, 4.12 */

#include "llc_priv.h"

/* A peer that has said "all" may be gone already and never acknowledge. */
#define SMCX_LLC_BYE_ECHO_WAIT	(HZ / 5)

/* Client: the answer must leave before the QP goes. */
static void smcx_llc_answer_and_end(struct smcx_link *link, struct smcx_llc_msg *msg)
{
	struct smcx_llc_state *llc = link->lgr->llc;
	u8 buf[SMCX_LLC_LEN];

	smcx_llc_reply(msg, msg);
	msg->delete_link.reason = SMCX_LLC_DEL_RSP_OK;
	if (smcx_llc_encode(msg, buf, sizeof(buf)) == SMCX_LLC_LEN) {
		spin_lock_bh(&llc->lock);
		memcpy(llc->bye, buf, SMCX_LLC_LEN);
		llc->has_bye = true;
		spin_unlock_bh(&llc->lock);
	}
	smcx_lgr_terminate(link->lgr, -ECONNRESET, SMCX_LLC_DEL_PROGRAM);
}

void smcx_llc_delete_link_rx(struct smcx_link *link, struct smcx_llc_msg *msg)
{
	const struct smcx_llc_delete_link *m = &msg->delete_link;
	bool all = msg->flags & SMCX_LLC_F_DEL_ALL;
	struct smcx_lgr *lgr = link->lgr;

	if (!all && !smcx_link_by_id(lgr, m->link_id)) {
		if (!smcx_llc_reject(msg, msg))
			smcx_llc_send(link, msg);
		return;
	}
	WRITE_ONCE(lgr->llc->peer_leaves, all);
	if (lgr->role == SMCX_SERVER)
		/* the server says it himself, with the same reason */
		smcx_lgr_terminate(lgr, -ECONNRESET, m->reason ? m->reason :
							     SMCX_LLC_DEL_PROGRAM);
	else if (all)
		smcx_lgr_terminate(lgr, -ECONNRESET, 0);
	else
		smcx_llc_answer_and_end(link, msg);
}

static int smcx_llc_bye_build(struct smcx_lgr *lgr, u32 reason, u8 *buf)
{
	struct smcx_llc_msg msg = {
		.type		= SMCX_LLC_DELETE_LINK,
		.version	= lgr->version,
		.flags		= SMCX_LLC_F_DEL_ALL | SMCX_LLC_F_DEL_ORDERLY,
	};
	struct smcx_llc_state *llc = lgr->llc;
	bool stored;

	spin_lock_bh(&llc->lock);
	stored = llc->has_bye;
	if (stored)
		memcpy(buf, llc->bye, SMCX_LLC_LEN);
	spin_unlock_bh(&llc->lock);
	if (stored)
		return 0;
	msg.delete_link.reason = reason;
	return smcx_llc_encode(&msg, buf, SMCX_LLC_LEN) == SMCX_LLC_LEN ? 0 : -EINVAL;
}

void smcx_llc_goodbye(struct smcx_lgr *lgr, u32 reason)
{
	struct smcx_llc_state *llc = lgr->llc;
	u8 buf[SMCX_LLC_LEN];
	unsigned long wait;
	int i;

	if (smcx_llc_bye_build(lgr, reason, buf))
		return;
	wait = READ_ONCE(llc->peer_leaves) ? SMCX_LLC_BYE_ECHO_WAIT : SMCX_LLC_WAIT;
	for (i = 0; i < SMCX_LGR_LINKS; i++) {
		if (!smcx_link_is_sendable(&lgr->links[i]) ||
		    smcx_llc_send_bye(&lgr->links[i], buf))
			continue;
		wait_for_completion_timeout(&llc->bye_done, wait);
		return;
	}
}
