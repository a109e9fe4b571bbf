// SPDX-License-Identifier: GPL-2.0
/* The layer's life, and the events that end many groups at once */

#include <linux/reboot.h>

#include "../rdma/dev.h"
#include "priv.h"

struct smcx_port {
	const struct smcx_dev	*dev;
	u8			port;	/* 0 = all */
};

static bool smcx_lgr_on_port(const struct smcx_lgr *lgr, const void *arg)
{
	const struct smcx_port *at = arg;
	int i;

	for (i = 0; i < SMCX_LGR_LINKS; i++)
		if (lgr->links[i].path.dev == at->dev &&
		    (!at->port || lgr->links[i].path.port == at->port))
			return true;
	return false;
}

static bool smcx_lgr_in_netns(const struct smcx_lgr *lgr, const void *arg)
{
	return lgr->sn == arg;
}

static bool smcx_lgr_any(const struct smcx_lgr *lgr, const void *arg)
{
	return true;
}

static void smcx_link_dev_remove(struct smcx_dev *dev)
{
	struct smcx_port at = { .dev = dev };

	smcx_lgr_end_all(smcx_lgr_on_port, &at, -ENETDOWN, SMCX_LLC_DEL_LOST_PATH);
}

/* Nothing can be said on a port without a carrier. */
static void smcx_link_port_down(struct smcx_dev *dev, u8 port)
{
	struct smcx_port at = { .dev = dev, .port = port };

	smcx_lgr_end_start(smcx_lgr_on_port, &at, -ENETDOWN, 0);
}

static const struct smcx_rdma_events smcx_link_events = {
	.dev_remove	= smcx_link_dev_remove,
	.port_down	= smcx_link_port_down,
};

void smcx_lgr_netns_exit(struct smcx_net *sn)
{
	smcx_lgr_end_all(smcx_lgr_in_netns, sn, -ENETDOWN, SMCX_LLC_DEL_PROGRAM);
}

static void __net_exit smcx_link_net_exit(struct net *net)
{
	smcx_lgr_netns_exit(smcx_net(net));
}

/* Registered after base's, so it runs before that frees the statistics. */
static struct pernet_operations smcx_link_net_ops = {
	.exit = smcx_link_net_exit,
};

/* So that peers learn of it now and not from their keep-alive. */
static int smcx_link_reboot(struct notifier_block *nb, unsigned long event, void *unused)
{
	smcx_lgr_end_all(smcx_lgr_any, NULL, -ENETDOWN, SMCX_LLC_DEL_OPERATOR);
	return NOTIFY_DONE;
}

static struct notifier_block smcx_link_reboot_nb = {
	.notifier_call = smcx_link_reboot,
};

int smcx_link_init(const struct smcx_link_handlers *h)
{
	int rc = smcx_lgr_life_init(h);

	if (rc)
		return rc;
	rc = smcx_rdma_init(&smcx_link_events);
	if (rc) {
		smcx_lgr_life_exit();
		return rc;
	}
	rc = register_reboot_notifier(&smcx_link_reboot_nb);
	if (rc)
		goto err_rdma;
	rc = register_pernet_subsys(&smcx_link_net_ops);
	if (rc)
		goto err_reboot;
	return 0;

err_reboot:
	unregister_reboot_notifier(&smcx_link_reboot_nb);
err_rdma:
	smcx_rdma_exit();
	smcx_lgr_life_exit();
	return rc;
}

void smcx_link_exit(void)
{
	unregister_pernet_subsys(&smcx_link_net_ops);
	unregister_reboot_notifier(&smcx_link_reboot_nb);
	smcx_lgr_end_all(smcx_lgr_any, NULL, -ENETDOWN, SMCX_LLC_DEL_OPERATOR);
	smcx_rdma_exit();
	smcx_lgr_life_exit();
}
