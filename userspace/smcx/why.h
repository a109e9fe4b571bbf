/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_WHY_H
#define SMCX_WHY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

/**
 * DOC: smcx why
 *
 * A list of checks, from what is nearest (the module) to what is farthest (the peer's program). The checks of why_local.c
 * look at this host; why.c then connects, first as TCP, then as SMC, and asks the kernel what became of it. The kernel's
 * word counts: a check before it can only say where to look.
 */

struct out_table;

/**
 * struct why - what is known so far
 * @table: rows
 * @addr: peer
 * @addr_len: bytes of @addr
 * @ifindex: egress device, 0 = not known
 * @device: RDMA device of the egress device, "" = none found
 * @port: its port
 * @one_rtt: settings here allow one round trip
 * @failed: number of failed checks
 */
struct why {
	struct out_table	*table;
	struct sockaddr_storage	addr;
	socklen_t		addr_len;
	unsigned int		ifindex;
	char			device[64];
	unsigned int		port;
	bool			one_rtt;
	unsigned int		failed;
};

/** why_ok() - a check passed. @w: state. @check: its name. @fmt: details. */
void why_ok(struct why *w, const char *check, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * why_bad() - a check failed
 * @w: state
 * @check: its name
 * @cure: what to do
 * @fmt: details
 */
void why_bad(struct why *w, const char *check, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** why_off() - something that SMC does without is switched off. @w: state. @check: its name. @cure: how to switch it on. @fmt: details. */
void why_off(struct why *w, const char *check, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** why_module() - is there a module? @w: state. Return: false if SMC is out of reach. */
bool why_module(struct why *w);
/** why_route() - route and egress device. @w: state. Return: false if there is no route. */
bool why_route(struct why *w);
/** why_device() - RDMA device, port and GID for the egress device. @w: state. */
void why_device(struct why *w);
/** why_eid() - enterprise ids. @w: state. */
void why_eid(struct why *w);
/** why_sysctls() - settings that matter. @w: state. */
void why_sysctls(struct why *w);

#endif
