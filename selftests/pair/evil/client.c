// SPDX-License-Identifier: GPL-2.0
/* Attacks of a client: the handshake, link control, remote writes, closing. Those by CDC are in data.c, those on others in crowd.c. */
#define _GNU_SOURCE
#include "attack.h"
#include "proto/reason.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

bool fail_at(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not: %s\n", file, line, what);
	return false;
}

static struct evil e;

struct evil *evil_begin(struct target *t)
{
	evil_close(&e);
	evil_init(&e, &t->dev, t->addr, t->port);
	return &e;
}

/* evil_serve() - a connection whose application at the other end does this */
struct evil_conn *evil_serve(struct evil *e, const char *how)
{
	struct evil_conn *c = evil_connect(e);

	return c && evil_put(c, how, strlen(how)) ? c : NULL;
}

/* evil_lives() - is the group still good for connections? */
bool evil_lives(struct evil *e)
{
	struct evil_conn *c = evil_serve(e, "e");

	return c && evil_echo(c, 1000) && evil_tell(c, 0, SMCX_CDC_STATE_CLOSED) &&
	       evil_state(c, SMCX_CDC_STATE_CLOSED, 3000);
}

/* No attack: all that the others build on. */
static bool well_behaved(struct target *t)
{
	evil_begin(t);
	return evil_lives(&e) && evil_lives(&e) && evil_lives(&e);
}

/* ---- 1: no receives ---- */

static bool no_receives(struct target *t)
{
	evil_begin(t)->no_recvs = true;
	WANT(!evil_connect(&e));
	WANT(evil_tcp_ended(&e.conn[0], 4000));
	return true;
}

/* Only CONFIRM_LINK is received. Everything that comes later waits, while what we send makes the link look alive. */
static bool no_more_receives(struct target *t)
{
	struct evil_conn *c;

	evil_begin(t);
	e.recvs = 1;
	e.no_repost = true;
	c = evil_serve(&e, "h");
	WANT(c);
	for (int i = 0; i < 50; i++) {
		evil_tell(c, SMCX_CDC_PROD_CURS_UPDATE, 0);
		evil_pump(&e, 200);
	}
	/* the group has ended: a connection would begin another one */
	c = evil_propose(&e);
	WANT(c && c->peer.first_contact);
	return true;
}

/* ---- 2: answers ---- */

static bool mute_confirm_link(struct target *t)
{
	evil_begin(t)->mute = BIT(SMCX_LLC_CONFIRM_LINK);
	WANT(!evil_connect(&e));
	WANT(e.llc[SMCX_LLC_CONFIRM_LINK]);
	WANT(evil_tcp_ended(&e.conn[0], 4000));
	WANT(evil_gone(&e, 5000));
	return true;
}

static bool answers_twice(struct target *t)
{
	evil_begin(t)->twice = ~0;
	return evil_lives(&e) && evil_lives(&e) && evil_lives(&e);
}

static bool wrong_confirm_link(struct target *t)
{
	evil_begin(t)->wrong = BIT(SMCX_LLC_CONFIRM_LINK);
	WANT(evil_lives(&e));
	return true;
}

static bool eyecatcher(struct target *t)
{
	struct smcx_llc_msg msg = { .type = SMCX_LLC_CONFIRM_LINK, .version = 2, .flags = SMCX_LLC_F_RESP };

	evil_begin(t)->mute = BIT(SMCX_LLC_CONFIRM_LINK);
	WANT(evil_propose(&e));
	evil_confirm(&e.conn[0]);
	evil_llc(&e, &msg);
	WANT(evil_tcp_ended(&e.conn[0], 4000));
	return true;
}

/* An answer with another key is none. */
static bool rkey_answer(struct target *t, bool wrong)
{
	evil_begin(t);
	WANT(evil_lives(&e));
	if (wrong)
		e.wrong = BIT(SMCX_LLC_CONFIRM_RKEY);
	else
		e.mute = BIT(SMCX_LLC_CONFIRM_RKEY);
	WANT(!evil_propose(&e));
	WANT(e.llc[SMCX_LLC_CONFIRM_RKEY]);
	WANT(e.decline == SMCX_REASON_ERR_REGBUF);
	e.wrong = e.mute = 0;
	WANT(evil_lives(&e));
	return true;
}

static bool mute_confirm_rkey(struct target *t)
{
	return rkey_answer(t, false);
}

static bool wrong_confirm_rkey(struct target *t)
{
	return rkey_answer(t, true);
}

static bool no_confirm_rkey(struct target *t)
{
	struct smcx_llc_msg msg = { .type = SMCX_LLC_CONFIRM_RKEY, .version = 2, .flags = 0xb0 };

	evil_begin(t);
	WANT(evil_lives(&e));
	for (int i = 0; i < 100; i++) {
		msg.flags ^= 0x30;
		WANT(evil_llc(&e, &msg));
	}
	WANT(evil_lives(&e));
	return true;
}

static bool mute_delete_rkey(struct target *t)
{
	evil_begin(t)->mute = BIT(SMCX_LLC_DELETE_RKEY);
	/* the other side may have waited long enough, on a slow machine */
	for (int i = 0; i < 6 && !evil_gone(&e, 0); i++)
		WANT(evil_lives(&e) || evil_gone(&e, 0));
	evil_pump(&e, 1000);
	WANT(evil_gone(&e, 0) || evil_lives(&e) || evil_gone(&e, 0));
	return well_behaved(t);
}

static bool mute_test_link(struct target *t)
{
	evil_begin(t)->mute = BIT(SMCX_LLC_TEST_LINK);
	WANT(evil_serve(&e, "e"));
	for (int i = 0; i < 15 && !e.ended && !e.rc.bad; i++)
		evil_pump(&e, 1000);
	WANT(e.llc[SMCX_LLC_TEST_LINK]);
	WANT(evil_gone(&e, 5000));
	return true;
}

/* ---- 4: link control ---- */

static const uint8_t flag_bytes[] = { 0x00, 0x80, 0x20, 0xa0, 0x40, 0xff };

/* Every type byte, with chance contents. Some of them end the group, rightly: then another one. */
static bool llc_garbage(struct target *t)
{
	uint8_t msg[SMCX_LLC_LEN];
	unsigned int groups = 0;

	for (unsigned int i = 0; i < 256 * sizeof(flag_bytes); i++) {
		if (!groups || e.ended || e.rc.bad) {
			evil_begin(t);
			WANT(evil_serve(&e, "e"));
			WANT(++groups < 100);
		}
		getrandom(msg, sizeof(msg), 0);
		msg[0] = i / sizeof(flag_bytes);
		msg[3] = flag_bytes[i % sizeof(flag_bytes)];
		if (i & 1)
			msg[1] = SMCX_LLC_LEN;
		rc_send(&e.rc, msg, random() % 8 ? SMCX_LLC_LEN : random() % 600);
		rc_poll(&e.rc);
	}
	printf("# %u groups\n", groups);
	return true;
}

static bool llc_before_link(struct target *t)
{
	struct smcx_llc_msg msg = { .version = 2 };

	evil_begin(t)->mute = BIT(SMCX_LLC_CONFIRM_LINK);
	WANT(evil_propose(&e));
	evil_confirm(&e.conn[0]);
	for (int flags = 0; flags < 256; flags += 0x40) {
		for (int type = 1; type < 10; type++) {
			msg.type = type;
			msg.flags = flags;
			if (type != SMCX_LLC_CONFIRM_LINK)
				evil_llc(&e, &msg);
		}
	}
	for (int i = 0; i < 20; i++)
		evil_tell(&e.conn[0], 0, i);
	WANT(evil_gone(&e, 6000));
	return true;
}

static uint8_t link_id(struct evil *e)
{
	struct smcx_llc_msg msg;

	return smcx_llc_decode(e->req[SMCX_LLC_CONFIRM_LINK], SMCX_LLC_LEN, &msg) ? 0 : msg.confirm_link.link_id;
}

static bool llc_odd_ids(struct target *t)
{
	struct smcx_llc_msg msg = { .version = 2 };

	evil_begin(t);
	WANT(evil_lives(&e));
	msg.type = SMCX_LLC_DELETE_LINK;
	for (int i = 1; i < 12; i++) {
		msg.delete_link.link_id = link_id(&e) + i * 23;
		WANT(evil_llc(&e, &msg));
	}
	msg.type = SMCX_LLC_ADD_LINK;
	for (int id = 0; id < 256; id += 51) {
		memset(&msg.add_link, 0, sizeof(msg.add_link));
		msg.add_link.link_id = id;
		msg.add_link.mtu = id % 6;
		evil_llc(&e, &msg);
	}
	msg.type = SMCX_LLC_REQ_ADD_LINK;
	memset(&msg.req_add_link, 0, sizeof(msg.req_add_link));
	msg.req_add_link.n_gids = 8;
	evil_llc(&e, &msg);
	memset(&msg.confirm_link, 0, sizeof(msg.confirm_link));
	msg.type = SMCX_LLC_CONFIRM_LINK;
	msg.flags = 3;
	evil_llc(&e, &msg);
	WANT(evil_answered(&e, SMCX_LLC_DELETE_LINK, 11, 3000));
	evil_pump(&e, 200);
	WANT(e.answers[SMCX_LLC_DELETE_LINK] == 11);
	WANT(evil_lives(&e));
	return true;
}

/* evil_llc() of a request, and wait for its answer; Return: the answer's flags, -1 without one */
static int asked(struct smcx_llc_msg *msg)
{
	unsigned int n = e.answers[msg->type];
	uint64_t end = now_ms() + 3000;

	if (!evil_llc(&e, msg))
		return -1;
	while (e.answers[msg->type] == n && now_ms() < end && !evil_gone(&e, 0))
		evil_pump(&e, 0);
	return e.answers[msg->type] == n ? -1 : e.resp[msg->type][3];
}

/*
 * More keys than there are places, then none: those of living connections included. What a message of many keys, longer
 * than others, takes away is free again.
 */
static bool rkey_places(struct target *t)
{
	struct smcx_llc_msg msg = { .type = SMCX_LLC_CONFIRM_RKEY, .version = 2 };
	struct smcx_llc_msg del = { .type = SMCX_LLC_DELETE_RKEY, .version = 2 };
	struct evil_conn *c;
	uint32_t keys[80];
	int flags = 0;

	evil_begin(t);
	c = evil_serve(&e, "e");
	WANT(c);
	for (int i = 0; i < 400; i++) {
		msg.confirm_rkey.own.rkey = 0x10000 + i;
		msg.confirm_rkey.n_more = i % 3;
		msg.confirm_rkey.more[0].link_id = i;
		msg.confirm_rkey.more[1].link_id = 1;
		flags = asked(&msg);
		WANT(flags >= 0);
	}
	WANT(flags & SMCX_LLC_F_RKEY_NEG);
	WANT(evil_echo(c, 1000));
	/* those whose message named no other link, which may have been this one */
	for (int i = 0; i < 80; i++)
		keys[i] = htonl(0x10000 + 3 * i);
	msg.confirm_rkey.n_more = 0;
	del.delete_rkey.n_rkeys = 80;
	del.delete_rkey.rkeys = (void *)keys;
	flags = asked(&del);
	WANT(flags >= 0 && !(flags & SMCX_LLC_F_RKEY_NEG));
	for (int i = 0; i < 80; i++) {
		msg.confirm_rkey.own.rkey = 0x20000 + i;
		flags = asked(&msg);
		WANT(flags >= 0 && !(flags & SMCX_LLC_F_RKEY_NEG));
	}
	WANT(evil_echo(c, 1000));
	keys[0] = htonl(c->mine.rkey);
	del.delete_rkey.n_rkeys = 1;
	WANT(evil_llc(&e, &del));
	evil_echo(c, 1000);
	return true;
}

/* Requests that want an answer: the answers are taken, then for a while they are not. */
static bool llc_flood(struct target *t)
{
	static const uint8_t types[] = { SMCX_LLC_TEST_LINK, SMCX_LLC_CONFIRM_RKEY, SMCX_LLC_DELETE_RKEY,
					 SMCX_LLC_REQ_ADD_LINK, SMCX_LLC_DELETE_LINK };
	uint8_t msg[SMCX_LLC_LEN] = {};

	evil_begin(t);
	WANT(evil_lives(&e));
	for (int i = 0; i < 3000; i++) {
		msg[0] = 0x20 | types[i % sizeof(types)];
		msg[4] = link_id(&e) + 1 + i % 200;
		/* who sends faster than the other one reads may lose the link */
		if (!rc_send(&e.rc, msg, sizeof(msg)))
			break;
	}
	rc_flush(&e.rc, 3000);
	printf("# %u answers, status %d\n", e.answers[SMCX_LLC_TEST_LINK], e.rc.bad);
	/* fewer only if the link did not last */
	WANT(e.answers[SMCX_LLC_TEST_LINK] > (e.rc.bad ? 0 : 100));
	evil_pump(&e, 300);
	if (e.rc.bad)
		return well_behaved(t);
	e.rc.no_recv = true;
	for (int i = 0; i < 60; i++)
		rc_send(&e.rc, msg, sizeof(msg));
	evil_pump(&e, 300);
	return true;
}

/* ---- 5: remote writes ---- */

static bool write_fails(struct target *t, int64_t off, uint32_t key, unsigned int len)
{
	static uint8_t junk[4096];
	struct evil_conn *c;

	evil_begin(t);
	c = evil_serve(&e, "e");
	WANT(c && evil_echo(c, 100));
	WANT(rc_write(&e.rc, junk, len, c->peer.rkey ^ key, c->peer.rmb_addr + off));
	rc_flush(&e.rc, 3000);
	WANT(e.rc.bad == IBV_WC_REM_ACCESS_ERR);
	return true;
}

static bool write_wrong_key(struct target *t)
{
	return write_fails(t, 0, 1, 1) && write_fails(t, 0, 0x100, 1) && write_fails(t, 0, 0xdeadbe00, 4096);
}

static bool write_outside(struct target *t)
{
	return write_fails(t, -1, 0, 1) && write_fails(t, 1ll << 30, 0, 4096) && write_fails(t, -4096, 0, 4097);
}

/* The key of one group's element used on another group's link. */
static bool write_foreign(struct target *t)
{
	static struct evil other;
	struct evil_conn *c, *o;
	bool done;

	evil_begin(t);
	c = evil_serve(&e, "e");
	WANT(c && evil_echo(c, 100));
	evil_init(&other, &t->dev, t->addr, t->port);
	o = evil_serve(&other, "e");
	WANT(o && evil_echo(o, 100));
	WANT(rc_write(&other.rc, "evil", 4, c->peer.rkey, c->peer.rmb_addr));
	done = rc_flush(&other.rc, 3000);
	WANT(!done && other.rc.bad == IBV_WC_REM_ACCESS_ERR);
	WANT(evil_echo(c, 1000));
	evil_close(&other);
	return true;
}

/* The element of a connection that has ended, then of a group that has. */
static bool write_late(struct target *t)
{
	struct smcx_llc_msg bye = {
		.type = SMCX_LLC_DELETE_LINK, .version = 2, .flags = SMCX_LLC_F_DEL_ALL | SMCX_LLC_F_DEL_ORDERLY,
	};
	static uint8_t junk[4096];
	struct evil_conn *c;

	evil_begin(t);
	c = evil_serve(&e, "e");
	WANT(c && evil_echo(c, 100) && evil_tell(c, 0, SMCX_CDC_STATE_CLOSED));
	WANT(evil_state(c, SMCX_CDC_STATE_CLOSED, 3000));
	for (int i = 0; i < 50 && !e.rc.bad; i++)
		rc_write(&e.rc, junk, sizeof(junk), c->peer.rkey, c->peer.rmb_addr);
	rc_flush(&e.rc, 3000);
	if (!e.rc.bad) {
		WANT(evil_lives(&e));
		evil_llc(&e, &bye);
		evil_gone(&e, 3000);
		evil_pump(&e, 300);
		rc_write(&e.rc, junk, sizeof(junk), c->peer.rkey, c->peer.rmb_addr);
		WANT(!rc_flush(&e.rc, 4000));
	}
	return true;
}

/* ---- 6: Confirm ---- */

/* @bend: what is wrong. The group may come up all the same: then something is sent both ways. */
static bool bogus(struct target *t, void (*bend)(struct smcx_clc_accept *))
{
	struct evil_conn *c;

	evil_begin(t)->bend = bend;
	c = evil_serve(&e, "e");
	if (c) {
		evil_echo(c, 4000);
		evil_gone(&e, 500);
	} else {
		WANT(e.n == 1 && evil_tcp_ended(&e.conn[0], 5000));
	}
	return true;
}

#define BOGUS(name, how)								\
	static void bend_##name(struct smcx_clc_accept *a) { how; }			\
	static bool bogus_##name(struct target *t) { return bogus(t, bend_##name); }

BOGUS(qpn, a->qpn = random() & 0xffffff)
BOGUS(qpn1, a->qpn = 1)
BOGUS(psn, a->psn ^= 0x800000)
BOGUS(rkey, a->rkey = random())
BOGUS(addr, a->rmb_addr = 0xffffffffffffff00ull)
BOGUS(index, a->rmbe_idx = 255)
BOGUS(size, a->rmbe_code = 15)
BOGUS(mtu, a->mtu = 5)
BOGUS(gid, getrandom(a->gid, 16, 0))
BOGUS(mac, getrandom(a->mac, 6, 0))
BOGUS(token, a->token = 0)
BOGUS(peer, getrandom(a->peer_id, 8, 0))
BOGUS(eid, getrandom(a->eid, 32, 0))
BOGUS(release, a->fce.release = 15)
BOGUS(first, a->first_contact = false)

/* Says Confirm again and again, and a CDC before the server has seen the first. */
static bool confirm_again(struct target *t)
{
	struct evil_conn *c;

	evil_begin(t);
	WANT(evil_lives(&e));
	c = evil_propose(&e);
	WANT(c);
	WANT(evil_put(c, "e", 1));
	for (int i = 0; i < 5; i++)
		evil_say_confirm(c);
	evil_echo(c, 1000);
	WANT(evil_lives(&e));
	return true;
}

/* ---- 7: the window ---- */

/* The application has sent and closed; its bytes are taken one by one, the close is never answered. */
static bool byte_by_byte(struct target *t)
{
	uint64_t end = now_ms() + 25000;
	struct evil_conn *c;
	uint8_t byte;

	evil_begin(t);
	c = evil_serve(&e, "p");
	WANT(c);
	while (!c->last.state_flags && !e.ended && now_ms() < end) {
		if (!evil_get(c, &byte, 1, 1000))
			break;
		evil_pump(&e, 100);
	}
	WANT(c->last.state_flags || e.ended);
	return true;
}

static bool window_shut(struct target *t)
{
	struct evil_conn *c;

	evil_begin(t);
	c = evil_serve(&e, "p");
	WANT(c);
	WANT(evil_state(c, SMCX_CDC_STATE_ABORT | SMCX_CDC_STATE_CLOSED, 15000));
	return true;
}

const struct attack client_attacks[] = {
	{ "well-behaved", well_behaved },
	{ "no-receives", no_receives },
	{ "no-more-receives", no_more_receives },
	{ "mute-confirm-link", mute_confirm_link },
	{ "answers-twice", answers_twice },
	{ "wrong-confirm-link", wrong_confirm_link },
	{ "eyecatcher", eyecatcher },
	{ "mute-confirm-rkey", mute_confirm_rkey },
	{ "wrong-confirm-rkey", wrong_confirm_rkey },
	{ "unasked-answers", no_confirm_rkey },
	{ "mute-delete-rkey", mute_delete_rkey },
	{ "mute-test-link", mute_test_link },
	{ "llc-garbage", llc_garbage },
	{ "llc-before-link", llc_before_link },
	{ "llc-odd-ids", llc_odd_ids },
	{ "rkey-places", rkey_places },
	{ "llc-flood", llc_flood },
	{ "write-wrong-key", write_wrong_key },
	{ "write-outside", write_outside },
	{ "write-foreign", write_foreign },
	{ "write-late", write_late },
	{ "bogus-qpn", bogus_qpn },
	{ "bogus-qpn1", bogus_qpn1 },
	{ "bogus-psn", bogus_psn },
	{ "bogus-rkey", bogus_rkey },
	{ "bogus-addr", bogus_addr },
	{ "bogus-index", bogus_index },
	{ "bogus-size", bogus_size },
	{ "bogus-mtu", bogus_mtu },
	{ "bogus-gid", bogus_gid },
	{ "bogus-mac", bogus_mac },
	{ "bogus-token", bogus_token },
	{ "bogus-peer", bogus_peer },
	{ "bogus-eid", bogus_eid },
	{ "bogus-release", bogus_release },
	{ "bogus-first", bogus_first },
	{ "confirm-again", confirm_again },
	{ "byte-by-byte", byte_by_byte },
	{ "window-shut", window_shut },
	{}
};
