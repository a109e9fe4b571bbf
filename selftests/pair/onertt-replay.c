// SPDX-License-Identifier: GPL-2.0
/*
 * 100,000 SYNs with a captured Proposal against a serving machine: the very same one again and again,
 * the same token from other ports, and from addresses for which it was not made. Queue
 * pairs, sockets and memory stay bounded, clients beside it are served, and all is as before
 * afterwards. What such a number of SYNs costs in TCP alone is measured first, with the same ones without
 * Proposal: clients beside the replay must not be worse off. "--n N" changes the number.
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "early.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <pthread.h>

#define SERVED 20		/* clients beside a flood, at least */
#define LOST_US 900000		/* set-up from which a SYN or its answer was lost, and TCP sent it again */
#define PORTS 32768		/* spoofed clients use ports from here on, honest ones below */

static struct peer *server, *watcher;
static struct wire_pkt good;
static int port, ls;

/**
 * struct times - set-up and one byte there and back, of healthy clients
 * @p50: microseconds
 * @max: the same
 * @n: connections
 * @smc: of them over SMC
 * @lost: of them slower than LOST_US
 */
struct times {
	int p50, max, n, smc, lost;
};

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Both ends' view of a connection on which nothing came back, in time for somebody to look at it. */
static void show_stuck(int fd)
{
	struct peer *p[2] = { e_self, st.peer };
	struct sockaddr_in own = {};
	socklen_t l = sizeof(own);

	getsockname(fd, (void *)&own, &l);
	for (int i = 0; i < 2; i++)
		st_note("%s:\n%s", i ? "server" : "client",
			st_shell(p[i], "{ ss -tanmoi '( sport = :%d or dport = :%d )'; ss -tan '( sport = :%d )' | "
				 "awk '{ n[$1]++ } END { for (s in n) print s, n[s] }'; smcx sock | grep -w %d;"
				 "smcx stat | grep -E 'onertt|sockets'; } 2>&1 | sed 's/^/# /'",
				 ntohs(own.sin_port), ntohs(own.sin_port), port, ntohs(own.sin_port)));
}

/* Set-up and one byte there and back, until @n are through or @stop. */
static void healthy(struct times *t, int n, volatile bool *stop)
{
	int us[1000];

	memset(t, 0, sizeof(*t));
	while (t->n < n && !(stop && *stop)) {
		uint64_t t0 = wire_now_us();
		int fd = e_socket(true);
		char c = 'h';

		MUST_EQ(st_connect(fd, port), 0);
		MUST_EQ(send(fd, &c, 1, MSG_NOSIGNAL), 1);
		if (!st_poll(fd, POLLIN, st_ms(15000)))
			show_stuck(fd);
		MUST_EQ(recv(fd, &c, 1, MSG_DONTWAIT), 1);
		us[t->n] = wire_now_us() - t0;
		t->lost += us[t->n++] > LOST_US * st.scale;
		t->smc += st_carried_by_smc(fd);
		close(fd);
		if (stop)
			st_sleep_ms(20);
	}
	REQUIRE(t->n > 0);
	qsort(us, t->n, sizeof(us[0]), by_value);
	t->p50 = us[t->n / 2];
	t->max = us[t->n - 1];
}

static void say(const char *what, const struct times *t)
{
	st_note("%s: %d connections, %d SMC, %d with a loss, set-up and reply p50 %d us, max %d us", what,
		t->n, t->smc, t->lost, t->p50, t->max);
}

static long memory(struct peer *p)
{
	const char *m = strstr(st_shell(p, "cat /proc/meminfo"), "MemAvailable:");

	return m ? strtol(m + 13, NULL, 10) : -1;
}

static long segments_in(struct peer *p)
{
	return strtol(st_shell(p, "awk '$1 == \"Tcp:\" { v = $11 } END { print v }' /proc/net/snmp"), NULL, 10);
}

/* What the kernel of the forged clients would say against it. */
static void gag(bool on)
{
	char cmd[400];

	st_shell(e_self, "tc qdisc del dev " E_DEV " clsact 2>/dev/null");
	if (!on)
		return;
	snprintf(cmd, sizeof(cmd), "modprobe -a sch_ingress cls_u32 act_gact 2>/dev/null; tc qdisc add dev " E_DEV
		 " clsact && tc filter add dev " E_DEV " ingress protocol ip prio 1 u32 match ip protocol 6 0xff "
		 "match ip sport %d 0xffff match ip dport 0x8000 0x8000 action drop", port);
	MUST_EQ(system(cmd), 0);
}

/* A listener that invites, a connection that was let in at once, and its SYN. */
static void capture(void)
{
	struct midbox *box;
	int fd, afd;

	e_begin();
	port = e_port();
	st_shell(e_self, "echo 1024 32000 > /proc/sys/net/ipv4/ip_local_port_range");
	ls = e_learn(port);
	box = mb_open(E_DEV, port);
	fd = e_socket(true);
	e_dial(fd, port);
	afd = e_accept(ls, 5000);
	e_finish(fd, afd);
	e_syn(box, &good);
	mb_close(box);
	MUST_EQ(p_do(st.peer, P_LISTEN, ls, 4096), 0);
	gag(true);
}

static void begin(void)
{
	capture();
	server = peer_thread(st.peer);
	watcher = peer_thread(st.peer);
	REQUIRE(server && watcher);
	p_post(server, P_ECHOLOOP, ls, 1000000, st_ms(20000));
}

/**
 * struct flood - a number of SYNs
 * @n: how many
 * @kind: see below
 * @bare: without the Proposal
 * @first: port of the first, from PORTS on
 * @served: if given, it goes on until SERVED clients were served beside it
 * @sent: SYNs in all
 * @done: over
 */
struct flood {
	int n, kind;
	bool bare;
	int first;
	const volatile int *served;
	int sent;
	volatile bool done;
};

enum { SAME, PORTS_VARY, ADDRESSES_VARY };

static void *flood(void *arg)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(E_DEV) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	struct flood *f = arg;
	struct wire_pkt syn = good;

	uint64_t end = st_now_ms() + st_ms(30000);
	int i = 0;

	bind(fd, (void *)&ll, sizeof(ll));
	e_forge(&syn, PORTS + 7, 1, f->bare ? "" : NULL, 0);
	for (; i < f->n || (f->served && *f->served < SERVED && st_now_ms() < end); i++) {
		if (f->kind == PORTS_VARY)
			e_forge(&syn, PORTS + (f->first + i) % PORTS, good.seq + i * 977, NULL, 0);
		if (f->kind == ADDRESSES_VARY) {
			syn.frame[14 + 15] = 16 + i % 200;
			e_forge(&syn, PORTS + i / 200 % PORTS, i, NULL, 0);
		}
		while (send(fd, syn.frame, syn.size, 0) < 0)
			usleep(1000);
		/* As fast as the machine gets through them, not faster. */
		if (i % 20 == 19)
			usleep(2000);
	}
	close(fd);
	f->sent = i;
	f->done = true;
	return NULL;
}

static void *watch(void *arg)
{
	struct e_state *worst = arg, s;
	struct flood *f = (void *)(worst + 1);

	while (!f->done) {
		e_state_take(watcher, &s);
		if (s.qp > worst->qp)
			worst->qp = s.qp;
		if (s.mr > worst->mr)
			worst->mr = s.mr;
		if (s.socks > worst->socks)
			worst->socks = s.socks;
		usleep(500000);
	}
	return NULL;
}

/* @n SYNs, and clients beside them. Return: how many SYNs there were. */
static int beside(int kind, bool bare, int n, struct times *t, struct e_state *worst)
{
	struct {
		struct e_state worst;
		struct flood f;
	} w = {};
	pthread_t t1, t2;

	w.f = (struct flood){ .n = n, .kind = kind, .bare = bare, .served = &t->n };
	t->n = 0;
	pthread_create(&t1, NULL, flood, &w.f);
	pthread_create(&t2, NULL, watch, &w);
	healthy(t, 1000, &w.f.done);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (worst)
		*worst = w.worst;
	return w.f.sent;
}

/* What TCP alone makes of it, on a listener of its own: half-open connections stay for a minute. */
static void without_proposal(int kind, int n, struct times *t)
{
	long let_in;
	int sent;

	begin();
	let_in = e_count(watcher, "onertt_accepted");
	sent = beside(kind, true, n, t, NULL);
	say("beside the same without Proposal", t);
	st_note("%d SYNs", sent);
	/* healthy clients come in, nothing else does */
	EXPECT(e_count(watcher, "onertt_accepted") - let_in <= t->n);
	EXPECT(t->n >= SERVED);
}

static void attack(int kind, const char *what, int n)
{
	struct times alone, tcp, smc, after;
	long mem, segs, seen, cookies;
	struct e_state s, worst;
	int sent;

	without_proposal(kind, n / 5, &tcp);
	begin();
	healthy(&alone, 30, NULL);
	say("alone", &alone);
	EQ(alone.smc, alone.n);
	e_state_take(watcher, &s);
	mem = memory(watcher);
	segs = segments_in(watcher);
	cookies = e_netstat(watcher, "SyncookiesSent");
	sent = beside(kind, false, n, &smc, &worst);
	say(what, &smc);
	mem -= memory(watcher);
	seen = segments_in(watcher) - segs;
	st_note("queue pairs %ld -> %ld at most, regions %ld -> %ld, sockets %ld -> %ld, memory %+ld KiB, %ld segments seen",
		s.qp, worst.qp, s.mr, worst.mr, s.socks, worst.socks, mem, seen);
	st_note("accepted %ld, replayed %ld, bad token %ld, timed out %ld, failed %ld",
		e_count(watcher, "onertt_accepted"), e_count(watcher, "onertt_replayed"),
		e_count(watcher, "onertt_bad_token"), e_count(watcher, "onertt_timeout"),
		e_count(watcher, "onertt_failed"));
	cookies = e_netstat(watcher, "SyncookiesSent") - cookies;
	st_note("%d SYNs, %ld answered with a cookie", sent, cookies);
	EXPECT(seen > sent * 9L / 10);
	EXPECT(worst.qp <= s.qp + 8);
	EXPECT(worst.mr <= s.mr + 2500);
	EXPECT(mem < 200 * 1024);
	EXPECT(smc.n >= SERVED);
	EXPECT(smc.p50 < 2 * tcp.p50 + 30000 * st.scale);
	EXPECT(smc.lost <= tcp.lost + smc.n / 5);
	EXPECT(smc.max < 4000000 * st.scale);
	/* a SYN cookie has no room for the option: the only reason to be TCP, and one SYN fills no queue */
	EXPECT(smc.smc == smc.n || (kind != SAME && cookies > 0));
	gag(false);
	st_sleep_ms(st_ms(4000));
	healthy(&after, 30, NULL);
	say("afterwards", &after);
	EQ(after.smc, after.n);
	EXPECT(after.p50 < 2 * alone.p50 + 20000 * st.scale);
}

static void t_same(void)
{
	attack(SAME, "beside one SYN again and again", st_arg_num("n", 100000) * 3 / 10);
}

static void t_ports(void)
{
	attack(PORTS_VARY, "beside a token from many ports", st_arg_num("n", 100000) * 5 / 10);
}

static void t_addresses(void)
{
	attack(ADDRESSES_VARY, "beside a token from other addresses", st_arg_num("n", 100000) * 2 / 10);
}

/*
 * @n SYNs from ports that were not used before (a half-open connection would swallow them), and time for the
 * server to give up what came of them. Return: how many were let in.
 */
static long replay(int n)
{
	static int used = 10000;
	long before = e_count(st.peer, "onertt_accepted");
	struct flood f = { .n = n, .kind = PORTS_VARY, .first = used };

	used += n;
	flood(&f);
	st_sleep_ms(st_ms(5000));
	return e_count(st.peer, "onertt_accepted") - before;
}

/*
 * Each Proposal let in takes an element of the client's group, for as long as that lives. Long-lived
 * connections keep groups alive: what replays can pin must not grow with their number.
 */
static void t_pinned(void)
{
	long in[4], crowded = e_count(st.peer, "onertt_crowded");
	int fd[4], afd[4];

	capture();
	for (int i = 0; i < 4; i++) {
		fd[i] = e_socket(true);
		e_dial(fd[i], port);
		afd[i] = e_accept(ls, 5000);
		REQUIRE(afd[i] >= 0);
		EQ(e_carrier(fd[i]), CARRIER_SMC);
		in[i] = replay(300);
	}
	crowded = e_count(st.peer, "onertt_crowded") - crowded;
	st_note("let in: %ld, then %ld, %ld, %ld; refused %ld", in[0], in[1], in[2], in[3], crowded);
	EXPECT(in[0] >= 64);
	EXPECT(in[1] == 0 && in[2] == 0 && in[3] == 0);
	EXPECT(crowded >= 3 * 300 * 9 / 10);
	for (int i = 0; i < 4; i++) {
		e_exchange(fd[i], afd[i], 10000);
		e_finish(fd[i], afd[i]);
	}
	/* the group that held the elements has ended with its last connection */
	st_sleep_ms(st_ms(1000));
	EXPECT(replay(20) > 0);
	gag(false);
	e_fresh_device();
}

static const struct st_case cases[] = {
	{ "state at first", e_state_first },
	{ "the same SYN", t_same, .secs = 200 },
	{ "other ports", t_ports, .secs = 300 },
	{ "other addresses", t_addresses, .secs = 200 },
	{ "elements pinned", t_pinned, .secs = 200 },
	{ "state at last", e_state_last, .secs = 60 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-replay", cases, ARRAY_SIZE(cases));
}
