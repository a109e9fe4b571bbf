// SPDX-License-Identifier: GPL-2.0
/* Received LLC messages: decode, decide (proto/llcflow.h), carry out */

#include "llc_priv.h"

static enum smcx_llc_due smcx_llc_rx_due(struct smcx_lgr *lgr, const struct smcx_llc_msg *msg)
{
	struct smcx_llc_ctx ctx = { .is_server = lgr->role == SMCX_SERVER };

	spin_lock_bh(&lgr->llc->lock);
	ctx.confirmed = lgr->llc->confirmed;
	ctx.flow = lgr->llc->flow;
	spin_unlock_bh(&lgr->llc->lock);
	return smcx_llc_due(msg, &ctx);
}

static void smcx_llc_rx_flow(struct smcx_link *link, const struct smcx_llc_msg *msg)
{
	if (msg->type == SMCX_LLC_CONFIRM_LINK)
		smcx_llc_confirm_rx(link, msg);
	else if (msg->type == SMCX_LLC_DELETE_RKEY)
		complete_all(&link->lgr->llc->flow_done);
	else if (msg->type == SMCX_LLC_CONFIRM_RKEY)
		smcx_llc_ask_response(link->lgr->llc, msg);
}

static void smcx_llc_rx_answer(struct smcx_link *link, struct smcx_llc_msg *msg)
{
	switch (msg->type) {
	case SMCX_LLC_TEST_LINK:
		smcx_llc_reply(msg, msg);
		smcx_llc_send(link, msg);
		break;
	case SMCX_LLC_CONFIRM_RKEY:
		smcx_llc_confirm_rkey_rx(link, msg);
		break;
	case SMCX_LLC_DELETE_RKEY:
		smcx_llc_delete_rkey_rx(link, msg);
		break;
	case SMCX_LLC_DELETE_LINK:
		smcx_llc_delete_link_rx(link, msg);
		break;
	}
}

static void smcx_llc_rx_msg(struct smcx_link *link, struct smcx_llc_msg *msg)
{
	switch (smcx_llc_rx_due(link->lgr, msg)) {
	case SMCX_LLC_DUE_FLOW:
		smcx_llc_rx_flow(link, msg);
		break;
	case SMCX_LLC_DUE_ANSWER:
		smcx_llc_rx_answer(link, msg);
		break;
	case SMCX_LLC_DUE_REJECT:
		if (!smcx_llc_reject(msg, msg))
			smcx_llc_send(link, msg);
		break;
	case SMCX_LLC_DUE_INVITED:	/* never: no group here takes a second link */
	case SMCX_LLC_DUE_TEST:		/* link->last_rx says it all */
	case SMCX_LLC_DUE_IGNORE:
		break;
	}
}

void smcx_llc_rx(struct smcx_link *link, const u8 *buf, u32 len)
{
	struct smcx_lgr *lgr = link->lgr;
	struct smcx_llc_msg msg;
	int rc;

	if (READ_ONCE(lgr->state) == SMCX_LGR_DYING)
		return;
	/* what is longer than a receive buffer cannot be one: the longest, a DELETE_RKEY of 255 keys, is half as long */
	rc = smcx_llc_decode(buf, min_t(u32, len, SMCX_RECV_LEN), &msg);
	if (!rc && msg.version != lgr->version)
		rc = -EPROTO;
	if (!rc)
		smcx_llc_rx_msg(link, &msg);
	else if (rc != -ENOMSG)
		smcx_drop_note(lgr->sn, SMCX_DROP_LLC);
}
