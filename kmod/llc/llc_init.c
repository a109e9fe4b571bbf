// SPDX-License-Identifier: GPL-2.0
/* Life of the LLC state of a group */

#include <linux/slab.h>

#include "llc_priv.h"

static int smcx_llc_lgr_init(struct smcx_lgr *lgr)
{
	struct smcx_llc_state *llc = kzalloc(sizeof(*llc), GFP_KERNEL);
	int i;

	if (!llc)
		return -ENOMEM;
	llc->lgr = lgr;
	spin_lock_init(&llc->lock);
	init_completion(&llc->flow_done);
	init_completion(&llc->bye_done);
	for (i = 0; i < SMCX_LGR_LINKS; i++)
		llc->links[i].link = &lgr->links[i];
	smcx_llc_confirm_init(llc);
	smcx_llc_test_init(llc);
	smcx_llc_ask_init(llc);
	lgr->llc = llc;
	return 0;
}

static void smcx_llc_lgr_exit(struct smcx_lgr *lgr)
{
	struct smcx_llc_state *llc = lgr->llc;
	int i;

	spin_lock_bh(&llc->lock);
	llc->stopped = true;
	spin_unlock_bh(&llc->lock);
	complete_all(&llc->flow_done);
	smcx_llc_ask_exit(llc);
	cancel_delayed_work_sync(&llc->confirm_timer);
	cancel_work_sync(&llc->confirm_work);
	for (i = 0; i < SMCX_LGR_LINKS; i++)
		cancel_delayed_work_sync(&llc->links[i].test_work);
}

static void smcx_llc_lgr_free(struct smcx_lgr *lgr)
{
	kfree(lgr->llc);
	lgr->llc = NULL;
}

const struct smcx_link_handlers smcx_llc_handlers = {
	.llc_rx		= smcx_llc_rx,
	.slot_free	= smcx_llc_slot_free,
	.lgr_init	= smcx_llc_lgr_init,
	.lgr_exit	= smcx_llc_lgr_exit,
	.lgr_free	= smcx_llc_lgr_free,
	.lgr_goodbye	= smcx_llc_goodbye,
	.link_up	= smcx_llc_link_up,
	.delete_rkey	= smcx_llc_delete_rkey,
};

int smcx_llc_init(void)
{
	return 0;
}

void smcx_llc_exit(void)
{
}
