// SPDX-License-Identifier: GPL-2.0
/* Remote keys: the peer's announcements and withdrawals, our withdrawals; protocol.rst 4.8, 4.9 */

#include "llc_priv.h"

void smcx_llc_confirm_rkey_rx(struct smcx_link *link, struct smcx_llc_msg *msg)
{
	const struct smcx_llc_confirm_rkey *m = &msg->confirm_rkey;
	int slot, i;

	slot = smcx_rkey_add(link, m->own.rkey, m->own.addr);
	for (i = 0; slot >= 0 && i < m->n_more; i++)
		smcx_rkey_set(link->lgr, slot, m->more[i].link_id, m->more[i].rkey,
			      m->more[i].addr);
	if (slot < 0)
		smcx_llc_reject(msg, msg);
	else
		smcx_llc_reply(msg, msg);
	smcx_llc_send(link, msg);
}

/* Version 1 answers with a mask of the unknown keys, version 2 with their number. */
void smcx_llc_delete_rkey_rx(struct smcx_link *link, struct smcx_llc_msg *msg)
{
	struct smcx_llc_delete_rkey *m = &msg->delete_rkey;
	u8 mask = 0, unknown = 0;
	u32 rkey;
	int i;

	for (i = 0; !smcx_llc_get_rkey(m, i, &rkey); i++) {
		if (!smcx_rkey_del(link, rkey))
			continue;
		unknown++;
		mask |= i < 8 ? 0x80 >> i : 0;
	}
	smcx_llc_reply(msg, msg);
	m->err = msg->version == 1 ? mask : unknown;
	if (m->err)
		msg->flags |= SMCX_LLC_F_RKEY_NEG;
	smcx_llc_send(link, msg);
}

static int smcx_llc_flow_begin(struct smcx_llc_state *llc, enum smcx_llc_flow flow)
{
	int rc = 0;

	spin_lock_bh(&llc->lock);
	if (llc->stopped || !llc->confirmed)
		rc = -ENOTCONN;
	else if (llc->flow != SMCX_LLC_FLOW_NONE)
		rc = -EBUSY;
	if (!rc) {
		llc->flow = flow;
		reinit_completion(&llc->flow_done);
	}
	spin_unlock_bh(&llc->lock);
	return rc;
}

static int smcx_llc_flow_end(struct smcx_llc_state *llc)
{
	int rc;

	spin_lock_bh(&llc->lock);
	llc->flow = SMCX_LLC_FLOW_NONE;
	rc = llc->stopped ? -ENOTCONN : 0;
	spin_unlock_bh(&llc->lock);
	smcx_llc_ask_go(llc);
	return rc;
}

/* Whether the peer knew the key does not matter: afterwards it does not. */
int smcx_llc_delete_rkey(struct smcx_link *link, u32 rkey)
{
	struct smcx_llc_state *llc = link->lgr->llc;
	struct smcx_llc_msg msg = {
		.type		= SMCX_LLC_DELETE_RKEY,
		.version	= link->lgr->version,
	};
	__be32 wire = cpu_to_be32(rkey);
	int end, rc;

	msg.delete_rkey.n_rkeys = 1;
	msg.delete_rkey.rkeys = (const u8 *)&wire;
	rc = smcx_llc_flow_begin(llc, SMCX_LLC_FLOW_DELETE_RKEY);
	if (rc)
		return rc;
	rc = smcx_llc_send(link, &msg);
	if (!rc && !wait_for_completion_timeout(&llc->flow_done, SMCX_LLC_WAIT))
		rc = -ETIMEDOUT;
	end = smcx_llc_flow_end(llc);
	return rc ? rc : end;
}
