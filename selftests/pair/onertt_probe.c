// SPDX-License-Identifier: GPL-2.0
/*
 * Times connections.
 *
 *   onertt_probe server ADDR PORT smc|tcp         echoes, one connection after the other; says what carries each
 *   onertt_probe client ADDR PORT smc|tcp N [nonblock]
 *       a line a connection: microseconds of connect(), of connect + request + reply, and the carrier
 *
 * vm-cflags: -Iinclude include/proof.c
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proof.h"

#define AF_SMC_	43

static struct sockaddr_storage addr;
static socklen_t addr_len;
static int family;

static void die(const char *what)
{
	fprintf(stderr, "onertt_probe: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void address(const char *ip, const char *port)
{
	struct sockaddr_in6 *in6 = (void *)&addr;
	struct sockaddr_in *in = (void *)&addr;

	if (inet_pton(AF_INET, ip, &in->sin_addr) == 1) {
		family = in->sin_family = AF_INET;
		in->sin_port = htons(atoi(port));
		addr_len = sizeof(*in);
	} else if (inet_pton(AF_INET6, ip, &in6->sin6_addr) == 1) {
		family = in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(atoi(port));
		addr_len = sizeof(*in6);
	} else {
		die(ip);
	}
}

static int open_socket(const char *kind, int flags)
{
	bool smc = !strcmp(kind, "smc");
	int fd = socket(smc ? AF_SMC_ : family, SOCK_STREAM | flags, smc ? family == AF_INET6 : 0);

	if (fd < 0)
		die("socket");
	return fd;
}

static long long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static const char *carrier(int fd)
{
	struct proof p;

	if (proof_of(fd, &p))
		return "unknown";
	return proof_name(p.carrier);
}

static void serve(const char *kind)
{
	int fd = open_socket(kind, 0), one = 1, c;
	char buf[64];
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (void *)&addr, addr_len) || listen(fd, 64))
		die("listen");
	for (;;) {
		c = accept(fd, NULL, NULL);
		if (c < 0)
			continue;
		n = read(c, buf, sizeof(buf));
		if (n == 7 && !memcmp(buf, "request", 7)) {
			if (write(c, "reply", 5) != 5)
				printf("cannot reply\n");
			printf("%s\n", carrier(c));
		} else {
			printf("WRONG %zd bytes\n", n);
		}
		fflush(stdout);
		while (read(c, buf, sizeof(buf)) > 0)
			;
		close(c);
	}
}

static void one(const char *kind, bool nonblock)
{
	int fd = open_socket(kind, nonblock ? SOCK_NONBLOCK : 0), err = 0;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(err);
	long long t0 = now_us(), t1;
	char buf[64];
	ssize_t n;

	if (connect(fd, (void *)&addr, addr_len)) {
		if (!nonblock || errno != EINPROGRESS)
			die("connect");
		poll(&p, 1, 10000);
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len);
		errno = err;
		if (err)
			die("connect");
	}
	t1 = now_us();
	if (write(fd, "request", 7) != 7)
		die("write");
	p.events = POLLIN;
	poll(&p, 1, 10000);
	n = read(fd, buf, sizeof(buf));
	if (n != 5 || memcmp(buf, "reply", 5))
		die("reply");
	printf("%lld %lld %s\n", t1 - t0, now_us() - t0, carrier(fd));
	fflush(stdout);
	close(fd);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 5)
		return 1;
	address(argv[2], argv[3]);
	if (!strcmp(argv[1], "server"))
		serve(argv[4]);
	for (i = 0; argc > 5 && i < atoi(argv[5]); i++)
		one(argv[4], argc > 6);
	return 0;
}
