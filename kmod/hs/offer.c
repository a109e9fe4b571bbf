// SPDX-License-Identifier: GPL-2.0
/* What this host can do for one TCP connection (protocol.rst 2.4, 2.7). */
#include <linux/minmax.h>
#include <net/dst.h>
#include <net/sock.h>

#include "../base/eid.h"
#include "../rdma/path.h"
#include "hs_priv.h"

/* Groups have one link today; announcing more would only cost a refused ADD_LINK. */
#define SMCX_OFFER_LINKS	1

static void smcx_local_find_v2(struct smcx_hs *hs)
{
	struct smcx_hs_local *loc = &hs->local;

	loc->offer.n_eids = smcx_eid_get(loc->offer.eids);
	if (!loc->offer.n_eids) {
		loc->offer.no_v2 = SMCX_REASON_LOCAL_NO_UEID;
		return;
	}
	loc->offer.no_v2 = smcx_path_find(hs->sk, SMCX_ROCE_V2, &loc->v2);
}

/* Bytes behind a CDC are stored beside those that the device writes. */
static bool smcx_local_may_store(const struct smcx_hs_local *loc)
{
	return (!loc->v1.dev || smcx_dev_is_coherent(loc->v1.dev)) && (!loc->v2.dev || smcx_dev_is_coherent(loc->v2.dev));
}

void smcx_local_build(struct smcx_hs *hs)
{
	struct smcx_hs_local *loc = &hs->local;
	const struct smcx_sysctl *sc = &hs->sn->sysctl;

	BUILD_BUG_ON(SMCX_OFFER_EIDS_MAX != SMCX_EID_MAX);
	smcx_local_find_v2(hs);
	loc->offer.no_v1 = smcx_path_find(hs->sk, SMCX_ROCE_V1, &loc->v1);
	loc->offer.release = SMCX_RELEASE_MAX;
	loc->offer.max_conns = READ_ONCE(sc->max_conns);
	loc->offer.caps = SMCX_HS_CAPS;
	if (!READ_ONCE(hs->sn->sysctl.data_in_cdc) || !smcx_local_may_store(loc))
		loc->offer.caps &= ~SMCX_CAP_DATA;
	loc->offer.max_links = min_t(unsigned int, READ_ONCE(sc->max_links), SMCX_OFFER_LINKS);
}

void smcx_local_release(struct smcx_hs *hs)
{
	smcx_path_release(&hs->local.v1);
	smcx_path_release(&hs->local.v2);
}

const struct smcx_path *smcx_local_path(const struct smcx_hs *hs)
{
	return hs->agreed.version == 1 ? &hs->local.v1 : &hs->local.v2;
}

bool smcx_local_is_ipsec(struct sock *sk)
{
	bool ipsec = false;
	struct dst_entry *dst = sk_dst_get(sk);

#ifdef CONFIG_XFRM
	ipsec = (dst && dst->xfrm) || rcu_access_pointer(sk->sk_policy[0]) ||
		rcu_access_pointer(sk->sk_policy[1]);
#endif
	dst_release(dst);
	return ipsec;
}
