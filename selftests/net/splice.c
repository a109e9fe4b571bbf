// SPDX-License-Identifier: GPL-2.0
/*
 * sendfile, splice in both directions, tee and vmsplice on stream sockets.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=180
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#define SEED 11

static char buf[1 << 20];

static int make_file(long n)
{
	int fd = memfd_create("splice", MFD_CLOEXEC);
	long off = 0;

	REQUIRE(fd >= 0);
	while (off < n) {
		long k = n - off < sizeof(buf) ? n - off : sizeof(buf);

		pat_fill(SEED, off, buf, k);
		MUST_EQ(pwrite(fd, buf, k, off), k);
		off += k;
	}
	return fd;
}

static void verify(long off, long n)
{
	long bad = pat_check(SEED, off, buf, n);

	if (bad >= 0)
		st_die(__FILE__, __LINE__, "wrong byte at offset %ld", off + bad);
}

static void read_pipe(int fd, long off, long n)
{
	long done = 0;

	while (done < n) {
		long k = read(fd, buf + done, n - done);

		REQUIRE(k > 0);
		done += k;
	}
	verify(off, n);
}

static void t_sendfile(void)
{
	long n = 3000000, done = 0;
	int fd, pfd, f = make_file(n);
	off_t off = 0;

	st_pair(&fd, &pfd);
	p_post(st.peer, P_RECVALL, pfd, n, 0, 0, SEED);
	while (done < n) {
		long k = sendfile(fd, f, &off, n - done);

		REQUIRE(k > 0);
		done += k;
		EQ(off, done);
	}
	EQ(p_done(st.peer), n);
	/* From the end of the file: nothing. */
	EQ(sendfile(fd, f, &off, 100), 0);
}

/* The file changes after sendfile(): only what is sent later may show it. */
static void t_sendfile_odd(void)
{
	long sizes[] = { 1, 4095, 4096, 4097, 12345, 65536, 65537, 200001 };
	long total = 0;
	int fd, pfd, f = make_file(400000);

	st_pair(&fd, &pfd);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		off_t off = total % 7;
		off_t start = off;
		long done = 0;

		p_post(st.peer, P_RECVALL, pfd, sizes[i], start, 0, SEED);
		while (done < sizes[i]) {
			long k = sendfile(fd, f, &off, sizes[i] - done);

			REQUIRE(k > 0);
			done += k;
		}
		MUST_EQ(p_done(st.peer), sizes[i]);
		total += sizes[i];
	}
}

static void t_sendfile_nonblock(void)
{
	long n = 16 << 20, done = 0;
	int fd, pfd, f = make_file(1 << 20);
	struct peer *t;

	st_pair_opts(&fd, &pfd, 65536, 65536);
	st_nonblock(fd, true);
	t = peer_thread(st.peer);
	REQUIRE(t);
	/* The file is sent 16 times, each time as its own stream. */
	for (int i = 0; i < 16; i++)
		p_post(t, P_RECVALL, pfd, 1 << 20, 0, 0, SEED);
	while (done < n) {
		off_t off = done & ((1 << 20) - 1);
		long k = sendfile(fd, f, &off, (1 << 20) - off);

		if (k > 0) {
			done += k;
			continue;
		}
		MUST_EQ(errno, EAGAIN);
		REQUIRE(st_wait(fd, POLLOUT) & POLLOUT);
	}
	for (int i = 0; i < 16; i++)
		MUST_EQ(p_done(t), 1 << 20);
}

static void t_sendfile_closed(void)
{
	int fd, pfd, f = make_file(100000);
	off_t off = 0;

	st_pair(&fd, &pfd);
	EQ(shutdown(fd, SHUT_WR), 0);
	FAILS(sendfile(fd, f, &off, 1000), EPIPE);
}

static void t_splice_to(void)
{
	int fd, pfd, pp[2];
	long off = 0;

	st_pair(&fd, &pfd);
	MUST_EQ(pipe(pp), 0);
	for (int i = 0; i < 40; i++) {
		long n = 1 + i * 1601, k, done = 0;

		if (n > 60000)
			n = 60000;
		pat_fill(SEED, off, buf, n);
		p_post(st.peer, P_RECVALL, pfd, n, off, 0, SEED);
		MUST_EQ(write(pp[1], buf, n), n);
		while (done < n) {
			k = splice(pp[0], NULL, fd, NULL, n - done,
				   i & 1 ? SPLICE_F_MORE : SPLICE_F_MOVE);
			REQUIRE(k > 0);
			done += k;
		}
		MUST_EQ(p_done(st.peer), n);
		off += n;
	}
}

static void t_splice_from(void)
{
	int fd, pfd, pp[2];
	long off = 0;

	st_pair(&fd, &pfd);
	MUST_EQ(pipe(pp), 0);
	for (int i = 0; i < 40; i++) {
		long n = 1 + i * 1501, done = 0;

		p_post(st.peer, P_SENDALL, pfd, n, off, 0, SEED);
		while (done < n) {
			long k = splice(fd, NULL, pp[1], NULL, n - done,
					SPLICE_F_MOVE);

			if (k <= 0)
				st_die(__FILE__, __LINE__, "splice %ld errno %d after %ld of %ld",
				       k, errno, done, n);
			read_pipe(pp[0], off + done, k);
			done += k;
		}
		MUST_EQ(p_done(st.peer), n);
		off += n;
	}
}

static void t_splice_flags(void)
{
	int fd, pfd, pp[2];

	st_pair(&fd, &pfd);
	MUST_EQ(pipe(pp), 0);
	FAILS(splice(fd, &(loff_t){ 0 }, pp[1], NULL, 100, 0), EINVAL);
	FAILS(splice(pp[0], NULL, fd, &(loff_t){ 0 }, 100, 0), EINVAL);
	st_nonblock(fd, true);
	FAILS(splice(fd, NULL, pp[1], NULL, 100, 0), EAGAIN);
	st_nonblock(fd, false);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 1000, 0, 0, SEED), 1000);
	EQ(st_wait_inq(fd, 1000), 1000);
	EQ(splice(fd, NULL, pp[1], NULL, 400, SPLICE_F_NONBLOCK), 400);
	/* recv() goes on behind what the pipe took, still unread there. */
	EQ(recv(fd, buf, 100, 0), 100);
	verify(400, 100);
	EQ(splice(fd, NULL, pp[1], NULL, 9999, 0), 500);
	read_pipe(pp[0], 0, 400);
	read_pipe(pp[0], 500, 500);
	EQ(st_inq(fd), 0);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EQ(splice(fd, NULL, pp[1], NULL, 100, 0), 0);
	EQ(splice(fd, NULL, pp[1], NULL, 100, 0), 0);
}

/* A pipe holds at most 16 pages: what does not fit stays in the socket. */
static void t_splice_pipe_full(void)
{
	long off = 0, n = 300000;
	int fd, pfd, pp[2];
	struct peer *t;

	st_pair(&fd, &pfd);
	st_nonblock(fd, true);
	MUST_EQ(pipe(pp), 0);
	fcntl(pp[1], F_SETPIPE_SZ, 8192);
	t = peer_thread(st.peer);
	REQUIRE(t);
	p_post(t, P_SENDALL, pfd, n, 0, 0, SEED);
	while (off < n) {
		long k = splice(fd, NULL, pp[1], NULL, n, SPLICE_F_NONBLOCK);

		if (k < 0) {
			MUST_EQ(errno, EAGAIN);
			REQUIRE(st_wait(fd, POLLIN) & POLLIN);
			continue;
		}
		REQUIRE(k > 0);
		read_pipe(pp[0], off, k);
		off += k;
	}
	EQ(p_done(t), n);
}

/* Bytes in the pipe outlive the socket. */
static void t_splice_then_close(void)
{
	for (int i = 0; i < 10; i++) {
		int fd, pfd, pp[2];
		long n = 20000, done = 0;

		st_pair(&fd, &pfd);
		MUST_EQ(pipe(pp), 0);
		MUST_EQ(p_do(st.peer, P_SENDALL, pfd, n, 0, 0, SEED), n);
		EQ(st_wait_inq(fd, n), n);
		while (done < n) {
			long k = splice(fd, NULL, pp[1], NULL, n - done,
					SPLICE_F_NONBLOCK);

			if (k <= 0)
				break;
			done += k;
		}
		REQUIRE(done > 0);
		if (i & 1)
			p_do(st.peer, P_CLOSE, pfd);
		close(fd);
		if (i & 2)
			st_sleep_ms(30);
		/* Others may get the memory now: it must not show here. */
		if (i == 4) {
			int f2, p2;

			st_pair(&f2, &p2);
			MUST_EQ(p_do(st.peer, P_SENDALL, p2, n, 0, 0, 99), n);
			st_wait_inq(f2, n);
			close(f2);
		}
		if (i == 9)
			close(pp[0]);
		else
			read_pipe(pp[0], 0, done);
		close(pp[1]);
	}
}

/* tee() of socket data is refused or right, never wrong. */
static void t_tee(void)
{
	int fd, pfd, a[2], b[2];
	long k, n = 8000;

	st_pair(&fd, &pfd);
	MUST_EQ(pipe(a), 0);
	MUST_EQ(pipe(b), 0);
	FAILS(tee(fd, a[1], 100, 0), EINVAL);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, n, 0, 0, SEED), n);
	EQ(st_wait_inq(fd, n), n);
	MUST_EQ(splice(fd, NULL, a[1], NULL, n, 0), n);
	errno = 0;
	k = tee(a[0], b[1], n, SPLICE_F_NONBLOCK);
	if (k > 0) {
		read_pipe(a[0], 0, n);
		close(fd);
		read_pipe(b[0], 0, k);
	} else {
		EXPECT(errno == EFAULT || errno == EINVAL || errno == EAGAIN ||
		       errno == EOPNOTSUPP);
		read_pipe(a[0], 0, n);
	}
}

/* Socket to pipe to socket: a proxy, as haproxy and sendfile chains do it. */
static void t_proxy(void)
{
	int a, pa, b, pb, pp[2];
	long n = 2000000, done = 0;
	struct peer *t[2];

	st_pair(&a, &pa);
	st_pair(&b, &pb);
	MUST_EQ(pipe(pp), 0);
	for (int i = 0; i < 2; i++) {
		t[i] = peer_thread(st.peer);
		REQUIRE(t[i]);
	}
	p_post(t[0], P_SENDALL, pa, n, 0, 0, SEED);
	p_post(t[1], P_RECVALL, pb, n, 0, 0, SEED);
	while (done < n) {
		long k = splice(a, NULL, pp[1], NULL, 65536, 0), m = 0;

		REQUIRE(k > 0);
		while (m < k) {
			long w = splice(pp[0], NULL, b, NULL, k - m,
					SPLICE_F_MORE);

			REQUIRE(w > 0);
			m += w;
		}
		done += k;
	}
	EQ(p_done(t[0]), n);
	EQ(shutdown(b, SHUT_WR), 0);
	EQ(p_done(t[1]), n);
	EQ(p_do(st.peer, P_DRAIN, pb), 0);
}

static void t_vmsplice(void)
{
	struct iovec v = { buf, 40000 };
	int fd, pfd, pp[2];
	long done = 0;

	st_pair(&fd, &pfd);
	MUST_EQ(pipe(pp), 0);
	pat_fill(SEED, 0, buf, 40000);
	MUST_EQ(vmsplice(pp[1], &v, 1, 0), 40000);
	p_post(st.peer, P_RECVALL, pfd, 40000, 0, 0, SEED);
	while (done < 40000) {
		long k = splice(pp[0], NULL, fd, NULL, 40000 - done, 0);

		REQUIRE(k > 0);
		done += k;
	}
	EQ(p_done(st.peer), 40000);
}

struct killer {
	pthread_t t;
	int fd, pp;
	long ret;
};

static void *blocked_splice(void *arg)
{
	struct killer *k = arg;

	k->ret = splice(k->fd, NULL, k->pp, NULL, 1000, 0);
	return NULL;
}

/* A sleeper in splice() holds no lock of the pipe and hears of the end. */
static void t_splice_sleeper(void)
{
	int fd, pfd, pp[2];
	struct killer k;
	char c;

	st_pair(&fd, &pfd);
	MUST_EQ(pipe(pp), 0);
	k = (struct killer){ .fd = fd, .pp = pp[1] };
	pthread_create(&k.t, NULL, blocked_splice, &k);
	st_sleep_ms(50);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	pthread_join(k.t, NULL);
	EQ(k.ret, 0);
	fcntl(pp[0], F_SETFL, O_NONBLOCK);
	FAILS(read(pp[0], &c, 1), EAGAIN);
}

static const struct st_case cases[] = {
	{ "sendfile", t_sendfile, true },
	{ "sendfile, odd sizes", t_sendfile_odd, true },
	{ "sendfile non-blocking", t_sendfile_nonblock, true, .secs = 60 },
	{ "sendfile after shutdown", t_sendfile_closed, true },
	{ "pipe to socket", t_splice_to, true },
	{ "socket to pipe", t_splice_from, true },
	{ "flags and offsets", t_splice_flags, true },
	{ "small pipe", t_splice_pipe_full, true },
	{ "socket closed, pipe full", t_splice_then_close, true },
	{ "tee", t_tee, true },
	{ "proxy", t_proxy, true, .secs = 40 },
	{ "vmsplice", t_vmsplice, true },
	{ "sleeper", t_splice_sleeper, true },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "splice", cases, ARRAY_SIZE(cases));
}
