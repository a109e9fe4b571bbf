// SPDX-License-Identifier: GPL-2.0
/* CONFIRM_RKEY of ours, one after the other: protocol.rst 4.8 */

#include "llc_priv.h"

/* Return: true if @msg is to be sent now. */
static bool smcx_llc_ask_next(struct smcx_llc_state *llc, struct smcx_llc_msg *msg)
{
	struct smcx_llc_ask *ask;

	lockdep_assert_held(&llc->lock);
	if (llc->stopped || !llc->confirmed || llc->flow != SMCX_LLC_FLOW_NONE ||
	    list_empty(&llc->asks))
		return false;
	ask = list_first_entry(&llc->asks, struct smcx_llc_ask, node);
	list_del_init(&ask->node);
	llc->asked = ask;
	llc->asked_rkey = ask->rkey;
	llc->flow = SMCX_LLC_FLOW_CONFIRM_RKEY;
	llc->ask_due = jiffies + SMCX_LLC_WAIT;
	mod_delayed_work(system_wq, &llc->ask_timer, SMCX_LLC_WAIT);
	memset(msg, 0, sizeof(*msg));
	msg->type = SMCX_LLC_CONFIRM_RKEY;
	msg->version = llc->lgr->version;
	msg->confirm_rkey.own.rkey = ask->rkey;
	msg->confirm_rkey.own.addr = ask->addr;
	return true;
}

/* The exchange is over, if there is one; who asked may have gone meanwhile. */
static void smcx_llc_ask_over(struct smcx_llc_state *llc, int err)
{
	struct smcx_llc_ask *ask;

	lockdep_assert_held(&llc->lock);
	if (llc->flow != SMCX_LLC_FLOW_CONFIRM_RKEY)
		return;
	ask = llc->asked;
	llc->asked = NULL;
	llc->flow = SMCX_LLC_FLOW_NONE;
	if (ask)
		ask->fn(ask, err);
}

static void smcx_llc_ask_end(struct smcx_llc_state *llc, int err)
{
	spin_lock_bh(&llc->lock);
	smcx_llc_ask_over(llc, err);
	spin_unlock_bh(&llc->lock);
}

void smcx_llc_ask_go(struct smcx_llc_state *llc)
{
	struct smcx_llc_msg msg;
	bool go;
	int rc;

	do {
		spin_lock_bh(&llc->lock);
		go = smcx_llc_ask_next(llc, &msg);
		spin_unlock_bh(&llc->lock);
		rc = go ? smcx_llc_send(&llc->lgr->links[0], &msg) : 0;
		if (rc)
			smcx_llc_ask_end(llc, rc);
	} while (rc);
}

/* An answer repeats the key. One that came too late for its own request is none to the next. */
void smcx_llc_ask_response(struct smcx_llc_state *llc, const struct smcx_llc_msg *msg)
{
	spin_lock_bh(&llc->lock);
	if (msg->confirm_rkey.own.rkey == llc->asked_rkey)
		smcx_llc_ask_over(llc, msg->flags & SMCX_LLC_F_RKEY_NEG ? -EREMOTEIO : 0);
	spin_unlock_bh(&llc->lock);
	smcx_llc_ask_go(llc);
}

static void smcx_llc_ask_timeout(struct work_struct *work)
{
	struct smcx_llc_state *llc = container_of(to_delayed_work(work), struct smcx_llc_state,
						  ask_timer);

	spin_lock_bh(&llc->lock);
	/* the next exchange may have begun while this run was on its way; it has queued its own */
	if (time_after_eq(jiffies, llc->ask_due))
		smcx_llc_ask_over(llc, -ETIMEDOUT);
	spin_unlock_bh(&llc->lock);
	smcx_llc_ask_go(llc);
}

void smcx_llc_confirm_rkey(struct smcx_link *link, struct smcx_llc_ask *ask)
{
	struct smcx_llc_state *llc = link->lgr->llc;

	spin_lock_bh(&llc->lock);
	ask->lgr = link->lgr;
	if (llc->stopped)
		ask->fn(ask, -ENOTCONN);
	else
		list_add_tail(&ask->node, &llc->asks);
	spin_unlock_bh(&llc->lock);
	smcx_llc_ask_go(llc);
}

void smcx_llc_confirm_rkey_cancel(struct smcx_llc_ask *ask)
{
	struct smcx_llc_state *llc;

	if (!ask->lgr)
		return;
	llc = ask->lgr->llc;
	spin_lock_bh(&llc->lock);
	list_del_init(&ask->node);
	if (llc->asked == ask)
		llc->asked = NULL;
	spin_unlock_bh(&llc->lock);
	ask->lgr = NULL;
}

void smcx_llc_ask_init(struct smcx_llc_state *llc)
{
	INIT_LIST_HEAD(&llc->asks);
	INIT_DELAYED_WORK(&llc->ask_timer, smcx_llc_ask_timeout);
}

void smcx_llc_ask_exit(struct smcx_llc_state *llc)
{
	struct smcx_llc_ask *ask, *next;

	smcx_llc_ask_end(llc, -ECONNABORTED);
	spin_lock_bh(&llc->lock);
	list_for_each_entry_safe(ask, next, &llc->asks, node) {
		list_del_init(&ask->node);
		ask->fn(ask, -ECONNABORTED);
	}
	spin_unlock_bh(&llc->lock);
	cancel_delayed_work_sync(&llc->ask_timer);
}
