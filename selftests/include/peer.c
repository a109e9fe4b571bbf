// SPDX-License-Identifier: GPL-2.0
/* Control channel and caller's side of peer.h. */
#define _GNU_SOURCE
#include "peer.h"
#include "peer_exec.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct peer {
	int fd;			/* control channel, -1 = in this process */
	int more_port;
	struct peer_reply last;
	char *out;		/* reply of an in-process operation */
};

static int io_all(int fd, void *buf, size_t n, int out)
{
	char *p = buf;

	while (n) {
		ssize_t k = out ? send(fd, p, n, MSG_NOSIGNAL) :
				  recv(fd, p, n, 0);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return -1;
		p += k;
		n -= k;
	}
	return 0;
}

static int dial(struct in_addr ip, int port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = ip,
	};
	int one = 1, tries;

	for (tries = 0; tries < 50; tries++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (!connect(fd, (void *)&sin, sizeof(sin))) {
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			return fd;
		}
		close(fd);
		usleep(200000);
	}
	return -1;
}

static struct peer *peer_new(int fd)
{
	struct peer *p = calloc(1, sizeof(*p));

	p->fd = fd;
	return p;
}

/**
 * peer_open() - starts a session with an agent
 * @host: dotted address
 * @port: control port
 *
 * Return: the session, or NULL.
 */
struct peer *peer_open(const char *host, int port)
{
	struct in_addr ip;
	struct peer *p;
	int fd;

	if (!inet_aton(host, &ip))
		return NULL;
	fd = dial(ip, port);
	if (fd < 0)
		return NULL;
	p = peer_new(fd);
	if (p_do(p, P_HELLO, 0)) {
		peer_free(p);
		return NULL;
	}
	p->more_port = p->last.o[0];
	return p;
}

/** peer_self() - a session whose operations run in the caller's process */
struct peer *peer_self(void)
{
	struct peer *p = peer_new(-1);

	p->out = malloc(PEER_MAX);
	return p;
}

/** peer_thread() - one more thread of the session, or NULL */
struct peer *peer_thread(struct peer *p)
{
	struct sockaddr_in sin;
	int fd;

	peer_remote_addr(p, &sin);
	fd = dial(sin.sin_addr, p->more_port);
	return fd < 0 ? NULL : peer_new(fd);
}

void peer_free(struct peer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->out);
	free(p);
}

void peer_local_addr(struct peer *p, struct sockaddr_in *sin)
{
	socklen_t l = sizeof(*sin);

	getsockname(p->fd, (void *)sin, &l);
}

void peer_remote_addr(struct peer *p, struct sockaddr_in *sin)
{
	socklen_t l = sizeof(*sin);

	getpeername(p->fd, (void *)sin, &l);
}

/** peer_post() - sends one operation without waiting for its end */
void peer_post(struct peer *p, enum peer_op op, int fd, const int64_t *a,
	       const void *in, size_t inlen)
{
	struct peer_req r = { .op = op, .fd = fd, .len = inlen };

	memcpy(r.a, a, sizeof(r.a));
	if (p->fd < 0) {
		peer_exec(&r, in, &p->last, p->out);
		return;
	}
	if (io_all(p->fd, &r, sizeof(r), 1) ||
	    (inlen && io_all(p->fd, (void *)in, inlen, 1))) {
		printf("# control channel broken while sending\n");
		exit(1);
	}
}

/**
 * peer_wait() - takes the answer to the oldest operation
 * @p: session
 * @timeout_ms: how long to wait, -1 = for ever
 * @r: the answer
 * @out: where its payload goes
 * @outlen: room there
 *
 * Return: 0, -1 = not finished in time, -2 = session gone.
 */
int peer_wait(struct peer *p, int timeout_ms, struct peer_reply *r, void *out,
	      size_t outlen)
{
	struct pollfd pfd = { .fd = p->fd, .events = POLLIN };
	static __thread char sink[PEER_MAX];
	size_t n;
	int got;

	if (p->fd < 0) {
		*r = p->last;
		n = r->len < outlen ? r->len : outlen;
		if (n)
			memcpy(out, p->out, n);
		return 0;
	}
	do {
		got = poll(&pfd, 1, timeout_ms);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		return -1;
	if (io_all(p->fd, r, sizeof(*r), 0) ||
	    (r->len && io_all(p->fd, sink, r->len, 0)))
		return -2;
	n = r->len < outlen ? r->len : outlen;
	if (n)
		memcpy(out, sink, n);
	p->last = *r;
	return 0;
}

/** peer_call() - one operation, start to end; sets errno as the peer's */
long peer_call(struct peer *p, enum peer_op op, int fd, const int64_t *a,
	       const void *in, size_t inlen, void *out, size_t outlen)
{
	struct peer_reply r;

	peer_post(p, op, fd, a, in, inlen);
	if (peer_wait(p, -1, &r, out, outlen)) {
		errno = EPROTO;
		return -1;
	}
	if (r.ret < 0)
		errno = r.err;
	return r.ret;
}

/** p_done() - waits for a posted operation; as peer_call() */
long p_done(struct peer *p)
{
	struct peer_reply r;

	if (peer_wait(p, -1, &r, NULL, 0)) {
		errno = EPROTO;
		return -1;
	}
	if (r.ret < 0)
		errno = r.err;
	return r.ret;
}

int64_t peer_out(const struct peer *p, int i)
{
	return p->last.o[i];
}

int p_set_int(struct peer *p, int fd, int level, int opt, int val)
{
	return peer_call(p, P_SETSOCKOPT, fd, (int64_t[4]){ level, opt }, &val,
			 sizeof(val), NULL, 0);
}

int p_get_int(struct peer *p, int fd, int level, int opt)
{
	int val = 0;

	if (peer_call(p, P_GETSOCKOPT, fd, (int64_t[4]){ level, opt, 4 }, NULL,
		      0, &val, sizeof(val)) < 0)
		return -1;
	return val;
}

/* ------------------------------------------------------------ agent side */

static void *serve_channel(void *arg)
{
	int fd = (intptr_t)arg;
	char *in = malloc(PEER_MAX), *out = malloc(PEER_MAX);
	struct peer_reply rep;
	struct peer_req req;

	while (!io_all(fd, &req, sizeof(req), 0)) {
		if (req.len > PEER_MAX ||
		    (req.len && io_all(fd, in, req.len, 0)))
			break;
		peer_exec(&req, in, &rep, out);
		if (io_all(fd, &rep, sizeof(rep), 1) ||
		    (rep.len && io_all(fd, out, rep.len, 1)))
			break;
	}
	close(fd);
	free(in);
	free(out);
	return NULL;
}

static int listen_any(int *port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_port = htons(*port) };
	socklen_t l = sizeof(sin);
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (void *)&sin, sizeof(sin)) || listen(fd, 64) ||
	    getsockname(fd, (void *)&sin, &l)) {
		close(fd);
		return -1;
	}
	*port = ntohs(sin.sin_port);
	return fd;
}

static int accept_control(int lfd)
{
	int one = 1, fd = accept4(lfd, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void *more_threads(void *arg)
{
	int lfd = (intptr_t)arg;

	for (;;) {
		int fd = accept_control(lfd);
		pthread_t t;

		if (fd < 0 || pthread_create(&t, NULL, serve_channel,
					     (void *)(intptr_t)fd))
			continue;
		pthread_detach(t);
	}
	return NULL;
}

static void session(int fd)
{
	int port = 0, lfd = listen_any(&port);
	pthread_t t;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	alarm(1800);
	peer_exec_more_port = port;
	pthread_create(&t, NULL, more_threads, (void *)(intptr_t)lfd);
	serve_channel((void *)(intptr_t)fd);
	_exit(0);
}

/**
 * agent_serve() - serves sessions for ever
 * @port: control port, 0 = any
 * @ready_fd: where the port number is written once open, or -1
 *
 * Return: only on failure, -1.
 */
int agent_serve(int port, int ready_fd)
{
	int lfd = listen_any(&port);

	if (lfd < 0)
		return -1;
	signal(SIGCHLD, SIG_IGN);
	if (ready_fd >= 0 && write(ready_fd, &port, sizeof(port)) < 0)
		return -1;
	for (;;) {
		int fd = accept_control(lfd);

		if (fd < 0)
			continue;
		if (!fork()) {
			close(lfd);
			session(fd);
		}
		close(fd);
	}
}
