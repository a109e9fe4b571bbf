// SPDX-License-Identifier: GPL-2.0
/*
 * libsmcx-preload.so: turns TCP stream sockets into SMC sockets.
 *
 * socket() is interposed where the caller asks for TCP and nothing else. Where the kernel or
 * a sandbox has no SMC for us, the caller gets the TCP socket it asked for, so a wrapped
 * program never fails because of the wrapping. connect() and listen() are interposed for the
 * port lists only: there the port is known, and a socket can still become plain TCP.
 *
 * May be entered from any thread, before main() and before our own constructor, and from
 * signal handlers: no locks, no allocation; stdio only for the messages of -v.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/smcx.h>

#include "open.h"
#include "ports.h"
#include "sandbox.h"

#define EXPORT	__attribute__((visibility("default")))

typedef int (*connect_fn)(int, const struct sockaddr *, socklen_t);
typedef int (*listen_fn)(int, int);

static _Atomic(smc_socket_fn) next_socket;
static _Atomic(connect_fn) next_connect;
static _Atomic(listen_fn) next_listen;
static struct ports ports;
static enum { PORTS_ALL, PORTS_ONLY, PORTS_EXCEPT } port_rule;
static bool verbose;
static const char *refused;	/* why this process gets no SMC at all */

static int raw_socket(int domain, int type, int protocol)
{
	return syscall(SYS_socket, domain, type, protocol);
}

static int raw_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	return syscall(SYS_connect, fd, addr, len);
}

static int raw_listen(int fd, int backlog)
{
	return syscall(SYS_listen, fd, backlog);
}

/*
 * RTLD_NEXT and not the system call: other preloaded libraries get their turn. Two threads may
 * both look it up; they find the same.
 */
#define FIND_NEXT(name) ({							\
	__typeof__(&raw_##name) fn_ =						\
		atomic_load_explicit(&next_##name, memory_order_acquire);	\
	if (!fn_) {								\
		fn_ = (__typeof__(fn_))dlsym(RTLD_NEXT, #name);			\
		if (!fn_)							\
			fn_ = raw_##name;					\
		atomic_store_explicit(&next_##name, fn_, memory_order_release);	\
	}									\
	fn_;									\
})

static int call_next_socket(int domain, int type, int protocol)
{
	return FIND_NEXT(socket)(domain, type, protocol);
}

static struct smc_opener opener = { .socket = call_next_socket, .ways = SMC_WAYS };

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
	char line[320];
	va_list args;
	int len, n;

	if (!verbose)
		return;
	/* argv[0] is as long as the caller likes, and snprintf() says how long it would have been. */
	len = snprintf(line, sizeof(line) - 1, "smc_run: %.32s[%ld]: ", program_invocation_short_name,
		       (long)getpid());
	va_start(args, format);
	n = vsnprintf(line + len, sizeof(line) - 1 - len, format, args);
	va_end(args);
	len = n < (int)sizeof(line) - 1 - len ? len + n : (int)sizeof(line) - 2;
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}

static int number_of(const char *name)
{
	const char *text = secure_getenv(name);

	return text ? atoi(text) : 0;
}

static void take_ports(const char *name, int rule)
{
	const char *list = secure_getenv(name);

	if (list && ports_parse(&ports, list))
		port_rule = rule;
}

/*
 * A sandbox that came after smc_run's look at it (a container, a browser's child) may kill
 * for a protocol or family it does not know, so no attempt is made in there.
 */
static void look_for_sandbox(void)
{
	const char *known = secure_getenv("SMC_RUN_FILTERS");

	if (known && sandbox_filters() != atoi(known))
		refused = "a sandbox was put around it after smc_run started";
}

__attribute__((constructor)) static void preload_init(void)
{
	const char *ways = secure_getenv("SMC_RUN_WAYS");
	int saved = errno;

	FIND_NEXT(socket);
	verbose = secure_getenv("SMC_RUN_VERBOSE") != NULL;
	if (ways)
		opener.ways = atoi(ways) & SMC_WAYS;
	opener.sndbuf = number_of("SMC_RUN_SNDBUF");
	opener.rcvbuf = number_of("SMC_RUN_RCVBUF");
	take_ports("SMC_RUN_ONLY_PORT", PORTS_ONLY);
	take_ports("SMC_RUN_EXCEPT", PORTS_EXCEPT);
	look_for_sandbox();
	errno = saved;
}

/* Once a process for each outcome; a busy server would fill the disk otherwise. */
static void tell_outcome(bool smc, int err)
{
	static atomic_flag told[2] = { ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT };

	if (!verbose || atomic_flag_test_and_set(&told[smc]))
		return;
	if (smc)
		tell("TCP sockets become SMC sockets");
	else
		tell("the kernel gives no SMC socket (%s): going on with TCP",
		     refused ? refused : smc_why_not(err));
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
EXPORT int socket(int domain, int type, int protocol)
{
	int saved = errno, fd = -1;

	if (!smc_is_plain_tcp(domain, type, protocol))
		return call_next_socket(domain, type, protocol);
	if (!refused) {
		fd = smc_open(&opener, domain, type);
		if (fd < 0 && smc_is_real_error(errno))
			return fd;
	}
	tell_outcome(fd >= 0, errno);
	if (fd < 0)
		fd = call_next_socket(domain, type, protocol);
	if (fd >= 0) {
		smc_set_buffers(&opener, fd);
		errno = saved;
	}
	return fd;
}

static int option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = 0;

	return getsockopt(fd, level, name, &value, &len) ? 0 : value;
}

/*
 * Ours has an option for it. In-tree smc has not, but goes on as TCP when an option is set
 * that it cannot do, be it to its default.
 */
static bool make_plain_tcp(int fd)
{
	int on = 1, off = 0;

	if (!setsockopt(fd, SOL_SMC, SMCX_SO_PLAIN_TCP, &on, sizeof(on)))
		return true;
	return (option(fd, SOL_SOCKET, SO_DOMAIN) == AF_SMC ||
		option(fd, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_SMC) &&
	       !setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, &off, sizeof(off));
}

static int port_of(const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_in sin;

	if (!addr || len < (socklen_t)sizeof(sin))
		return -1;
	/* The port of an IPv6 address stands in the same place. */
	memcpy(&sin, addr, sizeof(sin));
	return sin.sin_family == AF_INET || sin.sin_family == AF_INET6 ? ntohs(sin.sin_port) : -1;
}

static void apply_ports(int fd, int port, const char *verb)
{
	int saved = errno;

	if (port >= 0 && ports_have(&ports, port) == (port_rule == PORTS_EXCEPT) && make_plain_tcp(fd))
		tell("%s port %d: TCP, by the port list", verb, port);
	errno = saved;
}

/**
 * connect() - as the C library's; to an unwanted port the socket becomes plain TCP first
 * @fd: socket
 * @addr: peer
 * @len: bytes of @addr
 *
 * Return: 0 or -1 with errno.
 */
EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (port_rule != PORTS_ALL)
		apply_ports(fd, port_of(addr, len), "connecting to");
	return FIND_NEXT(connect)(fd, addr, len);
}

/**
 * listen() - as the C library's; on an unwanted port the socket becomes plain TCP first
 * @fd: socket
 * @backlog: queue length
 *
 * Return: 0 or -1 with errno.
 */
EXPORT int listen(int fd, int backlog)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int saved = errno;

	if (port_rule != PORTS_ALL && !getsockname(fd, (struct sockaddr *)&ss, &len))
		apply_ports(fd, port_of((struct sockaddr *)&ss, len), "listening on");
	errno = saved;
	return FIND_NEXT(listen)(fd, backlog);
}
