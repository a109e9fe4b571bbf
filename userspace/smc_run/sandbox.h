/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_RUN_SANDBOX_H
#define SMC_RUN_SANDBOX_H

#include <stdbool.h>

#include "open.h"

/**
 * sandbox_filters() - seccomp filters of this process
 *
 * No locks, no allocation; used in the preload library, too. errno is lost.
 *
 * Return: their number, 0 if there are none, -1 if there are but nobody tells how many.
 */
int sandbox_filters(void);

/**
 * sandbox_probe() - which ways to an SMC socket a sandbox lets pass
 *
 * A filter may kill who asks for a family or protocol it does not know, so a child asks.
 *
 * Return: bits of %SMC_WAYS: the ways that neither kill nor meet a refusal. A kernel without SMC
 * is no refusal.
 */
unsigned int sandbox_probe(void);

/**
 * sandbox_rehearse() - would a sandbox let a supervisor live and work?
 * @o: how to open sockets
 *
 * A child goes through all of it, since a filter may kill for any of the calls that this takes.
 */
bool sandbox_rehearse(const struct smc_opener *o);

#endif
