// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that misbehave after a correct SYN with the SMC option: silent ones,
 * ones that send a Proposal and go silent, ones that send garbage. They must
 * cost healthy clients nothing: the set-up time of 300 of these is measured
 * alone and beside 500 of the others. "--idle N", "--healthy N", "--dev DEV",
 * "--src ADDRESS" change the defaults.
 *
 * vm-cflags: -Iinclude -Ipair/raw include/[a-z]*.c pair/raw/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"
#include "rawclient.h"

#include <arpa/inet.h>
#include <linux/smcx.h>
#include <pthread.h>
#include <time.h>

static struct raw_net raw;
static struct peer *acceptor;
static int listener, port;

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ull + ts.tv_nsec / 1000;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

struct times {
	uint32_t p50, p99, max;
};

#define SAMPLES_MAX 10000

/*
 * Set-up: from connect() to the first byte of the server's answer. At least --healthy
 * connections, and for at least @ms milliseconds.
 */
static void served(struct times *t, const char *what, int ms, bool plain)
{
	int least = st_arg_num("healthy", 300), n = 0;
	uint32_t *us = calloc(SAMPLES_MAX, sizeof(*us));
	uint64_t end = st_now_ms() + ms;
	char c;

	for (int i = 0; i < SAMPLES_MAX && (i < least || st_now_ms() < end); i++, n++) {
		uint64_t t0 = now_us();
		int fd = plain ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : st_socket(0);

		MUST_EQ(st_connect(fd, port), 0);
		MUST_EQ(recv(fd, &c, 1, 0), 1);
		us[i] = now_us() - t0;
		if (!plain)
			st_prove(fd);
		close(fd);
	}
	qsort(us, n, sizeof(*us), by_value);
	t->p50 = us[n / 2];
	t->p99 = us[n * 99 / 100 < n ? n * 99 / 100 : n - 1];
	t->max = us[n - 1];
	st_note("%s: %d times, set-up p50 %u us, p99 %u us, max %u us", what, n, t->p50,
		t->p99, t->max);
	free(us);
}

static void healthy(struct times *t, const char *what, int ms)
{
	served(t, what, ms, false);
}

static void serve_not_yet(int backlog)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);

	listener = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
			st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_BIND, listener, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, listener, backlog), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, listener, (int64_t[4]){}, NULL, 0,
			  &ss, sizeof(ss)), 0);
	port = st_addr_port(&ss);
}

static void serve(int backlog)
{
	serve_not_yet(backlog);
	acceptor = peer_thread(st.peer);
	REQUIRE(acceptor);
	p_post(acceptor, P_ACCEPTLOOP, listener, 1000000, st_ms(60000));
}

static void open_raw(void)
{
	struct sockaddr_in me, it;
	const char *dev = st_arg("dev", "eth0");
	struct in_addr src;

	peer_local_addr(st.peer, &me);
	peer_remote_addr(st.peer, &it);
	if (it.sin_addr.s_addr == htonl(INADDR_LOOPBACK)) {
		inet_aton("10.9.0.1", &it.sin_addr);
		inet_aton("10.9.0.50", &src);
		dev = "tun:smcxt0";
	} else {
		src.s_addr = htonl((ntohl(me.sin_addr.s_addr) & ~0xffu) | 50);
	}
	inet_aton(st_arg("src", inet_ntoa(src)), &src);
	if (raw_open(&raw, dev, src, it.sin_addr, port))
		st_skip("no raw packets over %s: %s", dev, strerror(errno));
	if (raw.tun)
		st_shell(peer_self(), "ip addr add 10.9.0.1/24 dev smcxt0; ip link set smcxt0 up");
}

static volatile bool stop;
static bool names;	/* each Proposal is somebody else's, by what it says */

/* All Proposals at once, if there are any; then listen to what comes back. */
static void *background(void *arg)
{
	uint8_t msg[256];
	int len = raw_proposal(&raw, msg);

	for (int i = 0; i < raw.n && arg; i++) {
		if (names)
			msg[8] = i >> 8, msg[9] = i;
		raw_send(&raw, &raw.conn[i], msg, len);
	}
	while (!stop)
		raw_poll(&raw, 20);
	return NULL;
}

static void compare(const struct times *alone, const struct times *beside)
{
	/* A stall shows as seconds. The rest is noise of a busy machine. */
	EXPECT(beside->p50 < 2 * alone->p50 + 20000u * st.scale);
	EXPECT(beside->p99 < 3 * alone->p99 + 30000u * st.scale);
	/* who comes in the middle of a burst waits until it is read, not until it is digested */
	EXPECT(beside->max < 3 * alone->max + 1200000u * st.scale);
}

static int count(bool (*is)(const struct raw_conn *))
{
	int n = 0;

	for (int i = 0; i < raw.n; i++)
		n += is(&raw.conn[i]);
	return n;
}

static bool took_option(const struct raw_conn *c)
{
	return c->smc;
}

static bool accepted(const struct raw_conn *c)
{
	return c->got > 4 && c->first[4] == 2;
}

static bool declined(const struct raw_conn *c)
{
	return c->got > 4 && c->first[4] == 4;
}

static void reset_all(void)
{
	for (int i = 0; i < raw.n; i++)
		if (!raw.conn[i].gone)
			raw_reset(&raw, &raw.conn[i]);
	raw_poll(&raw, 100);
}

static void leave(void)
{
	struct times t;

	reset_all();
	healthy(&t, "afterwards", 0);
	raw_close(&raw);
}

#define BURST_MS 2500

static void beside(int n, bool propose)
{
	struct times alone, with;
	pthread_t t;

	serve(4096);
	open_raw();
	healthy(&alone, "alone", BURST_MS);
	EQ(raw_connect(&raw, n, true), n);
	if (st.mode->smc)
		EQ(count(took_option), n);
	/* measured while the Proposals arrive, and while the server's patience with them ends */
	stop = false;
	pthread_create(&t, NULL, background, propose ? &raw : NULL);
	healthy(&with, propose ? "beside Proposals" : "beside silent ones", BURST_MS);
	stop = true;
	pthread_join(t, NULL);
	st_note("of %d: %d got an Accept, %d a Decline", n, count(accepted),
		count(declined));
	compare(&alone, &with);
	/* what silent ones cost is bounded: few link groups form for one peer, or one address, at a time */
	EXPECT(count(accepted) <= (names ? 32 : 16));
	leave();
}

static void t_silent(void)
{
	beside(st_arg_num("idle", 500), false);
}

/* They fill a small backlog of SMC's own: who does not speak SMC comes in as with TCP. */
static void t_plain(void)
{
	struct times alone, beside;
	pthread_t t;

	serve(16);
	open_raw();
	served(&alone, "plain TCP alone", 0, true);
	raw_connect(&raw, 200, true);
	/* those behind a SYN cookie are plain TCP: the application accepts them first */
	raw_poll(&raw, 50);
	st_note("%d of 200 silent ones with the option", count(took_option));
	if (st.mode->smc)
		EXPECT(count(took_option) >= 16);
	stop = false;
	pthread_create(&t, NULL, background, NULL);
	served(&beside, "plain TCP beside silent ones", 0, true);
	stop = true;
	pthread_join(t, NULL);
	compare(&alone, &beside);
	leave();
}

static bool of_smc(void)
{
	return st.mode->smc;
}

/*
 * The steps of more than 256 handshakes wait for a processor; whether those who come then are offered SMC is up to
 * net.smc.limit_smc_hs or the socket's SMC_LIMIT_HS.
 */
static void pile_up(const char *what, bool socket_limits, bool limited)
{
	static const char hog[] = "/tests/pair/hog 700";
	enum { MANY = 400, LATE = 4 };
	int offered, before, len;
	uint8_t msg[256];
	struct peer *t;

	serve_not_yet(4096);
	if (socket_limits)
		EQ(peer_call(st.peer, P_SETSOCKOPT, listener, (int64_t[4]){ SOL_SMC, SMCX_SO_LIMIT_HS },
			     &(int){ 1 }, sizeof(int), NULL, 0), 0);
	open_raw();
	EQ(raw_connect(&raw, MANY, true), MANY);
	EQ(count(took_option), MANY);
	raw_poll(&raw, st_ms(500));
	len = raw_proposal(&raw, msg);
	t = peer_thread(st.peer);
	REQUIRE(t);
	peer_post(t, P_SHELL, 0, (int64_t[4]){}, hog, strlen(hog));
	st_sleep_ms(150);
	for (int i = 0; i < MANY; i++) {
		raw_send(&raw, &raw.conn[i], msg, len);
		if (i % 16 == 15)
			raw_poll(&raw, 1);
	}
	before = count(took_option);
	EQ(raw_connect(&raw, LATE, true), LATE);
	offered = count(took_option) - before;
	st_note("%s: SMC to %d of %d who come when handshakes pile up", what, offered, LATE);
	EQ(offered, limited ? 0 : LATE);
	EQ(p_done(t), 0);
	peer_free(t);
	reset_all();
	raw_close(&raw);
	p_do(st.peer, P_CLOSE, listener);
}

static void t_pile_up(void)
{
	pile_up("no limit", false, false);
	pile_up("the socket's", true, true);
	st_shell(st.peer, "sysctl -q -w net.smc.limit_smc_hs=1");
	pile_up("the namespace's", false, true);
	st_shell(st.peer, "sysctl -q -w net.smc.limit_smc_hs=0");
}

static void t_proposal(void)
{
	beside(st_arg_num("idle", 500), true);
}

static void t_names(void)
{
	names = true;
	beside(st_arg_num("idle", 500), true);
	names = false;
}

/* First a single one, as the first contact of a peer that goes silent. */
static void t_first_contact(void)
{
	beside(1, true);
}

/* A Proposal bent in one of many ways. Return: its length. */
static int mutate(struct rng *r, uint8_t *buf, int size)
{
	static const int fields[] = { 4, 5, 6, 7, 38, 39, 50, 51, 80, 81, 83, 86, 87,
				      104, 105, 106 };
	int len = raw_proposal(&raw, buf), n = 1 + rng_below(r, 6);

	for (int i = 0; i < n; i++) {
		switch (rng_below(r, 5)) {
		case 0:
			buf[rng_below(r, len)] ^= 1 << rng_below(r, 8);
			break;
		case 1:
			buf[fields[rng_below(r, ARRAY_SIZE(fields))]] = rng_next(r);
			break;
		case 2:
			len = 1 + rng_below(r, len);
			break;
		case 3:
			len = size;
			break;
		default:
			for (int k = 0; k < len; k++)
				if (!rng_below(r, 20))
					buf[k] = rng_next(r);
		}
	}
	return len;
}

static void t_hostile(void)
{
	int n = st_arg_num("idle", 500);
	struct rng r = { .s = st.seed };
	uint8_t msg[1200];
	struct times t;

	st_note("seed %llu", (unsigned long long)st.seed);
	serve(4096);
	open_raw();
	EQ(raw_connect(&raw, n, true), n);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < n; i++) {
			int len = mutate(&r, msg, sizeof(msg)), cut;

			if (raw.conn[i].gone)
				continue;
			/* In pieces, now and then. */
			cut = rng_below(&r, 3) ? len : 1 + rng_below(&r, len);
			raw_send(&raw, &raw.conn[i], msg, cut);
			if (cut < len)
				raw_send(&raw, &raw.conn[i], msg + cut, len - cut);
			if (i % 16 == 0)
				raw_poll(&raw, 2);
		}
		raw_poll(&raw, 200);
		healthy(&t, "beside garbage", 0);
	}
	leave();
}

static const struct st_case cases[] = {
	{ "500 silent clients", t_silent, .secs = 120 },
	{ "plain clients beside 200 silent ones", t_plain, .secs = 120 },
	{ "limit_smc_hs", t_pile_up, .secs = 60, .exists = of_smc },
	{ "silent first contact", t_first_contact, .secs = 120 },
	{ "500 silent after the Proposal", t_proposal, .secs = 120 },
	{ "500 silent after Proposals with different names", t_names, .secs = 120 },
	{ "garbage", t_hostile, .secs = 120 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "idleclients", cases, ARRAY_SIZE(cases));
}
