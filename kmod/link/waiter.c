// SPDX-License-Identifier: GPL-2.0
/* Handshakes that wait for another handshake's group */

#include "priv.h"

/*
 * One lock for the waiters of all groups: a waiter that is being told loses its
 * group under way, so a lock inside the group could not keep "told" and "cancelled"
 * apart. It is taken by first contacts and by handshakes that end, for a moment.
 */
static DEFINE_SPINLOCK(smcx_waiter_lock);

bool smcx_lgr_wait_locked(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w, unsigned int max)
{
	bool fits;

	lockdep_assert_held(&lgr->lock);
	if (lgr->state != SMCX_LGR_FORMING)
		return false;
	spin_lock(&smcx_waiter_lock);
	fits = lgr->conns + lgr->nwaiters < max && !WARN_ON_ONCE(w->lgr);
	if (fits) {
		w->lgr = smcx_lgr_hold(lgr);
		list_add_tail(&w->node, &lgr->waiters);
		lgr->nwaiters++;
	}
	spin_unlock(&smcx_waiter_lock);
	return fits;
}

bool smcx_lgr_wait(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w)
{
	bool queued;

	spin_lock_bh(&lgr->lock);
	queued = smcx_lgr_wait_locked(lgr, w, UINT_MAX);
	spin_unlock_bh(&lgr->lock);
	return queued;
}

static void smcx_lgr_waiter_remove(struct smcx_lgr_waiter *w)
{
	lockdep_assert_held(&smcx_waiter_lock);
	list_del_init(&w->node);
	w->lgr->nwaiters--;
	w->lgr = NULL;
}

bool smcx_lgr_waiter_cancel(struct smcx_lgr_waiter *w)
{
	struct smcx_lgr *lgr;

	spin_lock_bh(&smcx_waiter_lock);
	lgr = w->lgr;
	if (lgr)
		smcx_lgr_waiter_remove(w);
	spin_unlock_bh(&smcx_waiter_lock);
	smcx_lgr_put(lgr);
	return lgr;
}

void smcx_lgr_waiters_tell(struct smcx_lgr *lgr, bool ok)
{
	struct smcx_lgr_waiter *w, *next;

	spin_lock_bh(&smcx_waiter_lock);
	list_for_each_entry_safe(w, next, &lgr->waiters, node) {
		smcx_lgr_waiter_remove(w);
		w->fn(w, ok);
		smcx_lgr_put(lgr);
	}
	spin_unlock_bh(&smcx_waiter_lock);
}
