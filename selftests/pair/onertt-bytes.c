// SPDX-License-Identifier: GPL-2.0
/*
 * SYNs with hostile data, with and without a valid token: each is refused by
 * the guard or ends in a Decline or a time-out, none reaches the application,
 * and the next honest client is served. "--n N": random ones (400).
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "early.h"
#include "pattern.h"

/* In the v2 extension, which begins 52 bytes and the offset at 50 into the message (one-rtt.rst). */
#define TOKEN_AT 32

static struct midbox *box;
static struct wire_pkt good;	/* a SYN with a valid Proposal */
static uint8_t prop[WIRE_FRAME];
static int plen, token_at;
static int port, ls;
static uint32_t serial;

static void honest(void)
{
	int fd, afd;

	mb_clear(box);
	fd = e_socket(true);
	EXPECT(e_dial(fd, port) < st_ms(3000));
	afd = e_accept(ls, 5000);
	REQUIRE(afd >= 0);
	e_exchange(fd, afd, 5000);
	EQ(e_carrier(fd), CARRIER_SMC);
	e_finish(fd, afd);
}

static void begin(void)
{
	e_begin();
	port = e_port();
	ls = e_learn(port);
	box = mb_open(E_DEV, port);
	honest();
	e_syn(box, &good);
	plen = good.len;
	memcpy(prop, good.frame + good.data, plen);
	token_at = 52 + (prop[50] << 8 | prop[51]) + TOKEN_AT;
	REQUIRE(token_at + 8 < plen);
	mb_clear(box);
}

/* Sends it as another client would. */
static void send_syn(const void *data, int len)
{
	struct wire_pkt syn = good;

	serial++;
	e_forge(&syn, 40000 + serial % 20000, good.seq + serial * 7919, data, len);
	mb_inject(box, &syn);
	if (serial % 8 == 0)
		st_sleep_ms(2 * st.scale);
}

struct counts {
	long accepted, refused, bad_token, no_proposal;
};

static void count(struct counts *c)
{
	st_sleep_ms(st_ms(300));
	c->accepted = e_count(st.peer, "onertt_accepted");
	c->bad_token = e_count(st.peer, "onertt_bad_token");
	c->no_proposal = e_count(st.peer, "onertt_no_proposal");
}

/* Nothing comes to the application, the next client is served, nothing stays. */
static void done(int wait_ms)
{
	EQ(e_accept(ls, wait_ms), -1);
	honest();
	e_agent_close(ls);
	mb_close(box);
}

/* All of these are refused before there is a child. */
static void refused(const struct counts *before, int n, const char *what)
{
	struct counts now;

	count(&now);
	st_note("%s: of %d accepted %ld, token refused %ld, no Proposal %ld", what, n,
		now.accepted - before->accepted, now.bad_token - before->bad_token,
		now.no_proposal - before->no_proposal);
	EQ(now.accepted - before->accepted, 0);
	EQ(now.bad_token - before->bad_token + now.no_proposal - before->no_proposal, n);
}

/* Otherwise "refused" would say nothing: the captured SYN of another port is accepted. */
static void t_valid(void)
{
	struct counts before, now;

	begin();
	count(&before);
	send_syn(prop, plen);
	count(&now);
	EQ(now.accepted - before.accepted, 1);
	done(4500);
}

static void t_truncated(void)
{
	struct counts before;

	begin();
	count(&before);
	for (int len = 1; len < plen; len++)
		send_syn(prop, len);
	refused(&before, plen - 1, "truncated");
	done(500);
}

static void t_longer(void)
{
	static const int more[] = { 1, 2, 4, 7, 8, 100, 1000 };
	uint8_t buf[WIRE_FRAME] = {};
	struct counts before;
	int n = 0;

	begin();
	count(&before);
	memcpy(buf, prop, plen);
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (plen + more[i] <= 1400) {
			send_syn(buf, plen + more[i]);
			n++;
		}
	memcpy(buf + plen, prop, plen);
	send_syn(buf, 2 * plen);
	send_syn(buf, 2 * plen - 1);
	refused(&before, n + 2, "trailing bytes, two Proposals");
	done(500);
}

static void t_token(void)
{
	struct counts before;
	uint8_t buf[WIRE_FRAME];
	int n = 0;

	begin();
	count(&before);
	for (int bit = 0; bit < 64; bit++, n++) {
		memcpy(buf, prop, plen);
		buf[token_at + bit / 8] ^= 1 << bit % 8;
		send_syn(buf, plen);
	}
	memcpy(buf, prop, plen);
	memset(buf + token_at, 0, 8);
	send_syn(buf, plen);
	memset(buf + token_at, 0xff, 8);
	send_syn(buf, plen);
	refused(&before, n + 2, "wrong tokens");
	done(500);
}

/* The token is for one address and one port. */
static void t_elsewhere(void)
{
	struct counts before;
	struct wire_pkt syn;
	int other, ls2;

	begin();
	other = e_port();
	ls2 = e_listen(other, L_SMC);
	count(&before);
	syn = good;
	syn.frame[syn.l4 + 2] = other >> 8;
	syn.frame[syn.l4 + 3] = other;
	e_forge(&syn, 39999, 1, NULL, 0);
	mb_inject(box, &syn);
	syn = good;
	syn.frame[14 + 15] = 77;
	e_forge(&syn, 39998, 1, NULL, 0);
	mb_inject(box, &syn);
	refused(&before, 2, "other port, other client");
	EQ(e_accept(ls2, 300), -1);
	e_agent_close(ls2);
	done(300);
}

static void t_not_a_proposal(void)
{
	struct counts before;
	uint8_t buf[WIRE_FRAME];
	struct rng r = { .s = st.seed };
	int n = 0;

	begin();
	count(&before);
	for (int type = 0; type < 16; type++) {
		if (type == 1)
			continue;
		memcpy(buf, prop, plen);
		buf[4] = type;
		send_syn(buf, plen);
		n++;
	}
	for (int i = 0; i < 64; i++, n++) {
		int len = 1 + rng_below(&r, 1400);

		for (int k = 0; k < len; k++)
			buf[k] = rng_next(&r);
		send_syn(buf, len);
	}
	refused(&before, n, "no Proposal");
	done(500);
}

/* Behind a valid token anything may stand: the guard or the handshake refuses it, or nobody confirms. */
static void t_bent(void)
{
	int n = st_arg_num("n", 400);
	uint8_t buf[WIRE_FRAME];
	struct rng r = { .s = st.seed };
	struct counts before, now;

	st_note("seed %llu", (unsigned long long)st.seed);
	begin();
	count(&before);
	for (int i = 0; i < n; i++) {
		int len = plen;

		memcpy(buf, prop, plen);
		for (int k = 1 + rng_below(&r, 4); k; k--)
			switch (rng_below(&r, 4)) {
			case 0:
				buf[5 + rng_below(&r, plen - 5)] ^= 1 << rng_below(&r, 8);
				break;
			case 1:
				buf[5 + rng_below(&r, 60)] = rng_next(&r);
				break;
			case 2:
				buf[5 + rng_below(&r, plen - 5)] = rng_below(&r, 2) ? 0 : 0xff;
				break;
			default:
				if (!rng_below(&r, 4)) {
					len = 8 + rng_below(&r, plen - 8);
					buf[5] = len >> 8;
					buf[6] = len;
				}
			}
		send_syn(buf, len);
	}
	count(&now);
	st_note("of %d accepted %ld, token refused %ld, no Proposal %ld", n,
		now.accepted - before.accepted, now.bad_token - before.bad_token,
		now.no_proposal - before.no_proposal);
	done(4500);
}

/* What comes back may be bent, too: SMC is given up, the application's bytes are not. */
static void t_answer(void)
{
	int fd, afd, rc;

	begin();
	for (int i = 0; i < 2; i++) {
		mb_clear(box);
		mb_rule(box, i, i ? MB_CONFIRM : MB_ACCEPT, MB_BEND, 1);
		fd = e_socket(true);
		rc = st_connect(fd, port);
		/* it may be back before the Confirm has come as far as the box */
		for (int k = 0; k < 100 && !mb_hits(box); k++)
			st_sleep_ms(10);
		EQ(mb_hits(box), 1);
		st_note("%s bent: connect %d %s", i ? "Confirm" : "Accept", rc, rc ? strerror(errno) : "");
		afd = e_accept(ls, rc ? 1000 : 5000);
		if (!rc && afd >= 0) {
			EQ(e_carrier(fd), CARRIER_TCP);
			EQ(e_agent_carrier(afd), CARRIER_TCP);
			e_exchange(fd, afd, 3000);
		} else {
			char c;

			/* The server gave it up: an error here, never silence and never bytes. */
			EXPECT(rc || recv(fd, &c, 1, 0) <= 0);
		}
		close(fd);
		if (afd >= 0)
			e_agent_close(afd);
	}
	done(500);
}

static const struct st_case cases[] = {
	{ "state at first", e_state_first },
	{ "valid, from another port", t_valid },
	{ "truncated", t_truncated, .secs = 30 },
	{ "longer", t_longer },
	{ "wrong token", t_token, .secs = 40 },
	{ "right token elsewhere", t_elsewhere },
	{ "no Proposal", t_not_a_proposal },
	{ "bent behind a right token", t_bent, .secs = 60 },
	{ "bent answers", t_answer, .secs = 40 },
	{ "state at last", e_state_last, .secs = 60 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-bytes", cases, ARRAY_SIZE(cases));
}
