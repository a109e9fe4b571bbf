// SPDX-License-Identifier: GPL-2.0
/*
 * The Proposal in the SYN between two SMC machines, over a path that is against it. Whatever happens: SMC or TCP, both ends
 * agree which, every byte arrives once, nothing but the client's bytes reaches the
 * application, and the next connection works.
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "path.h"

static void t_plain_path(void)
{
	struct ep_result r;
	long acked, learnt;

	ep_begin();
	EQ(e_known(ep.port, "invitations"), 1);
	EQ(e_known(ep.port, "tried"), 0);
	acked = e_count(e_self, "onertt_acked");
	learnt = e_count(e_self, "onertt_learnt");
	for (int i = 0; i < 3; i++) {
		mb_clear(ep.box);
		ep_one(&r);
		ep_is_early(&r);
	}
	EQ(e_count(e_self, "onertt_acked") - acked, 3);
	EQ(e_count(e_self, "onertt_learnt") - learnt, 3);
	EQ(e_known(ep.port, "invitations"), 4);
	EQ(e_known(ep.port, "tried"), 3);
	ep_done();
}

static void t_syncookies(void)
{
	struct ep_result r;

	ep_begin();
	e_sysctl(st.peer, "ipv4/tcp_syncookies", "2");
	ep_one(&r);
	e_sysctl(st.peer, "ipv4/tcp_syncookies", "1");
	EQ(r.carrier, CARRIER_TCP);
	EXPECT(r.v.syn_data > 80);
	EQ(r.v.proposals, 0);
	EXPECT(r.ms < st_ms(800));
	ep_done();
}

static void t_strip_syn(void)
{
	struct ep_result r;

	ep_begin();
	mb_rule(ep.box, true, MB_SYN, MB_STRIP, -1);
	ep_one(&r);
	EQ(r.carrier, CARRIER_TCP);
	EXPECT(!r.v.acked);
	EQ(r.v.syns, 1);
	EQ(r.v.proposals, 0);
	EXPECT(r.ms < st_ms(800));
	ep_done();
}

/* Looks like a plain server that took the data. */
static void t_strip_synack(void)
{
	struct ep_result r;

	ep_begin();
	mb_rule(ep.box, false, MB_SYNACK, MB_STRIP, -1);
	ep_one(&r);
	EQ(r.carrier, CARRIER_TCP);
	EXPECT(r.v.acked);
	EQ(r.v.syns, 2);
	EQ(r.v.more_data, 0);
	EXPECT(r.v.rst_out >= 1);
	EQ(r.v.proposals, 0);
	EXPECT(r.ms < st_ms(1500));
	/* The path is mended, but we do not try again so soon. */
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_classic(&r);
	ep_done();
}

static void t_strip_both(void)
{
	struct ep_result r;

	ep_begin();
	mb_rule(ep.box, true, MB_SYN, MB_STRIP, -1);
	mb_rule(ep.box, false, MB_SYNACK, MB_STRIP, -1);
	ep_one(&r);
	EQ(r.carrier, CARRIER_TCP);
	EQ(r.v.proposals, 0);
	EQ(r.v.syns, 1);
	EXPECT(strstr(st_shell(e_self, "smcx -j why %s %d", st.host, ep.port), "\"failed\", \"check\": \"option\""));
	ep_done();
}

/* A middle box that lets the SYN pass and throws its data away. */
static void t_cut(void)
{
	struct ep_result r;
	long unacked;

	ep_begin();
	unacked = e_count(e_self, "onertt_unacked");
	mb_rule(ep.box, true, MB_SYN, MB_CUT, 1);
	ep_one(&r);
	ep_is_refused(&r);
	EQ(e_count(e_self, "onertt_unacked") - unacked, 1);
	ep_again();
	ep_done();
}

static void t_syn_lost(void)
{
	struct ep_result r;
	long lost;

	ep_begin();
	lost = e_count(e_self, "onertt_lost");
	mb_rule(ep.box, true, MB_SYN, MB_DROP, 1);
	ep_one(&r);
	EQ(r.carrier, CARRIER_SMC);
	EQ(r.v.syns, 2);
	EQ(r.v.more_data, 0);
	EXPECT(r.ms < st_ms(2500));
	EQ(e_count(e_self, "onertt_lost") - lost, 1);
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_classic(&r);
	ep_done();
}

static void lost(bool out, enum mb_what what, int limit)
{
	struct ep_result r;

	ep_begin();
	mb_rule(ep.box, out, what, MB_DROP, 1);
	ep_one(&r);
	EQ(mb_hits(ep.box), 1);
	EXPECT(r.v.syn_data > 80);
	EXPECT(r.ms < st_ms(limit));
	EQ(r.carrier, CARRIER_SMC);
	mb_clear(ep.box);
	ep_one(&r);
	EQ(r.carrier, CARRIER_SMC);
	ep_done();
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

	ep_begin();
	mb_rule(ep.box, false, MB_SYNACK, MB_HOLD, 1);
	fd = e_socket(true);
	st_nonblock(fd, true);
	FAILS(st_connect(fd, ep.port), EINPROGRESS);
	st_sleep_ms(100);
	mb_release(ep.box);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_so_error(fd), 0);
	st_nonblock(fd, false);
	afd = e_accept(ep.ls, 5000);
	e_exchange(fd, afd, 30000);
	EQ(e_carrier(fd), CARRIER_SMC);
	EQ(e_agent_carrier(afd), CARRIER_SMC);
	e_finish(fd, afd);
	ep_done();
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
	struct ep_result r;

	for (size_t i = 0; i < ARRAY_SIZE(lose); i++) {
		ep_begin();
		mb_rule(ep.box, lose[i].out, lose[i].what, MB_DROP, 1);
		mb_rule(ep.box, true, MB_ALL, MB_DOUBLE, -1);
		mb_rule(ep.box, false, MB_ALL, MB_DOUBLE, -1);
		ep_one(&r);
		EXPECT(r.v.syn_data > 80);
		EQ(r.carrier, CARRIER_SMC);
		EXPECT(r.ms < st_ms(4000));
		ep_done();
	}
}

/* TCP exchanges a mapped socket's operations before the SYN. */
static void t_mapped(void)
{
	struct ep_result r;
	const struct st_mode *mode = st.mode;

	ep_begin();
	st.mode = st_mode_find("smcmap");
	for (int i = 0; i < 3; i++) {
		mb_clear(ep.box);
		ep_one(&r);
		EQ(r.carrier, CARRIER_SMC);
		EXPECT(r.ms < st_ms(800));
	}
	st.mode = mode;
	ep_again();
	ep_done();
}

static void t_doubled(void)
{
	struct ep_result r;

	ep_begin();
	mb_rule(ep.box, true, MB_SYN, MB_DOUBLE, 1);
	ep_one(&r);
	ep_is_early(&r);
	ep_again();
	ep_done();
}

/* A simultaneous open has no server: TCP on both ends, which say so. */
static void crossed_is_tcp(int fd, int afd)
{
	struct proof p[2];

	REQUIRE(!proof_of(fd, &p[0]));
	MUST_EQ(peer_call(st.peer, P_PROOF, afd, (int64_t[4]){}, NULL, 0, &p[1], sizeof(p[1])), 0);
	for (int i = 0; i < 2; i++) {
		EQ(p[i].carrier, CARRIER_FALLBACK);
		EQ(p[i].reason, 0x0f000008);
	}
}

/* Both ends connect to each other at the same time; the one here knows the other's port and sends a Proposal. */
static void crossed_once(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET }, it = { .sin_family = AF_INET };
	long sent = e_count(e_self, "onertt_sent");
	socklen_t l = sizeof(own);
	struct peer *other;
	char buf[3000];
	int fd, afd;

	/* The agent connects from the port whose server we know, we to it. */
	fd = e_socket(true);
	EQ(st_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1), 0);
	MUST_EQ(bind(fd, (void *)&own, sizeof(own)), 0);
	MUST_EQ(getsockname(fd, (void *)&own, &l), 0);
	peer_local_addr(st.peer, &it);
	own.sin_addr = it.sin_addr;
	it = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(ep.port) };
	afd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
	EQ(p_set_int(st.peer, afd, SOL_SOCKET, SO_REUSEADDR, 1), 0);
	MUST_EQ(peer_call(st.peer, P_BIND, afd, (int64_t[4]){}, &it, sizeof(it), NULL, 0), 0);
	mb_clear(ep.box);
	mb_rule(ep.box, true, MB_SYN, MB_HOLD, 1);
	mb_rule(ep.box, false, MB_SYN, MB_HOLD, 1);
	st_nonblock(fd, true);
	FAILS(st_connect(fd, ep.port), EINPROGRESS);
	other = peer_thread(st.peer);
	REQUIRE(other);
	peer_post(other, P_CONNECT, afd, (int64_t[4]){}, &own, sizeof(own));
	st_sleep_ms(st_ms(200));
	MUST_EQ(mb_hits(ep.box), 2);
	EQ(e_count(e_self, "onertt_sent") - sent, 1);
	mb_release(ep.box);
	MUST_EQ(st_poll(fd, POLLOUT, st_ms(8000)), POLLOUT);
	MUST_EQ(st_so_error(fd), 0);
	MUST_EQ(p_done(other), 0);
	st_nonblock(fd, false);
	crossed_is_tcp(fd, afd);
	/* A byte of a Proposal must not be among what the application gets. */
	MUST_EQ(send(fd, "hello", 5, MSG_NOSIGNAL), 5);
	EQ(peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ sizeof(buf) }, NULL, 0, buf, sizeof(buf)), 5);
	EXPECT(!memcmp(buf, "hello", 5));
	EQ(peer_call(st.peer, P_WRITE_RAW, afd, (int64_t[4]){}, "there", 5, NULL, 0), 5);
	EQ(recv(fd, buf, sizeof(buf), 0), 5);
	EXPECT(!memcmp(buf, "there", 5));
	close(fd);
	e_agent_close(afd);
	peer_free(other);
}

static void t_crossed(void)
{
	ep_begin();
	for (int i = 0; i < 5; i++) {
		e_agent_close(ep.ls);
		crossed_once();
		/* nobody answered the token, so it is forgotten */
		ep.ls = e_learn(ep.port);
	}
	ep_done();
}

/* The client vanishes between Accept and Confirm, in each way. */
static void t_client_gone(void)
{
	struct linger lg = { 1, 0 };
	struct ep_result r;

	ep_begin();
	for (int i = 0; i < 6; i++) {
		int fd = e_socket(true);

		mb_clear(ep.box);
		if (i & 1)
			mb_rule(ep.box, true, MB_CONFIRM, MB_DROP, -1);
		if (i & 2)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &lg, sizeof(lg));
		st_nonblock(fd, true);
		st_connect(fd, ep.port);
		usleep(i * 700);
		close(fd);
	}
	mb_clear(ep.box);
	/* Any of them may have been complete in time; none of them has bytes. */
	for (int afd; (afd = e_accept(ep.ls, 4500)) >= 0; e_agent_close(afd)) {
		char c;
		long n = peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ 1 }, NULL, 0, &c, 1);

		EXPECT(n <= 0);
	}
	mb_clear(ep.box);
	ep_one(&r);
	EQ(r.carrier, CARRIER_SMC);
	ep_done();
}

/* The first contact, with packets lost; the group is to be made. */
static void cold(bool out, enum mb_what what)
{
	struct ep_result r;

	ep_begin();
	e_fresh_device();
	mb_rule(ep.box, out, what, MB_DROP, 1);
	ep_one(&r);
	EXPECT(r.v.syn_data > 80);
	EQ(r.carrier, CARRIER_SMC);
	EXPECT(r.ms < st_ms(5000));
	ep_done();
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
	{ "IPv4-mapped", t_mapped },
	{ "SYN doubled", t_doubled },
	{ "crossed SYNs", t_crossed, .secs = 40 },
	{ "client gone", t_client_gone, .secs = 40 },
	{ "state at last", e_state_last, .secs = 60 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-smc", cases, ARRAY_SIZE(cases));
}
