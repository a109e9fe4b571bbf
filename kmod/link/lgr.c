// SPDX-License-Identifier: GPL-2.0
/* Finding, joining and making groups, protocol.rst 3.6 and 3.7 */

#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <net/ipv6.h>

#include "priv.h"

static atomic_t smcx_lgr_next_id = ATOMIC_INIT(0);
static u64 smcx_lgr_next_seq;	/* under smcx_lgr_list_lock */

void smcx_lgr_fill_agreed(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	struct smcx_link *link = &lgr->links[0];

	lgr->release = p->release;
	lgr->max_conns = p->max_conns;
	lgr->max_links = p->max_links;
	lgr->features = p->features;
	lgr->data = p->data;
	memcpy(lgr->peer_id, p->peer_id, sizeof(lgr->peer_id));
	memcpy(lgr->eid, p->eid, sizeof(lgr->eid));
	link->peer.gid = p->peer_gid;
	ether_addr_copy(link->peer.mac, p->peer_mac);
}

static void smcx_lgr_fill(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	lgr->sn = p->sn;
	lgr->net_cookie = p->sn->net->net_cookie;
	lgr->buf_type = READ_ONCE(p->sn->sysctl.buf_type);
	lgr->id = (u32)atomic_inc_return(&smcx_lgr_next_id) << 8;
	lgr->role = p->role;
	lgr->version = p->version;
	lgr->family = p->family;
	lgr->client_ip = p->client_ip;
	lgr->server_ip = p->server_ip;
	smcx_lgr_fill_agreed(lgr, p);
	lgr->vlan_id = p->path->vlan_id;
	strscpy(lgr->pnetid, p->path->pnetid, sizeof(lgr->pnetid));
}

static void smcx_lgr_fill_link(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	struct smcx_link *link = &lgr->links[0];

	smcx_path_copy(&link->path, p->path);
	if (lgr->role == SMCX_SERVER) {
		link->id = 1;
		link->uid = lgr->id + link->id;
	}
}

/* Return: FORMING group, not listed, with references for the list and for the caller and one seat */
static struct smcx_lgr *smcx_lgr_alloc(const struct smcx_lgr_params *p)
{
	struct smcx_lgr *lgr;
	int i, rc;

	lgr = kvzalloc(sizeof(*lgr), GFP_KERNEL);
	if (!lgr)
		return ERR_PTR(-ENOMEM);
	smcx_lgr_life_count(1);
	INIT_LIST_HEAD(&lgr->node);
	refcount_set(&lgr->ref, 2);
	spin_lock_init(&lgr->lock);
	lgr->state = SMCX_LGR_FORMING;
	lgr->conns = 1;
	lgr->born = jiffies;
	INIT_LIST_HEAD(&lgr->waiters);
	xa_init_flags(&lgr->members, XA_FLAGS_LOCK_BH);
	smcx_lgr_end_init(lgr);
	smcx_pool_init(lgr);
	for (i = 0; i < SMCX_LGR_LINKS; i++)
		smcx_link_init_one(lgr, i);
	smcx_lgr_fill(lgr, p);
	smcx_lgr_fill_link(lgr, p);
	rc = smcx_link_llc->lgr_init(lgr);
	if (rc) {
		smcx_lgr_free(lgr);
		return ERR_PTR(rc);
	}
	return lgr;
}

static void smcx_lgr_list_add(struct smcx_lgr *lgr)
{
	lockdep_assert_held(&smcx_lgr_list_lock);
	lgr->seq = ++smcx_lgr_next_seq;
	list_add_tail(&lgr->node, &smcx_lgr_list);
}

/* A listed group gets its QP, or ends. The caller's seat and reference go with it then. */
static int smcx_lgr_start(struct smcx_lgr *lgr)
{
	int rc = smcx_link_create(&lgr->links[0]);

	if (rc) {
		smcx_lgr_terminate(lgr, rc, 0);
		smcx_lgr_leave(lgr);
		smcx_lgr_put(lgr);
	}
	return rc;
}

/*
 * Anybody can say in a Proposal that it is somebody else, and what a server accepts then is written to the memory
 * of whoever has the group. So a server's group belongs to the TCP address it was made for. A client goes
 * by the QPN in the Accept, as not every server does the same, and asks for more if the address is new
 * (smcx_client_may_join()).
 */
static bool smcx_lgr_is_peer(const struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	return lgr->sn == p->sn && lgr->role == p->role && lgr->version == p->version &&
	       (p->role == SMCX_CLIENT || ipv6_addr_equal(&lgr->client_ip, &p->client_ip)) &&
	       lgr->vlan_id == p->path->vlan_id &&
	       !memcmp(lgr->peer_id, p->peer_id, sizeof(lgr->peer_id));
}

static bool smcx_link_is_to(const struct smcx_link *link, const struct smcx_lgr_params *p)
{
	return !memcmp(&link->peer.gid, &p->peer_gid, sizeof(p->peer_gid)) &&
	       (p->version > 1 || ether_addr_equal(link->peer.mac, p->peer_mac)) &&
	       (p->role == SMCX_SERVER || link->peer.qpn == p->peer_qpn);
}

static struct smcx_link *smcx_lgr_match_link(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	struct smcx_link *link;
	int i;

	lockdep_assert_held(&lgr->lock);
	for (i = 0; i < SMCX_LGR_LINKS; i++) {
		link = &lgr->links[i];
		if (link->state == SMCX_LNK_ACTIVE && smcx_link_is_sendable(link) &&
		    smcx_link_is_to(link, p) && smcx_path_usable(&link->path))
			return link;
	}
	return NULL;
}

static bool smcx_lgr_take_seat(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	bool ok;

	spin_lock_bh(&lgr->lock);
	ok = lgr->state == SMCX_LGR_ACTIVE && !READ_ONCE(lgr->retired) &&
	     lgr->conns < lgr->max_conns && lgr->nrkeys < SMCX_LGR_RKEYS &&
	     smcx_lgr_match_link(lgr, p);
	if (ok) {
		smcx_lgr_hold(lgr);
		lgr->conns++;
	}
	spin_unlock_bh(&lgr->lock);
	return ok;
}

static bool smcx_lgr_is_forming(struct smcx_lgr *lgr, const struct smcx_lgr_params *p)
{
	bool is;

	spin_lock_bh(&lgr->lock);
	is = lgr->state == SMCX_LGR_FORMING && smcx_link_is_to(&lgr->links[0], p);
	spin_unlock_bh(&lgr->lock);
	return is;
}

static bool smcx_lgr_queue_up(struct smcx_lgr *lgr, struct smcx_lgr_waiter *w, unsigned int max)
{
	bool ok;

	spin_lock_bh(&lgr->lock);
	ok = smcx_lgr_wait_locked(lgr, w, max);
	spin_unlock_bh(&lgr->lock);
	return ok;
}

/* Can its end be what a client waits for? @may: the limit is that of the client's own groups. */
static bool smcx_lgr_is_in_the_way(struct smcx_lgr *lgr, const struct smcx_lgr_params *p, bool may)
{
	if (may)
		return smcx_lgr_is_peer(lgr, p) && smcx_lgr_is_forming(lgr, p);
	return lgr->sn == p->sn && lgr->role == p->role;
}

/*
 * A peer that goes silent after its Proposal leaves a group that never comes up, and everybody who
 * has waited for it in vain. If each of these made a group of its own, hundreds of QPs
 * and regions would be made in one go, and whoever connects meanwhile would stand behind
 * them. So only a few may form for one peer, and the rest goes on waiting. The same if a client calls itself
 * something else each time (smcx_lgr_may_form()).
 */
static enum smcx_join smcx_lgr_look_forming(const struct smcx_lgr_params *p,
					    struct smcx_lgr_waiter *w, bool waited)
{
	bool may = smcx_lgr_may_form(p);
	unsigned int forming = 0;
	struct smcx_lgr *lgr;

	lockdep_assert_held(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (!smcx_lgr_is_peer(lgr, p) || !smcx_lgr_is_forming(lgr, p))
			continue;
		forming++;
		if (!waited && smcx_lgr_queue_up(lgr, w, lgr->max_conns))
			return SMCX_JOIN_WAIT;
	}
	if (may && forming < SMCX_LGR_FORMING_MAX)
		return SMCX_JOIN_FIRST;
	/* the youngest, whether it has a seat for us or not, or is for us at all: who finds none looks again */
	list_for_each_entry_reverse(lgr, &smcx_lgr_list, node)
		if (smcx_lgr_is_in_the_way(lgr, p, may) && smcx_lgr_queue_up(lgr, w, UINT_MAX))
			return SMCX_JOIN_WAIT;
	return SMCX_JOIN_FIRST;
}

/* Return: REUSE (*res has the group), WAIT, or FIRST: no group for us */
static enum smcx_join smcx_lgr_look(const struct smcx_lgr_params *p, struct smcx_lgr_waiter *w,
				    bool waited, struct smcx_lgr **res)
{
	struct smcx_lgr *lgr;

	lockdep_assert_held(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (!smcx_lgr_is_peer(lgr, p) || !smcx_lgr_take_seat(lgr, p))
			continue;
		*res = lgr;
		return SMCX_JOIN_REUSE;
	}
	return w ? smcx_lgr_look_forming(p, w, waited) : SMCX_JOIN_WAIT;
}

/*
 * A new group is listed before it gets its QP, which takes a while: of many
 * simultaneous first contacts one makes a QP and the others wait.
 */
int smcx_lgr_join_server(const struct smcx_lgr_params *p, struct smcx_lgr_waiter *w,
			 bool waited, struct smcx_lgr **res)
{
	enum smcx_join join;
	struct smcx_lgr *lgr;
	int rc;

	*res = NULL;
	spin_lock(&smcx_lgr_list_lock);
	join = smcx_lgr_look(p, w, waited, res);
	spin_unlock(&smcx_lgr_list_lock);
	if (join != SMCX_JOIN_FIRST)
		return join;

	smcx_lgr_trim_idle();
	lgr = smcx_lgr_alloc(p);
	if (IS_ERR(lgr))
		return PTR_ERR(lgr);
	spin_lock(&smcx_lgr_list_lock);
	join = smcx_lgr_look(p, w, waited, res);
	if (join == SMCX_JOIN_FIRST)
		smcx_lgr_list_add(lgr);
	spin_unlock(&smcx_lgr_list_lock);
	if (join != SMCX_JOIN_FIRST) {
		smcx_lgr_free(lgr);
		return join;
	}
	rc = smcx_lgr_start(lgr);
	if (rc)
		return rc;
	*res = lgr;
	return SMCX_JOIN_FIRST;
}

struct smcx_lgr *smcx_lgr_create_client(const struct smcx_lgr_params *p)
{
	struct smcx_lgr *lgr;
	int rc;

	smcx_lgr_trim_idle();
	lgr = smcx_lgr_alloc(p);
	if (IS_ERR(lgr))
		return lgr;
	spin_lock(&smcx_lgr_list_lock);
	smcx_lgr_list_add(lgr);
	spin_unlock(&smcx_lgr_list_lock);
	rc = smcx_lgr_start(lgr);
	return rc ? ERR_PTR(rc) : lgr;
}

/*
 * FORMING with the link ACTIVE is good enough: our answer to CONFIRM_LINK is on its
 * way and the server may use the group before we have told our own handshake.
 */
static struct smcx_link *smcx_lgr_take_seat_client(struct smcx_lgr *lgr,
						   const struct smcx_lgr_params *p)
{
	struct smcx_link *link = NULL;

	spin_lock_bh(&lgr->lock);
	if (lgr->state != SMCX_LGR_DYING)
		link = smcx_lgr_match_link(lgr, p);
	if (link) {
		smcx_lgr_hold(lgr);
		lgr->conns++;
	}
	spin_unlock_bh(&lgr->lock);
	return link;
}

struct smcx_lgr *smcx_lgr_find_client(const struct smcx_lgr_params *p, struct smcx_link **res)
{
	struct smcx_lgr *lgr, *found = NULL;

	*res = NULL;
	spin_lock(&smcx_lgr_list_lock);
	list_for_each_entry(lgr, &smcx_lgr_list, node) {
		if (!smcx_lgr_is_peer(lgr, p))
			continue;
		*res = smcx_lgr_take_seat_client(lgr, p);
		if (!*res)
			continue;
		found = lgr;
		break;
	}
	spin_unlock(&smcx_lgr_list_lock);
	return found;
}

bool smcx_lgr_activate(struct smcx_lgr *lgr)
{
	bool ok;

	spin_lock_bh(&lgr->lock);
	ok = lgr->state == SMCX_LGR_FORMING;
	if (ok)
		WRITE_ONCE(lgr->state, SMCX_LGR_ACTIVE);
	/* after an early first contact the connection may be over already */
	if (ok && !lgr->conns)
		smcx_lgr_unused(lgr);
	spin_unlock_bh(&lgr->lock);
	if (!ok)
		return false;
	smcx_link_llc->link_up(&lgr->links[0]);
	smcx_lgr_waiters_tell(lgr, true);
	return true;
}

struct smcx_link *smcx_lgr_pick_link(struct smcx_lgr *lgr)
{
	struct smcx_link *link, *first = NULL, *second = NULL;
	bool odd;
	int i;

	spin_lock_bh(&lgr->lock);
	odd = lgr->conns & 1;
	for (i = 0; i < SMCX_LGR_LINKS; i++) {
		link = &lgr->links[i];
		if (link->state != SMCX_LNK_ACTIVE || !smcx_link_is_sendable(link))
			continue;
		if (!first)
			first = link;
		else if (!second)
			second = link;
	}
	spin_unlock_bh(&lgr->lock);
	return odd && second ? second : first;
}

/* Return: the group after @pos (NULL: the first) that is not DYING, referenced; or NULL */
static struct smcx_lgr *smcx_lgr_next(struct smcx_lgr *pos)
{
	u64 seq = pos ? pos->seq : 0;
	struct smcx_lgr *lgr, *next = NULL;

	spin_lock(&smcx_lgr_list_lock);
	/* @pos may have left the list; if not, go on from there */
	lgr = pos && !list_empty(&pos->node) ? pos :
	      list_first_entry(&smcx_lgr_list, struct smcx_lgr, node);
	list_for_each_entry_from(lgr, &smcx_lgr_list, node) {
		if (lgr->seq <= seq || READ_ONCE(lgr->state) == SMCX_LGR_DYING)
			continue;
		next = smcx_lgr_hold(lgr);
		break;
	}
	spin_unlock(&smcx_lgr_list_lock);
	return next;
}

int smcx_lgr_for_each(int (*fn)(struct smcx_lgr *lgr, void *arg), void *arg)
{
	struct smcx_lgr *lgr = smcx_lgr_next(NULL), *next;
	int rc = 0;

	while (lgr && !rc) {
		rc = fn(lgr, arg);
		next = rc ? NULL : smcx_lgr_next(lgr);
		smcx_lgr_put(lgr);
		lgr = next;
	}
	return rc;
}
