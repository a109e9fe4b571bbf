// SPDX-License-Identifier: GPL-2.0
/*
 * The Proposal in the SYN meets a plain TCP server where an SMC server had
 * been. Every kind of plain server is there, each records what it got: not one
 * byte of the Proposal, the client's own bytes exactly, no extra round trip.
 * The one exception (a server that takes data in SYNs without a cookie from
 * anybody) is tested for what is documented: seen once, reset, not repeated.
 *
 * vm-cflags: -Iinclude -Ipair/wire include/[a-z]*.c pair/wire/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "early.h"

#include <netinet/tcp.h>

static struct midbox *box;
static int port;

static void begin(void)
{
	e_begin();
	port = e_port();
	box = mb_open(E_DEV, port);
}

/* The SMC server is gone, a plain one took its place. */
static int replaced(int kind)
{
	e_agent_close(e_learn(port));
	mb_clear(box);
	return e_listen(port, kind);
}

/* One connection that must be TCP at once. Return: number of purges it took. */
static long tcp_at_once(int ls, struct e_view *v)
{
	long purged = e_count(e_self, "onertt_purged");
	int fd = e_socket(true), afd, ms = e_dial(fd, port);

	EXPECT(ms < st_ms(800));
	afd = e_accept(ls, 5000);
	REQUIRE(afd >= 0);
	EQ(e_carrier(fd), CARRIER_TCP);
	EQ(e_agent_carrier(afd), CARRIER_TCP);
	e_exchange(fd, afd, 20000);
	e_finish(fd, afd);
	e_view(box, v);
	EQ(v->syns, 1);
	EQ(v->rst_out, 0);
	EQ(v->rst_in, 0);
	EQ(v->proposals, 0);
	return e_count(e_self, "onertt_purged") - purged;
}

static void done(int ls)
{
	EQ(e_accept(ls, 200), -1);
	e_agent_close(ls);
	if (st_failed()) {
		int n;
		const struct wire_pkt *p = mb_log(box, &n);

		wire_show(p, n);
	}
	mb_close(box);
}

/* The Proposal went out, nobody took it, and the next SYN has none. */
static void purged(int kind)
{
	struct e_view v;
	int ls;

	begin();
	ls = replaced(kind);
	EQ(tcp_at_once(ls, &v), 1);
	EXPECT(v.syn_data > 80);
	EXPECT(!v.acked);
	EXPECT(!v.synack_smc);
	mb_clear(box);
	EQ(tcp_at_once(ls, &v), 0);
	EQ(v.syn_data, 0);
	done(ls);
}

static void t_plain(void)
{
	purged(L_PLAIN);
}

static void t_fastopen(void)
{
	purged(L_TFO);
}

/* A real server program, with its own record of what it was asked. */
static void t_nginx(void)
{
	static const char conf[] = "user root; worker_processes 1; pid /tmp/e-ng.pid; error_log /tmp/e-ng.err;"
		"events {} http { log_format e '$status $request'; access_log /tmp/e-ng.log e;"
		"client_body_temp_path /tmp; proxy_temp_path /tmp; fastcgi_temp_path /tmp;"
		"uwsgi_temp_path /tmp; scgi_temp_path /tmp;"
		"server { listen %d; location / { return 200 'it is me'; } } }";
	static const char get[] = "GET /page HTTP/1.0\r\n\r\n";
	char text[1024], buf[2048] = "";
	int fd, n = 0, k;
	struct e_view v;

	begin();
	e_agent_close(e_learn(port));
	mb_clear(box);
	snprintf(text, sizeof(text), conf, port);
	st_shell(st.peer, "rm -f /tmp/e-ng.*; cat > /tmp/e-ng.conf <<'END'\n%s\nEND\nnginx -c /tmp/e-ng.conf", text);
	fd = e_socket(true);
	EXPECT(e_dial(fd, port) < st_ms(800));
	EQ(e_carrier(fd), CARRIER_TCP);
	EQ(send(fd, get, strlen(get), 0), strlen(get));
	while ((k = recv(fd, buf + n, sizeof(buf) - 1 - n, 0)) > 0)
		n += k;
	EQ(k, 0);
	EXPECT(strstr(buf, " 200 OK\r\n"));
	EXPECT(strstr(buf, "it is me"));
	close(fd);
	st_sleep_ms(st_ms(200));
	e_view(box, &v);
	EXPECT(v.syn_data > 80);
	EQ(v.syns, 1);
	EQ(v.proposals, 0);
	strcpy(text, st_shell(st.peer, "cat /tmp/e-ng.log"));
	if (strcmp(text, "200 GET /page HTTP/1.0\n"))
		st_fail(__FILE__, __LINE__, "nginx saw: %s", text);
	st_shell(st.peer, "kill $(cat /tmp/e-ng.pid); sleep 0.3");
	mb_close(box);
}

static void set_md5(int fd, int afd)
{
	struct tcp_md5sig own = { .tcpm_keylen = 4, .tcpm_key = "keys" }, other = own;
	struct sockaddr_in sin;

	peer_remote_addr(st.peer, &sin);
	sin.sin_port = 0;
	memcpy(&own.tcpm_addr, &sin, sizeof(sin));
	if (setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, &own, sizeof(own)))
		st_skip("no TCP_MD5SIG: %s", strerror(errno));
	peer_local_addr(st.peer, &sin);
	sin.sin_port = 0;
	memcpy(&other.tcpm_addr, &sin, sizeof(sin));
	EQ(peer_call(st.peer, P_SETSOCKOPT, afd, (int64_t[4]){ IPPROTO_TCP, TCP_MD5SIG },
		     &other, sizeof(other), NULL, 0), 0);
}

/* Signed segments: with the SMC option their SYN is full, and the token needs no room in it. */
static void t_md5(void)
{
	struct e_view v;
	int ls, fd, afd;
	long purged;

	begin();
	ls = e_learn(port);
	purged = e_count(e_self, "onertt_purged");
	for (int plain = 0; plain < 2; plain++) {
		mb_clear(box);
		fd = e_socket(true);
		set_md5(fd, ls);
		EXPECT(e_dial(fd, port) < st_ms(800));
		afd = e_accept(ls, 5000);
		REQUIRE(afd >= 0);
		EQ(e_carrier(fd), plain ? CARRIER_TCP : CARRIER_SMC);
		EQ(e_carrier(fd), e_agent_carrier(afd));
		e_exchange(fd, afd, 20000);
		e_finish(fd, afd);
		e_view(box, &v);
		EQ(v.syns, 1);
		EXPECT(v.syn_data > 80);
		EQ(v.acked, !plain);
		EQ(v.proposals, 0);
		EQ(e_count(e_self, "onertt_purged") - purged, plain);
		e_agent_close(ls);
		if (!plain)
			ls = e_listen(port, L_PLAIN);
	}
	mb_close(box);
}

/* First SYN with data lost: what TCP sends a second later has none. */
static void t_syn_lost(void)
{
	struct e_view v;
	int ls, fd, afd, ms;

	begin();
	ls = replaced(L_TFO);
	mb_rule(box, true, MB_SYN, MB_DROP, 1);
	fd = e_socket(true);
	ms = e_dial(fd, port);
	EXPECT(ms >= 900 && ms < st_ms(2500));
	afd = e_accept(ls, 5000);
	EQ(e_carrier(fd), CARRIER_TCP);
	e_exchange(fd, afd, 20000);
	e_finish(fd, afd);
	e_view(box, &v);
	EXPECT(v.syn_data > 80);
	EQ(v.syns, 2);
	EQ(v.proposals, 0);
	mb_clear(box);
	tcp_at_once(ls, &v);
	EQ(v.syn_data, 0);
	done(ls);
}

/* The application waits in poll(); what it sends too early is refused as by TCP. */
static void t_nonblock(void)
{
	struct e_view v;
	int ls, fd, afd;

	begin();
	ls = replaced(L_TFO);
	mb_rule(box, false, MB_SYNACK, MB_HOLD, -1);
	fd = e_socket(true);
	st_nonblock(fd, true);
	FAILS(st_connect(fd, port), EINPROGRESS);
	FAILS(send(fd, "early", 5, MSG_NOSIGNAL), EAGAIN);
	mb_release(box);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_so_error(fd), 0);
	st_nonblock(fd, false);
	afd = e_accept(ls, 5000);
	EQ(e_carrier(fd), CARRIER_TCP);
	e_exchange(fd, afd, 300000);
	e_finish(fd, afd);
	e_view(box, &v);
	EXPECT(v.syn_data > 80);
	EQ(v.syns, 1);
	EQ(v.proposals, 0);
	done(ls);
}

/* No server at all: refused, as for TCP. */
static void t_refused(void)
{
	int fd;

	begin();
	e_agent_close(e_learn(port));
	fd = e_socket(true);
	FAILS(st_connect(fd, port), ECONNREFUSED);
	close(fd);
	mb_close(box);
}

/* Closed by the application before the verdict. */
static void t_given_up(void)
{
	struct e_view v;
	int ls, fd;

	begin();
	ls = replaced(L_TFO);
	mb_rule(box, false, MB_SYNACK, MB_HOLD, -1);
	fd = e_socket(true);
	st_nonblock(fd, true);
	FAILS(st_connect(fd, port), EINPROGRESS);
	st_sleep_ms(100);
	close(fd);
	mb_release(box);
	st_sleep_ms(100);
	e_view(box, &v);
	EXPECT(v.syn_data > 80);
	EQ(v.proposals, 0);
	mb_close(box);
	e_agent_close(ls);
}

/* The remaining case of the documentation. */
static void no_cookie(int kind, const char *fastopen)
{
	struct e_view v;
	int ls;

	begin();
	e_agent_close(e_learn(port));
	mb_clear(box);
	e_sysctl(st.peer, "ipv4/tcp_fastopen", fastopen);
	ls = e_listen(port, kind);
	e_taken(box, port, ls);
	/* Not again. */
	mb_clear(box);
	EQ(tcp_at_once(ls, &v), 0);
	EQ(v.syn_data, 0);
	done(ls);
	e_sysctl(st.peer, "ipv4/tcp_fastopen", "3");
}

static void t_no_cookie(void)
{
	no_cookie(L_NO_COOKIE, "3");
}

static void t_no_cookie_host(void)
{
	no_cookie(L_TFO, "0x203");
}

/* The same with the filter on the server's machine: nothing reaches the application. */
static void t_filter(void)
{
	struct e_view v;
	long filtered;
	int ls, fd, afd;

	begin();
	e_agent_close(e_learn(port));
	mb_clear(box);
	e_sysctl(st.peer, "smc/onertt_filter", "1");
	filtered = e_count(st.peer, "onertt_filtered");
	ls = e_listen(port, L_NO_COOKIE);
	EQ(tcp_at_once(ls, &v), 1);
	EXPECT(v.syn_data > 80);
	EXPECT(!v.acked);
	EQ(e_count(st.peer, "onertt_filtered") - filtered, 1);
	/* An ordinary client of Fast Open is left alone. */
	mb_clear(box);
	fd = e_socket(false);
	{
		struct sockaddr_storage ss;
		socklen_t l = st_addr(&ss, true, port);
		char buf[8];

		EQ(st_set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, 1), 0);
		EQ(sendto(fd, "hello", 5, MSG_FASTOPEN, (void *)&ss, l), 5);
		afd = e_accept(ls, 5000);
		EQ(peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ 5, MSG_WAITALL },
			     NULL, 0, buf, 5), 5);
		EXPECT(!memcmp(buf, "hello", 5));
		e_view(box, &v);
		EQ(v.syn_data, 5);
		EXPECT(v.acked);
		close(fd);
		e_agent_close(afd);
	}
	e_sysctl(st.peer, "smc/onertt_filter", "0");
	done(ls);
}

static const struct st_case cases[] = {
	{ "state at first", e_state_first },
	{ "no Fast Open", t_plain },
	{ "Fast Open with cookies", t_fastopen },
	{ "nginx", t_nginx },
	{ "MD5", t_md5 },
	{ "SYN lost", t_syn_lost },
	{ "non-blocking", t_nonblock },
	{ "nobody listens", t_refused },
	{ "given up before the answer", t_given_up },
	{ "takes data without a cookie", t_no_cookie },
	{ "so does the whole machine", t_no_cookie_host },
	{ "the same behind the filter", t_filter },
	{ "state at last", e_state_last, .secs = 60 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "onertt-plain", cases, ARRAY_SIZE(cases));
}
