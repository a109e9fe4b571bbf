// SPDX-License-Identifier: GPL-2.0
/* socket(): AF_SMC, and IPPROTO_SMC in the two internet families. */
#include <linux/in.h>
#include <linux/jump_label.h>
#include <linux/net.h>
#include <net/inet_common.h>
#include <net/ipv6.h>
#include <net/protocol.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <net/transp_v6.h>

#include "sock_priv.h"

static struct proto smcx_prot __ro_after_init;
static struct proto_ops smcx_ops __ro_after_init;
static struct proto smcx_prot6 __ro_after_init;
static struct proto_ops smcx_ops6 __ro_after_init;

/*
 * From here on it is a TCP socket to everybody. Only sk_prot_creator still names our copy:
 * should inet_create() undo the sk after this, sk_free() gives R back.
 */
static int smcx_prot_init(struct sock *sk)
{
	sk->sk_protocol = IPPROTO_TCP;
	WRITE_ONCE(sk->sk_prot, &tcp_prot);
	return tcp_prot.init(sk);
}

static int smcx_prot6_init(struct sock *sk)
{
	sk->sk_protocol = IPPROTO_TCP;
	WRITE_ONCE(sk->sk_prot, &tcpv6_prot);
	return tcpv6_prot.init(sk);
}

static struct inet_protosw smcx_protosw = {
	.type		= SOCK_STREAM,
	.protocol	= IPPROTO_SMC,
	.prot		= &smcx_prot,
	.ops		= &smcx_ops,
	.flags		= INET_PROTOSW_ICSK,
};

static struct inet_protosw smcx_protosw6 = {
	.type		= SOCK_STREAM,
	.protocol	= IPPROTO_SMC,
	.prot		= &smcx_prot6,
	.ops		= &smcx_ops6,
	.flags		= INET_PROTOSW_ICSK,
};

SMCX_COMPAT_ACCEPT_OP(smcx_op_accept, smcx_accept)

static void smcx_family_fill_ops(struct proto_ops *ops, const struct proto_ops *tcp)
{
	*ops = *tcp;
	ops->owner = THIS_MODULE;
	ops->release = smcx_op_release;
	ops->bind = smcx_op_bind;
	ops->connect = smcx_op_connect;
	ops->accept = smcx_op_accept;
	ops->getname = smcx_op_getname;
	ops->poll = smcx_op_poll;
	ops->ioctl = smcx_op_ioctl;
	ops->listen = smcx_op_listen;
	ops->shutdown = smcx_op_shutdown;
	ops->setsockopt = smcx_op_setsockopt;
	ops->getsockopt = smcx_op_getsockopt;
	ops->sendmsg = smcx_op_sendmsg;
	ops->sendmsg_locked = smcx_op_sendmsg_locked;
	ops->recvmsg = smcx_op_recvmsg;
	ops->mmap = smcx_op_mmap;
	ops->splice_read = smcx_op_splice_read;
	ops->set_rcvlowat = smcx_op_set_rcvlowat;
	/* ways around recvmsg and sendmsg; the core does without them */
	ops->peek_len = NULL;
	ops->read_sock = NULL;
	ops->read_skb = NULL;
	ops->splice_eof = smcx_op_splice_eof;
	smcx_compat_ops_fixup(ops);
}

/* The slab, the counters and everything else stay TCP's: there is no proto_register(). */
static void smcx_family_fill_prot(struct proto *prot, const struct proto *tcp,
				  int (*init)(struct sock *sk))
{
	*prot = *tcp;
	prot->owner = THIS_MODULE;
	prot->init = init;
}

/*
 * The user's socket gets the sk of a scratch socket made with IPPROTO_SMC, so both ways in give
 * the same thing, labelled and checked as an internet socket.
 */
static int smcx_family_create(struct net *net, struct socket *sock, int protocol, int kern)
{
	struct socket *scratch;
	struct sock *sk;
	int rc;

	if (sock->type != SOCK_STREAM)
		return -ESOCKTNOSUPPORT;
	if (protocol != SMCX_PROTO_SMC && protocol != SMCX_PROTO_SMC6)
		return -EPROTONOSUPPORT;
	rc = __sock_create(net, protocol == SMCX_PROTO_SMC ? AF_INET : AF_INET6,
			   SOCK_STREAM, IPPROTO_SMC, &scratch, kern);
	if (rc)
		return rc;
	sock->state = SS_UNCONNECTED;
	sock->ops = scratch->ops;
	/* tcp_init_sock() set it where it found the sk */
	if (test_bit(SOCK_SUPPORT_ZC, &scratch->flags))
		set_bit(SOCK_SUPPORT_ZC, &sock->flags);
	sk = scratch->sk;
	scratch->sk = NULL;
	sock_graft(sk, sock);
	sock_release(scratch);
	return 0;
}

static const struct net_proto_family smcx_family = {
	.family	= PF_SMC,
	.owner	= THIS_MODULE,
	.create	= smcx_family_create,
};

static int smcx_family_register(void)
{
	int rc = sock_register(&smcx_family);

	if (rc) {
		pr_err("smcx: address family 43 is taken; remove the module that has it: rmmod smc_diag smc\n");
		/* modprobe takes EEXIST for "already loaded" */
		return rc == -EEXIST ? -EBUSY : rc;
	}
	return 0;
}

static int smcx_protosw_register(void)
{
	int rc;

	smcx_family_fill_ops(&smcx_ops, &inet_stream_ops);
	smcx_family_fill_prot(&smcx_prot, &tcp_prot, smcx_prot_init);
	if (smcx_tcp_has_ipv6()) {
		smcx_family_fill_ops(&smcx_ops6, smcx_tcp_ops6());
		smcx_family_fill_prot(&smcx_prot6, &tcpv6_prot, smcx_prot6_init);
		rc = inet6_register_protosw(&smcx_protosw6);
		if (rc)
			return rc;
	}
	inet_register_protosw(&smcx_protosw);
	return 0;
}

static void smcx_protosw_unregister(void)
{
	inet_unregister_protosw(&smcx_protosw);
	if (smcx_tcp_has_ipv6())
		inet6_unregister_protosw(&smcx_protosw6);
}

int smcx_sock_init(void)
{
	int rc;

	rc = smcx_tcp_glue_init();
	if (rc)
		return rc;
	rc = smcx_life_init();
	if (rc)
		return rc;
	/* whoever has the family may switch the TCP option, so the order matters */
	rc = smcx_family_register();
	if (rc)
		goto out_life;
	static_branch_enable(&tcp_have_smc);
	rc = smcx_protosw_register();
	if (!rc)
		return 0;
	static_branch_disable(&tcp_have_smc);
	sock_unregister(PF_SMC);
out_life:
	smcx_life_exit();
	return rc;
}

void smcx_sock_exit(void)
{
	static_branch_disable(&tcp_have_smc);
	smcx_protosw_unregister();
	sock_unregister(PF_SMC);
	smcx_life_exit();
}

MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_INET, 256, 1);
MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_INET6, 256, 1);
