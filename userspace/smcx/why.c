// SPDX-License-Identifier: GPL-2.0
/* smcx why: connects, and tells what became of it. See why.h. */
#include "why.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/smcx_abi.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "nl.h"
#include "out.h"
#include "reason.h"
#include "smcx.h"
#include "words.h"

#define TIMEOUT_S	10
#define ARRIVE_S	8	/* longer than a queue pair tries */

static const struct out_column columns[] = {
	{ "result", "Result", false },
	{ "check", "Check", false },
	{ "detail", "Found", false },
	{ "reason", NULL, false },
	{ "peer_reason", NULL, false },
	{ "cure", "what to do", true },
	{ NULL, NULL, false },
};

static void row(struct why *w, const char *check, const char *result, enum paint paint,
		const char *fmt, va_list args)
{
	char detail[512];

	vsnprintf(detail, sizeof(detail), fmt, args);
	out_row(w->table);
	out_str(w->table, "result", "%s", result);
	out_paint(w->table, "result", paint);
	out_str(w->table, "check", "%s", check);
	out_str(w->table, "detail", "%s", detail);
}

void why_ok(struct why *w, const char *check, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	row(w, check, "ok", PAINT_GOOD, fmt, args);
	va_end(args);
}

void why_bad(struct why *w, const char *check, const char *cure, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	row(w, check, "failed", PAINT_BAD, fmt, args);
	va_end(args);
	out_str(w->table, "cure", "%s", cure);
	w->failed++;
}

void why_off(struct why *w, const char *check, const char *cure, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	row(w, check, "off", PAINT_WARN, fmt, args);
	va_end(args);
	out_str(w->table, "cure", "%s", cure);
}

static void host_text(const struct why *w, char *text, socklen_t cap)
{
	if (getnameinfo((const void *)&w->addr, w->addr_len, text, cap, NULL, 0, NI_NUMERICHOST))
		snprintf(text, cap, "?");
}

static bool resolve(struct why *w, const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	char text[INET6_ADDRSTRLEN + 32];
	int rc = getaddrinfo(host, port, &hints, &found);

	if (rc) {
		why_bad(w, "name", "Check spelling, 'getent hosts' and the resolver; the port is a number or a service name.",
			"%s port %s: %s", host, port, gai_strerror(rc));
		return false;
	}
	/* the first is the one that programs try first */
	memcpy(&w->addr, found->ai_addr, found->ai_addrlen);
	w->addr_len = found->ai_addrlen;
	freeaddrinfo(found);
	host_text(w, text, sizeof(text));
	why_ok(w, "name", "%s is %s", host, text);
	return true;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Connects and gives the socket, or -errno. */
static int dial(const struct why *w, int family, int protocol, double *ms)
{
	struct timeval limit = { .tv_sec = TIMEOUT_S };
	int fd = socket(family, SOCK_STREAM, protocol);
	double start = now_ms();
	int err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (const void *)&w->addr, w->addr_len)) {
		*ms = now_ms() - start;
		return fd;
	}
	err = errno == EINPROGRESS ? ETIMEDOUT : errno;
	close(fd);
	return -err;
}

static bool try_tcp(struct why *w)
{
	double ms;
	int fd = dial(w, w->addr.ss_family, IPPROTO_TCP, &ms);

	if (fd < 0) {
		why_bad(w, "TCP", fd == -ECONNREFUSED ? "Start the program there, or correct the port." :
			"Let the connection pass firewalls; see that the peer is up.",
			"cannot connect: %s", strerror(-fd));
		return false;
	}
	close(fd);
	why_ok(w, "TCP", "connected in %.1f ms", ms);
	return true;
}

/* What the kernel says of one socket. */
struct verdict {
	uint64_t			inode;
	bool				found;
	uint8_t				mode;
	uint8_t				state;
	struct smcx_diag_fallback	fb;
	char				device[64];
	unsigned int			port;
	bool				one_rtt;
};

static void on_sock(const struct nlmsghdr *nlh, void *arg)
{
	const struct smcx_diag_msg *msg = mnl_nlmsg_get_payload(nlh);
	const struct smcx_diag_lgrinfo *lgr;
	struct verdict *v = arg;
	struct nl_attrs attrs;
	const void *fb;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg) || msg->inode != v->inode)
		return;
	nl_msg_attrs(nlh, sizeof(*msg), &attrs);
	v->found = true;
	v->mode = msg->mode;
	v->state = msg->state;
	fb = nl_data(&attrs, SMCX_DIAG_FALLBACK, sizeof(v->fb));
	if (fb)
		memcpy(&v->fb, fb, sizeof(v->fb));
	v->one_rtt = nl_num(&attrs, SMCX_DIAG_ONE_RTT);
	lgr = nl_data(&attrs, SMCX_DIAG_LGRINFO, sizeof(*lgr));
	if (!lgr)
		return;
	snprintf(v->device, sizeof(v->device), "%.63s", (const char *)lgr->ibname);
	v->port = lgr->ibport;
}

/* SYN and SYN-ACK say "SMC" by a TCP option. Without the peer's all else does not count. */
static void tell_option(struct why *w, const struct verdict *v)
{
	if (v->mode != SMCX_DIAG_MODE_TCP || v->fb.peer_diagnosis)
		why_ok(w, "option", "the peer has answered SMC's TCP option");
}

static void tell_fallback(struct why *w, const struct verdict *v)
{
	bool option = v->fb.reason == SMCX_REASON_PEERNOSMC && !v->fb.peer_diagnosis;
	/* the peer's own reason says more than that it declined */
	uint32_t told = v->fb.peer_diagnosis ? reason_of_peer(v->fb.peer_diagnosis) : v->fb.reason;
	char host[INET6_ADDRSTRLEN + 32], cure[512];

	host_text(w, host, sizeof(host));
	snprintf(cure, sizeof(cure), "%s%s%s%s", v->fb.peer_diagnosis ? "On " : "", v->fb.peer_diagnosis ? host : "",
		 v->fb.peer_diagnosis ? ": " : "", reason_cure(told));
	why_bad(w, option ? "option" : "SMC", cure, "%s%s (%s)", v->fb.peer_diagnosis ? "the peer declined: " : "",
		reason_cause(told), smcx_reason_name(told));
	out_str(w->table, "reason", "%s", smcx_reason_name(v->fb.reason));
	if (v->fb.peer_diagnosis)
		out_str(w->table, "peer_reason", "%s", smcx_reason_name(told));
}

/* What became of the server's invitation, as "smcx peers" shows it. */
struct invitation {
	const struct why	*w;
	bool			invited;
	uint64_t		ban, lost;
};

static bool is_server(const struct why *w, const struct nl_attrs *in)
{
	const struct sockaddr_in6 *sin6 = (const void *)&w->addr;
	const struct sockaddr_in *sin = (const void *)&w->addr;
	bool v6 = w->addr.ss_family == AF_INET6;
	const void *addr = v6 ? (const void *)&sin6->sin6_addr : &sin->sin_addr;
	size_t len = v6 ? sizeof(sin6->sin6_addr) : sizeof(sin->sin_addr);
	const void *theirs = nl_data(in, SMCX_PEER_ADDR, len);

	return theirs && !memcmp(theirs, addr, len) && nl_num(in, SMCX_PEER_FAMILY) == w->addr.ss_family &&
	       nl_num(in, SMCX_PEER_PORT) == ntohs(v6 ? sin6->sin6_port : sin->sin_port);
}

static void on_peer(const struct nlmsghdr *nlh, void *arg)
{
	struct invitation *i = arg;
	struct nl_attrs top, in;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_ATTR_PEER, &in) || !is_server(i->w, &in))
		return;
	i->invited |= nl_num(&in, SMCX_PEER_HAS_TOKEN);
	i->ban = nl_num(&in, SMCX_PEER_BAN);
	i->lost = nl_num(&in, SMCX_PEER_LOST);
}

/* After a connection that was SMC. */
static void tell_invitation(struct why *w)
{
	struct invitation i = { .w = w };

	if (!w->one_rtt)
		return;
	nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_PEERS, on_peer, &i);
	if (i.ban)
		why_off(w, "invitation", "Wait; 'smcx peers flush' forgets it.",
			"a plain TCP server took what was meant for this one: two round trips for %u s", (unsigned int)i.ban);
	else if (i.lost)
		why_off(w, "invitation", "Wait; see that the path lets SYNs with data pass.",
			"a SYN with data was lost on the way: two round trips for %u s", (unsigned int)i.lost);
	else if (i.invited)
		why_ok(w, "invitation", "the next connection may take one round trip");
	else
		why_off(w, "invitation", "On the server: smcx, bit 2 of net.smc.onertt and of net.ipv4.tcp_fastopen, the latter without 0x200.",
			"the server sends none: two round trips");
}

/*
 * Set up in one round trip, a connection has not shown yet that RDMA messages arrive. The end of our data has to: most programs answer
 * it by theirs. One that does not proves nothing, either way.
 */
static bool messages_arrive(int fd)
{
	struct timeval limit = { .tv_sec = ARRIVE_S };
	char byte;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	shutdown(fd, SHUT_WR);
	return recv(fd, &byte, 1, 0) >= 0 || errno == EAGAIN;
}

static int try_smc(struct why *w)
{
	struct verdict v = { 0 };
	struct stat st;
	double ms;
	int fd = dial(w, AF_SMC, w->addr.ss_family == AF_INET6 ? SMCX_PROTO_SMC6 : SMCX_PROTO_SMC, &ms);

	if (fd < 0) {
		why_bad(w, "SMC", "TCP works, thus use TCP for now, and see 'dmesg' on both hosts.",
			"cannot connect with SMC: %s", strerror(-fd));
		return EXIT_UNREACHED;
	}
	if (!fstat(fd, &st))
		v.inode = st.st_ino;
	if (!nl_diag_try_dump(1 << (SMCX_DIAG_LGRINFO - 1), on_sock, &v)) {
		close(fd);
		why_bad(w, "SMC", "Load what lists sockets: 'modprobe smc_diag'.",
			"connected, but the kernel cannot tell whether by SMC or TCP");
		return EXIT_NO_SMC;
	}
	if (!v.found) {
		close(fd);
		why_bad(w, "SMC", "Try again; the peer may close connections at once.",
			"connected, but the kernel does not list the socket");
		return EXIT_IS_TCP;
	}
	tell_option(w, &v);
	if (v.mode == SMCX_DIAG_MODE_TCP) {
		close(fd);
		tell_fallback(w, &v);
		return EXIT_IS_TCP;
	}
	if (!messages_arrive(fd)) {
		why_bad(w, "SMC", reason_cure(SMCX_REASON_LOCAL_NO_PATH),
			"set up in %.1f ms, but no message got through over %s: %s", ms, *v.device ? v.device : "?", strerror(errno));
		close(fd);
		return EXIT_IS_TCP;
	}
	why_ok(w, "SMC", "%s in %s%.1f ms, over %s port %u",
	       v.mode == SMCX_DIAG_MODE_SMCD ? "SMC-D" : "SMC-R", v.one_rtt ? "one round trip, " : "", ms, *v.device ? v.device : "?", v.port);
	close(fd);
	tell_invitation(w);
	return EXIT_FINE;
}

/* The name of the first failed check stands in the table; the status says how far it went. */
static int run_checks(struct why *w, const char *host, const char *port)
{
	if (!why_module(w))
		return EXIT_NO_SMC;
	if (!resolve(w, host, port) || !why_route(w))
		return EXIT_UNREACHED;
	why_device(w);
	why_eid(w);
	why_sysctls(w);
	if (!try_tcp(w))
		return EXIT_UNREACHED;
	return try_smc(w);
}

/* Names are the resolver's matter. */
static bool is_port(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (text[digits])
		return true;
	return digits && digits <= 5 && atoi(text) >= 1 && atoi(text) <= 65535;
}

int cmd_why(int argc, char **argv)
{
	struct why w = { 0 };
	int status;

	if (argc != 2 || !*argv[0])
		return usage_error("why takes a host and a port", NULL);
	if (!is_port(argv[1]))
		return usage_error("a port is a number from 1 to 65535, or a service's name, not", argv[1]);
	w.table = out_table_begin(columns);
	status = run_checks(&w, argv[0], argv[1]);
	out_table_end(w.table, "");
	return status;
}
