// SPDX-License-Identifier: GPL-2.0
/* What a socket shows of its maker: see supervise.h. */
#include "supervise.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#define TEXT_SIZE	4096

static bool read_text(int pid, const char *name, char *text)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, TEXT_SIZE - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* The last of the four ids of a line of /proc/PID/status: the one for files and sockets. */
static bool fs_id(const char *status, const char *key, unsigned int *id)
{
	const char *line = strstr(status, key);

	return line && sscanf(line + strlen(key), "%*u %*u %*u %u", id) == 1;
}

static bool same_group(int pid)
{
	char mine[TEXT_SIZE], its[TEXT_SIZE];

	return read_text(getpid(), "cgroup", mine) && read_text(pid, "cgroup", its) && !strcmp(mine, its);
}

static bool same_netns(int pid)
{
	char path[64], mine[64], its[64];
	ssize_t n, m;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	n = readlink("/proc/self/ns/net", mine, sizeof(mine));
	m = readlink(path, its, sizeof(its));
	return n > 0 && n == m && !memcmp(mine, its, n);
}

void caller_name(int pid, char *name, size_t size)
{
	char text[TEXT_SIZE], *c;

	if (!read_text(pid, "comm", text))
		strcpy(text, "?");
	text[strcspn(text, "\n")] = '\0';
	/* The program chooses it, and standard error may be a terminal. */
	for (c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	snprintf(name, size, "%s", text);
}

static unsigned int own_fsuid, own_fsgid;
static bool adopted;

void caller_leave(void)
{
	if (!adopted)
		return;
	setfsgid(own_fsgid);
	setfsuid(own_fsuid);
	adopted = false;
}

const char *caller_adopt(int pid)
{
	unsigned int uid, gid;
	char status[TEXT_SIZE];

	/* 0: it lives in a process namespace that cannot be seen from here */
	if (pid <= 0 || !read_text(pid, "status", status) ||
	    !fs_id(status, "\nUid:", &uid) || !fs_id(status, "\nGid:", &gid))
		return "the caller cannot be looked at";
	if (!same_netns(pid))
		return "the caller is in another network namespace, or hides its own";
	if (!same_group(pid))
		return "the caller is in another control group";
	/* An impossible id changes nothing and returns the present one. */
	own_fsuid = setfsuid(-1);
	own_fsgid = setfsgid(-1);
	if (uid == own_fsuid && gid == own_fsgid)
		return NULL;
	adopted = true;
	setfsgid(gid);
	setfsuid(uid);
	if ((unsigned int)setfsuid(-1) == uid && (unsigned int)setfsgid(-1) == gid)
		return NULL;
	caller_leave();
	return "the caller has become another user";
}
