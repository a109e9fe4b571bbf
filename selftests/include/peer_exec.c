// SPDX-License-Identifier: GPL-2.0
/* See peer_exec.h. */
#define _GNU_SOURCE
#include "peer_exec.h"
#include "pattern.h"
#include "proof.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int peer_exec_more_port;

#define CHUNK (256 * 1024)

static __thread char chunk[CHUNK];

static long send_some(int fd, size_t n, uint64_t off, int flags, uint64_t seed)
{
	if (n > CHUNK)
		n = CHUNK;
	pat_fill(seed, off, chunk, n);
	return send(fd, chunk, n, flags | MSG_NOSIGNAL);
}

static long send_all(const struct peer_req *r, struct peer_reply *rep)
{
	int64_t done = 0;

	while (done < r->a[0]) {
		long k = send_some(r->fd, r->a[0] - done, r->a[1] + done,
				   r->a[2], r->a[3]);

		if (k < 0) {
			rep->o[0] = errno;
			return done ? done : -1;
		}
		done += k;
	}
	return done;
}

static long recv_some(int fd, size_t n, uint64_t off, int flags, uint64_t seed,
		      struct peer_reply *rep)
{
	long k, bad;

	if (n > CHUNK)
		n = CHUNK;
	k = recv(fd, chunk, n, flags);
	if (k <= 0)
		return k;
	bad = pat_check(seed, off, chunk, k);
	if (bad >= 0) {
		rep->o[1] = off + bad;
		errno = PEER_EBYTES;
		return -1;
	}
	return k;
}

/* n < 0: until the stream ends */
static long recv_all(const struct peer_req *r, int64_t n, struct peer_reply *rep)
{
	int64_t done = 0;

	while (n < 0 || done < n) {
		long k = recv_some(r->fd, n < 0 ? CHUNK : n - done,
				   r->a[1] + done, 0, r->a[3], rep);

		if (k < 0) {
			rep->o[0] = errno;
			return errno == PEER_EBYTES ? -1 : done ? done : -1;
		}
		if (!k)
			break;
		done += k;
	}
	return done;
}

static long do_accept(const struct peer_req *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	if (r->a[1] && poll(&p, 1, r->a[1]) != 1) {
		errno = ETIMEDOUT;
		return -1;
	}
	return accept4(r->fd, NULL, NULL, r->a[0]);
}

static long do_poll(const struct peer_req *r)
{
	struct pollfd p = { .fd = r->fd, .events = r->a[0] };
	int k = poll(&p, 1, r->a[1]);

	return k < 0 ? -1 : k ? p.revents : 0;
}

static long do_echo(int fd)
{
	long sum = 0;

	for (;;) {
		long k = recv(fd, chunk, CHUNK, 0), done = 0;

		if (k <= 0)
			return k < 0 ? -1 : sum;
		while (done < k) {
			long w = send(fd, chunk + done, k - done, MSG_NOSIGNAL);

			if (w < 0)
				return -1;
			done += w;
		}
		sum += k;
	}
}

/*
 * The server of a connection storm: answers one byte on each connection,
 * without waiting for the clients one by one. A client that vanished is not
 * an error here.
 */
static long do_accept_loop(const struct peer_req *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	long served = 0, seen = 0;

	while (seen < r->a[0]) {
		int fd;

		if (poll(&p, 1, r->a[1]) != 1)
			break;
		fd = accept4(r->fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		seen++;
		if (send(fd, "x", 1, MSG_NOSIGNAL) == 1)
			served++;
		close(fd);
	}
	return served;
}

/* One after the other; answers without a word from the control channel. */
static long do_echo_loop(const struct peer_req *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	long served = 0;

	while (served < r->a[0] && poll(&p, 1, r->a[1]) == 1) {
		int fd = accept4(r->fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			continue;
		do_echo(fd);
		close(fd);
		served++;
	}
	return served;
}

static long do_nonblock(int fd, int on)
{
	int fl = fcntl(fd, F_GETFL);

	return fcntl(fd, F_SETFL, on ? fl | O_NONBLOCK : fl & ~O_NONBLOCK);
}

static long do_shell(const char *cmd, size_t len, struct peer_reply *rep,
		     char *out)
{
	char buf[4096];
	FILE *f;

	if (len >= sizeof(buf)) {
		errno = E2BIG;
		return -1;
	}
	memcpy(buf, cmd, len);
	buf[len] = 0;
	f = popen(buf, "r");
	if (!f)
		return -1;
	rep->len = fread(out, 1, PEER_MAX, f);
	return WEXITSTATUS(pclose(f));
}

/**
 * peer_own_addr6() - an IPv6 address of this machine others can reach
 * @ss: filled in; ::1 when there is no other
 *
 * Return: its interface index.
 */
int peer_own_addr6(struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *sin6 = (void *)ss;
	struct ifaddrs *ifa, *i;
	int idx = 0;

	memset(ss, 0, sizeof(*ss));
	sin6->sin6_family = AF_INET6;
	sin6->sin6_addr = in6addr_loopback;
	if (getifaddrs(&ifa))
		return 0;
	for (i = ifa; i; i = i->ifa_next) {
		struct sockaddr_in6 *s = (void *)i->ifa_addr;

		if (!s || s->sin6_family != AF_INET6 ||
		    (i->ifa_flags & IFF_LOOPBACK) || !(i->ifa_flags & IFF_UP))
			continue;
		if (idx && IN6_IS_ADDR_LINKLOCAL(&s->sin6_addr))
			continue;
		sin6->sin6_addr = s->sin6_addr;
		idx = if_nametoindex(i->ifa_name);
	}
	freeifaddrs(ifa);
	return idx;
}

static long name_of(const struct peer_req *r, struct peer_reply *rep, void *out)
{
	socklen_t l = sizeof(struct sockaddr_storage);
	int rc = r->op == P_GETSOCKNAME ? getsockname(r->fd, out, &l) :
					  getpeername(r->fd, out, &l);

	if (!rc)
		rep->len = l;
	return rc;
}

static long get_opt(const struct peer_req *r, struct peer_reply *rep, void *out)
{
	socklen_t l = r->a[2];
	int rc = getsockopt(r->fd, r->a[0], r->a[1], out, &l);

	if (!rc)
		rep->len = l;
	return rc;
}

static long exec_data(const struct peer_req *r, const void *in,
		      struct peer_reply *rep, void *out)
{
	long k;

	switch (r->op) {
	case P_SEND:
		return send_some(r->fd, r->a[0], r->a[1], r->a[2], r->a[3]);
	case P_SENDALL:
		return send_all(r, rep);
	case P_RECV:
		return recv_some(r->fd, r->a[0], r->a[1], r->a[2], r->a[3], rep);
	case P_RECVALL:
		return recv_all(r, r->a[0], rep);
	case P_DRAIN:
		return recv_all(r, -1, rep);
	case P_WRITE_RAW:
		return send(r->fd, in, r->len, r->a[0] | MSG_NOSIGNAL);
	case P_READ_RAW:
		k = recv(r->fd, out, r->a[0] < PEER_MAX ? r->a[0] : PEER_MAX,
			 r->a[1]);
		rep->len = k > 0 ? k : 0;
		return k;
	case P_ECHO:
		return do_echo(r->fd);
	}
	errno = ENOSYS;
	return -1;
}

static long exec_info(const struct peer_req *r, struct peer_reply *rep, void *out)
{
	int v = 0, rc;

	switch (r->op) {
	case P_HELLO:
		rep->o[0] = peer_exec_more_port;
		return 0;
	case P_GETSOCKOPT:
		return get_opt(r, rep, out);
	case P_GETSOCKNAME:
	case P_GETPEERNAME:
		return name_of(r, rep, out);
	case P_IOCTL:
		rc = ioctl(r->fd, r->a[0], &v);
		rep->o[0] = v;
		return rc;
	case P_PROOF:
		rep->len = sizeof(struct proof);
		return proof_of(r->fd, out) ? -1 : 0;
	case P_ADDR6:
		rep->o[0] = peer_own_addr6(out);
		rep->len = sizeof(struct sockaddr_in6);
		return 0;
	case P_POLL:
		return do_poll(r);
	}
	return exec_data(r, NULL, rep, out);
}

static long exec_op(const struct peer_req *r, const void *in,
		    struct peer_reply *rep, void *out)
{
	switch (r->op) {
	case P_SOCKET:
		return socket(r->a[0], r->a[1], r->a[2]);
	case P_BIND:
		return bind(r->fd, in, r->len);
	case P_LISTEN:
		return listen(r->fd, r->a[0]);
	case P_CONNECT:
		return connect(r->fd, in, r->len);
	case P_ACCEPT:
		return do_accept(r);
	case P_ACCEPTLOOP:
		return do_accept_loop(r);
	case P_ECHOLOOP:
		return do_echo_loop(r);
	case P_WRITE_RAW:
		return exec_data(r, in, rep, out);
	case P_SHUTDOWN:
		return shutdown(r->fd, r->a[0]);
	case P_CLOSE:
		return close(r->fd);
	case P_SETSOCKOPT:
		return setsockopt(r->fd, r->a[0], r->a[1], in, r->len);
	case P_NONBLOCK:
		return do_nonblock(r->fd, r->a[0]);
	case P_SLEEP:
		return usleep(r->a[0] * 1000);
	case P_SHELL:
		return do_shell(in, r->len, rep, out);
	case P_STREAM:
		rep->len = sizeof(struct stream_result);
		return stream_run(r->fd, in, out);
	case P_EXIT:
		_exit(0);
	}
	return exec_info(r, rep, out);
}

/**
 * peer_exec() - executes one operation
 * @r: the operation
 * @in: its payload, r->len bytes
 * @rep: the answer
 * @out: its payload, room for PEER_MAX
 */
void peer_exec(const struct peer_req *r, const void *in, struct peer_reply *rep,
	       void *out)
{
	memset(rep, 0, sizeof(*rep));
	errno = 0;
	rep->ret = exec_op(r, in, rep, out);
	rep->err = rep->ret < 0 ? errno : 0;
}
