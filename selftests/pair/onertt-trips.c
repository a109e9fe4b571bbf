// SPDX-License-Identifier: GPL-2.0
/*
 * Round trips of connect() and of a first request, over a path of 25 ms each
 * way, counted from the packets and timed. A server that has announced 1-RTT
 * (known) takes one, any other (unknown) what the standard takes.
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "early.h"

#define WAY_US 25000
#define ROUNDS 12

/**
 * struct trip - one connection, or what of several is typical
 * @connect_us: until connect() returned
 * @reply_us: until the answer to the first byte was there
 * @connect: the same in round trips counted
 * @reply: the same in round trips counted
 * @syn_data: bytes in the first SYN
 */
struct trip {
	int connect_us, reply_us, connect, reply, syn_data;
};

static struct peer *server;

static const struct st_mode *plain(void)
{
	return st_mode_find("tcp");
}

static void both(const char *cmd)
{
	st_shell(e_self, "%s", cmd);
	st_shell(st.peer, "%s", cmd);
}

static void path_off(void)
{
	both("tc qdisc del dev " E_DEV " root 2>/dev/null");
}

static void path_on(void)
{
	e_begin();
	server = peer_thread(st.peer);
	REQUIRE(server);
	path_off();
	both("modprobe sch_netem 2>/dev/null; tc qdisc add dev " E_DEV " root netem delay 25ms limit 10000");
}

/* A listener at the agent that echoes on the next @n connections. */
static int serve(const struct st_mode *mode, int n)
{
	int port = e_port();
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = p_do(st.peer, P_SOCKET, 0, mode->domain, SOCK_STREAM, mode->proto);

	REQUIRE(fd >= 0);
	MUST_EQ(peer_call(st.peer, P_BIND, fd, (int64_t[4]){}, &sin, sizeof(sin),
			  NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, fd, 64), 0);
	p_post(server, P_ECHOLOOP, fd, n, st_ms(60000));
	return port;
}

static void served(int n)
{
	EQ(p_done(server), n);
}

static int dial(const struct st_mode *mode, int port, bool nonblock)
{
	struct sockaddr_in sin;
	int fd = socket(mode->domain, SOCK_STREAM | (nonblock ? SOCK_NONBLOCK : 0),
			mode->proto);

	REQUIRE(fd >= 0);
	peer_remote_addr(st.peer, &sin);
	sin.sin_port = htons(port);
	if (!nonblock) {
		MUST_EQ(connect(fd, (void *)&sin, sizeof(sin)), 0);
		return fd;
	}
	FAILS(connect(fd, (void *)&sin, sizeof(sin)), EINPROGRESS);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_so_error(fd), 0);
	st_nonblock(fd, false);
	return fd;
}

static int syn_data(const struct wire_pkt *p, int n)
{
	for (; n; n--, p++)
		if (wire_is(p, true, WF_SYN))
			return p->len;
	return -1;
}

static void once(const struct st_mode *mode, int port, bool nonblock, struct trip *t)
{
	struct wire_tap *tap = wire_tap_start(E_DEV, port);
	const struct wire_pkt *pkt;
	uint64_t t0, t1, t2;
	char c = 'r';
	int fd, n;

	t0 = wire_now_us();
	fd = dial(mode, port, nonblock);
	t1 = wire_now_us();
	MUST_EQ(send(fd, &c, 1, 0), 1);
	MUST_EQ(recv(fd, &c, 1, 0), 1);
	t2 = wire_now_us();
	EQ(c, 'r');
	if (mode->smc)
		st_prove(fd);
	close(fd);
	pkt = wire_tap_stop(tap, &n);
	t->connect_us = t1 - t0;
	t->reply_us = t2 - t0;
	t->connect = wire_trips(pkt, n, t0, t1, WAY_US);
	t->reply = wire_trips(pkt, n, t0, t2, WAY_US);
	t->syn_data = syn_data(pkt, n);
	st_note("%s port %d: connect %d.%d ms = %d round trips, reply %d.%d ms = %d, %d bytes in the SYN",
		mode->name, port, t->connect_us / 1000, t->connect_us / 100 % 10, t->connect,
		t->reply_us / 1000, t->reply_us / 100 % 10, t->reply, t->syn_data);
	/* Its end must not be counted to the next one. */
	st_sleep_ms(st_ms(200));
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Field by field the median. Where connections are few, of times the smallest (@best): other work of the host makes some
 * late, and the path none faster than it is.
 */
static void typical(const struct trip *t, int n, bool best, struct trip *m)
{
	for (size_t f = 0; f < sizeof(*t) / sizeof(int); f++) {
		bool timed = f * sizeof(int) < offsetof(struct trip, connect);
		int v[ROUNDS];

		for (int i = 0; i < n; i++)
			v[i] = ((const int *)&t[i])[f];
		qsort(v, n, sizeof(v[0]), by_value);
		((int *)m)[f] = v[timed && best ? 0 : n / 2];
	}
}

static void several(const struct st_mode *mode, int port, bool nonblock, int n,
		    struct trip *m)
{
	struct trip t[ROUNDS];

	for (int i = 0; i < n; i++)
		once(mode, port, nonblock, &t[i]);
	typical(t, n, false, m);
}

/* TCP on the same path, in the same run. */
static void tcp(struct trip *m)
{
	int port = serve(plain(), ROUNDS + 1);
	struct trip warm;

	once(plain(), port, false, &warm);
	several(plain(), port, false, ROUNDS, m);
	served(ROUNDS + 1);
	EQ(m->connect, 1);
	EQ(m->reply, 2);
}

/* @more: percent of TCP's time for a round trip on top; what a queue pair costs an emulated processor is not the path's. */
static void in_time(const struct trip *t, int connect, int more, const struct trip *oracle)
{
	EXPECT(t->connect <= connect);
	EXPECT(t->reply <= connect + 1);
	EXPECT(t->connect_us <= oracle->connect_us * (100 * connect + more) / 100);
	EXPECT(t->reply_us <= oracle->reply_us +
	       oracle->connect_us * (100 * (connect - 1) + 2 * more) / 100);
}

static void warm(bool nonblock)
{
	struct trip oracle, first, t;
	int port;

	path_on();
	tcp(&oracle);
	port = serve(st.mode, ROUNDS + 2);
	once(st.mode, port, nonblock, &first);
	EQ(first.syn_data, 0);
	once(st.mode, port, nonblock, &first);
	several(st.mode, port, nonblock, ROUNDS, &t);
	served(ROUNDS + 2);
	EXPECT(t.syn_data > 80);
	EQ(t.connect, 1);
	EQ(t.reply, 2);
	in_time(&t, 1, 10, &oracle);
	path_off();
}

static void t_warm(void)
{
	warm(false);
}

static void t_warm_nonblock(void)
{
	warm(true);
}

static void t_known_cold(void)
{
	struct trip oracle, known, t[3], m;
	int port;

	path_on();
	tcp(&oracle);
	port = serve(st.mode, 5);
	once(st.mode, port, false, &m);
	once(st.mode, port, false, &known);
	for (int i = 0; i < 3; i++) {
		e_fresh_device();
		once(st.mode, port, false, &t[i]);
	}
	typical(t, 3, true, &m);
	served(5);
	/* What the server needs for a new queue pair is in the SYN, too. */
	EXPECT(m.syn_data > known.syn_data);
	in_time(&m, 1, 50, &oracle);
	path_off();
}

static void unknown(bool group, int trips)
{
	struct trip oracle, t[3], m;
	int port;

	path_on();
	tcp(&oracle);
	port = serve(st.mode, 1);
	once(st.mode, port, false, &m);
	served(1);
	for (int i = 0; i < 3; i++) {
		if (!group)
			e_fresh_device();
		port = serve(st.mode, 1);
		once(st.mode, port, false, &t[i]);
		served(1);
		EQ(t[i].syn_data, 0);
	}
	typical(t, 3, true, &m);
	in_time(&m, trips, 50, &oracle);
	path_off();
}

static void t_unknown_warm(void)
{
	unknown(true, 2);
}

static void t_unknown_cold(void)
{
	unknown(false, 3);
}

static const struct st_case cases[] = {
	{ "known server, link group there", t_warm, .secs = 60 },
	{ "the same, non-blocking", t_warm_nonblock, .secs = 60 },
	{ "known server, no link group", t_known_cold, .secs = 90 },
	{ "unknown server, link group there", t_unknown_warm, .secs = 60 },
	{ "unknown server, no link group", t_unknown_cold, .secs = 90 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-trips", cases, ARRAY_SIZE(cases));
}
