// SPDX-License-Identifier: GPL-2.0
/*
 * Connections that stay open, so that one can look at them; with an option of the socket that keeps SMC away.
 *   stays serve PORT OPTION	takes connections and gives back what comes, for ever
 *   stays connect HOST PORT OPTION	sends a byte, gets it back, prints its own port, stays until its input ends
 * OPTION: none; tcp (a TCP socket); fastopen; message (Fast Open by sendto()); policy (IPsec policy of the socket's own); repair; self
 * (to itself, HOST is an own address); asleep (takes no connection, has one place); ulp (TLS, asked for before and after)
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/xfrm.h>

#define IPPROTO_SMC 256
#define BACKLOG 64

static void die(const char *what)
{
	fprintf(stderr, "stays: %s: %s\n", what, strerror(errno));
	exit(1);
}

static bool is(const char *option, const char *name)
{
	return !strcmp(option, name);
}

static void set(int fd, int name, int val)
{
	if (setsockopt(fd, SOL_TCP, name, &val, sizeof(val)))
		die("setsockopt");
}

/* Lets everything pass, and is a policy for all that. */
static void set_policy(int fd, int family)
{
	struct xfrm_userpolicy_info pol = {
		.sel.family = family, .dir = XFRM_POLICY_OUT, .action = XFRM_POLICY_ALLOW,
	};

	pol.lft.soft_byte_limit = pol.lft.hard_byte_limit = XFRM_INF;
	pol.lft.soft_packet_limit = pol.lft.hard_packet_limit = XFRM_INF;
	if (setsockopt(fd, family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6, family == AF_INET ? IP_XFRM_POLICY : IPV6_XFRM_POLICY,
		       &pol, sizeof(pol)))
		die("policy");
}

static int make(int family, const char *option)
{
	int on = 1, fd = socket(family, SOCK_STREAM, is(option, "tcp") ? 0 : IPPROTO_SMC);

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (is(option, "policy"))
		set_policy(fd, family);
	if (is(option, "repair"))
		set(fd, TCP_REPAIR, 1);
	return fd;
}

static void echo(int fd)
{
	char buf[256];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (write(fd, buf, n) != n)
			break;
	_exit(0);
}

static void serve(int port, const char *option)
{
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };
	bool v4 = is(option, "policy");	/* of one family */
	int fd = make(v4 ? AF_INET : AF_INET6, option), conn;

	if (is(option, "fastopen"))
		set(fd, TCP_FASTOPEN, 5);
	if (bind(fd, v4 ? (void *)&sin : (void *)&sin6, v4 ? sizeof(sin) : sizeof(sin6)) || listen(fd, is(option, "asleep") ? 1 : BACKLOG))
		die("listen");
	if (is(option, "asleep"))
		pause();
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		conn = accept(fd, NULL, NULL);
		if (conn < 0)
			die("accept");
		if (!fork()) {
			close(fd);
			echo(conn);
		}
		close(conn);
	}
}

static bool has_word(int fd)
{
	char c = 0;

	return read(fd, &c, 1) == 1 && c == 'x';
}

/* Connects, and says a byte. */
static void dial(int fd, const struct addrinfo *ai, const char *option)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);

	if (is(option, "ulp") && !setsockopt(fd, SOL_TCP, TCP_ULP, "tls", 4))
		die("TLS before connect()");
	if (is(option, "fastopen"))
		set(fd, TCP_FASTOPEN_CONNECT, 1);
	if (is(option, "message")) {
		if (sendto(fd, "x", 1, MSG_FASTOPEN, ai->ai_addr, ai->ai_addrlen) != 1)
			die("sendto");
		return;
	}
	if (is(option, "self")) {
		if (bind(fd, ai->ai_addr, ai->ai_addrlen) || getsockname(fd, (void *)&own, &len) || connect(fd, (void *)&own, len))
			die("connect");
	} else if (connect(fd, ai->ai_addr, ai->ai_addrlen)) {
		die("connect");
	}
	if (!is(option, "repair") && write(fd, "x", 1) != 1)
		die("write");
}

static void stay(const char *host, const char *port, const char *option)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *ai;
	struct sockaddr_in6 own;	/* the ports of both families are at the same place */
	socklen_t len = sizeof(own);
	char c;
	int fd;

	if (getaddrinfo(host, port, &hints, &ai))
		die("address");
	fd = make(ai->ai_family, option);
	dial(fd, ai, option);
	/* in repair mode no packet was sent */
	if (!is(option, "repair") && !has_word(fd))
		die("read");
	if (getsockname(fd, (void *)&own, &len))
		die("getsockname");
	printf("%u\n", ntohs(own.sin6_port));
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	close(fd);
	freeaddrinfo(ai);
}

int main(int argc, char **argv)
{
	if (argc == 4 && is(argv[1], "serve"))
		serve(atoi(argv[2]), argv[3]);
	else if (argc == 5 && is(argv[1], "connect"))
		stay(argv[2], argv[3], argv[4]);
	else
		return 2;
	return 0;
}
