// SPDX-License-Identifier: GPL-2.0
/* What groups may cost: those being made for clients nobody knows yet, and those nobody uses */

#include <linux/mm.h>
#include <linux/sizes.h>
#include <net/ipv6.h>

#include "priv.h"

/*
 * A Proposal costs its sender a TCP connection, and the server a QP and a region before anything shows that there is an
 * RDMA device at its other end. Whom it names as its sender can be new each time, so addresses are
 * counted, and networks: a host may have as many addresses of a /64 as it likes.
 */
#define SMCX_ROOM_ADDR		16	/* groups that may be FORMING for one client's address, */
#define SMCX_ROOM_NET		64	/* for a /64, */
#define SMCX_ROOM_ALL		256	/* and for all clients of the namespace */

/* Together, groups without connections hold no more than this part of the memory. */
#define SMCX_ROOM_IDLE_SHARE	32
#define SMCX_ROOM_GROUP		SZ_512K	/* a group without its regions: receives, queues */

bool smcx_lgr_may_form(const struct smcx_lgr_params *p)
{
	unsigned int addr = 0, net = 0, all = 0;
	const struct smcx_lgr *lgr;

	lockdep_assert_held(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (lgr->sn != p->sn || lgr->role != SMCX_SERVER ||
		    READ_ONCE(lgr->state) != SMCX_LGR_FORMING)
			continue;
		addr += ipv6_addr_equal(&lgr->client_ip, &p->client_ip);
		net += ipv6_prefix_equal(&lgr->client_ip, &p->client_ip, 64);
		all++;
	}
	return addr < SMCX_ROOM_ADDR && net < SMCX_ROOM_NET && all < SMCX_ROOM_ALL;
}

static bool smcx_lgr_is_idle(const struct smcx_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	return lgr->state == SMCX_LGR_ACTIVE && !lgr->conns;
}

/* Return: bytes that all idle groups hold; *@oldest is the one without connections for longest */
static u64 smcx_lgr_look_idle(struct smcx_lgr **oldest)
{
	struct smcx_lgr *lgr;
	u64 bytes = 0;

	lockdep_assert_held(&smcx_lgr_list_lock);
	*oldest = NULL;
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		spin_lock_bh(&lgr->lock);
		if (smcx_lgr_is_idle(lgr)) {
			bytes += SMCX_ROOM_GROUP + READ_ONCE(lgr->rmb_bytes);
			if (!*oldest || time_before(lgr->unused_since, (*oldest)->unused_since))
				*oldest = lgr;
		}
		spin_unlock_bh(&lgr->lock);
	}
	return bytes;
}

/* Seats are taken under the list's lock: who is idle stays so. */
void smcx_lgr_trim_idle(void)
{
	u64 max = ((u64)totalram_pages() << PAGE_SHIFT) / SMCX_ROOM_IDLE_SHARE;
	struct smcx_lgr *oldest;

	spin_lock(&smcx_lgr_list_lock);
	while (smcx_lgr_look_idle(&oldest) > max)
		smcx_lgr_terminate(oldest, -ECONNABORTED, SMCX_LLC_DEL_PROGRAM);
	spin_unlock(&smcx_lgr_list_lock);
}
