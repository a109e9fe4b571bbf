// SPDX-License-Identifier: GPL-2.0
/* Sending LLC messages */

#include "llc_priv.h"

static void smcx_llc_sent(struct smcx_slot *slot, bool ok)
{
	struct smcx_llc_state *llc = slot->ctx;

	if (llc)
		complete_all(&llc->bye_done);
}

/* Return: false if there is no slot (smcx_llc_slot_free() will be called) or the QP is not live */
static bool smcx_llc_post(struct smcx_llc_state *llc, struct smcx_llc_link *ll, const u8 *msg, bool bye)
{
	struct smcx_slot *slot;

	lockdep_assert_held(&llc->lock);
	slot = smcx_slot_get(ll->link->qp, true);
	if (!slot)
		return false;
	memcpy(slot->msg, msg, SMCX_LLC_LEN);
	slot->done = smcx_llc_sent;
	slot->ctx = bye ? llc : NULL;
	if (smcx_qp_post(slot, NULL, 0) && bye)
		complete_all(&llc->bye_done);
	return true;
}

/* A message may not overtake those queued before it. */
static int smcx_llc_submit(struct smcx_link *link, const u8 *msg, bool bye)
{
	struct smcx_llc_state *llc = link->lgr->llc;
	struct smcx_llc_link *ll = &llc->links[link->idx];
	struct smcx_llc_out *out;
	int rc = 0;

	spin_lock_bh(&llc->lock);
	if (llc->stopped || !smcx_link_is_sendable(link)) {
		rc = -ENOTCONN;
	} else if (!ll->n && smcx_llc_post(llc, ll, msg, bye)) {
		rc = 0;
	} else if (ll->n == SMCX_LLC_OUT_MAX) {
		rc = -ENOBUFS;
	} else {
		out = &ll->out[(ll->first + ll->n++) % SMCX_LLC_OUT_MAX];
		memcpy(out->msg, msg, SMCX_LLC_LEN);
		out->bye = bye;
	}
	spin_unlock_bh(&llc->lock);
	return rc;
}

int smcx_llc_send(struct smcx_link *link, const struct smcx_llc_msg *msg)
{
	u8 buf[SMCX_LLC_LEN];
	int rc;

	rc = smcx_llc_encode(msg, buf, sizeof(buf));
	/* an answer echoes what the peer has sent: it may make no valid message */
	if (rc != SMCX_LLC_LEN)
		return -EINVAL;
	return smcx_llc_submit(link, buf, false);
}

int smcx_llc_send_bye(struct smcx_link *link, const u8 *buf)
{
	return smcx_llc_submit(link, buf, true);
}

void smcx_llc_slot_free(struct smcx_link *link)
{
	struct smcx_llc_state *llc = link->lgr->llc;
	struct smcx_llc_link *ll = &llc->links[link->idx];
	struct smcx_llc_out *out;

	spin_lock_bh(&llc->lock);
	while (ll->n && !llc->stopped) {
		out = &ll->out[ll->first];
		if (!smcx_llc_post(llc, ll, out->msg, out->bye))
			break;
		ll->first = (ll->first + 1) % SMCX_LLC_OUT_MAX;
		ll->n--;
	}
	spin_unlock_bh(&llc->lock);
}
