// SPDX-License-Identifier: GPL-2.0
/*
 * Linked into smc_run-fake with --wrap=socket: its SMC sockets are TCP sockets with a mark, so
 * that a kernel without SMC can show what a supervisor does with one.
 */
#include <errno.h>
#include <linux/smcx.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "mark.h"

int __wrap_socket(int domain, int type, int protocol);
int __real_socket(int domain, int type, int protocol);

int __wrap_socket(int domain, int type, int protocol)
{
	int mark = FAKE_MARK, fd;

	if (protocol != IPPROTO_SMC)
		return __real_socket(domain, type, protocol);
	fd = __real_socket(domain, type, 0);
	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &mark, sizeof(mark));
	return fd;
}
