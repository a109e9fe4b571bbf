// SPDX-License-Identifier: GPL-2.0
/* Groups that a client makes before it has heard of the server (Documentation/one-rtt.rst, EARLY) */

#include <net/ipv6.h>

#include "priv.h"

bool smcx_lgr_has_client(const struct smcx_lgr_params *p)
{
	struct smcx_lgr *lgr;
	bool has = false;

	spin_lock(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (lgr->sn != p->sn || lgr->role != SMCX_CLIENT || lgr->version < 2 ||
		    READ_ONCE(lgr->state) == SMCX_LGR_DYING || READ_ONCE(lgr->retired) ||
		    READ_ONCE(lgr->conns) >= lgr->max_conns)
			continue;
		if (!memcmp(lgr->peer_id, p->peer_id, sizeof(lgr->peer_id)) &&
		    ipv6_addr_equal(&lgr->client_ip, &p->client_ip) &&
		    !memcmp(&lgr->links[0].peer.gid, &p->peer_gid, sizeof(p->peer_gid)))
			has = true;
	}
	spin_unlock(&smcx_lgr_list_lock);
	return has;
}

void smcx_lgr_set_peer(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	/* readers hold either */
	spin_lock(&smcx_lgr_list_lock);
	spin_lock_bh(&lgr->lock);
	smcx_lgr_fill_agreed(lgr, p);
	spin_unlock_bh(&lgr->lock);
	spin_unlock(&smcx_lgr_list_lock);
}
