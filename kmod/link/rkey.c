// SPDX-License-Identifier: GPL-2.0
/* The peer's remote keys, protocol.rst 3.5 */

#include "priv.h"

static int smcx_rkey_find(const struct smcx_link *link, u32 rkey)
{
	const struct smcx_lgr *lgr = link->lgr;
	unsigned int i, seen = 0;

	lockdep_assert_held(&lgr->lock);
	for (i = 0; i < SMCX_LGR_RKEYS && seen < lgr->nrkeys; i++) {
		if (!lgr->rkeys[i].used)
			continue;
		if (lgr->rkeys[i].rkey[link->idx] == rkey)
			return i;
		seen++;
	}
	return -ENOENT;
}

static int smcx_rkey_find_free(const struct smcx_lgr *lgr)
{
	int i;

	lockdep_assert_held(&lgr->lock);
	for (i = 0; i < SMCX_LGR_RKEYS; i++)
		if (!lgr->rkeys[i].used)
			return i;
	return -ENOSPC;
}

/* One key means one region: a new address replaces the old one (a lost DELETE_RKEY). */
int smcx_rkey_add(struct smcx_link *link, u32 rkey, u64 addr)
{
	struct smcx_lgr *lgr = link->lgr;
	struct smcx_rkey *slot;
	int i;

	/* 0 is "unknown on that link" in the table; no device gives it out */
	if (!rkey)
		return -ENOSPC;
	spin_lock_bh(&lgr->lock);
	i = smcx_rkey_find(link, rkey);
	if (i < 0) {
		i = smcx_rkey_find_free(lgr);
		if (i < 0)
			goto out;
		lgr->nrkeys++;
		memset(&lgr->rkeys[i], 0, sizeof(lgr->rkeys[i]));
	}
	slot = &lgr->rkeys[i];
	slot->used = true;
	slot->rkey[link->idx] = rkey;
	slot->addr[link->idx] = addr;
out:
	spin_unlock_bh(&lgr->lock);
	return i;
}

bool smcx_rkey_is_known(const struct smcx_link *link, u32 rkey, u64 addr)
{
	struct smcx_lgr *lgr = link->lgr;
	bool known = false;
	int i;

	spin_lock_bh(&lgr->lock);
	i = rkey ? smcx_rkey_find(link, rkey) : -ENOENT;
	if (i >= 0)
		known = lgr->rkeys[i].addr[link->idx] == addr;
	spin_unlock_bh(&lgr->lock);
	return known;
}

void smcx_rkey_set(struct smcx_lgr *lgr, int slot, u8 link_id, u32 rkey, u64 addr)
{
	int i;

	if (slot < 0 || slot >= SMCX_LGR_RKEYS || !link_id)
		return;
	spin_lock_bh(&lgr->lock);
	for (i = 0; i < SMCX_LGR_LINKS; i++) {
		if (lgr->links[i].id != link_id || !lgr->rkeys[slot].used)
			continue;
		lgr->rkeys[slot].rkey[i] = rkey;
		lgr->rkeys[slot].addr[i] = addr;
	}
	spin_unlock_bh(&lgr->lock);
}

int smcx_rkey_del(struct smcx_link *link, u32 rkey)
{
	struct smcx_lgr *lgr = link->lgr;
	int i;

	if (!rkey)
		return -ENOENT;
	spin_lock_bh(&lgr->lock);
	i = smcx_rkey_find(link, rkey);
	if (i >= 0) {
		lgr->rkeys[i].used = false;
		lgr->nrkeys--;
	}
	spin_unlock_bh(&lgr->lock);
	return i < 0 ? i : 0;
}
