/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_RUN_PROCESS_H
#define SMC_RUN_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * process_fork() - fork a child that the program will not notice
 *
 * Its death sends no signal: a SIGCHLD that the caller of smc_run has blocked would stay pending
 * over execve() and reach the program.
 *
 * Return: as fork().
 */
pid_t process_fork(void);

/** process_wait() - wait for such a child. @pid: child. @status: for its status. Return: success. */
bool process_wait(pid_t pid, int *status);

#endif
