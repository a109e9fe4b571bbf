// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors that are shared: dup, fork, SCM_RIGHTS, exec, many threads.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=120
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SEED 13

static char buf[65536];

static void send_fd(int un, int fd)
{
	union {
		char b[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = {};
	struct iovec v = { "f", 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = u.b,
			    .msg_controllen = sizeof(u.b) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	MUST_EQ(sendmsg(un, &m, 0), 1);
}

static int recv_fd(int un)
{
	union {
		char b[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = {};
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = u.b,
			    .msg_controllen = sizeof(u.b) };
	int fd = -1;

	MUST_EQ(recvmsg(un, &m, 0), 1);
	REQUIRE(CMSG_FIRSTHDR(&m));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	return fd;
}

static void child_ok(pid_t pid)
{
	int status = -1;

	MUST_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
}

static void t_dup(void)
{
	int fd, pfd, d;

	st_pair(&fd, &pfd);
	d = dup(fd);
	close(fd);
	EQ(send(d, "abc", 3, 0), 3);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 3, MSG_WAITALL }, NULL,
		     0, buf, 3), 3);
	EQ(p_do(st.peer, P_POLL, pfd, POLLIN, 50), 0);
	/* dup2 over it closes the last one. */
	EQ(dup2(0, d), d);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
}

static void t_fork_shared(void)
{
	int fd, pfd, pp[2];
	pid_t pid;

	st_pair(&fd, &pfd);
	MUST_EQ(pipe(pp), 0);
	pid = fork();
	if (!pid) {
		long n = recv(fd, buf, 1000, MSG_WAITALL);

		_exit(n == 1000 && pat_check(SEED, 0, buf, 1000) < 0 &&
		      send(fd, "from child", 10, 0) == 10 ? 0 : 1);
	}
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 1000, 0, 0, SEED), 1000);
	child_ok(pid);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 10, MSG_WAITALL }, NULL,
		     0, buf, 10), 10);
	EXPECT(!memcmp(buf, "from child", 10));
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 500, 1000, 0, SEED), 500);
	EQ(recv(fd, buf, 500, MSG_WAITALL), 500);
	EQ(pat_check(SEED, 1000, buf, 500), -1);
}

/* Pre-forked servers: several processes sleep in accept() of one listener. */
static void t_fork_accept(void)
{
	struct sockaddr_storage me;
	int port, fd = st_listen(16, &port);
	socklen_t l = st_addr(&me, false, port);
	pid_t pid[4];

	for (int i = 0; i < 4; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			for (int k = 0; k < 5; k++) {
				int a = accept(fd, NULL, NULL);

				if (a < 0 || recv(a, buf, 4, MSG_WAITALL) != 4 ||
				    send(a, "pong", 4, 0) != 4)
					_exit(1);
				close(a);
			}
			_exit(0);
		}
	}
	close(fd);
	for (int i = 0; i < 20; i++) {
		int pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
			       st.mode->proto);

		MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l,
				  NULL, 0), 0);
		MUST_EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, "ping",
				  4, NULL, 0), 4);
		MUST_EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 4,
				  MSG_WAITALL }, NULL, 0, buf, 4), 4);
		p_do(st.peer, P_CLOSE, pfd);
	}
	for (int i = 0; i < 4; i++)
		child_ok(pid[i]);
}

static void t_pass(void)
{
	int fd, pfd, un[2], got;
	pid_t pid;

	st_pair(&fd, &pfd);
	MUST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, un), 0);
	send_fd(un[0], fd);
	close(fd);
	/* In flight nobody holds it but the queue. */
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 1000, 0, 0, SEED), 1000);
	st_sleep_ms(50);
	pid = fork();
	if (!pid) {
		got = recv_fd(un[1]);
		if (recv(got, buf, 1000, MSG_WAITALL) != 1000 ||
		    pat_check(SEED, 0, buf, 1000) >= 0)
			_exit(1);
		_exit(send(got, "ok", 2, 0) != 2);
	}
	close(un[0]);
	close(un[1]);
	child_ok(pid);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 2, MSG_WAITALL }, NULL,
		     0, buf, 2), 2);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
}

static void t_pass_listener(void)
{
	struct sockaddr_storage me;
	int port, fd = st_listen(16, &port), un[2], got, a, pfd;
	socklen_t l = st_addr(&me, false, port);

	MUST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, un), 0);
	send_fd(un[0], fd);
	close(fd);
	got = recv_fd(un[1]);
	pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l, NULL, 0), 0);
	a = accept(got, NULL, NULL);
	REQUIRE(a >= 0);
	st_prove(a);
	EQ(send(a, "x", 1, 0), 1);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 1 }, NULL, 0, buf, 1), 1);
}

/* A socket dropped while in flight: the garbage collector closes it. */
static void t_pass_dropped(void)
{
	uint64_t end = st_now_ms() + st_ms(10000);
	int fd, pfd, un[2];

	st_pair(&fd, &pfd);
	MUST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, un), 0);
	send_fd(un[0], fd);
	send_fd(un[0], un[1]);
	close(fd);
	close(un[0]);
	close(un[1]);
	/* Releasing any UNIX socket starts the collector. */
	do {
		MUST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, un), 0);
		close(un[0]);
		close(un[1]);
	} while (!p_do(st.peer, P_POLL, pfd, POLLIN, 100) && st_now_ms() < end);
	EQ(p_do(st.peer, P_POLL, pfd, POLLIN, 0), POLLIN);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
}

static void t_cloexec(void)
{
	int fd, pfd;
	char num[16];
	pid_t pid;

	st_pair(&fd, &pfd);
	fcntl(fd, F_SETFD, 0);
	snprintf(num, sizeof(num), "%d", fd);
	pid = fork();
	if (!pid) {
		dup2(fd, 1);
		execl("/bin/sh", "sh", "-c", "echo hello", NULL);
		_exit(1);
	}
	child_ok(pid);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 6, MSG_WAITALL }, NULL,
		     0, buf, 6), 6);
	EXPECT(!memcmp(buf, "hello\n", 6));
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "sleep 0.3", NULL);
		_exit(1);
	}
	st_sleep_ms(100);
	close(fd);
	/* The child does not hold it: the end is seen before it exits. */
	EQ(p_do(st.peer, P_POLL, pfd, POLLIN, st_ms(150)) & POLLIN, POLLIN);
	child_ok(pid);
}

struct reader {
	pthread_t t;
	int fd;
	long got;
};

static void *blocked(void *arg)
{
	struct reader *r = arg;

	r->got = recv(r->fd, buf, 10, 0);
	return NULL;
}

/* close() while another thread sleeps in recv(): the sleeper keeps the socket. */
static void t_close_under(void)
{
	struct reader r;
	int fd, pfd;

	st_pair(&fd, &pfd);
	r = (struct reader){ .fd = fd };
	pthread_create(&r.t, NULL, blocked, &r);
	st_sleep_ms(50);
	close(fd);
	EQ(p_do(st.peer, P_POLL, pfd, POLLIN, 50), 0);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 5, 0, 0, SEED), 5);
	pthread_join(r.t, NULL);
	EQ(r.got, 5);
	EQ(p_do(st.peer, P_DRAIN, pfd), 0);
}

/* A process killed in the middle of everything leaves no socket behind. */
static void t_killed(void)
{
	for (int i = 0; i < 6; i++) {
		int fd, pfd;
		pid_t pid;

		st_pair(&fd, &pfd);
		pid = fork();
		if (!pid) {
			if (i % 3 == 0)
				recv(fd, buf, 10, 0);
			else if (i % 3 == 1)
				for (;;)
					send(fd, buf, sizeof(buf), 0);
			else
				st_poll(fd, POLLPRI, -1);
			_exit(0);
		}
		close(fd);
		st_sleep_ms(30);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		for (;;) {
			long k = peer_call(st.peer, P_READ_RAW, pfd,
					   (int64_t[4]){ 65536 }, NULL, 0, buf, 1);

			if (k <= 0)
				break;
		}
		p_do(st.peer, P_CLOSE, pfd);
	}
}

/* fdinfo and /proc/self/fd can be read, whatever the state. */
static void t_proc(void)
{
	char path[64], link[128];
	int fd, pfd, f;

	st_pair(&fd, &pfd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	EXPECT(readlink(path, link, sizeof(link)) > 8 && !memcmp(link, "socket:[", 8));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = open(path, O_RDONLY);
	EXPECT(f >= 0 && read(f, buf, sizeof(buf)) > 0);
	FAILS(lseek(fd, 0, SEEK_SET), ESPIPE);
	FAILS(pread(fd, buf, 1, 0), ESPIPE);
}

static const struct st_case cases[] = {
	{ "dup", t_dup, true },
	{ "fork", t_fork_shared, true },
	{ "pre-forked accept", t_fork_accept },
	{ "SCM_RIGHTS", t_pass, true },
	{ "SCM_RIGHTS of a listener", t_pass_listener },
	{ "SCM_RIGHTS dropped in flight", t_pass_dropped, true },
	{ "exec", t_cloexec, true },
	{ "close under a sleeper", t_close_under, true },
	{ "killed", t_killed, true },
	{ "/proc", t_proc, true },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "fds", cases, ARRAY_SIZE(cases));
}
