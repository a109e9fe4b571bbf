// SPDX-License-Identifier: GPL-2.0
// vm-cflags: -DRDMA_STATIC_PROVIDERS=rxe -Ipair/evil -Wno-overflow
// vm-cflags: pair/evil/evil.c pair/evil/rc.c pair/evil/option.c pair/evil/client.c pair/evil/data.c pair/evil/crowd.c pair/evil/server.c
// vm-cflags: ../kmod/proto/clc.c ../kmod/proto/clc_proposal.c ../kmod/proto/llc.c ../kmod/proto/cdc.c
// vm-cflags: ../kmod/proto/cursor.c ../kmod/proto/ext.c
// vm-cflags: -Wl,-Bstatic -libverbs -lrxe-rdmav34 -libverbs -lnl-route-3 -lnl-3 -Wl,-Bdynamic
/*
 * A hostile peer: the attacks of evil/client.c and evil/server.c on the victim of another machine.
 *   hostile OWN-ADDRESS OTHER-OWN-ADDRESS VICTIM PORT ATTACK...	all of them at the same time; a line "ok NAME" or "not ok NAME" for each
 *   hostile list
 */
#define _GNU_SOURCE
#include "evil/attack.h"
#include "evil/option.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX 60

static const struct attack *const attacks[] = { client_attacks, data_attacks, crowd_attacks, server_attacks };

static const struct attack *find(const char *name)
{
	for (unsigned int i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		for (const struct attack *a = attacks[i]; a->name; a++)
			if (!strcmp(a->name, name))
				return a;
	return NULL;
}

static void list(void)
{
	for (unsigned int i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		for (const struct attack *a = attacks[i]; a->name; a++)
			printf("%s\n", a->name);
}

/* In a process of its own: what it leaves behind, its end takes away. */
static pid_t start(const struct attack *a, struct target *t, const char *own)
{
	pid_t pid = fork();
	struct in_addr addr;

	if (pid)
		return pid;
	alarm(SECONDS_MAX * slow());
	srandom(getpid());
	inet_pton(AF_INET, own, &addr);
	if (!rc_dev_open(&t->dev, addr)) {
		fprintf(stderr, "no RDMA device\n");
		exit(2);
	}
	exit(a->run(t) ? 0 : 1);
}

int main(int argc, char **argv)
{
	struct target t = {};
	pid_t pid[64];
	int bad = 0, status, n;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "list")) {
		list();
		return 0;
	}
	if (argc < 6 || argc > 64 || inet_pton(AF_INET, argv[2], &t.other) != 1 ||
	    inet_pton(AF_INET, argv[3], &t.addr) != 1)
		return 2;
	t.port = atoi(argv[4]);
	signal(SIGPIPE, SIG_IGN);
	if (!option_on())
		return 2;
	for (n = 5; n < argc; n++) {
		const struct attack *a = find(argv[n]);

		pid[n] = a ? start(a, &t, argv[1]) : -1;
		if (!a)
			fprintf(stderr, "no attack %s\n", argv[n]);
	}
	for (n = 5; n < argc; n++) {
		status = 1;
		if (pid[n] > 0)
			waitpid(pid[n], &status, 0);
		printf("%s %s\n", status ? "not ok" : "ok", argv[n]);
		bad |= status;
	}
	option_off();
	return bad ? 1 : 0;
}
