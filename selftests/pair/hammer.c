// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that share sockets and do to them, at random and at the same time,
 * whatever a program may: connect, connect again, disconnect (AF_UNSPEC),
 * listen, accept, shutdown, send, receive, ask, close. Both machines run it and
 * connect to each other. No call may hang, no answer may be one that TCP does
 * not know; what the kernel says about it is the harness's to find.
 *
 *   hammer ADDRESS PEER SECONDS [SEED]
 *
 * vm-cflags: -Iinclude include/proof.c
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proof.h"

#define AF_SMC_		43
#define SLOTS		16
#define THREADS		6
#define FIRST_PORT	5400
#define PORTS		4
#define STUCK_MS	20000
#define WAIT_MS		200
#define CHUNK		40000

static struct sockaddr_in own, peer;
static struct timeval patience;		/* of blocking calls */
static _Atomic int slots[SLOTS];
static _Atomic long ops, connected, accepted, by_smc;
static _Atomic bool stop;
static const char *_Atomic doing[THREADS];
static _Atomic long since[THREADS];

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

static struct sockaddr_in at(const struct sockaddr_in *a, unsigned int r)
{
	struct sockaddr_in sin = *a;

	sin.sin_port = htons(FIRST_PORT + r % PORTS);
	return sin;
}

static void put(unsigned int r, int fd)
{
	int old = atomic_exchange(&slots[r % SLOTS], fd);

	if (old >= 0)
		close(old);
}

static void see(int fd)
{
	struct proof p;

	if (!proof_of(fd, &p) && p.carrier == CARRIER_SMC)
		by_smc++;
}

static void op_socket(int fd, unsigned int r)
{
	struct linger hard = { .l_onoff = 1 };

	(void)fd;
	fd = socket(AF_SMC_, SOCK_STREAM | (r & 64 ? SOCK_NONBLOCK : 0), 0);
	if (fd < 0)
		return;
	/* the blocking ones come back by themselves */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!(r & 128))
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	put(r, fd);
}

static void op_bind(int fd, unsigned int r)
{
	struct sockaddr_in sin = at(&own, r);
	int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	bind(fd, (void *)&sin, sizeof(sin));
}

static void op_server(int fd, unsigned int r)
{
	op_bind(fd, r);
	listen(fd, r / PORTS % 20);
}

static void op_listen(int fd, unsigned int r)
{
	listen(fd, r % 4);
}

static void op_connect(int fd, unsigned int r)
{
	struct sockaddr_in sin = at(r & 256 ? &peer : &own, r);

	if (!connect(fd, (void *)&sin, sizeof(sin))) {
		connected++;
		see(fd);
	}
}

static void op_disconnect(int fd, unsigned int r)
{
	struct sockaddr sa = { .sa_family = AF_UNSPEC };

	(void)r;
	connect(fd, &sa, sizeof(sa));
}

static void op_accept(int fd, unsigned int r)
{
	int c = accept4(fd, NULL, NULL, r & 64 ? SOCK_NONBLOCK : 0);

	if (c < 0)
		return;
	setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	accepted++;
	see(c);
	put(r, c);
}

static void op_shutdown(int fd, unsigned int r)
{
	shutdown(fd, r % 3);
}

static void op_send(int fd, unsigned int r)
{
	static const char bytes[CHUNK];
	static const int flags[] = { 0, MSG_DONTWAIT, MSG_MORE, MSG_OOB, MSG_ZEROCOPY, MSG_DONTWAIT };

	send(fd, bytes, r % CHUNK, flags[r / CHUNK % 6] | MSG_NOSIGNAL);
}

static void op_recv(int fd, unsigned int r)
{
	static const int flags[] = { 0, MSG_DONTWAIT, MSG_PEEK, MSG_OOB, MSG_WAITALL, MSG_ERRQUEUE, MSG_TRUNC };
	char buf[8192];

	recv(fd, buf, r % sizeof(buf), flags[r / sizeof(buf) % 7]);
}

static void op_ask(int fd, unsigned int r)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	struct sockaddr_in sin;
	struct tcp_info info;
	socklen_t l = sizeof(info);
	int v = 0, size = 1000 + r % 200000;

	poll(&p, 1, r % 3);
	ioctl(fd, r & 1 ? SIOCOUTQ : SIOCINQ, &v);
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &l);
	l = sizeof(v);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &v, &l);
	l = sizeof(sin);
	getpeername(fd, (void *)&sin, &l);
	setsockopt(fd, SOL_SOCKET, r & 2 ? SO_SNDBUF : SO_RCVBUF, &size, sizeof(size));
	v = r >> 4 & 1;
	setsockopt(fd, IPPROTO_TCP, r & 4 ? TCP_NODELAY : TCP_CORK, &v, sizeof(v));
	setsockopt(fd, SOL_SOCKET, r & 8 ? SO_OOBINLINE : SO_ZEROCOPY, &v, sizeof(v));
}

static void op_close(int fd, unsigned int r)
{
	(void)fd;
	put(r, -1);
}

static const struct {
	const char *name;
	void (*run)(int fd, unsigned int r);
	int weight;
} kinds[] = {
	{ "socket", op_socket, 20 },	{ "bind, listen", op_server, 12 },
	{ "listen", op_listen, 3 },	{ "connect", op_connect, 25 },
	{ "disconnect", op_disconnect, 5 }, { "accept", op_accept, 20 },
	{ "shutdown", op_shutdown, 4 },	{ "send", op_send, 20 },
	{ "recv", op_recv, 20 },	{ "ask", op_ask, 6 },
	{ "close", op_close, 8 },
};

static int pick(unsigned int r)
{
	int sum = 0, i;

	for (i = 0; i < (int)(sizeof(kinds) / sizeof(kinds[0])); i++)
		sum += kinds[i].weight;
	r %= sum;
	for (i = 0; (int)r >= kinds[i].weight; i++)
		r -= kinds[i].weight;
	return i;
}

static void *work(void *arg)
{
	int me = (long)arg & 0xff, kind, fd;
	unsigned int seed = (long)arg >> 8;
	unsigned int r;

	while (!stop) {
		kind = pick(rand_r(&seed) >> 4);
		r = (unsigned int)rand_r(&seed) >> 1 ^ (unsigned int)rand_r(&seed) << 12;
		fd = slots[rand_r(&seed) / 16 % SLOTS];
		since[me] = now_ms();
		doing[me] = kinds[kind].name;
		kinds[kind].run(fd, r);
		doing[me] = NULL;
		ops++;
	}
	return NULL;
}

/* Return: the call that does not come back, or NULL. */
static const char *stuck(long limit)
{
	const char *what;
	int i;

	for (i = 0; i < THREADS; i++) {
		what = doing[i];
		if (what && now_ms() - since[i] > limit)
			return what;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long end, limit, slow = 1;
	unsigned int seed = argc > 4 ? atoi(argv[4]) : time(NULL);
	const char *what = NULL;
	pthread_t t[THREADS];
	long i;

	if (argc < 4)
		return 1;
	if (getenv("SLOW"))
		slow = atol(getenv("SLOW"));
	limit = STUCK_MS * slow;
	patience.tv_sec = WAIT_MS * slow / 1000;
	patience.tv_usec = WAIT_MS * slow % 1000 * 1000;
	setvbuf(stdout, NULL, _IOLBF, 0);
	own.sin_family = peer.sin_family = AF_INET;
	inet_pton(AF_INET, argv[1], &own.sin_addr);
	inet_pton(AF_INET, argv[2], &peer.sin_addr);
	printf("# seed %u\n", seed);
	for (i = 0; i < SLOTS; i++)
		slots[i] = -1;
	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(i | (long)(seed + i) << 8));
	end = now_ms() + atol(argv[3]) * 1000;
	while (now_ms() < end && !what) {
		usleep(100000);
		what = stuck(limit);
	}
	stop = true;
	end = now_ms() + limit;
	while (!what && stuck(0) && now_ms() < end)
		usleep(10000);
	what = what ?: stuck(limit);
	printf("%sok 1 - no call hangs%s%s\n", what ? "not " : "", what ? ": " : "", what ?: "");
	printf("%sok 2 - connections over SMC: %ld calls, %ld connected, %ld accepted, %ld of these seen on SMC\n",
	       connected && accepted && by_smc ? "" : "not ", ops, connected, accepted, by_smc);
	return what || !connected || !accepted || !by_smc;
}
