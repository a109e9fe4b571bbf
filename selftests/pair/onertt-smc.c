// SPDX-License-Identifier: GPL-2.0
/*
 * The Proposal in the SYN between two SMC machines, over a path and under
 * settings that are against it. Whatever happens: SMC or TCP, both ends agree
 * which, every byte arrives once, nothing but the client's bytes reaches the
 * application, and the next connection works.
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "early.h"

static struct midbox *box;
static int port, ls;

/* A learnt server, the middle box in between, no rule yet. */
static void begin(void)
{
	e_begin();
	port = e_port();
	ls = e_learn(port);
	box = mb_open(E_DEV, port);
}

static void log_show(void)
{
	int n;
	const struct wire_pkt *p = mb_log(box, &n);

	wire_show(p, n);
}

/**
 * struct result - one connection
 * @carrier: CARRIER_SMC or CARRIER_TCP, at both ends
 * @ms: of connect()
 * @v: its packets
 */
struct result {
	enum carrier carrier;
	int ms;
	struct e_view v;
};

/* One connection of the application: whole, and the only one that the server gets. */
static void one_on(int fd, struct result *r)
{
	int afd;

	r->ms = e_dial(fd, port);
	afd = e_accept(ls, 8000);
	REQUIRE(afd >= 0);
	e_exchange(fd, afd, 30000);
	r->carrier = e_carrier(fd);
	EQ(e_agent_carrier(afd), r->carrier);
	e_finish(fd, afd);
	EQ(e_accept(ls, 100), -1);
	e_view(box, &r->v);
	st_note("%s after %d ms, %d SYNs, %d bytes in the first, %sacked", proof_name(r->carrier),
		r->ms, r->v.syns, r->v.syn_data, r->v.acked ? "" : "not ");
}

static void one(struct result *r)
{
	one_on(e_socket(true), r);
}

static void done(void)
{
	if (st_failed())
		log_show();
	e_agent_close(ls);
	mb_close(box);
}

static void early_smc(const struct result *r)
{
	EQ(r->carrier, CARRIER_SMC);
	EXPECT(r->v.syn_data > 80);
	EXPECT(r->v.acked);
	EQ(r->v.syns, 1);
	EXPECT(r->ms < st_ms(800));
}

static void classic_smc(const struct result *r)
{
	EQ(r->carrier, CARRIER_SMC);
	EQ(r->v.syn_data, 0);
	EQ(r->v.syns, 1);
	EXPECT(r->ms < st_ms(800));
}

/* Asked, but the server did not take it: two round trips, and a new token for the next. */
static void refused_smc(const struct result *r)
{
	EQ(r->carrier, CARRIER_SMC);
	EXPECT(r->v.syn_data > 80);
	EXPECT(!r->v.acked);
	EXPECT(r->v.synack_smc);
	EQ(r->v.syns, 1);
	EXPECT(r->ms < st_ms(800));
}

static void again_early(void)
{
	struct result r;

	mb_clear(box);
	one(&r);
	early_smc(&r);
}

static void t_plain_path(void)
{
	struct result r;
	long acked;

	begin();
	acked = e_count(e_self, "onertt_acked");
	for (int i = 0; i < 3; i++) {
		mb_clear(box);
		one(&r);
		early_smc(&r);
		EQ(r.v.proposals, 0);
	}
	EQ(e_count(e_self, "onertt_acked") - acked, 3);
	done();
}

/* Many at once. */
static void t_parallel(void)
{
	enum { N = 20 };
	int fd[N], afd;
	long committed;

	begin();
	committed = e_count(st.peer, "onertt_committed");
	for (int i = 0; i < N; i++) {
		fd[i] = e_socket(true);
		st_nonblock(fd[i], true);
		FAILS(st_connect(fd[i], port), EINPROGRESS);
	}
	for (int i = 0; i < N; i++) {
		EQ(st_wait(fd[i], POLLOUT), POLLOUT);
		EQ(st_so_error(fd[i]), 0);
		EQ(e_carrier(fd[i]), CARRIER_SMC);
		EQ(send(fd[i], "x", 1, MSG_NOSIGNAL), 1);
	}
	for (int i = 0; i < N; i++) {
		char c = 0;

		afd = e_accept(ls, 5000);
		REQUIRE(afd >= 0);
		EQ(peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ 10 }, NULL, 0, &c, 1), 1);
		EQ(c, 'x');
		e_agent_close(afd);
	}
	for (int i = 0; i < N; i++)
		close(fd[i]);
	EQ(e_count(st.peer, "onertt_committed") - committed, N);
	done();
}

static void t_syncookies(void)
{
	struct result r;

	begin();
	e_sysctl(st.peer, "ipv4/tcp_syncookies", "2");
	one(&r);
	e_sysctl(st.peer, "ipv4/tcp_syncookies", "1");
	EQ(r.carrier, CARRIER_TCP);
	EXPECT(r.v.syn_data > 80);
	EQ(r.v.proposals, 0);
	EXPECT(r.ms < st_ms(800));
	done();
}

static void t_strip_syn(void)
{
	struct result r;

	begin();
	mb_rule(box, true, MB_SYN, MB_STRIP, -1);
	one(&r);
	EQ(r.carrier, CARRIER_TCP);
	EXPECT(!r.v.acked);
	EQ(r.v.syns, 1);
	EQ(r.v.proposals, 0);
	EXPECT(r.ms < st_ms(800));
	done();
}

/* Looks like a plain server that took the data. */
static void t_strip_synack(void)
{
	struct result r;

	begin();
	mb_rule(box, false, MB_SYNACK, MB_STRIP, -1);
	one(&r);
	EQ(r.carrier, CARRIER_TCP);
	EXPECT(r.v.acked);
	EQ(r.v.syns, 2);
	EQ(r.v.more_data, 0);
	EXPECT(r.v.rst_out >= 1);
	EQ(r.v.proposals, 0);
	EXPECT(r.ms < st_ms(1500));
	/* The path is mended, but we do not try again so soon. */
	mb_clear(box);
	one(&r);
	classic_smc(&r);
	done();
}

static void t_strip_both(void)
{
	struct result r;

	begin();
	mb_rule(box, true, MB_SYN, MB_STRIP, -1);
	mb_rule(box, false, MB_SYNACK, MB_STRIP, -1);
	one(&r);
	EQ(r.carrier, CARRIER_TCP);
	EQ(r.v.proposals, 0);
	EQ(r.v.syns, 1);
	done();
}

/* A middle box that lets the SYN pass and throws its data away. */
static void t_cut(void)
{
	struct result r;

	begin();
	mb_rule(box, true, MB_SYN, MB_CUT, 1);
	one(&r);
	refused_smc(&r);
	again_early();
	done();
}

static void t_syn_lost(void)
{
	struct result r;
	long lost;

	begin();
	lost = e_count(e_self, "onertt_lost");
	mb_rule(box, true, MB_SYN, MB_DROP, 1);
	one(&r);
	EQ(r.carrier, CARRIER_SMC);
	EQ(r.v.syns, 2);
	EQ(r.v.more_data, 0);
	EXPECT(r.ms < st_ms(2500));
	EQ(e_count(e_self, "onertt_lost") - lost, 1);
	mb_clear(box);
	one(&r);
	classic_smc(&r);
	done();
}

static void lost(bool out, enum mb_what what, int limit)
{
	struct result r;

	begin();
	mb_rule(box, out, what, MB_DROP, 1);
	one(&r);
	EQ(mb_hits(box), 1);
	EXPECT(r.v.syn_data > 80);
	EXPECT(r.ms < st_ms(limit));
	EQ(r.carrier, CARRIER_SMC);
	mb_clear(box);
	one(&r);
	EQ(r.carrier, CARRIER_SMC);
	done();
}

static void t_synack_lost(void)
{
	lost(false, MB_SYNACK, 4000);
}

static void t_accept_lost(void)
{
	lost(false, MB_ACCEPT, 3000);
}

static void t_confirm_lost(void)
{
	lost(true, MB_CONFIRM, 3000);
}

/* The Accept overtakes the SYN-ACK. */
static void t_reordered(void)
{
	int fd, afd;

	begin();
	mb_rule(box, false, MB_SYNACK, MB_HOLD, 1);
	fd = e_socket(true);
	st_nonblock(fd, true);
	FAILS(st_connect(fd, port), EINPROGRESS);
	st_sleep_ms(100);
	mb_release(box);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_so_error(fd), 0);
	st_nonblock(fd, false);
	afd = e_accept(ls, 5000);
	e_exchange(fd, afd, 30000);
	EQ(e_carrier(fd), CARRIER_SMC);
	EQ(e_agent_carrier(afd), CARRIER_SMC);
	e_finish(fd, afd);
	done();
}

/* One packet lost, all others twice; a new server each time, since a lost SYN is remembered. */
static void t_lossy(void)
{
	static const struct {
		bool out;
		enum mb_what what;
	} lose[] = {
		{ true, MB_SYN }, { false, MB_SYNACK }, { false, MB_DATA }, { true, MB_DATA },
		{ true, MB_CONFIRM }, { true, MB_ALL },
	};
	struct result r;

	for (size_t i = 0; i < ARRAY_SIZE(lose); i++) {
		begin();
		mb_rule(box, lose[i].out, lose[i].what, MB_DROP, 1);
		mb_rule(box, true, MB_ALL, MB_DOUBLE, -1);
		mb_rule(box, false, MB_ALL, MB_DOUBLE, -1);
		one(&r);
		EXPECT(r.v.syn_data > 80);
		EQ(r.carrier, CARRIER_SMC);
		EXPECT(r.ms < st_ms(4000));
		done();
	}
}

static void t_server_again(void)
{
	begin();
	e_agent_close(ls);
	ls = e_listen(port, L_SMC);
	again_early();
	done();
}

/* New secrets; the old token is worth nothing, the connection is SMC nevertheless. */
static void t_module_again(void)
{
	struct result r;
	const char *out;

	begin();
	e_agent_close(ls);
	out = st_shell(st.peer, ". /tests/env; . /tests/lib.sh; mod_unload && mod_load 2>&1; echo rc $?");
	EXPECT(strstr(out, "rc 0"));
	st_note("%s", out);
	e_sysctl(st.peer, "smc/onertt_token_life", "900");
	ls = e_listen(port, L_SMC);
	mb_clear(box);
	one(&r);
	refused_smc(&r);
	again_early();
	done();
}

static void t_rotation(void)
{
	struct result r;
	long bad;

	e_begin();
	e_sysctl(st.peer, "smc/onertt_token_life", "5");
	port = e_port();
	ls = e_learn(port);
	box = mb_open(E_DEV, port);
	/* One secret later it is still good, and the answer brings a new one. */
	st_sleep_ms(5200);
	one(&r);
	early_smc(&r);
	bad = e_count(st.peer, "onertt_bad_token");
	st_sleep_ms(11000);
	mb_clear(box);
	one(&r);
	refused_smc(&r);
	EQ(e_count(st.peer, "onertt_bad_token") - bad, 1);
	again_early();
	e_sysctl(st.peer, "smc/onertt_token_life", "900");
	done();
}

static void t_client_off(void)
{
	struct result r;

	begin();
	e_sysctl(e_self, "smc/onertt", "2");
	one(&r);
	classic_smc(&r);
	e_sysctl(e_self, "smc/onertt", "3");
	again_early();
	done();
}

static void server_off(const char *name, const char *off, const char *on)
{
	struct result r;

	begin();
	e_sysctl(st.peer, name, off);
	one(&r);
	refused_smc(&r);
	/* It did not announce it any more. */
	mb_clear(box);
	one(&r);
	classic_smc(&r);
	e_sysctl(st.peer, name, on);
	mb_clear(box);
	one(&r);
	classic_smc(&r);
	again_early();
	done();
}

static void t_server_off(void)
{
	server_off("smc/onertt", "1", "3");
}

static void t_fastopen_off(void)
{
	server_off("ipv4/tcp_fastopen", "1", "3");
}

/* Data from anybody without a cookie: SMC goes on, nobody is invited. */
static void t_fastopen_open(void)
{
	struct result r;

	e_begin();
	e_sysctl(st.peer, "ipv4/tcp_fastopen", "0x203");
	port = e_port();
	ls = e_learn(port);
	box = mb_open(E_DEV, port);
	one(&r);
	classic_smc(&r);
	e_sysctl(st.peer, "ipv4/tcp_fastopen", "3");
	done();
}

/* TCP exchanges a mapped socket's operations before the SYN. */
static void t_mapped(void)
{
	struct result r;
	const struct st_mode *mode = st.mode;

	begin();
	st.mode = st_mode_find("smcmap");
	for (int i = 0; i < 3; i++) {
		mb_clear(box);
		one(&r);
		EQ(r.carrier, CARRIER_SMC);
		EXPECT(r.ms < st_ms(800));
	}
	st.mode = mode;
	again_early();
	done();
}

static void t_doubled(void)
{
	struct result r;

	begin();
	mb_rule(box, true, MB_SYN, MB_DOUBLE, 1);
	one(&r);
	early_smc(&r);
	again_early();
	done();
}

/* An old duplicate comes while the connection lives, and after it. */
static void t_duplicate(void)
{
	struct wire_pkt syn;
	struct result r;
	int fd, afd;

	begin();
	fd = e_socket(true);
	e_dial(fd, port);
	afd = e_accept(ls, 5000);
	e_exchange(fd, afd, 1000);
	e_syn(box, &syn);
	for (int i = 0; i < 5; i++)
		mb_inject(box, &syn);
	EQ(e_accept(ls, 1000), -1);
	e_exchange(fd, afd, 30000);
	EQ(e_carrier(fd), CARRIER_SMC);
	e_finish(fd, afd);
	st_sleep_ms(st_ms(300));
	for (int i = 0; i < 5; i++) {
		mb_inject(box, &syn);
		st_sleep_ms(50);
	}
	/* Longer than a child without a Confirm may live. */
	EQ(e_accept(ls, 4500), -1);
	mb_clear(box);
	one(&r);
	early_smc(&r);
	done();
}

/* Half-open children of clients that never confirm take the places, and give them back. */
static void t_overflow(void)
{
	struct result r;
	struct wire_pkt syn;
	long timeout;
	int sport;

	begin();
	one(&r);
	early_smc(&r);
	e_syn(box, &syn);
	sport = syn.sport;
	timeout = e_count(st.peer, "onertt_timeout");
	/* The client's kernel would reset what it does not know. */
	mb_rule(box, true, MB_RST, MB_DROP, -1);
	for (int i = 1; i <= 400; i++) {
		e_forge(&syn, 1024 + (sport + i) % 60000, syn.seq + i, NULL, 0);
		mb_inject(box, &syn);
	}
	/* With its queue of SYNs full TCP sends cookies, and there is no room for the option in these. */
	for (int i = 0; i < 3; i++) {
		one(&r);
		EXPECT(r.ms < st_ms(2000));
	}
	st_note("accepted %ld, committed %ld, timed out %ld so far",
		e_count(st.peer, "onertt_accepted"), e_count(st.peer, "onertt_committed"),
		e_count(st.peer, "onertt_timeout") - timeout);
	/*
	 * Nothing of it gets to the application. TCP keeps what it queued of the SYNs for two
	 * SYN-ACKs more, 1 + 2 + 4 s, and sends cookies until then.
	 */
	EQ(e_accept(ls, 8500), -1);
	EXPECT(e_count(st.peer, "onertt_timeout") > timeout);
	/* All places are free again. */
	mb_clear(box);
	one(&r);
	EQ(r.carrier, CARRIER_SMC);
	again_early();
	done();
}

/* Both ends connect to each other at the same time. */
static void t_crossed(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET }, it = { .sin_family = AF_INET };
	socklen_t l = sizeof(own);
	struct peer *other;
	int fd, afd, rc, n = 0, so;
	char buf[3000];

	begin();
	e_agent_close(ls);
	/* The agent connects from the port whose server we know, we to it. */
	fd = e_socket(true);
	EQ(st_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1), 0);
	MUST_EQ(bind(fd, (void *)&own, sizeof(own)), 0);
	MUST_EQ(getsockname(fd, (void *)&own, &l), 0);
	peer_local_addr(st.peer, &it);
	own.sin_addr = it.sin_addr;
	it = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	afd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
	EQ(p_set_int(st.peer, afd, SOL_SOCKET, SO_REUSEADDR, 1), 0);
	MUST_EQ(peer_call(st.peer, P_BIND, afd, (int64_t[4]){}, &it, sizeof(it), NULL, 0), 0);
	mb_clear(box);
	mb_rule(box, true, MB_SYN, MB_HOLD, 1);
	mb_rule(box, false, MB_SYN, MB_HOLD, 1);
	st_nonblock(fd, true);
	FAILS(st_connect(fd, port), EINPROGRESS);
	other = peer_thread(st.peer);
	REQUIRE(other);
	peer_post(other, P_CONNECT, afd, (int64_t[4]){}, &own, sizeof(own));
	st_sleep_ms(st_ms(200));
	EQ(mb_hits(box), 2);
	mb_release(box);
	rc = st_poll(fd, POLLOUT, st_ms(8000));
	so = st_so_error(fd);
	st_note("own end: poll %#x, error %d %s", rc, so, strerror(so));
	EXPECT(rc);
	EXPECT(so == 0 || so == ECONNRESET || so == ECONNREFUSED || so == ETIMEDOUT);
	st_nonblock(fd, false);
	if (!so)
		EQ(send(fd, "hello", 5, MSG_NOSIGNAL), 5);
	rc = p_done(other);
	st_note("other end: %d %s", rc, rc ? strerror(errno) : "");
	/* A byte of a Proposal must not be among what the application gets. */
	if (!rc && !so) {
		n = peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ sizeof(buf) }, NULL, 0,
			      buf, sizeof(buf));
		EQ(n, 5);
		EXPECT(n < 5 || !memcmp(buf, "hello", 5));
		EQ(peer_call(st.peer, P_WRITE_RAW, afd, (int64_t[4]){}, "there", 5, NULL, 0), 5);
		EQ(recv(fd, buf, sizeof(buf), 0), 5);
		EXPECT(!memcmp(buf, "there", 5));
	}
	close(fd);
	e_agent_close(afd);
	peer_free(other);
	ls = e_listen(port, L_SMC);
	done();
}

/* The client vanishes between Accept and Confirm, in each way. */
static void t_client_gone(void)
{
	struct linger lg = { 1, 0 };
	struct result r;

	begin();
	for (int i = 0; i < 6; i++) {
		int fd = e_socket(true);

		mb_clear(box);
		if (i & 1)
			mb_rule(box, true, MB_CONFIRM, MB_DROP, -1);
		if (i & 2)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &lg, sizeof(lg));
		st_nonblock(fd, true);
		st_connect(fd, port);
		usleep(i * 700);
		close(fd);
	}
	mb_clear(box);
	/* Any of them may have been complete in time; none of them has bytes. */
	for (int afd; (afd = e_accept(ls, 4500)) >= 0; e_agent_close(afd)) {
		char c;
		long n = peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ 1 }, NULL, 0, &c, 1);

		EXPECT(n <= 0);
	}
	mb_clear(box);
	one(&r);
	EQ(r.carrier, CARRIER_SMC);
	done();
}

/* The first contact, with packets lost; the group is to be made. */
static void cold(bool out, enum mb_what what)
{
	struct result r;

	begin();
	e_fresh_device();
	mb_rule(box, out, what, MB_DROP, 1);
	one(&r);
	EXPECT(r.v.syn_data > 80);
	EQ(r.carrier, CARRIER_SMC);
	EXPECT(r.ms < st_ms(5000));
	done();
}

static void t_cold_accept(void)
{
	cold(false, MB_ACCEPT);
}

static void t_cold_confirm(void)
{
	cold(true, MB_CONFIRM);
}

static void t_cold_synack(void)
{
	cold(false, MB_SYNACK);
}

static const struct st_case cases[] = {
	{ "state at first", e_state_first },
	{ "nothing in the way", t_plain_path },
	{ "20 at once", t_parallel },
	{ "SYN cookies", t_syncookies },
	{ "option stripped from the SYN", t_strip_syn },
	{ "option stripped from the SYN-ACK", t_strip_synack },
	{ "option stripped from both", t_strip_both },
	{ "data cut off the SYN", t_cut },
	{ "SYN lost", t_syn_lost },
	{ "SYN-ACK lost", t_synack_lost },
	{ "Accept lost", t_accept_lost },
	{ "Confirm lost", t_confirm_lost },
	{ "Accept before the SYN-ACK", t_reordered },
	{ "first contact, Accept lost", t_cold_accept },
	{ "first contact, Confirm lost", t_cold_confirm },
	{ "first contact, SYN-ACK lost", t_cold_synack },
	{ "lost and doubled", t_lossy, .secs = 90 },
	{ "server started again", t_server_again },
	{ "secrets rotate", t_rotation, .secs = 60 },
	{ "client switched off", t_client_off },
	{ "server switched off", t_server_off },
	{ "server without Fast Open", t_fastopen_off },
	{ "server without cookies", t_fastopen_open },
	{ "IPv4-mapped", t_mapped },
	{ "SYN doubled", t_doubled },
	{ "SYN again, during and after", t_duplicate, .secs = 40 },
	{ "too many half-open", t_overflow, .secs = 90 },
	{ "crossed SYNs", t_crossed, .secs = 40 },
	{ "client gone", t_client_gone, .secs = 40 },
	{ "state at last", e_state_last, .secs = 60 },
	{ "module of the server loaded again", t_module_again, .secs = 100 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-smc", cases, ARRAY_SIZE(cases));
}
