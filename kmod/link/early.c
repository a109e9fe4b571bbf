// SPDX-License-Identifier: GPL-2.0
/* Groups that a client makes before it has heard of the server (Documentation/one-rtt.rst, EARLY) */

#include <linux/etherdevice.h>

#include "priv.h"

bool smcx_lgr_has_client(const struct smcx_net *sn, const u8 peer_id[8], const u8 gid[16])
{
	struct smcx_lgr *lgr;
	bool has = false;

	spin_lock(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (lgr->sn != sn || lgr->role != SMCX_CLIENT || lgr->version < 2 ||
		    READ_ONCE(lgr->state) == SMCX_LGR_DYING || READ_ONCE(lgr->retired) ||
		    READ_ONCE(lgr->conns) >= lgr->max_conns)
			continue;
		if (!memcmp(lgr->peer_id, peer_id, 8) &&
		    !memcmp(&lgr->links[0].peer.gid, gid, 16))
			has = true;
	}
	spin_unlock(&smcx_lgr_list_lock);
	return has;
}

void smcx_lgr_set_peer(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	struct smcx_link *link = &lgr->links[0];

	/* readers hold either */
	spin_lock(&smcx_lgr_list_lock);
	spin_lock_bh(&lgr->lock);
	lgr->release = p->release;
	lgr->max_conns = p->max_conns;
	lgr->max_links = p->max_links;
	lgr->features = p->features;
	lgr->data = p->data;
	memcpy(lgr->peer_id, p->peer_id, sizeof(lgr->peer_id));
	memcpy(lgr->eid, p->eid, sizeof(lgr->eid));
	link->peer.gid = p->peer_gid;
	ether_addr_copy(link->peer.mac, p->peer_mac);
	spin_unlock_bh(&lgr->lock);
	spin_unlock(&smcx_lgr_list_lock);
}
