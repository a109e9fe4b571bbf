// SPDX-License-Identifier: GPL-2.0
/* State objects: references, attachment to the TCP sk, dumps. */
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sock_diag.h>
#include <net/inet_common.h>
#include <net/sock.h>

#include "../proto/close.h"
#include "sock_priv.h"

struct workqueue_struct *smcx_sock_wq;

/*
 * TCP writes into sk_socket->flags when it is out of memory while sending. A child in
 * handshake has no socket yet, so all of them share this one.
 */
struct socket *smcx_sock_dummy;

int smcx_life_init(void)
{
	int rc = sock_create_lite(AF_INET, SOCK_STREAM, IPPROTO_TCP, &smcx_sock_dummy);

	if (rc)
		return rc;
	/* a BPF program's SO_RCVLOWAT looks there */
	smcx_sock_dummy->ops = &inet_stream_ops;
	smcx_sock_wq = alloc_workqueue("smcx_sock", WQ_HIGHPRI, 0);
	if (smcx_sock_wq)
		return 0;
	sock_release(smcx_sock_dummy);
	return -ENOMEM;
}

void smcx_life_exit(void)
{
	destroy_workqueue(smcx_sock_wq);
	/* callbacks of TCP run under RCU or with a task in the kernel; then the frees queued by us */
	synchronize_rcu_tasks();
	synchronize_rcu();
	rcu_barrier();
	sock_release(smcx_sock_dummy);
}

struct smcx_sock *smcx_sock_alloc(struct sock *sk, enum smcx_role role, enum smcx_mode mode)
{
	struct smcx_sock *ss = kzalloc(sizeof(*ss), GFP_KERNEL);

	if (!ss)
		return NULL;
	/* the socket whose operation brought us here pins the module */
	__module_get(THIS_MODULE);
	refcount_set(&ss->ref, 1);
	sock_hold(sk);
	ss->sk = sk;
	ss->sn = smcx_net(sock_net(sk));
	ss->role = role;
	ss->mode = mode;
	init_waitqueue_head(&ss->wq.wait);
	INIT_LIST_HEAD(&ss->net_node);
	INIT_LIST_HEAD(&ss->child_node);
	return ss;
}

static void smcx_sock_free_rcu(struct rcu_head *rcu)
{
	struct smcx_sock *ss = container_of(rcu, struct smcx_sock, rcu);

	sock_put(ss->sk);
	kfree(ss->lsn);
	kfree(ss->early);
	kfree(ss);
}

void smcx_sock_hold(struct smcx_sock *ss)
{
	refcount_inc(&ss->ref);
}

static void smcx_sock_unlist(struct smcx_sock *ss)
{
	struct smcx_net *sn = ss->sn;

	if (list_empty(&ss->net_node))
		return;
	spin_lock_bh(&sn->socks_lock);
	list_del_init(&ss->net_node);
	sn->nsocks--;
	spin_unlock_bh(&sn->socks_lock);
}

void smcx_sock_put(struct smcx_sock *ss)
{
	if (!refcount_dec_and_test(&ss->ref))
		return;
	smcx_sock_unlist(ss);
	if (ss->parent)
		smcx_sock_put(ss->parent);
	call_rcu(&ss->rcu, smcx_sock_free_rcu);
	module_put(THIS_MODULE);
}

/* Others may own sk_user_data once TCP's ops stand; their flags differ from ours. */
struct smcx_sock *smcx_sock_of(const struct sock *sk)
{
	uintptr_t v = (uintptr_t)rcu_dereference(__sk_user_data(sk));

	if ((v & ~SK_USER_DATA_PTRMASK) != SK_USER_DATA_NOCOPY)
		return NULL;
	return (struct smcx_sock *)(v & SK_USER_DATA_PTRMASK);
}

struct smcx_sock *smcx_sock_get(const struct sock *sk)
{
	struct smcx_sock *ss;

	rcu_read_lock();
	ss = smcx_sock_of(sk);
	if (ss && !refcount_inc_not_zero(&ss->ref))
		ss = NULL;
	rcu_read_unlock();
	return ss;
}

void smcx_sock_queue(struct smcx_sock *ss, struct delayed_work *work, unsigned long delay)
{
	if (!refcount_inc_not_zero(&ss->ref))
		return;
	if (mod_delayed_work(smcx_sock_wq, work, delay))
		smcx_sock_put(ss);
}

static void smcx_sock_hook(struct sock *sk, const struct smcx_sock_hooks *h,
			   struct smcx_sock_hooks *orig)
{
	orig->data_ready = sk->sk_data_ready;
	orig->state_change = sk->sk_state_change;
	orig->write_space = sk->sk_write_space;
	orig->error_report = sk->sk_error_report;
	if (h->data_ready)
		sk->sk_data_ready = h->data_ready;
	if (h->state_change)
		sk->sk_state_change = h->state_change;
	if (h->write_space)
		sk->sk_write_space = h->write_space;
	if (h->error_report)
		sk->sk_error_report = h->error_report;
}

void smcx_sock_attach(struct smcx_sock *ss, struct socket *sock,
		      const struct smcx_sock_hooks *hooks, bool own_wq)
{
	struct sock *sk = ss->sk;

	smcx_sock_hold(ss);
	WRITE_ONCE(ss->attached, true);
	WRITE_ONCE(ss->sock, sock);
	ss->hooks = hooks;
	write_lock_bh(&sk->sk_callback_lock);
	smcx_sock_hook(sk, hooks, &ss->orig);
	if (!sock)
		sk_set_socket(sk, smcx_sock_dummy);
	if (own_wq)
		rcu_assign_pointer(sk->sk_wq, &ss->wq);
	/* NOCOPY: children of a listener must not inherit it */
	__rcu_assign_sk_user_data_with_flags(sk, ss, SK_USER_DATA_NOCOPY);
	write_unlock_bh(&sk->sk_callback_lock);
}

/* Only what is still ours: somebody may have put a hook of his own on top. */
static void smcx_sock_unhook(struct sock *sk, const struct smcx_sock_hooks *h,
			     const struct smcx_sock_hooks *orig)
{
	if (h->data_ready && sk->sk_data_ready == h->data_ready)
		sk->sk_data_ready = orig->data_ready;
	if (h->state_change && sk->sk_state_change == h->state_change)
		sk->sk_state_change = orig->state_change;
	if (h->write_space && sk->sk_write_space == h->write_space)
		sk->sk_write_space = orig->write_space;
	if (h->error_report && sk->sk_error_report == h->error_report)
		sk->sk_error_report = orig->error_report;
}

void smcx_sock_detach(struct smcx_sock *ss)
{
	struct sock *sk = ss->sk;

	if (!ss->attached)
		return;
	write_lock_bh(&sk->sk_callback_lock);
	smcx_sock_unhook(sk, ss->hooks, &ss->orig);
	if (sk->sk_socket == smcx_sock_dummy)
		sk_set_socket(sk, NULL);
	/* NULL as for any child that nobody has accepted: ours goes away with us */
	rcu_assign_pointer(sk->sk_wq, sk->sk_socket ? &sk->sk_socket->wq : NULL);
	rcu_assign_sk_user_data(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	WRITE_ONCE(ss->attached, false);
	smcx_sock_unlist(ss);
	smcx_sock_put(ss);
}

void smcx_sock_list(struct smcx_sock *ss)
{
	struct smcx_net *sn = ss->sn;

	spin_lock_bh(&sn->socks_lock);
	if (list_empty(&ss->net_node)) {
		list_add_tail(&ss->net_node, &sn->socks);
		sn->nsocks++;
	}
	spin_unlock_bh(&sn->socks_lock);
}

int smcx_op_enter(const struct sock *sk, struct smcx_sock **ss)
{
	*ss = smcx_sock_get(sk);
	if (*ss)
		return 0;
	return try_module_get(THIS_MODULE) ? 0 : -EAGAIN;
}

void smcx_op_relook(const struct sock *sk, struct smcx_sock **ss)
{
	if (*ss && READ_ONCE((*ss)->attached))
		return;
	if (*ss) {
		__module_get(THIS_MODULE);
		smcx_sock_put(*ss);
	}
	*ss = smcx_sock_get(sk);
	if (*ss)
		module_put(THIS_MODULE);	/* the state pins it now */
}

void smcx_op_adopt(struct smcx_sock **ss, struct smcx_sock *started)
{
	*ss = started;
	module_put(THIS_MODULE);
}

void smcx_op_leave(struct smcx_sock *ss)
{
	if (ss)
		smcx_sock_put(ss);
	else
		module_put(THIS_MODULE);
}

int smcx_sock_for_each(struct smcx_net *sn,
		       int (*fn)(struct smcx_sock *ss, void *arg), void *arg)
{
	unsigned int max = READ_ONCE(sn->nsocks) + 16;
	unsigned int n = 0, i;
	struct smcx_sock **all, *ss;
	int rc = 0;

	all = kvmalloc_array(max, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	spin_lock_bh(&sn->socks_lock);
	list_for_each_entry(ss, &sn->socks, net_node) {
		if (n == max)
			break;
		if (refcount_inc_not_zero(&ss->ref))
			all[n++] = ss;
	}
	spin_unlock_bh(&sn->socks_lock);
	for (i = 0; i < n; i++) {
		if (!rc)
			rc = fn(all[i], arg);
		smcx_sock_put(all[i]);
	}
	kvfree(all);
	return rc;
}

static u8 smcx_sock_state(u8 mode, const struct smcx_conn *conn)
{
	switch (mode) {
	case SMCX_MODE_LISTEN:
		return SMCX_ST_LISTEN;
	case SMCX_MODE_SMC:
		return conn ? READ_ONCE(conn->state) : SMCX_ST_CLOSED;
	case SMCX_MODE_DEAD:
		return SMCX_ST_CLOSED;
	default:
		return SMCX_ST_INIT;
	}
}

static void smcx_sock_addresses(const struct sock *sk, struct smcx_sock_info *info)
{
	const struct inet_sock *inet = inet_sk(sk);

	info->family = READ_ONCE(sk->sk_family);
	info->sport = READ_ONCE(inet->inet_sport);
	info->dport = READ_ONCE(inet->inet_dport);
#if IS_ENABLED(CONFIG_IPV6)
	if (info->family == AF_INET6) {
		memcpy(info->src, &sk->sk_v6_rcv_saddr, sizeof(info->src));
		memcpy(info->dst, &sk->sk_v6_daddr, sizeof(info->dst));
		return;
	}
#endif
	info->src[0] = READ_ONCE(inet->inet_rcv_saddr);
	info->dst[0] = READ_ONCE(inet->inet_daddr);
}

static unsigned long smcx_sock_ino(struct sock *sk)
{
	unsigned long ino = 0;

	read_lock_bh(&sk->sk_callback_lock);
	/* the dummy's inode is nobody's */
	if (sk->sk_socket && sk->sk_socket != smcx_sock_dummy)
		ino = SOCK_INODE(sk->sk_socket)->i_ino;
	read_unlock_bh(&sk->sk_callback_lock);
	return ino;
}

/* Return: the connection with a reference, or NULL */
static struct smcx_conn *smcx_sock_conn_get(const struct smcx_sock *ss)
{
	struct smcx_conn *conn;

	rcu_read_lock();
	conn = rcu_dereference(ss->conn);
	if (conn && !refcount_inc_not_zero(&conn->m.ref))
		conn = NULL;
	rcu_read_unlock();
	return conn;
}

/*
 * Not with the socket lock: send() holds it while it copies from its user's memory, and a
 * user can make that last for ever (FUSE). So the socket may change meanwhile.
 */
void smcx_sock_info_get(struct smcx_sock *ss, struct smcx_sock_info *info)
{
	struct sock *sk = ss->sk;
	u32 cookie[2];

	memset(info, 0, sizeof(*info));
	/* the mode first: a socket in SMC mode has its connection already */
	info->mode = smcx_sock_mode(ss);
	info->conn = smcx_sock_conn_get(ss);
	if (info->conn)
		info->shutdown = (smcx_conn_rcv_closed(info->conn) ? RCV_SHUTDOWN : 0) |
				 (smcx_conn_snd_closed(info->conn) ? SEND_SHUTDOWN : 0);
	info->state = smcx_sock_state(info->mode, info->conn);
	info->role = ss->role;
	info->ifindex = READ_ONCE(sk->sk_bound_dev_if);
	info->reason = READ_ONCE(ss->reason);
	info->peer_reason = READ_ONCE(ss->peer_reason);
	smcx_sock_addresses(sk, info);
	info->uid = sock_i_uid(sk);
	info->inode = smcx_sock_ino(sk);
	sock_diag_save_cookie(sk, cookie);
	info->cookie = (u64)cookie[1] << 32 | cookie[0];
}

void smcx_sock_info_put(struct smcx_sock_info *info)
{
	if (info->conn)
		smcx_member_put(&info->conn->m);
	info->conn = NULL;
}
