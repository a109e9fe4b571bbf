// SPDX-License-Identifier: GPL-2.0
/* See evil.h. */
#define _GNU_SOURCE
#include "evil.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define EID "SMCX.DEFAULT"	/* what a module without configuration has */
#define CLC_MS 8000

/* evil_init() - forget everything, wishes too */
void evil_init(struct evil *e, struct rc_dev *dev, struct in_addr addr, uint16_t port)
{
	memset(e, 0, sizeof(*e));
	e->dev = dev;
	e->addr = addr;
	e->port = port;
	e->recvs = RC_RECVS;
	e->listener = -1;
	getrandom(e->peer_id, sizeof(e->peer_id), 0);
}

void evil_close(struct evil *e)
{
	for (int i = 0; i < e->n; i++)
		if (e->conn[i].fd >= 0)
			close(e->conn[i].fd);
	if (e->listener >= 0)
		close(e->listener);
	rc_close(&e->rc);
}

static struct evil_conn *by_token(struct evil *e, uint32_t token)
{
	for (int i = 0; i < e->n; i++)
		if (e->conn[i].token == token)
			return &e->conn[i];
	return NULL;
}

static void on_cdc(struct evil *e, const uint8_t *buf, unsigned int len)
{
	struct smcx_cdc_msg msg;
	struct evil_conn *c;

	if (smcx_cdc_decode(buf, len, &msg))
		return;
	c = by_token(e, msg.token);
	if (!c)
		return;
	/* what came behind the message goes where a write would have put it */
	for (unsigned int i = SMCX_CDC_LEN; i < len; i++)
		c->elem[(c->last.prod.off + i - SMCX_CDC_LEN) % EVIL_ELEM] = buf[i];
	c->last = msg;
	c->cdcs++;
}

/* Our own data in answers that carry them. */
static void confirm_link_fill(struct evil *e, struct smcx_llc_confirm_link *m, uint8_t id)
{
	memcpy(m->mac, e->dev->mac, 6);
	memcpy(m->gid, e->dev->gid.raw, 16);
	m->qpn = e->rc.qp->qp_num;
	m->link_id = id;
	m->link_uid = 0x4242;
	m->max_links = 1;
	m->max_conns = 255;
}

static void answer(struct evil *e, struct smcx_llc_msg *msg, uint16_t bit)
{
	struct smcx_llc_msg out;
	uint32_t key;

	if (e->mute & bit)
		return;
	smcx_llc_reply(msg, &out);
	if (msg->type == SMCX_LLC_CONFIRM_LINK)
		confirm_link_fill(e, &out.confirm_link, msg->confirm_link.link_id);
	if (e->wrong & bit) {
		getrandom(&key, sizeof(key), 0);
		if (msg->type == SMCX_LLC_CONFIRM_RKEY)
			out.confirm_rkey.own.rkey = key;
		else if (msg->type == SMCX_LLC_DELETE_RKEY)
			out.delete_rkey.rkeys = (void *)&key;
		else
			getrandom(out.confirm_link.mac, sizeof(out.confirm_link.mac), 0);
	}
	evil_llc(e, &out);
	if (e->twice & bit)
		evil_llc(e, &out);
}

static void on_msg(void *ctx, const uint8_t *buf, unsigned int len)
{
	struct smcx_llc_msg msg;
	struct evil *e = ctx;

	if (smcx_llc_is_cdc(buf, len)) {
		on_cdc(e, buf, len);
		return;
	}
	if (smcx_llc_decode(buf, len, &msg))
		return;
	if (smcx_llc_is_response(&msg)) {
		e->answers[msg.type]++;
		memcpy(e->resp[msg.type], buf, SMCX_LLC_LEN);
		return;
	}
	e->llc[msg.type]++;
	memcpy(e->req[msg.type], buf, SMCX_LLC_LEN);
	if (msg.type == SMCX_LLC_DELETE_LINK)
		e->ended = true;
	else if (msg.type != SMCX_LLC_ADD_LINK)
		answer(e, &msg, BIT(msg.type));
}

/* evil_gone() - the other side has ended the group: it said so, or our messages arrive no more. Waits this long for it. */
bool evil_gone(struct evil *e, int ms)
{
	struct smcx_llc_msg msg = { .type = SMCX_LLC_TEST_LINK, .version = 2, .flags = SMCX_LLC_F_RESP };
	uint64_t end = now_ms() + ms;

	while (!e->ended && !e->rc.bad && now_ms() < end) {
		if (e->rc.sent == e->rc.done)
			evil_llc(e, &msg);
		evil_pump(e, 20);
	}
	return e->ended || e->rc.bad;
}

/* evil_pump() - listen, and answer, for so long */
void evil_pump(struct evil *e, int ms)
{
	uint64_t end = now_ms() + ms;

	do {
		if (e->rc.cq)
			rc_poll(&e->rc);
		else
			usleep(1000);
	} while (now_ms() < end);
}

/* evil_answered() - wait for that many answers of this type */
bool evil_answered(struct evil *e, int type, unsigned int n, int ms)
{
	uint64_t end = now_ms() + ms;

	while (e->answers[type] < n && !e->rc.bad && now_ms() < end)
		evil_pump(e, 1);
	return e->answers[type] >= n;
}

bool evil_llc(struct evil *e, struct smcx_llc_msg *msg)
{
	uint8_t buf[SMCX_LLC_LEN_MAX];
	int n = smcx_llc_encode(msg, buf, sizeof(buf));

	return n > 0 && rc_send(&e->rc, buf, n);
}

static bool wait_fd(struct evil *e, int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	uint64_t end = now_ms() + ms;

	do {
		if (poll(&p, 1, 0) == 1)
			return true;
		evil_pump(e, 1);
	} while (now_ms() < end);
	return false;
}

/* One CLC message of this type. Return: its length, or 0 and e->decline says why. */
static int clc_recv(struct evil *e, int fd, uint8_t *buf, int type, int ms)
{
	struct smcx_clc_decline d;
	int have = 0, want = SMCX_CLC_HDR_LEN, n;

	e->decline = ~0u;
	while (have < want) {
		if (!wait_fd(e, fd, POLLIN, ms))
			return 0;
		n = recv(fd, buf + have, want - have, 0);
		if (n <= 0)
			return 0;
		have += n;
		if (have == SMCX_CLC_HDR_LEN) {
			want = smcx_clc_peek_len(buf, have);
			if (want < have || want > SMCX_CLC_BUF_LEN)
				return 0;
		}
	}
	if (buf[4] == SMCX_CLC_DECLINE && !smcx_clc_decode_decline(buf, have, &d))
		e->decline = d.diagnosis;
	return buf[4] == type ? have : 0;
}

static void use_mac(struct evil *e, int fd)
{
	struct ifreq ifr = {};

	strcpy(ifr.ifr_name, "eth0");
	if (!ioctl(fd, SIOCGIFHWADDR, &ifr))
		memcpy(e->dev->mac, ifr.ifr_hwaddr.sa_data, 6);
}

/* evil_tcp() - a connection of TCP that offers SMC; Return: file descriptor or -1 */
int evil_tcp(struct evil *e)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(e->port), .sin_addr = e->addr };
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr = e->from };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (void *)&own, sizeof(own)) || connect(fd, (void *)&sin, sizeof(sin))) {
		perror("connect");
		return -1;
	}
	use_mac(e, fd);
	return fd;
}

static struct evil_conn *conn_new(struct evil *e, int fd)
{
	struct evil_conn *c = &e->conn[e->n];

	if (e->n == EVIL_CONNS || fd < 0)
		return NULL;
	if (!e->no_qp && !e->rc.qp && !rc_open(&e->rc, e->dev, e->no_recvs ? 0 : e->recvs)) {
		perror("queue pair");
		return NULL;
	}
	e->rc.no_recv = e->no_recvs || e->no_repost;
	e->rc.on_msg = on_msg;
	e->rc.ctx = e;
	memset(c, 0, sizeof(*c));
	c->e = e;
	c->fd = fd;
	c->token = 0x1000 + e->n;
	if (e->rc.rmb) {
		c->elem = e->rc.rmb + e->n % (RC_RMB / EVIL_ELEM) * EVIL_ELEM;
		memset(c->elem, 0, EVIL_ELEM);
	}
	e->n++;
	return c;
}

static void proposal_fill(struct evil *e, struct smcx_clc_proposal *p)
{
	memset(p, 0, sizeof(*p));
	p->version = 2;
	p->typev1 = SMCX_CLC_SMC_NONE;
	p->typev2 = SMCX_CLC_SMC_R;
	memcpy(p->peer_id, e->peer_id, 8);
	memcpy(p->mac, e->dev->mac, 6);
	p->vendor[0] = 0x58;
	p->vendor[1] = 1;
	p->vendor[2] = e->caps >> 8;
	p->vendor[3] = e->caps;
	p->has_v2 = true;
	p->v2.n_eids = 1;
	p->v2.release = 1;
	p->v2.max_conns = 255;
	p->v2.max_links = 1;
	memcpy(p->v2.gid, e->dev->gid.raw, 16);
	memset(p->v2.eids[0], ' ', SMCX_EID_LEN);
	memcpy(p->v2.eids[0], EID, sizeof(EID) - 1);
}

/* What an Accept or Confirm of ours says, before it is bent. */
static void clc_fill(struct evil_conn *c, struct smcx_clc_accept *a)
{
	struct evil *e = c->e;

	memset(a, 0, sizeof(*a));
	a->is_confirm = !e->server;
	a->version = 2;
	a->rmbe_idx = 1;
	a->mtu = 3;
	a->qpn = e->rc.qp ? e->rc.qp->qp_num : 0x777777;
	a->psn = e->rc.psn;
	a->rkey = e->rc.rmb_mr ? e->rc.rmb_mr->rkey : 0x777777;
	a->token = c->token;
	a->rmb_addr = (uintptr_t)c->elem;
	memcpy(a->peer_id, e->peer_id, 8);
	memcpy(a->gid, e->dev->gid.raw, 16);
	memcpy(a->mac, e->dev->mac, 6);
	memset(a->eid, ' ', SMCX_EID_LEN);
	memcpy(a->eid, EID, sizeof(EID) - 1);
	a->fce.v2_direct = true;
	a->fce.os = SMCX_CLC_OS_LINUX;
	a->fce.release = 1;
	a->fce.max_conns = e->server ? 255 : c->peer.fce.max_conns;
	a->fce.max_links = e->server ? 1 : c->peer.fce.max_links;
	memset(a->fce.host, 'e', sizeof(a->fce.host));
	if (e->caps) {
		a->fce.vendor[0] = 0x58;
		a->fce.vendor[1] = 1;
		a->fce.vendor[2] = e->caps >> 8;
		a->fce.vendor[3] = e->caps;
	}
	if (!e->server) {
		a->n_gids = 1;
		memcpy(a->gids[0], a->gid, 16);
	}
}

static bool clc_send(struct evil_conn *c)
{
	uint8_t buf[SMCX_CLC_BUF_LEN];
	int n;

	clc_fill(c, &c->mine);
	c->mine.first_contact = c->e->server ? !c->e->up : c->peer.first_contact;
	if (c->e->bend)
		c->e->bend(&c->mine);
	n = smcx_clc_encode_accept(&c->mine, buf, sizeof(buf));
	if (n < 0)
		fprintf(stderr, "cannot encode: %d\n", n);
	return n > 0 && send(c->fd, buf, n, MSG_NOSIGNAL) == n;
}

static bool qp_up(struct evil_conn *c)
{
	struct evil *e = c->e;
	int mtu = c->peer.mtu < c->mine.mtu || !c->mine.mtu ? c->peer.mtu : c->mine.mtu;

	return e->no_qp || rc_connect(&e->rc, c->peer.gid, c->peer.qpn, c->peer.psn, mtu);
}

/* evil_offer() - connect and send a Proposal */
struct evil_conn *evil_offer(struct evil *e)
{
	struct evil_conn *c = conn_new(e, evil_tcp(e));
	uint8_t buf[SMCX_CLC_BUF_LEN];
	struct smcx_clc_proposal p;
	int n;

	if (!c)
		return NULL;
	proposal_fill(e, &p);
	n = smcx_clc_encode_proposal(&p, buf, sizeof(buf));
	return n > 0 && send(c->fd, buf, n, MSG_NOSIGNAL) == n ? c : NULL;
}

/* evil_accepted() - wait for the Accept; Return: false if none came, and e->decline says why */
bool evil_accepted(struct evil_conn *c)
{
	uint8_t buf[SMCX_CLC_BUF_LEN];
	int n = clc_recv(c->e, c->fd, buf, SMCX_CLC_ACCEPT, CLC_MS);

	return n && !smcx_clc_decode_accept(buf, n, &c->peer);
}

struct evil_conn *evil_propose(struct evil *e)
{
	struct evil_conn *c = evil_offer(e);

	return c && evil_accepted(c) ? c : NULL;
}

/* evil_say_confirm() - only the message, which may be said again */
bool evil_say_confirm(struct evil_conn *c)
{
	return clc_send(c);
}

/* evil_confirm() - the rest of what a client does; Return: false if the other side gave up */
bool evil_confirm(struct evil_conn *c)
{
	struct evil *e = c->e;
	uint64_t end = now_ms() + 3000;

	if (!e->up && !qp_up(c))
		return false;
	if (!clc_send(c))
		return false;
	if (e->no_qp || !c->peer.first_contact)
		return true;
	while (!e->llc[SMCX_LLC_CONFIRM_LINK] && !e->rc.bad && now_ms() < end)
		evil_pump(e, 1);
	e->up = e->llc[SMCX_LLC_CONFIRM_LINK] && !(e->mute & BIT(SMCX_LLC_CONFIRM_LINK));
	if (e->up)
		rc_flush(&e->rc, 1000);
	return e->up;
}

struct evil_conn *evil_connect(struct evil *e)
{
	struct evil_conn *c = evil_propose(e);

	return c && evil_confirm(c) ? c : NULL;
}

bool evil_listen(struct evil *e, uint16_t port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };
	int on = 1;

	e->server = true;
	e->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(e->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	use_mac(e, e->listener);
	return !bind(e->listener, (void *)&sin, sizeof(sin)) && !listen(e->listener, 16);
}

static bool server_link_up(struct evil *e)
{
	struct smcx_llc_msg msg = {
		.type = SMCX_LLC_CONFIRM_LINK, .version = 2, .flags = SMCX_LLC_F_NO_EYECATCHER,
	};

	if (e->no_qp)
		return true;
	confirm_link_fill(e, &msg.confirm_link, 1);
	for (int i = 0; i < (e->twice & BIT(SMCX_LLC_CONFIRM_LINK) ? 2 : 1); i++)
		if (!(e->mute & BIT(SMCX_LLC_CONFIRM_LINK)) && !evil_llc(e, &msg))
			return false;
	return e->up = evil_answered(e, SMCX_LLC_CONFIRM_LINK, 1, 3000);
}

/* evil_accept() - a server's part, all of it; Return: NULL if the client gave up */
struct evil_conn *evil_accept(struct evil *e)
{
	uint8_t buf[SMCX_CLC_BUF_LEN];
	struct evil_conn *c;
	int n;

	if (!wait_fd(e, e->listener, POLLIN, CLC_MS))
		return NULL;
	c = conn_new(e, accept(e->listener, NULL, NULL));
	if (!c || !clc_recv(e, c->fd, buf, SMCX_CLC_PROPOSAL, CLC_MS) || !clc_send(c))
		return NULL;
	n = clc_recv(e, c->fd, buf, SMCX_CLC_CONFIRM, CLC_MS);
	if (!n || smcx_clc_decode_accept(buf, n, &c->peer))
		return NULL;
	if (e->up)
		return c;
	return qp_up(c) && server_link_up(e) ? c : NULL;
}

/* evil_cdc() - a CDC whose token and sequence number are right, unless they are set */
bool evil_cdc(struct evil_conn *c, struct smcx_cdc_msg *msg)
{
	uint8_t buf[SMCX_CDC_LEN];

	if (!msg->token)
		msg->token = c->peer.token;
	if (!msg->seqno)
		msg->seqno = ++c->seq;
	smcx_cdc_encode(msg, buf);
	return rc_send(&c->e->rc, buf, sizeof(buf));
}

/* evil_tell() - a CDC that tells the truth about the cursors */
bool evil_tell(struct evil_conn *c, uint8_t prod_flags, uint8_t state)
{
	struct smcx_cdc_msg msg = {
		.prod_flags = prod_flags, .state_flags = state, .prod = c->prod, .cons = c->cons,
	};

	return evil_cdc(c, &msg);
}

/* evil_put() - data as they should be sent; no look at the window */
bool evil_put(struct evil_conn *c, const void *data, unsigned int n)
{
	uint32_t size = smcx_rmbe_size(c->peer.rmbe_code);
	uint64_t base = smcx_rmbe_base(c->peer.rmb_addr, c->peer.rmbe_idx, c->peer.rmbe_code);
	struct smcx_ring_piece piece[2];
	const uint8_t *p = data;
	unsigned int np = smcx_ring_split(c->prod.off, n, size, piece);

	for (unsigned int i = 0; i < np; i++) {
		if (!rc_write(&c->e->rc, p, piece[i].len, c->peer.rkey, base + piece[i].off))
			return false;
		p += piece[i].len;
	}
	c->prod = smcx_cursor_add(c->prod, n, size);
	return evil_tell(c, 0, 0);
}

/* evil_get() - exactly so many bytes */
bool evil_get(struct evil_conn *c, void *data, unsigned int n, int ms)
{
	uint64_t end = now_ms() + ms;
	uint8_t *p = data;

	while (n && now_ms() < end) {
		uint32_t have = smcx_cursor_diff(c->cons, c->last.prod, EVIL_ELEM);

		if (!have) {
			if (c->e->rc.bad || c->last.state_flags)
				return false;
			evil_pump(c->e, 1);
			continue;
		}
		if (have > n)
			have = n;
		for (uint32_t i = 0; i < have; i++)
			*p++ = c->elem[(c->cons.off + i) % EVIL_ELEM];
		c->cons = smcx_cursor_add(c->cons, have, EVIL_ELEM);
		n -= have;
		evil_tell(c, 0, 0);
	}
	return !n;
}

/* evil_echo() - is there an application at the other end, and does it answer with what it got? */
bool evil_echo(struct evil_conn *c, unsigned int n)
{
	uint8_t out[4096], in[4096];

	getrandom(out, n, 0);
	return evil_put(c, out, n) && evil_get(c, in, n, 5000) && !memcmp(in, out, n);
}

/* evil_state() - wait for one of these state flags */
bool evil_state(struct evil_conn *c, uint8_t state, int ms)
{
	uint64_t end = now_ms() + ms;

	while (!(c->last.state_flags & state) && !c->e->rc.bad && now_ms() < end)
		evil_pump(c->e, 1);
	return c->last.state_flags & state;
}

/* evil_tcp_ended() - does the other side decline, or close, within this time? */
bool evil_tcp_ended(struct evil_conn *c, int ms)
{
	uint8_t buf[SMCX_CLC_BUF_LEN];

	if (!wait_fd(c->e, c->fd, POLLIN | POLLHUP, ms))
		return false;
	clc_recv(c->e, c->fd, buf, SMCX_CLC_DECLINE, 100);
	return true;
}
