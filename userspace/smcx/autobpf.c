// SPDX-License-Identifier: GPL-2.0
/* Loading, finding and removing the switch of smcx auto: see autobpf.h. */
#include "autobpf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define BPF_FS		"/sys/fs/bpf"
#define FOLDER		BPF_FS "/smcx-auto"
#define LINK		FOLDER "/link"
#define RULES		FOLDER "/rules"
#define CGROUPS		FOLDER "/cgroups"

long auto_bpf(int cmd, union bpf_attr *attr, unsigned int size)
{
	return syscall(SYS_bpf, cmd, attr, size);
}

static int create_map(int type, const char *name, unsigned int value_size, unsigned int entries)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = sizeof(__u32);
	attr.value_size = value_size;
	attr.max_entries = entries;
	strncpy(attr.map_name, name, sizeof(attr.map_name) - 1);
	return auto_bpf(BPF_MAP_CREATE, &attr, sizeof(attr));
}

static int pin(int fd, const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (uintptr_t)path;
	attr.bpf_fd = fd;
	return auto_bpf(BPF_OBJ_PIN, &attr, sizeof(attr));
}

static int get(const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (uintptr_t)path;
	return auto_bpf(BPF_OBJ_GET, &attr, sizeof(attr));
}

static int update(int map, __u32 key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)value;
	return auto_bpf(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

int auto_get(const struct auto_switch *s, struct auto_rules *r)
{
	union bpf_attr attr;
	__u32 key = 0;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = s->rules;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)r;
	return auto_bpf(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
}

int auto_set(const struct auto_switch *s, const struct auto_rules *r)
{
	return update(s->rules, 0, r);
}

int auto_set_cgroup(const struct auto_switch *s, __u32 index, int fd)
{
	__u32 value = fd;

	return update(s->cgroups, index, &value);
}

static bool is_bpf_fs(void)
{
	struct statfs fs;

	return !statfs(BPF_FS, &fs) && (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

/*
 * "ip netns exec" and containers hide the host's /sys/fs/bpf. What we pinned in a file system mounted there would
 * end with us, or with them.
 */
static int look_from_here(void)
{
	struct stat here, first;

	if (is_bpf_fs() || stat("/proc/self/ns/mnt", &here) || stat("/proc/1/ns/mnt", &first) ||
	    here.st_ino == first.st_ino)
		return 0;
	errno = EXDEV;
	return -1;
}

int auto_open(struct auto_switch *s)
{
	/* The link was pinned last: without it the others are what a killed smcx left. */
	if (look_from_here() || access(LINK, F_OK))
		return -1;
	s->rules = get(RULES);
	s->cgroups = s->rules < 0 ? -1 : get(CGROUPS);
	return s->cgroups < 0 ? -1 : 0;
}

/* systemd mounts it; others may not. */
static int have_bpf_fs(void)
{
	if (is_bpf_fs())
		return 0;
	return mount("bpf", BPF_FS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=700");
}

static int attach(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = program;
	return auto_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
}

int auto_unload(void)
{
	static const char *const path[] = { LINK, RULES, CGROUPS };
	bool some = false;
	unsigned int i;

	if (look_from_here())
		return -1;
	for (i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		if (!unlink(path[i]))
			some = true;
		else if (errno != ENOENT)
			return -1;
	}
	rmdir(FOLDER);
	if (some)
		return 0;
	errno = ENOENT;
	return -1;
}

/* In place of what a killed smcx left. The link last: auto_open() takes it for the sign that all are there. */
static int pin_all(const struct auto_switch *s, int link)
{
	static const char *const path[] = { RULES, CGROUPS, LINK };
	const int fd[] = { s->rules, s->cgroups, link };
	int i, n = sizeof(fd) / sizeof(fd[0]), saved;

	if (auto_unload() && errno != ENOENT)
		return -1;
	if (mkdir(FOLDER, 0700) && errno != EEXIST)
		return -1;
	for (i = 0; i < n; i++)
		if (pin(fd[i], path[i]))
			break;
	if (i == n)
		return 0;
	saved = errno;
	auto_unload();
	errno = saved;
	return -1;
}

int auto_load(struct auto_switch *s, const char **why)
{
	static char log[65536];
	int program, link;

	*why = "cannot mount " BPF_FS;
	if (have_bpf_fs())
		return -1;
	*why = "cannot create BPF maps";
	s->rules = create_map(BPF_MAP_TYPE_ARRAY, "smcx_rules", sizeof(struct auto_rules), 1);
	s->cgroups = create_map(BPF_MAP_TYPE_CGROUP_ARRAY, "smcx_cgroups", sizeof(__u32), AUTO_RULES);
	if (s->rules < 0 || s->cgroups < 0)
		return -1;
	program = auto_program(s, why, log, sizeof(log));
	if (program < 0)
		return -1;
	*why = "cannot attach the BPF program";
	link = attach(program);
	if (link < 0)
		return -1;
	*why = "cannot keep the BPF program in " FOLDER;
	return pin_all(s, link);
}
