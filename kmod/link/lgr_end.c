// SPDX-License-Identifier: GPL-2.0
/* The end of a group: unused, broken, unwanted; DYING work and memory */

#include <linux/mm.h>
#include <linux/slab.h>

#include "../base/trace.h"
#include "priv.h"

#define SMCX_LGR_DEAD_WAIT	(30 * HZ)	/* each step of the DYING work is bounded, this is their sum */

/* A seat taken meanwhile, or taken and given back, lets the group live. */
static void smcx_lgr_free_work(struct work_struct *work)
{
	struct smcx_lgr *lgr = container_of(to_delayed_work(work), struct smcx_lgr, free_work);
	unsigned long now = jiffies, free_at;

	spin_lock_bh(&lgr->lock);
	/* the namespace is there as long as the group is ACTIVE */
	if (lgr->state == SMCX_LGR_ACTIVE && !lgr->conns) {
		free_at = smcx_lgr_free_at(lgr);
		if (time_before(now, free_at))
			smcx_lgr_schedule(lgr, &lgr->free_work, free_at - now);
		else
			smcx_lgr_doom(lgr, -ECONNABORTED, SMCX_LLC_DEL_PROGRAM);
	}
	spin_unlock_bh(&lgr->lock);
	smcx_lgr_put(lgr);
}

static void smcx_lgr_cancel(struct smcx_lgr *lgr, struct delayed_work *work)
{
	if (cancel_delayed_work_sync(work))
		smcx_lgr_put(lgr);
}

/*
 * The waiters go first, after what the next connection is to know: they have better things to do than to
 * wait for a goodbye. Members
 * are told when the fence has made sure that the peer writes no more; their posted
 * messages come back at the latest with the stop.
 */
static void smcx_lgr_term_work(struct work_struct *work)
{
	struct smcx_lgr *lgr = container_of(work, struct smcx_lgr, term_work);
	int i;

	trace_smcx_group_end(lgr->id, lgr->role == SMCX_SERVER, READ_ONCE(lgr->conns),
			     lgr->term_err, lgr->term_reason);
	smcx_lgr_path_over(lgr);
	smcx_lgr_waiters_tell(lgr, false);
	if (lgr->term_reason)
		smcx_link_llc->lgr_goodbye(lgr, lgr->term_reason);
	for (i = 0; i < SMCX_LGR_LINKS; i++)
		smcx_link_fence(&lgr->links[i]);
	smcx_members_kill(lgr);
	smcx_link_llc->lgr_exit(lgr);
	smcx_lgr_cancel(lgr, &lgr->free_work);
	smcx_lgr_cancel(lgr, &lgr->shrink_work);
	smcx_pool_unmap(lgr);
	for (i = 0; i < SMCX_LGR_LINKS; i++)
		smcx_link_stop(&lgr->links[i]);

	spin_lock(&smcx_lgr_list_lock);
	list_del_init(&lgr->node);
	spin_unlock(&smcx_lgr_list_lock);
	complete_all(&lgr->dead);
	smcx_lgr_put(lgr);	/* the list's */
	smcx_lgr_put(lgr);	/* this work's */
}

void smcx_lgr_free(struct smcx_lgr *lgr)
{
	int i;

	smcx_pool_free(lgr);
	if (lgr->llc)
		smcx_link_llc->lgr_free(lgr);
	for (i = 0; i < SMCX_LGR_LINKS; i++) {
		smcx_qp_put(lgr->links[i].qp);
		smcx_path_release(&lgr->links[i].path);
	}
	WARN_ON_ONCE(!xa_empty(&lgr->members));
	xa_destroy(&lgr->members);
	smcx_lgr_life_count(-1);
	kvfree_rcu(lgr, rcu);
}

static void smcx_lgr_release_work(struct work_struct *work)
{
	smcx_lgr_free(container_of(work, struct smcx_lgr, release_work));
}

void smcx_lgr_end_init(struct smcx_lgr *lgr)
{
	INIT_DELAYED_WORK(&lgr->free_work, smcx_lgr_free_work);
	INIT_WORK(&lgr->term_work, smcx_lgr_term_work);
	INIT_WORK(&lgr->release_work, smcx_lgr_release_work);
	init_completion(&lgr->dead);
}

u64 smcx_lgr_end_start(bool (*match)(const struct smcx_lgr *lgr, const void *arg),
		       const void *arg, int err, u32 reason)
{
	struct smcx_lgr *lgr;
	u64 last = 0;

	spin_lock(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (!match(lgr, arg))
			continue;
		smcx_lgr_terminate(lgr, err, reason);
		last = lgr->seq;
	}
	spin_unlock(&smcx_lgr_list_lock);
	return last;
}

/* Return: referenced oldest group that matches and is not younger than @last, or NULL */
static struct smcx_lgr *smcx_lgr_first(bool (*match)(const struct smcx_lgr *lgr, const void *arg),
				       const void *arg, u64 last)
{
	struct smcx_lgr *lgr, *found = NULL;

	spin_lock(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (lgr->seq > last)
			break;
		if (!match(lgr, arg))
			continue;
		found = smcx_lgr_hold(lgr);
		break;
	}
	spin_unlock(&smcx_lgr_list_lock);
	return found;
}

void smcx_lgr_end_all(bool (*match)(const struct smcx_lgr *lgr, const void *arg),
		      const void *arg, int err, u32 reason)
{
	/* all at once, so that the goodbyes overlap */
	u64 last = smcx_lgr_end_start(match, arg, err, reason);
	struct smcx_lgr *lgr;
	unsigned long left;

	while ((lgr = smcx_lgr_first(match, arg, last))) {
		left = wait_for_completion_timeout(&lgr->dead, SMCX_LGR_DEAD_WAIT);
		smcx_lgr_put(lgr);
		if (WARN(!left, "smcx: a link group does not end\n"))
			return;
	}
}
