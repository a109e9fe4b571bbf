// SPDX-License-Identifier: GPL-2.0
/*
 * Life of a connection: made by the handshake, activated, or thrown away.
 */
#include <linux/slab.h>

#include "conn_priv.h"

static const struct smcx_member_ops smcx_conn_member_ops = {
	.cdc		= smcx_conn_cdc,
	.tx_ready	= smcx_conn_tx_ready,
	.kill		= smcx_conn_kill,
	.release	= smcx_conn_release,
};

static struct smcx_conn *conn_alloc(struct smcx_lgr *lgr, struct smcx_link *link,
				    u32 snd_limit)
{
	struct smcx_conn *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	refcount_set(&c->m.ref, 1);
	c->m.ops = &smcx_conn_member_ops;
	INIT_LIST_HEAD(&c->m.wait_node);
	spin_lock_init(&c->lock);
	c->state = SMCX_ST_INIT;
	INIT_LIST_HEAD(&c->tx.q.queue);
	INIT_LIST_HEAD(&c->tx.q.flight);
	c->tx.q.limit = snd_limit;
	c->tx.rkey_slot = -1;
	INIT_DELAYED_WORK(&c->timer, smcx_conn_timer);
	smcx_turn_init(c);
	c->dev = smcx_dev_hold(link->path.dev);
	c->sn = lgr->sn;
	smcx_conn_count_new();
	return c;
}

struct smcx_conn *smcx_conn_create(struct smcx_lgr *lgr, struct smcx_link *link,
				   u32 rmb_size, u32 snd_limit, struct smcx_lgr_waiter *w)
{
	struct smcx_conn *c = conn_alloc(lgr, link, snd_limit);
	int err;

	if (!c)
		return ERR_PTR(-ENOMEM);
	err = smcx_rmbe_get(lgr, rmb_size, w, &c->rx.rmbe);
	if (err)
		goto free;
	err = smcx_member_add(&c->m, lgr, link);
	if (err)
		goto put_rmbe;
	smcx_stat_hist(c->sn, SMCX_HIST_RX_RMB, c->rx.rmbe.size);
	smcx_stat_hist(c->sn, SMCX_HIST_TX_RMB, snd_limit);
	return c;

put_rmbe:
	smcx_rmbe_put(lgr, &c->rx.rmbe, 0, false);
free:
	smcx_member_put(&c->m);
	return ERR_PTR(err);
}

int smcx_conn_set_peer(struct smcx_conn *c, u32 token, u32 rkey, u64 addr,
		       u8 idx, u32 size)
{
	int slot;

	if (!token || !idx || !size)
		return -EPROTO;
	slot = smcx_rkey_add(c->m.link, rkey, addr);
	if (slot < 0)
		return slot;

	smcx_conn_lock(c);
	c->tx.rkey_slot = slot;
	c->tx.peer_token = token;
	c->tx.rkey = rkey;
	c->tx.raddr = addr + (u64)(idx - 1) * size;
	c->tx.peer_size = size;
	smcx_conn_unlock(c);
	return 0;
}

void smcx_conn_activate(struct smcx_conn *c, const struct smcx_setup *setup)
{
	u8 early;

	smcx_conn_lock(c);
	if (c->state == SMCX_ST_INIT) {
		WRITE_ONCE(c->state, SMCX_ST_ACTIVE);
		/* data may have overtaken the Confirm */
		if (atomic_read(&c->rx.avail))
			smcx_setup_count(c->sn, setup, SMCX_PHASE_FIRST_BYTE, 0);
		else
			c->setup = *setup;
		early = c->rx.sflags;
		c->rx.sflags = 0;
		if (c->killed)
			smcx_conn_event(c, SMCX_CLOSE_EV_KILL, c->err);
		smcx_conn_peer_flags(c, early);
		smcx_conn_push(c);
	}
	smcx_conn_unlock(c);
}

void smcx_conn_discard(struct smcx_conn *c, bool quarantine)
{
	smcx_conn_lock(c);
	c->detached = true;
	c->finished = true;
	WRITE_ONCE(c->killed, true);
	smcx_conn_unlock(c);

	smcx_rmbe_put(c->m.lgr, &c->rx.rmbe, c->rx.high, quarantine);
	smcx_member_del(&c->m);
	smcx_member_put(&c->m);
}

void smcx_conn_attach(struct smcx_conn *c, const struct smcx_conn_ops *ops, void *owner)
{
	c->owner = owner;
	rcu_assign_pointer(c->ops, ops);
	/* an urgent byte that came before: now there is somebody to ask */
	smcx_conn_lock(c);
	if (smcx_urg_skip(c)) {
		c->tx.update_due = true;
		smcx_conn_push(c);
	}
	smcx_conn_unlock(c);
}

int smcx_conn_init(void)
{
	return smcx_conn_state_init();
}

void smcx_conn_exit(void)
{
	smcx_conn_state_exit();
}
