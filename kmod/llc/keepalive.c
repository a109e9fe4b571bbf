// SPDX-License-Identifier: GPL-2.0
/* Keep-alive by TEST_LINK, protocol.rst 4.7, 4.12 */

#include "llc_priv.h"

/*
 * One lost answer kills all connections of the group, and a busy host may well
 * take longer than the two seconds of in-tree smc, hence a second and a third try.
 */
#define SMCX_LLC_TESTS	3

static void smcx_llc_test_rearm(struct smcx_llc_state *llc, struct smcx_llc_link *ll,
				unsigned long delay)
{
	spin_lock_bh(&llc->lock);
	if (!llc->stopped)
		queue_delayed_work(system_wq, &ll->test_work, delay);
	spin_unlock_bh(&llc->lock);
}

/* Without a slot it counts as sent, too: that the peer answers nothing at all is what matters. */
static void smcx_llc_test_send(struct smcx_llc_link *ll)
{
	struct smcx_llc_msg msg = {
		.type		= SMCX_LLC_TEST_LINK,
		.version	= ll->link->lgr->version,
	};

	ll->tests++;
	ll->test_sent = jiffies;
	smcx_llc_send(ll->link, &msg);
}

static void smcx_llc_test_work(struct work_struct *work)
{
	struct smcx_llc_link *ll = container_of(to_delayed_work(work), struct smcx_llc_link,
						test_work);
	struct smcx_lgr *lgr = ll->link->lgr;
	struct smcx_llc_state *llc = lgr->llc;
	unsigned long last = READ_ONCE(ll->link->last_rx);
	unsigned long now = jiffies;

	if (ll->tests && !time_before(last, ll->test_sent))
		ll->tests = 0;
	if (!ll->tests && time_before(now, last + llc->test_interval)) {
		smcx_llc_test_rearm(llc, ll, last + llc->test_interval - now);
		return;
	}
	if (ll->tests == SMCX_LLC_TESTS) {
		smcx_lgr_terminate(lgr, -ETIMEDOUT, 0);
		return;
	}
	smcx_llc_test_send(ll);
	smcx_llc_test_rearm(llc, ll, SMCX_LLC_WAIT);
}

void smcx_llc_link_up(struct smcx_link *link)
{
	struct smcx_llc_state *llc = link->lgr->llc;

	if (llc->test_interval)
		smcx_llc_test_rearm(llc, &llc->links[link->idx], llc->test_interval);
}

void smcx_llc_test_init(struct smcx_llc_state *llc)
{
	int i, s = READ_ONCE(llc->lgr->sn->sysctl.testlink_time_s);

	llc->test_interval = s > 0 ? (unsigned long)s * HZ : 0;
	for (i = 0; i < SMCX_LGR_LINKS; i++)
		INIT_DELAYED_WORK(&llc->links[i].test_work, smcx_llc_test_work);
}
