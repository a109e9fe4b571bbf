// SPDX-License-Identifier: GPL-2.0
/* Life of a handshake object and the loop that runs its steps: see hs.h. */
#include <linux/slab.h>

#include "hs_priv.h"

/*
 * Every queued run of hs->work holds a reference; smcx_hs_queue() is the only
 * place that queues. The deadline is the delay of that same work, so an event
 * simply brings the run forward.
 */
static struct workqueue_struct *smcx_hs_wq;

/* While SO_RCVLOWAT hides small messages from us, look by ourselves. */
#define SMCX_HS_POLL_MS	20

static void smcx_hs_free(struct smcx_hs *hs)
{
	kfree_rcu(hs, rcu);
}

void smcx_hs_put(struct smcx_hs *hs)
{
	if (hs && refcount_dec_and_test(&hs->ref))
		smcx_hs_free(hs);
}

static void smcx_hs_queue(struct smcx_hs *hs, unsigned long delay)
{
	refcount_inc(&hs->ref);
	if (mod_delayed_work(smcx_hs_wq, &hs->work, delay))
		smcx_hs_put(hs);	/* was queued already, with its reference */
}

/* After a step: run again at the deadline unless an event has queued us meanwhile. */
static void smcx_hs_rearm(struct smcx_hs *hs)
{
	unsigned long now = jiffies;
	unsigned long delay = time_after(hs->deadline, now) ? hs->deadline - now : 0;

	if (READ_ONCE(hs->sk->sk_rcvlowat) > 1)
		delay = min(delay, msecs_to_jiffies(SMCX_HS_POLL_MS));
	refcount_inc(&hs->ref);
	if (!queue_delayed_work(smcx_hs_wq, &hs->work, delay))
		smcx_hs_put(hs);
}

static void smcx_hs_count(const struct smcx_hs *hs)
{
	bool clnt = hs->role == SMCX_CLIENT;

	smcx_onertt_count(hs);
	if (hs->res.err) {
		smcx_stat_inc(hs->sn, clnt ? SMCX_CNT_CLNT_HS_ERR : SMCX_CNT_SRV_HS_ERR);
	} else if (hs->res.conn) {
		if (hs->agreed.version == 1)
			smcx_stat_inc(hs->sn, clnt ? SMCX_CNT_CLNT_V1_OK : SMCX_CNT_SRV_V1_OK);
		else
			smcx_stat_inc(hs->sn, clnt ? SMCX_CNT_CLNT_V2_OK : SMCX_CNT_SRV_V2_OK);
		smcx_stat_inc(hs->sn, hs->first ? SMCX_CNT_FIRST_CONTACT : SMCX_CNT_REUSE);
	}
}

/* A kick may come before the start and after the verdict; neither has a deadline. */
static bool smcx_hs_is_running(const struct smcx_hs *hs)
{
	enum smcx_hs_state state = READ_ONCE(hs->state);

	return state > SMCX_HS_ABANDONED && state != SMCX_HS_DONE;
}

static enum smcx_hs_next smcx_hs_step(struct smcx_hs *hs)
{
	if (hs->state == SMCX_HS_WAIT_LINK)
		return smcx_hs_step_link(hs);
	if (hs->state == SMCX_HS_WAIT_DECLINE)
		return smcx_hs_step_decline(hs);
	return hs->role == SMCX_CLIENT ? smcx_hs_client_step(hs) : smcx_hs_server_step(hs);
}

/* Drops a reference. */
static void smcx_hs_run(struct smcx_hs *hs, bool brief)
{
	enum smcx_hs_next next = SMCX_HS_SLEEP;

	mutex_lock(&hs->run);
	hs->brief = brief;
	if (READ_ONCE(hs->state) == SMCX_HS_ABANDONED) {
		smcx_hs_drop(hs);
		hs->state = SMCX_HS_DONE;
	}
	while (!READ_ONCE(hs->cancelled) && smcx_hs_is_running(hs)) {
		next = smcx_hs_step(hs);
		if (next != SMCX_HS_AGAIN)
			break;
	}
	if (next == SMCX_HS_FINISHED) {
		hs->state = SMCX_HS_DONE;
		smcx_hs_count(hs);
		hs->ops->done(hs->owner, &hs->res);
	} else if (!READ_ONCE(hs->cancelled) && smcx_hs_is_running(hs)) {
		/* there is no group to join, or no element in it: the work may make one */
		if (brief && hs->state == SMCX_HS_WAIT_LGR)
			smcx_hs_queue(hs, 0);
		else
			smcx_hs_rearm(hs);
	}
	mutex_unlock(&hs->run);
	smcx_hs_put(hs);
}

static void smcx_hs_work(struct work_struct *work)
{
	smcx_hs_run(container_of(to_delayed_work(work), struct smcx_hs, work), false);
}

static void smcx_hs_lgr_event(struct smcx_lgr_waiter *w, bool ok)
{
	struct smcx_hs *hs = container_of(w, struct smcx_hs, waiter);

	WRITE_ONCE(hs->link_event, ok ? 1 : -1);
	smcx_hs_queue(hs, 0);
}

void smcx_hs_rkey_event(struct smcx_llc_ask *ask, int err)
{
	struct smcx_hs *hs = container_of(ask, struct smcx_hs, ask);

	WRITE_ONCE(hs->rkey_event, err ? : 1);
	smcx_hs_queue(hs, 0);
}

struct smcx_hs *smcx_hs_create(struct sock *sk, enum smcx_role role,
			       const struct smcx_hs_ops *ops, void *owner, gfp_t gfp)
{
	struct smcx_hs *hs = kzalloc(sizeof(*hs), gfp);

	if (!hs)
		return NULL;
	refcount_set(&hs->ref, 1);
	INIT_DELAYED_WORK(&hs->work, smcx_hs_work);
	mutex_init(&hs->run);
	INIT_LIST_HEAD(&hs->waiter.node);
	hs->waiter.fn = smcx_hs_lgr_event;
	INIT_LIST_HEAD(&hs->ask.node);
	hs->ask.fn = smcx_hs_rkey_event;
	hs->sk = sk;
	hs->sn = smcx_net(sock_net(sk));
	hs->role = role;
	hs->ops = ops;
	hs->owner = owner;
	hs->version = 1;
	return hs;
}

void smcx_hs_prepare(struct smcx_hs *hs)
{
	refcount_inc(&hs->ref);
	smcx_setup_start(&hs->setup, hs->sk, hs->role == SMCX_SERVER);
	smcx_hs_set_deadline(hs, READ_ONCE(hs->sn->sysctl.hs_timeout_ms));
	WRITE_ONCE(hs->state, hs->role == SMCX_CLIENT ? SMCX_HS_PROPOSE :
							SMCX_HS_WAIT_PROPOSAL);
}

void smcx_hs_run_first(struct smcx_hs *hs)
{
	smcx_hs_run(hs, true);
}

void smcx_hs_start(struct smcx_hs *hs)
{
	smcx_hs_prepare(hs);
	smcx_hs_queue(hs, 0);
	smcx_hs_put(hs);
}

void smcx_hs_start_proposed(struct smcx_hs *hs)
{
	smcx_setup_start(&hs->setup, hs->sk, false);
	hs->setup.one_rtt = true;
	smcx_hs_set_deadline(hs, READ_ONCE(hs->sn->sysctl.hs_timeout_ms));
	WRITE_ONCE(hs->state, SMCX_HS_WAIT_ACCEPT);
	/* the Accept's arrival brings the run forward, unless it is here already */
	if (skb_queue_empty_lockless(&hs->sk->sk_receive_queue))
		smcx_hs_rearm(hs);
	else
		smcx_hs_queue(hs, 0);
}

void smcx_hs_prepare_syn(struct smcx_hs *hs)
{
	refcount_inc(&hs->ref);
	hs->syn = true;
	smcx_setup_start(&hs->setup, hs->sk, true);
	hs->setup.one_rtt = true;
	smcx_hs_set_deadline(hs, SMCX_HS_SYN_MS);
	WRITE_ONCE(hs->state, SMCX_HS_WAIT_PROPOSAL);
}

void smcx_hs_abandon(struct smcx_hs *hs)
{
	WRITE_ONCE(hs->state, SMCX_HS_ABANDONED);
	smcx_hs_queue(hs, 0);
	smcx_hs_put(hs);
}

void smcx_hs_note_syn(struct smcx_hs *hs, u64 ns)
{
	if (ns)
		smcx_setup_count(hs->sn, &hs->setup, SMCX_PHASE_SYN, ns);
}

void smcx_hs_kick(struct smcx_hs *hs)
{
	smcx_hs_queue(hs, 0);
}

bool smcx_hs_cancel(struct smcx_hs *hs)
{
	bool prevented;

	WRITE_ONCE(hs->cancelled, true);
	/* waits for a step that runs, in the work or in smcx_hs_run_first(); none begins any more */
	mutex_lock(&hs->run);
	prevented = hs->state != SMCX_HS_DONE;
	if (prevented) {
		smcx_hs_drop(hs);
		hs->state = SMCX_HS_DONE;
	}
	mutex_unlock(&hs->run);
	/*
	 * A run that is queued finds @cancelled and does nothing, so does that of a late kick. Not
	 * the _sync kind: see "Deferred work" in locking.rst.
	 */
	if (cancel_delayed_work(&hs->work))
		smcx_hs_put(hs);
	return prevented;
}

bool smcx_hs_congested(void)
{
	return workqueue_congested(WORK_CPU_UNBOUND, smcx_hs_wq);
}

int smcx_hs_init(void)
{
	smcx_hs_wq = alloc_workqueue("smcx_hs", WQ_HIGHPRI, 0);
	return smcx_hs_wq ? 0 : -ENOMEM;
}

void smcx_hs_exit(void)
{
	destroy_workqueue(smcx_hs_wq);
	/* kfree_rcu() needs no callback of ours, nothing else to wait for */
}
