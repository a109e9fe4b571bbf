// SPDX-License-Identifier: GPL-2.0
/* Records of sockets that fell back: see fallback.h. */
#include <linux/bsearch.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sock_diag.h>
#include <linux/sort.h>
#include <net/inet_hashtables.h>
#include <net/inet6_hashtables.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "fallback.h"
#include "fallback_priv.h"
#include "netns.h"
#include "trace.h"

void smcx_fb_net_init(struct smcx_net *sn)
{
	spin_lock_init(&sn->fb_lock);
	INIT_LIST_HEAD(&sn->fb_recs);
	sn->nfb_recs = 0;
	sn->fb_seq = 0;
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
		/* 0 is a free place */
		if (c[i].count != U32_MAX)
			c[i].count++;
		return;
	}
}

static void smcx_fb_fill_addr(struct smcx_fb_rec *rec, const struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);

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

static void smcx_fb_fill(struct smcx_fb_rec *rec, struct sock *sk)
{
	u32 cookie[2];

	sock_diag_save_cookie(sk, cookie);
	rec->cookie = (u64)cookie[1] << 32 | cookie[0];
	smcx_fb_fill_addr(rec, sk);
}

void smcx_fb_record(struct smcx_net *sn, struct sock *sk, u32 reason,
		    u32 peer_reason, bool is_server)
{
	struct smcx_fb_rec *rec = kzalloc(sizeof(*rec), GFP_ATOMIC);
	struct smcx_fb_rec *old = NULL;

	smcx_stat_inc(sn, is_server ? SMCX_CNT_SRV_FALLBACK : SMCX_CNT_CLNT_FALLBACK);
	trace_smcx_fallback(sk, inet_sk(sk)->inet_num, ntohs(inet_sk(sk)->inet_dport), reason,
			    peer_reason, is_server);
	if (rec) {
		smcx_fb_fill(rec, sk);
		rec->reason = reason;
		rec->peer_reason = peer_reason;
		rec->is_server = is_server;
	}
	spin_lock_bh(&sn->fb_lock);
	smcx_fb_count(sn, reason, is_server);
	if (rec) {
		rec->seq = ++sn->fb_seq;
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

/* The socket at a record's addresses, referenced; another one may have them by now. */
static struct sock *smcx_fb_lookup(struct net *net, const struct smcx_fb_rec *rec)
{
	struct inet_hashinfo *hashinfo = net->ipv4.tcp_death_row.hashinfo;
	struct sock *sk = NULL;

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
	return sk;
}

/* Same addresses and same cookie, else it is gone. Without fb_lock: it takes the socket's locks. */
static bool smcx_fb_refresh(struct net *net, struct smcx_fb_rec *rec)
{
	struct sock *sk = smcx_fb_lookup(net, rec);
	bool alive;

	if (!sk)
		return false;
	alive = sk_fullsock(sk) &&
		(u64)atomic64_read(&sk->sk_cookie) == rec->cookie;
	if (alive) {
		rec->uid = sock_i_uid(sk);
		rec->inode = sock_i_ino(sk);
	}
	sock_gen_put(sk);
	return alive;
}

static int smcx_fb_cmp_cookies(const void *a, const void *b)
{
	const struct smcx_fb_rec *const *x = a, *const *y = b;

	return (*x)->cookie < (*y)->cookie ? -1 : (*x)->cookie > (*y)->cookie;
}

/*
 * Sockets that fell back before connect() had no addresses then: find their cookies among the connected ones, all
 * in one walk, which costs no more than one of ss. @open: such records, of which those not connected (yet), or gone, stay
 * without.
 */
static void smcx_fb_resolve(struct net *net, struct smcx_fb_rec **open, unsigned int n)
{
	struct inet_hashinfo *hashinfo = net->ipv4.tcp_death_row.hashinfo;
	struct smcx_fb_rec key = {}, *wanted = &key, **rec;
	const struct hlist_nulls_node *node;
	unsigned int i;
	struct sock *sk;

	sort(open, n, sizeof(*open), smcx_fb_cmp_cookies, NULL);
	for (i = 0; i <= hashinfo->ehash_mask; i++) {
		rcu_read_lock();
		sk_nulls_for_each_rcu(sk, node, &hashinfo->ehash[i].chain) {
			key.cookie = atomic64_read(&sk->sk_cookie);
			rec = bsearch(&wanted, open, n, sizeof(*open), smcx_fb_cmp_cookies);
			if (rec && sk_fullsock(sk))
				smcx_fb_fill_addr(*rec, sk);
		}
		rcu_read_unlock();
		cond_resched();
	}
}

/* Return: 0, -ENOMEM. */
static int smcx_fb_resolve_all(struct net *net, struct smcx_fb_rec *recs, unsigned int n)
{
	struct smcx_fb_rec **open;
	unsigned int i, nopen = 0;

	for (i = 0; i < n; i++)
		nopen += !recs[i].dport;
	if (!nopen)
		return 0;
	open = kvmalloc_array(nopen, sizeof(*open), GFP_KERNEL);
	if (!open)
		return -ENOMEM;
	nopen = 0;
	for (i = 0; i < n; i++)
		if (!recs[i].dport)
			open[nopen++] = &recs[i];
	smcx_fb_resolve(net, open, nopen);
	kvfree(open);
	return 0;
}

static struct smcx_fb_rec *smcx_fb_copy(struct smcx_net *sn, unsigned int *n)
{
	unsigned int room = READ_ONCE(sn->nfb_recs);
	struct smcx_fb_rec *copy, *rec;

	*n = 0;
	/* one at least: no memory must not look like no record */
	copy = kvmalloc_array(max(room, 1U), sizeof(*copy), GFP_KERNEL);
	if (!copy)
		return NULL;
	spin_lock_bh(&sn->fb_lock);
	list_for_each_entry(rec, &sn->fb_recs, node) {
		if (*n == room)
			break;
		copy[(*n)++] = *rec;
	}
	spin_unlock_bh(&sn->fb_lock);
	return copy;
}

/* @dead and the list are both sorted by falling sequence number. */
static void smcx_fb_drop(struct smcx_net *sn, const u64 *dead, unsigned int n)
{
	struct smcx_fb_rec *rec, *tmp;
	LIST_HEAD(drop);
	unsigned int i = 0;

	spin_lock_bh(&sn->fb_lock);
	list_for_each_entry_safe(rec, tmp, &sn->fb_recs, node) {
		while (i < n && dead[i] > rec->seq)
			i++;
		if (i == n)
			break;
		if (dead[i] != rec->seq)
			continue;
		list_move(&rec->node, &drop);
		sn->nfb_recs--;
	}
	spin_unlock_bh(&sn->fb_lock);
	list_for_each_entry_safe(rec, tmp, &drop, node)
		kfree(rec);
}

int smcx_fb_for_each(struct smcx_net *sn,
		     int (*fn)(const struct smcx_fb_rec *rec, void *arg),
		     void *arg)
{
	unsigned int i, n, ndead = 0;
	struct smcx_fb_rec *recs;
	u64 *dead;
	int rc = 0;

	recs = smcx_fb_copy(sn, &n);
	dead = kvmalloc_array(max(n, 1U), sizeof(*dead), GFP_KERNEL);
	if (!recs || !dead)
		rc = -ENOMEM;
	else
		rc = smcx_fb_resolve_all(sn->net, recs, n);
	for (i = 0; !rc && i < n; i++) {
		if (smcx_fb_refresh(sn->net, &recs[i]))
			rc = fn(&recs[i], arg);
		else if (recs[i].dport)
			dead[ndead++] = recs[i].seq;
		/* else not connected yet, or gone for good: as many as fit are kept */
		cond_resched();
	}
	if (ndead)
		smcx_fb_drop(sn, dead, ndead);
	kvfree(dead);
	kvfree(recs);
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
