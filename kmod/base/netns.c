// SPDX-License-Identifier: GPL-2.0
/* Per-namespace state: created with the namespace, see netns.h. */
#include <linux/module.h>
#include <net/netns/generic.h>

#include "fallback_priv.h"
#include "netns.h"

static unsigned int smcx_net_id __read_mostly;

struct smcx_net *smcx_net(const struct net *net)
{
	return net_generic(net, smcx_net_id);
}

static void smcx_net_set_defaults(struct smcx_sysctl *s)
{
	s->autocorking_size = 65536;
	s->buf_type = 0;
	s->testlink_time_s = 30;
	s->wmem = 65536;
	s->rmem = 65536;
	s->max_links = 2;
	s->max_conns = 255;
	s->limit_hs = 0;
	s->lgr_free_delay_s = 600;
	s->hs_timeout_ms = 6000;
	s->close_timeout_s = 60;
	s->path_retry_s = 10;
	s->onertt = SMCX_ONERTT_CLIENT | SMCX_ONERTT_SERVER;
	s->onertt_token_life = 900;
	s->onertt_filter = 0;
	s->rkey_skip = 1;
	s->data_in_cdc = 1;
}

static int __net_init smcx_net_init(struct net *net)
{
	struct smcx_net *sn = smcx_net(net);

	sn->net = net;
	smcx_net_set_defaults(&sn->sysctl);
	spin_lock_init(&sn->socks_lock);
	INIT_LIST_HEAD(&sn->socks);
	sn->nsocks = 0;
	smcx_fb_net_init(sn);
	smcx_peer_net_init(sn);
	smcx_trust_net_init(sn);
	smcx_token_net_init(sn);
	sn->stats = alloc_percpu(struct smcx_stats);
	return sn->stats ? 0 : -ENOMEM;
}

static void __net_exit smcx_net_exit(struct net *net)
{
	struct smcx_net *sn = smcx_net(net);

	smcx_token_net_exit(sn);
	smcx_trust_flush(sn);
	smcx_peer_net_exit(sn);
	smcx_fb_net_exit(sn);
	free_percpu(sn->stats);
	sn->stats = NULL;
}

static struct pernet_operations smcx_net_ops = {
	.init	= smcx_net_init,
	.exit	= smcx_net_exit,
	.id	= &smcx_net_id,
	.size	= sizeof(struct smcx_net),
};

int smcx_base_netns_init(void)
{
	return register_pernet_subsys(&smcx_net_ops);
}

void smcx_base_netns_exit(void)
{
	unregister_pernet_subsys(&smcx_net_ops);
}
