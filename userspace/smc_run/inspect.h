/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_RUN_INSPECT_H
#define SMC_RUN_INSPECT_H

#include <limits.h>

/**
 * enum reach - what reaches the sockets of a program
 * @REACH_PRELOAD: a preloaded library
 * @REACH_SECCOMP: not that, but a seccomp filter
 * @REACH_NOTHING: neither without harm
 */
enum reach { REACH_PRELOAD, REACH_SECCOMP, REACH_NOTHING };

/**
 * struct verdict - what was found out about a program
 * @reach: see enum reach
 * @file: what was looked at: the program, or the last interpreter of a script
 * @why: reason in words, to stand behind @file
 */
struct verdict {
	enum reach	reach;
	char		file[PATH_MAX];
	const char	*why;
};

/**
 * inspect_program() - find out what reaches a program
 * @name: as given to execvp()
 * @v: verdict; REACH_PRELOAD for what cannot be found or read, which does no harm
 */
void inspect_program(const char *name, struct verdict *v);

#endif
