// SPDX-License-Identifier: GPL-2.0
/* Handshakes that wait for another handshake's group, or for a region it makes */

#include "priv.h"

/*
 * One lock for the waiters of all groups: a waiter that is being told loses its
 * group under way, so a lock inside the group could not keep "told" and "cancelled"
 * apart. It is taken by first contacts, by handshakes that need a region and by those that end, for a moment.
 */
static DEFINE_SPINLOCK(smcx_waiter_lock);

static bool smcx_lgr_waiter_add(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w, unsigned int max)
{
	bool fits;

	lockdep_assert_held(&lgr->lock);
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

bool smcx_lgr_wait_locked(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w, unsigned int max)
{
	lockdep_assert_held(&lgr->lock);
	return lgr->state == SMCX_LGR_FORMING && smcx_lgr_waiter_add(lgr, w, max);
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

int smcx_lgr_grow_begin(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w)
{
	int rc = 0;

	spin_lock_bh(&lgr->lock);
	if (lgr->state == SMCX_LGR_DYING)
		rc = -ENOTCONN;
	else if (!lgr->growing)
		lgr->growing = true;
	else
		rc = smcx_lgr_waiter_add(lgr, w, UINT_MAX) ? -EINPROGRESS : -EBUSY;
	spin_unlock_bh(&lgr->lock);
	return rc;
}

void smcx_lgr_grow_end(struct smcx_lgr *lgr)
{
	bool active;

	spin_lock_bh(&lgr->lock);
	lgr->growing = false;
	active = lgr->state == SMCX_LGR_ACTIVE;
	spin_unlock_bh(&lgr->lock);
	/* the others wait for the end of FORMING, and the end of a group is told by who ends it */
	if (active)
		smcx_lgr_waiters_tell(lgr, true);
}
