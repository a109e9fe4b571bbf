// SPDX-License-Identifier: GPL-2.0
/* Receive buffer pool of a link group, see DOC in pool.h and protocol.rst 3.4 */

#include <linux/bitmap.h>

#include "../proto/rmbe.h"
#include "priv.h"

#define SMCX_POOL_FIRST		4		/* elements of a class' first region */
#define SMCX_POOL_GROWTH	4		/* each later one is that much larger, */
#define SMCX_POOL_REGION_MAX	SZ_2M		/* up to here */
#define SMCX_POOL_ELEMS_MAX	255		/* RMBE index is 8 bits, from 1 */
#define SMCX_POOL_ZERO_NOW	SZ_64K		/* more is zeroed by the next user, in process context */
#define SMCX_POOL_IDLE		(60 * HZ)
#define SMCX_POOL_RETIRE	32		/* quarantined elements a server's group puts up with */

/**
 * struct smcx_pool_region - a region and its elements
 * @node: in lgr->regions
 * @mem: registered memory
 * @code: size class of the elements
 * @going: being given back: no element of it is handed out
 * @n: elements
 * @busy: those handed out or quarantined
 * @idle_since: jiffies when @busy fell to 0
 * @used: elements handed out or quarantined
 * @touched: elements that have been handed out before
 * @dirty: per element: bytes to zero before it is handed out again
 *
 * All but the constant @mem, @code, @n under lgr->pool_lock; @dirty of a used element
 * belongs to its user.
 */
struct smcx_pool_region {
	struct list_head	node;
	struct smcx_region	*mem;
	u8			code;
	bool			going;
	unsigned int		n;
	unsigned int		busy;
	unsigned long		idle_since;
	DECLARE_BITMAP(used, SMCX_POOL_ELEMS_MAX);
	DECLARE_BITMAP(touched, SMCX_POOL_ELEMS_MAX);
	u32			dirty[];
};

static bool smcx_pool_is_first(const struct smcx_lgr *lgr, const struct smcx_pool_region *pr)
{
	return lgr->regions.next == &pr->node;
}

static bool smcx_pool_has_free(const struct smcx_pool_region *pr, u8 code)
{
	int state = READ_ONCE(pr->mem->state);

	return pr->code == code && !pr->going && pr->busy < pr->n &&
	       state != SMCX_REGION_FAILED && state != SMCX_REGION_DEAD;
}

/* Oldest region first, so that the later ones fall idle. Return: region with a now used element or NULL. */
static struct smcx_pool_region *smcx_pool_take(struct smcx_lgr *lgr, u8 code,
					       unsigned int *elem, bool *fresh)
{
	struct smcx_pool_region *pr, *found = NULL;

	spin_lock_bh(&lgr->pool_lock);
	list_for_each_entry(pr, &lgr->regions, node) {
		if (!smcx_pool_has_free(pr, code))
			continue;
		*elem = find_first_zero_bit(pr->used, pr->n);
		__set_bit(*elem, pr->used);
		*fresh = !__test_and_set_bit(*elem, pr->touched);
		pr->busy++;
		found = pr;
		break;
	}
	spin_unlock_bh(&lgr->pool_lock);
	return found;
}

static void smcx_pool_arm_shrink(struct smcx_lgr *lgr)
{
	spin_lock_bh(&lgr->lock);
	smcx_lgr_schedule(lgr, &lgr->shrink_work, SMCX_POOL_IDLE);
	spin_unlock_bh(&lgr->lock);
}

static void smcx_pool_untake(struct smcx_lgr *lgr, struct smcx_pool_region *pr,
			     unsigned int elem)
{
	bool idle;

	spin_lock_bh(&lgr->pool_lock);
	__clear_bit(elem, pr->used);
	pr->idle_since = jiffies;
	idle = !--pr->busy && !smcx_pool_is_first(lgr, pr);
	spin_unlock_bh(&lgr->pool_lock);
	if (idle)
		smcx_pool_arm_shrink(lgr);
}

static unsigned int smcx_pool_elems(struct smcx_lgr *lgr, u8 code, size_t mr_max)
{
	size_t cap = min_t(size_t, SMCX_POOL_REGION_MAX, mr_max) / smcx_rmbe_size(code);
	unsigned int n = SMCX_POOL_FIRST;
	struct smcx_pool_region *pr;

	lockdep_assert_held(&lgr->pool_mutex);
	cap = clamp_t(size_t, cap, 1, SMCX_POOL_ELEMS_MAX);
	list_for_each_entry(pr, &lgr->regions, node)
		if (pr->code == code && n < cap)
			n *= SMCX_POOL_GROWTH;
	return min_t(size_t, n, cap);
}

/* Fewer elements when memory is short. */
static struct smcx_region *smcx_pool_alloc(struct smcx_qp *qp, u8 code, unsigned int *n)
{
	struct smcx_region *mem;

	do {
		mem = smcx_region_create(qp, (size_t)*n * smcx_rmbe_size(code));
		if (!IS_ERR(mem) || PTR_ERR(mem) != -ENOMEM || *n == 1)
			return mem;
		*n = max(*n / SMCX_POOL_GROWTH, 1u);
	} while (true);
}

static int smcx_pool_register_one(struct smcx_lgr *lgr, struct smcx_region *mem)
{
	int rc = smcx_region_register(mem, true);

	if (!rc)
		rc = smcx_region_wait(mem);
	/*
	 * A registration that does not return means a QP that does not work, protocol.rst 3.2. The caller unmaps the
	 * region: no later than that the device must have given it up.
	 */
	if (rc == -ETIMEDOUT) {
		smcx_lgr_terminate(lgr, -ETIMEDOUT, 0);
		smcx_qp_fence(mem->qp);
	}
	return rc;
}

static int smcx_pool_add(struct smcx_lgr *lgr, struct smcx_region *mem, u8 code, unsigned int n)
{
	struct smcx_pool_region *pr;

	pr = kzalloc(struct_size(pr, dirty, n), GFP_KERNEL);
	if (!pr)
		return -ENOMEM;
	pr->mem = mem;
	pr->code = code;
	pr->n = n;
	pr->idle_since = jiffies;
	spin_lock_bh(&lgr->pool_lock);
	list_add_tail(&pr->node, &lgr->regions);
	lgr->nregions++;
	WRITE_ONCE(lgr->rmb_bytes, lgr->rmb_bytes + mem->size);
	spin_unlock_bh(&lgr->pool_lock);
	return 0;
}

static int smcx_pool_grow(struct smcx_lgr *lgr, u8 code)
{
	struct smcx_link *link = &lgr->links[0];
	struct smcx_region *mem;
	unsigned int n;
	int rc = 0;

	lockdep_assert_held(&lgr->pool_mutex);
	if (READ_ONCE(lgr->state) == SMCX_LGR_DYING)
		return -ENOTCONN;
	/* the peer's table of our keys is as long as ours of his */
	if (lgr->nregions >= SMCX_LGR_RKEYS)
		return -ENOSPC;
	/* only a client comes that far: the peer never answers a close, and the group has retired */
	if (READ_ONCE(lgr->quarantined) >= SMCX_POOL_ELEMS_MAX)
		return -ENOSPC;
	n = smcx_pool_elems(lgr, code, (size_t)link->qp->max_mr_pages << PAGE_SHIFT);
	mem = smcx_pool_alloc(link->qp, code, &n);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	if (smcx_link_is_sendable(link))
		rc = smcx_pool_register_one(lgr, mem);
	if (!rc)
		rc = smcx_pool_add(lgr, mem, code, n);
	if (rc)
		smcx_region_destroy(mem);
	return rc;
}

static struct smcx_pool_region *smcx_pool_take_or_grow(struct smcx_lgr *lgr, u8 code,
						       struct smcx_lgr_waiter *w,
						       unsigned int *elem, bool *fresh)
{
	struct smcx_pool_region *pr = smcx_pool_take(lgr, code, elem, fresh);
	int rc;

	if (pr)
		return pr;
	if (!w)
		return ERR_PTR(-EAGAIN);
	rc = smcx_lgr_grow_begin(lgr, w);
	if (rc)
		return ERR_PTR(rc);
	mutex_lock(&lgr->pool_mutex);
	/* who was at it before us has probably grown the class */
	while (!rc && !(pr = smcx_pool_take(lgr, code, elem, fresh)))
		rc = smcx_pool_grow(lgr, code);
	mutex_unlock(&lgr->pool_mutex);
	smcx_lgr_grow_end(lgr);
	return rc ? ERR_PTR(rc) : pr;
}

/* The registration posted by smcx_pool_register() may still be under way. */
static int smcx_pool_settle(struct smcx_region *mem, bool wait)
{
	if (READ_ONCE(mem->state) != SMCX_REGION_POSTED)
		return 0;
	return wait ? smcx_region_wait(mem) : -EAGAIN;
}

int smcx_rmbe_settle(const struct smcx_rmbe *rmbe)
{
	struct smcx_pool_region *pr = rmbe->priv;

	return smcx_region_wait(pr->mem);
}

static u8 smcx_pool_code(const struct smcx_qp *qp, u32 size)
{
	u8 code = smcx_rmbe_code(size, SMCX_RMBE_CODE_MAX);

	while (code && smcx_rmbe_size(code) >> PAGE_SHIFT > qp->max_mr_pages)
		code--;
	return code;
}

static size_t smcx_pool_off(const struct smcx_pool_region *pr, unsigned int elem)
{
	return (size_t)elem * smcx_rmbe_size(pr->code);
}

static void smcx_pool_zero(struct smcx_pool_region *pr, unsigned int elem, u32 dirty)
{
	memset(pr->mem->base + smcx_pool_off(pr, elem), 0, dirty);
	smcx_region_sync_device(pr->mem, smcx_pool_off(pr, elem), dirty);
}

void smcx_rmbe_store(const struct smcx_rmbe *rmbe, u32 off, const u8 *src, u32 len)
{
	const struct smcx_pool_region *pr = rmbe->priv;

	memcpy(rmbe->base + off, src, len);
	/* or a bounce buffer's older bytes would come back over these */
	smcx_region_sync_device(pr->mem, smcx_pool_off(pr, rmbe->idx - 1) + off, len);
}

void smcx_rmbe_fetch(const struct smcx_rmbe *rmbe, u32 off, u32 len)
{
	const struct smcx_pool_region *pr = rmbe->priv;

	smcx_region_sync_cpu(pr->mem, smcx_pool_off(pr, rmbe->idx - 1) + off, len);
}

int smcx_rmbe_get(struct smcx_lgr *lgr, u32 size, struct smcx_lgr_waiter *w, struct smcx_rmbe *rmbe)
{
	struct smcx_pool_region *pr;
	unsigned int elem;
	bool fresh;
	u8 code;
	int rc;

	if (!lgr->links[0].qp)
		return -ENOTCONN;
	code = smcx_pool_code(lgr->links[0].qp, size);
	do {
		pr = smcx_pool_take_or_grow(lgr, code, w, &elem, &fresh);
	} while (PTR_ERR_OR_ZERO(pr) == -ENOMEM && code--);
	if (IS_ERR(pr))
		return PTR_ERR(pr);
	rc = smcx_pool_settle(pr->mem, w);
	if (rc) {
		smcx_pool_untake(lgr, pr, elem);
		return rc;
	}
	rmbe->size = smcx_rmbe_size(pr->code);
	rmbe->base = pr->mem->base + smcx_pool_off(pr, elem);
	rmbe->sync = pr->mem->sync;
	rmbe->idx = elem + 1;
	rmbe->rkey = pr->mem->rkey;
	rmbe->addr = pr->mem->addr;
	rmbe->priv = pr;
	smcx_pool_zero(pr, elem, pr->dirty[elem]);
	pr->dirty[elem] = 0;
	smcx_stat_inc(lgr->sn, fresh ? SMCX_CNT_RMB_ALLOC : SMCX_CNT_RMB_REUSE);
	return 0;
}

static void smcx_pool_quarantine(struct smcx_lgr *lgr)
{
	unsigned int n;

	spin_lock_bh(&lgr->pool_lock);
	n = ++lgr->quarantined;
	spin_unlock_bh(&lgr->pool_lock);
	/* the server decides which group a connection joins: a client's works as long as it can */
	if (n >= (lgr->role == SMCX_SERVER ? SMCX_POOL_RETIRE : SMCX_POOL_ELEMS_MAX))
		WRITE_ONCE(lgr->retired, true);
}

void smcx_pool_note_syn(struct smcx_lgr *lgr)
{
	spin_lock_bh(&lgr->pool_lock);
	if (!lgr->pool_over) {
		lgr->syn_lost++;
		smcx_token_lost(lgr->sn, lgr->peer_id, 1);
	}
	spin_unlock_bh(&lgr->pool_lock);
}

/* The namespace may be gone when the group's memory goes. */
static void smcx_pool_settle_syns(struct smcx_lgr *lgr)
{
	spin_lock_bh(&lgr->pool_lock);
	lgr->pool_over = true;
	smcx_token_lost(lgr->sn, lgr->peer_id, -(int)lgr->syn_lost);
	lgr->syn_lost = 0;
	spin_unlock_bh(&lgr->pool_lock);
}

void smcx_rmbe_put(struct smcx_lgr *lgr, struct smcx_rmbe *rmbe, u32 dirty, bool quarantine)
{
	struct smcx_pool_region *pr = rmbe->priv;
	unsigned int elem = rmbe->idx - 1;

	if (!pr)
		return;
	dirty = min(dirty, rmbe->size);
	if (quarantine) {
		smcx_pool_quarantine(lgr);
	} else {
		if (dirty <= SMCX_POOL_ZERO_NOW)
			smcx_pool_zero(pr, elem, dirty);
		else
			pr->dirty[elem] = dirty;
		smcx_pool_untake(lgr, pr, elem);
	}
	memset(rmbe, 0, sizeof(*rmbe));
}

int smcx_pool_register(struct smcx_link *link)
{
	struct smcx_region *posted = NULL;
	struct smcx_lgr *lgr = link->lgr;
	struct smcx_pool_region *pr;
	int rc = 0;

	mutex_lock(&lgr->pool_mutex);
	list_for_each_entry(pr, &lgr->regions, node) {
		if (READ_ONCE(pr->mem->state) != SMCX_REGION_NEW)
			continue;
		rc = smcx_region_register(pr->mem, false);
		/* completions come in order: behind the last one there is room again */
		if (rc == -EBUSY && posted && !smcx_region_wait(posted))
			rc = smcx_region_register(pr->mem, false);
		if (rc)
			break;
		posted = pr->mem;
	}
	mutex_unlock(&lgr->pool_mutex);
	return rc;
}

/*
 * Return: region idle for long enough, now going; or NULL, then *wait is the time until
 * the next one is due, 0 = there is none
 */
static struct smcx_pool_region *smcx_pool_pick_idle(struct smcx_lgr *lgr, unsigned long *wait)
{
	unsigned long now = jiffies, left;
	struct smcx_pool_region *pr, *found = NULL;

	*wait = 0;
	spin_lock_bh(&lgr->pool_lock);
	list_for_each_entry(pr, &lgr->regions, node) {
		if (pr->busy || smcx_pool_is_first(lgr, pr))
			continue;
		if (time_after_eq(now, pr->idle_since + SMCX_POOL_IDLE)) {
			pr->going = true;
			found = pr;
			break;
		}
		left = pr->idle_since + SMCX_POOL_IDLE - now;
		*wait = *wait ? min(*wait, left) : left;
	}
	spin_unlock_bh(&lgr->pool_lock);
	return found;
}

static void smcx_pool_drop(struct smcx_lgr *lgr, struct smcx_pool_region *pr)
{
	mutex_lock(&lgr->pool_mutex);
	spin_lock_bh(&lgr->pool_lock);
	list_del(&pr->node);
	lgr->nregions--;
	WRITE_ONCE(lgr->rmb_bytes, lgr->rmb_bytes - pr->mem->size);
	spin_unlock_bh(&lgr->pool_lock);
	mutex_unlock(&lgr->pool_mutex);
	smcx_region_destroy(pr->mem);
	kfree(pr);
}

/*
 * No lock is held while the peer is asked: @going keeps everybody off the region. A peer that does not answer has no claim to it
 * either: no connection uses it, and every later one would be told its key again.
 */
static void smcx_pool_shrink_work(struct work_struct *work)
{
	struct smcx_lgr *lgr = container_of(to_delayed_work(work), struct smcx_lgr, shrink_work);
	struct smcx_pool_region *pr;
	unsigned long wait;
	int rc;

	while ((pr = smcx_pool_pick_idle(lgr, &wait))) {
		rc = smcx_link_llc->delete_rkey(&lgr->links[0], pr->mem->rkey);
		if (!rc || rc == -ETIMEDOUT) {
			smcx_pool_drop(lgr, pr);
			continue;
		}
		spin_lock_bh(&lgr->pool_lock);
		pr->going = false;
		pr->idle_since = jiffies;
		spin_unlock_bh(&lgr->pool_lock);
	}
	if (wait) {
		spin_lock_bh(&lgr->lock);
		smcx_lgr_schedule(lgr, &lgr->shrink_work, wait);
		spin_unlock_bh(&lgr->lock);
	}
	smcx_lgr_put(lgr);
}

void smcx_pool_init(struct smcx_lgr *lgr)
{
	mutex_init(&lgr->pool_mutex);
	spin_lock_init(&lgr->pool_lock);
	INIT_LIST_HEAD(&lgr->regions);
	INIT_DELAYED_WORK(&lgr->shrink_work, smcx_pool_shrink_work);
}

void smcx_pool_unmap(struct smcx_lgr *lgr)
{
	struct smcx_pool_region *pr;

	mutex_lock(&lgr->pool_mutex);
	list_for_each_entry(pr, &lgr->regions, node)
		smcx_region_unmap(pr->mem);
	mutex_unlock(&lgr->pool_mutex);
	smcx_pool_settle_syns(lgr);
}

void smcx_pool_free(struct smcx_lgr *lgr)
{
	struct smcx_pool_region *pr, *next;

	list_for_each_entry_safe(pr, next, &lgr->regions, node) {
		smcx_region_destroy(pr->mem);
		kfree(pr);
	}
	INIT_LIST_HEAD(&lgr->regions);
}

void smcx_pool_query(struct smcx_lgr *lgr, struct smcx_pool_info *info)
{
	struct smcx_pool_region *pr;

	memset(info, 0, sizeof(*info));
	spin_lock_bh(&lgr->pool_lock);
	info->regions = lgr->nregions;
	info->quarantined = lgr->quarantined;
	info->bytes = lgr->rmb_bytes;
	list_for_each_entry(pr, &lgr->regions, node) {
		info->elements += pr->n;
		info->in_use += pr->busy;
	}
	spin_unlock_bh(&lgr->pool_lock);
	info->in_use -= info->quarantined;
}
