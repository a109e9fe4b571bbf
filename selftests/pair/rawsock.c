// SPDX-License-Identifier: GPL-2.0
// vm-cflags: -static
/*
 * A static program that makes its system calls itself, as Go does: no library sees its sockets.
 *   rawsock serve PORT          echoes, for ever
 *   rawsock hold IPV4 PORT N    opens N connections, sends and gets a word over each, says "up",
 *                               keeps them until the end of its input
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef RAWSOCK_LIBC
static long call(long nr, long a, long b, long c)
{
	switch (nr) {
	case SYS_socket:
		return socket(a, b, c);
	case SYS_connect:
		return connect(a, (struct sockaddr *)b, c);
	case SYS_listen:
		return listen(a, b);
	default:
		return syscall(nr, a, b, c);
	}
}

static long raw(long nr, long a, long b, long c)
{
	long rc = call(nr, a, b, c);

	return rc < 0 ? -errno : rc;
}
#else
static long raw(long nr, long a, long b, long c)
{
	long rc;

	__asm__ volatile("syscall" : "=a"(rc) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return rc;
}
#endif

static int fail(const char *what, long rc)
{
	fprintf(stderr, "rawsock: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static int raw_socket(void)
{
	long fd = raw(SYS_socket, AF_INET, SOCK_STREAM, 0);

	return fd < 0 ? fail("socket", fd) : fd;
}

static void *echo(void *arg)
{
	int fd = (long)arg;
	char buf[4096];
	long n;

	while ((n = raw(SYS_read, fd, (long)buf, sizeof(buf))) > 0)
		if (raw(SYS_write, fd, (long)buf, n) != n)
			break;
	raw(SYS_close, fd, 0, 0);
	return NULL;
}

static int serve(struct sockaddr_in *sin)
{
	int on = 1, fd = raw_socket();
	pthread_t t;
	long rc;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	rc = raw(SYS_bind, fd, (long)sin, sizeof(*sin));
	if (!rc)
		rc = raw(SYS_listen, fd, 128, 0);
	while (!rc) {
		long conn = raw(SYS_accept, fd, 0, 0);

		if (conn < 0)
			return fail("accept", conn);
		if (!pthread_create(&t, NULL, echo, (void *)conn))
			pthread_detach(t);
	}
	return fail("listen", rc);
}

static int hold(struct sockaddr_in *sin, int n)
{
	char word[8];
	int i, fd;
	long rc;

	for (i = 0; i < n; i++) {
		fd = raw_socket();
		rc = raw(SYS_connect, fd, (long)sin, sizeof(*sin));
		if (rc)
			return fail("connect", rc);
		rc = raw(SYS_write, fd, (long)"hello", 5);
		if (rc != 5 || raw(SYS_read, fd, (long)word, sizeof(word)) != 5 || memcmp(word, "hello", 5))
			return fail("echo", rc);
	}
	puts("up");
	fflush(stdout);
	while (read(0, word, sizeof(word)) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };

	if (argc == 3 && !strcmp(argv[1], "serve")) {
		sin.sin_port = htons(atoi(argv[2]));
		return serve(&sin);
	}
	if (argc != 5 || strcmp(argv[1], "hold") || inet_pton(AF_INET, argv[2], &sin.sin_addr) != 1)
		return 2;
	sin.sin_port = htons(atoi(argv[3]));
	return hold(&sin, atoi(argv[4]));
}
