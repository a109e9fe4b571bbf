// SPDX-License-Identifier: GPL-2.0
/* Records of sockets that fell back: see fallback.h. */
#include <linux/slab.h>
#include <linux/sock_diag.h>
#include <net/inet_hashtables.h>
#include <net/inet6_hashtables.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "fallback.h"
#include "fallback_priv.h"
#include "netns.h"

void smcx_fb_net_init(struct smcx_net *sn)
{
	spin_lock_init(&sn->fb_lock);
	INIT_LIST_HEAD(&sn->fb_recs);
	sn->nfb_recs = 0;
	memset(sn->fb_counts, 0, sizeof(sn->fb_counts));
	memset(sn->fb_totals, 0, sizeof(sn->fb_totals));
}

void smcx_fb_net_exit(struct smcx_net *sn)
{
	struct smcx_fb_rec *rec, *tmp;

	list_for_each_entry_safe(rec, tmp, &sn->fb_recs, node)
		kfree(rec);
	INIT_LIST_HEAD(&sn->fb_recs);
}

static void smcx_fb_count(struct smcx_net *sn, u32 reason, bool is_server)
{
	struct smcx_fb_count *c = sn->fb_counts[is_server];
	unsigned int i;

	sn->fb_totals[is_server]++;
	/* a full table cannot happen with the reasons defined; the totals still count */
	for (i = 0; i < SMCX_FB_REASONS_MAX; i++) {
		if (c[i].count && c[i].reason != reason)
			continue;
		c[i].reason = reason;
		c[i].count++;
		return;
	}
}

static void smcx_fb_fill(struct smcx_fb_rec *rec, struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);
	u32 cookie[2];

	sock_diag_save_cookie(sk, cookie);
	rec->cookie = (u64)cookie[1] << 32 | cookie[0];
	rec->family = sk->sk_family;
	rec->sport = inet->inet_num;
	rec->dport = inet->inet_dport;
	rec->ifindex = sk->sk_bound_dev_if;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		rec->saddr = sk->sk_v6_rcv_saddr;
		rec->daddr = sk->sk_v6_daddr;
		return;
	}
#endif
	rec->saddr.s6_addr32[0] = inet->inet_rcv_saddr;
	rec->daddr.s6_addr32[0] = inet->inet_daddr;
}

void smcx_fb_record(struct smcx_net *sn, struct sock *sk, u32 reason,
		    u32 peer_reason, bool is_server)
{
	struct smcx_fb_rec *rec = kzalloc(sizeof(*rec), GFP_ATOMIC);
	struct smcx_fb_rec *old = NULL;

	smcx_stat_inc(sn, is_server ? SMCX_CNT_SRV_FALLBACK : SMCX_CNT_CLNT_FALLBACK);
	if (rec) {
		smcx_fb_fill(rec, sk);
		rec->reason = reason;
		rec->peer_reason = peer_reason;
		rec->is_server = is_server;
	}
	spin_lock_bh(&sn->fb_lock);
	smcx_fb_count(sn, reason, is_server);
	if (rec) {
		list_add(&rec->node, &sn->fb_recs);
		if (sn->nfb_recs == SMCX_FB_RECS_MAX) {
			old = list_last_entry(&sn->fb_recs, struct smcx_fb_rec, node);
			list_del(&old->node);
		} else {
			sn->nfb_recs++;
		}
	}
	spin_unlock_bh(&sn->fb_lock);
	kfree(old);
}

/* The socket a record speaks of: same 4-tuple and same cookie, else it is gone. */
static bool smcx_fb_is_alive(struct net *net, const struct smcx_fb_rec *rec)
{
	struct inet_hashinfo *hashinfo = net->ipv4.tcp_death_row.hashinfo;
	struct sock *sk = NULL;
	bool alive;

	rcu_read_lock();
	if (rec->family == AF_INET)
		sk = __inet_lookup_established(net, hashinfo,
					       rec->daddr.s6_addr32[0], rec->dport,
					       rec->saddr.s6_addr32[0], rec->sport,
					       rec->ifindex, 0);
#if IS_ENABLED(CONFIG_IPV6)
	else if (ipv6_addr_v4mapped(&rec->daddr))
		sk = __inet_lookup_established(net, hashinfo,
					       rec->daddr.s6_addr32[3], rec->dport,
					       rec->saddr.s6_addr32[3], rec->sport,
					       rec->ifindex, 0);
	else
		sk = __inet6_lookup_established(net, hashinfo,
						&rec->daddr, rec->dport,
						&rec->saddr, rec->sport,
						rec->ifindex, 0);
#endif
	rcu_read_unlock();
	if (!sk)
		return false;
	alive = sk_fullsock(sk) &&
		(u64)atomic64_read(&sk->sk_cookie) == rec->cookie;
	sock_gen_put(sk);
	return alive;
}

/* Copies the @n-th record; dead ones met on the way are removed. */
static bool smcx_fb_next(struct smcx_net *sn, unsigned int n,
			 struct smcx_fb_rec *out)
{
	struct smcx_fb_rec *rec, *tmp;
	LIST_HEAD(dead);
	bool found = false;

	spin_lock_bh(&sn->fb_lock);
	list_for_each_entry_safe(rec, tmp, &sn->fb_recs, node) {
		if (n) {
			n--;
			continue;
		}
		if (!smcx_fb_is_alive(sn->net, rec)) {
			list_move(&rec->node, &dead);
			sn->nfb_recs--;
			continue;
		}
		*out = *rec;
		found = true;
		break;
	}
	spin_unlock_bh(&sn->fb_lock);
	list_for_each_entry_safe(rec, tmp, &dead, node)
		kfree(rec);
	return found;
}

int smcx_fb_for_each(struct smcx_net *sn,
		     int (*fn)(const struct smcx_fb_rec *rec, void *arg),
		     void *arg)
{
	struct smcx_fb_rec rec;
	unsigned int n;
	int rc = 0;

	for (n = 0; !rc && smcx_fb_next(sn, n, &rec); n++)
		rc = fn(&rec, arg);
	return rc;
}

unsigned int smcx_fb_counts(struct smcx_net *sn, bool is_server,
			    struct smcx_fb_count *out)
{
	unsigned int n = 0;

	spin_lock_bh(&sn->fb_lock);
	while (n < SMCX_FB_REASONS_MAX && sn->fb_counts[is_server][n].count) {
		out[n] = sn->fb_counts[is_server][n];
		n++;
	}
	spin_unlock_bh(&sn->fb_lock);
	return n;
}
