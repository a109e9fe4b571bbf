// SPDX-License-Identifier: GPL-2.0 OR MIT
/* LLC flows: an independent statement of what is due, compared for every combination */

#include "llcflow.h"
#include "tap.h"

/* Flow in which a response of a type is waited for. */
static enum smcx_llc_flow flow_of(u8 type)
{
	switch (type) {
	case SMCX_LLC_CONFIRM_LINK:
		return SMCX_LLC_FLOW_CONFIRM_LINK;
	case SMCX_LLC_ADD_LINK:
		return SMCX_LLC_FLOW_ADD_LINK;
	case SMCX_LLC_DELETE_LINK:
		return SMCX_LLC_FLOW_DELETE_LINK;
	case SMCX_LLC_REQ_ADD_LINK:
		return SMCX_LLC_FLOW_REQ_ADD_LINK;
	case SMCX_LLC_CONFIRM_RKEY:
		return SMCX_LLC_FLOW_CONFIRM_RKEY;
	case SMCX_LLC_DELETE_RKEY:
		return SMCX_LLC_FLOW_DELETE_RKEY;
	default:
		return SMCX_LLC_FLOW_MAX;
	}
}

static enum smcx_llc_due want_response(u8 type, const struct smcx_llc_ctx *c)
{
	if (type == SMCX_LLC_TEST_LINK)
		return SMCX_LLC_DUE_TEST;
	if (c->flow == flow_of(type))
		return SMCX_LLC_DUE_FLOW;
	if (c->flow == SMCX_LLC_FLOW_ADD_LINK &&
	    (type == SMCX_LLC_ADD_LINK_CONT || type == SMCX_LLC_CONFIRM_LINK))
		return SMCX_LLC_DUE_FLOW;
	return SMCX_LLC_DUE_IGNORE;
}

static enum smcx_llc_due want_request(u8 type, const struct smcx_llc_ctx *c)
{
	switch (type) {
	case SMCX_LLC_CONFIRM_LINK:
		return !c->is_server && (c->flow == SMCX_LLC_FLOW_CONFIRM_LINK || c->flow == SMCX_LLC_FLOW_ADD_LINK) ?
		       SMCX_LLC_DUE_FLOW : SMCX_LLC_DUE_IGNORE;
	case SMCX_LLC_DELETE_LINK:
		return SMCX_LLC_DUE_ANSWER;
	}
	if (!c->confirmed)
		return SMCX_LLC_DUE_IGNORE;
	switch (type) {
	case SMCX_LLC_ADD_LINK:
		if (c->is_server)
			return c->can_add ? SMCX_LLC_DUE_INVITED : SMCX_LLC_DUE_IGNORE;
		return c->can_add ? SMCX_LLC_DUE_ANSWER : SMCX_LLC_DUE_REJECT;
	case SMCX_LLC_ADD_LINK_CONT:
		return c->flow == SMCX_LLC_FLOW_ADD_LINK ? SMCX_LLC_DUE_FLOW : SMCX_LLC_DUE_IGNORE;
	case SMCX_LLC_REQ_ADD_LINK:
		if (!c->is_server)
			return SMCX_LLC_DUE_IGNORE;
		return c->can_add ? SMCX_LLC_DUE_ANSWER : SMCX_LLC_DUE_REJECT;
	default:
		return SMCX_LLC_DUE_ANSWER;
	}
}

static void every_combination(void)
{
	static const u8 types[] = { 1, 2, 3, 4, 5, 6, 7, 9 };
	struct smcx_llc_msg m = { .version = 2 };
	struct smcx_llc_ctx c;
	unsigned int bits;
	size_t t;

	for (t = 0; t < ARRAY_SIZE(types); t++)
	for (bits = 0; bits < 8; bits++)
	for (c.flow = 0; c.flow < SMCX_LLC_FLOW_MAX; c.flow++) {
		c.is_server = bits & 1;
		c.confirmed = bits & 2;
		c.can_add = bits & 4;
		m.type = types[t];
		m.flags = SMCX_LLC_F_RESP;
		CHECK_EQ(smcx_llc_due(&m, &c), want_response(m.type, &c));
		m.flags = 0;
		CHECK_EQ(smcx_llc_due(&m, &c), want_request(m.type, &c));
	}
}

static void special(void)
{
	struct smcx_llc_ctx c = { .confirmed = true };
	struct smcx_llc_msg m = { .version = 1, .type = SMCX_LLC_CONFIRM_RKEY_CONT };

	CHECK_EQ(smcx_llc_due(&m, &c), SMCX_LLC_DUE_IGNORE);
	m.flags = SMCX_LLC_F_RESP;
	CHECK_EQ(smcx_llc_due(&m, &c), SMCX_LLC_DUE_IGNORE);
	m.type = SMCX_LLC_CONFIRM_RKEY;
	m.flags = 0;
	m.confirm_rkey.too_many = true;
	CHECK_EQ(smcx_llc_due(&m, &c), SMCX_LLC_DUE_REJECT);
}

/* Whatever is to be rejected can be rejected. */
static void rejections_exist(void)
{
	struct smcx_llc_msg m = { .version = 2 }, out;
	struct smcx_llc_ctx c = { .confirmed = true };

	for (m.type = 1; m.type <= 9; m.type++) {
		for (c.is_server = 0;; c.is_server = 1) {
			if (smcx_llc_due(&m, &c) == SMCX_LLC_DUE_REJECT)
				CHECK_EQ(smcx_llc_reject(&m, &out), 0);
			if (c.is_server)
				break;
		}
	}
}

const struct tap_case flow_cases[] = {
	{ "llcflow: every type, role, flow and state", every_combination },
	{ "llcflow: violations and too many keys", special },
	{ "llcflow: what is rejected has a rejection", rejections_exist },
	{ 0 }
};
