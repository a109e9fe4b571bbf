// SPDX-License-Identifier: GPL-2.0
/* Sockets, addresses and pairs of selftest.h. */
#define _GNU_SOURCE
#include "selftest.h"
#include "peer_exec.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <linux/sockios.h>

static void map_v4(struct sockaddr_in6 *sin6, struct in_addr ip)
{
	memset(sin6, 0, sizeof(*sin6));
	sin6->sin6_family = AF_INET6;
	sin6->sin6_addr.s6_addr[10] = 0xff;
	sin6->sin6_addr.s6_addr[11] = 0xff;
	memcpy(&sin6->sin6_addr.s6_addr[12], &ip, 4);
}

static socklen_t addr6(struct sockaddr_storage *ss, bool remote, int port)
{
	struct sockaddr_in6 *sin6 = (void *)ss;
	struct sockaddr_storage other = {};
	struct sockaddr_in ctl;
	int own_idx, peer_idx;

	peer_remote_addr(st.peer, &ctl);
	own_idx = peer_own_addr6(remote ? &other : ss);
	MUST_EQ(peer_call(st.peer, P_ADDR6, 0, (int64_t[4]){}, NULL, 0,
			  remote ? ss : &other, sizeof(struct sockaddr_in6)), 0);
	peer_idx = peer_out(st.peer, 0);
	if (IN6_IS_ADDR_LINKLOCAL(&sin6->sin6_addr))
		sin6->sin6_scope_id = remote ? own_idx : peer_idx;
	if (ctl.sin_addr.s_addr == htonl(INADDR_LOOPBACK))
		sin6->sin6_addr = in6addr_loopback;
	if (IN6_IS_ADDR_LOOPBACK(&sin6->sin6_addr)) {
		sin6->sin6_scope_id = 0;
		if (ctl.sin_addr.s_addr != htonl(INADDR_LOOPBACK))
			st_skip("no IPv6 address between the machines");
	}
	sin6->sin6_port = htons(port);
	return sizeof(*sin6);
}

/**
 * st_addr() - address of a machine in the family under test
 * @ss: filled in
 * @remote: the agent's machine; else this one, as the agent must dial it
 * @port: port
 *
 * Return: length of the address.
 */
socklen_t st_addr(struct sockaddr_storage *ss, bool remote, int port)
{
	struct sockaddr_in sin = {};

	memset(ss, 0, sizeof(*ss));
	if (st.mode->af == AF_INET6 && !st.mode->mapped)
		return addr6(ss, remote, port);
	if (remote)
		peer_remote_addr(st.peer, &sin);
	else
		peer_local_addr(st.peer, &sin);
	if (st.mode->mapped) {
		map_v4((void *)ss, sin.sin_addr);
		((struct sockaddr_in6 *)ss)->sin6_port = htons(port);
		return sizeof(struct sockaddr_in6);
	}
	sin.sin_family = AF_INET;
	sin.sin_port = htons(port);
	memcpy(ss, &sin, sizeof(sin));
	return sizeof(sin);
}

/** st_addr_any() - wildcard address of the family under test */
socklen_t st_addr_any(struct sockaddr_storage *ss, int port)
{
	memset(ss, 0, sizeof(*ss));
	ss->ss_family = st.mode->af;
	if (st.mode->af == AF_INET) {
		((struct sockaddr_in *)ss)->sin_port = htons(port);
		return sizeof(struct sockaddr_in);
	}
	((struct sockaddr_in6 *)ss)->sin6_port = htons(port);
	return sizeof(struct sockaddr_in6);
}

int st_addr_port(const struct sockaddr_storage *ss)
{
	return ntohs(ss->ss_family == AF_INET ?
		     ((const struct sockaddr_in *)ss)->sin_port :
		     ((const struct sockaddr_in6 *)ss)->sin6_port);
}

int st_socket(int type_flags)
{
	int fd = socket(st.mode->domain, SOCK_STREAM | SOCK_CLOEXEC | type_flags,
			st.mode->proto);

	REQUIRE(fd >= 0);
	return fd;
}

int st_listen(int backlog, int *port)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int fd = st_socket(0);

	MUST_EQ(bind(fd, (void *)&ss, l), 0);
	MUST_EQ(listen(fd, backlog), 0);
	MUST_EQ(getsockname(fd, (void *)&ss, &l), 0);
	*port = st_addr_port(&ss);
	return fd;
}

/** st_connect() - connect() to a port of the agent's machine */
int st_connect(int fd, int port)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr(&ss, true, port);

	return connect(fd, (void *)&ss, l);
}

static int peer_socket(void)
{
	int fd = p_do(st.peer, P_SOCKET, 0, st.mode->domain,
		      SOCK_STREAM | SOCK_CLOEXEC, st.mode->proto);

	REQUIRE(fd >= 0);
	return fd;
}

/* Listener at the agent. */
static int peer_listen(int *port)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int fd = peer_socket();

	MUST_EQ(peer_call(st.peer, P_BIND, fd, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, fd, 128), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, fd, (int64_t[4]){}, NULL, 0,
			  &ss, sizeof(ss)), 0);
	*port = st_addr_port(&ss);
	return fd;
}

/** st_unused_port() - a port nobody listens on, here or at the agent */
int st_unused_port(bool remote)
{
	struct sockaddr_storage ss;
	int port, fd;

	if (remote) {
		fd = peer_listen(&port);
		MUST_EQ(p_do(st.peer, P_CLOSE, fd), 0);
		return port;
	}
	fd = st_socket(0);
	MUST_EQ(bind(fd, (void *)&ss, st_addr_any(&ss, 0)), 0);
	MUST_EQ(getsockname(fd, (void *)&ss, &(socklen_t){ sizeof(ss) }), 0);
	close(fd);
	return st_addr_port(&ss);
}

static void peer_bufs(int fd, int rcvbuf, int sndbuf)
{
	if (rcvbuf)
		MUST_EQ(p_set_int(st.peer, fd, SOL_SOCKET, SO_RCVBUF, rcvbuf), 0);
	if (sndbuf)
		MUST_EQ(p_set_int(st.peer, fd, SOL_SOCKET, SO_SNDBUF, sndbuf), 0);
}

static void own_bufs(int fd, int rcvbuf, int sndbuf)
{
	if (rcvbuf)
		MUST_EQ(st_set_int(fd, SOL_SOCKET, SO_RCVBUF, rcvbuf), 0);
	if (sndbuf)
		MUST_EQ(st_set_int(fd, SOL_SOCKET, SO_SNDBUF, sndbuf), 0);
	if (st.prepare)
		st.prepare(fd);
}

/**
 * st_pair_opts() - connected pair with buffer sizes, role as st.role
 * @lfd: the local socket
 * @pfd: the agent's socket
 * @rcvbuf: SO_RCVBUF of both ends, 0 = default
 * @sndbuf: SO_SNDBUF of both ends, 0 = default
 */
void st_pair_opts(int *lfd, int *pfd, int rcvbuf, int sndbuf)
{
	struct sockaddr_storage ss;
	int port, ls;

	if (st.role == ROLE_CLIENT) {
		ls = peer_listen(&port);
		peer_bufs(ls, rcvbuf, sndbuf);
		*lfd = st_socket(0);
		own_bufs(*lfd, rcvbuf, sndbuf);
		MUST_EQ(st_connect(*lfd, port), 0);
		*pfd = p_do(st.peer, P_ACCEPT, ls, SOCK_CLOEXEC, st_ms(10000));
		REQUIRE(*pfd >= 0);
		MUST_EQ(p_do(st.peer, P_CLOSE, ls), 0);
	} else {
		socklen_t l;

		ls = st_listen(128, &port);
		own_bufs(ls, rcvbuf, sndbuf);
		*pfd = peer_socket();
		peer_bufs(*pfd, rcvbuf, sndbuf);
		l = st_addr(&ss, false, port);
		MUST_EQ(peer_call(st.peer, P_CONNECT, *pfd, (int64_t[4]){}, &ss, l,
				  NULL, 0), 0);
		MUST_EQ(st_wait(ls, POLLIN), POLLIN);
		*lfd = accept4(ls, NULL, NULL, SOCK_CLOEXEC);
		REQUIRE(*lfd >= 0);
		close(ls);
	}
	st_prove(*lfd);
	st_prove_peer(*pfd);
}

void st_pair(int *lfd, int *pfd)
{
	st_pair_opts(lfd, pfd, 0, 0);
}

int st_poll(int fd, int events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n = poll(&p, 1, ms);

	REQUIRE(n >= 0);
	return n ? p.revents : 0;
}

/** st_wait() - poll() for up to five (scaled) seconds */
int st_wait(int fd, int events)
{
	return st_poll(fd, events, st_ms(5000));
}

/** st_quiet() - true if none of the events comes within the time */
bool st_quiet(int fd, int events, int ms)
{
	return !(st_poll(fd, events, ms) & events);
}

int st_int_opt(int fd, int level, int opt)
{
	int v = -1;

	REQUIRE(!getsockopt(fd, level, opt, &v, &(socklen_t){ sizeof(v) }));
	return v;
}

int st_set_int(int fd, int level, int opt, int val)
{
	return setsockopt(fd, level, opt, &val, sizeof(val));
}

int st_so_error(int fd)
{
	return st_int_opt(fd, SOL_SOCKET, SO_ERROR);
}

int st_inq(int fd)
{
	int v = -1;

	REQUIRE(!ioctl(fd, SIOCINQ, &v));
	return v;
}

/** st_wait_inq() - waits until that many bytes are readable; the last count */
int st_wait_inq(int fd, int want)
{
	uint64_t end = st_now_ms() + st_ms(5000);
	int v;

	while ((v = st_inq(fd)) < want && st_now_ms() < end)
		st_sleep_ms(2);
	return v;
}

void st_nonblock(int fd, bool on)
{
	int fl = fcntl(fd, F_GETFL);

	MUST_EQ(fcntl(fd, F_SETFL, on ? fl | O_NONBLOCK : fl & ~O_NONBLOCK), 0);
}
