// SPDX-License-Identifier: GPL-2.0
/*
 * Module entry: one ordered table, undone in reverse. Each layer may use those above it in
 * the table (below it in LAYERS) from its init to its exit.
 */
#include <linux/module.h>

#include "base/eid.h"
#include "base/netns.h"
#include "conn/conn.h"
#include "hs/hs.h"
#include "link/link.h"
#include "llc/llc.h"
#include "mgmt/mgmt.h"
#include "rdma/pnet.h"
#include "sock/sock.h"

struct smcx_layer {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
};

static int smcx_main_eid_init(void)
{
	smcx_eid_init();
	return 0;
}

static void smcx_main_eid_exit(void)
{
}

static int smcx_main_link_init(void)
{
	return smcx_link_init(&smcx_llc_handlers);
}

/*
 * sock goes last and leaves first: from its init on applications can enter,
 * after its exit none is left. Groups are ended by link's exit, so conn, which must
 * see its connections go, stands below link in the table's undo order.
 */
static const struct smcx_layer smcx_layers[] = {
	{ "namespaces",	smcx_base_netns_init,	smcx_base_netns_exit },
	{ "EIDs",	smcx_main_eid_init,	smcx_main_eid_exit },
	{ "PNET table",	smcx_pnet_init,		smcx_pnet_exit },
	{ "connections", smcx_conn_init,	smcx_conn_exit },
	{ "link control", smcx_llc_init,	smcx_llc_exit },
	{ "links",	smcx_main_link_init,	smcx_link_exit },
	{ "handshakes",	smcx_hs_init,		smcx_hs_exit },
	{ "sockets",	smcx_sock_init,		smcx_sock_exit },
	{ "management",	smcx_mgmt_init,		smcx_mgmt_exit },
};

static void smcx_main_undo(unsigned int n)
{
	while (n--)
		smcx_layers[n].exit();
}

static int __init smcx_main_init(void)
{
	unsigned int i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(smcx_layers); i++) {
		rc = smcx_layers[i].init();
		if (rc) {
			pr_err("smcx: cannot start %s, error %d\n",
			       smcx_layers[i].name, rc);
			smcx_main_undo(i);
			return rc;
		}
	}
	return 0;
}

static void __exit smcx_main_exit(void)
{
	smcx_main_undo(ARRAY_SIZE(smcx_layers));
}

module_init(smcx_main_init);
module_exit(smcx_main_exit);

MODULE_AUTHOR("smcx developers");
MODULE_DESCRIPTION("SMC-R sockets over RoCE with TCP as the fallback");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1");
MODULE_ALIAS_NETPROTO(PF_SMC);
