// SPDX-License-Identifier: GPL-2.0
/* Prints the cookie of this network namespace, as the socket layer has it. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

int main(void)
{
	uint64_t cookie;
	socklen_t len = sizeof(cookie);

	if (getsockopt(socket(AF_INET, SOCK_STREAM, 0), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		return 1;
	printf("%" PRIu64 "\n", cookie);
	return 0;
}
