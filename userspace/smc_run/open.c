// SPDX-License-Identifier: GPL-2.0
/* See open.h. */
#include "open.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/smcx.h>

#define TYPE_MASK	0xf
#define BELIEVE_S	5

bool smc_is_plain_tcp(int domain, int type, int protocol)
{
	return (domain == AF_INET || domain == AF_INET6) && (type & TYPE_MASK) == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP);
}

bool smc_is_real_error(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOMEM || err == ENOBUFS;
}

bool smc_is_absent(int err)
{
	return err == EPROTONOSUPPORT || err == EAFNOSUPPORT || err == ESOCKTNOSUPPORT;
}

const char *smc_why_not(int err)
{
	return smc_is_absent(err) ? "no module has it: 'modprobe smcx' loads one, or says why not" : strerrordesc_np(err);
}

static long now_s(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &ts))
		return 0;
	/* From 1 on, because 0 says "not known to be absent". */
	return ts.tv_sec + 1;
}

static bool believed_absent(struct smc_opener *o)
{
	long until = atomic_load_explicit(&o->absent_until, memory_order_relaxed);

	return until && now_s() < until;
}

/* The address family of an IPPROTO_SMC socket stays AF_INET, so that comes first. */
int smc_open(struct smc_opener *o, int domain, int type)
{
	bool absent = true;
	int fd, err = EPROTONOSUPPORT;

	if (believed_absent(o)) {
		errno = err;
		return -1;
	}
	if (o->ways & SMC_WAY_IPPROTO) {
		fd = o->socket(domain, type, IPPROTO_SMC);
		if (fd >= 0 || smc_is_real_error(errno))
			return fd;
		err = errno;
		absent = smc_is_absent(err);
	}
	if (o->ways & SMC_WAY_FAMILY) {
		fd = o->socket(AF_SMC, type, domain == AF_INET6 ? SMCX_PROTO_SMC6 : SMCX_PROTO_SMC);
		if (fd >= 0 || smc_is_real_error(errno))
			return fd;
		/* A sandbox's refusal says more than "protocol not supported". */
		if (!smc_is_absent(errno))
			err = errno;
		absent = absent && smc_is_absent(errno);
	}
	if (absent)
		atomic_store_explicit(&o->absent_until, now_s() + BELIEVE_S, memory_order_relaxed);
	errno = err;
	return -1;
}

/* Sizes are wishes: the kernel cuts them down, and a failure is no reason to fail socket(). */
void smc_set_buffers(const struct smc_opener *o, int fd)
{
	if (o->sndbuf)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &o->sndbuf, sizeof(o->sndbuf));
	if (o->rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &o->rcvbuf, sizeof(o->rcvbuf));
}
