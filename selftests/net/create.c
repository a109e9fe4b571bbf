// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets before they are connected: creation, bind, listen, accept, names.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=90
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>

static void t_create(void)
{
	int fd = socket(st.mode->domain, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			st.mode->proto);

	REQUIRE(fd >= 0);
	EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	EQ(st_int_opt(fd, SOL_SOCKET, SO_TYPE), SOCK_STREAM);
	EQ(st_int_opt(fd, SOL_SOCKET, SO_ACCEPTCONN), 0);
	EQ(st_so_error(fd), 0);
	close(fd);
	fd = socket(st.mode->domain, SOCK_STREAM, st.mode->proto);
	REQUIRE(fd >= 0);
	EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
	EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	close(fd);
}

static void t_create_wrong(void)
{
	static const int types[] = { SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_RDM };

	if (st.mode->domain == AF_SMC) {
		for (size_t i = 0; i < ARRAY_SIZE(types); i++)
			FAILS(socket(AF_SMC, types[i], 0), ESOCKTNOSUPPORT);
		FAILS(socket(AF_SMC, SOCK_STREAM, 2), EPROTONOSUPPORT);
		FAILS(socket(AF_SMC, SOCK_STREAM, 6), EPROTONOSUPPORT);
		FAILS(socketpair(AF_SMC, SOCK_STREAM, 0, (int[2]){}), EOPNOTSUPP);
	} else if (st.mode->proto == IPPROTO_SMC) {
		FAILS(socket(st.mode->domain, SOCK_DGRAM, IPPROTO_SMC),
		      EPROTONOSUPPORT);
		FAILS(socket(st.mode->domain, SOCK_SEQPACKET, IPPROTO_SMC),
		      ESOCKTNOSUPPORT);
	} else {
		FAILS(socket(st.mode->domain, SOCK_STREAM, IPPROTO_UDP),
		      EPROTONOSUPPORT);
	}
}

static void t_create_many(void)
{
	int fd[256];

	for (int round = 0; round < 8; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
			fd[i] = st_socket(0);
		for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
			close(fd[i]);
	}
}

static void t_unconnected(void)
{
	struct sockaddr_storage ss;
	socklen_t l = sizeof(ss);
	int fd = st_socket(0);
	char c;

	EQ(st_poll(fd, POLLIN | POLLOUT | POLLPRI | POLLRDHUP, 0),
	   POLLOUT | POLLHUP);
	FAILS(recv(fd, &c, 1, 0), ENOTCONN);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	FAILS(shutdown(fd, SHUT_RDWR), ENOTCONN);
	FAILS(getpeername(fd, (void *)&ss, &l), ENOTCONN);
	FAILS(accept(fd, NULL, NULL), EINVAL);
	EQ(getsockname(fd, (void *)&ss, &l), 0);
	EQ(ss.ss_family, st.mode->af);
	EQ(st_addr_port(&ss), 0);
	close(fd);
}

static void t_bind(void)
{
	struct sockaddr_storage ss, got;
	socklen_t l = st_addr_any(&ss, 0), gl = sizeof(got);
	int a = st_socket(0), b = st_socket(0);

	EQ(bind(a, (void *)&ss, l), 0);
	FAILS(bind(a, (void *)&ss, l), EINVAL);
	EQ(getsockname(a, (void *)&got, &gl), 0);
	EQ(gl, l);
	EXPECT(st_addr_port(&got) > 0);
	FAILS(bind(b, (void *)&got, gl), EADDRINUSE);
	FAILS(bind(b, (void *)&got, 4), EINVAL);
	got.ss_family = AF_UNIX;
	FAILS(bind(b, (void *)&got, gl), EAFNOSUPPORT);
	FAILS(bind(b, (void *)-1l, l), EFAULT);
	close(a);
	close(b);
}

static void t_bind_foreign(void)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int fd = st_socket(0);

	if (st.mode->af == AF_INET)
		((struct sockaddr_in *)&ss)->sin_addr.s_addr = htonl(0xc0000207);
	else
		inet_pton(AF_INET6, st.mode->mapped ? "::ffff:192.0.2.7" :
			  "2001:db8::7", &((struct sockaddr_in6 *)&ss)->sin6_addr);
	FAILS(bind(fd, (void *)&ss, l), EADDRNOTAVAIL);
	close(fd);
}

static void t_listen(void)
{
	struct sockaddr_storage ss;
	socklen_t l = sizeof(ss);
	int fd = st_socket(SOCK_NONBLOCK);

	EQ(listen(fd, 5), 0);
	EQ(getsockname(fd, (void *)&ss, &l), 0);
	EXPECT(st_addr_port(&ss) > 0);
	EQ(listen(fd, 1), 0);
	EQ(st_int_opt(fd, SOL_SOCKET, SO_ACCEPTCONN), 1);
	EQ(st_poll(fd, POLLIN | POLLOUT, 0), 0);
	FAILS(accept(fd, NULL, NULL), EAGAIN);
	FAILS(accept4(fd, NULL, NULL, 0x40000000), EINVAL);
	FAILS(st_connect(fd, 1), EISCONN);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	FAILS(recv(fd, &(char){ 0 }, 1, 0), ENOTCONN);
	EQ(shutdown(fd, SHUT_RD), 0);
	EXPECT(st_poll(fd, POLLIN | POLLOUT, 0) & POLLHUP);
	FAILS(accept(fd, NULL, NULL), EINVAL);
	EQ(listen(fd, 3), 0);
	FAILS(accept(fd, NULL, NULL), EAGAIN);
	close(fd);
}

static void t_accept_timeout(void)
{
	struct timeval tv = { .tv_usec = 100000 };
	uint64_t t0;
	int port, fd = st_listen(1, &port);

	EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	t0 = st_now_ms();
	FAILS(accept(fd, NULL, NULL), EAGAIN);
	EXPECT(st_now_ms() - t0 >= 80);
	close(fd);
}

static void t_accept(void)
{
	struct sockaddr_storage ss, pn, me;
	socklen_t l, pl = sizeof(pn);
	int port, fd = st_listen(8, &port), pfd, a;

	l = st_addr(&me, false, port);
	for (int nb = 0; nb < 2; nb++) {
		pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
			   st.mode->proto);
		MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l,
				  NULL, 0), 0);
		MUST_EQ(st_wait(fd, POLLIN), POLLIN);
		pl = sizeof(ss);
		a = accept4(fd, (void *)&ss, &pl, nb ? SOCK_NONBLOCK | SOCK_CLOEXEC : 0);
		REQUIRE(a >= 0);
		st_prove(a);
		EQ(pl, l);
		EQ(ss.ss_family, st.mode->af);
		EQ(!!(fcntl(a, F_GETFL) & O_NONBLOCK), nb);
		EQ(!!(fcntl(a, F_GETFD) & FD_CLOEXEC), nb);
		EQ(st_int_opt(a, SOL_SOCKET, SO_ACCEPTCONN), 0);
		MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, pfd, (int64_t[4]){},
				  NULL, 0, &pn, sizeof(pn)), 0);
		EQ(st_addr_port(&ss), st_addr_port(&pn));
		FAILS(accept(a, NULL, NULL), EINVAL);
		FAILS(listen(a, 1), EINVAL);
		close(a);
		p_do(st.peer, P_CLOSE, pfd);
	}
	close(fd);
}

static void t_accept_short_name(void)
{
	struct sockaddr_storage ss, me;
	int port, fd = st_listen(8, &port), pfd, a;
	socklen_t l = st_addr(&me, false, port), pl = 4;

	memset(&ss, 0xee, sizeof(ss));
	pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
		   st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l, NULL, 0), 0);
	a = accept(fd, (void *)&ss, &pl);
	REQUIRE(a >= 0);
	EQ(pl, l);
	EQ(((unsigned char *)&ss)[4], 0xee);
	close(a);
	close(fd);
}

static void t_names(void)
{
	struct sockaddr_storage me, it, pme, pit;
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(getsockname(fd, (void *)&me, &(socklen_t){ sizeof(me) }), 0);
	EQ(getpeername(fd, (void *)&it, &(socklen_t){ sizeof(it) }), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, pfd, (int64_t[4]){}, NULL, 0,
			  &pme, sizeof(pme)), 0);
	MUST_EQ(peer_call(st.peer, P_GETPEERNAME, pfd, (int64_t[4]){}, NULL, 0,
			  &pit, sizeof(pit)), 0);
	EQ(me.ss_family, st.mode->af);
	EQ(it.ss_family, st.mode->af);
	EQ(st_addr_port(&me), st_addr_port(&pit));
	EQ(st_addr_port(&it), st_addr_port(&pme));
	if (st.mode->af == AF_INET6) {
		EXPECT(!memcmp(&((struct sockaddr_in6 *)&me)->sin6_addr,
			       &((struct sockaddr_in6 *)&pit)->sin6_addr, 16));
		EQ(IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6 *)&me)->sin6_addr),
		   st.mode->mapped);
	} else {
		EQ(((struct sockaddr_in *)&me)->sin_addr.s_addr,
		   ((struct sockaddr_in *)&pit)->sin_addr.s_addr);
	}
	/* The peer closes: a name remains until the socket itself is closed. */
	p_do(st.peer, P_CLOSE, pfd);
	EXPECT(st_wait(fd, POLLIN) & POLLIN);
	EQ(getpeername(fd, (void *)&it, &(socklen_t){ sizeof(it) }), 0);
	close(fd);
}

/* Connects the agent to a local port. Return: its descriptor. */
static int peer_dial(int port)
{
	struct sockaddr_storage me;
	socklen_t l = st_addr(&me, false, port);
	int pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
		       st.mode->proto);

	if (peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l, NULL, 0))
		return -1;
	return pfd;
}

static void t_reuseaddr(void)
{
	struct sockaddr_storage ss;
	socklen_t l;
	int port, fd = st_listen(8, &port), pfd, a, b;

	EQ(st_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1), 0);
	pfd = peer_dial(port);
	REQUIRE(pfd >= 0);
	a = accept(fd, NULL, NULL);
	REQUIRE(a >= 0);
	EQ(st_int_opt(a, SOL_SOCKET, SO_REUSEADDR), 1);
	/* The server closes first: its address is left in TIME_WAIT. */
	close(a);
	MUST_EQ(p_do(st.peer, P_DRAIN, pfd), 0);
	p_do(st.peer, P_CLOSE, pfd);
	close(fd);
	st_sleep_ms(50);
	l = st_addr_any(&ss, port);
	b = st_socket(0);
	FAILS(bind(b, (void *)&ss, l), EADDRINUSE);
	EQ(st_set_int(b, SOL_SOCKET, SO_REUSEADDR, 1), 0);
	EQ(bind(b, (void *)&ss, l), 0);
	EQ(listen(b, 8), 0);
	pfd = peer_dial(port);
	REQUIRE(pfd >= 0);
	a = accept(b, NULL, NULL);
	REQUIRE(a >= 0);
	close(a);
	close(b);
}

static void t_reuseport(void)
{
	struct sockaddr_storage ss;
	socklen_t l;
	int fd[2], port = 0, hits[2] = {};

	for (int i = 0; i < 2; i++) {
		fd[i] = st_socket(SOCK_NONBLOCK);
		EQ(st_set_int(fd[i], SOL_SOCKET, SO_REUSEPORT, 1), 0);
		l = st_addr_any(&ss, port);
		MUST_EQ(bind(fd[i], (void *)&ss, l), 0);
		MUST_EQ(listen(fd[i], 64), 0);
		MUST_EQ(getsockname(fd[i], (void *)&ss, &l), 0);
		port = st_addr_port(&ss);
	}
	for (int i = 0; i < 24; i++) {
		struct pollfd p[2] = { { fd[0], POLLIN, 0 }, { fd[1], POLLIN, 0 } };

		REQUIRE(peer_dial(port) >= 0);
		MUST_EQ(poll(p, 2, st_ms(5000)), 1);
		for (int k = 0; k < 2; k++) {
			int a = p[k].revents ? accept(fd[k], NULL, NULL) : -1;

			if (a < 0)
				continue;
			hits[k]++;
			close(a);
		}
	}
	EQ(hits[0] + hits[1], 24);
	EXPECT(hits[0] && hits[1]);
	/* One listener leaves: all go to the other. */
	close(fd[0]);
	for (int i = 0; i < 6; i++) {
		int a;

		REQUIRE(peer_dial(port) >= 0);
		MUST_EQ(st_wait(fd[1], POLLIN), POLLIN);
		a = accept(fd[1], NULL, NULL);
		EXPECT(a >= 0);
		close(a);
	}
	close(fd[1]);
}

/* Connections waiting in the accept queue are reset when the listener goes. */
static void t_close_listener(void)
{
	int port, fd = st_listen(8, &port), pfd[3];

	for (int i = 0; i < 3; i++) {
		pfd[i] = peer_dial(port);
		REQUIRE(pfd[i] >= 0);
	}
	MUST_EQ(st_wait(fd, POLLIN), POLLIN);
	close(fd);
	for (int i = 0; i < 3; i++) {
		FAILS(p_do(st.peer, P_RECV, pfd[i], 1), ECONNRESET);
		p_do(st.peer, P_CLOSE, pfd[i]);
	}
	EQ(peer_dial(port), -1);
	EQ(errno, ECONNREFUSED);
}

static void *closer(void *arg)
{
	st_sleep_ms(100);
	shutdown((intptr_t)arg, SHUT_RD);
	return NULL;
}

/* shutdown() of a listener wakes a sleeper in accept(). */
static void t_accept_woken(void)
{
	int port, fd = st_listen(8, &port);
	pthread_t t;

	pthread_create(&t, NULL, closer, (void *)(intptr_t)fd);
	FAILS(accept(fd, NULL, NULL), EINVAL);
	pthread_join(t, NULL);
	close(fd);
}

static const struct st_case cases[] = {
	{ "create", t_create },
	{ "create wrong", t_create_wrong },
	{ "create 2048", t_create_many },
	{ "unconnected", t_unconnected },
	{ "bind", t_bind },
	{ "bind foreign address", t_bind_foreign },
	{ "listen", t_listen },
	{ "accept SO_RCVTIMEO", t_accept_timeout },
	{ "accept flags and address", t_accept },
	{ "accept short address", t_accept_short_name },
	{ "names", t_names, .roles = true },
	{ "SO_REUSEADDR", t_reuseaddr },
	{ "SO_REUSEPORT", t_reuseport },
	{ "close listener with queue", t_close_listener },
	{ "shutdown wakes accept", t_accept_woken },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "create", cases, ARRAY_SIZE(cases));
}
