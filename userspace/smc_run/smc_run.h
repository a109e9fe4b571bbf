/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_RUN_SMC_RUN_H
#define SMC_RUN_SMC_RUN_H

#include <stdbool.h>

#include "open.h"
#include "ports.h"

/* as env(1) and nohup(1) have them */
enum { EXIT_SELF = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/** enum method - how the program's sockets are reached; the order is that of the names in the help */
enum method { METHOD_AUTO, METHOD_PRELOAD, METHOD_SECCOMP, METHOD_NONE };

/**
 * struct settings - the command line, and what was found out since
 * @method: asked for
 * @only: list of --only-port, or NULL
 * @except: list of --except, or NULL
 * @verbose: tell every decision
 * @opener: ways and buffer sizes
 */
struct settings {
	enum method		method;
	const char		*only, *except;
	bool			verbose;
	struct smc_opener	opener;
};

/**
 * method_apply() - choose the method and prepare this process for it
 * @s: settings
 * @program: as given to execvp()
 *
 * Where a program cannot be wrapped without harm the process is left as it is. Exits with
 * EXIT_SELF where the installation is broken.
 */
void method_apply(struct settings *s, const char *program);

/**
 * preload_find() - the library beside smc_run, in ../lib, or where the loader looks by itself
 *
 * Return: what goes into LD_PRELOAD (kept until exec), or NULL with a message printed.
 */
const char *preload_find(void);

/** preload_set() - put the library and its settings into the environment. @s: settings. @library: from preload_find(). Return: 0 or -1 with errno. */
int preload_set(const struct settings *s, const char *library);

#endif
