// SPDX-License-Identifier: GPL-2.0
/*
 * libsmcx-preload.so: turns TCP stream sockets into SMC sockets.
 *
 * Only socket() is interposed, and only where the caller asks for TCP and nothing else.
 * Where the kernel or a sandbox has no SMC for us, the caller gets the TCP socket it
 * asked for, so a wrapped program never fails because of the wrapping.
 *
 * May be entered from any thread, before main() and before our own constructor, and from
 * signal handlers: no locks, no allocation; stdio only for the one message of -v.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/smcx.h>

#ifndef SOCK_TYPE_MASK
#define SOCK_TYPE_MASK	0xf
#endif

/*
 * Each try on a kernel without SMC makes the kernel run modprobe, which costs milliseconds;
 * so "no SMC here" is believed for a while, and not for ever, for modules get loaded.
 */
#define BELIEVE_ABSENT_S	5

typedef int (*socket_fn)(int, int, int);

static _Atomic(socket_fn) next_socket;
static atomic_long absent_until;	/* CLOCK_MONOTONIC seconds, 0 = not known to be absent */
static atomic_flag told = ATOMIC_FLAG_INIT;
static bool verbose;

static int raw_socket(int domain, int type, int protocol)
{
	return syscall(SYS_socket, domain, type, protocol);
}

/* RTLD_NEXT and not the system call: other preloaded libraries get their turn. */
static socket_fn find_next(void)
{
	socket_fn fn = atomic_load_explicit(&next_socket, memory_order_acquire);

	if (fn)
		return fn;
	/* Two threads may both look it up; they find the same. */
	fn = (socket_fn)dlsym(RTLD_NEXT, "socket");
	if (!fn)
		fn = raw_socket;
	atomic_store_explicit(&next_socket, fn, memory_order_release);
	return fn;
}

__attribute__((constructor)) static void preload_init(void)
{
	int saved = errno;

	find_next();
	verbose = secure_getenv("SMC_RUN_VERBOSE") != NULL;
	errno = saved;
}

static bool is_plain_tcp(int domain, int type, int protocol)
{
	return (domain == AF_INET || domain == AF_INET6) &&
	       (type & SOCK_TYPE_MASK) == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP);
}

/* Failures that a TCP socket would meet as well; everything else means "no SMC for you". */
static bool is_real_error(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOMEM || err == ENOBUFS;
}

static bool is_absent(int err)
{
	return err == EPROTONOSUPPORT || err == EAFNOSUPPORT || err == ESOCKTNOSUPPORT;
}

static long now_s(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &ts))
		return 0;
	/* From 1 on, because 0 says "not known to be absent". */
	return ts.tv_sec + 1;
}

static bool believed_absent(void)
{
	long until = atomic_load_explicit(&absent_until, memory_order_relaxed);

	return until && now_s() < until;
}

/* The address family of an IPPROTO_SMC socket stays AF_INET, so that comes first. */
static int open_smc(socket_fn next, int domain, int type)
{
	int fd, err;

	fd = next(domain, type, IPPROTO_SMC);
	if (fd >= 0 || is_real_error(errno))
		return fd;
	err = errno;
	fd = next(AF_SMC, type, domain == AF_INET6 ? SMCX_PROTO_SMC6 : SMCX_PROTO_SMC);
	if (fd >= 0 || is_real_error(errno))
		return fd;
	if (is_absent(err) && is_absent(errno))
		atomic_store_explicit(&absent_until, now_s() + BELIEVE_ABSENT_S,
				      memory_order_relaxed);
	return -1;
}

static void tell(int err)
{
	char line[256];
	int len;

	if (!verbose || atomic_flag_test_and_set(&told))
		return;
	len = snprintf(line, sizeof(line),
		       "smc_run: %s[%ld]: the kernel gives no SMC socket (%s): going on with TCP\n",
		       program_invocation_short_name, (long)getpid(), strerrordesc_np(err));
	if (len >= (int)sizeof(line))
		len = sizeof(line) - 1;
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}

/**
 * socket() - as the C library's, with SMC in TCP's place
 * @domain: address family
 * @type: socket type and SOCK_NONBLOCK, SOCK_CLOEXEC
 * @protocol: protocol
 *
 * Return: file descriptor, or -1 with the errno that TCP gives. errno stays untouched
 * on success.
 */
__attribute__((visibility("default")))
int socket(int domain, int type, int protocol)
{
	int saved = errno;
	socket_fn next = find_next();
	int fd;

	if (!is_plain_tcp(domain, type, protocol) || believed_absent())
		return next(domain, type, protocol);
	fd = open_smc(next, domain, type);
	if (fd < 0 && !is_real_error(errno)) {
		tell(errno);
		fd = next(domain, type, protocol);
	}
	if (fd >= 0)
		errno = saved;
	return fd;
}
