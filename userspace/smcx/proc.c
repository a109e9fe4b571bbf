// SPDX-License-Identifier: GPL-2.0
/* Which processes have a socket: /proc/PID/fd, read once a run. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "smcx.h"

#define NAME_LEN	16	/* as the kernel keeps it */

struct holder {
	uint64_t	inode;
	int		pid;
	char		name[NAME_LEN];
};

static struct holder *holders;
static size_t n_holders, room;

static void add(uint64_t inode, int pid, const char *name)
{
	struct holder *h;

	if (n_holders == room) {
		size_t more = room ? 2 * room : 256;

		h = realloc(holders, more * sizeof(*h));
		if (!h)
			return;
		holders = h;
		room = more;
	}
	h = &holders[n_holders++];
	h->inode = inode;
	h->pid = pid;
	snprintf(h->name, sizeof(h->name), "%s", name);
}

static void name_of(int pid, char *name)
{
	char path[64];
	FILE *f;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "r");
	if (f && fgets(name, NAME_LEN, f))
		name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* Processes come and go, and some are not ours to look at: what cannot be read is left out. */
static void read_process(int pid)
{
	char path[PATH_MAX], target[64], name[NAME_LEN];
	unsigned long long inode;
	struct dirent *e;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	name_of(pid, name);
	while ((e = readdir(dir))) {
		len = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (sscanf(target, "socket:[%llu]", &inode) == 1)
			add(inode, pid, name);
	}
	closedir(dir);
}

static int by_inode(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return x->pid - y->pid;
}

void proc_read(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	n_holders = 0;
	if (!dir)
		return;
	while ((e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			read_process(atoi(e->d_name));
	closedir(dir);
	if (holders)
		qsort(holders, n_holders, sizeof(*holders), by_inode);
}

int proc_holders(uint64_t inode, char *text, size_t cap)
{
	int last = 0, first = 0;
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < n_holders; i++) {
		const struct holder *h = &holders[i];

		if (h->inode != inode || h->pid == last)
			continue;
		if (!first)
			first = h->pid;
		last = h->pid;
		if (len < cap)
			len += (size_t)snprintf(text + len, cap - len, "%s%s[%d]", len ? "," : "",
						h->name, h->pid);
	}
	return first;
}
