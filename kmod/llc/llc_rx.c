// SPDX-License-Identifier: GPL-2.0
/* Received LLC messages: decode, decide (proto/llcflow.h), carry out */

#include "llc_priv.h"

/* offsets in the messages that may exceed a receive buffer, protocol.rst 4.9, 4.10 */
#define SMCX_LLC_REQ_NGIDS	24
#define SMCX_LLC_REQ_GIDS	28
#define SMCX_LLC_DEL_NRKEYS	4
#define SMCX_LLC_DEL_RKEYS	8

/*
 * Of a longer v2 message only the first 44 bytes are kept. That is enough to answer all
 * three kinds, once the counts say what is really there.
 * Return: number of keys of a DELETE_RKEY that were cut off
 */
static u8 smcx_llc_clip(u8 *msg)
{
	u8 keys = (SMCX_LLC_LEN - SMCX_LLC_DEL_RKEYS) / 4;
	u8 gids = (SMCX_LLC_LEN - SMCX_LLC_REQ_GIDS) / 16;
	u8 cut = 0;

	switch (msg[0]) {
	case 0x20 | SMCX_LLC_REQ_ADD_LINK:
		msg[SMCX_LLC_REQ_NGIDS] = min(msg[SMCX_LLC_REQ_NGIDS], gids);
		break;
	case 0x20 | SMCX_LLC_DELETE_RKEY:
		if (msg[SMCX_LLC_DEL_NRKEYS] > keys) {
			cut = msg[SMCX_LLC_DEL_NRKEYS] - keys;
			msg[SMCX_LLC_DEL_NRKEYS] = keys;
		}
		break;
	}
	return cut;
}

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

static void smcx_llc_rx_answer(struct smcx_link *link, struct smcx_llc_msg *msg, u8 cut)
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
		smcx_llc_delete_rkey_rx(link, msg, cut);
		break;
	case SMCX_LLC_DELETE_LINK:
		smcx_llc_delete_link_rx(link, msg);
		break;
	}
}

static void smcx_llc_rx_msg(struct smcx_link *link, struct smcx_llc_msg *msg, u8 cut)
{
	struct smcx_lgr *lgr = link->lgr;

	switch (smcx_llc_rx_due(lgr, msg)) {
	case SMCX_LLC_DUE_FLOW:
		smcx_llc_rx_flow(link, msg);
		break;
	case SMCX_LLC_DUE_ANSWER:
		smcx_llc_rx_answer(link, msg, cut);
		break;
	case SMCX_LLC_DUE_REJECT:
		if (!smcx_llc_reject(msg, msg))
			smcx_llc_send(link, msg);
		break;
	case SMCX_LLC_DUE_TERMINATE:
		smcx_drop_note(lgr->sn, SMCX_DROP_LLC_FLOW);
		smcx_lgr_terminate(lgr, -EPROTO, SMCX_LLC_DEL_PROTOCOL);
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
	u8 copy[SMCX_LLC_LEN];
	struct smcx_llc_msg msg;
	u8 cut = 0;
	int rc;

	if (READ_ONCE(lgr->state) == SMCX_LGR_DYING)
		return;
	if (len > SMCX_LLC_LEN) {
		memcpy(copy, buf, SMCX_LLC_LEN);
		cut = smcx_llc_clip(copy);
		buf = copy;
		len = SMCX_LLC_LEN;
	}
	rc = smcx_llc_decode(buf, len, &msg);
	if (!rc && msg.version != lgr->version)
		rc = -EPROTO;
	if (!rc)
		smcx_llc_rx_msg(link, &msg, cut);
	else if (rc != -ENOMSG)
		smcx_drop_note(lgr->sn, SMCX_DROP_LLC);
}
