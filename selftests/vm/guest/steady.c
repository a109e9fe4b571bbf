// SPDX-License-Identifier: GPL-2.0
/*
 * steady - keep the kernel's code as it is while tests run
 *
 * The kernel rewrites its own instructions when the first socket asks for time stamps and when the last one goes (static
 * keys). Each capture of a test would do so twice, and an emulator with a thread for each processor may run the breakpoint
 * that is there for a moment after the kernel has forgotten it: "int3: 0000", or a machine that stands still. This process
 * asks once and stays.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
	int on = 1, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on))) {
		perror("steady");
		return 1;
	}
	for (;;)
		pause();
}
