// SPDX-License-Identifier: GPL-2.0
/*
 * limit SECONDS PROGRAM [ARGS] - run a test, at most so long, and leave none of its processes behind
 *
 * Exit status: the program's; 128 + N after signal N; 124 on time-out; 123 if a process could not be killed
 * (it sits in the kernel: the machine is of no use any more).
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int wait_child(pid_t pid, int seconds, int *status)
{
	struct timespec tick = { .tv_nsec = 200000000 };
	struct timespec start, now;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return 0;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec >= seconds)
			return -1;
		/* Returns at once when a child ends; the tick only serves the time-out. */
		sigtimedwait(&set, NULL, &tick);
	}
}

/* As a subreaper we are the parent of everything the test left behind. */
static int kill_children(void)
{
	char path[300], line[512], *rest;
	struct dirent *entry;
	int found = 0, ppid;
	FILE *file;
	DIR *proc = opendir("/proc");

	while (proc && (entry = readdir(proc))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		rest = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
		fclose(file);
		if (!rest || sscanf(rest, ") %*c %d", &ppid) != 1 || ppid != getpid())
			continue;
		kill(atoi(entry->d_name), SIGKILL);
		found = 1;
	}
	if (proc)
		closedir(proc);
	return found;
}

static int clean_up(void)
{
	int tries = 0;

	while (kill_children()) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (++tries > 100)
			return -1;
		usleep(50000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0, timed_out;
	sigset_t set;
	pid_t pid;

	if (argc < 3)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid < 0)
		return 2;
	if (!pid) {
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		setsid();
		execvp(argv[2], argv + 2);
		fprintf(stderr, "limit: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	timed_out = wait_child(pid, atoi(argv[1]), &status);
	if (clean_up())
		return 123;
	if (timed_out)
		return 124;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
