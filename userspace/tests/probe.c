// SPDX-License-Identifier: GPL-2.0
/* Opens a TCP socket, connects it to itself over a listener, and says whether the preload library is here. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int loop(void)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sin);
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), a;
	char byte = 'x';

	if (l < 0 || c < 0 || bind(l, (void *)&sin, len) || listen(l, 1) ||
	    getsockname(l, (void *)&sin, &len) || connect(c, (void *)&sin, len))
		return 1;
	a = accept(l, NULL, NULL);
	return a < 0 || write(c, &byte, 1) != 1 || read(a, &byte, 1) != 1;
}

int main(void)
{
	char line[512];
	const char *wrapped = "no";
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "libsmcx-preload.so"))
			wrapped = "yes";
	printf("wrapped %s\n", wrapped);
	if (loop()) {
		perror("probe");
		return 1;
	}
	return 0;
}
