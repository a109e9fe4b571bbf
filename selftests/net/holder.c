// SPDX-License-Identifier: GPL-2.0
/*
 * holder - helper of unload.sh: opens sockets in every state a socket of one
 * machine can be in, in this or (with "--netns") in a new network namespace,
 * says "ready" and sleeps, exits ("--exit"), or creates sockets for ever
 * ("--churn").
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

static bool flag(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return false;
}

static int lo_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return ioctl(fd, SIOCSIFFLAGS, &ifr);
}

static void churn(void)
{
	int made = 0;

	for (;;) {
		int fd = socket(AF_SMC, SOCK_STREAM, 0);

		if (fd >= 0) {
			made++;
			listen(fd, 1);
			close(fd);
		}
		fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SMC);
		if (fd >= 0)
			close(fd);
		if (made % 100 == 0)
			usleep(1000);
	}
}

static void open_all(int domain, int proto)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t l = sizeof(sin);
	int ls = socket(domain, SOCK_STREAM, proto), fd;

	socket(domain, SOCK_STREAM, proto);
	if (bind(ls, (void *)&sin, l) || listen(ls, 1) ||
	    getsockname(ls, (void *)&sin, &l)) {
		perror("listener");
		exit(1);
	}
	/* One accepted, some in the queue, the rest stuck in SYN_SENT. */
	for (int i = 0; i < 6; i++) {
		fd = socket(domain, SOCK_STREAM | SOCK_NONBLOCK, proto);
		connect(fd, (void *)&sin, l);
		if (!i && accept(ls, NULL, NULL) < 0)
			perror("accept");
		if (i == 1)
			close(fd);
	}
	/* Refused. */
	sin.sin_port = htons(1);
	fd = socket(domain, SOCK_STREAM | SOCK_NONBLOCK, proto);
	connect(fd, (void *)&sin, l);
}

int main(int argc, char **argv)
{
	if (flag(argc, argv, "--churn"))
		churn();
	if (flag(argc, argv, "--netns") && (unshare(CLONE_NEWNET) || lo_up())) {
		perror("namespace");
		return 4;
	}
	open_all(AF_SMC, 0);
	open_all(AF_INET, IPPROTO_SMC);
	printf("ready\n");
	fflush(stdout);
	if (!flag(argc, argv, "--exit"))
		pause();
	return 0;
}
