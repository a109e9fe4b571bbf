// SPDX-License-Identifier: GPL-2.0
/*
 * The Proposal in the SYN and its server: restarts, secrets, settings on either side, too many clients, old SYNs.
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "path.h"

/* Many at once. */
static void t_parallel(void)
{
	enum { N = 20 };
	int fd[N], afd;
	long committed;

	ep_begin();
	committed = e_count(st.peer, "onertt_committed");
	for (int i = 0; i < N; i++) {
		fd[i] = e_socket(true);
		st_nonblock(fd[i], true);
		FAILS(st_connect(fd[i], ep.port), EINPROGRESS);
	}
	for (int i = 0; i < N; i++) {
		EQ(st_wait(fd[i], POLLOUT), POLLOUT);
		EQ(st_so_error(fd[i]), 0);
		EQ(e_carrier(fd[i]), CARRIER_SMC);
		EQ(send(fd[i], "x", 1, MSG_NOSIGNAL), 1);
	}
	for (int i = 0; i < N; i++) {
		char c = 0;

		afd = e_accept(ep.ls, 5000);
		REQUIRE(afd >= 0);
		EQ(peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ 10 }, NULL, 0, &c, 1), 1);
		EQ(c, 'x');
		e_agent_close(afd);
	}
	for (int i = 0; i < N; i++)
		close(fd[i]);
	EQ(e_count(st.peer, "onertt_committed") - committed, N);
	ep_done();
}

static void t_server_again(void)
{
	ep_begin();
	e_agent_close(ep.ls);
	ep.ls = e_listen(ep.port, L_SMC);
	ep_again();
	ep_done();
}

/* A listener for IPv6 and IPv4: the token is that of an IPv4 client. */
static void t_dual(void)
{
	struct ep_result r;
	long committed;

	e_begin();
	ep.port = e_port();
	ep.ls = e_listen(ep.port, L_DUAL);
	e_meet(ep.ls, ep.port);
	ep.box = mb_open(E_DEV, ep.port);
	committed = e_count(st.peer, "onertt_committed");
	for (int i = 0; i < 2; i++) {
		mb_clear(ep.box);
		ep_one(&r);
		ep_is_early(&r);
	}
	EQ(e_count(st.peer, "onertt_committed") - committed, 2);
	ep_done();
}

/* Without its device the server says no to what it took out of the SYN, and the client is TCP after one round trip. */
static void t_declined(void)
{
	struct ep_result r;
	long declined;

	ep_begin();
	declined = e_count(st.peer, "onertt_declined");
	st_shell(st.peer, "rdma link delete $IBDEV");
	ep_one(&r);
	EQ(r.carrier, CARRIER_TCP);
	EXPECT(r.v.syn_data > 80);
	EXPECT(r.v.acked);
	EQ(r.v.syns, 1);
	EQ(r.v.proposals, 0);
	EQ(e_count(st.peer, "onertt_declined") - declined, 1);
	st_shell(st.peer, "rdma link add $IBDEV type rxe netdev $DEV");
	e_fresh_device();
	mb_clear(ep.box);
	ep_one(&r);
	EQ(r.carrier, CARRIER_SMC);
	ep_again();
	ep_done();
}

/* Reset by its client, which has the Accept, before the Confirm. */
static void t_failed(void)
{
	struct linger lg = { 1, 0 };
	long failed;
	int fd;

	ep_begin();
	failed = e_count(st.peer, "onertt_failed");
	mb_rule(ep.box, true, MB_CONFIRM, MB_DROP, -1);
	fd = e_socket(true);
	st_nonblock(fd, true);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &lg, sizeof(lg));
	FAILS(st_connect(fd, ep.port), EINPROGRESS);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	close(fd);
	EQ(e_accept(ep.ls, 1000), -1);
	EQ(e_count(st.peer, "onertt_failed") - failed, 1);
	ep_again();
	ep_done();
}

/* New secrets; the old token is worth nothing, the connection is SMC nevertheless. */
static void t_module_again(void)
{
	struct ep_result r;
	const char *out;

	ep_begin();
	e_agent_close(ep.ls);
	out = st_shell(st.peer, ". /tests/env; . /tests/lib.sh; mod_unload && mod_load 2>&1; echo rc $?");
	EXPECT(strstr(out, "rc 0"));
	st_note("%s", out);
	e_sysctl(st.peer, "smc/onertt_token_life", "900");
	ep.ls = e_listen(ep.port, L_SMC);
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_refused(&r);
	ep_again();
	ep_done();
}

static void t_rotation(void)
{
	struct ep_result r;
	long bad;

	e_begin();
	e_sysctl(st.peer, "smc/onertt_token_life", "5");
	ep_learn();
	/* One secret later it is still good, and the answer brings a new one. */
	st_sleep_ms(5200);
	ep_one(&r);
	ep_is_early(&r);
	bad = e_count(st.peer, "onertt_bad_token");
	st_sleep_ms(11000);
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_refused(&r);
	EQ(e_count(st.peer, "onertt_bad_token") - bad, 1);
	ep_again();
	e_sysctl(st.peer, "smc/onertt_token_life", "900");
	ep_done();
}

static void t_client_off(void)
{
	struct ep_result r;

	ep_begin();
	e_sysctl(e_self, "smc/onertt", "2");
	ep_one(&r);
	ep_is_classic(&r);
	e_sysctl(e_self, "smc/onertt", "3");
	ep_again();
	ep_done();
}

static void server_off(const char *name, const char *off, const char *on)
{
	struct ep_result r;

	ep_begin();
	e_sysctl(st.peer, name, off);
	ep_one(&r);
	ep_is_refused(&r);
	/* It did not announce it any more. */
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_classic(&r);
	e_sysctl(st.peer, name, on);
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_classic(&r);
	ep_again();
	ep_done();
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
	struct ep_result r;

	e_begin();
	e_sysctl(st.peer, "ipv4/tcp_fastopen", "0x203");
	ep_learn();
	ep_one(&r);
	ep_is_classic(&r);
	e_sysctl(st.peer, "ipv4/tcp_fastopen", "3");
	ep_done();
}

/* An old duplicate comes while the connection lives, and after it. */
static void t_duplicate(void)
{
	struct wire_pkt syn;
	struct ep_result r;
	long replayed, accepted;
	int fd, afd;

	ep_begin();
	fd = e_socket(true);
	e_dial(fd, ep.port);
	afd = e_accept(ep.ls, 5000);
	e_exchange(fd, afd, 1000);
	e_syn(ep.box, &syn);
	for (int i = 0; i < 5; i++)
		mb_inject(ep.box, &syn);
	EQ(e_accept(ep.ls, 1000), -1);
	e_exchange(fd, afd, 30000);
	EQ(e_carrier(fd), CARRIER_SMC);
	e_finish(fd, afd);
	st_sleep_ms(st_ms(300));
	replayed = e_count(st.peer, "onertt_replayed");
	accepted = e_count(st.peer, "onertt_accepted");
	for (int i = 0; i < 5; i++) {
		mb_inject(ep.box, &syn);
		st_sleep_ms(50);
	}
	/* one that comes while TCP still answers the one before is TCP's own */
	EXPECT(e_count(st.peer, "onertt_replayed") > replayed);
	EQ(e_count(st.peer, "onertt_accepted") - accepted, 0);
	/* Longer than a child without a Confirm may live. */
	EQ(e_accept(ep.ls, 4500), -1);
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_early(&r);
	ep_done();
}

/* Clients that never confirm have half of the backlog: the SYN of the next is answered as if it had no data. */
static void t_half(void)
{
	enum { BACKLOG = 16, IN = BACKLOG / 2 + 1 };
	long accepted, unacked, timeout;
	struct wire_pkt syn;
	struct ep_result r;

	ep_begin();
	EQ(p_do(st.peer, P_LISTEN, ep.ls, BACKLOG), 0);
	ep_one(&r);
	ep_is_early(&r);
	e_syn(ep.box, &syn);
	accepted = e_count(st.peer, "onertt_accepted");
	timeout = e_count(st.peer, "onertt_timeout");
	unacked = e_count(e_self, "onertt_unacked");
	mb_clear(ep.box);
	/* The client's kernel would reset what it does not know. */
	mb_rule(ep.box, true, MB_RST, MB_DROP, -1);
	for (int i = 1; i <= IN + 2; i++) {
		e_forge(&syn, 1024 + (syn.sport + i) % 60000, syn.seq + i, NULL, 0);
		mb_inject(ep.box, &syn);
	}
	ep_one(&r);
	ep_is_refused(&r);
	EQ(e_count(e_self, "onertt_unacked") - unacked, 1);
	EQ(e_count(st.peer, "onertt_accepted") - accepted, IN);
	EQ(e_accept(ep.ls, 4500), -1);
	EQ(e_count(st.peer, "onertt_timeout") - timeout, IN);
	ep_again();
	ep_done();
}

/* Half-open children of clients that never confirm take the places, and give them back. */
static void t_overflow(void)
{
	struct ep_result r;
	struct wire_pkt syn;
	long timeout, cookies;
	int sport;

	ep_begin();
	ep_one(&r);
	ep_is_early(&r);
	e_syn(ep.box, &syn);
	sport = syn.sport;
	timeout = e_count(st.peer, "onertt_timeout");
	cookies = e_netstat(st.peer, "SyncookiesSent");
	/* The client's kernel would reset what it does not know. */
	mb_rule(ep.box, true, MB_RST, MB_DROP, -1);
	for (int i = 1; i <= 400; i++) {
		e_forge(&syn, 1024 + (sport + i) % 60000, syn.seq + i, NULL, 0);
		mb_inject(ep.box, &syn);
	}
	/* With its queue of SYNs full TCP sends cookies, and there is no room for the option in these. */
	for (int i = 0; i < 3; i++) {
		ep_one(&r);
		EQ(r.carrier, CARRIER_TCP);
		EQ(r.v.proposals, 0);
		EXPECT(r.ms < st_ms(2000));
	}
	EXPECT(e_netstat(st.peer, "SyncookiesSent") > cookies);
	st_note("accepted %ld, committed %ld, timed out %ld so far",
		e_count(st.peer, "onertt_accepted"), e_count(st.peer, "onertt_committed"),
		e_count(st.peer, "onertt_timeout") - timeout);
	/*
	 * Nothing of it gets to the application. TCP keeps what it queued of the SYNs for two
	 * SYN-ACKs more, 1 + 2 + 4 s, and sends cookies until then.
	 */
	EQ(e_accept(ep.ls, 8500), -1);
	EXPECT(e_count(st.peer, "onertt_timeout") > timeout);
	/* All places are free again. */
	mb_clear(ep.box);
	ep_one(&r);
	EQ(r.carrier, CARRIER_SMC);
	ep_again();
	ep_done();
}

static const struct st_case cases[] = {
	{ "state at first", e_state_first },
	{ "20 at once", t_parallel },
	{ "server started again", t_server_again },
	{ "IPv4 and IPv6", t_dual },
	{ "server without a device", t_declined },
	{ "reset before the Confirm", t_failed },
	{ "secrets rotate", t_rotation, .secs = 60 },
	{ "client switched off", t_client_off },
	{ "server switched off", t_server_off },
	{ "server without Fast Open", t_fastopen_off },
	{ "server without cookies", t_fastopen_open },
	{ "SYN again, during and after", t_duplicate, .secs = 40 },
	{ "half of the backlog half-open", t_half, .secs = 40 },
	{ "too many half-open", t_overflow, .secs = 90 },
	{ "state at last", e_state_last, .secs = 60 },
	{ "module of the server loaded again", t_module_again, .secs = 100 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-server", cases, ARRAY_SIZE(cases));
}
