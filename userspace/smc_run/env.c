// SPDX-License-Identifier: GPL-2.0
/* The preload library: where it is, and what it is told through the environment. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox.h"
#include "smc_run.h"

#define LIBRARY		"libsmcx-preload.so"

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

const char *preload_find(void)
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
		free(found);
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
	free(found);
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
static int set_library(const char *library)
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

static int set_number(const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	return setenv(name, text, 1);
}

/* An smc_run around this one has its say where this one has none; but for port lists, which exclude each other. */
static int set_ports(const struct settings *s)
{
	if (!s->only && !s->except)
		return 0;
	unsetenv("SMC_RUN_ONLY_PORT");
	unsetenv("SMC_RUN_EXCEPT");
	return s->only ? setenv("SMC_RUN_ONLY_PORT", s->only, 1) : setenv("SMC_RUN_EXCEPT", s->except, 1);
}

int preload_set(const struct settings *s, const char *library)
{
	if (set_library(library) || set_ports(s) ||
	    set_number("SMC_RUN_FILTERS", sandbox_filters()) ||
	    (s->verbose && setenv("SMC_RUN_VERBOSE", "1", 1)) ||
	    (s->opener.sndbuf && set_number("SMC_RUN_SNDBUF", s->opener.sndbuf)) ||
	    (s->opener.rcvbuf && set_number("SMC_RUN_RCVBUF", s->opener.rcvbuf)))
		return -1;
	if (s->opener.ways == SMC_WAYS)
		return unsetenv("SMC_RUN_WAYS");
	return set_number("SMC_RUN_WAYS", s->opener.ways);
}
