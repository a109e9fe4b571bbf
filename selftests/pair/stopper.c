// SPDX-License-Identifier: GPL-2.0
/*
 * Listeners that end while clients connect, for stop.sh.
 *
 *   stopper server PORT ROUNDS       one SMC listener after the other: a thread accepts and reads, another calls shutdown();
 *                                    with "beside" as well a plain TCP listener, which stays, in the same SO_REUSEPORT group
 *   stopper client HOST PORT         connects and sends "hello", from many threads, until its input ends
 *
 * The server prints "rounds N accepted N wrong N": of the connections accepted, how many began with other bytes than the client's.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define THREADS		16
#define HELLO		"hello"

static struct sockaddr_in server = { .sin_family = AF_INET };
static long accepted, wrong;	/* atomic: each listener has a thread */
static volatile int stop;

/* Reset before the first byte is no matter, other bytes are. */
static void look(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[16] = "";
	ssize_t n = -1;

	if (poll(&p, 1, 2000) == 1)
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	__atomic_add_fetch(&accepted, 1, __ATOMIC_RELAXED);
	if (n > 0 && strncmp(buf, HELLO, n < 5 ? n : 5)) {
		__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
		printf("# %zd bytes: %02x %02x %02x %02x\n", n, buf[0] & 0xff, buf[1] & 0xff, buf[2] & 0xff, buf[3] & 0xff);
	}
	close(fd);
}

static void *accepts(void *arg)
{
	int ls = (long)arg, fd;

	while ((fd = accept(ls, NULL, NULL)) >= 0 || errno == ECONNABORTED)
		if (fd >= 0)
			look(fd);
	return NULL;
}

static int serve(int family, pthread_t *t)
{
	int ls = socket(family, SOCK_STREAM, 0), one = 1;

	setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(ls, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	if (ls < 0 || bind(ls, (void *)&server, sizeof(server)) || listen(ls, 128)) {
		perror("stopper: listen");
		exit(1);
	}
	pthread_create(t, NULL, accepts, (void *)(long)ls);
	return ls;
}

static void serve_round(int round)
{
	pthread_t t;
	int ls = serve(AF_SMC, &t);

	usleep(20000 + round % 7 * 20000);
	if (shutdown(ls, SHUT_RDWR)) {
		perror("stopper: shutdown");
		exit(1);
	}
	pthread_join(t, NULL);
	close(ls);
}

static void *connects(void *arg)
{
	struct linger reset = { .l_onoff = 1 };
	int fd;

	while (!stop) {
		fd = socket(AF_SMC, SOCK_STREAM, 0);
		if (fd < 0)
			break;
		if (connect(fd, (void *)&server, sizeof(server)) || send(fd, HELLO, 5, MSG_NOSIGNAL) != 5)
			usleep(2000);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(fd);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int i, rounds;
	char c;

	signal(SIGPIPE, SIG_IGN);
	if (argc >= 4 && !strcmp(argv[1], "server")) {
		server.sin_port = htons(atoi(argv[2]));
		rounds = atoi(argv[3]);
		if (argc == 5)
			serve(AF_INET, &t[0]);
		for (i = 0; i < rounds; i++)
			serve_round(i);
		printf("rounds %d accepted %ld wrong %ld\n", rounds, accepted, wrong);
		return 0;
	}
	if (argc != 4 || strcmp(argv[1], "client") || inet_pton(AF_INET, argv[2], &server.sin_addr) != 1)
		return 2;
	server.sin_port = htons(atoi(argv[3]));
	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, connects, NULL);
	while (read(0, &c, 1) > 0)
		;
	stop = 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
