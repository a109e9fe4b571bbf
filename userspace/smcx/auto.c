// SPDX-License-Identifier: GPL-2.0
/* smcx auto: new TCP sockets become SMC sockets, by network namespace and control group. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autobpf.h"
#include "out.h"
#include "smcx.h"

#define LOCK	"/run/smcx-auto.lock"

static const struct out_column columns[] = {
	{ "netns", "Namespace", false },
	{ "netns_inode", NULL, false },
	{ "cgroup", "Control group", false },
	{ NULL, NULL, false },
};

static int fail(const char *what)
{
	int denied = errno == EPERM || errno == EACCES;

	if (errno == EXDEV)
		fputs("smcx: auto: the host's /sys/fs/bpf cannot be seen from here, as under 'ip netns exec' or in a container: "
		      "run it outside, with 'netns NAME'\n", stderr);
	else
		fprintf(stderr, "smcx: %s: %s%s\n", what, strerror(errno), denied ? "; this needs root" : "");
	return denied ? EXIT_DENIED : EXIT_KERNEL;
}

/* A name of ip netns, or a path such as /proc/PID/ns/net. */
static void path_of(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
}

/* By name, or as show prints it, for a rule whose namespace is gone. */
static bool namespace_of(const char *name, __u32 *inode)
{
	char path[256], end;
	struct stat st;

	if (sscanf(name, "net:[%u]%c", inode, &end) == 1)
		return true;
	path_of(name, path, sizeof(path));
	if (stat(path, &st))
		return false;
	*inode = st.st_ino;
	return true;
}

static int own_cookie(__u64 *cookie)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;
	socklen_t len = sizeof(*cookie);

	if (fd < 0)
		return -1;
	rc = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &len);
	close(fd);
	return rc;
}

/* The rest of smcx auto goes on in that namespace, where nothing depends on it. */
static int enter(const char *name)
{
	int fd, rc;
	char path[256];

	path_of(name, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = setns(fd, CLONE_NEWNET);
	close(fd);
	return rc;
}

/* [netns NAME|any] [cgroup FOLDER]; @on: a rule to be made. */
static int parse(char **argv, struct auto_rule *r, bool on)
{
	const char *name = "/proc/self/ns/net";

	memset(r, 0, sizeof(*r));
	r->used = 1;
	for (; *argv; argv += 2) {
		if (!argv[1])
			return usage_error("a value is missing after", *argv);
		if (!strcmp(*argv, "netns")) {
			name = argv[1];
		} else if (!strcmp(*argv, "cgroup")) {
			if (strlen(argv[1]) >= sizeof(r->text))
				return usage_error("too long a path", argv[1]);
			r->cgroup = 1;
			strcpy(r->text, argv[1]);
		} else {
			return usage_error("auto: netns or cgroup, not", *argv);
		}
	}
	if (!strcmp(name, "any"))
		return EXIT_FINE;
	if (!namespace_of(name, &r->netns))
		return usage_error("no such network namespace", name);
	return on && (enter(name) || own_cookie(&r->cookie)) ? fail(name) : EXIT_FINE;
}

/* Index of the rule, or of a free place if @free, or -1. */
static int find(const struct auto_rules *all, const struct auto_rule *r, bool free_place)
{
	int i;

	for (i = 0; i < AUTO_RULES; i++) {
		const struct auto_rule *old = &all->rule[i];

		if (free_place ? !old->used : old->used && old->netns == r->netns && !strcmp(old->text, r->text))
			return i;
	}
	return -1;
}

static int set_cgroup(const struct auto_switch *s, int index, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return fail(path);
	rc = auto_set_cgroup(s, index, fd);
	close(fd);
	if (rc && errno == EBADF)
		return usage_error("no folder of a control group of version 2", path);
	return rc ? fail(path) : EXIT_FINE;
}

static bool kernel_has_smc(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_SMC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int open_switch(struct auto_switch *s)
{
	const char *why;

	if (!auto_open(s))
		return EXIT_FINE;
	if (errno != ENOENT && errno != EINVAL)
		return fail("auto");
	return auto_load(s, &why) ? fail(why) : EXIT_FINE;
}

/* One smcx changes the switch at a time, others wait. @r: rule, or NULL for all of them. */
static int locked(int (*change)(const struct auto_rule *r), const struct auto_rule *r)
{
	int fd = open(LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600), rc;

	if (fd < 0)
		return fail("cannot open " LOCK);
	rc = flock(fd, LOCK_EX) ? fail("cannot lock " LOCK) : change(r);
	/* The file stays: who waits for it has it open, and would lock another than who comes then. */
	close(fd);
	return rc;
}

static bool is_empty(const struct auto_rules *all)
{
	int i;

	for (i = 0; i < AUTO_RULES; i++)
		if (all->rule[i].used)
			return false;
	return true;
}

/* A rule that is there is made anew: its group, or its namespace, may be another of the same name. */
static int insert(const struct auto_switch *s, struct auto_rules *all, const struct auto_rule *r)
{
	int index = find(all, r, false), rc = EXIT_FINE;

	if (index < 0)
		index = find(all, r, true);
	if (index < 0)
		return usage_error("auto: all places for rules are taken; remove one with", "auto off");
	if (r->cgroup)
		rc = set_cgroup(s, index, r->text);
	if (rc)
		return rc;
	all->rule[index] = *r;
	return auto_set(s, all) ? fail("auto") : EXIT_FINE;
}

static int add(const struct auto_rule *r)
{
	struct auto_rules all;
	struct auto_switch s;
	int rc;

	rc = open_switch(&s);
	if (rc)
		return rc;
	if (auto_get(&s, &all))
		return fail("auto");
	rc = insert(&s, &all, r);
	/* Without a rule it would only cost time at each socket(). */
	if (rc && is_empty(&all))
		auto_unload();
	return rc;
}

static int on(char **argv)
{
	struct auto_rule r;
	int rc;

	rc = parse(argv, &r, true);
	if (rc)
		return rc;
	if (r.cgroup && access(r.text, F_OK))
		return usage_error("no such control group", r.text);
	if (!kernel_has_smc()) {
		fputs("smcx: no module with SMC is loaded: load it with 'modprobe smcx'\n", stderr);
		return EXIT_NO_SMC;
	}
	return locked(add, &r);
}

static int take(const struct auto_rule *r)
{
	struct auto_rules all;
	struct auto_switch s;
	int index;

	if (!r)
		return !auto_unload() || errno == ENOENT ? EXIT_FINE : fail("auto off");
	if (auto_open(&s)) {
		if (errno == ENOENT)
			return usage_error("auto: no such rule; see", "auto show");
		return fail("auto off");
	}
	if (auto_get(&s, &all))
		return fail("auto off");
	index = find(&all, r, false);
	if (index < 0)
		return usage_error("auto: no such rule; see", "auto show");
	memset(&all.rule[index], 0, sizeof(all.rule[index]));
	if (is_empty(&all))
		return auto_unload() ? fail("auto off") : EXIT_FINE;
	return auto_set(&s, &all) ? fail("auto off") : EXIT_FINE;
}

static int off(char **argv)
{
	struct auto_rule r;
	int rc;

	if (!*argv)
		return locked(take, NULL);
	rc = parse(argv, &r, false);
	return rc ? rc : locked(take, &r);
}

static int show(void)
{
	struct auto_rules all = { 0 };
	struct auto_switch s;
	struct out_table *t;
	__u32 own = 0;
	int i;

	if (auto_open(&s) ? errno != ENOENT : auto_get(&s, &all))
		return fail("auto show");
	namespace_of("/proc/self/ns/net", &own);
	t = out_table_begin(columns);
	for (i = 0; i < AUTO_RULES; i++) {
		const struct auto_rule *r = &all.rule[i];

		if (!r->used)
			continue;
		out_row(t);
		if (r->netns && r->netns != own)
			out_str(t, "netns", "net:[%u]", r->netns);
		else
			out_str(t, "netns", "%s", r->netns ? "this" : "any");
		out_num(t, "netns_inode", r->netns);
		out_str(t, "cgroup", "%s", r->cgroup ? r->text : "any");
	}
	out_table_end(t, "Off: programs get the TCP sockets that they ask for.");
	return EXIT_FINE;
}

int cmd_auto(int argc, char **argv)
{
	if (is_show(argc, argv))
		return show();
	if (!strcmp(argv[0], "on"))
		return on(argv + 1);
	if (!strcmp(argv[0], "off"))
		return off(argv + 1);
	return usage_error("auto takes: on or off [netns NAME] [cgroup FOLDER], or show", NULL);
}
