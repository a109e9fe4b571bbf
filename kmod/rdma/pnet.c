// SPDX-License-Identifier: GPL-2.0
/* PNET table, see DOC in pnet.h and protocol.rst 3.8, 7.3 */

#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include <rdma/ib_verbs.h>

#include "pnet.h"

/* The administrator of a namespace of his own adds, too: of names of devices that do not exist there is no end. */
#define SMCX_PNET_ITEMS_MAX	1024

struct smcx_pnet_item {
	struct list_head	node;
	struct smcx_pnet_entry	e;
	struct rcu_head		rcu;
};

/* per namespace: entries, each naming either an Ethernet device or an RDMA port. RCU; writers hold smcx_pnet_mutex */
struct smcx_pnet_table {
	struct list_head items;
};

static unsigned int smcx_pnet_id __read_mostly;
static DEFINE_MUTEX(smcx_pnet_mutex);

static struct list_head *smcx_pnet_items(struct net *net)
{
	struct smcx_pnet_table *table = net_generic(net, smcx_pnet_id);

	return &table->items;
}

static bool smcx_pnet_same_subject(const struct smcx_pnet_entry *a,
				   const struct smcx_pnet_entry *b)
{
	if (a->eth[0])
		return !strcmp(a->eth, b->eth);
	return !strcmp(a->ib, b->ib) && a->ib_port == b->ib_port;
}

/* A device is on one network: whoever wants another one deletes first. */
static int smcx_pnet_add_item(struct net *net, const struct smcx_pnet_entry *e)
{
	struct smcx_pnet_item *item;
	unsigned int n = 0;

	lockdep_assert_held(&smcx_pnet_mutex);
	list_for_each_entry(item, smcx_pnet_items(net), node) {
		if (smcx_pnet_same_subject(e, &item->e))
			return -EEXIST;
		n++;
	}
	if (n >= SMCX_PNET_ITEMS_MAX)
		return -ENOSPC;
	item = kzalloc(sizeof(*item), GFP_KERNEL_ACCOUNT);
	if (!item)
		return -ENOMEM;
	item->e = *e;
	list_add_tail_rcu(&item->node, smcx_pnet_items(net));
	return 0;
}

int smcx_pnet_add(struct net *net, const struct smcx_pnet_entry *e)
{
	struct smcx_pnet_entry eth = *e, ib = *e;
	int rc = -EEXIST, rc_ib;

	if (e->ib[0] && !net_eq(net, &init_net))
		return -EPERM;
	eth.ib[0] = '\0';
	eth.ib_port = 0;
	ib.eth[0] = '\0';
	mutex_lock(&smcx_pnet_mutex);
	if (e->eth[0])
		rc = smcx_pnet_add_item(net, &eth);
	if (e->ib[0] && rc != -ENOMEM) {
		rc_ib = smcx_pnet_add_item(net, &ib);
		if (rc || rc_ib != -EEXIST)
			rc = rc_ib;
	}
	mutex_unlock(&smcx_pnet_mutex);
	return rc;
}

int smcx_pnet_del(struct net *net, const char *name)
{
	struct smcx_pnet_item *item, *next;
	int rc = -ENOENT;

	mutex_lock(&smcx_pnet_mutex);
	list_for_each_entry_safe(item, next, smcx_pnet_items(net), node) {
		if (name && strcmp(name, item->e.name))
			continue;
		list_del_rcu(&item->node);
		kfree_rcu(item, rcu);
		rc = 0;
	}
	mutex_unlock(&smcx_pnet_mutex);
	return rc;
}

int smcx_pnet_for_each(struct net *net, const char *name,
		       int (*fn)(const struct smcx_pnet_entry *e, void *arg),
		       void *arg)
{
	struct smcx_pnet_item *item;
	struct smcx_pnet_entry e;
	int rc = 0;

	mutex_lock(&smcx_pnet_mutex);
	list_for_each_entry(item, smcx_pnet_items(net), node) {
		if (name && strcmp(name, item->e.name))
			continue;
		e = item->e;
		rc = fn(&e, arg);
		if (rc)
			break;
	}
	mutex_unlock(&smcx_pnet_mutex);
	return rc;
}

static bool smcx_pnet_lookup(struct net *net, const struct smcx_pnet_entry *subject,
			     char name[SMCX_PNETID_LEN + 1])
{
	struct smcx_pnet_item *item;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(item, smcx_pnet_items(net), node) {
		if (!smcx_pnet_same_subject(subject, &item->e))
			continue;
		memcpy(name, item->e.name, SMCX_PNETID_LEN + 1);
		found = true;
		break;
	}
	rcu_read_unlock();
	return found;
}

bool smcx_pnet_eth(struct net *net, const char *ifname, char name[SMCX_PNETID_LEN + 1])
{
	struct smcx_pnet_entry e = {};

	return strscpy(e.eth, ifname, sizeof(e.eth)) > 0 &&
	       smcx_pnet_lookup(net, &e, name);
}

static bool smcx_pnet_ib_name(const char *ibname, u8 port, char *name)
{
	struct smcx_pnet_entry e = { .ib_port = port };

	return strscpy(e.ib, ibname, sizeof(e.ib)) > 0 &&
	       smcx_pnet_lookup(&init_net, &e, name);
}

bool smcx_pnet_ib(const struct ib_device *ibdev, u8 port, char name[SMCX_PNETID_LEN + 1])
{
	const struct device *parent = ibdev->dev.parent;

	return smcx_pnet_ib_name(ibdev->name, port, name) ||
	       (parent && smcx_pnet_ib_name(dev_name(parent), port, name));
}

static int __net_init smcx_pnet_net_init(struct net *net)
{
	INIT_LIST_HEAD(smcx_pnet_items(net));
	return 0;
}

static void __net_exit smcx_pnet_net_exit(struct net *net)
{
	smcx_pnet_del(net, NULL);
}

static struct pernet_operations smcx_pnet_ops = {
	.init	= smcx_pnet_net_init,
	.exit	= smcx_pnet_net_exit,
	.id	= &smcx_pnet_id,
	.size	= sizeof(struct smcx_pnet_table),
};

int smcx_pnet_init(void)
{
	return register_pernet_subsys(&smcx_pnet_ops);
}

void smcx_pnet_exit(void)
{
	unregister_pernet_subsys(&smcx_pnet_ops);
}
