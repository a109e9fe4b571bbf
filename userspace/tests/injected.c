// SPDX-License-Identifier: GPL-2.0
/*
 * injected TEST: what a supervised program sees; linked statically. Runs under smc_run-fake, whose
 * SMC sockets bear a mark. Exit status 0 = passed.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP	262
#endif

#define CHECK(cond) do {								\
	if (!(cond)) {									\
		fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #cond, errno);	\
		_exit(1);								\
	}										\
} while (0)

static bool is_marked(int fd)
{
	socklen_t len = sizeof(int);
	int value = 0;

	return !getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &value, &len) && value == FAKE_MARK;
}

static int marked(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(fd >= 0 && is_marked(fd));
	return fd;
}

static void test_flags(void)
{
	static const int flags[] = { 0, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_CLOEXEC | SOCK_NONBLOCK };
	static const int protocols[] = { 0, IPPROTO_TCP };
	int f, p, domain, fd;

	for (domain = AF_INET; domain; domain = domain == AF_INET ? AF_INET6 : 0)
		for (p = 0; p < 2; p++)
			for (f = 0; f < 4; f++) {
				fd = socket(domain, SOCK_STREAM | flags[f], protocols[p]);
				CHECK(fd >= 0 && is_marked(fd));
				CHECK(!!(fcntl(fd, F_GETFD) & FD_CLOEXEC) == !!(flags[f] & SOCK_CLOEXEC));
				CHECK(!!(fcntl(fd, F_GETFL) & O_NONBLOCK) == !!(flags[f] & SOCK_NONBLOCK));
				close(fd);
			}
}

static void test_others(void)
{
	static const int others[][3] = {
		{ AF_UNIX, SOCK_STREAM, 0 }, { AF_INET, SOCK_DGRAM, 0 }, { AF_INET6, SOCK_DGRAM, IPPROTO_UDP },
		{ AF_INET, SOCK_STREAM, IPPROTO_MPTCP }, { AF_NETLINK, SOCK_RAW, 0 },
	};
	size_t i;
	int fd;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		fd = socket(others[i][0], others[i][1], others[i][2]);
		CHECK(fd >= 0 ? !is_marked(fd) : others[i][2] == IPPROTO_MPTCP);
		close(fd);
	}
	CHECK(socket(AF_INET, SOCK_STREAM | 0x100, 0) < 0 && errno == EINVAL);
	CHECK(socket(AF_INET, SOCK_STREAM, -1) < 0 && errno == EINVAL);
	CHECK(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP) < 0 && errno == EPROTONOSUPPORT);
	CHECK(socket(-1, SOCK_STREAM, 0) < 0 && errno == EAFNOSUPPORT);
	/* The kernel looks at the lower halves only. */
	fd = syscall(SYS_socket, 0x100000000L | AF_INET, 0x700000000L | SOCK_STREAM, 0x300000000L);
	CHECK(fd >= 0 && is_marked(fd));
}

static void test_numbers(void)
{
	struct rlimit files = { 20, 20 };
	int fds[20], n = 0, gap;

	fds[0] = marked();
	fds[1] = marked();
	fds[2] = marked();
	CHECK(fds[1] == fds[0] + 1 && fds[2] == fds[1] + 1);
	gap = fds[1];
	close(gap);
	CHECK(marked() == gap);
	CHECK(!setrlimit(RLIMIT_NOFILE, &files));
	while (n < 20 && (fds[n] = socket(AF_INET, SOCK_STREAM, 0)) >= 0)
		CHECK(is_marked(fds[n++]));
	CHECK(n > 0 && n < 20 && errno == EMFILE && fds[n - 1] == 19);
	close(fds[n - 1]);
	CHECK(marked() == 19);
}

static void *thread(void *arg)
{
	int i;

	for (i = 0; i < 100; i++)
		close(marked());
	return NULL;
}

static void test_threads(void)
{
	pthread_t t[32];
	int i;

	for (i = 0; i < 32; i++)
		CHECK(!pthread_create(&t[i], NULL, thread, NULL));
	for (i = 0; i < 32; i++)
		pthread_join(t[i], NULL);
}

static int run_self(const char *test)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execl("/proc/self/exe", "injected", test, (char *)NULL);
		_exit(99);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

static void test_children(void)
{
	int status, i;

	CHECK(run_self("flags") == 0);
	for (i = 0; i < 8; i++)
		if (!fork()) {
			close(marked());
			_exit(0);
		}
	while (i-- > 0)
		CHECK(wait(&status) > 0 && !status);
	/* Nobody else's child is here to be waited for. */
	CHECK(wait(&status) < 0 && errno == ECHILD);
}

static volatile int alarms;

static void on_alarm(int sig)
{
	alarms++;
}

static void test_signals(void)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 500 }, { 0, 500 } };
	int i;

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 0; i < 2000 || (alarms < 50 && i < 1000000); i++)
		close(marked());
	CHECK(alarms >= 50);
}

/* No signal is pending that the program did not cause. */
static void test_clean(void)
{
	sigset_t pending, mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	CHECK(sigismember(&mask, SIGCHLD) == 1);
	CHECK(!sigpending(&pending) && sigisemptyset(&pending));
	CHECK(!fcntl(3, F_GETFD) || errno == EBADF);
	CHECK(fcntl(3, F_GETFD) < 0 && fcntl(4, F_GETFD) < 0);
}

static void test_user(void)
{
	struct stat st;
	int fd;

	CHECK(!setgid(65533) && !setuid(65534));
	fd = marked();
	CHECK(!fstat(fd, &st) && st.st_uid == 65534);
}

static void test_one(void)
{
	marked();
}

static void test_plain(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(fd >= 0 && !is_marked(fd));
}

static void test_netns(void)
{
	marked();
	CHECK(!unshare(CLONE_NEWNET));
	test_plain();
}

static void test_buffers(void)
{
	socklen_t len = sizeof(int);
	int fd = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0), size = 0;

	CHECK(fd >= 0 && !getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &len) && size == 2 * 20000);
	CHECK(!getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &len) && size == 2 * 10240);
	CHECK(!getsockopt(udp, SOL_SOCKET, SO_RCVBUF, &size, &len) && size != 2 * 10240);
}

/* After the supervisor was killed: an error, and at once. */
static void test_orphan(void)
{
	char byte;

	marked();
	CHECK(write(1, "x", 1) == 1 && read(0, &byte, 1) == 1);
	alarm(10);
	CHECK(socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == ENOSYS);
	CHECK(socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
}

/* Many wait for the supervisor while it is being killed. */
static void *hammer(void *arg)
{
	int fd;

	while ((fd = socket(AF_INET, SOCK_STREAM, 0)) >= 0)
		close(fd);
	CHECK(errno == ENOSYS);
	return NULL;
}

static void test_orphans(void)
{
	pthread_t t[8];
	int i;

	alarm(60);
	for (i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, hammer, NULL);
	CHECK(write(1, "x", 1) == 1);
	for (i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
}

static const struct {
	const char *name;
	void (*fn)(void);
} tests[] = {
	{ "flags", test_flags }, { "others", test_others }, { "numbers", test_numbers },
	{ "threads", test_threads }, { "children", test_children }, { "signals", test_signals },
	{ "clean", test_clean }, { "user", test_user }, { "one", test_one }, { "plain", test_plain },
	{ "netns", test_netns }, { "buffers", test_buffers }, { "orphan", test_orphan },
	{ "orphans", test_orphans },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(argv[1], tests[i].name)) {
			tests[i].fn();
			return 0;
		}
	return 99;
}
