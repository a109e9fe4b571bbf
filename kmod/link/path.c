// SPDX-License-Identifier: GPL-2.0
/*
 * What a client's group finds out about the way to the server: base/peer keeps it.
 *
 * TCP gets through, or there were no group; RoCE need not, if a firewall thinks of the one and not of the other.
 * Then each first contact would cost seconds, or with EARLY a connection. A message that was acknowledged shows
 * that both directions are good. A group that ended by itself without one shows the contrary.
 */
#include <linux/inet.h>

#include "../base/netns.h"
#include "../base/peer.h"
#include "priv.h"

#define SMCX_PATH_TEXT	" does not get our RDMA messages, or we not its: connections to it stay TCP for %u s; let RoCE (UDP port 4791) pass both ways\n"

#define SMCX_PATH_SOON	(HZ + HZ / 2)

static void smcx_path_key(const struct smcx_lgr *lgr, struct smcx_peer_key *host)
{
	memset(host, 0, sizeof(*host));
	host->family = lgr->family;
	host->addr = lgr->server_ip;
}

void smcx_lgr_path_works(struct smcx_lgr *lgr)
{
	struct smcx_peer_key host;

	if (lgr->role != SMCX_CLIENT)
		return;
	smcx_path_key(lgr, &host);
	smcx_peer_path_works(lgr->sn, &host);
}

/*
 * A server whose listener closes ends a first contact on both ways, and our message finds nobody. One that waits for it
 * in vain waits for longer.
 */
void smcx_lgr_note_reset(struct smcx_lgr *lgr)
{
	if (time_before(jiffies, lgr->born + SMCX_PATH_SOON))
		WRITE_ONCE(lgr->hung_up, true);
}

void smcx_lgr_path_over(struct smcx_lgr *lgr)
{
	struct smcx_peer_key host;
	u32 seconds;

	if (lgr->role != SMCX_CLIENT || smcx_link_is_acked(&lgr->links[0]) || READ_ONCE(lgr->hung_up) ||
	    (lgr->term_err != -ECONNRESET && lgr->term_err != -ETIMEDOUT))
		return;
	smcx_path_key(lgr, &host);
	seconds = smcx_peer_path_failed(lgr->sn, &host);
	if (seconds && lgr->family == AF_INET)
		pr_warn_ratelimited("smcx: server %pI4" SMCX_PATH_TEXT, &host.addr.s6_addr32[0], seconds);
	else if (seconds)
		pr_warn_ratelimited("smcx: server %pI6c" SMCX_PATH_TEXT, &host.addr, seconds);
}
