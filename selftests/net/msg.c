// SPDX-License-Identifier: GPL-2.0
/*
 * send() and recv() in all their forms and flags, except urgent data (oob.c).
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=240
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#define SEED 7
#define BIG (4 << 20)

static char buf[BIG];

/* The agent sends / verifies n bytes of the stream from an offset. */
static void peer_sends(int pfd, long n, long off)
{
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, n, off, 0, SEED), n);
}

static void peer_expects(int pfd, long n, long off)
{
	long got = p_do(st.peer, P_RECVALL, pfd, n, off, 0, SEED);

	if (got != n)
		st_die(__FILE__, __LINE__, "peer got %ld of %ld, errno %d, at %lld",
		       got, n, errno, (long long)peer_out(st.peer, 1));
}

static void verify(long off, const void *p, long n)
{
	long bad = pat_check(SEED, off, p, n);

	if (bad >= 0)
		st_die(__FILE__, __LINE__, "wrong byte at stream offset %ld",
		       off + bad);
}

static long read_full(int fd, void *p, long n)
{
	long done = 0, k;

	while (done < n && (k = recv(fd, (char *)p + done, n - done, 0)) > 0)
		done += k;
	return done;
}

static void t_simple(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	pat_fill(SEED, 0, buf, 100);
	EQ(write(fd, buf, 10), 10);
	EQ(send(fd, buf + 10, 20, 0), 20);
	EQ(sendto(fd, buf + 30, 10, 0, (void *)&(struct sockaddr_in){ .sin_family =
		  AF_INET }, sizeof(struct sockaddr_in)), 10);
	peer_expects(pfd, 40, 0);
	peer_sends(pfd, 1000, 0);
	EQ(st_wait_inq(fd, 1000), 1000);
	EQ(read(fd, buf, 100), 100);
	verify(0, buf, 100);
	EQ(recv(fd, buf, 200, 0), 200);
	verify(100, buf, 200);
	EQ(st_inq(fd), 700);
	EQ(recv(fd, buf, sizeof(buf), 0), 700);
	verify(300, buf, 700);
	EQ(st_inq(fd), 0);
}

static void t_recvfrom(void)
{
	struct sockaddr_storage ss;
	socklen_t l = sizeof(ss);
	int fd, pfd;

	st_pair(&fd, &pfd);
	peer_sends(pfd, 10, 0);
	EQ(recvfrom(fd, buf, 10, 0, (void *)&ss, &l), 10);
	EQ(l, 0);
}

static void t_iov(void)
{
	struct iovec v[4] = { { buf, 3 }, { buf + 3, 0 }, { buf + 3, 5000 },
			      { buf + 5003, 70000 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 4 };
	int fd, pfd;

	st_pair(&fd, &pfd);
	pat_fill(SEED, 0, buf, 75003);
	EQ(writev(fd, v, 4), 75003);
	peer_expects(pfd, 75003, 0);
	pat_fill(SEED, 75003, buf, 75003);
	EQ(sendmsg(fd, &m, 0), 75003);
	peer_expects(pfd, 75003, 75003);

	peer_sends(pfd, 6000, 0);
	EQ(st_wait_inq(fd, 6000), 6000);
	memset(buf, 0, sizeof(buf));
	EQ(readv(fd, v, 4), 6000);
	verify(0, buf, 6000);
	peer_sends(pfd, 75003, 6000);
	memset(buf, 0, sizeof(buf));
	m.msg_flags = -1;
	EQ(recvmsg(fd, &m, MSG_WAITALL), 75003);
	verify(6000, buf, 75003);
	EQ(m.msg_flags & ~MSG_CMSG_CLOEXEC, 0);
	EQ(m.msg_controllen, 0);
}

static void t_mmsg(void)
{
	struct iovec v[3] = { { buf, 10 }, { buf + 10, 20 }, { buf + 30, 30 } };
	struct mmsghdr m[3] = {};
	int fd, pfd;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 3; i++)
		m[i].msg_hdr = (struct msghdr){ .msg_iov = &v[i], .msg_iovlen = 1 };
	pat_fill(SEED, 0, buf, 60);
	EQ(sendmmsg(fd, m, 3, 0), 3);
	peer_expects(pfd, 60, 0);
	peer_sends(pfd, 60, 0);
	EQ(st_wait_inq(fd, 60), 60);
	EQ(recvmmsg(fd, m, 3, 0, NULL), 3);
	EQ(m[2].msg_len, 30);
	verify(0, buf, 60);
}

static void t_dontwait(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	FAILS(recv(fd, buf, 1, MSG_DONTWAIT), EAGAIN);
	FAILS(recv(fd, buf, 1, MSG_DONTWAIT | MSG_PEEK), EAGAIN);
	FAILS(recv(fd, buf, 1, MSG_DONTWAIT | MSG_WAITALL), EAGAIN);
	FAILS(recv(fd, buf, 0, MSG_DONTWAIT), EAGAIN);
	FAILS(recv(fd, buf, 10, MSG_ERRQUEUE), EAGAIN);
	st_nonblock(fd, true);
	FAILS(read(fd, buf, 1), EAGAIN);
	peer_sends(pfd, 5, 0);
	EQ(st_wait(fd, POLLIN), POLLIN);
	EQ(recv(fd, buf, 10, MSG_DONTWAIT | MSG_WAITALL), 5);
	verify(0, buf, 5);
	EQ(send(fd, buf, 0, 0), 0);
	EQ(st_poll(fd, POLLIN | POLLOUT, 0), POLLOUT);
}

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void t_peek(void)
{
	struct timeval limit = { .tv_usec = 500000 }, never = {};
	int fd, pfd;
	long spent;

	st_pair(&fd, &pfd);
	/* Several chunks, so that a peek must walk over their borders. */
	peer_sends(pfd, 1000, 0);
	peer_sends(pfd, 5000, 1000);
	peer_sends(pfd, 3000, 6000);
	EQ(st_wait_inq(fd, 9000), 9000);
	for (int i = 0; i < 3; i++) {
		memset(buf, 0, 9000);
		EQ(recv(fd, buf, sizeof(buf), MSG_PEEK), 9000);
		verify(0, buf, 9000);
	}
	EQ(recv(fd, buf, 10, MSG_PEEK), 10);
	EQ(recv(fd, buf, 2500, 0), 2500);
	verify(0, buf, 2500);
	EQ(recv(fd, buf, 6500, MSG_PEEK | MSG_WAITALL), 6500);
	verify(2500, buf, 6500);
	EQ(st_inq(fd), 6500);
	EQ(recv(fd, buf, 6500, MSG_WAITALL), 6500);
	verify(2500, buf, 6500);
	/* A peek waits for its WAITALL, and does nothing meanwhile. */
	peer_sends(pfd, 500, 9000);
	EQ(st_wait_inq(fd, 500), 500);
	spent = cpu_ms();
	EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	EQ(recv(fd, buf, 4000, MSG_PEEK | MSG_WAITALL), 500);
	EXPECT(cpu_ms() - spent < 150);
	EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never)), 0);
	p_post(st.peer, P_SENDALL, pfd, 3500, 9500, 0, SEED);
	EQ(recv(fd, buf, 4000, MSG_PEEK | MSG_WAITALL), 4000);
	verify(9000, buf, 4000);
	EQ(p_done(st.peer), 3500);
	EQ(recv(fd, buf, 9999, 0), 4000);
	verify(9000, buf, 4000);
	p_do(st.peer, P_CLOSE, pfd);
	EQ(recv(fd, buf, 10, MSG_PEEK), 0);
	EQ(recv(fd, buf, 10, 0), 0);
}

/* The sender waits for room that reading has made, and nobody has told it of. */
static void t_peek_room(void)
{
	int fd, pfd;

	st_pair_opts(&fd, &pfd, 65536, 0);
	p_post(st.peer, P_SENDALL, pfd, 300000, 0, 0, SEED);
	for (long off = 0; off < 300000; off += 30000) {
		long n = 300000 - off < 40000 ? 300000 - off : 40000;

		EQ(recv(fd, buf, n, MSG_PEEK | MSG_WAITALL), n);
		verify(off, buf, n);
		EQ(recv(fd, buf, 30000, MSG_WAITALL), 30000);
	}
	EQ(p_done(st.peer), 300000);
}

/* Peek across the end of the ring: fill and drain by odd amounts. */
static void t_peek_wrap(void)
{
	long off = 0, n = 30011;
	int fd, pfd;

	st_pair_opts(&fd, &pfd, 65536, 65536);
	for (int i = 0; i < 30; i++, off += n) {
		peer_sends(pfd, n, off);
		EQ(recv(fd, buf, n, MSG_PEEK | MSG_WAITALL), n);
		verify(off, buf, n);
		memset(buf, 0, n);
		EQ(recv(fd, buf, n, MSG_WAITALL), n);
		verify(off, buf, n);
	}
}

static void t_waitall(void)
{
	struct peer *t;
	int fd, pfd;

	st_pair(&fd, &pfd);
	t = peer_thread(st.peer);
	REQUIRE(t);
	peer_sends(pfd, 10, 0);
	p_post(t, P_SLEEP, 0, 100);
	p_post(t, P_SENDALL, pfd, 90, 10, 0, SEED);
	EQ(recv(fd, buf, 100, MSG_WAITALL), 100);
	verify(0, buf, 100);
	EQ(p_done(t), 0);
	EQ(p_done(t), 90);
	/* More than any buffer holds. */
	p_post(t, P_SENDALL, pfd, 3000000, 100, 0, SEED);
	EQ(recv(fd, buf, 3000000, MSG_WAITALL), 3000000);
	verify(100, buf, 3000000);
	EQ(p_done(t), 3000000);
	/* The end of the stream ends the wait. */
	peer_sends(pfd, 7, 3000100);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EQ(recv(fd, buf, 100, MSG_WAITALL), 7);
	verify(3000100, buf, 7);
	EQ(recv(fd, buf, 100, MSG_WAITALL), 0);
}

static void t_trunc(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	peer_sends(pfd, 10000, 0);
	EQ(st_wait_inq(fd, 10000), 10000);
	EQ(recv(fd, NULL, 4000, MSG_TRUNC), 4000);
	EQ(recv(fd, buf, 1000, 0), 1000);
	verify(4000, buf, 1000);
	EQ(recv(fd, NULL, 3000, MSG_TRUNC | MSG_PEEK), 3000);
	EQ(recv(fd, NULL, 99999, MSG_TRUNC), 5000);
	FAILS(recv(fd, NULL, 10, MSG_TRUNC | MSG_DONTWAIT), EAGAIN);
}

static void t_more(void)
{
	long off = 0;
	int fd, pfd;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 50; i++, off += 300) {
		pat_fill(SEED, off, buf, 300);
		EQ(send(fd, buf, 100, MSG_MORE), 100);
		EQ(send(fd, buf + 100, 100, MSG_MORE), 100);
		EQ(send(fd, buf + 200, 100, 0), 100);
		peer_expects(pfd, 300, off);
	}
	/* What is held back goes out by itself after a while... */
	pat_fill(SEED, off, buf, 600);
	EQ(send(fd, buf, 100, MSG_MORE), 100);
	peer_expects(pfd, 100, off);
	/* ... at a shutdown, and does not get lost. */
	EQ(send(fd, buf + 100, 100, MSG_MORE), 100);
	EQ(shutdown(fd, SHUT_WR), 0);
	peer_expects(pfd, 100, off + 100);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
}

static volatile int pipes;

static void on_pipe(int sig)
{
	pipes++;
}

static void t_sigpipe(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	signal(SIGPIPE, on_pipe);
	EQ(shutdown(fd, SHUT_WR), 0);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	EQ(pipes, 0);
	FAILS(send(fd, "x", 1, 0), EPIPE);
	EQ(pipes, 1);
	FAILS(write(fd, "x", 1), EPIPE);
	EQ(pipes, 2);
}

static void t_peer_gone(void)
{
	uint64_t end;
	int fd, pfd;

	st_pair(&fd, &pfd);
	signal(SIGPIPE, on_pipe);
	p_do(st.peer, P_CLOSE, pfd);
	EXPECT(st_wait(fd, POLLIN | POLLRDHUP) & POLLRDHUP);
	EQ(recv(fd, buf, 10, 0), 0);
	/* The first send is answered by a reset, a later one fails. */
	end = st_now_ms() + st_ms(5000);
	while (send(fd, "x", 1, MSG_NOSIGNAL) == 1 && st_now_ms() < end)
		st_sleep_ms(5);
	EXPECT(errno == EPIPE || errno == ECONNRESET);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	EQ(pipes, 0);
	FAILS(send(fd, "x", 1, 0), EPIPE);
	EQ(pipes, 1);
}

/* Fills the stream until EAGAIN; the peer reads; writable again; no byte lost. */
static void t_full(void)
{
	long off = 0, got = 0;
	int fd, pfd;

	st_pair_opts(&fd, &pfd, 65536, 65536);
	st_nonblock(fd, true);
	for (int round = 0; round < 5; round++) {
		long k, n = 10007;
		int idle = 0;

		while (idle < 10) {
			pat_fill(SEED, off, buf, n);
			k = send(fd, buf, n, 0);
			if (k < 0) {
				EQ(errno, EAGAIN);
				idle++;
				st_sleep_ms(5);
				continue;
			}
			REQUIRE(k > 0 && k <= n);
			off += k;
			idle = 0;
		}
		/* Readable side stays usable while the other is full. */
		EQ(st_poll(fd, POLLIN, 0), 0);
		p_post(st.peer, P_RECVALL, pfd, off - got, got, 0, SEED);
		EQ(st_wait(fd, POLLOUT), POLLOUT);
		MUST_EQ(p_done(st.peer), off - got);
		got = off;
	}
}

/* A blocking send is never short. */
static void t_blocking_big(void)
{
	struct peer *t;
	int fd, pfd;

	st_pair_opts(&fd, &pfd, 65536, 65536);
	t = peer_thread(st.peer);
	REQUIRE(t);
	for (int i = 0; i < 3; i++) {
		long n = i == 1 ? BIG - 1 : BIG;

		pat_fill(SEED, 0, buf, n);
		p_post(t, P_RECVALL, pfd, n, 0, 0, SEED);
		EQ(send(fd, buf, n, 0), n);
		EQ(p_done(t), n);
	}
}

static void t_timeouts(void)
{
	struct timeval tv = { .tv_usec = 150000 };
	uint64_t t0;
	int fd, pfd;
	long n = 0, k;

	st_pair_opts(&fd, &pfd, 65536, 65536);
	EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	EQ(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)), 0);
	t0 = st_now_ms();
	FAILS(recv(fd, buf, 1, 0), EAGAIN);
	EXPECT(st_now_ms() - t0 >= 130 && st_now_ms() - t0 < st_ms(3000));
	peer_sends(pfd, 5, 0);
	EQ(recv(fd, buf, 10, MSG_WAITALL), 5);
	while ((k = send(fd, buf, 50000, 0)) == 50000)
		REQUIRE((n += k) < 64 << 20);
	t0 = st_now_ms();
	/* Some more may fit until nothing moves. */
	while (k > 0)
		k = send(fd, buf, 50000, 0);
	EQ(k, -1);
	EQ(errno, EAGAIN);
	tv.tv_usec = 0;
	EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	p_post(st.peer, P_SLEEP, 0, 300);
	p_post(st.peer, P_SENDALL, pfd, 5, 5, 0, SEED);
	EQ(recv(fd, buf, 5, 0), 5);
	verify(5, buf, 5);
}

static void t_lowat(void)
{
	struct timeval tv = { .tv_usec = 100000 };
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(st_set_int(fd, SOL_SOCKET, SO_RCVLOWAT, 100), 0);
	EQ(st_int_opt(fd, SOL_SOCKET, SO_RCVLOWAT), 100);
	peer_sends(pfd, 99, 0);
	EQ(st_wait_inq(fd, 99), 99);
	EQ(st_poll(fd, POLLIN, 30), 0);
	EQ(recv(fd, buf, 99, MSG_DONTWAIT), 99);
	verify(0, buf, 99);
	/* The sleeper stays asleep for the first part. */
	p_post(st.peer, P_SLEEP, 0, 50);
	p_post(st.peer, P_SENDALL, pfd, 60, 99, 0, SEED);
	p_post(st.peer, P_SLEEP, 0, 100);
	p_post(st.peer, P_SENDALL, pfd, 60, 159, 0, SEED);
	EQ(recv(fd, buf, 1000, 0), 120);
	verify(99, buf, 120);
	for (int i = 0; i < 4; i++)
		EQ(p_done(st.peer), i & 1 ? 60 : 0);
	EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	peer_sends(pfd, 50, 219);
	EQ(recv(fd, buf, 1000, 0), 50);
	peer_sends(pfd, 50, 269);
	EQ(st_wait_inq(fd, 50), 50);
	/* The end counts as readable, whatever the mark. */
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EXPECT(st_wait(fd, POLLIN) & POLLIN);
	EQ(recv(fd, buf, 1000, 0), 50);
	EQ(recv(fd, buf, 1000, 0), 0);
}

/* A bad pointer costs an error, no data. */
static void t_efault(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd, pfd;

	st_pair(&fd, &pfd);
	munmap(page + 4096, 4096);
	FAILS(send(fd, page + 4096, 100, 0), EFAULT);
	FAILS(send(fd, (void *)-4096l, 100, 0), EFAULT);
	pat_fill(SEED, 0, buf, 200);
	EQ(send(fd, buf, 200, 0), 200);
	peer_expects(pfd, 200, 0);
	peer_sends(pfd, 2000, 0);
	EQ(st_wait_inq(fd, 2000), 2000);
	FAILS(recv(fd, page + 4096, 2000, 0), EFAULT);
	EQ(st_inq(fd), 2000);
	EQ(recv(fd, buf, 2000, 0), 2000);
	verify(0, buf, 2000);
}

/* One byte at a time, both ways: wrap, small messages, window updates. */
static void t_pingpong(void)
{
	struct peer *t;
	int fd, pfd;

	st_pair(&fd, &pfd);
	t = peer_thread(st.peer);
	REQUIRE(t);
	p_post(t, P_ECHO, pfd);
	for (int i = 0; i < 400; i++) {
		long n = 1 + i * i % 3001;

		pat_fill(SEED, i, buf, n);
		MUST_EQ(send(fd, buf, n, 0), n);
		MUST_EQ(read_full(fd, buf + 8192, n), n);
		verify(i, buf + 8192, n);
	}
	EQ(shutdown(fd, SHUT_WR), 0);
	EXPECT(p_done(t) > 0);
	p_do(st.peer, P_CLOSE, pfd);
	EQ(recv(fd, buf, 1, 0), 0);
}

struct worker {
	pthread_t t;
	int fd;
	long sum;
};

static void *drainer(void *arg)
{
	struct worker *w = arg;
	char b[777];
	long k;

	while ((k = recv(w->fd, b, sizeof(b), 0)) > 0)
		w->sum += k;
	return NULL;
}

/* Several readers of one socket: each byte goes to exactly one of them. */
static void t_readers(void)
{
	struct worker w[4];
	long sum = 0;
	int fd, pfd;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 4; i++) {
		w[i] = (struct worker){ .fd = fd };
		pthread_create(&w[i].t, NULL, drainer, &w[i]);
	}
	peer_sends(pfd, 1000000, 0);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	for (int i = 0; i < 4; i++) {
		pthread_join(w[i].t, NULL);
		sum += w[i].sum;
	}
	EQ(sum, 1000000);
}

/* Small writes by several threads stay whole: each is one send(). */
static void *writer(void *arg)
{
	struct worker *w = arg;
	char b[64];

	memset(b, 'a' + w->sum, sizeof(b));
	for (int i = 0; i < 500; i++)
		if (send(w->fd, b, sizeof(b), 0) != sizeof(b))
			return w;
	return NULL;
}

static void t_writers(void)
{
	long count[4] = {}, n = 4 * 500 * 64;
	struct worker w[4];
	int fd, pfd;
	void *bad;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 4; i++) {
		w[i] = (struct worker){ .fd = fd, .sum = i };
		pthread_create(&w[i].t, NULL, writer, &w[i]);
	}
	MUST_EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ n, MSG_WAITALL },
			  NULL, 0, buf, n), n);
	for (int i = 0; i < 4; i++) {
		pthread_join(w[i].t, &bad);
		EXPECT(!bad);
	}
	for (long i = 0; i < n; i++) {
		REQUIRE(buf[i] >= 'a' && buf[i] < 'e');
		REQUIRE(buf[i] == buf[i / 64 * 64]);
		count[buf[i] - 'a']++;
	}
	for (int i = 0; i < 4; i++)
		EQ(count[i], 500 * 64);
}

static volatile int alarms;

static void on_alarm(int sig)
{
	alarms++;
}

static void t_interrupted(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = { .it_value = { .tv_usec = 100000 } };
	int fd, pfd;

	st_pair(&fd, &pfd);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	FAILS(recv(fd, buf, 10, 0), EINTR);
	peer_sends(pfd, 4, 0);
	setitimer(ITIMER_REAL, &it, NULL);
	EQ(recv(fd, buf, 10, MSG_WAITALL), 4);
	verify(0, buf, 4);
	sa.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	p_post(st.peer, P_SLEEP, 0, 300);
	p_post(st.peer, P_SENDALL, pfd, 4, 4, 0, SEED);
	EQ(recv(fd, buf, 4, 0), 4);
	verify(4, buf, 4);
	EQ(alarms, 3);
}

/*
 * An application that answers in two writes, and now and then in one. Whatever is held back to
 * be joined with what used to follow must go out soon, although nobody reads or writes meanwhile.
 */
static void t_turns(void)
{
	long off = 0, n;
	int fd, pfd;
	uint64_t t0;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 40; i++) {
		peer_sends(pfd, 1, i);
		MUST_EQ(recv(fd, buf, sizeof(buf), 0), 1);
		n = i % 5 == 4 ? 100 : 300;
		pat_fill(SEED, off, buf, n);
		t0 = st_now_ms();
		MUST_EQ(send(fd, buf, 100, 0), 100);
		if (n > 100)
			MUST_EQ(send(fd, buf + 100, n - 100, 0), n - 100);
		peer_expects(pfd, n, off);
		EXPECT(st_now_ms() - t0 < st_ms(1000));
		off += n;
	}
	/* what is held back when the application closes comes before the end */
	pat_fill(SEED, off, buf, 100);
	MUST_EQ(send(fd, buf, 100, 0), 100);
	close(fd);
	peer_expects(pfd, 100, off);
	EQ(p_do(st.peer, P_RECVALL, pfd, 1, off, 0, SEED), 0);
}

static const struct st_case cases[] = {
	{ "send and recv", t_simple, true },
	{ "recvfrom address", t_recvfrom, true },
	{ "readv, writev, sendmsg, recvmsg", t_iov, true },
	{ "sendmmsg, recvmmsg", t_mmsg, true },
	{ "MSG_DONTWAIT", t_dontwait, true },
	{ "MSG_PEEK", t_peek, true },
	{ "MSG_PEEK, sender without room", t_peek_room, true, .exists = st_two_machines },	/* TCP has less room */
	{ "MSG_PEEK over the wrap", t_peek_wrap, true },
	{ "MSG_WAITALL", t_waitall, true },
	{ "MSG_TRUNC", t_trunc, true },
	{ "MSG_MORE", t_more, true },
	{ "MSG_NOSIGNAL, SIGPIPE", t_sigpipe, true },
	{ "send to a closed peer", t_peer_gone, true },
	{ "full", t_full, true },
	{ "blocking send of 4 MiB", t_blocking_big, true, .secs = 40 },
	{ "SO_RCVTIMEO, SO_SNDTIMEO", t_timeouts, true },
	{ "SO_RCVLOWAT", t_lowat, true },
	{ "bad pointers", t_efault, true },
	{ "ping-pong", t_pingpong, true },
	{ "four readers", t_readers, true },
	{ "four writers", t_writers, true },
	{ "interrupted", t_interrupted, true },
	{ "answers in pieces", t_turns, .roles = true, .secs = 60 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "msg", cases, ARRAY_SIZE(cases));
}
