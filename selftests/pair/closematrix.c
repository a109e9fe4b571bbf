// SPDX-License-Identifier: GPL-2.0
/*
 * Close matrix. Two ends A and B, data possibly in flight either way, A does
 * one of six things that end a connection, B looks (or not) and does one, both
 * look again. What they see, bytes, end of stream and errors, is written down
 * and must be what plain TCP shows between the same two machines in the same
 * run. "--list 1" prints the traces. "--oracle 0" asks for less, for a peer with ways of its
 * own: who is told of the end sees it, what was sent before an end in order arrives, and no byte is wrong.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <netinet/tcp.h>
#include <stdarg.h>
#include <sys/wait.h>

enum action { SHUT_R, SHUT_W, SHUT_RW, CLOSE, RESET, EXIT, NACTIONS };

static const char *const action_name[] = {
	"shutdown(RD)", "shutdown(WR)", "shutdown(RDWR)", "close", "reset", "exit",
};

struct scenario {
	enum action a, b;
	bool ab, ba;		/* data under way in that direction */
	bool look;		/* B reads everything before it acts */
};

struct trace {
	char text[600];
	size_t len;
};

struct end {
	struct peer *p;
	int fd;
	bool open;
	uint64_t tx_seed, rx_seed;
	long rx_off, tx_off;
	int recv_err;		/* what ended the last look: 0 = end of the stream */
};

static int data_size = 3000;

static void say(struct trace *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct trace *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->len += vsnprintf(t->text + t->len, sizeof(t->text) - t->len, fmt, ap);
	va_end(ap);
	if (t->len >= sizeof(t->text))
		t->len = sizeof(t->text) - 1;
}

static const char *err_name(int e)
{
	static char num[16];

	switch (e) {
	case 0: return "0";
	case EAGAIN: return "EAGAIN";
	case ECONNRESET: return "ECONNRESET";
	case EPIPE: return "EPIPE";
	case ENOTCONN: return "ENOTCONN";
	case PEER_EBYTES: return "WRONG-BYTES";
	}
	snprintf(num, sizeof(num), "%d", e);
	return num;
}

static int make_socket(struct peer *p)
{
	int fd = p_do(p, P_SOCKET, 0, st.mode->domain, SOCK_STREAM | SOCK_CLOEXEC,
		      st.mode->proto);

	REQUIRE(fd >= 0);
	return fd;
}

/* A is this machine's agent; the server is A or B as the role says. */
static void make_pair(struct end *a, struct end *b)
{
	struct end *srv = st.role == ROLE_SERVER ? a : b;
	struct end *cli = srv == a ? b : a;
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	struct proof pr;
	int ls;

	memset(a, 0, sizeof(*a));
	memset(b, 0, sizeof(*b));
	a->p = st_own_session();
	b->p = peer_open(st.host, st.port);
	REQUIRE(b->p);
	ls = make_socket(srv->p);
	MUST_EQ(peer_call(srv->p, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(srv->p, P_LISTEN, ls, 8), 0);
	MUST_EQ(peer_call(srv->p, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL, 0, &ss,
			  sizeof(ss)), 0);
	l = st_addr(&ss, srv == b, st_addr_port(&ss));
	cli->fd = make_socket(cli->p);
	MUST_EQ(peer_call(cli->p, P_CONNECT, cli->fd, (int64_t[4]){}, &ss, l, NULL,
			  0), 0);
	srv->fd = p_do(srv->p, P_ACCEPT, ls, SOCK_CLOEXEC, st_ms(10000));
	REQUIRE(srv->fd >= 0);
	p_do(srv->p, P_CLOSE, ls);
	a->open = b->open = true;
	a->tx_seed = b->rx_seed = 21;
	b->tx_seed = a->rx_seed = 22;
	MUST_EQ(peer_call(a->p, P_PROOF, a->fd, (int64_t[4]){}, NULL, 0, &pr,
			  sizeof(pr)), 0);
	if (st.mode->smc && st.expect == EXPECT_SMC && pr.carrier != CARRIER_SMC)
		st_die(__FILE__, __LINE__, "carried by %s", proof_name(pr.carrier));
	MUST_EQ(p_do(a->p, P_NONBLOCK, a->fd, 1), 0);
	MUST_EQ(p_do(b->p, P_NONBLOCK, b->fd, 1), 0);
	p_set_int(a->p, a->fd, IPPROTO_TCP, TCP_NODELAY, 1);
	p_set_int(b->p, b->fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

static void settle(void)
{
	st_sleep_ms(25 * st.scale);
}

static void end_send(struct end *e, struct end *to)
{
	uint64_t end = st_now_ms() + st_ms(5000);

	MUST_EQ(p_do(e->p, P_SENDALL, e->fd, data_size, e->tx_off, 0, e->tx_seed),
		data_size);
	e->tx_off += data_size;
	while (p_do(to->p, P_IOCTL, to->fd, 0x541b) == 0 &&
	       peer_out(to->p, 0) < data_size && st_now_ms() < end)
		st_sleep_ms(1);
}

static void act(struct end *e, enum action what)
{
	struct linger lg = { 1, 0 };
	struct peer_reply r;

	switch (what) {
	case SHUT_R:
	case SHUT_W:
	case SHUT_RW:
		p_do(e->p, P_SHUTDOWN, e->fd, what == SHUT_R ? SHUT_RD :
		     what == SHUT_W ? SHUT_WR : SHUT_RDWR);
		return;
	case RESET:
		MUST_EQ(peer_call(e->p, P_SETSOCKOPT, e->fd, (int64_t[4]){
				  SOL_SOCKET, SO_LINGER }, &lg, sizeof(lg), NULL, 0), 0);
		/* fall through */
	case CLOSE:
		p_do(e->p, P_CLOSE, e->fd);
		break;
	default:
		p_post(e->p, P_EXIT, 0, 0);
		peer_wait(e->p, st_ms(5000), &r, NULL, 0);
	}
	e->open = false;
}

/* Reads until nothing more comes: how many bytes, and what ended it. */
static void look_recv(struct end *e, struct trace *t)
{
	long k = p_do(e->p, P_DRAIN, e->fd, 0, e->rx_off, 0, e->rx_seed);
	int err = k < 0 ? errno : peer_out(e->p, 0);

	if (k > 0)
		e->rx_off += k;
	e->recv_err = err;
	say(t, " recv %ld %s", k < 0 ? 0 : k, err ? err_name(err) : "end");
}

/*
 * Sends until an error comes or three bytes went out. How many succeed before
 * a reset is noticed is a matter of time, not of meaning.
 */
static void look_send(struct end *e, struct trace *t)
{
	int err = 0;

	for (int i = 0; i < 3 && !err; i++) {
		if (p_do(e->p, P_SEND, e->fd, 1, e->tx_off, 0, e->tx_seed) < 0)
			err = errno;
		else
			e->tx_off++;
		st_sleep_ms(10 * st.scale);
	}
	say(t, " send %s", err_name(err));
}

static void look(struct end *e, const char *name, struct trace *t, bool all)
{
	int ev;

	if (!e->open)
		return;
	ev = p_do(e->p, P_POLL, e->fd, POLLIN | POLLRDHUP | POLLPRI, 0);
	say(t, "; %s poll %s%s%s%s", name, ev & POLLIN ? "i" : "", ev & POLLRDHUP ?
	    "r" : "", ev & POLLHUP ? "h" : "", ev & POLLERR ? "e" : "");
	if (!all)
		return;
	look_recv(e, t);
	look_send(e, t);
}

static void run_ends(const struct scenario *s, struct trace *t, struct end *a, struct end *b)
{
	memset(t, 0, sizeof(*t));
	make_pair(a, b);
	if (s->ab)
		end_send(a, b);
	if (s->ba)
		end_send(b, a);
	act(a, s->a);
	settle();
	look(b, "B", t, s->look);
	act(b, s->b);
	settle();
	look(a, "A", t, true);
	look(b, "B", t, true);
	peer_free(a->p);
	peer_free(b->p);
}

static void run(const struct scenario *s, struct trace *t)
{
	struct end a, b;

	run_ends(s, t, &a, &b);
}

static const struct st_mode *twin(void)
{
	return st_mode_find(st.mode->af == AF_INET ? "tcp" :
			    st.mode->mapped ? "tcpmap" : "tcp6");
}

/*
 * When packets cross TCP is not always of one mind: what was got must be what
 * TCP showed in one of a few tries.
 */
#define TRIES 3

static void describe(const struct scenario *s)
{
	st_fail(__FILE__, __LINE__, "A %s, B %s%s%s%s", action_name[s->a],
		action_name[s->b], s->ab ? ", A->B data" : "",
		s->ba ? ", B->A data" : "", s->look ? ", B looks" : "");
}

/* Its reader is told: end of the stream, or a reset. */
static bool is_end(enum action what)
{
	return what != SHUT_R;
}

static bool is_told(const struct end *e, enum action other)
{
	return !e->open || !is_end(other) || e->recv_err != EAGAIN;
}

static void check_bytes(const struct scenario *s)
{
	bool in_order = is_end(s->b) && s->b != RESET && !(s->ab && !s->look);
	struct trace got;
	struct end a, b;

	run_ends(s, &got, &a, &b);
	if (!strstr(got.text, err_name(PEER_EBYTES)) && is_told(&a, s->b) && is_told(&b, s->a) &&
	    (!a.open || !s->ba || !in_order || a.rx_off >= data_size))
		return;
	describe(s);
	st_note("  got %s", got.text);
}

static void compare(const struct scenario *s)
{
	const struct st_mode *mode = st.mode;
	struct trace want[TRIES], got;

	if (!st_arg_num("oracle", 1)) {
		check_bytes(s);
		return;
	}
	for (int i = 0; i < TRIES; i++) {
		st.mode = twin();
		run(s, &want[i]);
		st.mode = mode;
		run(s, &got);
		for (int k = 0; k <= i; k++) {
			if (strcmp(want[k].text, got.text))
				continue;
			if (st_arg_num("list", 0))
				st_note("A %s B %s %d%d%d:%s", action_name[s->a],
					action_name[s->b], s->ab, s->ba, s->look,
					got.text);
			return;
		}
	}
	describe(s);
	st_note("  TCP %s", want[0].text);
	st_note("  got %s", got.text);
}

#define WORKERS 4

static void work(enum action a, int worker)
{
	/* Every n-th scenario only: for slow machines. */
	int every = st_arg_num("every", 1), n = 0;

	st.peer = peer_open(st.host, st.port);
	REQUIRE(st.peer);
	for (int b = 0; b < NACTIONS; b++)
		for (int bits = 0; bits < 8; bits++, n++) {
			struct scenario s = { a, b, bits & 1, bits & 2, bits & 4 };

			if ((n + a) % every == 0 && (n / every) % WORKERS == worker)
				compare(&s);
		}
}

/* Mostly waiting: several at once. */
static void matrix(enum action a)
{
	pid_t pid[WORKERS];
	int status;

	for (int w = 0; w < WORKERS; w++) {
		pid[w] = fork();
		if (!pid[w]) {
			work(a, w);
			_exit(st_failed());
		}
	}
	for (int w = 0; w < WORKERS; w++) {
		MUST_EQ(waitpid(pid[w], &status, 0), pid[w]);
		EXPECT(!status);
	}
}

static void t_shut_rd(void) { matrix(SHUT_R); }
static void t_shut_wr(void) { matrix(SHUT_W); }
static void t_shut_rdwr(void) { matrix(SHUT_RW); }
static void t_close(void) { matrix(CLOSE); }
static void t_reset(void) { matrix(RESET); }
static void t_exit(void) { matrix(EXIT); }

/*
 * Both ends act at the same moment, with bulk still moving. Nothing may hang
 * and no wrong byte may be seen; what comes out depends on who was first.
 */
static void t_race(void)
{
	for (int i = 0; i < NACTIONS * NACTIONS; i++) {
		enum action aa = i % NACTIONS, ba = i / NACTIONS;
		struct linger lg = { 1, 0 };
		struct end a, b;
		long k;

		make_pair(&a, &b);
		p_do(a.p, P_SEND, a.fd, 200000, 0, 0, a.tx_seed);
		p_do(b.p, P_SEND, b.fd, 200000, 0, 0, b.tx_seed);
		if (ba == RESET)
			peer_call(b.p, P_SETSOCKOPT, b.fd, (int64_t[4]){ SOL_SOCKET,
				  SO_LINGER }, &lg, sizeof(lg), NULL, 0);
		if (ba < CLOSE)
			p_post(b.p, P_SHUTDOWN, b.fd, ba);
		else
			p_post(b.p, ba == EXIT ? P_EXIT : P_CLOSE, b.fd, 0);
		act(&a, aa);
		if (a.open) {
			k = p_do(a.p, P_DRAIN, a.fd, 0, 0, 0, a.rx_seed);
			if (k < 0)
				EXPECT(errno != PEER_EBYTES);
		}
		if (ba < CLOSE) {
			k = p_done(b.p);
			EXPECT(!k || errno == ENOTCONN);
			k = p_do(b.p, P_DRAIN, b.fd, 0, 0, 0, b.rx_seed);
			if (k < 0)
				EXPECT(errno != PEER_EBYTES);
		}
		peer_free(a.p);
		peer_free(b.p);
	}
}

static const struct st_case cases[] = {
	{ "shutdown(RD) first", t_shut_rd, true, .secs = 240 },
	{ "shutdown(WR) first", t_shut_wr, true, .secs = 240 },
	{ "shutdown(RDWR) first", t_shut_rdwr, true, .secs = 240 },
	{ "close first", t_close, true, .secs = 240 },
	{ "reset first", t_reset, true, .secs = 240 },
	{ "exit first", t_exit, true, .secs = 240 },
	{ "all at once", t_race, true, .secs = 120 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "closematrix", cases, ARRAY_SIZE(cases));
}
