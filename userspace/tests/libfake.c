// SPDX-License-Identifier: GPL-2.0
/*
 * Stands between the preload library and libc: notes every socket() it gets to see, and
 * plays a kernel with or without SMC.
 */
#include <errno.h>
#include <linux/smcx.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake.h"

static struct fake_call calls[FAKE_CALLS];
static int plain;
static int ncalls;
static int answer_inet, answer_smc, answer_tcp;

void fake_script(int inet, int smc, int tcp)
{
	answer_inet = inet;
	answer_smc = smc;
	answer_tcp = tcp;
	ncalls = 0;
}

int fake_count(void)
{
	return ncalls;
}

int fake_plain(void)
{
	return plain;
}

const struct fake_call *fake_call(int i)
{
	return &calls[i];
}

/* An errno, or a real TCP socket in place of the SMC socket. */
static int answer(int err, int domain, int type)
{
	if (!err)
		return syscall(SYS_socket, domain, type, 0);
	errno = err;
	return -1;
}

int socket(int domain, int type, int protocol)
{
	if (ncalls < FAKE_CALLS)
		calls[ncalls++] = (struct fake_call){ domain, type, protocol };
	if (protocol == IPPROTO_SMC && (domain == AF_INET || domain == AF_INET6))
		return answer(answer_inet, domain, type);
	if (domain == AF_SMC)
		return answer(answer_smc, protocol ? AF_INET6 : AF_INET, type);
	if (answer_tcp)
		return answer(answer_tcp, domain, type);
	return syscall(SYS_socket, domain, type, protocol);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	if (level != SOL_SMC || name != SMCX_SO_PLAIN_TCP)
		return syscall(SYS_setsockopt, fd, level, name, value, len);
	plain++;
	return 0;
}
