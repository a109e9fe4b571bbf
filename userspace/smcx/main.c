// SPDX-License-Identifier: GPL-2.0
/* smcx: see SMC connections and what they run on. Options, help, choice of the command. */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "smcx.h"

static const struct command {
	const char	*name;
	int		(*run)(int argc, char **argv);
} commands[] = {
	{ "sock", cmd_sock },
	{ "lgr", cmd_lgr },
	{ "link", cmd_link },
	{ "dev", cmd_dev },
	{ "stat", cmd_stat },
	{ "eid", cmd_eid },
	{ "pnet", cmd_pnet },
	{ "decode", cmd_decode },
};

static void usage(FILE *to)
{
	fputs("usage: smcx [--json] COMMAND [ARGUMENT...]\n"
	      "See SMC connections, why others stay TCP, and what they run on.\n\n"
	      "  sock [listen|smc|tcp]   sockets: addresses, state, SMC or TCP, and why not SMC\n"
	      "  lgr                     link groups: peer, role, version, connections, buffers\n"
	      "  link                    links of the groups: RDMA ports, GIDs, state\n"
	      "  dev                     RDMA devices and ports that SMC may use\n"
	      "  stat                    counters since the module was loaded\n"
	      "  eid [add EID | del EID | flush]\n"
	      "                          enterprise ids (SMC version 2); no words: show them\n"
	      "  pnet [add ID [eth NAME] [ib NAME [port N]] | del ID | flush]\n"
	      "                          which devices are on one physical network\n"
	      "  decode [FILE] [tcp|clc|llc|cdc|rdma]\n"
	      "                          messages of a capture, or of hexadecimal text\n\n"
	      "  -j, --json              print JSON\n"
	      "  -h, --help              show this text\n"
	      "  -V, --version           show the version\n\n"
	      "Exit status: 0 fine, 1 command line not understood, 2 error from the kernel,\n"
	      "3 no SMC module is loaded, 4 needs root. More in smcx(8).\n", to);
}

int usage_error(const char *what, const char *word)
{
	if (word)
		fprintf(stderr, "smcx: %s: '%s'. Try 'smcx --help'.\n", what, word);
	else
		fprintf(stderr, "smcx: %s. Try 'smcx --help'.\n", what);
	return EXIT_USAGE;
}

const char *name_of_role(uint64_t role)
{
	return role ? "server" : "client";
}

const char *name_of_netdev(uint64_t ifindex)
{
	static char name[IF_NAMESIZE];

	if (!ifindex)
		return "-";
	/* An index of another namespace has no name here. */
	if (!if_indextoname(ifindex, name))
		snprintf(name, sizeof(name), "if%u", (unsigned int)ifindex);
	return name;
}

void out_gid(struct out_table *t, const char *key, const char *gid, size_t len)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr in6;

	snprintf(text, sizeof(text), "%.*s", (int)len, gid);
	if (inet_pton(AF_INET6, text, &in6) == 1)
		inet_ntop(AF_INET6, &in6, text, sizeof(text));
	if (*text)
		out_str(t, key, "%s", text);
}

/* Takes the options out of @argv, wherever they stand; the rest keeps its order. */
static int take_options(char **argv)
{
	char **from, **to = argv;

	for (from = argv; *from; from++) {
		if (!strcmp(*from, "-j") || !strcmp(*from, "--json")) {
			out_json = true;
		} else if (!strcmp(*from, "-h") || !strcmp(*from, "--help")) {
			usage(stdout);
			exit(EXIT_FINE);
		} else if (!strcmp(*from, "-V") || !strcmp(*from, "--version")) {
			puts("smcx " SMCX_VERSION);
			exit(EXIT_FINE);
		} else if (**from == '-' && (*from)[1]) {
			exit(usage_error("unknown option", *from));
		} else {
			*to++ = *from;
		}
	}
	*to = NULL;
	return to - argv;
}

int main(int argc, char **argv)
{
	size_t i;
	int n;

	n = argc > 0 ? take_options(argv + 1) : 0;
	if (!n) {
		usage(stderr);
		return EXIT_USAGE;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		int rc;

		if (strcmp(argv[1], commands[i].name))
			continue;
		rc = commands[i].run(n - 1, argv + 2);
		if (fflush(stdout) || ferror(stdout)) {
			perror("smcx: cannot write");
			return EXIT_KERNEL;
		}
		return rc;
	}
	return usage_error("unknown command", argv[1]);
}
