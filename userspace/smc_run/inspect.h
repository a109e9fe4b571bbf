/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_INSPECT_H
#define SMCX_INSPECT_H

/**
 * inspect_program() - say on standard error why preloading will not reach a program
 * @name: as given to execvp()
 *
 * Silent if nothing speaks against it, or if the program cannot be found or read.
 */
void inspect_program(const char *name);

#endif
