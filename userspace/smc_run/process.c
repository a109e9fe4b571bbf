// SPDX-License-Identifier: GPL-2.0
/* See process.h. */
#include "process.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t process_fork(void)
{
	/* No flags and no exit signal; all arguments are 0, so their order, which differs, is no matter. */
	return syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
}

bool process_wait(pid_t pid, int *status)
{
	pid_t rc;

	do
		rc = waitpid(pid, status, __WALL);
	while (rc < 0 && errno == EINTR);
	return rc == pid;
}
