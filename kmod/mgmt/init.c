// SPDX-License-Identifier: GPL-2.0
/* Registration of all interfaces: see mgmt.h. */
#include <linux/module.h>

#include "mgmt.h"
#include "priv.h"

static const struct {
	const char	*name;
	int		(*init)(void);
	void		(*exit)(void);
} smcx_mgmt_parts[] = {
	{ "sysctl net.smc",	smcx_mgmt_sysctl_init,	smcx_mgmt_sysctl_exit },
	{ "SMC_GEN_NETLINK",	smcx_mgmt_gen_init,	smcx_mgmt_gen_exit },
	{ "SMC_PNETID",		smcx_mgmt_pnet_init,	smcx_mgmt_pnet_exit },
	{ "SMCX netlink",	smcx_mgmt_own_init,	smcx_mgmt_own_exit },
	{ "sock_diag",		smcx_mgmt_diag_init,	smcx_mgmt_diag_exit },
};

static void smcx_mgmt_undo(unsigned int n)
{
	while (n--)
		smcx_mgmt_parts[n].exit();
}

int smcx_mgmt_init(void)
{
	unsigned int i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(smcx_mgmt_parts); i++) {
		rc = smcx_mgmt_parts[i].init();
		if (rc) {
			pr_err("smcx: cannot register %s, error %d\n",
			       smcx_mgmt_parts[i].name, rc);
			smcx_mgmt_undo(i);
			return rc;
		}
	}
	return 0;
}

void smcx_mgmt_exit(void)
{
	smcx_mgmt_undo(ARRAY_SIZE(smcx_mgmt_parts));
}
