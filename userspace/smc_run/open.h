/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_RUN_OPEN_H
#define SMC_RUN_OPEN_H

/**
 * DOC: Opening an SMC socket in place of a TCP socket
 *
 * What the preload library and the supervisor share: which calls of socket() are TCP's, the
 * two ways to an SMC socket, and which failures mean "no SMC here, take TCP".
 *
 * The library calls this from any thread and from signal handlers, so: no locks, no
 * allocation, no stdio.
 */

#include <stdatomic.h>
#include <stdbool.h>

/* the ways to an SMC socket, bits */
#define SMC_WAY_IPPROTO		1	/* family AF_INET or AF_INET6, protocol IPPROTO_SMC */
#define SMC_WAY_FAMILY		2	/* family AF_SMC */
#define SMC_WAYS		(SMC_WAY_IPPROTO | SMC_WAY_FAMILY)

typedef int (*smc_socket_fn)(int domain, int type, int protocol);

/**
 * struct smc_opener - how to open
 * @socket: socket() to call
 * @ways: ways that may be tried, %SMC_WAYS
 * @absent_until: no SMC in this kernel until then, in seconds of CLOCK_MONOTONIC; 0 = not known to be so
 * @sndbuf: SO_SNDBUF of each TCP or SMC socket, in bytes, 0 = the kernel's
 * @rcvbuf: SO_RCVBUF, likewise
 */
struct smc_opener {
	smc_socket_fn	socket;
	unsigned int	ways;
	atomic_long	absent_until;
	int		sndbuf, rcvbuf;
};

/** smc_is_plain_tcp() - are these the arguments of a plain TCP socket? @domain, @type, @protocol: of socket(). */
bool smc_is_plain_tcp(int domain, int type, int protocol);

/** smc_is_real_error() - would TCP fail likewise (lack of memory or descriptors)? @err: errno. */
bool smc_is_real_error(int err);

/** smc_is_absent() - does the kernel not know the protocol, or the family? @err: errno. */
bool smc_is_absent(int err);

/** smc_why_not() - why there is no SMC socket, in words. @err: errno of smc_open(). Return: static text. */
const char *smc_why_not(int err);

/**
 * smc_open() - open an SMC socket
 * @o: how
 * @domain: AF_INET or AF_INET6
 * @type: SOCK_STREAM, SOCK_NONBLOCK, SOCK_CLOEXEC
 *
 * Each try on a kernel without SMC makes the kernel run modprobe, which costs milliseconds, so
 * "no SMC here" is believed for five seconds; not for ever, for modules get loaded.
 *
 * Return: descriptor, or -1 with errno: a real error (smc_is_real_error()), or the reason why there
 * is no SMC socket.
 */
int smc_open(struct smc_opener *o, int domain, int type);

/** smc_set_buffers() - set the buffer sizes that were asked for. @o: sizes. @fd: socket. errno is lost. */
void smc_set_buffers(const struct smc_opener *o, int fd);

#endif
