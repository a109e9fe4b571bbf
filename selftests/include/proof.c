// SPDX-License-Identifier: GPL-2.0
/* See proof.h. */
#include "proof.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define SMC_FAMILY 43
#define SMC_DIAG_LGRINFO 2
#define SMC_DIAG_FALLBACK 5

struct diag_req {
	struct nlmsghdr nlh;
	uint8_t family;
	uint8_t pad[2];
	uint8_t ext;
	struct inet_diag_sockid id;
};

struct diag_msg {
	uint8_t family;
	uint8_t state;
	uint8_t mode;
	uint8_t shutdown;
	struct inet_diag_sockid id;
	uint32_t uid;
	uint64_t inode __attribute__((aligned(8)));
};

struct lgr_info {
	uint8_t link_id;
	char ibname[64];
	uint8_t port;
	char gid[40];
	char peer_gid[40];
	uint8_t role;
};

struct want {
	uint16_t sport, dport;	/* network order */
};

static int port_of(const struct sockaddr_storage *ss)
{
	if (ss->ss_family == AF_INET)
		return ((const struct sockaddr_in *)ss)->sin_port;
	return ((const struct sockaddr_in6 *)ss)->sin6_port;
}

static int diag_open(void)
{
	struct diag_req req = {
		.nlh = {
			.nlmsg_len = sizeof(req),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.family = SMC_FAMILY,
		.ext = 1 << (SMC_DIAG_LGRINFO - 1),
	};
	struct timeval tv = { .tv_sec = 10 };
	int nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (nl < 0)
		return -1;
	setsockopt(nl, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	if (send(nl, &req, sizeof(req), 0) != sizeof(req)) {
		close(nl);
		return -1;
	}
	return nl;
}

static void read_attrs(const struct diag_msg *m, int len, struct proof *p)
{
	const struct rtattr *a = (const void *)((const char *)m +
						NLMSG_ALIGN(sizeof(*m)));
	const struct lgr_info *lgr = NULL;
	uint32_t fb[2];

	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (a->rta_type == SMC_DIAG_LGRINFO &&
		    RTA_PAYLOAD(a) >= sizeof(*lgr))
			lgr = RTA_DATA(a);
		if (a->rta_type == SMC_DIAG_FALLBACK &&
		    RTA_PAYLOAD(a) >= sizeof(fb)) {
			memcpy(fb, RTA_DATA(a), sizeof(fb));
			p->reason = fb[0];
			p->peer_reason = fb[1];
		}
	}
	p->state = m->state;
	p->carrier = m->mode == 1 ? CARRIER_FALLBACK : CARRIER_SMC_NOLGR;
	if (m->mode == 0 && lgr) {
		p->carrier = CARRIER_SMC;
		p->link_id = lgr->link_id;
		p->role = lgr->role;
		memcpy(p->ibname, lgr->ibname, sizeof(lgr->ibname));
	}
}

/* Walks one dump. Return: number of sockets seen, or -errno. */
static int walk(const struct want *w, struct proof *p)
{
	static __thread char buf[65536] __attribute__((aligned(8)));
	int nl = diag_open(), n = 0;

	if (nl < 0)
		return -errno;
	for (;;) {
		ssize_t got = recv(nl, buf, sizeof(buf), 0);
		struct nlmsghdr *h = (void *)buf;

		if (got < 0) {
			n = -errno;
			break;
		}
		for (; NLMSG_OK(h, got); h = NLMSG_NEXT(h, got)) {
			struct diag_msg *m = NLMSG_DATA(h);

			if (h->nlmsg_type == NLMSG_DONE)
				goto out;
			if (h->nlmsg_type == NLMSG_ERROR) {
				n = ((struct nlmsgerr *)m)->error;
				goto out;
			}
			n++;
			if (w && m->id.idiag_sport == w->sport &&
			    m->id.idiag_dport == w->dport)
				read_attrs(m, h->nlmsg_len -
					   NLMSG_SPACE(sizeof(*m)), p);
		}
	}
out:
	close(nl);
	return n;
}

/**
 * proof_of() - what carries a connected socket
 * @fd: the socket
 * @p: filled in
 *
 * Return: 0, or -errno when the socket has no addresses.
 */
int proof_of(int fd, struct proof *p)
{
	struct sockaddr_storage a = {}, b = {};
	socklen_t la = sizeof(a), lb = sizeof(b);
	struct want w;
	int n;

	memset(p, 0, sizeof(*p));
	if (getsockname(fd, (void *)&a, &la) || getpeername(fd, (void *)&b, &lb))
		return -errno;
	w.sport = port_of(&a);
	w.dport = port_of(&b);
	p->carrier = CARRIER_TCP;
	n = walk(&w, p);
	if (n < 0)
		p->carrier = CARRIER_UNKNOWN;
	return 0;
}

/**
 * proof_count() - number of sockets of family 43 listed
 *
 * Return: the number, or -errno.
 */
int proof_count(void)
{
	return walk(NULL, NULL);
}

const char *proof_name(enum carrier c)
{
	static const char *const name[] = {
		[CARRIER_UNKNOWN] = "unknown (no sock_diag for family 43)",
		[CARRIER_TCP] = "TCP (not listed)",
		[CARRIER_FALLBACK] = "TCP (fallback)",
		[CARRIER_SMC] = "SMC",
		[CARRIER_SMC_NOLGR] = "SMC without link group",
	};

	return name[c];
}
