// SPDX-License-Identifier: GPL-2.0
// vm-cflags: -Ipair/evil pair/evil/option.c ../kmod/proto/clc.c ../kmod/proto/clc_proposal.c ../kmod/proto/ext.c
/*
 * Peers that get the handshake wrong, each in its own way, and go on as TCP when they are declined:
 *   faulty client ADDRESS PORT FAULT	prints its port and the reason it was told, then stays until its input ends
 *   faulty server PORT FAULT...	one port after the other for each; gives back what comes over TCP, for ever
 * A fault is a word of the tables below; "mute" says nothing at all, "garbage" something else, NUMBER declines with it.
 */
#define _GNU_SOURCE
#include "option.h"
#include "proto/clc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define EID "SMCX.DEFAULT"	/* what a module without configuration has */

static const char *fault;

static bool is(const char *name)
{
	return !strcmp(fault, name);
}

static void eid_set(uint8_t *eid, const char *name)
{
	memset(eid, ' ', SMCX_EID_LEN);
	memcpy(eid, name, strlen(name));
}

static void v4_gid(uint8_t *gid, in_addr_t addr)
{
	memset(gid, 0, 16);
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, &addr, 4);
}

static in_addr_t own_addr(int fd)
{
	struct sockaddr_in sin;
	socklen_t len = sizeof(sin);

	getsockname(fd, (void *)&sin, &len);
	return sin.sin_addr.s_addr;
}

/* ---- messages ---- */

static int make_proposal(int fd, uint8_t *buf)
{
	bool none = is("nothing") || is("no-extension");	/* made of version 1, of which the IP prefix is cut off */
	bool v1 = is("smcd") || is("prefix") || none;
	struct smcx_clc_proposal p = {
		.version = 2,
		.typev1 = v1 ? SMCX_CLC_SMC_R : SMCX_CLC_SMC_NONE,
		.typev2 = v1 ? SMCX_CLC_SMC_NONE : SMCX_CLC_SMC_R,
		.peer_id = "faulty!",
		.has_ip = v1,
		.v4_net = htonl(0xc0000200),
		.v4_len = 24,
	};
	int n;

	p.has_v2 = p.typev2 == SMCX_CLC_SMC_R;
	p.v2.n_eids = !is("no-eid");
	p.v2.release = 1;
	p.v2.max_conns = is("conns") ? 8 : 255;
	p.v2.max_links = is("links") ? 0 : 1;
	v4_gid(p.v2.gid, own_addr(fd));
	eid_set(p.v2.eids[0], is("eid") ? "ANOTHER" : EID);
	n = smcx_clc_encode_proposal(&p, buf, SMCX_CLC_BUF_LEN);
	if (n > 0 && is("smcd"))
		buf[7] |= SMCX_CLC_SMC_D;
	if (n < 0 || !none)
		return n;
	buf[7] = 0x20 | (is("nothing") ? SMCX_CLC_SMC_NONE << 2 : 0) | SMCX_CLC_SMC_NONE;
	memset(buf + 38, 0, 2);	/* where it is */
	memmove(buf + n - 12, buf + n - 4, 4);
	buf[6] = n - 8;
	return n - 8;
}

static int make_accept(int fd, bool is_confirm, const struct smcx_clc_accept *theirs, uint8_t *buf)
{
	struct smcx_clc_accept a = {
		.is_confirm = is_confirm,
		.version = is("version") ? 1 : 2,
		.first_contact = !is("known"),
		.rmbe_idx = 1,
		.mtu = 3,
		.qpn = 0x777777,
		.psn = 1,
		.rkey = 0x777777,
		.token = 0x1000,
		.peer_id = "faulty!",
	};

	v4_gid(a.gid, is("no-route") ? htonl(0xc0000201) : own_addr(fd));
	eid_set(a.eid, is("eid") ? "ANOTHER" : EID);
	a.fce.v2_direct = !is("no-route") && !is("gateway");
	a.fce.os = SMCX_CLC_OS_LINUX;
	a.fce.release = is("release") ? 9 : 1;
	a.fce.max_conns = is("conns") ? 8 : is_confirm ? theirs->fce.max_conns : 255;
	a.fce.max_links = is("links") ? 9 : 1;
	memset(a.fce.host, 'f', sizeof(a.fce.host));
	a.n_gids = is_confirm;
	memcpy(a.gids[0], a.gid, 16);
	return smcx_clc_encode_accept(&a, buf, SMCX_CLC_BUF_LEN);
}

static int make_decline(uint32_t diagnosis, uint8_t *buf)
{
	struct smcx_clc_decline d = { .version = 2, .os = SMCX_CLC_OS_LINUX, .diagnosis = diagnosis };

	return smcx_clc_encode_decline(&d, buf, SMCX_CLC_BUF_LEN);
}

static bool say(int fd, const uint8_t *buf, int n)
{
	if (n <= 0)
		fprintf(stderr, "faulty: %s cannot be said: %d\n", fault, n);
	return n > 0 && send(fd, buf, n, MSG_NOSIGNAL) == n;
}

static int hear(int fd, uint8_t *buf)
{
	int n;

	if (recv(fd, buf, SMCX_CLC_HDR_LEN, MSG_WAITALL | MSG_PEEK) != SMCX_CLC_HDR_LEN)
		return 0;
	n = smcx_clc_peek_len(buf, SMCX_CLC_HDR_LEN);
	return n > 0 && n <= SMCX_CLC_BUF_LEN && recv(fd, buf, n, MSG_WAITALL) == n ? n : 0;
}

/* Return: does it decline? Then @diagnosis is why. */
static bool is_decline(const uint8_t *buf, int n, uint32_t *diagnosis)
{
	struct smcx_clc_decline d;

	if (n <= 0 || buf[4] != SMCX_CLC_DECLINE || smcx_clc_decode_decline(buf, n, &d))
		return false;
	*diagnosis = d.diagnosis;
	return true;
}

/* ---- the two sides ---- */

/* Says what the fault is in, the rest rightly. Return: was it declined? */
static bool propose(int fd, uint32_t *diagnosis)
{
	/* of the Confirm, not the Proposal */
	bool later = !strncmp(fault, "confirm-", 8);
	uint8_t buf[SMCX_CLC_BUF_LEN];
	const char *whole = fault;
	struct smcx_clc_accept acc;
	int n;

	if (later)
		fault = "none";
	if (!say(fd, buf, make_proposal(fd, buf)))
		return false;
	n = hear(fd, buf);
	if (!later || n <= 0 || smcx_clc_decode_accept(buf, n, &acc))
		return is_decline(buf, n, diagnosis);
	fault = whole + 8;
	return say(fd, buf, make_accept(fd, true, &acc, buf)) && is_decline(buf, hear(fd, buf), diagnosis);
}

static int client(const char *addr, int port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };
	socklen_t len = sizeof(sin);
	uint32_t diagnosis = 0;
	char c = 'x';
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, addr, &sin.sin_addr);
	if (fd < 0 || connect(fd, (void *)&sin, sizeof(sin)) || getsockname(fd, (void *)&sin, &len)) {
		perror("faulty");
		return 1;
	}
	if (is("garbage")) {
		if (send(fd, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL) != 18)
			return 1;
	}
	if (is("mute") || is("garbage")) {
		/* until the other side has enough */
		printf("%d %s\n", ntohs(sin.sin_port), read(fd, &c, 1) > 0 ? "answered" : "ended");
		return 0;
	}
	if (!propose(fd, &diagnosis)) {
		printf("%d not declined\n", ntohs(sin.sin_port));
		return 1;
	}
	/* and TCP from here on */
	if (send(fd, &c, 1, MSG_NOSIGNAL) != 1 || read(fd, &c, 1) != 1) {
		printf("%d no TCP\n", ntohs(sin.sin_port));
		return 1;
	}
	printf("%d 0x%08x\n", ntohs(sin.sin_port), diagnosis);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}

/* Ends when its parent does. */
static bool child(void)
{
	if (fork())
		return false;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return true;
}

static void answer(int fd)
{
	uint8_t buf[SMCX_CLC_BUF_LEN];
	uint32_t diagnosis = strtoul(fault, NULL, 0);
	int n = hear(fd, buf);

	/* plain TCP does not propose */
	if (n <= 0)
		return;
	if (is("mute"))
		pause();
	if (is("garbage")) {
		if (send(fd, "HTTP/1.0 200 OK\r\n\r\n", 19, MSG_NOSIGNAL) == 19)
			pause();
		return;
	}
	if (diagnosis) {
		if (!say(fd, buf, make_decline(diagnosis, buf)))
			return;
	} else if (!say(fd, buf, make_accept(fd, false, NULL, buf)) || !is_decline(buf, hear(fd, buf), &diagnosis)) {
		return;
	}
	while ((n = read(fd, buf, sizeof(buf))) > 0 && send(fd, buf, n, MSG_NOSIGNAL) == n)
		;
}

static void serve(int port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };
	int on = 1, conn, fd = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (void *)&sin, sizeof(sin)) || listen(fd, 16)) {
		perror("faulty: listen");
		exit(1);
	}
	while ((conn = accept(fd, NULL, NULL)) >= 0) {
		if (child()) {
			close(fd);
			answer(conn);
			exit(0);
		}
		close(conn);
	}
}

int main(int argc, char **argv)
{
	int rc = 2;

	signal(SIGCHLD, SIG_IGN);
	if (!option_on())
		return 2;
	if (argc == 5 && !strcmp(argv[1], "client")) {
		fault = argv[4];
		rc = client(argv[2], atoi(argv[3]));
	} else if (argc > 3 && !strcmp(argv[1], "server")) {
		for (int i = 3; i < argc; i++) {
			fault = argv[i];
			if (i == argc - 1 || child())
				serve(atoi(argv[2]) + i - 3);
		}
	}
	option_off();
	return rc;
}
