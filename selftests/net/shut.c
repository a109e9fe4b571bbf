// SPDX-License-Identifier: GPL-2.0
/*
 * How a connection ends: shutdown, half-close, linger, reset, exit.
 * The full matrix with data in flight is pair/closematrix.c.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=150
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"

#include <netinet/tcp.h>
#include <sys/wait.h>

#define SEED 5

static char buf[1 << 20];

static void set_linger(int fd, int on, int secs)
{
	struct linger l = { on, secs }, g;

	MUST_EQ(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)), 0);
	MUST_EQ(getsockopt(fd, SOL_SOCKET, SO_LINGER, &g,
			   &(socklen_t){ sizeof(g) }), 0);
	EQ(g.l_onoff, on);
	EQ(g.l_linger, secs);
}

static void peer_linger0(int pfd)
{
	struct linger l = { 1, 0 };

	MUST_EQ(peer_call(st.peer, P_SETSOCKOPT, pfd, (int64_t[4]){ SOL_SOCKET,
			  SO_LINGER }, &l, sizeof(l), NULL, 0), 0);
}

static void t_half_close(void)
{
	long n = 500000;
	struct peer *t;
	int fd, pfd;

	st_pair(&fd, &pfd);
	t = peer_thread(st.peer);
	REQUIRE(t);
	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
	/* The other direction goes on as long as it likes. */
	p_post(t, P_SENDALL, pfd, n, 0, 0, SEED);
	for (long off = 0; off < n;) {
		long k = recv(fd, buf, sizeof(buf), 0);

		REQUIRE(k > 0);
		MUST_EQ(pat_check(SEED, off, buf, k), -1);
		off += k;
	}
	EQ(p_done(t), n);
	EQ(p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR), 0);
	EQ(recv(fd, buf, 1, 0), 0);
	EQ(recv(fd, buf, 1, 0), 0);
}

/*
 * The last bytes and the end of the stream travel in one message. A receiver that looks all
 * the time must never see the end alone, whenever they come.
 */
static void t_last_bytes(void)
{
	for (int i = 0; i < 60; i++) {
		int fd, pfd;
		long k;

		st_pair(&fd, &pfd);
		p_set_int(st.peer, pfd, IPPROTO_TCP, TCP_CORK, 1);
		EQ(p_do(st.peer, P_SENDALL, pfd, 100, 0, 0, SEED), 100);
		p_post(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
		do
			k = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		while (k < 0 && errno == EAGAIN);
		p_done(st.peer);
		EQ(k, 100);
		EQ(recv(fd, buf, sizeof(buf), 0), 0);
		close(fd);
		p_do(st.peer, P_CLOSE, pfd);
		if (st_failed())
			return;
	}
}

static void t_errors(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	FAILS(shutdown(fd, 3), EINVAL);
	FAILS(shutdown(fd, -1), EINVAL);
	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(shutdown(fd, SHUT_RD), 0);
	EQ(shutdown(fd, SHUT_RDWR), 0);
	EQ(recv(fd, buf, 1, 0), 0);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	/* The peer ends, too: then there is nothing left to shut. */
	p_do(st.peer, P_CLOSE, pfd);
	st_sleep_ms(100);
	FAILS(shutdown(fd, SHUT_WR), ENOTCONN);
}

/* After SHUT_RD data that is there is still read, and later data, too. */
static void t_shut_rd(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 100, 0, 0, SEED), 100);
	EQ(st_wait_inq(fd, 100), 100);
	EQ(shutdown(fd, SHUT_RD), 0);
	EQ(recv(fd, buf, 50, 0), 50);
	EQ(recv(fd, buf + 50, 500, 0), 50);
	EQ(pat_check(SEED, 0, buf, 100), -1);
	EQ(recv(fd, buf, 10, 0), 0);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 100, 100, 0, SEED), 100);
	st_sleep_ms(100);
	EQ(recv(fd, buf, 100, 0), 100);
	EQ(pat_check(SEED, 100, buf, 100), -1);
	EQ(send(fd, "x", 1, MSG_NOSIGNAL), 1);
}

static void t_both_at_once(void)
{
	for (int i = 0; i < 20; i++) {
		int fd, pfd;

		st_pair(&fd, &pfd);
		p_post(st.peer, P_SHUTDOWN, pfd, i & 1 ? SHUT_RDWR : SHUT_WR);
		EQ(shutdown(fd, i & 2 ? SHUT_RDWR : SHUT_WR), 0);
		p_done(st.peer);
		EQ(recv(fd, buf, 1, 0), 0);
		EQ(p_do(st.peer, P_DRAIN, pfd), 0);
		p_post(st.peer, P_CLOSE, pfd);
		close(fd);
		p_done(st.peer);
	}
}

static void t_close_sends_all(void)
{
	long n = 300000;
	struct peer *t;
	int fd, pfd;

	st_pair(&fd, &pfd);
	t = peer_thread(st.peer);
	REQUIRE(t);
	pat_fill(SEED, 0, buf, n);
	p_post(t, P_SLEEP, 0, 100);
	p_post(t, P_DRAIN, pfd, 0, 0, 0, SEED);
	EQ(send(fd, buf, n, 0), n);
	close(fd);
	EQ(p_done(t), 0);
	EQ(p_done(t), n);
	EQ(peer_out(t, 0), 0);
}

static void t_linger0(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(send(fd, "data", 4, 0), 4);
	EQ(p_do(st.peer, P_POLL, pfd, POLLIN, st_ms(5000)), POLLIN);
	set_linger(fd, 1, 0);
	close(fd);
	EXPECT(p_do(st.peer, P_POLL, pfd, POLLERR, st_ms(5000)) & POLLERR);
	/* What had arrived is still read, then the reset is told, once. */
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 10 }, NULL, 0, buf, 10), 4);
	FAILS(p_do(st.peer, P_RECV, pfd, 10, 0, 0, SEED), ECONNRESET);
	EQ(p_do(st.peer, P_RECV, pfd, 10, 0, 0, SEED), 0);
	FAILS(p_do(st.peer, P_SEND, pfd, 1), EPIPE);
}

static void t_reset_send(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	peer_linger0(pfd);
	p_do(st.peer, P_CLOSE, pfd);
	EXPECT(st_wait(fd, POLLERR) & POLLERR);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), ECONNRESET);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	EQ(recv(fd, buf, 1, 0), 0);
	FAILS(shutdown(fd, SHUT_RDWR), ENOTCONN);
	FAILS(getpeername(fd, (void *)buf, &(socklen_t){ sizeof(buf) }), ENOTCONN);
}

/* Closing with unread bytes is a reset, too. */
static void t_unread(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 100), 100);
	EQ(st_wait_inq(fd, 100), 100);
	close(fd);
	EXPECT(p_do(st.peer, P_POLL, pfd, POLLERR, st_ms(5000)) & POLLERR);
	FAILS(p_do(st.peer, P_RECV, pfd, 1), ECONNRESET);
}

/* close() with a linger time waits for the peer to take the data, no longer. */
static void t_linger_time(void)
{
	long n = 200000, sent = 0, k;
	uint64_t t0;
	int fd, pfd;

	st_pair_opts(&fd, &pfd, 32768, 300000);
	st_nonblock(fd, true);
	pat_fill(SEED, 0, buf, n);
	while (sent < n && (k = send(fd, buf + sent, n - sent, 0)) > 0)
		sent += k;
	st_nonblock(fd, false);
	set_linger(fd, 1, 10);
	p_post(st.peer, P_SLEEP, 0, 200);
	p_post(st.peer, P_DRAIN, pfd, 0, 0, 0, SEED);
	t0 = st_now_ms();
	close(fd);
	EXPECT(st_now_ms() - t0 < st_ms(9000));
	EQ(p_done(st.peer), 0);
	EQ(p_done(st.peer), sent);
	EQ(peer_out(st.peer, 0), 0);
}

static void t_linger_expires(void)
{
	long k, sent = 0;
	uint64_t t0;
	int fd, pfd;

	st_pair_opts(&fd, &pfd, 32768, 65536);
	st_nonblock(fd, true);
	/* until the peer's buffer is full, too */
	do {
		while ((k = send(fd, buf, 10000, 0)) > 0)
			sent += k;
	} while (st_poll(fd, POLLOUT, 200) & POLLOUT);
	st_nonblock(fd, false);
	set_linger(fd, 1, 1);
	t0 = st_now_ms();
	close(fd);		/* the peer reads nothing */
	EXPECT(st_now_ms() - t0 < st_ms(3000));
	EXPECT(st_now_ms() - t0 >= 900);
	EXPECT(sent > 0);
}

static void t_peer_exits(void)
{
	struct peer *p2 = peer_open(st.host, st.port), *keep = st.peer;
	int fd, pfd;

	REQUIRE(p2);
	st.peer = p2;
	st_pair(&fd, &pfd);
	MUST_EQ(p_do(p2, P_SENDALL, pfd, 1000, 0, 0, SEED), 1000);
	p_post(p2, P_EXIT, 0, 0);
	st.peer = keep;
	EQ(recv(fd, buf, 2000, MSG_WAITALL), 1000);
	EQ(pat_check(SEED, 0, buf, 1000), -1);
	EQ(recv(fd, buf, 1, 0), 0);
	close(fd);
}

/* The last reference counts: a killed child with a copy changes nothing. */
static void t_child_exits(void)
{
	int fd, pfd;
	pid_t pid;

	st_pair(&fd, &pfd);
	pid = fork();
	if (!pid) {
		send(fd, "child", 5, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	EQ(send(fd, "parent", 6, 0), 6);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 11, MSG_WAITALL }, NULL,
		     0, buf, 11), 11);
	EXPECT(!memcmp(buf, "childparent", 11));
	pid = fork();
	if (!pid) {
		st_sleep_ms(200);
		_exit(0);
	}
	close(fd);
	EQ(p_do(st.peer, P_POLL, pfd, POLLIN, 50), 0);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
	waitpid(pid, NULL, 0);
}

static const struct st_case cases[] = {
	{ "half-close", t_half_close, true },
	{ "last bytes with the end", t_last_bytes, true, .secs = 60 },
	{ "shutdown errors and repeats", t_errors, true },
	{ "SHUT_RD", t_shut_rd, true },
	{ "both ends at once", t_both_at_once, true },
	{ "close delivers what was sent", t_close_sends_all, true },
	{ "SO_LINGER 0 resets", t_linger0, true },
	{ "reset seen by send", t_reset_send, true },
	{ "close with unread bytes", t_unread, true },
	{ "SO_LINGER waits", t_linger_time, true },
	{ "SO_LINGER expires", t_linger_expires, true },
	{ "peer exits", t_peer_exits, true },
	{ "child exits", t_child_exits, true },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "shut", cases, ARRAY_SIZE(cases));
}
