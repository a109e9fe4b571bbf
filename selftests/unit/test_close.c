// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Close machine: every state x event x context against the tables of the protocol
 * stated a second time, and two machines that talk to each other in random order.
 */

#include "close_model.h"
#include "tap.h"

#define A(x)	SMCX_CLOSE_ACT_##x
#define ST(x)	SMCX_ST_##x

static const u8 states[] = {
	ST(ACTIVE), ST(INIT), ST(CLOSED), ST(LISTEN), ST(PEERCLOSEWAIT1), ST(PEERCLOSEWAIT2), ST(APPCLOSEWAIT1),
	ST(APPCLOSEWAIT2), ST(APPFINCLOSEWAIT), ST(PEERFINCLOSEWAIT), ST(PEERABORTWAIT), ST(PROCESSABORT),
};

/* Written by hand from the tables: close(), shutdown(WR), what is received, local kill. */
static u8 want_next(u8 s, enum smcx_close_event ev, const struct smcx_close_ctx *c)
{
	bool wait1 = s == ST(PEERCLOSEWAIT1), wait12 = wait1 || s == ST(PEERCLOSEWAIT2);
	bool app1 = s == ST(APPCLOSEWAIT1), app12 = app1 || s == ST(APPCLOSEWAIT2);

	switch (ev) {
	case SMCX_CLOSE_EV_APP_CLOSE:
		if (s == ST(ACTIVE))
			return c->drained ? ST(PEERCLOSEWAIT1) : s;
		if (app12 && c->peer_closed)
			return ST(CLOSED);
		if (app12)
			return c->drained ? ST(PEERFINCLOSEWAIT) : s;
		if (wait12 || s == ST(PEERFINCLOSEWAIT))
			return s;
		return ST(CLOSED);
	case SMCX_CLOSE_EV_APP_SHUT_WR:
		if (s == ST(ACTIVE) && c->drained)
			return ST(PEERCLOSEWAIT1);
		if (app1 && (c->drained || c->peer_closed))
			return ST(APPCLOSEWAIT2);
		return s;
	case SMCX_CLOSE_EV_PEER_DONE:
		if (s == ST(ACTIVE) || s == ST(INIT))
			return ST(APPCLOSEWAIT1);
		return wait1 ? ST(PEERCLOSEWAIT2) : s;
	case SMCX_CLOSE_EV_PEER_CLOSED:
		if (s == ST(ACTIVE) || s == ST(INIT))
			return ST(APPCLOSEWAIT1);
		if (wait12)
			return c->app_closed && c->close_sent ? ST(CLOSED) : ST(APPFINCLOSEWAIT);
		return s == ST(PEERFINCLOSEWAIT) ? ST(CLOSED) : s;
	case SMCX_CLOSE_EV_PEER_ABORT:
		if (s == ST(ACTIVE) || s == ST(INIT) || app1 || s == ST(APPFINCLOSEWAIT))
			return ST(PROCESSABORT);
		if (wait12)
			return c->close_sent ? ST(CLOSED) : ST(PROCESSABORT);
		if (s == ST(APPCLOSEWAIT2) || s == ST(PEERFINCLOSEWAIT) || s == ST(PEERABORTWAIT))
			return ST(CLOSED);
		return s;
	case SMCX_CLOSE_EV_KILL:
		if (s == ST(INIT) || s == ST(LISTEN) || s == ST(CLOSED))
			return s;
		return ST(PEERABORTWAIT);
	default:
		return s == ST(PEERABORTWAIT) ? ST(CLOSED) : s;
	}
}

/* Which close flag does close() send, if any? */
static u16 want_flag(u8 s, const struct smcx_close_ctx *c)
{
	switch (s) {
	case ST(PROCESSABORT):
		return A(SEND_ABORT);
	case ST(PEERCLOSEWAIT1):
	case ST(PEERCLOSEWAIT2):
	case ST(APPFINCLOSEWAIT):
		if (c->close_sent)
			return 0;
		break;
	case ST(ACTIVE):
	case ST(APPCLOSEWAIT1):
	case ST(APPCLOSEWAIT2):
		break;
	default:
		return 0;
	}
	return c->unread ? A(SEND_ABORT) : A(SEND_CLOSED);
}

static void check_one(u8 s, enum smcx_close_event ev, const struct smcx_close_ctx *c)
{
	const u16 sends = A(SEND_DONE) | A(SEND_CLOSED) | A(SEND_ABORT);
	struct smcx_close_result r = smcx_close_next(s, ev, c);
	bool changes = want_next(s, ev, c) != s;
	u16 got = r.actions & sends;

	CHECK_EQ(r.next, want_next(s, ev, c));
	if (r.actions & A(DRAIN)) {
		CHECK(!c->drained && r.next == s && r.actions == A(DRAIN));
		CHECK(ev == SMCX_CLOSE_EV_APP_CLOSE || ev == SMCX_CLOSE_EV_APP_SHUT_WR);
		return;
	}
	switch (ev) {
	case SMCX_CLOSE_EV_APP_CLOSE:
		CHECK_EQ(got, want_flag(s, c));
		CHECK_EQ(!!(r.actions & A(TCP_SHUT_RDWR)), !!want_flag(s, c));
		CHECK_EQ(!!(r.actions & A(STOP_LISTEN)), s == ST(LISTEN));
		break;
	case SMCX_CLOSE_EV_APP_SHUT_WR:
		CHECK_EQ(got, changes ? A(SEND_DONE) : 0);
		CHECK_EQ(!!(r.actions & A(TCP_SHUT_WR)), changes);
		break;
	case SMCX_CLOSE_EV_PEER_ABORT:
		CHECK_EQ(got, s == ST(APPCLOSEWAIT2) ? A(SEND_ABORT) : 0);
		CHECK_EQ(!!(r.actions & A(SET_RESET)), changes && s != ST(PEERABORTWAIT));
		CHECK_EQ(!!(r.actions & A(RCV_SHUTDOWN)), changes);
		break;
	case SMCX_CLOSE_EV_KILL:
		CHECK_EQ(got, changes ? A(SEND_ABORT) : 0);
		CHECK_EQ(!!(r.actions & A(SET_ABORTED)), changes);
		CHECK_EQ(!!(r.actions & A(TCP_RESET)), changes);
		break;
	default:
		CHECK_EQ(got, 0);
		CHECK(!(r.actions & (A(TCP_RESET) | A(TCP_SHUT_WR) | A(TCP_SHUT_RDWR))));
		if (changes)
			CHECK(r.actions & A(WAKE));
	}
	/* what readers learn, they are woken for */
	if (r.actions & (A(RCV_SHUTDOWN) | A(SET_RESET) | A(SET_ABORTED)))
		CHECK(r.actions & A(WAKE));
	CHECK_EQ(!!(r.actions & A(RELEASE)), r.next == ST(CLOSED) && c->app_closed &&
		 (s != ST(CLOSED) || ev == SMCX_CLOSE_EV_APP_CLOSE));
}

static void every_combination(void)
{
	struct smcx_close_ctx c;
	enum smcx_close_event ev;
	unsigned int bits;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++)
	for (ev = 0; ev < SMCX_CLOSE_EV_MAX; ev++)
	for (bits = 0; bits < 64; bits++) {
		c.drained = bits & 1;
		c.unread = bits & 2;
		c.done_sent = bits & 4;
		c.close_sent = bits & 8;
		c.peer_closed = bits & 16;
		c.app_closed = bits & 32;
		check_one(states[i], ev, &c);
	}
}

static void no_such_thing(void)
{
	struct smcx_close_ctx c = { .drained = true };
	struct smcx_close_result r;
	size_t i;
	int s;

	for (s = 0; s < 256; s++) {
		bool is_state = false;

		for (i = 0; i < ARRAY_SIZE(states); i++)
			is_state |= states[i] == s;
		CHECK_EQ(!strcmp(smcx_state_name((u8)s), "UNKNOWN"), !is_state);
		if (is_state)
			continue;
		r = smcx_close_next((u8)s, SMCX_CLOSE_EV_KILL, &c);
		CHECK(r.next == s && !r.actions);
	}
	r = smcx_close_next(ST(ACTIVE), SMCX_CLOSE_EV_MAX, &c);
	CHECK(r.next == ST(ACTIVE) && !r.actions);
	CHECK(!strcmp(smcx_state_name(ST(APPFINCLOSEWAIT)), "APPFINCLOSEWAIT"));
}

/* --- two machines that talk to each other: close_model.h --- */

static void walk(bool kills)
{
	struct end e[2];
	int run, n, side;

	for (run = 0; run < 100000; run++) {
		for (side = 0; side < 2; side++) {
			end_init(&e[side]);
			e[side].ctx.drained = tap_below(2);
		}
		for (n = (int)tap_below(30); n > 0; n--) {
			side = (int)tap_below(2);
			step(&e[side], &e[!side], tap_below(10), kills ? tap_rand() : 0);
		}
		finish(e);
		for (side = 0; side < 2; side++) {
			CHECK_EQ(e[side].state, ST(CLOSED));
			CHECK_EQ(e[side].released, 1);
			CHECK_EQ(e[side].head, e[side].tail);
		}
	}
}

static void random_close(void)
{
	walk(false);
}

static void random_close_kills(void)
{
	walk(true);
}

/* The shortest orderly exchange: one flag each way. */
static void simple_close(void)
{
	struct end e[2];

	end_init(&e[0]);
	end_init(&e[1]);
	e[0].ctx.drained = e[1].ctx.drained = true;
	app_close(&e[0], &e[1]);
	CHECK_EQ(e[0].state, ST(PEERCLOSEWAIT1));
	deliver(&e[1], &e[0]);
	CHECK_EQ(e[1].state, ST(APPCLOSEWAIT1));
	app_close(&e[1], &e[0]);
	CHECK_EQ(e[1].state, ST(CLOSED));
	CHECK_EQ(e[1].released, 1);
	CHECK_EQ(e[0].released, 0);
	deliver(&e[0], &e[1]);
	CHECK_EQ(e[0].state, ST(CLOSED));
	CHECK_EQ(e[0].released, 1);
	CHECK_EQ(e[0].tail + e[1].tail, 2);
	CHECK(e[0].sent == F_CLOSED && e[1].sent == F_CLOSED);
}

const struct tap_case close_cases[] = {
	{ "close: every state, event and context", every_combination },
	{ "close: states and events that do not exist", no_such_thing },
	{ "close: one flag each way", simple_close },
	{ "close: two ends in random order never hang", random_close },
	{ "close: nor do they with kills", random_close_kills },
	{ 0 }
};
