// SPDX-License-Identifier: GPL-2.0
/*
 * smc_run: run a program with its TCP sockets turned into SMC sockets.
 *
 * Prepares its own process, by the preload library or by a seccomp filter, and becomes the
 * program by execvp(), with no shell in between, so that arguments arrive as they are.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "smc_run.h"

enum { OPT_METHOD = 256, OPT_ONLY, OPT_EXCEPT };

static void usage(FILE *to)
{
	fputs("usage: smc_run [OPTION...] PROGRAM [ARGUMENT...]\n"
	      "Run PROGRAM with SMC (TCP over RDMA) in place of TCP, wherever both ends can.\n\n"
	      "      --method=auto|preload|seccomp|none\n"
	      "                       how; auto takes what PROGRAM needs\n"
	      "      --only-port=LIST SMC on these ports only, such as 80,443,8000-8100 (preload)\n"
	      "      --except=LIST    SMC on all ports but these (preload)\n"
	      "  -t, --sndbuf=SIZE    send buffer of TCP and SMC sockets, in bytes, K or M\n"
	      "  -r, --rcvbuf=SIZE    receive buffer, likewise\n"
	      "  -v, --verbose        say on standard error what is done, and why\n"
	      "  -h, --help           show this text\n"
	      "  -V, --version        show the version\n\n"
	      "Exit status: that of PROGRAM; 125 smc_run failed; 126 PROGRAM cannot be run; 127 not\n"
	      "found. 'smcx sock' shows which connections use SMC, and why others do not.\n", to);
}

__attribute__((noreturn)) static void refuse(const char *what, const char *word)
{
	fprintf(stderr, "smc_run: %s '%s'. Try 'smc_run --help'.\n", what, word);
	exit(EXIT_SELF);
}

/* Bytes, K or M; the kernel's field is an int. */
static int parse_size(const char *text)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	if (!value || errno || value > 0x7fffffff)
		refuse("not a size in bytes, K or M:", text);
	if (*end == 'K' || *end == 'k')
		value <<= 10, end++;
	else if (*end == 'M' || *end == 'm')
		value <<= 20, end++;
	if (*end || value > 0x7fffffff)
		refuse("not a size in bytes, K or M:", text);
	return value;
}

static enum method parse_method(const char *text)
{
	static const char *const names[] = { "auto", "preload", "seccomp", "none" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i]))
			return i;
	refuse("unknown method", text);
}

static const char *parse_ports(const char *list)
{
	struct ports ports = { .n = 0 };

	if (!ports_parse(&ports, list))
		refuse("not a list of ports (80,443,8000-8100, at most 64 of them):", list);
	return list;
}

/* What was asked for has been said, unless it could not be written. */
__attribute__((noreturn)) static void leave(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("smc_run: cannot write (is the disk full?)");
		exit(EXIT_SELF);
	}
	exit(0);
}

static void parse_option(int opt, struct settings *s)
{
	switch (opt) {
	case 'h':
		usage(stdout);
		leave();
	case 'V':
		puts("smc_run " SMCX_VERSION);
		leave();
	case 'v':
		s->verbose = true;
		break;
	case 't':
		s->opener.sndbuf = parse_size(optarg);
		break;
	case 'r':
		s->opener.rcvbuf = parse_size(optarg);
		break;
	case OPT_METHOD:
		s->method = parse_method(optarg);
		break;
	case OPT_ONLY:
		s->only = parse_ports(optarg);
		break;
	case OPT_EXCEPT:
		s->except = parse_ports(optarg);
		break;
	default:
		fputs("Try 'smc_run --help'.\n", stderr);
		exit(EXIT_SELF);
	}
}

static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option options[] = {
		{ "method", required_argument, NULL, OPT_METHOD },
		{ "only-port", required_argument, NULL, OPT_ONLY },
		{ "except", required_argument, NULL, OPT_EXCEPT },
		{ "sndbuf", required_argument, NULL, 't' },
		{ "rcvbuf", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	/* The plus: options of the program are none of ours. */
	while ((opt = getopt_long(argc, argv, "+hVvt:r:", options, NULL)) != -1)
		parse_option(opt, s);
	if (optind == argc) {
		fputs("smc_run: which program? Try 'smc_run --help'.\n", stderr);
		exit(EXIT_SELF);
	}
	if (s->only && s->except) {
		fputs("smc_run: --only-port and --except exclude each other; give one of them.\n", stderr);
		exit(EXIT_SELF);
	}
	if ((s->only || s->except) && s->method == METHOD_SECCOMP) {
		fputs("smc_run: with --method=seccomp ports cannot be told apart: they come after socket(). Use --method=preload.\n",
		      stderr);
		exit(EXIT_SELF);
	}
	return optind;
}

int main(int argc, char **argv)
{
	struct settings s = { .opener = { .socket = socket, .ways = SMC_WAYS } };
	int first, err;

	first = parse(argc, argv, &s);
	method_apply(&s, argv[first]);
	execvp(argv[first], argv + first);
	err = errno;
	fprintf(stderr, "smc_run: cannot run '%s': %s\n", argv[first], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
