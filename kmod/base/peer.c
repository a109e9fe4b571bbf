// SPDX-License-Identifier: GPL-2.0
/* Known servers: see peer.h. */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "netns.h"
#include "peer.h"

void smcx_peer_net_init(struct smcx_net *sn)
{
	struct smcx_peers *t = &sn->peers;
	int i;

	spin_lock_init(&t->lock);
	INIT_LIST_HEAD(&t->lru);
	for (i = 0; i < SMCX_PEER_BUCKETS; i++)
		INIT_HLIST_HEAD(&t->buckets[i]);
	t->n = 0;
	t->seed = get_random_u32();
}

static struct hlist_head *smcx_peer_bucket(struct smcx_peers *t, const struct smcx_peer_key *key)
{
	u32 h = jhash2((const __force u32 *)key->addr.s6_addr32, ARRAY_SIZE(key->addr.s6_addr32),
		       t->seed ^ (__force u32)key->port);

	return &t->buckets[h % SMCX_PEER_BUCKETS];
}

static bool smcx_peer_is_server(const struct smcx_peer *p, const struct smcx_peer_key *key)
{
	return p->key.family == key->family && p->key.port == key->port &&
	       ipv6_addr_equal(&p->key.addr, &key->addr);
}

static void smcx_peer_del(struct smcx_peers *t, struct smcx_peer *p)
{
	lockdep_assert_held(&t->lock);
	hlist_del(&p->hash);
	list_del(&p->lru);
	WRITE_ONCE(t->n, t->n - 1);
	kfree(p);
}

/* The oldest come first. */
static void smcx_peer_expire(struct smcx_peers *t)
{
	struct smcx_peer *p;

	lockdep_assert_held(&t->lock);
	while (t->n) {
		p = list_first_entry(&t->lru, struct smcx_peer, lru);
		if (t->n < SMCX_PEERS_MAX &&
		    time_before(jiffies, p->used + SMCX_PEER_IDLE_S * HZ))
			return;
		smcx_peer_del(t, p);
	}
}

static struct smcx_peer *smcx_peer_find(struct smcx_peers *t, const struct smcx_peer_key *key)
{
	struct smcx_peer *p;

	lockdep_assert_held(&t->lock);
	hlist_for_each_entry(p, smcx_peer_bucket(t, key), hash) {
		if (!smcx_peer_is_server(p, key) || !ipv6_addr_equal(&p->key.own, &key->own))
			continue;
		p->used = jiffies;
		list_move_tail(&p->lru, &t->lru);
		return p;
	}
	return NULL;
}

static struct smcx_peer *smcx_peer_find_or_add(struct smcx_peers *t, const struct smcx_peer_key *key)
{
	struct smcx_peer *p = smcx_peer_find(t, key);

	if (p)
		return p;
	smcx_peer_expire(t);
	p = kzalloc(sizeof(*p), GFP_ATOMIC);
	if (!p)
		return NULL;
	p->key = *key;
	p->used = jiffies;
	hlist_add_head(&p->hash, smcx_peer_bucket(t, key));
	list_add_tail(&p->lru, &t->lru);
	WRITE_ONCE(t->n, t->n + 1);
	return p;
}

u32 smcx_peer_left(bool on, unsigned long when)
{
	return on && time_before(jiffies, when) ? (when - jiffies + HZ - 1) / HZ : 0;
}

static bool smcx_peer_is_off(const struct smcx_peer *p)
{
	return smcx_peer_left(p->banned, p->ban_until) || smcx_peer_left(p->lost, p->lost_until);
}

bool smcx_peer_key_of(const struct sockaddr *addr, int len, struct smcx_peer_key *key)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	memset(key, 0, sizeof(*key));
	key->family = AF_INET;
	if (addr->sa_family == AF_INET && len >= (int)sizeof(*in)) {
		key->port = in->sin_port;
		key->addr.s6_addr32[0] = in->sin_addr.s_addr;
		return true;
	}
	if (addr->sa_family != AF_INET6 || len < SIN6_LEN_RFC2133)
		return false;
	key->port = in6->sin6_port;
	if (ipv6_addr_v4mapped(&in6->sin6_addr)) {
		key->addr.s6_addr32[0] = in6->sin6_addr.s6_addr32[3];
		return true;
	}
	key->family = AF_INET6;
	key->addr = in6->sin6_addr;
	return true;
}

bool smcx_peer_is_known(struct smcx_net *sn, const struct smcx_peer_key *key)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;
	bool known = false;

	if (!READ_ONCE(t->n))
		return false;
	spin_lock_bh(&t->lock);
	hlist_for_each_entry(p, smcx_peer_bucket(t, key), hash)
		if (smcx_peer_is_server(p, key) && p->invite.token && !smcx_peer_is_off(p))
			known = true;
	spin_unlock_bh(&t->lock);
	return known;
}

bool smcx_peer_use(struct smcx_net *sn, const struct smcx_peer_key *key, struct smcx_invite *invite)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;
	bool use;

	spin_lock_bh(&t->lock);
	smcx_peer_expire(t);
	p = smcx_peer_find(t, key);
	use = p && p->invite.token && !smcx_peer_is_off(p);
	if (use) {
		*invite = p->invite;
		p->tried++;
	}
	spin_unlock_bh(&t->lock);
	return use;
}

bool smcx_peer_is_banned(struct smcx_net *sn, const struct smcx_peer_key *key)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;
	bool off;

	spin_lock_bh(&t->lock);
	p = smcx_peer_find(t, key);
	off = p && smcx_peer_is_off(p);
	spin_unlock_bh(&t->lock);
	return off;
}

void smcx_peer_learn(struct smcx_net *sn, const struct smcx_peer_key *key,
		     const struct smcx_invite *invite)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;

	spin_lock_bh(&t->lock);
	p = smcx_peer_find_or_add(t, key);
	if (p) {
		p->invite = *invite;
		p->learnt++;
	}
	spin_unlock_bh(&t->lock);
}

void smcx_peer_forget(struct smcx_net *sn, const struct smcx_peer_key *key)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;

	spin_lock_bh(&t->lock);
	p = smcx_peer_find(t, key);
	if (p)
		p->invite.token = 0;
	spin_unlock_bh(&t->lock);
}

void smcx_peer_ban(struct smcx_net *sn, const struct smcx_peer_key *key)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;

	spin_lock_bh(&t->lock);
	p = smcx_peer_find_or_add(t, key);
	if (p) {
		p->invite.token = 0;
		p->banned = true;
		p->ban_until = jiffies + SMCX_PEER_BAN_S * HZ;
	}
	spin_unlock_bh(&t->lock);
}

void smcx_peer_lost(struct smcx_net *sn, const struct smcx_peer_key *key)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;

	spin_lock_bh(&t->lock);
	p = smcx_peer_find_or_add(t, key);
	if (p) {
		p->lost = true;
		p->lost_until = jiffies + SMCX_PEER_LOST_S * HZ;
	}
	spin_unlock_bh(&t->lock);
}

u32 smcx_peer_path_failed(struct smcx_net *sn, const struct smcx_peer_key *host)
{
	u32 seconds = READ_ONCE(sn->sysctl.path_retry_s);
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;

	if (!seconds)
		return 0;
	spin_lock_bh(&t->lock);
	p = smcx_peer_find_or_add(t, host);
	/* those that began before it was known count as one */
	if (!p || (!p->probing && smcx_peer_left(p->dead, p->dead_until))) {
		seconds = 0;
	} else {
		seconds <<= p->dead_times;
		if (p->dead_times < SMCX_PEER_DOUBLINGS)
			p->dead_times++;
		p->dead = true;
		p->probing = false;
		p->dead_until = jiffies + (unsigned long)seconds * HZ;
	}
	spin_unlock_bh(&t->lock);
	return seconds;
}

void smcx_peer_path_works(struct smcx_net *sn, const struct smcx_peer_key *host)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;

	if (!READ_ONCE(t->n))
		return;
	spin_lock_bh(&t->lock);
	p = smcx_peer_find(t, host);
	if (p)
		smcx_peer_del(t, p);
	spin_unlock_bh(&t->lock);
}

bool smcx_peer_may_try(struct smcx_net *sn, const struct smcx_peer_key *host)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *p;
	bool may = true;

	if (!READ_ONCE(t->n) || !READ_ONCE(sn->sysctl.path_retry_s))
		return true;
	spin_lock_bh(&t->lock);
	p = smcx_peer_find(t, host);
	if (p) {
		may = !smcx_peer_left(p->dead, p->dead_until);
		/* the others wait for what this one finds out */
		if (may) {
			p->probing = true;
			p->dead_until = jiffies + SMCX_PEER_PROBE_S * HZ;
		}
	}
	spin_unlock_bh(&t->lock);
	return may;
}

void smcx_peer_flush(struct smcx_net *sn)
{
	struct smcx_peers *t = &sn->peers;

	spin_lock_bh(&t->lock);
	while (t->n)
		smcx_peer_del(t, list_first_entry(&t->lru, struct smcx_peer, lru));
	spin_unlock_bh(&t->lock);
}

void smcx_peer_net_exit(struct smcx_net *sn)
{
	smcx_peer_flush(sn);
}

int smcx_peer_for_each(struct smcx_net *sn, int (*fn)(const struct smcx_peer *p, void *arg), void *arg)
{
	struct smcx_peers *t = &sn->peers;
	struct smcx_peer *all, *p;
	unsigned int n = 0, i;
	int rc = 0;

	all = kvmalloc_array(SMCX_PEERS_MAX, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	spin_lock_bh(&t->lock);
	list_for_each_entry(p, &t->lru, lru)
		all[n++] = *p;
	spin_unlock_bh(&t->lock);
	for (i = 0; i < n && !rc; i++)
		rc = fn(&all[i], arg);
	kvfree(all);
	return rc;
}
