// SPDX-License-Identifier: GPL-2.0
/* Attacks of a server on a client of ours: its application connects, says "hello" and wants to hear it again. */
#define _GNU_SOURCE
#include "attack.h"
#include "proto/reason.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static struct evil order, e;	/* a client of the victim that tells it to connect, and the server it finds */

/* Of this process, and below those that the system gives to connections. */
static uint16_t own_port(void)
{
	return 10000 + getpid() % 20000;
}

/* The victim shall connect to the address that the order comes from. */
static struct evil_conn *give_order(struct evil *order)
{
	char how[7];

	snprintf(how, sizeof(how), "c%05u", own_port());
	return evil_serve(order, how);
}

static bool begin(struct target *t)
{
	evil_close(&order);
	evil_close(&e);
	evil_init(&order, &t->dev, t->addr, t->port);
	evil_init(&e, &t->dev, t->addr, t->port);
	return evil_listen(&e, own_port()) && give_order(&order);
}

/* What the victim says: 'y' it heard its word, 'n' it did not; 0: nothing for 12 seconds. */
static char verdict_of(struct evil_conn *c)
{
	uint64_t end = now_ms() + 12000;
	char word = 0;

	while (!evil_get(c, &word, 1, 10) && now_ms() < end)
		evil_pump(&e, 1);
	return word;
}

static char verdict(void)
{
	return verdict_of(&order.conn[0]);
}

static bool answered(struct evil_conn *c)
{
	char word[5];

	return evil_get(c, word, 5, 3000) && !memcmp(word, "hello", 5) && evil_put(c, word, 5);
}

static bool well_behaved(struct target *t)
{
	struct evil_conn *c;

	WANT(begin(t));
	c = evil_accept(&e);
	WANT(c && answered(c));
	WANT(verdict() == 'y');
	WANT(evil_state(c, SMCX_CDC_STATE_CLOSED, 3000));
	return true;
}

static bool twice(struct target *t)
{
	struct evil_conn *c;

	WANT(begin(t));
	e.twice = ~0;
	c = evil_accept(&e);
	WANT(c && answered(c));
	WANT(verdict() == 'y');
	return true;
}

/* The client comes up with TCP, and hears nothing there. */
static bool mute(struct target *t)
{
	WANT(begin(t));
	e.mute = ~0;
	WANT(!evil_accept(&e));
	WANT(verdict() == 'n');
	return true;
}

static bool no_receives(struct target *t)
{
	WANT(begin(t));
	e.no_recvs = true;
	WANT(!evil_accept(&e));
	WANT(verdict() == 'n');
	evil_pump(&e, 3000);
	return true;
}

/* Takes CONFIRM_LINK's answer, and nothing after it. */
static bool no_more_receives(struct target *t)
{
	struct evil_conn *c;

	WANT(begin(t));
	e.recvs = 1;
	e.no_repost = true;
	c = evil_accept(&e);
	WANT(c);
	WANT(verdict() == 'n');
	for (int i = 0; i < 40; i++) {
		evil_tell(c, SMCX_CDC_PROD_CURS_UPDATE, 0);
		evil_pump(&e, 100);
	}
	return true;
}

/* No group comes about. */
static bool lost(struct target *t, void (*bend)(struct smcx_clc_accept *))
{
	WANT(begin(t));
	e.bend = bend;
	WANT(!evil_accept(&e));
	WANT(verdict() == 'n');
	return true;
}

/* A client of ours must not believe that it has a group with us. */
static void bend_reuse(struct smcx_clc_accept *a)
{
	a->first_contact = false;
}

static bool unknown_group(struct target *t)
{
	WANT(lost(t, bend_reuse));
	WANT(e.decline == SMCX_REASON_SYNCERR);
	return true;
}

/* The element told in the Accept is none: the first bytes break the link. */
static void bend_rkey(struct smcx_clc_accept *a)
{
	a->rkey ^= 0x5500;
}

static void bend_addr(struct smcx_clc_accept *a)
{
	a->rmb_addr -= 1ull << 40;
}

static void bend_index(struct smcx_clc_accept *a)
{
	a->rmbe_idx = 255;
	a->rmbe_code = 15;
}

static bool bent(struct target *t, void (*bend)(struct smcx_clc_accept *))
{
	struct evil_conn *c;

	WANT(begin(t));
	e.bend = bend;
	c = evil_accept(&e);
	WANT(c);
	WANT(verdict() == 'n');
	WANT(evil_gone(&e, 5000));
	return true;
}

static bool bogus_rkey(struct target *t)
{
	return bent(t, bend_rkey);
}

static bool bogus_addr(struct target *t)
{
	return bent(t, bend_addr);
}

static bool bogus_index(struct target *t)
{
	return bent(t, bend_index);
}

/* Says where to reach it, wrongly: no CONFIRM_LINK arrives. */
static void bend_qpn(struct smcx_clc_accept *a)
{
	a->qpn ^= 0x5555;
}

static void bend_gid(struct smcx_clc_accept *a)
{
	getrandom(a->gid + 12, 4, 0);
}

static bool bogus_qpn(struct target *t)
{
	return lost(t, bend_qpn);
}

static bool bogus_gid(struct target *t)
{
	return lost(t, bend_gid);
}

/* Ends the group as soon as it is there; for all, for a link that is none, for the link. */
static bool leaves(struct target *t)
{
	struct smcx_llc_msg bye = { .type = SMCX_LLC_DELETE_LINK, .version = 2 };

	for (int i = 0; i < 3; i++) {
		struct evil_conn *c;

		WANT(begin(t));
		c = evil_accept(&e);
		WANT(c);
		bye.flags = i == 2 ? SMCX_LLC_F_DEL_ALL : 0;
		bye.delete_link.link_id = i == 1 ? 1 : i == 0 ? 99 : 0;
		WANT(evil_llc(&e, &bye));
		if (!i)
			WANT(answered(c));
		WANT(verdict() == (i ? 'n' : 'y'));
	}
	return true;
}

/* Links that nobody asked for, in all sizes, then chance contents of every type. */
static bool add_link(struct target *t)
{
	struct smcx_llc_msg msg = { .type = SMCX_LLC_ADD_LINK, .version = 2 };
	uint8_t buf[SMCX_LLC_LEN];
	struct evil_conn *c;

	WANT(begin(t));
	c = evil_accept(&e);
	WANT(c);
	for (int i = 0; i < 60; i++) {
		msg.add_link.link_id = i;
		msg.add_link.mtu = i % 6;
		msg.add_link.has_ext = i & 1;
		msg.add_link.n_triples = i & 1 ? i : 0;
		evil_llc(&e, &msg);
	}
	WANT(answered(c));
	WANT(verdict() == 'y');
	WANT(evil_answered(&e, SMCX_LLC_ADD_LINK, 1, 3000));
	WANT(e.resp[SMCX_LLC_ADD_LINK][3] & SMCX_LLC_F_REJECT);
	for (int i = 0; i < 2000 && !evil_gone(&e, 0); i++) {
		getrandom(buf, sizeof(buf), 0);
		buf[0] = i;
		if (i % 3)
			buf[0] = 0x20 | (i % 10);
		rc_send(&e.rc, buf, sizeof(buf));
	}
	return true;
}

static bool wild_cursors(struct target *t)
{
	for (int i = 0; i < 6; i++) {
		struct smcx_cdc_msg msg = {};
		struct evil_conn *c;

		WANT(begin(t));
		c = evil_accept(&e);
		WANT(c);
		msg.prod.off = i == 0 ? ~0u : i == 1 ? 1 << 30 : i == 2 ? 1 : 0;
		msg.prod.wrap = i == 2 || i == 3 ? 2 : 0;
		msg.cons.off = i == 4 ? 6 : 0;
		msg.cons.wrap = i == 5 ? 1 : 0;
		WANT(evil_cdc(c, &msg));
		WANT(verdict() == 'n');
	}
	return true;
}

/* Everything is written where it may not be: to the byte before the element, with a wrong key. */
static bool write_outside(struct target *t)
{
	for (int i = 0; i < 2; i++) {
		struct evil_conn *c;

		WANT(begin(t));
		c = evil_accept(&e);
		WANT(c);
		WANT(rc_write(&e.rc, "evil", 4, c->peer.rkey ^ (i << 8), c->peer.rmb_addr - !i));
		rc_flush(&e.rc, 3000);
		WANT(e.rc.bad == IBV_WC_REM_ACCESS_ERR);
		WANT(verdict() == 'n');
	}
	return true;
}

static void bend_key(struct smcx_clc_accept *a)
{
	a->rkey ^= 0x5500;
	a->rmb_addr += 4096;
}

static void bend_same(struct smcx_clc_accept *a)
{
	a->rmb_addr = e.conn[0].mine.rmb_addr;
}

/* Under another address it says that it is the server of a group there is, and names a key that was not announced there. */
static bool other_address(struct target *t)
{
	static struct evil order2;
	struct evil_conn *first, *c;

	WANT(begin(t));
	first = evil_accept(&e);
	WANT(first);
	evil_init(&order2, &t->dev, t->addr, t->port);
	order2.from = t->other;
	WANT(give_order(&order2));
	e.bend = bend_key;
	evil_accept(&e);
	WANT(e.decline == SMCX_REASON_ERR_RTOK);
	/* it has not hurt the group, which can be used under that address with a key that is known */
	e.bend = bend_same;
	WANT(give_order(&order2));
	c = evil_accept(&e);
	WANT(c);
	c->elem = first->elem;
	WANT(!c->mine.first_contact && answered(c));
	WANT(verdict_of(&order2.conn[1]) == 'y');
	WANT(answered(first));
	WANT(verdict() == 'y');
	evil_close(&order2);
	return true;
}

const struct attack server_attacks[] = {
	{ "server-well-behaved", well_behaved },
	{ "server-twice", twice },
	{ "server-mute", mute },
	{ "server-no-receives", no_receives },
	{ "server-no-more-receives", no_more_receives },
	{ "server-unknown-group", unknown_group },
	{ "server-bogus-rkey", bogus_rkey },
	{ "server-bogus-addr", bogus_addr },
	{ "server-bogus-index", bogus_index },
	{ "server-bogus-qpn", bogus_qpn },
	{ "server-bogus-gid", bogus_gid },
	{ "server-leaves", leaves },
	{ "server-add-link", add_link },
	{ "server-wild-cursors", wild_cursors },
	{ "server-write-outside", write_outside },
	{ "server-other-address", other_address },
	{}
};
