// SPDX-License-Identifier: GPL-2.0
/* Trusted prefixes: see trust.h. */
#include <linux/slab.h>
#include <net/ipv6.h>

#include "netns.h"
#include "trust.h"

void smcx_trust_net_init(struct smcx_net *sn)
{
	spin_lock_init(&sn->trusts.lock);
	INIT_LIST_HEAD(&sn->trusts.list);
	sn->trusts.n = 0;
}

static bool smcx_trust_is_same(const struct smcx_trust *a, const struct smcx_trust *b)
{
	return a->family == b->family && a->len == b->len && a->port == b->port &&
	       ipv6_addr_equal(&a->addr, &b->addr);
}

/* Return: false if it makes no sense; else bits beyond the prefix are cleared in @to. */
static bool smcx_trust_normalise(const struct smcx_trust *t, struct smcx_trust *to)
{
	if ((t->family != AF_INET && t->family != AF_INET6) ||
	    t->len > (t->family == AF_INET ? 32 : 128))
		return false;
	*to = *t;
	INIT_LIST_HEAD(&to->node);
	ipv6_addr_prefix(&to->addr, &t->addr, t->len);
	return true;
}

static struct smcx_trust *smcx_trust_look(struct smcx_trusts *l, const struct smcx_trust *t)
{
	struct smcx_trust *e;

	lockdep_assert_held(&l->lock);
	list_for_each_entry(e, &l->list, node)
		if (smcx_trust_is_same(e, t))
			return e;
	return NULL;
}

int smcx_trust_add(struct smcx_net *sn, const struct smcx_trust *t)
{
	struct smcx_trusts *l = &sn->trusts;
	struct smcx_trust *e;
	int rc = 0;

	e = kmalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	if (!smcx_trust_normalise(t, e)) {
		kfree(e);
		return -EINVAL;
	}
	spin_lock_bh(&l->lock);
	if (smcx_trust_look(l, e))
		rc = -EEXIST;
	else if (l->n == SMCX_TRUST_MAX)
		rc = -ENOSPC;
	if (!rc) {
		list_add_tail(&e->node, &l->list);
		WRITE_ONCE(l->n, l->n + 1);
	}
	spin_unlock_bh(&l->lock);
	if (rc)
		kfree(e);
	return rc;
}

int smcx_trust_del(struct smcx_net *sn, const struct smcx_trust *t)
{
	struct smcx_trusts *l = &sn->trusts;
	struct smcx_trust want, *e;

	if (!smcx_trust_normalise(t, &want))
		return -ENOENT;
	spin_lock_bh(&l->lock);
	e = smcx_trust_look(l, &want);
	if (e) {
		list_del(&e->node);
		WRITE_ONCE(l->n, l->n - 1);
	}
	spin_unlock_bh(&l->lock);
	kfree(e);
	return e ? 0 : -ENOENT;
}

bool smcx_trust_find(struct smcx_net *sn, u16 family, const struct in6_addr *addr, u16 port,
		     bool *cookie)
{
	struct smcx_trusts *l = &sn->trusts;
	const struct smcx_trust *e;
	bool found = false;

	if (!READ_ONCE(l->n))
		return false;
	spin_lock_bh(&l->lock);
	list_for_each_entry(e, &l->list, node) {
		if (e->family != family || (e->port && e->port != port) ||
		    !ipv6_prefix_equal(&e->addr, addr, e->len))
			continue;
		if (cookie)
			*cookie = e->cookie;
		found = true;
		break;
	}
	spin_unlock_bh(&l->lock);
	return found;
}

unsigned int smcx_trust_get(struct smcx_net *sn, struct smcx_trust *to)
{
	struct smcx_trusts *l = &sn->trusts;
	const struct smcx_trust *e;
	unsigned int n = 0;

	spin_lock_bh(&l->lock);
	list_for_each_entry(e, &l->list, node)
		to[n++] = *e;
	spin_unlock_bh(&l->lock);
	return n;
}

void smcx_trust_flush(struct smcx_net *sn)
{
	struct smcx_trusts *l = &sn->trusts;
	struct smcx_trust *e, *next;

	spin_lock_bh(&l->lock);
	list_for_each_entry_safe(e, next, &l->list, node) {
		list_del(&e->node);
		kfree(e);
	}
	WRITE_ONCE(l->n, 0);
	spin_unlock_bh(&l->lock);
}
