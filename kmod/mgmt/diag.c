// SPDX-License-Identifier: GPL-2.0
/* sock_diag of family 43: every socket, and those that went on as TCP; protocol.rst 7.1. */
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <linux/smcx_abi.h>
#include <linux/sock_diag.h>

#include "../base/netns.h"
#include "../sock/sock.h"
#include "priv.h"

/* args[0] counts what was sent of the list that args[1] names */
enum { SMCX_DIAG_SOCKS, SMCX_DIAG_RECORDS, SMCX_DIAG_DONE };

#define SMCX_DIAG_EXT(attr)	(1 << ((attr) - 1))

/**
 * struct smcx_diag_out - what is told of one socket
 * @msg: head
 * @fb: reasons
 * @family: AF_INET or AF_INET6
 * @shutdown: RCV_SHUTDOWN | SEND_SHUTDOWN
 * @has_conn: @conn is filled
 * @has_lgr: @lgr is filled
 * @one_rtt: with @has_conn: set up in one round trip
 * @conn: connection
 * @lgr: its link group
 */
struct smcx_diag_out {
	struct smcx_diag_msg		msg;
	struct smcx_diag_fallback	fb;
	u8				family;
	u8				shutdown;
	bool				has_conn;
	bool				has_lgr;
	bool				one_rtt;
	struct smcx_diag_conninfo	conn;
	struct smcx_diag_lgrinfo	lgr;
};

static struct smcx_diag_cursor smcx_diag_cursor(struct smcx_cursor c)
{
	return (struct smcx_diag_cursor){ .wrap = c.wrap, .count = c.off };
}

/* What a message sent now would say. */
static u8 smcx_diag_prod_flags(const struct smcx_conn_tx *tx)
{
	u8 flags = tx->urg_len ? SMCX_CDC_PROD_URG_PENDING : 0;

	if (tx->peer_size && smcx_cursor_diff(tx->peer_cons, tx->prod, tx->peer_size) == tx->peer_size)
		flags |= SMCX_CDC_PROD_BLOCKED;
	return flags;
}

static void smcx_diag_fill_conn(struct smcx_diag_conninfo *out, const struct smcx_conn *c)
{
	lockdep_assert_held(&c->lock);
	out->token = c->m.token;
	out->sndbuf_size = c->tx.q.limit;
	out->rmbe_size = c->rx.rmbe.size;
	out->peer_rmbe_size = c->tx.peer_size;
	out->rx_prod = smcx_diag_cursor(c->rx.prod);
	out->rx_cons = smcx_diag_cursor(c->rx.cons);
	out->tx_prod = smcx_diag_cursor(c->tx.prod);
	out->tx_cons = smcx_diag_cursor(c->tx.peer_cons);
	out->rx_prod_flags = c->rx.pflags;
	out->rx_conn_state_flags = c->rx.sflags;
	out->tx_prod_flags = smcx_diag_prod_flags(&c->tx);
	out->tx_conn_state_flags = c->tx.sflags;
	/*
	 * In-tree smc's cursors into its send ring. There is no such ring here: as in
	 * one whose start is what the peer has got.
	 */
	out->tx_prep.count = c->tx.q.inflight + c->tx.q.queued;
	out->tx_sent.count = c->tx.q.inflight;
}

static void smcx_diag_fill_lgr(struct smcx_diag_lgrinfo *out, const struct smcx_conn *c)
{
	const struct smcx_link *link = c->m.link;

	lockdep_assert_held(&c->lock);
	out->link_id = link->id;
	out->ibport = link->path.port;
	out->role = link->lgr->role;
	snprintf(out->gid, sizeof(out->gid), "%pI6", link->path.gid.raw);
	snprintf(out->peer_gid, sizeof(out->peer_gid), "%pI6", link->peer.gid.raw);
	rcu_read_lock();
	if (!READ_ONCE(link->path.dev->gone))
		strscpy(out->ibname, link->path.dev->ibdev->name, sizeof(out->ibname));
	rcu_read_unlock();
}

static void smcx_diag_look(struct smcx_diag_out *out, struct smcx_conn *c)
{
	spin_lock_bh(&c->lock);
	/* finished: it has left its group, which may be gone */
	if (!c->finished) {
		out->has_conn = c->m.token != 0;
		out->one_rtt = c->setup.one_rtt;
		smcx_diag_fill_conn(&out->conn, c);
	}
	if (!c->finished && !c->killed) {
		out->has_lgr = true;
		smcx_diag_fill_lgr(&out->lgr, c);
	}
	spin_unlock_bh(&c->lock);
}

static void smcx_diag_from_sock(struct smcx_diag_out *out, struct smcx_sock *ss,
				struct user_namespace *ns)
{
	struct inet_diag_sockid *id = &out->msg.id;
	struct smcx_sock_info info;

	smcx_sock_info_get(ss, &info);
	out->msg.state = info.state;
	out->msg.mode = info.mode == SMCX_MODE_TCP ? SMCX_DIAG_MODE_TCP : SMCX_DIAG_MODE_SMCR;
	out->msg.inode = info.inode;
	out->msg.uid = from_kuid_munged(ns, info.uid);
	out->family = info.family;
	id->idiag_sport = info.sport;
	id->idiag_dport = info.dport;
	memcpy(id->idiag_src, info.src, sizeof(id->idiag_src));
	memcpy(id->idiag_dst, info.dst, sizeof(id->idiag_dst));
	id->idiag_if = info.ifindex;
	id->idiag_cookie[0] = (u32)info.cookie;
	id->idiag_cookie[1] = (u32)(info.cookie >> 32);
	out->shutdown = info.shutdown;
	out->fb.reason = info.reason;
	out->fb.peer_diagnosis = info.peer_reason;
	if (info.conn)
		smcx_diag_look(out, info.conn);
	smcx_sock_info_put(&info);
}

static void smcx_diag_from_record(struct smcx_diag_out *out, const struct smcx_fb_rec *rec,
				  struct user_namespace *ns)
{
	struct inet_diag_sockid *id = &out->msg.id;

	BUILD_BUG_ON(sizeof(id->idiag_src) != sizeof(rec->saddr));
	out->msg.state = SMCX_ST_ACTIVE;
	out->msg.mode = SMCX_DIAG_MODE_TCP;
	out->msg.inode = rec->inode;
	out->msg.uid = from_kuid_munged(ns, rec->uid);
	out->family = rec->family;
	id->idiag_sport = htons(rec->sport);
	id->idiag_dport = rec->dport;
	memcpy(id->idiag_src, &rec->saddr, sizeof(id->idiag_src));
	memcpy(id->idiag_dst, &rec->daddr, sizeof(id->idiag_dst));
	id->idiag_if = rec->ifindex;
	id->idiag_cookie[0] = (u32)rec->cookie;
	id->idiag_cookie[1] = (u32)(rec->cookie >> 32);
	out->fb.reason = rec->reason;
	out->fb.peer_diagnosis = rec->peer_reason;
}

static int smcx_diag_put(struct sk_buff *skb, const struct smcx_diag_out *out, u8 ext)
{
	if (nla_put_u8(skb, SMCX_DIAG_SHUTDOWN, out->shutdown) ||
	    nla_put_u8(skb, SMCX_DIAG_FAMILY, out->family) ||
	    nla_put(skb, SMCX_DIAG_FALLBACK, sizeof(out->fb), &out->fb))
		return -EMSGSIZE;
	if (out->has_conn && nla_put_u8(skb, SMCX_DIAG_ONE_RTT, out->one_rtt))
		return -EMSGSIZE;
	if (out->has_conn && (ext & SMCX_DIAG_EXT(SMCX_DIAG_CONNINFO)) &&
	    nla_put(skb, SMCX_DIAG_CONNINFO, sizeof(out->conn), &out->conn))
		return -EMSGSIZE;
	if (out->has_lgr && (ext & SMCX_DIAG_EXT(SMCX_DIAG_LGRINFO)) &&
	    nla_put(skb, SMCX_DIAG_LGRINFO, sizeof(out->lgr), &out->lgr))
		return -EMSGSIZE;
	return 0;
}

static int smcx_diag_send(struct smcx_dump *d, const struct smcx_diag_out *out)
{
	const struct smcx_diag_req *req = nlmsg_data(d->cb->nlh);
	struct nlmsghdr *nlh;

	nlh = nlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid, d->cb->nlh->nlmsg_seq,
			d->cb->nlh->nlmsg_type, sizeof(out->msg), NLM_F_MULTI);
	if (!nlh)
		return -EMSGSIZE;
	memcpy(nlmsg_data(nlh), &out->msg, sizeof(out->msg));
	if (smcx_diag_put(d->skb, out, req->ext)) {
		nlmsg_cancel(d->skb, nlh);
		return -EMSGSIZE;
	}
	nlmsg_end(d->skb, nlh);
	d->cb->args[0] = d->pos;
	return 0;
}

/* user ids are told as the reader knows them */
static struct user_namespace *smcx_diag_user_ns(const struct smcx_dump *d)
{
	return sk_user_ns(NETLINK_CB(d->cb->skb).sk);
}

static int smcx_diag_one_sock(struct smcx_sock *ss, void *arg)
{
	struct smcx_diag_out out = { .msg.family = PF_SMC };
	struct smcx_dump *d = arg;

	if (smcx_dump_is_sent(d))
		return 0;
	smcx_diag_from_sock(&out, ss, smcx_diag_user_ns(d));
	return smcx_diag_send(d, &out);
}

static int smcx_diag_one_record(const struct smcx_fb_rec *rec, void *arg)
{
	struct smcx_diag_out out = { .msg.family = PF_SMC };
	struct smcx_dump *d = arg;

	if (smcx_dump_is_sent(d))
		return 0;
	smcx_diag_from_record(&out, rec, smcx_diag_user_ns(d));
	return smcx_diag_send(d, &out);
}

static int smcx_diag_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	struct smcx_net *sn = smcx_net(smcx_dump_net(&d));
	int rc = 0;

	if (cb->args[1] == SMCX_DIAG_SOCKS) {
		rc = smcx_sock_for_each(sn, smcx_diag_one_sock, &d);
		if (!rc) {
			cb->args[1] = SMCX_DIAG_RECORDS;
			cb->args[0] = 0;
			d.pos = 0;
		}
	}
	if (!rc && cb->args[1] == SMCX_DIAG_RECORDS) {
		rc = smcx_fb_for_each(sn, smcx_diag_one_record, &d);
		if (!rc)
			cb->args[1] = SMCX_DIAG_DONE;
	}
	return rc == -ENOMEM ? rc : skb->len;
}

static int smcx_diag_request(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	struct netlink_dump_control c = {
		.dump = smcx_diag_dump,
		.min_dump_alloc = SKB_WITH_OVERHEAD(32768),
	};

	if (nlmsg_len(nlh) < sizeof(struct smcx_diag_req))
		return -EINVAL;
	if (!(nlh->nlmsg_flags & NLM_F_DUMP))
		return -EOPNOTSUPP;
	return netlink_dump_start(sock_net(skb->sk)->diag_nlsk, skb, nlh, &c);
}

static const struct sock_diag_handler smcx_diag_handler = {
	.owner	= THIS_MODULE,
	.family	= PF_SMC,
	.dump	= smcx_diag_request,
};

int smcx_mgmt_diag_init(void)
{
	return sock_diag_register(&smcx_diag_handler);
}

void smcx_mgmt_diag_exit(void)
{
	sock_diag_unregister(&smcx_diag_handler);
}

MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_NETLINK, NETLINK_SOCK_DIAG, PF_SMC);
