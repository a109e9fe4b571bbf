// SPDX-License-Identifier: GPL-2.0
/*
 * Connection storms: many connections opened and closed, some of them given up
 * in the middle of it. Afterwards everything counted must be back to where it
 * began on both machines: queue pairs, completion queues and memory regions
 * (as the RDMA core counts them), link groups, sockets, the module's users.
 * "--conns N" sets how many (10,000), "--threads N" how many at a time.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"

#include <pthread.h>

struct snapshot {
	long qp, cq, mr, lgr, socks;
};

static struct peer *self;

static long number_after(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtol(p + strlen(key), NULL, 10) : -1;
}

static void take(struct peer *p, struct snapshot *s)
{
	const char *out = st_shell(p, "rdma resource show 2>/dev/null; echo;"
				   "echo lgr $(smcx --json lgr 2>/dev/null | grep -o '\"id\"' | wc -l);"
				   "smcx --json stat 2>/dev/null");

	s->qp = number_after(out, " qp ");
	s->cq = number_after(out, " cq ");
	s->mr = number_after(out, " mr ");
	s->lgr = number_after(out, "lgr ");
	s->socks = number_after(out, "\"sockets_now\": ");
}

static bool same(const struct snapshot *a, const struct snapshot *b)
{
	return a->qp == b->qp && a->cq == b->cq && a->mr == b->mr &&
	       a->lgr == b->lgr && a->socks == b->socks;
}

static void show(const char *what, const struct snapshot *s)
{
	st_note("%s: qp %ld cq %ld mr %ld link groups %ld sockets %ld", what, s->qp,
		s->cq, s->mr, s->lgr, s->socks);
}

static const char *const delay_ctl = "/proc/sys/net/smc/lgr_free_delay";

/*
 * Both machines' state before anything: no link group is there, since the
 * device is new, and those to come go a second after their last connection.
 */
static void begin(struct snapshot *own, struct snapshot *other)
{
	struct peer *p[2] = { self, st.peer };
	struct snapshot *s[2] = { own, other };

	for (int i = 0; i < 2 && st.mode->smc; i++)
		st_shell(p[i], "[ -z \"$IBDEV\" ] || { rdma link delete $IBDEV; "
			 "rdma link add $IBDEV type rxe netdev $DEV; }");

	for (int i = 0; i < 2; i++) {
		uint64_t end = st_now_ms() + st_ms(30000);

		st_shell(p[i], "[ -w %s ] && cp %s /tmp/delay.%d && echo 1 > %s",
			 delay_ctl, delay_ctl, i, delay_ctl);
		do {
			take(p[i], s[i]);
			if (s[i]->lgr <= 0 && s[i]->socks <= 0)
				break;
			st_sleep_ms(500);
		} while (st_now_ms() < end);
	}
}

static void check(const char *where, struct peer *p, int i,
		  const struct snapshot *before)
{
	uint64_t end = st_now_ms() + st_ms(60000);
	struct snapshot now;

	do {
		take(p, &now);
		if (same(before, &now))
			break;
		st_sleep_ms(500);
	} while (st_now_ms() < end);
	if (!same(before, &now)) {
		st_fail(__FILE__, __LINE__, "%s: something is left", where);
		show("before", before);
		show("after", &now);
	}
	st_shell(p, "[ -e /tmp/delay.%d ] && cat /tmp/delay.%d > %s; rm -f /tmp/delay.%d",
		 i, i, delay_ctl, i);
}

enum kind { WHOLE, NO_WAIT_CLOSE, RESET, NKINDS };

struct storm {
	pthread_t t;
	struct sockaddr_storage addr;
	socklen_t len;
	struct rng rng;
	int n, abort_percent;
	long ok, smc, failed, slow;
};

static void abort_one(struct storm *s, int fd, enum kind kind)
{
	struct linger lg = { 1, 0 };

	st_nonblock(fd, true);
	connect(fd, (void *)&s->addr, s->len);
	usleep(rng_below(&s->rng, 4) ? rng_below(&s->rng, 3000 * st.scale) : 0);
	if (kind == RESET)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &lg, sizeof(lg));
}

static void whole_one(struct storm *s, int fd)
{
	uint64_t t0 = st_now_ms();
	char c;

	if (connect(fd, (void *)&s->addr, s->len)) {
		if (!s->failed++)
			st_note("connect: %s after %llu ms", strerror(errno),
				(unsigned long long)(st_now_ms() - t0));
		return;
	}
	/* Asking costs a dump of all sockets: now and then will do. */
	if (rng_below(&s->rng, 50) == 0)
		st_prove(fd);
	if (recv(fd, &c, 1, 0) != 1 || c != 'x' || recv(fd, &c, 1, 0) != 0) {
		if (!s->failed++)
			st_note("recv: %s", strerror(errno));
		return;
	}
	s->ok++;
	if (st_now_ms() - t0 > st_ms(2000))
		s->slow++;
}

static void *storm(void *arg)
{
	struct storm *s = arg;

	for (int i = 0; i < s->n; i++) {
		int fd = st_socket(0);

		if ((int)rng_below(&s->rng, 100) < s->abort_percent)
			abort_one(s, fd, 1 + rng_below(&s->rng, NKINDS - 1));
		else
			whole_one(s, fd);
		close(fd);
	}
	return NULL;
}

/* Connections of this machine that were SMC, since ever. */
static long carried(void)
{
	return atol(st_shell(self, "smcx -j stat | tr ',{' '\\n\\n' | sed -n 's/ *\"client_v2\": *//p'"));
}

static void run(int n, int threads, int abort_percent)
{
	struct storm *s = calloc(threads, sizeof(*s));
	struct snapshot own, other;
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	long ok = 0, failed = 0, slow = 0, smc;
	uint64_t t0;
	int ls;

	self = st_own_session();
	begin(&own, &other);
	ls = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, ls, 1024), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL, 0, &ss,
			  sizeof(ss)), 0);
	l = st_addr(&ss, true, st_addr_port(&ss));
	p_post(st.peer, P_ACCEPTLOOP, ls, n * 2, st_ms(4000));
	smc = carried();
	t0 = st_now_ms();
	for (int i = 0; i < threads; i++) {
		s[i] = (struct storm){ .addr = ss, .len = l, .n = n / threads,
				       .abort_percent = abort_percent,
				       .rng.s = st.seed + i };
		pthread_create(&s[i].t, NULL, storm, &s[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(s[i].t, NULL);
		ok += s[i].ok;
		failed += s[i].failed;
		slow += s[i].slow;
	}
	st_note("%ld whole, %ld failed, %ld took more than 2 s, in %llu ms", ok,
		failed, slow, (unsigned long long)(st_now_ms() - t0));
	EQ(failed, 0);
	EQ(slow, 0);
	if (st.mode->smc && st.expect == EXPECT_SMC)
		EXPECT(carried() - smc >= ok);
	EXPECT(p_done(st.peer) >= ok);
	p_do(st.peer, P_CLOSE, ls);
	check("this machine", self, 0, &own);
	check("the other machine", st.peer, 1, &other);
}

static long conns(void)
{
	return st_arg_num("conns", 10000);
}

static void t_sequential(void)
{
	run(conns() / 4, 1, 0);
}

static void t_concurrent(void)
{
	run(conns() / 2, st_arg_num("threads", 16), 0);
}

static void t_aborts(void)
{
	run(conns() / 4, st_arg_num("threads", 16), 40);
}

static const struct st_case cases[] = {
	{ "one after the other", t_sequential, .secs = 400 },
	{ "many at a time", t_concurrent, .secs = 600 },
	{ "many given up half-way", t_aborts, .secs = 400 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "connstorm", cases, ARRAY_SIZE(cases));
}
