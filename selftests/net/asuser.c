// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program as a user with no rights:
 *   asuser PROGRAM [ARGS]		in the namespaces that there are
 *   asuser --own PROGRAM [ARGS]	as root of a user and a network namespace of his own
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USER 1000

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

static void own_namespaces(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		die("unshare");
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", "0 1000 1");
	put("/proc/self/gid_map", "0 1000 1");
}

/* With a capability that is lost, /proc/self belongs to root, unless the program is one that may be dumped: so it is executed once more. */
int main(int argc, char **argv)
{
	if (argc < 2 || (!strcmp(argv[1], "--own") && argc < 3))
		return 125;
	if (!getuid()) {
		if (setgroups(0, NULL) || setgid(USER) || setuid(USER))
			die("user");
		execv("/proc/self/exe", argv);
		die("exec");
	}
	argv++;
	if (!strcmp(*argv, "--own")) {
		own_namespaces();
		argv++;
	}
	execvp(*argv, argv);
	die(*argv);
	return 125;
}
