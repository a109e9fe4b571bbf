// SPDX-License-Identifier: GPL-2.0
/* Sysctls net.smc.* of each namespace, protocol.rst 7.4. */
#include <linux/slab.h>
#include <linux/sysctl.h>

#include "../base/netns.h"
#include "../compat/sysctl.h"
#include "../sock/sock.h"
#include "priv.h"

static const int smcx_zero;
static const int smcx_one = 1;
static const int smcx_two = 2;
static const int smcx_three = 3;
static const int smcx_min_buf = 16384;
static const int smcx_max_buf = INT_MAX / 2;
static const int smcx_min_conns = 16;
static const int smcx_max_conns = 255;
static const int smcx_max_testlink_s = INT_MAX / HZ;
static const int smcx_max_free_delay_s = 7 * 24 * 3600;
static const int smcx_min_hs_ms = 100;
static const int smcx_max_hs_ms = 600 * 1000;
static const int smcx_max_close_s = 3600;
static const int smcx_max_path_s = 3600;
static const int smcx_max_token_s = 24 * 3600;

/* The value is kept as any other, what it switches is not a value. */
static int smcx_sysctl_filter(smcx_compat_ctl_table *table, int write, void *buffer,
			      size_t *lenp, loff_t *ppos)
{
	struct smcx_net *sn = container_of(table->data, struct smcx_net, sysctl.onertt_filter);
	int rc = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (rc || !write)
		return rc;
	return smcx_filter_set(sn, READ_ONCE(sn->sysctl.onertt_filter));
}

/*
 * Values live in the namespace's struct smcx_net; the entry holds the offset in ->data until the
 * table is copied for a namespace.
 */
#define SMCX_SYSCTL(nm, field, handler, lo, hi) {			\
	.procname	= nm,						\
	.data		= (void *)offsetof(struct smcx_sysctl, field),	\
	.maxlen		= sizeof(int),					\
	.mode		= 0644,						\
	.proc_handler	= handler,					\
	.extra1		= (void *)(lo),					\
	.extra2		= (void *)(hi),					\
}

static int smcx_sysctl_free_delay(smcx_compat_ctl_table *table, int write, void *buffer,
				  size_t *lenp, loff_t *ppos)
{
	const struct smcx_sysctl *sc = container_of(table->data, struct smcx_sysctl,
						    lgr_free_delay_s);
	int rc = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (!rc && write)
		smcx_lgr_free_delay_changed(container_of(sc, struct smcx_net, sysctl));
	return rc;
}

static const struct ctl_table smcx_sysctl_table[] = {
	SMCX_SYSCTL("autocorking_size", autocorking_size, proc_douintvec, NULL, NULL),
	SMCX_SYSCTL("smcr_buf_type", buf_type, proc_dointvec_minmax, &smcx_zero, &smcx_two),
	SMCX_SYSCTL("smcr_testlink_time", testlink_time_s, proc_dointvec_minmax,
		    &smcx_zero, &smcx_max_testlink_s),
	SMCX_SYSCTL("wmem", wmem, proc_dointvec_minmax, &smcx_min_buf, &smcx_max_buf),
	SMCX_SYSCTL("rmem", rmem, proc_dointvec_minmax, &smcx_min_buf, &smcx_max_buf),
	SMCX_SYSCTL("smcr_max_links_per_lgr", max_links, proc_dointvec_minmax,
		    &smcx_one, &smcx_two),
	SMCX_SYSCTL("smcr_max_conns_per_lgr", max_conns, proc_dointvec_minmax,
		    &smcx_min_conns, &smcx_max_conns),
	SMCX_SYSCTL("limit_smc_hs", limit_hs, proc_dointvec_minmax, &smcx_zero, &smcx_one),
	/* not in in-tree smc */
	SMCX_SYSCTL("lgr_free_delay", lgr_free_delay_s, smcx_sysctl_free_delay,
		    &smcx_zero, &smcx_max_free_delay_s),
	SMCX_SYSCTL("handshake_timeout_ms", hs_timeout_ms, proc_dointvec_minmax,
		    &smcx_min_hs_ms, &smcx_max_hs_ms),
	SMCX_SYSCTL("close_timeout", close_timeout_s, proc_dointvec_minmax,
		    &smcx_one, &smcx_max_close_s),
	SMCX_SYSCTL("path_retry", path_retry_s, proc_dointvec_minmax,
		    &smcx_zero, &smcx_max_path_s),
	SMCX_SYSCTL("onertt", onertt, proc_dointvec_minmax, &smcx_zero, &smcx_three),
	SMCX_SYSCTL("onertt_token_life", onertt_token_life, proc_dointvec_minmax,
		    &smcx_one, &smcx_max_token_s),
	SMCX_SYSCTL("onertt_filter", onertt_filter, smcx_sysctl_filter, &smcx_zero, &smcx_one),
	SMCX_SYSCTL("data_in_cdc", data_in_cdc, proc_dointvec_minmax, &smcx_zero, &smcx_one),
	SMCX_SYSCTL("rkey_skip", rkey_skip, proc_dointvec_minmax, &smcx_zero, &smcx_one),
};

#define SMCX_SYSCTLS	ARRAY_SIZE(smcx_sysctl_table)

static int __net_init smcx_sysctl_net_init(struct net *net)
{
	struct smcx_net *sn = smcx_net(net);
	struct ctl_table *table;
	unsigned int i;

	/* one more: older kernels want an empty entry at the end */
	table = kcalloc(SMCX_SYSCTLS + 1, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	memcpy(table, smcx_sysctl_table, sizeof(smcx_sysctl_table));
	for (i = 0; i < SMCX_SYSCTLS; i++)
		table[i].data = (void *)&sn->sysctl + (size_t)table[i].data;
	sn->sysctl_hdr = smcx_compat_register_net_sysctl(net, "net/smc", table, SMCX_SYSCTLS);
	if (sn->sysctl_hdr)
		return 0;
	kfree(table);
	return -ENOMEM;
}

static void __net_exit smcx_sysctl_net_exit(struct net *net)
{
	struct smcx_net *sn = smcx_net(net);
	const struct ctl_table *table = sn->sysctl_hdr->ctl_table_arg;

	unregister_net_sysctl_table(sn->sysctl_hdr);
	smcx_filter_set(sn, false);
	sn->sysctl_hdr = NULL;
	kfree(table);
}

static struct pernet_operations smcx_sysctl_ops = {
	.init	= smcx_sysctl_net_init,
	.exit	= smcx_sysctl_net_exit,
};

int smcx_mgmt_sysctl_init(void)
{
	return register_pernet_subsys(&smcx_sysctl_ops);
}

void smcx_mgmt_sysctl_exit(void)
{
	unregister_pernet_subsys(&smcx_sysctl_ops);
}
