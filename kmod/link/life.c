// SPDX-License-Identifier: GPL-2.0
/* References, seats, and the one way into DYING */

#include <linux/wait.h>

#include "priv.h"

#define SMCX_LIFE_WAIT		(30 * HZ)	/* a reference not dropped by then is a bug */
#define SMCX_LIFE_CLIENT_EXTRA	(10 * HZ)	/* let the server end first, protocol.rst 3.6 */

struct workqueue_struct *smcx_link_wq;
const struct smcx_link_handlers *smcx_link_llc;
LIST_HEAD(smcx_lgr_list);
DEFINE_SPINLOCK(smcx_lgr_list_lock);

static atomic_t smcx_lgr_life_groups = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(smcx_lgr_life_gone);

int smcx_lgr_life_init(const struct smcx_link_handlers *h)
{
	smcx_link_llc = h;
	smcx_link_wq = alloc_workqueue("smcx_link", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return smcx_link_wq ? 0 : -ENOMEM;
}

void smcx_lgr_life_exit(void)
{
	long left = wait_event_timeout(smcx_lgr_life_gone, !atomic_read(&smcx_lgr_life_groups),
				       SMCX_LIFE_WAIT);

	WARN(!left, "smcx: %d link groups left\n", atomic_read(&smcx_lgr_life_groups));
	destroy_workqueue(smcx_link_wq);
}

void smcx_lgr_life_count(int n)
{
	if (!atomic_add_return(n, &smcx_lgr_life_groups))
		wake_up_all(&smcx_lgr_life_gone);
}

struct smcx_lgr *smcx_lgr_hold(struct smcx_lgr *lgr)
{
	refcount_inc(&lgr->ref);
	return lgr;
}

void smcx_lgr_put(struct smcx_lgr *lgr)
{
	if (lgr && refcount_dec_and_test(&lgr->ref))
		queue_work(smcx_link_wq, &lgr->release_work);
}

void smcx_lgr_schedule(struct smcx_lgr *lgr, struct delayed_work *work, unsigned long delay)
{
	lockdep_assert_held(&lgr->lock);
	if (lgr->state != SMCX_LGR_ACTIVE)
		return;
	smcx_lgr_hold(lgr);
	if (!queue_delayed_work(smcx_link_wq, work, delay))
		smcx_lgr_put(lgr);
}

void smcx_lgr_doom(struct smcx_lgr *lgr, int err, u32 reason)
{
	lockdep_assert_held(&lgr->lock);
	if (lgr->state == SMCX_LGR_DYING)
		return;
	WRITE_ONCE(lgr->state, SMCX_LGR_DYING);
	lgr->term_err = err;
	lgr->term_reason = reason;
	smcx_lgr_hold(lgr);
	queue_work(smcx_link_wq, &lgr->term_work);
}

void smcx_lgr_terminate(struct smcx_lgr *lgr, int err, u32 reason)
{
	spin_lock_bh(&lgr->lock);
	smcx_lgr_doom(lgr, err, reason);
	spin_unlock_bh(&lgr->lock);
}

unsigned long smcx_lgr_free_at(const struct smcx_lgr *lgr)
{
	unsigned long delay = READ_ONCE(lgr->sn->sysctl.lgr_free_delay_s) * HZ;

	if (lgr->role == SMCX_CLIENT)
		delay += SMCX_LIFE_CLIENT_EXTRA;
	return lgr->unused_since + delay;
}

void smcx_lgr_free_delay_changed(const struct smcx_net *sn)
{
	struct smcx_lgr *lgr;

	spin_lock(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		spin_lock_bh(&lgr->lock);
		if (lgr->sn == sn && lgr->state == SMCX_LGR_ACTIVE && !lgr->conns) {
			smcx_lgr_hold(lgr);
			/* the work finds out how long there is still to wait */
			if (mod_delayed_work(smcx_link_wq, &lgr->free_work, 0))
				smcx_lgr_put(lgr);
		}
		spin_unlock_bh(&lgr->lock);
	}
	spin_unlock(&smcx_lgr_list_lock);
}

/*
 * A pending timer is left alone: with short connections one after the other the
 * count meets zero all the time. The work finds out how long there is still to wait.
 */
void smcx_lgr_unused(struct smcx_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	if (lgr->state != SMCX_LGR_ACTIVE)
		return;
	if (READ_ONCE(lgr->retired)) {
		smcx_lgr_doom(lgr, -ECONNABORTED, SMCX_LLC_DEL_PROGRAM);
		return;
	}
	lgr->unused_since = jiffies;
	smcx_lgr_schedule(lgr, &lgr->free_work, smcx_lgr_free_at(lgr) - lgr->unused_since);
}

void smcx_lgr_leave(struct smcx_lgr *lgr)
{
	spin_lock_bh(&lgr->lock);
	if (!WARN_ON_ONCE(!lgr->conns) && !--lgr->conns)
		smcx_lgr_unused(lgr);
	spin_unlock_bh(&lgr->lock);
}
