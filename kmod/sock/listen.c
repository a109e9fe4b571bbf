// SPDX-License-Identifier: GPL-2.0
/* A listener's hooks: who gets in, and when to look into TCP's accept queue. */
#include <linux/slab.h>
#include <net/inet_connection_sock.h>
#include <net/sock.h>
#include <net/sock_reuseport.h>
#include <net/tcp.h>

#include "sock_priv.h"

/* Children out of SYNs are taken only while no more than this wait, so that replays cost little. */
#define SMCX_EARLY_WAITING_MAX	512u

/* A handshake that takes longer is waiting for its peer. */
#define SMCX_CHILD_SLOW_JIFFIES	(HZ / 5)

/* Children still busy after a while no longer stand in the way of others. */
static void smcx_listen_age(struct smcx_listener *lsn)
{
	struct smcx_sock *cs;

	lockdep_assert_held(&lsn->lock);
	while (!list_empty(&lsn->pending)) {
		cs = list_first_entry(&lsn->pending, struct smcx_sock, child_node);
		if (time_before(jiffies, cs->born + SMCX_CHILD_SLOW_JIFFIES))
			return;
		list_move_tail(&cs->child_node, &lsn->slow);
		cs->child_list = SMCX_CHILD_SLOW;
		WRITE_ONCE(lsn->npending, lsn->npending - 1);
		WRITE_ONCE(lsn->nslow, lsn->nslow + 1);
	}
}

/* What runs without the sk's lock may meet an sk that has become a client meanwhile. Context: RCU. */
static struct smcx_sock *smcx_listen_of(const struct sock *sk)
{
	struct smcx_sock *ss = smcx_sock_of(sk);

	return ss && ss->lsn ? ss : NULL;
}

static unsigned int smcx_listen_limit(const struct sock *sk)
{
	unsigned int backlog = READ_ONCE(sk->sk_max_ack_backlog);

	return max_t(unsigned int, backlog, READ_ONCE(sock_net(sk)->core.sysctl_somaxconn));
}

/*
 * TCP's rule for its accept queue, over all the places where a child may wait. A child out of a SYN (@early) may be
 * nobody's, a replay: it costs as much as one with a client behind it, so these get half of the places at most, and
 * no more than a burst of honest clients needs. Who does not offer SMC (@smc) never waits among those whose handshake
 * goes on, and is not shut out by them: behind a SYN cookie, TCP would never answer such a client.
 */
static bool smcx_listen_admits(struct smcx_sock *ss, const struct sock *sk, bool early, bool smc)
{
	unsigned int backlog = READ_ONCE(sk->sk_max_ack_backlog);
	struct smcx_listener *lsn = ss->lsn;
	unsigned int waiting, slow, all;

	/* without the lock: asked for each SYN */
	if (!early && !smc)
		return READ_ONCE(sk->sk_ack_backlog) + READ_ONCE(lsn->nready) <= backlog;
	spin_lock_bh(&lsn->lock);
	smcx_listen_age(lsn);
	waiting = READ_ONCE(sk->sk_ack_backlog) + lsn->nready + lsn->npending;
	slow = lsn->nslow;
	all = lsn->npending + slow;
	spin_unlock_bh(&lsn->lock);
	if (early)
		return waiting + slow <= min(backlog / 2, SMCX_EARLY_WAITING_MAX);
	return waiting <= backlog && all <= smcx_listen_limit(sk);
}

/*
 * smcx_sock_attach() will need sk_user_data. TCP runs BPF programs before that, and one that puts the child
 * into a sockmap would leave a psock there: so the place is taken at once, by a value that
 * is no state (no flags), outlives us and is never followed. The program gets EBUSY, as it does for a client.
 */
static void smcx_listen_reserve(struct sock *child)
{
	rcu_assign_sk_user_data(child, child);
}

/* Context: softirq. The child is locked and nobody else knows it yet. */
static void smcx_listen_born(struct smcx_sock *ss, struct sock *child, bool own_req)
{
	struct inet_connection_sock *icsk = inet_csk(child);

	/* a v4-mapped child has got a table of its own */
	icsk->icsk_af_ops = smcx_af_ops_orig(icsk->icsk_af_ops);
	child->sk_data_ready = ss ? ss->orig.data_ready : smcx_tcp_data_ready;
	child->sk_state_change = ss ? ss->orig.state_change : smcx_tcp_state_change;
	smcx_tcp_child_init(child, ss && ss->lsn->no_cookie);
	/* who does not own the request is thrown away */
	if (ss && own_req && smcx_tcp_child_offers(child)) {
		smcx_listen_reserve(child);
		smcx_tcp_delay_ack(child);
		atomic_inc(&ss->lsn->nsmc);
	}
}

static void smcx_listen_drop(struct smcx_sock *ss, const struct sock *sk)
{
	smcx_drop_note(ss->sn, SMCX_DROP_BACKLOG);
	__NET_INC_STATS(sock_net(sk), LINUX_MIB_LISTENOVERFLOWS);
	tcp_listendrop(sk);
}

static struct sock *smcx_syn_recv_sock(const struct sock *sk, struct sk_buff *skb,
				       struct request_sock *req, struct dst_entry *dst,
				       struct request_sock *req_unhash, bool *own_req,
				       void (*opt_child_init)(struct sock *newsk,
							      const struct sock *sk))
{
	const struct inet_connection_sock_af_ops *ops;
	struct sock *child = NULL;
	struct smcx_sock *ss;

	rcu_read_lock();
	ops = smcx_af_ops_orig(READ_ONCE(inet_csk(sk)->icsk_af_ops));
	ss = smcx_listen_of(sk);
	/* Fast Open: NULL and TCP answers as if there were no data */
	if (tcp_hdr(skb)->syn &&
	    !(ss && smcx_listen_admits(ss, sk, true, true) && smcx_early_guard(ss, skb, req)))
		goto out;
	if (ss && !smcx_listen_admits(ss, sk, false, inet_rsk(req)->smc_ok)) {
		smcx_listen_drop(ss, sk);
		dst_release(dst);
		goto out;
	}
	child = ops->syn_recv_sock(sk, skb, req, dst, req_unhash, own_req, opt_child_init);
	/* another listener of a SO_REUSEPORT group answered the SYN, and has closed: not with our option */
	if (child && req->rsk_listener && req->rsk_listener != sk)
		smcx_tcp_unoffer(child);
	if (child)
		smcx_listen_born(ss, child, *own_req);
out:
	rcu_read_unlock();
	return child;
}

/*
 * TCP answers no SYN while the accept queue is full, so that the client tries again: the final ACK of one that was
 * answered by a SYN cookie would be its last word.
 */
static int smcx_conn_request(struct sock *sk, struct sk_buff *skb)
{
	const struct inet_connection_sock_af_ops *ops;
	struct smcx_sock *ss;
	bool full;

	rcu_read_lock();
	ops = smcx_af_ops_orig(READ_ONCE(inet_csk(sk)->icsk_af_ops));
	ss = smcx_listen_of(sk);
	full = ss && !smcx_listen_admits(ss, sk, false, false);
	if (full)
		smcx_listen_drop(ss, sk);
	rcu_read_unlock();
	return full ? 0 : ops->conn_request(sk, skb);
}

static void smcx_listen_patch(struct inet_connection_sock_af_ops *ops)
{
	ops->conn_request = smcx_conn_request;
	ops->syn_recv_sock = smcx_syn_recv_sock;
}

static void smcx_listen_data_ready(struct sock *sk)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_listen_of(sk);
	if (!ss)
		smcx_tcp_data_ready(sk);
	else if (atomic_read(&ss->lsn->nsmc))
		smcx_sock_queue(ss, &ss->lsn->work, 0);
	else
		ss->orig.data_ready(sk);	/* plain children only: TCP's own way */
	rcu_read_unlock();
}

bool smcx_listen_has_plain(const struct smcx_sock *ss)
{
	return !atomic_read(&ss->lsn->nsmc) &&
		!reqsk_queue_empty(&inet_csk(ss->sk)->icsk_accept_queue);
}

/*
 * TCP has left LISTEN without us: SOCK_DESTROY, or a shutdown() that began before listen(). What else leaves it does so
 * with the hooks off. Out of the SO_REUSEPORT group at once, or TCP would go on to move what waits to others of it.
 * Context: sk locked, or its spinlock held.
 */
static void smcx_listen_state_change(struct sock *sk)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_listen_of(sk);
	if (!ss) {
		smcx_tcp_state_change(sk);
	} else {
		if (sk->sk_state == TCP_CLOSE && ss->lsn->listening) {
			reuseport_detach_sock(sk);
			WRITE_ONCE(ss->lsn->killed, true);
			smcx_sock_queue(ss, &ss->lsn->work, 0);
		}
		ss->orig.state_change(sk);
	}
	rcu_read_unlock();
}

static const struct smcx_sock_hooks smcx_listen_hooks = {
	.data_ready	= smcx_listen_data_ready,
	.state_change	= smcx_listen_state_change,
};

struct sock *smcx_listen_pull(struct smcx_sock *ss, int *err)
{
	struct sock *child = smcx_compat_sk_accept(ss->sk, O_NONBLOCK, err);

	if (child && smcx_tcp_child_offers(child))
		atomic_dec_if_positive(&ss->lsn->nsmc);
	return child;
}

/*
 * TCP listens no more before our hooks go: a child that came in between would hand its Proposal to the application, as
 * would one, or a SYN's request, that TCP moves to another listener of a SO_REUSEPORT group (tcp_migrate_req).
 */
static void smcx_listen_leave(struct sock *sk)
{
	if (sk->sk_state != TCP_LISTEN)
		return;
	/* first: who finds it in the hash takes its group for granted */
	sk->sk_prot->unhash(sk);
	reuseport_detach_sock(sk);
	sk->sk_prot->disconnect(sk, O_NONBLOCK);
}

/* Return: false if it had ended before. */
static bool smcx_listen_end(struct smcx_sock *ss)
{
	struct sock *sk = ss->sk;
	bool stopped;

	lock_sock(sk);
	smcx_filter_del_port(ss);
	stopped = ss->attached;
	if (stopped) {
		smcx_listen_leave(sk);
		smcx_tcp_unoffer(sk);
		smcx_early_unlisten(ss);
		/* in this order: a child that is born meanwhile gets TCP's callbacks by our ops */
		smcx_sock_detach(ss);
		smcx_af_ops_restore(sk);
		/* under the lock: the next moment the sk may be another thread's client */
		sk->sk_state_change(sk);
	}
	smp_store_release(&ss->mode, SMCX_MODE_DEAD);
	release_sock(sk);
	smcx_child_close_all(ss);
	return stopped;
}

static void smcx_listen_work(struct work_struct *work)
{
	struct smcx_listener *lsn = container_of(to_delayed_work(work),
						 struct smcx_listener, work);
	struct smcx_sock *ss = lsn->ss;
	struct sock *child;
	int err;

	/* a late run must not take children of what began on the sk after it was stopped */
	while (smcx_sock_mode(ss) == SMCX_MODE_LISTEN && (child = smcx_listen_pull(ss, &err))) {
		smcx_child_take(ss, child);
		cond_resched();
	}
	if (READ_ONCE(lsn->killed))
		smcx_listen_end(ss);
	smcx_sock_put(ss);
}

static bool smcx_tcp_congested(const struct sock *sk)
{
	bool congested = false;
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_sock_of(sk);
	if (ss && ss->lsn)
		congested = READ_ONCE(ss->lsn->npending) + READ_ONCE(ss->lsn->nslow) >
			    smcx_listen_limit(sk) / 2;
	rcu_read_unlock();
	return congested;
}

bool smcx_tcp_congested_limit(const struct sock *sk)
{
	return smcx_hs_congested() || smcx_tcp_congested(sk);
}

void smcx_listen_set_limit(struct sock *sk, bool on)
{
	if (on)
		smcx_tcp_set_congested(sk, smcx_tcp_congested_limit);
	else
		smcx_tcp_set_congested(sk, sk->sk_state == TCP_LISTEN ? smcx_tcp_congested : NULL);
}

static struct smcx_sock *smcx_listen_alloc(struct sock *sk)
{
	struct smcx_sock *ss = smcx_sock_alloc(sk, SMCX_SERVER, SMCX_MODE_LISTEN);

	if (!ss)
		return NULL;
	ss->lsn = kzalloc(sizeof(*ss->lsn), GFP_KERNEL);
	if (!ss->lsn) {
		smcx_sock_put(ss);
		return NULL;
	}
	ss->lsn->ss = ss;
	spin_lock_init(&ss->lsn->lock);
	INIT_LIST_HEAD(&ss->lsn->pending);
	INIT_LIST_HEAD(&ss->lsn->slow);
	INIT_LIST_HEAD(&ss->lsn->ready);
	INIT_DELAYED_WORK(&ss->lsn->work, smcx_listen_work);
	return ss;
}

static bool smcx_listen_may_start(const struct socket *sock)
{
	const struct sock *sk = sock->sk;

	return smcx_fallback_is_ours(sock) && sock->state == SS_UNCONNECTED &&
		sk->sk_state == TCP_CLOSE && !sk->sk_user_data && !smcx_tcp_why_not(sk) &&
		!smcx_tcp_is_fastopen_listener(sk);
}

static int smcx_listen_hook(struct socket *sock, struct smcx_sock *ss)
{
	const struct inet_connection_sock_af_ops *ops;
	struct sock *sk = sock->sk;

	if (!smcx_listen_may_start(sock))
		return 1;
	ops = smcx_af_ops_copy(inet_csk(sk)->icsk_af_ops, smcx_listen_patch);
	if (!ops)
		return 1;
	/* sk_clone() copies sk_prot_creator: children must not carry R */
	smcx_own_module_ref(sk);
	smcx_sock_attach(ss, sock, &smcx_listen_hooks, false);
	WRITE_ONCE(inet_csk(sk)->icsk_af_ops, ops);
	smcx_tcp_offer(sk);
	smcx_early_listen(ss);
	if (READ_ONCE(ss->sn->sysctl.limit_hs))
		smcx_tcp_set_congested(sk, smcx_tcp_congested_limit);
	else if (!smcx_tcp_limit_hs(sk, smcx_tcp_congested_limit))
		smcx_tcp_set_congested(sk, smcx_tcp_congested);
	return 0;
}

int smcx_listen_start(struct socket *sock, struct smcx_sock **out)
{
	struct smcx_sock *ss = smcx_listen_alloc(sock->sk);
	int rc;

	if (!ss)
		return -ENOMEM;
	lock_sock(sock->sk);
	rc = smcx_listen_hook(sock, ss);
	release_sock(sock->sk);
	if (rc) {
		smcx_sock_put(ss);
		return rc;
	}
	smcx_sock_list(ss);
	*out = ss;
	return 0;
}

bool smcx_listen_started(struct smcx_sock *ss)
{
	struct sock *sk = ss->sk;
	bool fine = true;

	lock_sock(sk);
	if (ss->attached) {
		fine = sk->sk_state == TCP_LISTEN && !sk->sk_shutdown;
		ss->lsn->listening = fine;
		if (fine)
			smcx_filter_add_port(ss);
	}
	release_sock(sk);
	return fine;
}

bool smcx_listen_set_backlog(struct smcx_sock *ss, int backlog)
{
	struct sock *sk = ss->sk;
	bool listens;

	lock_sock(sk);
	listens = ss->attached && sk->sk_state == TCP_LISTEN;
	if (listens)
		WRITE_ONCE(sk->sk_max_ack_backlog, backlog);
	release_sock(sk);
	return listens;
}

bool smcx_listen_reap(struct smcx_sock *ss)
{
	if (!ss || !ss->lsn || !READ_ONCE(ss->lsn->killed))
		return false;
	smcx_listen_end(ss);
	return true;
}

bool smcx_listen_stop(struct smcx_sock *ss)
{
	bool stopped = smcx_listen_end(ss);

	if (cancel_delayed_work(&ss->lsn->work))
		smcx_sock_put(ss);
	flush_delayed_work(&ss->lsn->work);
	return stopped;
}
