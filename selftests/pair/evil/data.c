// SPDX-License-Identifier: GPL-2.0
/* Attacks of a client by CDC messages. */
#define _GNU_SOURCE
#include "attack.h"
#include "proto/ext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define ANY_END (SMCX_CDC_STATE_DONE_WRITING | SMCX_CDC_STATE_CLOSED | SMCX_CDC_STATE_ABORT)

enum end { KILLS, HARMLESS };

static const struct wild {
	struct smcx_cursor prod, cons;	/* added to what is true, wrap and offset by themselves */
	bool in_sizes;			/* the producer's offset counts elements, not bytes */
	enum end end;
} wild[] = {
	{ { 1, 0 }, { 0, 0 }, true, KILLS },		/* beyond the element */
	{ { 0x80000000, 0 }, { 0, 0 }, false, KILLS },
	{ { 0x7fffffff, 0 }, { 0, 0 }, false, KILLS },
	{ { 1, 1 }, { 0, 0 }, false, KILLS },		/* more than there is room for */
	{ { 0, 2 }, { 0, 0 }, false, KILLS },
	{ { 0, 0x7fff }, { 0, 0 }, false, KILLS },
	{ { 0, 0x8001 }, { 0, 0 }, false, HARMLESS },	/* backwards */
	{ { 0, 0xffff }, { 0, 0 }, false, HARMLESS },
	{ { -10, 0 }, { 0, 0 }, false, HARMLESS },
	{ { 0, 0 }, { 1, 0 }, false, KILLS },		/* consumed more than was sent */
	{ { 0, 0 }, { EVIL_ELEM, 0 }, false, KILLS },
	{ { 0, 0 }, { 0xffffff00, 0 }, false, KILLS },
	{ { 0, 0 }, { 0, 1 }, false, KILLS },
	{ { 0, 0 }, { 0, 0x7fff }, false, KILLS },
	{ { 0, 0 }, { -10, 0 }, false, HARMLESS },	/* backwards */
	{ { 0, 0 }, { 0, 0xffff }, false, HARMLESS },
};

static bool wild_one(struct evil *e, const struct wild *w)
{
	struct evil_conn *c = evil_serve(e, "e");
	struct smcx_cdc_msg msg = {};
	uint32_t unit;

	WANT(c && evil_echo(c, 100));
	unit = w->in_sizes ? smcx_rmbe_size(c->peer.rmbe_code) : 1;
	msg.prod = c->prod;
	msg.cons = c->cons;
	msg.prod.off += w->prod.off * unit;
	msg.prod.wrap += w->prod.wrap;
	msg.cons.off += w->cons.off;
	msg.cons.wrap += w->cons.wrap;
	WANT(evil_cdc(c, &msg));
	if (w->end == KILLS)
		WANT(evil_state(c, SMCX_CDC_STATE_ABORT, 3000));
	else
		WANT(evil_echo(c, 1000));
	evil_tell(c, 0, SMCX_CDC_STATE_CLOSED);
	return true;
}

static bool wild_cursors(struct target *t)
{
	struct evil *e = evil_begin(t);

	for (unsigned int i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		if (!wild_one(e, &wild[i])) {
			printf("# line %u\n", i);
			return false;
		}
	}
	return evil_lives(e);
}

/* All producer flags with nothing produced, then those that end a connection, alone and together, with all that is reserved. */
static bool flags(struct target *t)
{
	struct evil *e = evil_begin(t);
	struct evil_conn *c = evil_serve(e, "e");

	WANT(c && evil_echo(c, 100));
	for (int i = 0; i < 256; i++)
		if (!(i & SMCX_CDC_PROD_FAILOVER))
			WANT(evil_tell(c, i, i & 0x1f));
	WANT(evil_echo(c, 1000));
	for (int i = 1; i < 8; i++) {
		c = evil_serve(e, "e");
		WANT(c && evil_echo(c, 100));
		WANT(evil_tell(c, random(), i << 5 | 0x1f));
		WANT(evil_tell(c, random(), 0));
		WANT(evil_state(c, ANY_END, 3000));
		for (int j = 0; j < 8; j++)
			WANT(evil_tell(c, 0, j << 5));
	}
	c = evil_serve(e, "e");
	WANT(c && evil_echo(c, 100));
	c->seq += 5;
	WANT(evil_tell(c, SMCX_CDC_PROD_FAILOVER, 0));
	WANT(evil_state(c, SMCX_CDC_STATE_ABORT, 3000));
	return evil_lives(e);
}

/* Messages of every length that fits, and such as do not. */
static bool lengths(struct target *t)
{
	static uint8_t buf[RC_SEND_MAX];
	struct evil *e = evil_begin(t);
	struct evil_conn *c = evil_serve(e, "e");
	struct smcx_cdc_msg msg = {};

	WANT(c && evil_echo(c, 100));
	msg.token = c->peer.token;
	msg.prod = c->prod;
	msg.cons = c->cons;
	for (unsigned int len = 0; len < 9000; len += len < 100 ? 1 : 97) {
		getrandom(buf, sizeof(buf), 0);
		msg.seqno = ++c->seq;
		smcx_cdc_encode(&msg, buf);
		WANT(rc_send(&e->rc, buf, len > 8192 ? 8192 : len));
		buf[1] = len;
		WANT(rc_send(&e->rc, buf, len > 8192 ? 8192 : len));
	}
	WANT(rc_flush(&e->rc, 3000));
	WANT(evil_echo(c, 1000));
	WANT(rc_send(&e->rc, buf, RC_SEND_MAX));
	WANT(!rc_flush(&e->rc, 3000));
	return true;
}

static bool tokens(struct target *t)
{
	struct evil *e = evil_begin(t);
	struct evil_conn *c = evil_serve(e, "e"), *old = evil_serve(e, "e");
	uint32_t own;

	WANT(c && old && evil_echo(c, 100) && evil_echo(old, 100));
	WANT(evil_tell(old, 0, SMCX_CDC_STATE_CLOSED) && evil_state(old, ANY_END, 3000));
	own = c->peer.token;
	for (int i = 0; i < 2000; i++) {
		struct smcx_cdc_msg msg = { .prod_flags = random(), .state_flags = random() };

		msg.token = i % 4 ? own + 1 + (i % 2 ? random() % 100000 : 1 + i) : old->peer.token;
		msg.seqno = 1 + random() % 1000;
		msg.prod.off = random();
		WANT(evil_cdc(c, &msg));
	}
	WANT(evil_echo(c, 1000));
	return evil_lives(e);
}

/* @n bytes behind a CDC that announces @says. */
static bool behind(struct evil_conn *c, uint32_t says, unsigned int n)
{
	static uint8_t buf[SMCX_CDC_LEN + 8192];
	struct smcx_cdc_msg msg = {
		.token = c->peer.token, .seqno = ++c->seq, .prod = c->prod, .cons = c->cons,
	};

	msg.prod = smcx_cursor_add(msg.prod, says, smcx_rmbe_size(c->peer.rmbe_code));
	smcx_cdc_encode(&msg, buf);
	return rc_send(&c->e->rc, buf, SMCX_CDC_LEN + n);
}

static bool data_behind(struct target *t)
{
	static const struct { uint16_t says, n; enum end end; } cases[] = {
		{ 10, 11, KILLS }, { 10, 9, KILLS }, { 0, 1, KILLS }, { 2004, 2003, KILLS }, { 5000, 2004, KILLS },
		{ 10, 2005, HARMLESS }, { 2005, 2005, HARMLESS }, { 10, 8000, HARMLESS },
	};
	struct evil *e = evil_begin(t);
	struct evil_conn *c;

	e->caps = SMCX_CAP_DATA;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		c = evil_serve(e, "e");
		WANT(c && evil_echo(c, 100));
		WANT(smcx_ext_caps(c->peer.fce.vendor) & SMCX_CAP_DATA || i);
		printf("# data %u %u\n", cases[i].says, cases[i].n);
		WANT(behind(c, cases[i].says, cases[i].n));
		if (cases[i].end == KILLS)
			WANT(evil_state(c, SMCX_CDC_STATE_ABORT, 3000));
		else
			WANT(evil_echo(c, 1000));
		evil_tell(c, 0, SMCX_CDC_STATE_CLOSED);
		WANT(evil_state(c, ANY_END, 3000));
		WANT(behind(c, 100, 100));
	}
	return evil_lives(e);
}

/* What is announced and was never written is read as zeros. */
static bool is_zero(struct evil_conn *c)
{
	static uint8_t in[4096];
	struct smcx_cdc_msg msg = {};

	c->prod.off += sizeof(in);
	msg.prod = c->prod;
	msg.cons = c->cons;
	WANT(evil_cdc(c, &msg));
	WANT(evil_get(c, in, sizeof(in), 5000));
	for (unsigned int i = 0; i < sizeof(in); i++)
		WANT(!in[i]);
	return true;
}

static bool same_element(const struct evil_conn *a, const struct evil_conn *b)
{
	return a->peer.rkey == b->peer.rkey && a->peer.rmbe_idx == b->peer.rmbe_idx;
}

/*
 * Bytes nobody was told of, and far more announced than written: the application gets what the element holds, and lives.
 * The element of a connection that had data holds none of them for the next one.
 */
static bool never_written(struct target *t)
{
	struct evil *e = evil_begin(t);
	struct evil_conn *c = evil_serve(e, "e"), *next = NULL;

	WANT(c && evil_echo(c, 100));
	WANT(rc_write(&e->rc, "evil", 4, c->peer.rkey, c->peer.rmb_addr + c->prod.off + 5000));
	WANT(is_zero(c));
	WANT(evil_echo(c, 4096) && evil_echo(c, 4096));
	evil_tell(c, 0, SMCX_CDC_STATE_CLOSED);
	WANT(evil_state(c, ANY_END, 3000));
	for (int i = 0; i < 8 && !(next && same_element(c, next)); i++) {
		next = evil_serve(e, "e");
		WANT(next);
	}
	WANT(same_element(c, next) && is_zero(next) && is_zero(next));
	return evil_lives(e);
}

/* A flood of messages for a connection whose application does not listen. */
static bool cdc_flood(struct target *t)
{
	struct evil *e = evil_begin(t);
	struct evil_conn *c = evil_serve(e, "h");

	WANT(c);
	for (int i = 0; i < 3000; i++)
		/* who sends faster than the other one reads may lose the link: soft-RoCE drops what does not fit */
		if (!evil_tell(c, i & (SMCX_CDC_PROD_CURS_UPDATE | SMCX_CDC_PROD_BLOCKED | SMCX_CDC_PROD_URG_PENDING), 0))
			break;
	return evil_lives(e->rc.bad ? evil_begin(t) : e);
}

const struct attack data_attacks[] = {
	{ "wild-cursors", wild_cursors },
	{ "flags", flags },
	{ "lengths", lengths },
	{ "tokens", tokens },
	{ "data-behind", data_behind },
	{ "never-written", never_written },
	{ "cdc-flood", cdc_flood },
	{}
};
