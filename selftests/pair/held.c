// SPDX-License-Identifier: GPL-2.0
/* rawsock, but dynamic and by the C library: what a preloaded library can reach. */
#define RAWSOCK_LIBC
#include "rawsock.c"
