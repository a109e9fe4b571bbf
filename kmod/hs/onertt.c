// SPDX-License-Identifier: GPL-2.0
/* Proposal in the SYN: what the handshake adds to the messages (Documentation/one-rtt.rst). */
#include <net/inet_sock.h>

#include "hs_priv.h"

static void smcx_onertt_addr(const struct sock *sk, bool own, struct in6_addr *to)
{
	const struct inet_sock *inet = inet_sk(sk);

	if (smcx_route_is_v4(sk))
		to->s6_addr32[0] = own ? inet->inet_rcv_saddr : inet->inet_daddr;
#if IS_ENABLED(CONFIG_IPV6)
	else
		*to = own ? sk->sk_v6_rcv_saddr : sk->sk_v6_daddr;
#endif
}

void smcx_hs_addresses(const struct smcx_hs *hs, struct in6_addr *client, struct in6_addr *server)
{
	bool own = hs->role == SMCX_CLIENT;

	memset(client, 0, sizeof(*client));
	memset(server, 0, sizeof(*server));
	smcx_onertt_addr(hs->sk, own, client);
	smcx_onertt_addr(hs->sk, !own, server);
}

void smcx_hs_peer_key(const struct sock *sk, struct smcx_peer_key *key)
{
	memset(key, 0, sizeof(*key));
	key->family = smcx_route_is_v4(sk) ? AF_INET : AF_INET6;
	key->port = inet_sk(sk)->inet_dport;
	smcx_onertt_addr(sk, false, &key->addr);
	smcx_onertt_addr(sk, true, &key->own);
}

/* The server's view: what the guard computes from the next SYN. */
static u64 smcx_onertt_invite(struct smcx_hs *hs)
{
	const struct sock *sk = hs->sk;
	struct smcx_flow flow;

	memset(&flow, 0, sizeof(flow));
	flow.family = htons(smcx_route_is_v4(sk) ? AF_INET : AF_INET6);
	flow.port = inet_sk(sk)->inet_sport;
	smcx_onertt_addr(sk, false, &flow.client);
	smcx_onertt_addr(sk, true, &flow.server);
	return smcx_token_make(hs->sn, &flow);
}

void smcx_onertt_fill_proposal(const struct smcx_hs *hs, struct smcx_clc_proposal *prop)
{
	u16 caps = hs->local.offer.caps & ~SMCX_CAP_EARLY;

	/* the bit says that the block is there */
	if (hs->early) {
		caps |= SMCX_CAP_EARLY;
		prop->has_early = true;
		prop->early = hs->early_block;
	}
	smcx_ext_put_caps(prop->vendor, caps);
	smcx_ext_put_token(prop->v2.reserved + SMCX_EXT_TOKEN_OFF, hs->invite.token);
}

void smcx_onertt_fill_accept(struct smcx_hs *hs, struct smcx_clc_accept *clc)
{
	u16 caps = hs->agreed.caps;

	/* a Proposal cannot say EARLY without its block; a server says it for the next one */
	if (hs->role == SMCX_SERVER && smcx_ext_caps(hs->prop.vendor))
		caps |= hs->local.offer.caps & SMCX_CAP_EARLY;
	if (hs->first)
		smcx_ext_put_caps(clc->fce.vendor, caps);
	if (hs->role == SMCX_SERVER && (hs->agreed.caps & SMCX_CAP_SYN) &&
	    smcx_token_may_invite(hs->sn))
		smcx_ext_put_token(clc->reserved, smcx_onertt_invite(hs));
}

void smcx_onertt_learn(struct smcx_hs *hs, const struct smcx_clc_accept *acc)
{
	struct smcx_invite *i = &hs->invite;

	/* a subsequent Accept does not repeat what the first one announced */
	i->caps = smcx_ext_caps(hs->first ? acc->fce.vendor : hs->lgr->peer_vendor);
	i->token = smcx_ext_accept_token(acc, i->caps);
	memcpy(i->peer_id, acc->peer_id, sizeof(i->peer_id));
	memcpy(i->gid, acc->gid, sizeof(i->gid));
}

/* An exchange over RDMA that had to be waited for was a round trip more. */
static void smcx_onertt_judge(struct smcx_hs *hs)
{
	struct smcx_conn *c = hs->conn;

	if (hs->state == SMCX_HS_WAIT_LINK || READ_ONCE(hs->rkey_event))
		hs->setup.one_rtt = false;
	/* data that overtook the Confirm has stopped the clock, which is not handed over then */
	spin_lock_bh(&c->lock);
	c->setup.one_rtt = hs->setup.one_rtt;
	spin_unlock_bh(&c->lock);
}

void smcx_onertt_commit(struct smcx_hs *hs)
{
	struct smcx_peer_key key;

	smcx_onertt_judge(hs);
	if (hs->role == SMCX_SERVER || !(READ_ONCE(hs->sn->sysctl.onertt) & SMCX_ONERTT_CLIENT))
		return;
	smcx_hs_peer_key(hs->sk, &key);
	if (hs->invite.token) {
		smcx_peer_learn(hs->sn, &key, &hs->invite);
		smcx_stat_inc(hs->sn, SMCX_CNT_ONERTT_LEARNT);
	} else {
		smcx_peer_forget(hs->sn, &key);
	}
}

void smcx_onertt_count(const struct smcx_hs *hs)
{
	if (!hs->syn || hs->role == SMCX_CLIENT)
		return;
	if (hs->res.conn)
		smcx_stat_inc(hs->sn, SMCX_CNT_ONERTT_COMMITTED);
	else if (!hs->res.err)
		smcx_stat_inc(hs->sn, SMCX_CNT_ONERTT_DECLINED);
	else if (hs->res.err == -ETIMEDOUT && !hs->syn_up)
		smcx_stat_inc(hs->sn, SMCX_CNT_ONERTT_TIMEOUT);
	else
		smcx_stat_inc(hs->sn, SMCX_CNT_ONERTT_FAILED);
}

/*
 * A SYN's data has no living client behind it until the final ACK has come; from then on the child
 * has the same time as any other.
 */
void smcx_onertt_check_up(struct smcx_hs *hs)
{
	if (!hs->syn || hs->syn_up || smcx_hs_is_syn_recv(hs->sk))
		return;
	hs->syn_up = true;
	smcx_hs_set_deadline(hs, READ_ONCE(hs->sn->sysctl.hs_timeout_ms));
}
