/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_LLCFLOW_H
#define SMCX_PROTO_LLCFLOW_H

#include "host.h"
#include "llc.h"

/**
 * DOC: LLC flows
 *
 * Which received LLC message is due for what (protocol.rst 4.11, 4.12). At most one
 * exchange of ours (the local flow) runs in a link group; a response is taken only
 * if it belongs to that flow, everything else unsolicited is dropped. Requests
 * of the peer are answered at any time once the link is confirmed, because he waits
 * two seconds at most. TEST_LINK stands beside the flows.
 *
 * A group that cannot take a further link says so: ADD_LINK is rejected,
 * REQ_ADD_LINK gets the empty answer, an invitation is ignored. What goes with a second link (@can_add of
 * struct smcx_llc_ctx, the flows that add and delete one) is decided and tested here, and waits for a
 * group that takes one.
 */

/**
 * enum smcx_llc_flow - exchange of ours that waits for an answer
 * @SMCX_LLC_FLOW_NONE: none
 * @SMCX_LLC_FLOW_CONFIRM_LINK: first link: server waits for the response, client for the request
 * @SMCX_LLC_FLOW_ADD_LINK: a link is being added
 * @SMCX_LLC_FLOW_DELETE_LINK: DELETE_LINK sent
 * @SMCX_LLC_FLOW_REQ_ADD_LINK: REQ_ADD_LINK sent
 * @SMCX_LLC_FLOW_CONFIRM_RKEY: CONFIRM_RKEY sent
 * @SMCX_LLC_FLOW_DELETE_RKEY: DELETE_RKEY sent
 * @SMCX_LLC_FLOW_MAX: number of flows
 */
enum smcx_llc_flow {
	SMCX_LLC_FLOW_NONE,
	SMCX_LLC_FLOW_CONFIRM_LINK,
	SMCX_LLC_FLOW_ADD_LINK,
	SMCX_LLC_FLOW_DELETE_LINK,
	SMCX_LLC_FLOW_REQ_ADD_LINK,
	SMCX_LLC_FLOW_CONFIRM_RKEY,
	SMCX_LLC_FLOW_DELETE_RKEY,
	SMCX_LLC_FLOW_MAX
};

/**
 * enum smcx_llc_due - what to do with a received message
 * @SMCX_LLC_DUE_IGNORE: drop it silently
 * @SMCX_LLC_DUE_FLOW: it belongs to the local flow: hand it there
 * @SMCX_LLC_DUE_TEST: answer to TEST_LINK: the link lives
 * @SMCX_LLC_DUE_ANSWER: request: carry it out and answer
 * @SMCX_LLC_DUE_REJECT: request: send what smcx_llc_reject() builds
 * @SMCX_LLC_DUE_INVITED: client invites us to add a link; no answer
 */
enum smcx_llc_due {
	SMCX_LLC_DUE_IGNORE,
	SMCX_LLC_DUE_FLOW,
	SMCX_LLC_DUE_TEST,
	SMCX_LLC_DUE_ANSWER,
	SMCX_LLC_DUE_REJECT,
	SMCX_LLC_DUE_INVITED,
};

/**
 * struct smcx_llc_ctx - what the group knows when a message arrives
 * @is_server: our role in the group
 * @confirmed: the link that carried the message is confirmed
 * @can_add: one more link is allowed and there is somewhere to put it
 * @flow: local flow
 */
struct smcx_llc_ctx {
	bool			is_server;
	bool			confirmed;
	bool			can_add;
	enum smcx_llc_flow	flow;
};

/**
 * smcx_llc_due() - decide what a received message is due for
 * @msg: decoded message
 * @ctx: the group
 *
 * Context: Any.
 * Return: what to do.
 */
enum smcx_llc_due smcx_llc_due(const struct smcx_llc_msg *msg,
			       const struct smcx_llc_ctx *ctx);

#endif
