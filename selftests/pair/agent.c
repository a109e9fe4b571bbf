// SPDX-License-Identifier: GPL-2.0
/*
 * agent - remote hands for the socket tests, see selftests/include/peer.h.
 * Executes what a test program on another machine asks for, shell commands
 * included: for test machines only.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int port = argc > 1 ? atoi(argv[1]) : PEER_PORT;

	printf("# agent on port %d\n", port);
	fflush(stdout);
	agent_serve(port, -1);
	perror("agent");
	return 1;
}
