// SPDX-License-Identifier: GPL-2.0
/* smcx: see SMC connections and what they run on. Options, help, choice of the command. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "out.h"
#include "smcx.h"

struct options options;

static const struct command {
	const char	*name;
	int		(*run)(int argc, char **argv);
	const char	*options;	/* those it has for itself */
} commands[] = {
	{ "sock", cmd_sock, "p" },
	{ "lgr", cmd_lgr, "" },
	{ "link", cmd_link, "" },
	{ "dev", cmd_dev, "" },
	{ "info", cmd_info, "" },
	{ "stat", cmd_stat, "ds" },
	{ "peers", cmd_peers, "" },
	{ "trust", cmd_trust, "" },
	{ "eid", cmd_eid, "" },
	{ "pnet", cmd_pnet, "" },
	{ "why", cmd_why, "" },
	{ "reason", cmd_reason, "" },
	{ "decode", cmd_decode, "" },
	{ "auto", cmd_auto, "" },
};

static void usage(FILE *to)
{
	fputs("usage: smcx [OPTION...] COMMAND [ARGUMENT...]\n"
	      "See SMC connections, why others stay TCP, and what they run on.\n\n"
	      "  sock [listen|smc|tcp] [state S] [port N] [addr A] [reason R]   open sockets\n"
	      "  lgr, link, dev, info   link groups, their links, RDMA ports, this host\n"
	      "  stat                   counters since the module was loaded\n"
	      "  peers [flush]          servers that have invited this host to one round trip\n"
	      "  trust [add PREFIX [port N] [cookie] | del PREFIX [port N] | flush]\n"
	      "                         prefixes in which no invitation is needed for that\n"
	      "  eid [add EID | del EID | flush]                    enterprise ids\n"
	      "  pnet [add ID [eth NAME] [ib NAME [port N]] | del ID | flush]   networks\n"
	      "  why HOST PORT          connect, and name what keeps SMC from it\n"
	      "  reason [NAME|CODE...]  reasons for TCP: cause and cure\n"
	      "  decode [FILE] [tcp|clc|llc|cdc|rdma]   messages of a capture, or of hex digits\n"
	      "  auto [on|off|show] [netns NAME] [cgroup DIR]   SMC sockets made by the kernel\n\n"
	      "  -p, --processes   sock: which processes have the socket\n"
	      "  -d, --delta[=S]   stat: what changes in S (1) seconds\n"
	      "  -s, --setup       stat: how long the parts of connections' set-up took\n"
	      "  -w, --watch[=S]   again every S (2) seconds; stat: changes\n"
	      "  -j, --json        print JSON\n"
	      "  -h, --help        show this text;  -V, --version: the version\n"
	      "Exit status: 0 fine, 1 command line not understood, 2 error from the kernel,\n"
	      "3 no module, 4 needs root; why: 5 TCP only, 6 unreachable. More in smcx(8).\n", to);
}

/* "--watch" or "--delta", and a number that stands apart from it */
static const char *apart_from, *apart;

int usage_error(const char *what, const char *word)
{
	if (word)
		fprintf(stderr, "smcx: %s: '%s'. ", what, word);
	else
		fprintf(stderr, "smcx: %s. ", what);
	if (apart)
		fprintf(stderr, "Seconds are written '%s=%s'. ", apart_from, apart);
	fputs("Try 'smcx --help'.\n", stderr);
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

/* A number of seconds behind "=", @by_default if there is none. */
static double seconds(const char *option, double by_default)
{
	const char *number = strchr(option, '=');
	double value;
	char *end;

	if (!number)
		return by_default;
	value = strtod(number + 1, &end);
	if (*end || end == number + 1 || !(value >= 0.1 && value <= 86400))
		exit(usage_error("not a number of seconds from 0.1 to 86400", option));
	return value;
}

static bool is_option(const char *word, const char *letter, const char *name)
{
	return !strcmp(word, letter) || !strcmp(word, name);
}

static bool is_valued(const char *word, const char *letter, const char *name)
{
	size_t len = strlen(name);

	return is_option(word, letter, name) || (!strncmp(word, name, len) && word[len] == '=');
}

/* Fine, unless nobody reads it: a full disk, or none. */
static int written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_FINE;
	perror("smcx: cannot write (is the disk full?)");
	return EXIT_KERNEL;
}

static bool is_number(const char *word)
{
	return word && *word && strspn(word, "0123456789.") == strlen(word);
}

/* For the complaint that may follow: "-d 5", "-d5" and "-d=5" are none of ours. */
static void note_apart(const char *word, const char *next, const char *letter, const char *name)
{
	const char *number = NULL;

	if (is_option(word, letter, name))
		number = next;
	else if (!strncmp(word, letter, 2))
		number = word + 2 + (word[2] == '=');
	if (is_number(number)) {
		apart_from = name;
		apart = number;
	}
}

static void take_option(const char *word)
{
	if (is_option(word, "-j", "--json")) {
		out_json = true;
	} else if (is_option(word, "-p", "--processes")) {
		options.processes = true;
	} else if (is_option(word, "-s", "--setup")) {
		options.setup = true;
	} else if (is_valued(word, "-d", "--delta")) {
		options.delta = seconds(word, 1);
	} else if (is_valued(word, "-w", "--watch")) {
		options.watch = seconds(word, 2);
	} else if (is_option(word, "-h", "--help")) {
		usage(stdout);
		exit(written());
	} else if (is_option(word, "-V", "--version")) {
		puts("smcx " SMCX_VERSION);
		exit(written());
	} else {
		exit(usage_error("unknown option", word));
	}
}

/* Takes the options out of @argv, wherever they stand; the rest keeps its order. */
static int take_options(char **argv)
{
	char **from, **to = argv;

	for (from = argv; *from; from++) {
		/* "-" alone is standard input */
		if (**from == '-' && (*from)[1]) {
			note_apart(*from, from[1], "-d", "--delta");
			note_apart(*from, from[1], "-w", "--watch");
			take_option(*from);
		} else {
			*to++ = *from;
		}
	}
	*to = NULL;
	return to - argv;
}

void pause_for(double secs)
{
	struct timespec t = { .tv_sec = (time_t)secs, .tv_nsec = (long)((secs - (time_t)secs) * 1e9) };

	nanosleep(&t, NULL);
}

/* Once, or again and again; on a terminal each round begins at its top. */
static int run(const struct command *c, int argc, char **argv)
{
	bool clear = options.watch && !out_json && isatty(STDOUT_FILENO);
	int rc;

	for (;;) {
		if (clear)
			fputs("\033[H\033[2J", stdout);
		rc = c->run(argc, argv);
		if (written())
			return EXIT_KERNEL;
		if (rc || !options.watch)
			return rc;
		pause_for(options.watch);
	}
}

static bool has(const struct command *c, char option)
{
	return strchr(c->options, option);
}

/* An option that has no meaning with the command was meant for another. */
static int start(const struct command *c, int argc, char **argv)
{
	if (options.processes && !has(c, 'p'))
		return usage_error("this command has no option", "--processes");
	if (options.delta && !has(c, 'd'))
		return usage_error("this command has no option", "--delta");
	if (options.setup && !has(c, 's'))
		return usage_error("this command has no option", "--setup");
	return run(c, argc, argv);
}

/* What we open must not become a standard stream that was closed: output would end in a netlink socket. */
static bool keep_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	return fd >= 0 && !close(fd);
}

int main(int argc, char **argv)
{
	size_t i;
	int n;

	if (!keep_streams()) {
		perror("smcx: cannot open /dev/null");
		return EXIT_KERNEL;
	}
	n = argc > 0 ? take_options(argv + 1) : 0;
	if (!n) {
		usage(stderr);
		return EXIT_USAGE;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return start(&commands[i], n - 1, argv + 2);
	return usage_error("unknown command", argv[1]);
}
