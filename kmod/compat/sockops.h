/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_COMPAT_SOCKOPS_H
#define SMCX_COMPAT_SOCKOPS_H

#include <linux/net.h>
#include <linux/version.h>
#include <net/sock.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#include <net/rps.h>
#endif

/**
 * smcx_compat_sk_accept() - sk_prot->accept
 * @sk: listener
 * @flags: O_NONBLOCK
 * @err: errno if NULL is returned
 *
 * Context: process.
 * Return: child or NULL.
 */
static inline struct sock *smcx_compat_sk_accept(struct sock *sk, int flags, int *err)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
	return READ_ONCE(sk->sk_prot)->accept(sk, flags, err, false);
#else
	struct proto_accept_arg arg = { .flags = flags };
	struct sock *child = READ_ONCE(sk->sk_prot)->accept(sk, &arg);

	*err = arg.err;
	return child;
#endif
}

/**
 * smcx_compat_ops_accept() - accept of an ops table
 * @ops: table
 * @sock: listener
 * @newsock: socket that gets the child
 * @flags: O_NONBLOCK
 * @kern: for the kernel itself
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
static inline int smcx_compat_ops_accept(const struct proto_ops *ops, struct socket *sock,
					 struct socket *newsock, int flags, bool kern)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
	return ops->accept(sock, newsock, flags, kern);
#else
	struct proto_accept_arg arg = { .flags = flags, .kern = kern };

	return ops->accept(sock, newsock, &arg);
#endif
}

/*
 * SMCX_COMPAT_ACCEPT_OP(name, fn) defines the accept operation @name on top of
 * int fn(struct socket *sock, struct socket *newsock, int flags, bool kern, int *empty)
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define SMCX_COMPAT_ACCEPT_OP(name, fn)						\
static int name(struct socket *sock, struct socket *newsock, int flags, bool kern)	\
{										\
	int empty;								\
										\
	return fn(sock, newsock, flags, kern, &empty);				\
}
#else
#define SMCX_COMPAT_ACCEPT_OP(name, fn)						\
static int name(struct socket *sock, struct socket *newsock, struct proto_accept_arg *arg) \
{										\
	return fn(sock, newsock, arg->flags, arg->kern, &arg->is_empty);	\
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define SMCX_COMPAT_MSG_MORE	(MSG_MORE | MSG_SENDPAGE_NOTLAST)
#else
#define SMCX_COMPAT_MSG_MORE	MSG_MORE
#endif

/**
 * smcx_compat_ops_fixup() - operations that exist on some kernels only
 * @ops: table that overrides sendmsg and sendmsg_locked
 *
 * A page is copied by sendmsg; newer kernels call that at once (MSG_SPLICE_PAGES).
 * Context: load.
 */
static inline void smcx_compat_ops_fixup(struct proto_ops *ops)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	ops->sendpage = sock_no_sendpage;
	ops->sendpage_locked = NULL;
#endif
}

#endif
