/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_HS_HS_PRIV_H
#define SMCX_HS_HS_PRIV_H

#include <net/inet_sock.h>
#include <net/tcp_states.h>

#include "../proto/ext.h"
#include "../rdma/route.h"
#include "hs.h"

/** enum smcx_hs_state - see the picture in hs.h */
enum smcx_hs_state {
	SMCX_HS_IDLE,		/* created, not started */
	SMCX_HS_ABANDONED,	/* never started, to be dropped */
	SMCX_HS_PROPOSE,	/* client: build and send the Proposal */
	SMCX_HS_WAIT_ACCEPT,
	SMCX_HS_WAIT_PROPOSAL,
	SMCX_HS_WAIT_LGR,	/* server: another handshake is making the group */
	SMCX_HS_WAIT_RMB,	/* another handshake makes a region */
	SMCX_HS_WAIT_RKEY,	/* net.smc.rkey_skip is 0: CONFIRM_RKEY is under way */
	SMCX_HS_WAIT_CONFIRM,
	SMCX_HS_WAIT_LINK,	/* CONFIRM_LINK is under way on the new link */
	SMCX_HS_WAIT_DECLINE,	/* link failed: does the peer say why? */
	SMCX_HS_DONE,
};

/* What a step function tells the loop in hs.c. */
enum smcx_hs_next {
	SMCX_HS_SLEEP,		/* nothing more until an event or the deadline */
	SMCX_HS_AGAIN,		/* state changed, run the new state's step */
	SMCX_HS_FINISHED,	/* verdict is in hs->res */
};

#define SMCX_HS_LGR_WAIT_MS	500	/* rather a second group than waiting longer */
#define SMCX_HS_LGR_SPREAD_MS	250	/* random part */
#define SMCX_HS_LGR_WAITS	5	/* ... but there are limits: then rather TCP */
#define SMCX_HS_SYN_MS		3000	/* for the final ACK, if the Proposal came in the SYN */
#define SMCX_HS_CAPS		(SMCX_CAP_SYN | SMCX_CAP_EARLY | SMCX_CAP_DATA)	/* what is built of the extension */
/* protocol.rst 2.10. Two Declines that crossed would be read as data: the client leaves the first to the server */
#define SMCX_HS_DECLINE_WAIT_MS	1000
#define SMCX_HS_DECLINE_WAIT_CLIENT_MS	3000

/**
 * struct smcx_hs_local - what this host brings along for one connection
 * @offer: for proto/negotiate
 * @v1: path for SMC-Rv1, valid if offer.no_v1 is 0
 * @v2: path for SMC-Rv2, valid if offer.no_v2 is 0
 */
struct smcx_hs_local {
	struct smcx_offer	offer;
	struct smcx_path	v1;
	struct smcx_path	v2;
};

/**
 * struct smcx_clc_chan - one CLC message being gathered from the TCP stream
 * @got: bytes of it read so far
 * @len: its whole length, 0 = header not complete
 * @buf: its first bytes; what exceeds the buffer is dropped
 */
struct smcx_clc_chan {
	u32	got;
	u32	len;
	u8	buf[SMCX_CLC_BUF_LEN];
};

/**
 * struct smcx_hs - one handshake
 * @ref: creator; each queued run of @work
 * @work: runs the steps; doubles as the deadline timer
 * @sk: TCP socket, kept alive by the owner
 * @sn: its namespace
 * @role: SMCX_CLIENT or SMCX_SERVER
 * @ops: verdict upcall
 * @owner: for @ops
 * @run: one step at a time
 * @brief: this run must not sleep for long: make no group, no region; under @run
 * @cancelled: set once by smcx_hs_cancel()
 * @link_event: set by the group's waiter: 0 none, 1 up, -1 failed
 * @state: as all below, only touched under @run
 * @deadline: jiffies
 * @version: SMC version for Declines
 * @chan: incoming message
 * @local: own capabilities
 * @prop: server: the Proposal, kept while waiting for a group
 * @agreed: outcome of the negotiation
 * @gateway: v2: peer is behind a router
 * @gw_mac: next hop's MAC then
 * @first: first contact
 * @waiter: in the group's list while waiting
 * @lgr_waits: how often SMCX_HS_LGR_WAIT_MS have passed in vain
 * @lgr: group, one reference
 * @seat: the seat in @lgr is still ours (not yet the connection's)
 * @conn: connection being set up, one reference
 * @link: link it will use
 * @ask: CONFIRM_RKEY for the element's region
 * @rkey_event: set by @ask: 0 none, 1 confirmed, or negative errno
 * @told: the peer knows our element (Accept or Confirm was sent)
 * @invite: client: the invitation used in the Proposal, then the one in the Accept
 * @early: group and connection were made before the peer's message came (client), or the client's end of
 *	the link was in its Proposal (server)
 * @early_block: client: what the Proposal says of them
 * @syn: server: the Proposal came in the SYN
 * @syn_up: ... and the final ACK has come
 * @res: verdict
 * @setup: clock of the parts, see DOC "Set-up times"
 * @rcu: frees the struct
 */
struct smcx_hs {
	refcount_t			ref;
	struct delayed_work		work;
	struct sock			*sk;
	struct smcx_net			*sn;
	enum smcx_role			role;
	const struct smcx_hs_ops	*ops;
	void				*owner;
	struct mutex			run;
	bool				brief;
	bool				cancelled;
	int				link_event;

	enum smcx_hs_state		state;
	unsigned long			deadline;
	u8				version;
	struct smcx_clc_chan		chan;
	struct smcx_hs_local		local;
	struct smcx_clc_proposal	prop;
	struct smcx_agreed		agreed;
	bool				gateway;
	u8				gw_mac[6];
	bool				first;
	struct smcx_lgr_waiter		waiter;
	unsigned int			lgr_waits;
	struct smcx_lgr			*lgr;
	bool				seat;
	struct smcx_conn		*conn;
	struct smcx_link		*link;
	struct smcx_llc_ask		ask;
	int				rkey_event;
	bool				told;
	struct smcx_invite		invite;
	bool				early;
	struct smcx_clc_early		early_block;
	bool				syn;
	bool				syn_up;
	struct smcx_hs_result		res;
	struct smcx_setup		setup;
	struct rcu_head			rcu;
};

/* ---- chan.c: CLC messages on the TCP connection ---- */

/**
 * smcx_chan_recv() - read on until one CLC message is complete
 * @hs: handshake
 * @hdr: header of the complete message; its bytes are in hs->chan.buf
 *
 * Never takes a byte that follows the message.
 * Context: process.
 * Return: 1 = complete, 0 = more to come, negative errno (-EPROTO, -ECONNRESET at
 * end of stream, the TCP error).
 */
int smcx_chan_recv(struct smcx_hs *hs, struct smcx_clc_hdr *hdr);

/** smcx_chan_len() - bytes of the complete message in the buffer. @hs: handshake. Context: process. */
size_t smcx_chan_len(const struct smcx_hs *hs);

/** smcx_chan_next() - be ready for the next message. @hs: handshake. Context: process. */
void smcx_chan_next(struct smcx_hs *hs);

/**
 * smcx_chan_send() - send one encoded message
 * @hs: handshake
 * @buf: message
 * @len: bytes; never more than an empty send buffer holds
 * Context: process. Return: 0 or negative errno.
 */
int smcx_chan_send(struct smcx_hs *hs, const u8 *buf, int len);

/** smcx_chan_decline() - send a Decline. @hs: handshake. @reason: wire reason. @out_of_sync: the peer shall end the group. Context: process. Return: 0 or negative errno: it did not go out, or not as a whole. */
int smcx_chan_decline(struct smcx_hs *hs, u32 reason, bool out_of_sync);

/* ---- hs.c ---- */

/** smcx_hs_rkey_event() - fn of hs->ask. @ask: it. @err: outcome. Context: any. */
void smcx_hs_rkey_event(struct smcx_llc_ask *ask, int err);

/* ---- offer.c: what we can do ---- */

/** smcx_local_build() - find paths and fill the offer. @hs: handshake. Context: process. */
void smcx_local_build(struct smcx_hs *hs);
/** smcx_local_release() - drop the paths. @hs: handshake. Context: process. */
void smcx_local_release(struct smcx_hs *hs);
/** smcx_local_path() - path for the agreed version. @hs: handshake. Context: process. */
const struct smcx_path *smcx_local_path(const struct smcx_hs *hs);
/** smcx_hs_saddr() - own IPv4 address, 0 on IPv6. @hs: handshake. Context: any. */
static inline __be32 smcx_hs_saddr(const struct smcx_hs *hs)
{
	return smcx_route_is_v4(hs->sk) ? inet_sk(hs->sk)->inet_rcv_saddr : 0;
}

/** smcx_local_is_ipsec() - does IPsec protect the TCP connection (RDMA would bypass it)? @sk: socket. Context: process. */
bool smcx_local_is_ipsec(struct sock *sk);

/* ---- attach.c: steps both roles share ---- */

/** smcx_hs_fill_params() - link group parameters from what is agreed. @hs: handshake. @p: result. Context: process. */
void smcx_hs_fill_params(const struct smcx_hs *hs, struct smcx_lgr_params *p);
/** smcx_hs_make_conn() - connection and element in hs->lgr. @hs: handshake. Context: process. Return: 0 or reason; 0 without hs->conn: not in a brief run, or not before the waiter is called. */
u32 smcx_hs_make_conn(struct smcx_hs *hs);
/** smcx_hs_fill_clc() - Accept or Confirm from hs->conn and hs->link. @hs: handshake. @clc: result. Context: process. */
void smcx_hs_fill_clc(struct smcx_hs *hs, struct smcx_clc_accept *clc);
/** smcx_hs_learn_peer() - take over the peer's element and, on first contact, its end of the link. @hs: handshake. @clc: its Accept or Confirm. @peer: result for smcx_link_connect(). Context: process. Return: 0 or reason. */
u32 smcx_hs_learn_peer(struct smcx_hs *hs, const struct smcx_clc_accept *clc, struct smcx_peer_path *peer);
/** smcx_hs_learn_group() - first contact, version 2: what Accept or Confirm say of the peer. @hs: handshake. @clc: message. Context: process. */
void smcx_hs_learn_group(struct smcx_hs *hs, const struct smcx_clc_accept *clc);
/** smcx_hs_send_clc() - encode and send Accept or Confirm. @hs: handshake. @clc: message. Context: process. Return: 0 or negative errno. */
int smcx_hs_send_clc(struct smcx_hs *hs, const struct smcx_clc_accept *clc);
/** smcx_hs_wait_link() - first contact: enter WAIT_LINK. @hs: handshake. Context: process. Return: true if queued; false: the group has already decided (link_event is set). */
void smcx_hs_wait_link(struct smcx_hs *hs);
/** smcx_hs_step_link() - WAIT_LINK, both roles. @hs: handshake. Context: process. */
enum smcx_hs_next smcx_hs_step_link(struct smcx_hs *hs);
/** smcx_hs_wait_rmb() - enter WAIT_RMB, or remain in it: smcx_hs_make_conn() has queued the waiter. @hs: handshake. Context: process. */
enum smcx_hs_next smcx_hs_wait_rmb(struct smcx_hs *hs);
/** smcx_hs_step_rmb() - WAIT_RMB, both roles. @hs: handshake. @go: tries again. Context: process. */
enum smcx_hs_next smcx_hs_step_rmb(struct smcx_hs *hs, enum smcx_hs_next (*go)(struct smcx_hs *hs));
/** smcx_hs_confirm_rkey() - must the element's key be confirmed now? Enters WAIT_RKEY if so. @hs: handshake with connection. Context: process. */
bool smcx_hs_confirm_rkey(struct smcx_hs *hs);
/** smcx_hs_step_rkey() - WAIT_RKEY, both roles. @hs: handshake. @go: what follows. Context: process. */
enum smcx_hs_next smcx_hs_step_rkey(struct smcx_hs *hs, enum smcx_hs_next (*go)(struct smcx_hs *hs));
/** smcx_hs_step_decline() - WAIT_DECLINE, both roles. @hs: handshake. Context: process. */
enum smcx_hs_next smcx_hs_step_decline(struct smcx_hs *hs);

/* verdicts; each releases what the handshake held */

/** smcx_hs_commit() - SMC it is. @hs: handshake. Context: process. */
enum smcx_hs_next smcx_hs_commit(struct smcx_hs *hs);
/** smcx_hs_decline() - we decline: tell the peer and go on as TCP. @hs: handshake. @reason: wire reason. Context: process. */
enum smcx_hs_next smcx_hs_decline(struct smcx_hs *hs, u32 reason);
/** smcx_hs_declined() - the peer's Decline is in the buffer. @hs: handshake. Context: process. */
enum smcx_hs_next smcx_hs_declined(struct smcx_hs *hs);
/** smcx_hs_fail() - no fallback possible. @hs: handshake. @err: negative errno. Context: process. */
enum smcx_hs_next smcx_hs_fail(struct smcx_hs *hs, int err);
/** smcx_hs_drop_group() - give back group, connection, waiter. @hs: handshake. Context: process. */
void smcx_hs_drop_group(struct smcx_hs *hs);
/** smcx_hs_drop() - give back group, connection, waiter, paths. @hs: handshake. Context: process. */
void smcx_hs_drop(struct smcx_hs *hs);

/* ---- onertt.c ---- */

/** smcx_hs_addresses() - TCP addresses, as in struct smcx_lgr. @hs: handshake. @client: result. @server: result. Context: any. */
void smcx_hs_addresses(const struct smcx_hs *hs, struct in6_addr *client, struct in6_addr *server);
/** smcx_onertt_fill_proposal() - capabilities and token. @hs: handshake. @prop: version 2 Proposal. Context: process. */
void smcx_onertt_fill_proposal(const struct smcx_hs *hs, struct smcx_clc_proposal *prop);
/** smcx_onertt_fill_accept() - capabilities; a server's invitation. @hs: handshake. @clc: version 2 Accept or Confirm. Context: process. */
void smcx_onertt_fill_accept(struct smcx_hs *hs, struct smcx_clc_accept *clc);
/** smcx_onertt_learn() - client: invitation in the Accept. @hs: handshake with group. @acc: Accept. Context: process. */
void smcx_onertt_learn(struct smcx_hs *hs, const struct smcx_clc_accept *acc);
/** smcx_onertt_commit() - client: the handshake is complete, remember the invitation. @hs: handshake. Context: process. */
void smcx_onertt_commit(struct smcx_hs *hs);
/** smcx_onertt_count() - server: outcome of a Proposal in a SYN. @hs: handshake with verdict. Context: process. */
void smcx_onertt_count(const struct smcx_hs *hs);
/** smcx_onertt_check_up() - server: has the final ACK come? @hs: handshake. Context: process. */
void smcx_onertt_check_up(struct smcx_hs *hs);

/* ---- early.c ---- */

/** smcx_hs_early_prepare() - client: make group and connection for the Proposal in the SYN, if the server can use them. @hs: handshake with paths. Context: process. */
void smcx_hs_early_prepare(struct smcx_hs *hs);
/** smcx_hs_early_adopt() - client: is the Accept for the group made before? If not, that is given back. @hs: handshake. @acc: Accept. @p: what the group becomes. Context: process. */
bool smcx_hs_early_adopt(struct smcx_hs *hs, const struct smcx_clc_accept *acc,
			 const struct smcx_lgr_params *p);
/** smcx_hs_early_link() - QP to RTS, element ready for the peer: only then may it be told by TCP. @hs: handshake with connection. @peer: other end. Context: process; for a local registration (<= 5 s). Return: 0 or reason. */
u32 smcx_hs_early_link(struct smcx_hs *hs, const struct smcx_peer_path *peer);
/** smcx_hs_early_connect() - server: QP to RTS towards the client of the Proposal. @hs: handshake with connection. Context: process. Return: 0 or reason. */
u32 smcx_hs_early_connect(struct smcx_hs *hs);
/** smcx_hs_early_is_same() - server: does the Confirm say what the Proposal said? @hs: handshake. @cfm: Confirm. Context: process. */
bool smcx_hs_early_is_same(const struct smcx_hs *hs, const struct smcx_clc_accept *cfm);

/** smcx_hs_is_syn_recv() - is the TCP connection not confirmed by its client yet? @sk: TCP socket. Context: any. */
static inline bool smcx_hs_is_syn_recv(const struct sock *sk)
{
	return inet_sk_state_load(sk) == TCP_SYN_RECV;
}

/* ---- client.c, server.c ---- */

/** smcx_hs_client_step() - run the client's current state once, if it is not one of both roles. @hs: handshake. Context: process. */
enum smcx_hs_next smcx_hs_client_step(struct smcx_hs *hs);
/** smcx_hs_server_step() - run the server's current state once, if it is not one of both roles. @hs: handshake. Context: process. */
enum smcx_hs_next smcx_hs_server_step(struct smcx_hs *hs);

/** smcx_hs_expired() - has the deadline passed? @hs: handshake. Context: process. */
static inline bool smcx_hs_expired(const struct smcx_hs *hs)
{
	return time_after_eq(jiffies, hs->deadline);
}

/** smcx_hs_set_deadline() - next deadline. @hs: handshake. @ms: from now. Context: process. */
static inline void smcx_hs_set_deadline(struct smcx_hs *hs, unsigned int ms)
{
	hs->deadline = jiffies + msecs_to_jiffies(ms);
}

#endif
