// SPDX-License-Identifier: GPL-2.0
/*
 * connect() in all its forms, and how its failures are told.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=180
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>

static int listener;	/* the agent's */

static int listener_port(void)
{
	struct sockaddr_storage ss = {};

	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, listener, (int64_t[4]){}, NULL,
			  0, &ss, sizeof(ss)), 0);
	return st_addr_port(&ss);
}

static int peer_listener(int backlog)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);

	listener = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
			st.mode->proto);
	REQUIRE(listener >= 0);
	MUST_EQ(peer_call(st.peer, P_BIND, listener, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, listener, backlog), 0);
	return listener_port();
}

static int peer_accept(void)
{
	int fd = p_do(st.peer, P_ACCEPT, listener, 0, st_ms(10000));

	REQUIRE(fd >= 0);
	return fd;
}

/*
 * A port whose SYNs are dropped: a plain TCP listener with a full accept
 * queue. unstick() makes room, and the next retransmitted SYN gets through.
 */
static int stuck_fd[2];

/* Connections in the accept queue. */
static int waiting(int ls)
{
	struct tcp_info info = {};

	peer_call(st.peer, P_GETSOCKOPT, ls, (int64_t[4]){ IPPROTO_TCP, TCP_INFO, sizeof(info) },
		  NULL, 0, &info, sizeof(info));
	return info.tcpi_unacked;
}

static int stuck_port(void)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);

	listener = p_do(st.peer, P_SOCKET, 0, st.mode->af, SOCK_STREAM, 0);
	MUST_EQ(peer_call(st.peer, P_BIND, listener, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, listener, 0), 0);
	l = st_addr(&ss, true, listener_port());
	for (int i = 0; i < 2; i++) {
		stuck_fd[i] = socket(st.mode->af, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(stuck_fd[i], (void *)&ss, l);
		if (!i)
			st_wait(stuck_fd[i], POLLOUT);
		/* POLLOUT comes before the ACK that takes the place is sent */
		while (!i && waiting(listener) < 1)
			st_sleep_ms(1);
	}
	return st_addr_port(&ss);
}

static void unstick(void)
{
	/* The second one waits for room, too. */
	close(stuck_fd[1]);
	peer_accept();
}

static void check_echo(int fd, int pfd)
{
	char buf[64];

	EQ(send(fd, "ping", 4, 0), 4);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 4, MSG_WAITALL }, NULL,
		     0, buf, 4), 4);
	EXPECT(!memcmp(buf, "ping", 4));
	EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, "pong", 4, NULL, 0), 4);
	EQ(recv(fd, buf, 4, MSG_WAITALL), 4);
	EXPECT(!memcmp(buf, "pong", 4));
}

static void t_blocking(void)
{
	int fd = st_socket(0), port = peer_listener(8);

	MUST_EQ(st_connect(fd, port), 0);
	st_prove(fd);
	FAILS(st_connect(fd, port), EISCONN);
	EQ(st_so_error(fd), 0);
	EQ(st_poll(fd, POLLIN | POLLOUT, 0), POLLOUT);
	check_echo(fd, peer_accept());
	close(fd);
}

static void t_nonblock(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = peer_listener(8);

	FAILS(st_connect(fd, port), EINPROGRESS);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_so_error(fd), 0);
	/* As Linux TCP: the connect that was pending ends with 0 once. */
	EQ(st_connect(fd, port), 0);
	FAILS(st_connect(fd, port), EISCONN);
	st_prove(fd);
	st_nonblock(fd, false);
	check_echo(fd, peer_accept());
	close(fd);
}

/* Many event loops never call connect() again nor read SO_ERROR. */
static void t_nonblock_send(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = peer_listener(8), pfd;
	char buf[4];

	FAILS(st_connect(fd, port), EINPROGRESS);
	EQ(st_wait(fd, POLLIN | POLLOUT), POLLOUT);
	EQ(send(fd, "data", 4, 0), 4);
	pfd = peer_accept();
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 4, MSG_WAITALL }, NULL,
		     0, buf, 4), 4);
	close(fd);
}

static void t_epoll_before(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = peer_listener(8), ep, pfd;
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };
	char c;

	ep = epoll_create1(0);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	EQ(epoll_wait(ep, &ev, 1, 0), 1);
	EQ(ev.events, EPOLLOUT | EPOLLHUP);
	FAILS(st_connect(fd, port), EINPROGRESS);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EQ(ev.events, EPOLLOUT);
	pfd = peer_accept();
	EQ(epoll_wait(ep, &ev, 1, 50), 0);
	EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, "x", 1, NULL, 0), 1);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EXPECT(ev.events & EPOLLIN);
	EQ(recv(fd, &c, 1, 0), 1);
	p_do(st.peer, P_CLOSE, pfd);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EXPECT((ev.events & (EPOLLIN | EPOLLRDHUP)) == (EPOLLIN | EPOLLRDHUP));
	close(fd);
}

static void t_refused(void)
{
	int fd = st_socket(0), port = st_unused_port(true);

	FAILS(st_connect(fd, port), ECONNREFUSED);
	EQ(st_so_error(fd), 0);
	/* The same socket may try again. */
	FAILS(st_connect(fd, port), ECONNREFUSED);
	port = peer_listener(8);
	EQ(st_connect(fd, port), 0);
	st_prove(fd);
	check_echo(fd, peer_accept());
	close(fd);
}

static void t_refused_nonblock(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = st_unused_port(true), ep;
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT };

	ep = epoll_create1(0);
	FAILS(st_connect(fd, port), EINPROGRESS);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	MUST_EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EQ(ev.events, EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP);
	EQ(st_so_error(fd), ECONNREFUSED);
	EQ(st_so_error(fd), 0);
	FAILS(st_connect(fd, port), ECONNABORTED);
	port = peer_listener(8);
	FAILS(st_connect(fd, port), EINPROGRESS);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_so_error(fd), 0);
	st_prove(fd);
	st_nonblock(fd, false);
	check_echo(fd, peer_accept());
	close(fd);
}

static void t_refused_second(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = st_unused_port(true);

	FAILS(st_connect(fd, port), EINPROGRESS);
	EXPECT(st_wait(fd, POLLOUT) & POLLERR);
	FAILS(st_connect(fd, port), ECONNREFUSED);
	close(fd);

	fd = st_socket(SOCK_NONBLOCK);
	FAILS(st_connect(fd, port), EINPROGRESS);
	EXPECT(st_wait(fd, POLLOUT) & POLLERR);
	FAILS(recv(fd, &(char){ 0 }, 1, 0), ECONNREFUSED);
	EQ(st_so_error(fd), 0);
	close(fd);
}

static void t_pending(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = stuck_port();
	struct sockaddr_storage ss;
	socklen_t l = sizeof(ss);
	char c;

	FAILS(st_connect(fd, port), EINPROGRESS);
	FAILS(st_connect(fd, port), EALREADY);
	EQ(st_poll(fd, POLLIN | POLLOUT, 30), 0);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EAGAIN);
	FAILS(recv(fd, &c, 1, 0), EAGAIN);
	FAILS(listen(fd, 1), EINVAL);
	FAILS(accept(fd, NULL, NULL), EINVAL);
	FAILS(getpeername(fd, (void *)&ss, &l), ENOTCONN);
	EQ(getsockname(fd, (void *)&ss, &l), 0);
	EXPECT(st_addr_port(&ss) > 0);
	EQ(st_so_error(fd), 0);
	close(fd);
}

static void t_pending_ends(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = stuck_port(), pfd;

	FAILS(st_connect(fd, port), EINPROGRESS);
	unstick();
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_so_error(fd), 0);
	pfd = peer_accept();
	st_nonblock(fd, false);
	check_echo(fd, pfd);
	EXPECT(!st_carried_by_smc(fd));		/* the server is plain TCP */
	close(fd);
}

static void t_timed(void)
{
	struct timeval tv = { .tv_usec = 200000 };
	int fd = st_socket(0), port = stuck_port();
	uint64_t t0 = st_now_ms();

	EQ(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)), 0);
	FAILS(st_connect(fd, port), EINPROGRESS);
	EXPECT(st_now_ms() - t0 >= 170 && st_now_ms() - t0 < st_ms(3000));
	FAILS(st_connect(fd, port), EALREADY);
	close(fd);
}

static void on_alarm(int sig)
{
}

static void t_interrupted(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = { .it_value = { .tv_usec = 100000 } };
	int fd = st_socket(0), port = stuck_port();

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	FAILS(st_connect(fd, port), EINTR);
	st_nonblock(fd, true);
	FAILS(st_connect(fd, port), EALREADY);
	unstick();
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	EQ(st_connect(fd, port), 0);
	st_nonblock(fd, false);
	check_echo(fd, peer_accept());
	close(fd);
}

static void t_etimedout(void)
{
	int fd = st_socket(0), port = stuck_port();

	EQ(st_set_int(fd, IPPROTO_TCP, TCP_SYNCNT, 1), 0);
	FAILS(st_connect(fd, port), ETIMEDOUT);
	close(fd);
	fd = st_socket(SOCK_NONBLOCK);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_SYNCNT, 1), 0);
	FAILS(st_connect(fd, port), EINPROGRESS);
	EQ(st_poll(fd, POLLOUT, st_ms(10000)), POLLOUT | POLLERR | POLLHUP);
	EQ(st_so_error(fd), ETIMEDOUT);
	close(fd);
}

struct job {
	pthread_t t;
	int fd;
	int kind;
	long ret;
	int err;
};

static void *sleeper(void *arg)
{
	struct job *j = arg;
	char c = 's';

	errno = 0;
	if (j->kind == 0)
		j->ret = recv(j->fd, &c, 1, 0);
	else if (j->kind == 1)
		j->ret = send(j->fd, &c, 1, MSG_NOSIGNAL);
	else
		j->ret = st_wait(j->fd, POLLOUT);
	j->err = errno;
	return NULL;
}

/* Sleepers that came before the connection was there are woken by its end. */
static void t_sleepers(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = stuck_port(), pfd;
	struct job j[3];
	char c;

	FAILS(st_connect(fd, port), EINPROGRESS);
	st_nonblock(fd, false);
	for (int i = 0; i < 3; i++) {
		j[i] = (struct job){ .fd = fd, .kind = i };
		pthread_create(&j[i].t, NULL, sleeper, &j[i]);
	}
	st_sleep_ms(100);
	unstick();
	pfd = peer_accept();
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 1 }, NULL, 0, &c, 1), 1);
	EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, "r", 1, NULL, 0), 1);
	for (int i = 0; i < 3; i++)
		pthread_join(j[i].t, NULL);
	EQ(j[0].ret, 1);
	EQ(j[1].ret, 1);
	EQ(j[2].ret, POLLOUT);
	close(fd);
}

static void t_close_pending(void)
{
	int port = stuck_port();

	for (int i = 0; i < 20; i++) {
		int fd = st_socket(SOCK_NONBLOCK);

		FAILS(st_connect(fd, port), EINPROGRESS);
		st_sleep_ms(i % 4);
		close(fd);
	}
}

/* close() and shutdown() hit every moment of a connect under way. */
static void t_close_during(void)
{
	int port = peer_listener(128);

	for (int i = 0; i < 60; i++) {
		int fd = st_socket(SOCK_NONBLOCK);

		FAILS(st_connect(fd, port), EINPROGRESS);
		usleep(i * 150);
		if (i % 3 == 1)
			shutdown(fd, SHUT_RDWR);
		if (i % 3 == 2)
			st_set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
		close(fd);
	}
	p_do(st.peer, P_CLOSE, listener);
}

static void t_shutdown_pending(void)
{
	int fd = st_socket(SOCK_NONBLOCK), port = stuck_port();

	FAILS(st_connect(fd, port), EINPROGRESS);
	EQ(shutdown(fd, SHUT_RDWR), 0);
	EXPECT(st_poll(fd, POLLIN | POLLOUT, 0) & POLLHUP);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), ECONNRESET);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	close(fd);
}

static void t_disconnect(void)
{
	struct sockaddr un = { .sa_family = AF_UNSPEC };
	int fd, pfd, port;

	fd = st_socket(0);
	port = peer_listener(8);
	MUST_EQ(st_connect(fd, port), 0);
	pfd = peer_accept();
	EQ(connect(fd, &un, sizeof(un)), 0);
	EQ(st_so_error(fd), ECONNRESET);
	FAILS(recv(fd, &(char){ 0 }, 1, 0), ENOTCONN);
	EQ(p_do(st.peer, P_RECV, pfd, 1) <= 0, 1);
	EQ(st_connect(fd, port), 0);
	check_echo(fd, peer_accept());
	close(fd);
}

/* The same odd address gives the same answer as on a TCP socket. */
static void same_as_tcp(const char *what, const void *addr, socklen_t len)
{
	int ret[2], err[2];

	for (int i = 0; i < 2; i++) {
		int fd = i ? st_socket(SOCK_NONBLOCK) :
			     socket(st.mode->af, SOCK_STREAM | SOCK_NONBLOCK, 0);

		errno = 0;
		ret[i] = connect(fd, addr, len);
		err[i] = errno;
		close(fd);
	}
	if (ret[0] != ret[1] || err[0] != err[1])
		st_fail(__FILE__, __LINE__, "%s: %d %s, TCP %d %s", what, ret[1],
			strerror(err[1]), ret[0], strerror(err[0]));
}

static void t_odd_v4(void)
{
	static const char *const ip[] = { "240.0.0.1", "255.255.255.255",
		"224.0.0.1", "0.0.0.0", "192.0.2.1", "127.0.0.1" };
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(9) };

	for (size_t i = 0; i < ARRAY_SIZE(ip); i++) {
		inet_aton(ip[i], &sin.sin_addr);
		same_as_tcp(ip[i], &sin, sizeof(sin));
	}
	sin.sin_port = 0;
	same_as_tcp("port 0", &sin, sizeof(sin));
	same_as_tcp("short", &sin, 7);
	same_as_tcp("one byte", &sin, 1);
	same_as_tcp("nothing", &sin, 0);
	sin.sin_family = AF_INET6;
	same_as_tcp("family", &sin, sizeof(sin));
	sin.sin_family = AF_SMC;
	same_as_tcp("family 43", &sin, sizeof(sin));
	same_as_tcp("bad pointer", (void *)1, sizeof(sin));
}

static void t_odd_v6(void)
{
	static const char *const ip[] = { "::", "ff02::1", "fe80::1", "2001:db8::1",
		"::ffff:240.0.0.1", "::ffff:0.0.0.0", "::1" };
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6,
				     .sin6_port = htons(9) };

	for (size_t i = 0; i < ARRAY_SIZE(ip); i++) {
		inet_pton(AF_INET6, ip[i], &sin6.sin6_addr);
		same_as_tcp(ip[i], &sin6, sizeof(sin6));
	}
	same_as_tcp("short", &sin6, sizeof(struct sockaddr_in));
	sin6.sin6_family = AF_UNIX;
	same_as_tcp("family", &sin6, sizeof(sin6));
}

static void t_odd(void)
{
	t_odd_v4();
	if (st.mode->af == AF_INET6)
		t_odd_v6();
}

/* An IPv6 socket limited to IPv6 does not dial a mapped address. */
static void t_v6only(void)
{
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6, .sin6_port = htons(9) };
	int fd;

	fd = st_socket(0);
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &sin6.sin6_addr);
	EQ(st_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1), 0);
	EQ(st_int_opt(fd, IPPROTO_IPV6, IPV6_V6ONLY), 1);
	FAILS(connect(fd, (void *)&sin6, sizeof(sin6)), ENETUNREACH);
	close(fd);
}

/* TCP can connect to itself. Whatever carries it, the bytes come back. */
static void t_self(void)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int fd = st_socket(0);
	char buf[8];

	MUST_EQ(bind(fd, (void *)&ss, l), 0);
	MUST_EQ(getsockname(fd, (void *)&ss, &l), 0);
	if (st.mode->af == AF_INET)
		((struct sockaddr_in *)&ss)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		inet_pton(AF_INET6, st.mode->mapped ? "::ffff:127.0.0.1" : "::1",
			  &((struct sockaddr_in6 *)&ss)->sin6_addr);
	MUST_EQ(connect(fd, (void *)&ss, l), 0);
	EQ(send(fd, "echo", 4, 0), 4);
	EQ(recv(fd, buf, 4, MSG_WAITALL), 4);
	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(recv(fd, buf, 4, 0), 0);
	close(fd);
}

static void t_bound_source(void)
{
	struct sockaddr_storage ss, got;
	int fd = st_socket(0), port = peer_listener(8);
	socklen_t l = st_addr(&ss, false, 0), gl = sizeof(got);

	MUST_EQ(bind(fd, (void *)&ss, l), 0);
	MUST_EQ(getsockname(fd, (void *)&ss, &l), 0);
	MUST_EQ(st_connect(fd, port), 0);
	st_prove(fd);
	EQ(getsockname(fd, (void *)&got, &gl), 0);
	EQ(st_addr_port(&got), st_addr_port(&ss));
	check_echo(fd, peer_accept());
	close(fd);
}

struct ending {
	int fd;
	bool over;
};

static void *end_listener(void *arg)
{
	struct ending *e = arg;

	EQ(shutdown(e->fd, SHUT_RD), 0);
	__atomic_store_n(&e->over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* A thread ends the listener while another connects, to where no route leads: the socket is a client again and again. */
static void t_was_listener(void)
{
	struct sockaddr_storage ss, nowhere = {};
	socklen_t l;

	nowhere.ss_family = st.mode->af;
	if (st_is_ipv6())
		inet_pton(AF_INET6, st.mode->mapped ? "::ffff:192.0.2.1" : "2001:db8::1", &((struct sockaddr_in6 *)&nowhere)->sin6_addr);
	else
		inet_pton(AF_INET, "192.0.2.1", &((struct sockaddr_in *)&nowhere)->sin_addr);
	((struct sockaddr_in *)&nowhere)->sin_port = htons(7);
	for (int i = 0; i < 500; i++) {
		struct ending e = { .fd = st_socket(0) };
		pthread_t t;

		l = st_addr(&ss, false, 0);
		MUST_EQ(bind(e.fd, (void *)&ss, l), 0);
		MUST_EQ(listen(e.fd, 4), 0);
		MUST_EQ(pthread_create(&t, NULL, end_listener, &e), 0);
		while (!__atomic_load_n(&e.over, __ATOMIC_ACQUIRE))
			EXPECT(connect(e.fd, (void *)&nowhere, l) == -1);
		pthread_join(t, NULL);
		FAILS(connect(e.fd, (void *)&nowhere, l), ENETUNREACH);
		close(e.fd);
	}
}

/* TCP keeps that in mind: the connection comes up, and only one direction works. */
static void t_shut_before(void)
{
	int port = peer_listener(4), fd = st_socket(0), pfd;

	FAILS(shutdown(fd, SHUT_WR), ENOTCONN);
	EQ(st_connect(fd, port), 0);
	pfd = peer_accept();
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	EQ(p_do(st.peer, P_SENDALL, pfd, 100, 0, 0, 1), 100);
	EQ(st_wait_inq(fd, 100), 100);
	close(fd);
	p_do(st.peer, P_CLOSE, pfd);
	p_do(st.peer, P_CLOSE, listener);
}

static void *shut_wr(void *arg)
{
	struct ending *e = arg;

	while (!__atomic_load_n(&e->over, __ATOMIC_ACQUIRE))
		shutdown(e->fd, SHUT_WR);
	return NULL;
}

/* Which of the two comes first is not known, but who listens after that is found. */
static void t_shut_beside(void)
{
	for (int i = 0; i < 100; i++) {
		struct ending e = { .fd = st_socket(0) };
		struct sockaddr_storage ss;
		socklen_t l = st_addr_any(&ss, 0);
		int fd, own;
		pthread_t t;

		MUST_EQ(bind(e.fd, (void *)&ss, l), 0);
		MUST_EQ(pthread_create(&t, NULL, shut_wr, &e), 0);
		EQ(listen(e.fd, 4), 0);
		__atomic_store_n(&e.over, true, __ATOMIC_RELEASE);
		pthread_join(t, NULL);
		MUST_EQ(getsockname(e.fd, (void *)&ss, &l), 0);
		l = st_addr(&ss, false, st_addr_port(&ss));
		fd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
		MUST_EQ(peer_call(st.peer, P_CONNECT, fd, (int64_t[4]){}, &ss, l, NULL, 0), 0);
		MUST_EQ(st_wait(e.fd, POLLIN), POLLIN);
		own = accept(e.fd, NULL, NULL);
		REQUIRE(own >= 0);
		close(own);
		close(e.fd);
		p_do(st.peer, P_CLOSE, fd);
	}
}

static int listen_error(void)
{
	int err = 0;

	EQ(peer_call(st.peer, P_GETSOCKOPT, listener, (int64_t[4]){ SOL_SOCKET, SO_ERROR, sizeof(err) },
		     NULL, 0, &err, sizeof(err)), 0);
	return err;
}

/* An administrator ends a listener, as "ss -K" does: its queue is reset, and the socket may begin anew. */
static void t_killed_listener(void)
{
	int port = peer_listener(8), fd, plain, again, own, ls;
	struct sockaddr_storage ss;
	const char *out;
	socklen_t l;
	char c;

	fd = st_socket(0);
	EQ(st_connect(fd, port), 0);
	plain = socket(st.mode->af, SOCK_STREAM | SOCK_CLOEXEC, 0);
	EQ(st_connect(plain, port), 0);
	st_sleep_ms(st_ms(300));
	out = st_shell(st.peer, "modprobe tcp_diag 2>&1; ss -HlntK 'sport = %d' | grep -c LISTEN", port);
	REQUIRE(atoi(out) == 1);
	EQ(p_do(st.peer, P_POLL, listener, POLLIN, st_ms(2000)) & POLLHUP, POLLHUP);
	FAILS(p_do(st.peer, P_ACCEPT, listener, 0, st_ms(2000)), EINVAL);
	EQ(st_wait(fd, POLLIN) & POLLIN, POLLIN);
	FAILS(recv(fd, &c, 1, 0), ECONNRESET);
	EQ(st_wait(plain, POLLIN) & POLLIN, POLLIN);
	FAILS(recv(plain, &c, 1, 0), ECONNRESET);
	EQ(listen_error(), ECONNABORTED);

	/* it listens again; TCP hands on that it was shut, so its children only read */
	EQ(p_do(st.peer, P_LISTEN, listener, 4), 0);
	again = st_socket(0);
	EQ(st_connect(again, listener_port()), 0);
	own = peer_accept();
	FAILS(p_do(st.peer, P_SEND, own, 1, 0, MSG_NOSIGNAL), EPIPE);
	EQ(p_do(st.peer, P_SHUTDOWN, listener, SHUT_RD), 0);

	/* or is a client */
	ls = st_listen(4, &port);
	l = st_addr(&ss, false, port);
	EQ(peer_call(st.peer, P_CONNECT, listener, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	EQ(st_wait(ls, POLLIN), POLLIN);
	close(ls);
	close(fd);
	close(plain);
	close(again);
	p_do(st.peer, P_CLOSE, own);
	p_do(st.peer, P_CLOSE, listener);
}

/* While its queue is full, a listener answers no SYN, so the client tries again. */
static void t_full_backlog(void)
{
	enum { BACKLOG = 2, MORE = 3 };
	int port = peer_listener(BACKLOG), fd[BACKLOG + 1], late[MORE], pfd;

	for (int i = 0; i <= BACKLOG; i++) {
		fd[i] = st_socket(SOCK_CLOEXEC);
		EQ(st_connect(fd[i], port), 0);
	}
	/* SMC's have been taken out of TCP's queue by then */
	st_sleep_ms(st_ms(100));
	for (int i = 0; i < MORE; i++) {
		late[i] = socket(st.mode->af, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		FAILS(st_connect(late[i], port), EINPROGRESS);
	}
	EQ(st_poll(late[0], POLLOUT, 300), 0);
	EQ(st_poll(late[MORE - 1], POLLOUT, 0), 0);
	for (int i = 0; i <= BACKLOG + MORE; i++) {
		pfd = peer_accept();
		p_do(st.peer, P_CLOSE, pfd);
	}
	for (int i = 0; i < MORE; i++) {
		EQ(st_wait(late[i], POLLOUT) & POLLOUT, POLLOUT);
		EQ(st_so_error(late[i]), 0);
		close(late[i]);
	}
	for (int i = 0; i <= BACKLOG; i++)
		close(fd[i]);
	p_do(st.peer, P_CLOSE, listener);
}

static const struct st_case cases[] = {
	{ "blocking", t_blocking },
	{ "non-blocking", t_nonblock },
	{ "non-blocking, then send", t_nonblock_send },
	{ "epoll added before", t_epoll_before },
	{ "refused", t_refused },
	{ "refused non-blocking", t_refused_nonblock },
	{ "refused, told by the second call", t_refused_second },
	{ "pending", t_pending },
	{ "pending, then done", t_pending_ends },
	{ "timed (SO_SNDTIMEO)", t_timed },
	{ "interrupted", t_interrupted },
	{ "timed out", t_etimedout, .secs = 40 },
	{ "sleepers", t_sleepers },
	{ "close pending", t_close_pending },
	{ "close during", t_close_during },
	{ "shutdown pending", t_shutdown_pending },
	{ "disconnect and reconnect", t_disconnect },
	{ "odd addresses", t_odd },
	{ "IPV6_V6ONLY", t_v6only, .exists = st_is_ipv6 },
	{ "to itself", t_self },
	{ "bound source", t_bound_source },
	{ "while another thread ends the listener", t_was_listener, .secs = 60 },
	{ "shut down before", t_shut_before },
	{ "shut down beside listen()", t_shut_beside, .secs = 60 },
	{ "listener killed by the administrator", t_killed_listener },
	{ "full backlog", t_full_backlog },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "connect", cases, ARRAY_SIZE(cases));
}
