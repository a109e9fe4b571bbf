// SPDX-License-Identifier: GPL-2.0
/*
 * smc_run: run a program with its TCP sockets turned into SMC sockets.
 *
 * Puts the preload library into LD_PRELOAD and becomes the program by execvp(), with no
 * shell in between, so that arguments arrive as they are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inspect.h"

#define LIBRARY		"libsmcx-preload.so"

/* as env(1) and nohup(1) have them */
enum { EXIT_SELF = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static bool verbose;

static void usage(FILE *to)
{
	fputs("usage: smc_run [-v] PROGRAM [ARGUMENT...]\n"
	      "Run PROGRAM with SMC (TCP over RDMA) in place of TCP, wherever both ends can.\n\n"
	      "  -v, --verbose   say on standard error what is done, and why a program stays on TCP\n"
	      "  -h, --help      show this text\n"
	      "  -V, --version   show the version\n\n"
	      "Only dynamically linked programs can be wrapped; others run unchanged. Exit status:\n"
	      "that of PROGRAM; 125 smc_run failed; 126 PROGRAM cannot be run; 127 not found.\n"
	      "'smcx sock' shows which connections use SMC, and why others do not.\n", to);
}

/* LD_PRELOAD separates its entries by these, and the loader expands dollars. */
static bool is_expressible(const char *path)
{
	return !strpbrk(path, " :$");
}

/* Own folder with the trailing slash; empty if unknown. */
static void own_folder(char *folder, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", folder, size - 1);
	char *slash;

	folder[len > 0 ? len : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		slash[1] = '\0';
	else
		folder[0] = '\0';
}

/*
 * The library beside us, in ../lib, or where the loader looks by itself.
 * Returns what goes into LD_PRELOAD (kept until exec), or NULL with a message printed.
 */
static const char *find_library(void)
{
	static const char *const places[] = { "", "../lib/" };
	char path[PATH_MAX + sizeof("../lib/" LIBRARY)];
	char folder[PATH_MAX], *found = NULL;
	bool inexpressible = false;
	size_t i;

	own_folder(folder, sizeof(folder));
	for (i = 0; folder[0] && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s" LIBRARY, folder, places[i]);
		if (access(path, R_OK))
			continue;
		found = realpath(path, NULL);
		if (found && is_expressible(found))
			return found;
		inexpressible = true;
	}
	if (dlopen(LIBRARY, RTLD_LAZY))
		return LIBRARY;
	if (inexpressible)
		fprintf(stderr, "smc_run: cannot use %s: a preloaded library's path must not contain blanks, colons or dollars; move it\n",
			found ? found : path);
	else
		fprintf(stderr, "smc_run: cannot find " LIBRARY " in %s, %s../lib, or the library path; install it\n",
			folder, folder);
	return NULL;
}

static bool is_listed(const char *list, const char *entry)
{
	size_t len = strlen(entry);

	while (*list) {
		size_t n = strcspn(list, " :");

		if (n == len && !strncmp(list, entry, n))
			return true;
		list += n;
		list += strspn(list, " :");
	}
	return false;
}

/* After what is there already: libraries that observe socket() see what the program asked for. */
static int set_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;
	int rc;

	if (!old || !*old)
		return setenv("LD_PRELOAD", library, 1);
	if (is_listed(old, library))
		return 0;
	if (asprintf(&value, "%s:%s", old, library) < 0)
		return -1;
	rc = setenv("LD_PRELOAD", value, 1);
	free(value);
	return rc;
}

static int parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	/* The plus: options of the program are none of ours. */
	while ((opt = getopt_long(argc, argv, "+hVv", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			usage(stdout);
			exit(0);
		case 'V':
			puts("smc_run " SMCX_VERSION);
			exit(0);
		case 'v':
			verbose = true;
			break;
		default:
			fputs("Try 'smc_run --help'.\n", stderr);
			exit(EXIT_SELF);
		}
	}
	if (optind == argc) {
		fputs("smc_run: which program? Try 'smc_run --help'.\n", stderr);
		exit(EXIT_SELF);
	}
	return optind;
}

int main(int argc, char **argv)
{
	const char *library;
	int first, err;

	first = parse(argc, argv);
	library = find_library();
	if (!library)
		return EXIT_SELF;
	if (set_preload(library) ||
	    (verbose && setenv("SMC_RUN_VERBOSE", "1", 1))) {
		perror("smc_run: cannot set the environment");
		return EXIT_SELF;
	}
	if (verbose) {
		fprintf(stderr, "smc_run: LD_PRELOAD=%s\n", getenv("LD_PRELOAD"));
		inspect_program(argv[first]);
	}
	execvp(argv[first], argv + first);
	err = errno;
	fprintf(stderr, "smc_run: cannot run '%s': %s\n", argv[first], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
