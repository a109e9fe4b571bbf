// SPDX-License-Identifier: GPL-2.0
/*
 * TCP's own Fast Open beside the Proposal in the SYN: its cookies, which a trusted prefix may ask for, its
 * switch for clients, its detection of black holes, and ordinary clients of it at an SMC listener.
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "path.h"

#include <netinet/tcp.h>

static void begin(void)
{
	e_begin();
	st_shell(e_self, "ip tcp_metrics flush; smcx trust flush; smcx peers flush");
}

/* Nothing was learnt from an SMC server on that port. */
static void serve(int kind)
{
	ep.port = e_port();
	ep.ls = e_listen(ep.port, kind);
	ep.box = mb_open(E_DEV, ep.port);
}

static void replace(int kind)
{
	e_agent_close(ep.ls);
	ep.ls = e_listen(ep.port, kind);
	mb_clear(ep.box);
}

static int ordinary(int port, bool no_cookie)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr(&ss, true, port);
	int fd = e_socket(false);

	EQ(st_set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, no_cookie), 0);
	EQ(sendto(fd, "hello", 5, MSG_FASTOPEN, (void *)&ss, l), 5);
	return fd;
}

static bool cookie_is(int digits)
{
	const char *out = st_shell(e_self, "ip tcp_metrics"), *p = strstr(out, "fo_cookie ");

	if (!p) {
		st_note("tcp_metrics: %s", out);
		return false;
	}
	return (int)strspn(p + 10, "0123456789abcdef") == digits;
}

/* From a listener on another port: cookies are per host. Linux gives 8 bytes, others may give 16 (@grow). */
static void learn_cookie(bool grow)
{
	int port = e_port(), ls = e_listen(port, L_TFO);
	struct midbox *m = NULL;

	if (grow) {
		m = mb_open(E_DEV, port);
		mb_rule(m, false, MB_SYNACK, MB_COOKIE16, -1);
	}
	for (int i = 0; i < 2; i++) {
		int fd = ordinary(port, false), afd = e_accept(ls, 5000);

		EXPECT(afd >= 0);
		close(fd);
		e_agent_close(afd);
	}
	if (m)
		mb_close(m);
	e_agent_close(ls);
	EXPECT(cookie_is(grow ? 32 : 16));
}

/* With a token the cache is neither read nor written, whatever is in it. */
static void t_cookie(void)
{
	long purged;
	struct ep_result r;

	begin();
	learn_cookie(false);
	ep_learn();
	EXPECT(cookie_is(16));
	purged = e_count(e_self, "onertt_purged");
	replace(L_TFO);
	ep_one(&r);
	ep_is_tcp(&r);
	EXPECT(r.v.syn_data > 80);
	EQ(e_count(e_self, "onertt_purged") - purged, 1);
	EXPECT(cookie_is(16));
	ep_done();
}

/* Told to use the cookie of the host: with the SMC option 16 bytes are too long, and the Proposal stays here. */
static void vetoed(int kind)
{
	const char *after = kind == L_SMC ? "onertt_unacked" : "onertt_purged";
	long vetoed, sent, taken_back;
	struct ep_result r;

	begin();
	learn_cookie(true);
	st_shell(e_self, "smcx trust add $PEER cookie");
	serve(kind);
	vetoed = e_count(e_self, "onertt_vetoed");
	sent = e_count(e_self, "onertt_sent");
	taken_back = e_count(e_self, after);
	ep_one(&r);
	if (kind == L_SMC)
		ep_is_classic(&r);
	else
		ep_is_tcp(&r);
	EQ(r.v.syn_data, 0);
	EQ(e_count(e_self, "onertt_vetoed") - vetoed, 1);
	EQ(e_count(e_self, "onertt_sent") - sent, 0);
	EQ(e_count(e_self, after) - taken_back, 1);
	st_shell(e_self, "smcx trust flush; ip tcp_metrics flush");
	ep_done();
}

static void t_veto_smc(void)
{
	vetoed(L_SMC);
}

static void t_veto_plain(void)
{
	vetoed(L_TFO);
}

/* Segments are so small that TCP takes only the beginning of the Proposal: it stays here, all of it. */
static void small(int kind)
{
	const char *after = kind == L_SMC ? "onertt_unacked" : "onertt_purged";
	long vetoed, taken_back;
	struct ep_result r;
	int fd;

	begin();
	ep_learn();
	if (kind != L_SMC)
		replace(kind);
	vetoed = e_count(e_self, "onertt_vetoed");
	taken_back = e_count(e_self, after);
	fd = e_socket(true);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_MAXSEG, 120), 0);
	ep_one_on(fd, &r);
	if (kind == L_SMC)
		EQ(r.carrier, CARRIER_SMC);
	else
		ep_is_tcp(&r);
	EQ(r.v.syn_data, 0);
	EQ(r.v.rst_out, 0);
	EXPECT(r.ms < st_ms(800));
	EQ(e_count(e_self, "onertt_vetoed") - vetoed, 1);
	EQ(e_count(e_self, after) - taken_back, 1);
	ep_done();
}

static void t_small_smc(void)
{
	small(L_SMC);
}

static void t_small_plain(void)
{
	small(L_PLAIN);
}

static void t_small_tfo(void)
{
	small(L_TFO);
}

/*
 * A plain listener of that host that asked for Fast Open honours the cookie: with a token it would take nothing, but where
 * a prefix is trusted "with cookie" it takes the Proposal.
 */
static void t_cookie_trusted(void)
{
	struct ep_result r;

	begin();
	learn_cookie(false);
	st_shell(e_self, "smcx trust add $PEER cookie");
	st_shell(st.peer, "smcx trust add $PEER");
	serve(L_SMC);
	ep_one(&r);
	ep_is_early(&r);
	/* by what that connection brought */
	replace(L_TFO);
	ep_one(&r);
	ep_is_tcp(&r);
	EXPECT(r.v.syn_data > 80);
	/* by trust alone */
	mb_clear(ep.box);
	st_shell(e_self, "smcx peers flush");
	e_taken(ep.box, ep.port, ep.ls);
	EXPECT(e_known(ep.port, "seconds") > 500);
	/* the ban outweighs the trust */
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_tcp(&r);
	EQ(r.v.syn_data, 0);
	st_shell(e_self, "smcx trust flush; ip tcp_metrics flush");
	st_shell(st.peer, "smcx trust flush");
	ep_done();
}

/* The administrator's switch for clients is ours, too. */
static void t_client_bit(void)
{
	struct ep_result r;
	long sent;

	begin();
	ep_learn();
	sent = e_count(e_self, "onertt_sent");
	e_sysctl(e_self, "ipv4/tcp_fastopen", "2");
	ep_one(&r);
	ep_is_classic(&r);
	EQ(e_count(e_self, "onertt_sent") - sent, 0);
	e_sysctl(e_self, "ipv4/tcp_fastopen", "3");
	ep_again();
	ep_done();
}

/* Two SYNs with data into the void, and TCP sends no data in SYNs to anybody for a while. */
static void t_black_hole(void)
{
	struct ep_result r;
	long sent, holes;
	int fd;

	begin();
	e_sysctl(e_self, "ipv4/tcp_fastopen_blackhole_timeout_sec", "300");
	ep_learn();
	holes = e_netstat(e_self, "TCPFastOpenBlackhole");
	mb_rule(ep.box, true, MB_SYN, MB_DROP, -1);
	fd = e_socket(true);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_SYNCNT, 1), 0);
	FAILS(st_connect(fd, ep.port), ETIMEDOUT);
	close(fd);
	EQ(e_netstat(e_self, "TCPFastOpenBlackhole") - holes, 1);
	sent = e_count(e_self, "onertt_sent");
	mb_clear(ep.box);
	ep_one(&r);
	ep_is_classic(&r);
	replace(L_PLAIN);
	ep_one(&r);
	ep_is_tcp(&r);
	EQ(r.v.syn_data, 0);
	EQ(e_count(e_self, "onertt_sent") - sent, 0);
	/* ends it, too */
	e_sysctl(e_self, "ipv4/tcp_fastopen_blackhole_timeout_sec", "0");
	replace(L_SMC);
	ep_again();
	ep_done();
}

/* What it sends in the SYN comes once, by TCP, behind the handshake. */
static void ordinary_once(bool no_cookie)
{
	int fd = ordinary(ep.port, no_cookie), afd = e_accept(ep.ls, 5000);
	struct e_view v;
	char buf[8];

	REQUIRE(afd >= 0);
	EQ(e_agent_carrier(afd), CARRIER_TCP);
	EQ(peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ 5, MSG_WAITALL }, NULL, 0, buf, 5), 5);
	EXPECT(!memcmp(buf, "hello", 5));
	e_exchange(fd, afd, 20000);
	e_finish(fd, afd);
	e_view(ep.box, &v);
	EQ(v.syns, 1);
	EQ(v.syn_data, 5);
	EXPECT(!v.acked);
	EXPECT(!v.synack_smc);
}

/* A client of Fast Open that knows nothing of SMC, at a listener whose program did not ask for its data. */
static void ordinary_at(int kind)
{
	struct wire_pkt syn;

	begin();
	serve(kind);
	ordinary_once(true);
	/* replays: what TCP does not call established, the program does not see */
	e_syn(ep.box, &syn);
	for (int i = 1; i <= 5; i++) {
		e_forge(&syn, syn.sport + i, syn.seq + i, NULL, 0);
		mb_inject(ep.box, &syn);
	}
	EQ(e_accept(ep.ls, 500), -1);
	/* with a cookie that TCP of that host gave out, and takes */
	learn_cookie(false);
	mb_clear(ep.box);
	ordinary_once(false);
	ep_done();
}

static void t_ordinary(void)
{
	ordinary_at(L_SMC);
}

/* What it is measured by. */
static void t_ordinary_plain(void)
{
	ordinary_at(L_PLAIN);
}

/* Ours is not shown, and the program's comes too late. */
static void t_option(void)
{
	begin();
	ep_learn();
	EQ(p_get_int(st.peer, ep.ls, IPPROTO_TCP, TCP_FASTOPEN), 0);
	FAILS(p_set_int(st.peer, ep.ls, IPPROTO_TCP, TCP_FASTOPEN, 16), EINVAL);
	EQ(p_get_int(st.peer, ep.ls, IPPROTO_TCP, TCP_FASTOPEN), 0);
	ep_again();
	ep_done();
}

static const struct st_case cases[] = {
	{ "state at first", e_state_first },
	{ "cookie known from another port", t_cookie },
	{ "cookie of 16 bytes, SMC server", t_veto_smc },
	{ "cookie of 16 bytes, plain server", t_veto_plain },
	{ "small segments, SMC server", t_small_smc },
	{ "small segments, plain server", t_small_plain },
	{ "small segments, Fast Open server", t_small_tfo },
	{ "trusted with cookie, plain server", t_cookie_trusted },
	{ "client without Fast Open", t_client_bit },
	{ "black hole", t_black_hole },
	{ "ordinary client", t_ordinary },
	{ "ordinary client, plain server", t_ordinary_plain },
	{ "TCP_FASTOPEN after listen()", t_option },
	{ "state at last", e_state_last, .secs = 60 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-fastopen", cases, ARRAY_SIZE(cases));
}
