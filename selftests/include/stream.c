// SPDX-License-Identifier: GPL-2.0
/* See stream.h. */
#define _GNU_SOURCE
#include "stream.h"
#include "pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_OP (1 << 20)

struct end {
	int fd;
	const struct stream_cfg *cfg;
	struct stream_result *res;
	struct rng rng;
	char *buf;
	int pipe[2];
	int file;
	bool tx_done, rx_done;
};

static long fail(struct end *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static long fail(struct end *e, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (e->res->why[0])
		return -2;
	n = snprintf(e->res->why, sizeof(e->res->why),
		     "seed %llu sent %lld received %lld: ",
		     (unsigned long long)e->cfg->seed, (long long)e->res->sent,
		     (long long)e->res->received);
	va_start(ap, fmt);
	vsnprintf(e->res->why + n, sizeof(e->res->why) - n, fmt, ap);
	va_end(ap);
	return -2;
}

static bool check(struct end *e, const char *op, int64_t off, const void *p,
		  long n)
{
	long bad = pat_check(e->cfg->rx_seed, off, p, n);

	if (bad < 0)
		return true;
	fail(e, "%s of %ld: wrong byte at %lld", op, n, (long long)off + bad);
	return false;
}

/* The bytes go through a file: sendfile takes references to its pages. */
static long send_file(struct end *e, uint32_t n)
{
	off_t off = 0;

	if (n > 65536)
		n = 65536;
	/* A new file each time: pages in flight must keep their contents. */
	close(e->file);
	e->file = memfd_create("stream", MFD_CLOEXEC);
	if (pwrite(e->file, e->buf, n, 0) != n)
		return fail(e, "pwrite: %s", strerror(errno));
	return sendfile(e->fd, e->file, &off, n);
}

/* What the pipe still holds must go on before anything else may be sent. */
static long send_splice(struct end *e, uint32_t n, bool blocking)
{
	long done = 0, in;

	if (n > 32768)
		n = 32768;
	in = write(e->pipe[1], e->buf, n);
	if (in < 0)
		return fail(e, "pipe: %s", strerror(errno));
	while (done < in) {
		long k = splice(e->pipe[0], NULL, e->fd, NULL, in - done,
				rng_below(&e->rng, 2) ? SPLICE_F_MORE : 0);
		struct pollfd p = { .fd = e->fd, .events = POLLOUT };

		if (k > 0) {
			done += k;
			continue;
		}
		if (k == 0 || errno != EAGAIN || blocking)
			return fail(e, "splice to socket = %ld: %s", k,
				    strerror(errno));
		/* Empty the pipe by hand: the bytes are made anew later. */
		if (poll(&p, 1, 1) == 0) {
			char *sink = malloc(in - done);

			if (read(e->pipe[0], sink, in - done) != in - done)
				fail(e, "pipe lost bytes");
			free(sink);
			break;
		}
	}
	if (!done)
		errno = EAGAIN;
	return done ? done : -1;
}

static long send_iov(struct end *e, uint32_t n, int flags)
{
	uint32_t a = rng_below(&e->rng, n + 1), b = rng_below(&e->rng, n - a + 1);
	struct iovec v[3] = { { e->buf, a }, { e->buf + a, b },
			      { e->buf + a + b, n - a - b } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 3 };

	return rng_below(&e->rng, 2) ? writev(e->fd, v, 3) :
	       sendmsg(e->fd, &m, flags);
}

static long one_send(struct end *e, uint32_t n, bool blocking)
{
	int more = rng_below(&e->rng, 6) ? 0 : MSG_MORE;
	int v;

	pat_fill(e->cfg->tx_seed, e->res->sent, e->buf, n);
	switch (rng_below(&e->rng, 9)) {
	case 0:
		return write(e->fd, e->buf, n);
	case 1:
		return send_iov(e, n, more | MSG_NOSIGNAL);
	case 2:
		return send_file(e, n);
	case 3:
		return send_splice(e, n, blocking);
	case 4:
		v = rng_below(&e->rng, 2);
		setsockopt(e->fd, IPPROTO_TCP, rng_below(&e->rng, 2) ? TCP_CORK :
			   TCP_NODELAY, &v, sizeof(v));
		/* fall through */
	default:
		return send(e->fd, e->buf, n, more | MSG_NOSIGNAL);
	}
}

/* Return: bytes, 0 = would block, -2 = failure. */
static long step_send(struct end *e, bool blocking)
{
	int64_t left = e->cfg->bytes - e->res->sent;
	uint32_t n = rng_size(&e->rng, e->cfg->max);
	long k;
	int off = 0;

	if (n > left)
		n = left;
	if (!n) {
		setsockopt(e->fd, IPPROTO_TCP, TCP_CORK, &off, sizeof(off));
		if (!(e->cfg->flags & STREAM_NO_SHUTDOWN) &&
		    shutdown(e->fd, SHUT_WR))
			return fail(e, "shutdown: %s", strerror(errno));
		e->tx_done = true;
		return 1;
	}
	k = one_send(e, n, blocking);
	if (k == -1 && errno == EAGAIN)
		return 0;
	if (k == 0 || k == -1)
		return fail(e, "send of %u = %ld: %s", n, k, strerror(errno));
	if (k > n)
		return fail(e, "send of %u = %ld", n, k);
	if (k > 0)
		e->res->sent += k;
	return k;
}

static long recv_peek(struct end *e, uint32_t n)
{
	long k = recv(e->fd, e->buf, n, MSG_PEEK), m;

	if (k <= 0)
		return k;
	if (!check(e, "peek", e->res->received, e->buf, k))
		return -2;
	memset(e->buf, 0, k);
	/* Some of it, or more than was there, for real now. */
	m = recv(e->fd, e->buf, rng_below(&e->rng, 2) ? k : 1 + k / 2, 0);
	if (m <= 0)
		return fail(e, "recv after peek of %ld = %ld: %s", k, m,
			    strerror(errno));
	return m;
}

static long recv_splice(struct end *e, uint32_t n)
{
	long k = splice(e->fd, NULL, e->pipe[1], NULL, n > 32768 ? 32768 : n, 0);
	long done = 0;

	while (done < k) {
		long m = read(e->pipe[0], e->buf + done, k - done);

		if (m <= 0)
			return fail(e, "pipe after splice of %ld: %ld", k, m);
		done += m;
	}
	return k;
}

static long recv_iov(struct end *e, uint32_t n)
{
	uint32_t a = rng_below(&e->rng, n + 1);
	struct iovec v[2] = { { e->buf, a }, { e->buf + a, n - a } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

	return rng_below(&e->rng, 2) ? readv(e->fd, v, 2) :
	       recvmsg(e->fd, &m, 0);
}

static long one_recv(struct end *e, uint32_t n, bool *unseen)
{
	switch (rng_below(&e->rng, 8)) {
	case 0:
		return read(e->fd, e->buf, n);
	case 1:
		return recv_iov(e, n);
	case 2:
		return recv_peek(e, n);
	case 3:
		return recv_splice(e, n);
	case 4:
		if (rng_below(&e->rng, 4))
			return recv(e->fd, e->buf, n, MSG_WAITALL);
		*unseen = true;
		return recv(e->fd, NULL, n, MSG_TRUNC);
	default:
		return recv(e->fd, e->buf, n, 0);
	}
}

static long step_recv(struct end *e)
{
	uint32_t n = rng_size(&e->rng, e->cfg->max);
	bool unseen = false;
	long k = one_recv(e, n, &unseen);

	if (k == -1 && errno == EAGAIN)
		return 0;
	if (k == -1)
		return fail(e, "recv of %u: %s", n, strerror(errno));
	if (k == -2)
		return k;
	if (!k) {
		if (e->res->received != e->cfg->rx_bytes)
			return fail(e, "end of stream, expected %lld bytes",
				    (long long)e->cfg->rx_bytes);
		e->rx_done = true;
		return 1;
	}
	if (k > n)
		return fail(e, "recv of %u = %ld", n, k);
	if (!unseen && !check(e, "recv", e->res->received, e->buf, k))
		return -2;
	e->res->received += k;
	if (e->res->received > e->cfg->rx_bytes)
		return fail(e, "more bytes than were sent");
	return k;
}

/* Both directions at once, never blocking but in poll(). */
static void run_duplex(struct end *e)
{
	fcntl(e->fd, F_SETFL, fcntl(e->fd, F_GETFL) | O_NONBLOCK);
	while (!(e->tx_done && e->rx_done)) {
		bool tx = !e->tx_done && (e->rx_done || rng_below(&e->rng, 2));
		long k = tx ? step_send(e, false) : step_recv(e);
		struct pollfd p = { .fd = e->fd };

		e->res->ops++;
		if (k == -2)
			return;
		if (k)
			continue;
		/* Now and then look into poll's answer for the other side only. */
		p.events = (e->tx_done ? 0 : POLLOUT) | (e->rx_done ? 0 : POLLIN);
		if (poll(&p, 1, e->cfg->stall_ms) == 0) {
			fail(e, "stalled %u ms in poll(%#x)", e->cfg->stall_ms,
			     p.events);
			return;
		}
	}
}

static void run_blocking(struct end *e)
{
	bool tx = e->cfg->flags & STREAM_SEND;

	while (!(tx ? e->tx_done : e->rx_done)) {
		e->res->ops++;
		if ((tx ? step_send(e, true) : step_recv(e)) == -2)
			return;
	}
}

/**
 * stream_run() - runs one end until both directions have ended
 * @fd: connected socket
 * @cfg: what to do
 * @res: what happened
 *
 * Return: 0, or -1 with the reason in @res.
 */
int stream_run(int fd, const struct stream_cfg *cfg, struct stream_result *res)
{
	struct end e = { .fd = fd, .cfg = cfg, .res = res, .file = -1,
			 .rng.s = cfg->seed };

	memset(res, 0, sizeof(*res));
	e.tx_done = !(cfg->flags & STREAM_SEND);
	e.rx_done = !(cfg->flags & STREAM_RECV);
	e.buf = malloc(MAX_OP);
	if (cfg->max > MAX_OP || pipe2(e.pipe, O_CLOEXEC)) {
		fail(&e, "setup");
		return -1;
	}
	if (cfg->flags & STREAM_BLOCKING)
		run_blocking(&e);
	else
		run_duplex(&e);
	close(e.pipe[0]);
	close(e.pipe[1]);
	if (e.file >= 0)
		close(e.file);
	free(e.buf);
	return res->why[0] ? -1 : 0;
}
