// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a received LLC message is due for, protocol.rst 4.11, 4.12 */

#include "llcflow.h"

/* Local flow -> message type whose response it waits for. */
static const u8 awaited[SMCX_LLC_FLOW_MAX] = {
	[SMCX_LLC_FLOW_CONFIRM_LINK]	= SMCX_LLC_CONFIRM_LINK,
	[SMCX_LLC_FLOW_ADD_LINK]	= SMCX_LLC_ADD_LINK,
	[SMCX_LLC_FLOW_DELETE_LINK]	= SMCX_LLC_DELETE_LINK,
	[SMCX_LLC_FLOW_REQ_ADD_LINK]	= SMCX_LLC_REQ_ADD_LINK,
	[SMCX_LLC_FLOW_CONFIRM_RKEY]	= SMCX_LLC_CONFIRM_RKEY,
	[SMCX_LLC_FLOW_DELETE_RKEY]	= SMCX_LLC_DELETE_RKEY,
};

/* Adding a link takes further steps than the one in the table. */
static bool adds_link(const struct smcx_llc_msg *msg,
		      const struct smcx_llc_ctx *ctx)
{
	return ctx->flow == SMCX_LLC_FLOW_ADD_LINK &&
	       (msg->type == SMCX_LLC_ADD_LINK_CONT ||
		msg->type == SMCX_LLC_CONFIRM_LINK);
}

static enum smcx_llc_due response_due(const struct smcx_llc_msg *msg,
				      const struct smcx_llc_ctx *ctx)
{
	if (msg->type == SMCX_LLC_TEST_LINK)
		return SMCX_LLC_DUE_TEST;
	if (msg->type == awaited[ctx->flow] || adds_link(msg, ctx))
		return SMCX_LLC_DUE_FLOW;
	return SMCX_LLC_DUE_IGNORE;
}

/* Only a server sends CONFIRM_LINK, and only while a link is being set up. */
static enum smcx_llc_due confirm_link_due(const struct smcx_llc_msg *msg,
					  const struct smcx_llc_ctx *ctx)
{
	if (ctx->is_server)
		return SMCX_LLC_DUE_IGNORE;
	if (ctx->flow == SMCX_LLC_FLOW_CONFIRM_LINK || adds_link(msg, ctx))
		return SMCX_LLC_DUE_FLOW;
	return SMCX_LLC_DUE_IGNORE;
}

static enum smcx_llc_due add_link_due(const struct smcx_llc_ctx *ctx)
{
	if (ctx->is_server)
		return ctx->can_add ? SMCX_LLC_DUE_INVITED : SMCX_LLC_DUE_IGNORE;
	return ctx->can_add ? SMCX_LLC_DUE_ANSWER : SMCX_LLC_DUE_REJECT;
}

enum smcx_llc_due smcx_llc_due(const struct smcx_llc_msg *msg,
			       const struct smcx_llc_ctx *ctx)
{
	/* goes with a CONFIRM_RKEY of too many keys, which was refused */
	if (msg->type == SMCX_LLC_CONFIRM_RKEY_CONT)
		return SMCX_LLC_DUE_IGNORE;
	if (smcx_llc_is_response(msg))
		return response_due(msg, ctx);
	if (msg->type == SMCX_LLC_CONFIRM_LINK)
		return confirm_link_due(msg, ctx);
	/* a peer that gives up does so at any time; all else needs a link */
	if (!ctx->confirmed && msg->type != SMCX_LLC_DELETE_LINK)
		return SMCX_LLC_DUE_IGNORE;

	switch (msg->type) {
	case SMCX_LLC_ADD_LINK:
		return add_link_due(ctx);
	case SMCX_LLC_ADD_LINK_CONT:
		return adds_link(msg, ctx) ? SMCX_LLC_DUE_FLOW :
					     SMCX_LLC_DUE_IGNORE;
	case SMCX_LLC_REQ_ADD_LINK:
		if (!ctx->is_server)
			return SMCX_LLC_DUE_IGNORE;
		return ctx->can_add ? SMCX_LLC_DUE_ANSWER : SMCX_LLC_DUE_REJECT;
	case SMCX_LLC_CONFIRM_RKEY:
		return msg->confirm_rkey.too_many ? SMCX_LLC_DUE_REJECT :
						    SMCX_LLC_DUE_ANSWER;
	default:
		/* DELETE_LINK, TEST_LINK, DELETE_RKEY */
		return SMCX_LLC_DUE_ANSWER;
	}
}
