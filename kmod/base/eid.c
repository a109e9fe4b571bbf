// SPDX-License-Identifier: GPL-2.0
/* EID table: see eid.h. */
#include <linux/spinlock.h>
#include <linux/string.h>

#include "eid.h"

static DEFINE_SPINLOCK(smcx_eid_lock);	/* protects the two below; taken with BH off */
static u8 smcx_eids[SMCX_EID_MAX][SMCX_EID_LEN];
static unsigned int smcx_neids;

static int smcx_eid_index(const u8 *eid)
{
	unsigned int i;

	for (i = 0; i < smcx_neids; i++)
		if (!memcmp(smcx_eids[i], eid, SMCX_EID_LEN))
			return i;
	return -ENOENT;
}

int smcx_eid_add(const u8 eid[SMCX_EID_LEN])
{
	int rc = 0;

	spin_lock_bh(&smcx_eid_lock);
	if (smcx_eid_index(eid) >= 0)
		rc = -EEXIST;
	else if (smcx_neids == SMCX_EID_MAX)
		rc = -ERANGE;
	else
		memcpy(smcx_eids[smcx_neids++], eid, SMCX_EID_LEN);
	spin_unlock_bh(&smcx_eid_lock);
	return rc;
}

int smcx_eid_remove(const u8 eid[SMCX_EID_LEN])
{
	int i;

	spin_lock_bh(&smcx_eid_lock);
	i = smcx_eid_index(eid);
	if (i >= 0) {
		smcx_neids--;
		memmove(smcx_eids[i], smcx_eids[i + 1],
			(smcx_neids - i) * SMCX_EID_LEN);
	}
	spin_unlock_bh(&smcx_eid_lock);
	return i < 0 ? i : 0;
}

void smcx_eid_flush(void)
{
	spin_lock_bh(&smcx_eid_lock);
	smcx_neids = 0;
	spin_unlock_bh(&smcx_eid_lock);
}

unsigned int smcx_eid_get(u8 out[SMCX_EID_MAX][SMCX_EID_LEN])
{
	unsigned int n;

	spin_lock_bh(&smcx_eid_lock);
	n = smcx_neids;
	memcpy(out, smcx_eids, n * SMCX_EID_LEN);
	spin_unlock_bh(&smcx_eid_lock);
	return n;
}

void smcx_eid_init(void)
{
	u8 eid[SMCX_EID_LEN];

	memset(eid, ' ', sizeof(eid));
	memcpy(eid, SMCX_EID_DEFAULT, sizeof(SMCX_EID_DEFAULT) - 1);
	smcx_eid_add(eid);
}
