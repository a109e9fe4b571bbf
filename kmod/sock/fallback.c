// SPDX-License-Identifier: GPL-2.0
/* The only file that changes sock->ops: from ours to TCP's own, never back. */
#include <linux/file.h>
#include <linux/fs.h>
#include <net/inet_connection_sock.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "sock_priv.h"

/*
 * sk_alloc() took R through the copy of tcp_prot and sk_free() would give it back. Whoever comes
 * first hands it over to the socket; the prots differ in nothing else.
 */
void smcx_own_module_ref(struct sock *sk)
{
	struct proto *prot = READ_ONCE(sk->sk_prot_creator);

	if (prot->owner == THIS_MODULE)
		WRITE_ONCE(sk->sk_prot_creator, READ_ONCE(sk->sk_prot));
}

bool smcx_fallback_is_ours(const struct socket *sock)
{
	return READ_ONCE(sock->ops)->owner == THIS_MODULE;
}

static void smcx_fallback_swap(struct socket *sock)
{
	struct file *file = sock->file;
	const struct proto_ops *ops = smcx_tcp_ops(sock->sk);

	/*
	 * Without a file, or when its last reference is gone, __sock_release() may already
	 * have read our table: then the ops stay and forward until release.
	 */
	if (!file || !atomic_long_inc_not_zero(&file->f_count))
		return;
	if (smcx_fallback_is_ours(sock)) {
		smcx_own_module_ref(sock->sk);
		__module_get(ops->owner);
		WRITE_ONCE(sock->ops, ops);
		module_put(THIS_MODULE);	/* the core's for sock->ops */
		module_put(THIS_MODULE);	/* R */
	}
	fput(file);
}

void smcx_fallback(struct smcx_sock *ss, u32 reason, u32 peer_reason)
{
	struct socket *sock = ss->sock;
	struct sock *sk = ss->sk;

	ss->reason = reason;
	ss->peer_reason = peer_reason;
	smcx_fb_record(ss->sn, sk, reason, peer_reason, ss->role == SMCX_SERVER);
	smcx_tcp_unoffer(sk);
	smp_store_release(&ss->mode, SMCX_MODE_TCP);
	smcx_sock_detach(ss);
	if (sock)
		smcx_fallback_swap(sock);
}

void smcx_fallback_record(struct sock *sk, u32 reason, bool is_server)
{
	smcx_fb_record(smcx_net(sock_net(sk)), sk, reason, 0, is_server);
}

void smcx_fallback_idle(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (!smcx_fallback_is_ours(sock) || sk->sk_state != TCP_CLOSE || sk->sk_user_data)
		return;
	smcx_tcp_unoffer(sk);
	smcx_fallback_swap(sock);
}

/* accept() runs before anybody else knows the new socket, no lock is needed. */
void smcx_fallback_accepted(struct socket *newsock)
{
	const struct proto_ops *ops = smcx_tcp_ops(newsock->sk);

	if (!smcx_fallback_is_ours(newsock))
		return;
	__module_get(ops->owner);
	WRITE_ONCE(newsock->ops, ops);
	module_put(THIS_MODULE);
}
