// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring on stream sockets: connect, accept, send, recv, poll, in flight
 * before the connection exists. Raw system calls: no library in the guests.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=120
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <linux/io_uring.h>

#define SEED 17
#define DEPTH 64

static char buf[1 << 20];

struct ring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
};

static struct ring r;

static void ring_open(void)
{
	struct io_uring_params p = {};
	char *sq, *cq;

	r.fd = syscall(SYS_io_uring_setup, DEPTH, &p);
	if (r.fd < 0)
		st_skip("no io_uring here: %s", strerror(errno));
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_POPULATE, r.fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*r.cqe),
		  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r.fd,
		  IORING_OFF_CQ_RING);
	r.sqe = mmap(NULL, p.sq_entries * sizeof(*r.sqe), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_POPULATE, r.fd, IORING_OFF_SQES);
	REQUIRE(sq != MAP_FAILED && cq != MAP_FAILED && (void *)r.sqe != MAP_FAILED);
	r.sq_tail = (void *)(sq + p.sq_off.tail);
	r.sq_mask = (void *)(sq + p.sq_off.ring_mask);
	r.sq_array = (void *)(sq + p.sq_off.array);
	r.cq_head = (void *)(cq + p.cq_off.head);
	r.cq_tail = (void *)(cq + p.cq_off.tail);
	r.cq_mask = (void *)(cq + p.cq_off.ring_mask);
	r.cqe = (void *)(cq + p.cq_off.cqes);
}

static void submit(int op, int fd, const void *addr, unsigned int len,
		   uint64_t off, unsigned int flags, uint64_t id)
{
	unsigned int t = *r.sq_tail, i = t & *r.sq_mask;
	struct io_uring_sqe *s = &r.sqe[i];

	memset(s, 0, sizeof(*s));
	s->opcode = op;
	s->fd = fd;
	s->addr = (uintptr_t)addr;
	s->len = len;
	s->off = off;
	s->msg_flags = flags;	/* also accept_flags, poll32_events */
	s->user_data = id;
	r.sq_array[i] = i;
	__atomic_store_n(r.sq_tail, t + 1, __ATOMIC_RELEASE);
	MUST_EQ(syscall(SYS_io_uring_enter, r.fd, 1, 0, 0, NULL, 0), 1);
}

/* Takes one completion within the time. Return: its id, 0 = none. */
static uint64_t reap(int ms, int *res)
{
	struct io_uring_cqe *c;
	uint64_t id;

	if (*r.cq_head == __atomic_load_n(r.cq_tail, __ATOMIC_ACQUIRE) &&
	    !(st_poll(r.fd, POLLIN, ms) & POLLIN))
		return 0;
	syscall(SYS_io_uring_enter, r.fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0);
	if (*r.cq_head == __atomic_load_n(r.cq_tail, __ATOMIC_ACQUIRE))
		return 0;
	c = &r.cqe[*r.cq_head & *r.cq_mask];
	id = c->user_data;
	*res = c->res;
	__atomic_store_n(r.cq_head, *r.cq_head + 1, __ATOMIC_RELEASE);
	return id;
}

static int result(uint64_t want)
{
	uint64_t id;
	int res = 0;

	id = reap(st_ms(5000), &res);
	MUST_EQ(id, want);
	return res;
}

static int peer_listener(int *port)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int ls = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
		      st.mode->proto);

	MUST_EQ(peer_call(st.peer, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, ls, 16), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL, 0, &ss,
			  sizeof(ss)), 0);
	*port = st_addr_port(&ss);
	return ls;
}

static void t_connect(void)
{
	struct sockaddr_storage ss;
	int port, ls, res;

	ring_open();
	ls = peer_listener(&port);
	for (int nb = 0; nb < 2; nb++) {
		int fd = st_socket(nb ? SOCK_NONBLOCK : 0), pfd;
		socklen_t l = st_addr(&ss, true, port);

		submit(IORING_OP_CONNECT, fd, &ss, 0, l, 0, 1);
		res = result(1);
		/* A non-blocking socket is told so, as with connect(). */
		if (nb && res == -EINPROGRESS) {
			EQ(st_wait(fd, POLLOUT), POLLOUT);
			EQ(st_so_error(fd), 0);
			res = 0;
		}
		EQ(res, 0);
		st_prove(fd);
		pfd = p_do(st.peer, P_ACCEPT, ls, 0, st_ms(5000));
		REQUIRE(pfd >= 0);
		pat_fill(SEED, 0, buf, 5000);
		submit(IORING_OP_SEND, fd, buf, 5000, 0, 0, 2);
		EQ(result(2), 5000);
		EQ(p_do(st.peer, P_RECVALL, pfd, 5000, 0, 0, SEED), 5000);
		submit(IORING_OP_CONNECT, fd, &ss, 0, l, 0, 3);
		res = result(3);
		EXPECT(res == -EISCONN || (nb && res == 0));
		close(fd);
		p_do(st.peer, P_CLOSE, pfd);
	}
}

static void t_refused(void)
{
	struct sockaddr_storage ss;
	int fd = st_socket(0);
	socklen_t l = st_addr(&ss, true, st_unused_port(true));

	ring_open();
	submit(IORING_OP_CONNECT, fd, &ss, 0, l, 0, 1);
	EQ(result(1), -ECONNREFUSED);
	close(fd);
}

static void t_accept(void)
{
	struct sockaddr_storage me, ss = {};
	int port, fd = st_listen(8, &port), pfd, a, res;
	socklen_t l = st_addr(&me, false, port), sl = sizeof(ss);

	ring_open();
	for (int i = 0; i < 5; i++) {
		submit(IORING_OP_ACCEPT, fd, &ss, 0, (uintptr_t)&sl, SOCK_CLOEXEC, 1);
		EQ(reap(20, &res), 0);
		pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
			   st.mode->proto);
		MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l,
				  NULL, 0), 0);
		a = result(1);
		REQUIRE(a >= 0);
		st_prove(a);
		EQ(sl, l);
		EQ(send(a, "x", 1, 0), 1);
		EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 1 }, NULL, 0,
			     buf, 1), 1);
		close(a);
	}
	/* Cancelled by closing the ring. */
	submit(IORING_OP_ACCEPT, fd, &ss, 0, (uintptr_t)&sl, 0, 1);
	close(r.fd);
	close(fd);
}

static void t_recv(void)
{
	int fd, pfd, res;

	ring_open();
	st_pair(&fd, &pfd);
	submit(IORING_OP_RECV, fd, buf, 100, 0, 0, 1);
	EQ(reap(30, &res), 0);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 60, 0, 0, SEED), 60);
	EQ(result(1), 60);
	EQ(pat_check(SEED, 0, buf, 60), -1);
	submit(IORING_OP_RECV, fd, buf, 200000, 0, MSG_WAITALL, 2);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 200000, 60, 0, SEED), 200000);
	EQ(result(2), 200000);
	EQ(pat_check(SEED, 60, buf, 200000), -1);
	submit(IORING_OP_RECV, fd, buf, 100, 0, 0, 3);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EQ(result(3), 0);
	submit(IORING_OP_READ, fd, buf, 100, -1, 0, 4);
	EQ(result(4), 0);
}

static void t_send_big(void)
{
	struct iovec v[2] = { { buf, 400000 }, { buf + 400000, 600000 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
	long n = 1000000;
	struct peer *t;
	int fd, pfd;

	ring_open();
	st_pair_opts(&fd, &pfd, 65536, 65536);
	t = peer_thread(st.peer);
	REQUIRE(t);
	pat_fill(SEED, 0, buf, n);
	p_post(t, P_RECVALL, pfd, n, 0, 0, SEED);
	submit(IORING_OP_SEND, fd, buf, n, 0, MSG_WAITALL, 1);
	EQ(result(1), n);
	EQ(p_done(t), n);
	p_post(t, P_RECVALL, pfd, n, 0, 0, SEED);
	submit(IORING_OP_SENDMSG, fd, &m, 1, 0, MSG_WAITALL, 2);
	EQ(result(2), n);
	EQ(p_done(t), n);
}

static void t_poll(void)
{
	int fd, pfd, res;

	ring_open();
	st_pair(&fd, &pfd);
	submit(IORING_OP_POLL_ADD, fd, NULL, 0, 0, POLLIN, 1);
	EQ(reap(30, &res), 0);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 1), 1);
	EQ(result(1), POLLIN);
	submit(IORING_OP_POLL_ADD, fd, NULL, 0, 0, POLLOUT, 2);
	EQ(result(2), POLLOUT);
	submit(IORING_OP_POLL_ADD, fd, NULL, 0, 0, POLLRDHUP, 3);
	EQ(reap(30, &res), 0);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EXPECT(result(3) & POLLRDHUP);
}

/* A multishot poll armed before connect hears of everything after it. */
static void t_poll_connect(void)
{
	int port, ls, fd = st_socket(SOCK_NONBLOCK), pfd, res;

	ring_open();
	ls = peer_listener(&port);
	submit(IORING_OP_POLL_ADD, fd, NULL, IORING_POLL_ADD_MULTI, 0, POLLIN, 1);
	/* Unconnected sockets report HUP at once. */
	reap(20, &res);
	FAILS(st_connect(fd, port), EINPROGRESS);
	EQ(st_wait(fd, POLLOUT), POLLOUT);
	pfd = p_do(st.peer, P_ACCEPT, ls, 0, st_ms(5000));
	while (reap(20, &res))
		;
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 1), 1);
	EQ(reap(st_ms(5000), &res), 1);
	EXPECT(res & POLLIN);
}

/* Operations in flight on a socket that is reset. */
static void t_reset(void)
{
	struct linger lg = { 1, 0 };
	int fd, pfd;

	ring_open();
	st_pair(&fd, &pfd);
	submit(IORING_OP_RECV, fd, buf, 100, 0, 0, 1);
	MUST_EQ(peer_call(st.peer, P_SETSOCKOPT, pfd, (int64_t[4]){ SOL_SOCKET,
			  SO_LINGER }, &lg, sizeof(lg), NULL, 0), 0);
	p_do(st.peer, P_CLOSE, pfd);
	EQ(result(1), -ECONNRESET);
}

static void t_shutdown_close(void)
{
	int fd, pfd;

	ring_open();
	st_pair(&fd, &pfd);
	submit(IORING_OP_SHUTDOWN, fd, NULL, SHUT_WR, 0, 0, 1);
	EQ(result(1), 0);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
	submit(IORING_OP_CLOSE, fd, NULL, 0, 0, 0, 2);
	EQ(result(2), 0);
}

/* Many receives and sends of one socket in flight at once. */
static void t_many(void)
{
	struct peer *t;
	int fd, pfd, res;
	long sum = 0;

	ring_open();
	st_pair(&fd, &pfd);
	t = peer_thread(st.peer);
	REQUIRE(t);
	for (int i = 0; i < 16; i++)
		submit(IORING_OP_RECV, fd, buf + i * 1000, 1000, 0, 0, 100 + i);
	p_post(t, P_SENDALL, pfd, 8000, 0, 0, SEED);
	EQ(p_done(t), 8000);
	st_sleep_ms(50);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	for (int i = 0; i < 16; i++) {
		REQUIRE(reap(st_ms(5000), &res) >= 100);
		REQUIRE(res >= 0);
		sum += res;
	}
	EQ(sum, 8000);
}

static const struct st_case cases[] = {
	{ "connect", t_connect },
	{ "connect refused", t_refused },
	{ "accept", t_accept },
	{ "recv", t_recv, true },
	{ "send, sendmsg of 1 MB", t_send_big, true },
	{ "poll", t_poll, true },
	{ "multishot poll over connect", t_poll_connect },
	{ "reset", t_reset, true },
	{ "shutdown, close", t_shutdown_close, true },
	{ "many in flight", t_many, true },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "uring", cases, ARRAY_SIZE(cases));
}
