// SPDX-License-Identifier: GPL-2.0
/* Members of a group: connections found by alert token, protocol.rst 3.6 */

#include "../proto/cdc.h"
#include "../proto/wire.h"
#include "priv.h"

#define SMCX_CDC_TOKEN_OFF	4	/* protocol.rst 5.1 */

/* unique per group is enough; per host makes traces readable */
static atomic_t smcx_member_token = ATOMIC_INIT(0);

void smcx_member_hold(struct smcx_member *m)
{
	refcount_inc(&m->ref);
}

void smcx_member_put(struct smcx_member *m)
{
	if (refcount_dec_and_test(&m->ref))
		m->ops->release(m);
}

/* Reserve a free token. Return: 0 or -ENOMEM. */
static int smcx_member_token_get(struct smcx_lgr *lgr, u32 *token)
{
	int rc;

	do {
		*token = atomic_inc_return(&smcx_member_token);
		rc = *token ? xa_insert_bh(&lgr->members, *token, NULL, GFP_KERNEL) : -EBUSY;
	} while (rc == -EBUSY);
	return rc;
}

/*
 * The entry appears under lgr->lock, so that the DYING work finds either the member
 * or no attempt to add it. Its memory was reserved before.
 */
static int smcx_member_list(struct smcx_member *m)
{
	struct smcx_lgr *lgr = m->lgr;
	int rc = -ENOTCONN;

	spin_lock_bh(&lgr->lock);
	if (lgr->state != SMCX_LGR_DYING) {
		set_bit(SMCX_MEMBER_LISTED, &m->flags);
		rc = xa_err(xa_store_bh(&lgr->members, m->token, m, GFP_ATOMIC));
	}
	spin_unlock_bh(&lgr->lock);
	return rc;
}

int smcx_member_add(struct smcx_member *m, struct smcx_lgr *lgr, struct smcx_link *link)
{
	int rc;

	INIT_LIST_HEAD(&m->wait_node);
	rc = smcx_member_token_get(lgr, &m->token);
	if (rc)
		return rc;
	m->lgr = smcx_lgr_hold(lgr);
	m->link = link;
	smcx_member_hold(m);
	atomic_inc(&link->nconns);
	rc = smcx_member_list(m);
	if (!rc)
		return 0;
	clear_bit(SMCX_MEMBER_LISTED, &m->flags);
	xa_erase_bh(&lgr->members, m->token);
	atomic_dec(&link->nconns);
	smcx_member_put(m);
	smcx_lgr_put(lgr);
	return rc;
}

void smcx_member_del(struct smcx_member *m)
{
	struct smcx_link *link = m->link;
	struct smcx_lgr *lgr = m->lgr;

	if (!test_and_clear_bit(SMCX_MEMBER_LISTED, &m->flags))
		return;
	xa_erase_bh(&lgr->members, m->token);
	/* the flag is down: smcx_link_wait_slot() cannot queue it again */
	spin_lock_bh(&link->tx_lock);
	list_del_init(&m->wait_node);
	spin_unlock_bh(&link->tx_lock);
	atomic_dec(&link->nconns);
	smcx_member_put(m);
	smcx_lgr_leave(lgr);
	smcx_lgr_put(lgr);
}

/* A token of somebody else's group, or of nobody, is ignored: it says nothing about this peer's connections. */
void smcx_member_rx(struct smcx_lgr *lgr, const u8 *buf, u32 len)
{
	struct smcx_member *m;

	if (len < SMCX_CDC_LEN_MIN)
		return;
	m = xa_load(&lgr->members, smcx_get32(buf + SMCX_CDC_TOKEN_OFF));
	if (!m || !refcount_inc_not_zero(&m->ref))
		return;
	m->ops->cdc(m, buf, len);
	smcx_member_put(m);
}

/* Return: referenced member with the lowest token above *token, or NULL */
static struct smcx_member *smcx_member_next(struct smcx_lgr *lgr, unsigned long *token)
{
	struct smcx_member *m;

	rcu_read_lock();
	do {
		m = xa_find_after(&lgr->members, token, ULONG_MAX, XA_PRESENT);
	} while (m && !refcount_inc_not_zero(&m->ref));
	rcu_read_unlock();
	return m;
}

/* Nobody is added to a DYING group, so going up the tokens meets everybody once. */
void smcx_members_kill(struct smcx_lgr *lgr)
{
	unsigned long token = 0;
	struct smcx_member *m;

	while ((m = smcx_member_next(lgr, &token))) {
		m->ops->kill(m, lgr->term_err);
		smcx_member_put(m);
	}
}

/* A queued member is in the table, or its smcx_member_del() waits for the lock: it has a reference. */
struct smcx_member *smcx_member_pop(struct smcx_link *link)
{
	struct smcx_member *m;

	spin_lock_bh(&link->tx_lock);
	m = list_first_entry_or_null(&link->tx_wait, struct smcx_member, wait_node);
	if (m) {
		list_del_init(&m->wait_node);
		smcx_member_hold(m);
	}
	spin_unlock_bh(&link->tx_lock);
	return m;
}
