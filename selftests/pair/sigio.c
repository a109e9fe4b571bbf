// SPDX-License-Identifier: GPL-2.0
/*
 * A listener with O_ASYNC: its children inherit SOCK_FASYNC long before they have a socket.
 *
 *   sigio serve ADDRESS PORT N	accepts N connections, echoes one message on each
 *   sigio ask ADDRESS PORT N	makes them, one after the other
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AF_SMC_	43

static int fail(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

static int serve(const struct sockaddr_in *at, int n)
{
	int l = socket(AF_SMC_, SOCK_STREAM, 0), one = 1, fd;
	char buf[64];
	ssize_t got;

	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	signal(SIGIO, SIG_IGN);
	if (bind(l, (const void *)at, sizeof(*at)) || listen(l, 10) || fcntl(l, F_SETOWN, getpid()) ||
	    fcntl(l, F_SETFL, fcntl(l, F_GETFL) | O_ASYNC))
		return fail("listen");
	while (n--) {
		fd = accept(l, NULL, NULL);
		if (fd < 0)
			return fail("accept");
		got = recv(fd, buf, sizeof(buf), 0);
		if (got <= 0 || send(fd, buf, got, 0) != got)
			return fail("echo");
		close(fd);
	}
	return 0;
}

static int ask(const struct sockaddr_in *at, int n)
{
	char buf[8];
	int fd;

	while (n--) {
		fd = socket(AF_SMC_, SOCK_STREAM, 0);
		if (fd < 0 || connect(fd, (const void *)at, sizeof(*at)))
			return fail("connect");
		if (send(fd, "hello", 5, 0) != 5 || recv(fd, buf, 5, MSG_WAITALL) != 5 || memcmp(buf, "hello", 5))
			return fail("answer");
		close(fd);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };

	if (argc != 5 || inet_pton(AF_INET, argv[2], &at.sin_addr) != 1)
		return 1;
	at.sin_port = htons(atoi(argv[3]));
	return strcmp(argv[1], "serve") ? ask(&at, atoi(argv[4])) : serve(&at, atoi(argv[4]));
}
