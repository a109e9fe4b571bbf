// SPDX-License-Identifier: GPL-2.0
/*
 * Urgent data: MSG_OOB, SO_OOBINLINE, SIOCATMARK, SIGURG, POLLPRI.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=120
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include <linux/sockios.h>

static char buf[65536];

static void peer_write(int pfd, const char *s, int flags)
{
	MUST_EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){ flags }, s,
			  strlen(s), NULL, 0), strlen(s));
}

static int at_mark(int fd)
{
	int v = -1;

	REQUIRE(!ioctl(fd, SIOCATMARK, &v));
	return v;
}

/* More than what lies before the mark is asked for: as with TCP, what follows the urgent byte is there. */
static void t_lowat(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(st_set_int(fd, SOL_SOCKET, SO_RCVLOWAT, 100), 0);
	peer_write(pfd, "0123456789", 0);
	peer_write(pfd, "X", MSG_OOB);
	p_post(st.peer, P_SENDALL, pfd, 200, 0, 0, 1);
	EXPECT(st_wait(fd, POLLIN) & POLLIN);
	EQ(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), 10);
	EXPECT(st_wait(fd, POLLIN) & POLLIN);
	EQ(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), 200);
	EQ(p_done(st.peer), 200);
}

static void t_peek_wants(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	peer_write(pfd, "0123456789", 0);
	peer_write(pfd, "X", MSG_OOB);
	EXPECT(st_wait(fd, POLLPRI) & POLLPRI);
	EQ(recv(fd, buf, 100, MSG_PEEK | MSG_WAITALL), 10);
	EQ(recv(fd, buf, 4, 0), 4);
	EQ(recv(fd, buf, 100, MSG_PEEK | MSG_WAITALL), 6);
	EQ(recv(fd, buf, 100, 0), 6);
}

static void t_basic(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(at_mark(fd), 0);
	FAILS(recv(fd, buf, 1, MSG_OOB), EINVAL);
	peer_write(pfd, "abc", 0);
	peer_write(pfd, "deX", MSG_OOB);
	peer_write(pfd, "fgh", 0);
	EXPECT(st_wait(fd, POLLPRI) & POLLPRI);
	EQ(at_mark(fd), 0);
	EQ(recv(fd, buf, 10, MSG_OOB), 1);
	EQ(buf[0], 'X');
	/* Taken once only. */
	FAILS(recv(fd, buf, 1, MSG_OOB), EINVAL);
	EQ(st_poll(fd, POLLPRI, 0) & POLLPRI, 0);
	EQ(st_wait_inq(fd, 5), 5);
	/* A normal read stops in front of the mark. */
	EQ(recv(fd, buf, sizeof(buf), 0), 5);
	EXPECT(!memcmp(buf, "abcde", 5));
	EQ(at_mark(fd), 1);
	/* SIOCINQ counts up to the mark only. */
	EQ(st_inq(fd), 0);
	EQ(recv(fd, buf, 3, MSG_WAITALL), 3);
	EXPECT(!memcmp(buf, "fgh", 3));
	EQ(at_mark(fd), 0);
	FAILS(recv(fd, buf, 1, MSG_DONTWAIT), EAGAIN);
}

static void t_peek(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	peer_write(pfd, "X", MSG_OOB);
	EXPECT(st_wait(fd, POLLPRI) & POLLPRI);
	EQ(recv(fd, buf, 1, MSG_OOB | MSG_PEEK), 1);
	EQ(buf[0], 'X');
	EQ(recv(fd, buf, 1, MSG_OOB | MSG_PEEK), 1);
	EQ(recv(fd, buf, 1, MSG_OOB), 1);
	EQ(buf[0], 'X');
	FAILS(recv(fd, buf, 1, MSG_OOB), EINVAL);
}

static void t_flag(void)
{
	struct iovec v = { buf, 4 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	int fd, pfd;

	st_pair(&fd, &pfd);
	peer_write(pfd, "X", MSG_OOB);
	EXPECT(st_wait(fd, POLLPRI) & POLLPRI);
	EQ(recvmsg(fd, &m, MSG_OOB), 1);
	EXPECT(m.msg_flags & MSG_OOB);
	EQ(buf[0], 'X');
}

static void t_inline(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(st_set_int(fd, SOL_SOCKET, SO_OOBINLINE, 1), 0);
	EQ(st_int_opt(fd, SOL_SOCKET, SO_OOBINLINE), 1);
	peer_write(pfd, "ab", 0);
	peer_write(pfd, "X", MSG_OOB);
	peer_write(pfd, "cd", 0);
	EXPECT(st_wait(fd, POLLPRI) & POLLPRI);
	EQ(st_wait_inq(fd, 5) >= 2, 1);
	FAILS(recv(fd, buf, 1, MSG_OOB), EINVAL);
	EQ(recv(fd, buf, sizeof(buf), 0), 2);
	EXPECT(!memcmp(buf, "ab", 2));
	EQ(at_mark(fd), 1);
	EQ(recv(fd, buf, 3, MSG_WAITALL), 3);
	EXPECT(!memcmp(buf, "Xcd", 3));
	EQ(at_mark(fd), 0);
}

/* A second urgent byte replaces the first, which becomes ordinary data. */
static void t_replace(void)
{
	int fd, pfd, n;

	st_pair(&fd, &pfd);
	peer_write(pfd, "aX", MSG_OOB);
	EXPECT(st_wait(fd, POLLPRI) & POLLPRI);
	st_sleep_ms(50);
	peer_write(pfd, "bY", MSG_OOB);
	st_sleep_ms(100);
	EQ(recv(fd, buf, 1, MSG_OOB), 1);
	EQ(buf[0], 'Y');
	peer_write(pfd, "c", 0);
	n = recv(fd, buf, sizeof(buf), 0);
	EQ(n, 3);
	EXPECT(!memcmp(buf, "aXb", 3));
	EQ(recv(fd, buf, sizeof(buf), 0), 1);
	EQ(buf[0], 'c');
}

/* The mark can be read over when the urgent byte is left where it is. */
static void t_skip(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	peer_write(pfd, "abX", MSG_OOB);
	peer_write(pfd, "cd", 0);
	EQ(st_wait(fd, POLLPRI) & POLLPRI, POLLPRI);
	EQ(recv(fd, buf, 10, 0), 2);
	EXPECT(!memcmp(buf, "ab", 2));
	EQ(at_mark(fd), 1);
	EQ(recv(fd, buf, 2, MSG_WAITALL), 2);
	EXPECT(!memcmp(buf, "cd", 2));
}

static void t_epoll(void)
{
	struct epoll_event ev = { .events = EPOLLPRI | EPOLLET };
	int fd, pfd, ep = epoll_create1(0);

	st_pair(&fd, &pfd);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	EQ(epoll_wait(ep, &ev, 1, 20), 0);
	peer_write(pfd, "X", MSG_OOB);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EXPECT(ev.events & EPOLLPRI);
	EQ(recv(fd, buf, 1, MSG_OOB), 1);
	peer_write(pfd, "Y", MSG_OOB);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EQ(recv(fd, buf, 1, MSG_OOB), 1);
	EQ(buf[0], 'Y');
}

static volatile int urgs;

static void on_urg(int sig)
{
	urgs++;
}

static void t_sigurg(void)
{
	uint64_t end = st_now_ms() + st_ms(5000);
	int fd, pfd;

	st_pair(&fd, &pfd);
	signal(SIGURG, on_urg);
	MUST_EQ(fcntl(fd, F_SETOWN, getpid()), 0);
	peer_write(pfd, "data", 0);
	EQ(st_wait_inq(fd, 4), 4);
	EQ(urgs, 0);
	peer_write(pfd, "X", MSG_OOB);
	while (!urgs && st_now_ms() < end)
		st_sleep_ms(5);
	EQ(urgs, 1);
}

static void t_send(void)
{
	int fd, pfd, v;

	st_pair(&fd, &pfd);
	EQ(send(fd, "ab", 2, 0), 2);
	EQ(send(fd, "cX", 2, MSG_OOB), 2);
	EQ(send(fd, "de", 2, 0), 2);
	EXPECT(p_do(st.peer, P_POLL, pfd, POLLPRI, st_ms(5000)) & POLLPRI);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 1, MSG_OOB }, NULL, 0,
		     buf, 1), 1);
	EQ(buf[0], 'X');
	v = peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 3, MSG_WAITALL }, NULL,
		      0, buf, 10);
	EQ(v, 3);
	EXPECT(!memcmp(buf, "abc", 3));
	EQ(p_do(st.peer, P_IOCTL, pfd, SIOCATMARK), 0);
	EQ(peer_out(st.peer, 0), 1);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 2, MSG_WAITALL }, NULL,
		     0, buf, 10), 2);
	EXPECT(!memcmp(buf, "de", 2));
}

/*
 * A second urgent byte while nobody has read the first. Whether that becomes a byte of the stream (TCP), or the second one
 * waits for it (a peer that could not cope), nothing else is lost or stuck.
 */
static void t_second(void)
{
	char got[16] = "", c;
	int fd, pfd, n = 0;

	st_pair(&fd, &pfd);
	EQ(send(fd, "aX", 2, MSG_OOB), 2);
	st_sleep_ms(100);
	EQ(send(fd, "bY", 2, MSG_OOB), 2);
	st_sleep_ms(100);
	EQ(send(fd, "c", 1, 0), 1);
	while (n < 4 && p_do(st.peer, P_POLL, pfd, POLLIN, st_ms(5000)) & POLLIN &&
	       peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 1 }, NULL, 0, &c, 1) == 1) {
		if (c != 'X')
			got[n++] = c;
		if (c == 'c')
			break;
	}
	st_note("got %s", got);
	EXPECT(!strcmp(got, "abc"));
}

/* Many rounds, mixed with bulk, so that the mark meets the wrap of a ring. */
static void t_many(void)
{
	static char bulk[4000], got[4000];
	int fd, pfd;

	st_pair_opts(&fd, &pfd, 32768, 32768);
	for (int i = 0; i < 60; i++) {
		int n = 500 + i * 53;

		memset(bulk, 'a' + i % 26, n);
		MUST_EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, bulk, n,
				  NULL, 0), n);
		peer_write(pfd, "!", MSG_OOB);
		REQUIRE(st_wait(fd, POLLPRI) & POLLPRI);
		MUST_EQ(recv(fd, buf, 1, MSG_OOB), 1);
		MUST_EQ(buf[0], '!');
		MUST_EQ(recv(fd, got, n, MSG_WAITALL), n);
		REQUIRE(!memcmp(got, bulk, n));
		MUST_EQ(at_mark(fd), 1);
	}
}

static const struct st_case cases[] = {
	{ "basic", t_basic, true },
	{ "peek", t_peek, true },
	{ "recvmsg flag", t_flag, true },
	{ "beside SO_RCVLOWAT", t_lowat, true },
	{ "beside MSG_PEEK and MSG_WAITALL", t_peek_wants, true },
	{ "inline", t_inline, true },
	{ "replaced", t_replace, true },
	{ "left and read over", t_skip, true },
	{ "epoll edge", t_epoll, true },
	{ "SIGURG", t_sigurg, true },
	{ "send", t_send, true },
	{ "a second one", t_second, true },
	{ "many with bulk", t_many, true },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "oob", cases, ARRAY_SIZE(cases));
}
