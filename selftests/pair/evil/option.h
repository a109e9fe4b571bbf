/* SPDX-License-Identifier: GPL-2.0 */
/* option.h - SMC's TCP option in the SYNs of ordinary TCP sockets, which then are ours alone. */
#ifndef EVIL_OPTION_H
#define EVIL_OPTION_H

#include <stdbool.h>

bool option_on(void);
void option_off(void);

#endif
