// SPDX-License-Identifier: GPL-2.0
/* What the preload library makes of socket(); runs with LD_PRELOAD=library:libfake.so. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/smcx.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static __typeof__(fake_script) *script;
static __typeof__(fake_count) *count;
static __typeof__(fake_call) *call;
static __typeof__(fake_plain) *plain;

#define CHECK(cond) do {							\
	if (!(cond)) {								\
		printf("# line %d: %s (errno %d, calls %d)\n", __LINE__, #cond,	\
		       errno, count());						\
		fflush(stdout);							\
		_exit(1);							\
	}									\
} while (0)

static bool called(int i, int domain, int type, int protocol)
{
	const struct fake_call *c = call(i);

	return i < count() && c->domain == domain && c->type == type && c->protocol == protocol;
}

static const int families[] = { AF_INET, AF_INET6 };
static const int protocols[] = { 0, IPPROTO_TCP };
static const int flags[] = { 0, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_CLOEXEC | SOCK_NONBLOCK };

static void for_all(void (*fn)(int domain, int type, int protocol))
{
	size_t f, p, t;

	for (f = 0; f < 2; f++)
		for (p = 0; p < 2; p++)
			for (t = 0; t < 4; t++)
				fn(families[f], SOCK_STREAM | flags[t], protocols[p]);
}

static void check_flags(int fd, int type)
{
	CHECK(fd >= 0);
	CHECK(!!(fcntl(fd, F_GETFD) & FD_CLOEXEC) == !!(type & SOCK_CLOEXEC));
	CHECK(!!(fcntl(fd, F_GETFL) & O_NONBLOCK) == !!(type & SOCK_NONBLOCK));
	close(fd);
}

static void one_inet(int domain, int type, int protocol)
{
	script(0, 0, 0);
	check_flags(socket(domain, type, protocol), type);
	CHECK(count() == 1);
	CHECK(called(0, domain, type, IPPROTO_SMC));
}

static void test_ipproto(void)
{
	for_all(one_inet);
}

static void one_af_smc(int domain, int type, int protocol)
{
	script(EPROTONOSUPPORT, 0, 0);
	check_flags(socket(domain, type, protocol), type);
	CHECK(count() == 2);
	CHECK(called(0, domain, type, IPPROTO_SMC));
	CHECK(called(1, AF_SMC, type, domain == AF_INET6));
}

static void test_af_smc(void)
{
	for_all(one_af_smc);
}

static int refusal;

static void one_refused(int domain, int type, int protocol)
{
	script(refusal, refusal, 0);
	errno = 4711;
	check_flags(socket(domain, type, protocol), type);
	CHECK(errno == 4711);
	CHECK(count() == 3);
	CHECK(called(2, domain, type, protocol));
}

static void test_refused(void)
{
	static const int errs[] = { EPERM, EACCES, EINVAL, ENOPROTOOPT, ENOSYS, EOPNOTSUPP };
	size_t i;

	for (i = 0; i < sizeof(errs) / sizeof(errs[0]); i++) {
		refusal = errs[i];
		for_all(one_refused);
	}
}

static void test_absent(void)
{
	int i, fd;

	script(EPROTONOSUPPORT, EAFNOSUPPORT, 0);
	for (i = 0; i < 10; i++) {
		errno = 4711;
		fd = socket(AF_INET, SOCK_STREAM, 0);
		CHECK(fd >= 0 && errno == 4711);
		close(fd);
	}
	/* two tries in all, not two for each socket */
	CHECK(count() == 12);
	sleep(7);
	script(0, 0, 0);
	CHECK(socket(AF_INET, SOCK_STREAM, 0) >= 0);
	CHECK(count() == 1 && called(0, AF_INET, SOCK_STREAM, IPPROTO_SMC));
}

static void test_real_errors(void)
{
	static const int errs[] = { EMFILE, ENFILE, ENOMEM, ENOBUFS };
	size_t i;

	for (i = 0; i < sizeof(errs) / sizeof(errs[0]); i++) {
		script(errs[i], 0, 0);
		CHECK(socket(AF_INET, SOCK_STREAM, 0) == -1 && errno == errs[i]);
		CHECK(count() == 1);
		script(EPERM, errs[i], 0);
		CHECK(socket(AF_INET6, SOCK_STREAM, 0) == -1 && errno == errs[i]);
		CHECK(count() == 2);
	}
}

static void test_all_fail(void)
{
	script(EPERM, EACCES, ENOTTY);
	CHECK(socket(AF_INET, SOCK_STREAM, 0) == -1 && errno == ENOTTY);
	CHECK(count() == 3);
}

static void test_errno_kept(void)
{
	script(0, 0, 0);
	errno = 4711;
	CHECK(socket(AF_INET, SOCK_STREAM, 0) >= 0 && errno == 4711);
	script(EPROTONOSUPPORT, 0, 0);
	errno = 4712;
	CHECK(socket(AF_INET, SOCK_STREAM, 0) >= 0 && errno == 4712);
}

static void test_others(void)
{
	static const struct fake_call others[] = {
		{ AF_UNIX, SOCK_STREAM, 0 },
		{ AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0 },
		{ AF_UNIX, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP },
		{ AF_INET6, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_STREAM, IPPROTO_SCTP },
		{ AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP },
		{ AF_INET, SOCK_SEQPACKET, 0 },
		{ AF_INET, SOCK_STREAM, IPPROTO_MPTCP },
		{ AF_INET6, SOCK_STREAM, IPPROTO_MPTCP },
		{ AF_INET, SOCK_STREAM, IPPROTO_UDP },
		{ AF_INET, SOCK_RAW, IPPROTO_TCP },
		{ AF_INET, SOCK_RAW, IPPROTO_ICMP },
		{ AF_PACKET, SOCK_RAW, 0 },
		{ AF_NETLINK, SOCK_RAW, 0 },
		{ AF_VSOCK, SOCK_STREAM, 0 },
		{ AF_UNSPEC, SOCK_STREAM, 0 },
		{ -1, SOCK_STREAM, 0 },
		{ AF_INET, 0, 0 },
		{ AF_INET, SOCK_STREAM, -1 },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct fake_call *o = &others[i];
		int fd;

		script(0, 0, 0);
		fd = socket(o->domain, o->type, o->protocol);
		CHECK(count() == 1 && called(0, o->domain, o->type, o->protocol));
		if (fd >= 0)
			close(fd);
	}
	/* An SMC socket asked for by name is the caller's own business, failure included. */
	script(EPROTONOSUPPORT, EAFNOSUPPORT, 0);
	CHECK(socket(AF_SMC, SOCK_STREAM, 0) == -1 && errno == EAFNOSUPPORT && count() == 1);
	CHECK(socket(AF_INET, SOCK_STREAM, IPPROTO_SMC) == -1 && errno == EPROTONOSUPPORT);
}

static const struct {
	const char *name;
	void (*fn)(void);
} tests[] = {
	{ "TCP sockets become IPPROTO_SMC, flags kept", test_ipproto },
	{ "then AF_SMC is tried", test_af_smc },
	{ "refusals end in the TCP socket asked for", test_refused },
	{ "absence is remembered, not for ever", test_absent },
	{ "lack of descriptors or memory is reported", test_real_errors },
	{ "TCP's errno when all fails", test_all_fail },
	{ "errno stays on success", test_errno_kept },
	{ "other sockets are left alone", test_others },
};

/* A process each: what the library remembers must not reach the next test. */
static bool run(void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !status;
}

static int listen_on(int port, int on)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), before = plain();

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	CHECK(!bind(fd, (struct sockaddr *)&sin, sizeof(sin)));
	errno = 4711;
	CHECK(!listen(fd, 1) && errno == 4711);
	close(fd);
	return plain() - before;
}

static int connect_to(int family, int port)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(family, SOCK_STREAM, 0), before = plain();

	if (family == AF_INET)
		CHECK(connect(fd, (struct sockaddr *)&sin, sizeof(sin)) && errno == ECONNREFUSED);
	else
		CHECK(connect(fd, (struct sockaddr *)&six, sizeof(six)) && errno != EINVAL);
	close(fd);
	return plain() - before;
}

/* With a port list in the environment: one port that stays SMC, one that becomes TCP. */
static int test_ports(int smc, int tcp)
{
	script(0, 0, 0);
	CHECK(listen_on(smc, 1) == 0 && listen_on(tcp, 1) == 1);
	CHECK(connect_to(AF_INET, smc) == 0 && connect_to(AF_INET, tcp) == 1);
	CHECK(connect_to(AF_INET6, smc) == 0 && connect_to(AF_INET6, tcp) == 1);
	CHECK(connect(-1, NULL, 0) && errno == EBADF);
	CHECK(listen(-1, 0) && errno == EBADF);
	return 0;
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(tests) / sizeof(tests[0]);
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	script = (__typeof__(script))dlsym(RTLD_DEFAULT, "fake_script");
	count = (__typeof__(count))dlsym(RTLD_DEFAULT, "fake_count");
	call = (__typeof__(call))dlsym(RTLD_DEFAULT, "fake_call");
	plain = (__typeof__(plain))dlsym(RTLD_DEFAULT, "fake_plain");
	if (!script || !count || !call || !plain) {
		puts("Bail out! libfake.so is not preloaded");
		return 1;
	}
	if (argc == 3)
		return test_ports(atoi(argv[1]), atoi(argv[2]));
	for (i = 0; i < n; i++) {
		bool ok = run(tests[i].fn);

		failed += !ok;
		printf("%sok - %s\n", ok ? "" : "not ", tests[i].name);
	}
	return failed ? 1 : 0;
}
