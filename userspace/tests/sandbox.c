// SPDX-License-Identifier: GPL-2.0
/*
 * sandbox KIND PROGRAM [ARGUMENT...]: runs a program behind a seccomp filter of its own.
 *   restrict         socket() gives EAFNOSUPPORT but for AF_UNIX, AF_INET, AF_INET6, as systemd does it
 *   kill-family      family 43 kills        eperm-family    ... gives EPERM
 *   kill-protocol    protocol 256 kills     eperm-protocol  ... gives EPERM
 *   kill-both, eperm-both
 *   kill-seccomp     seccomp() kills        kill-setsid     setsid() kills      kill-ioctl     ioctl() kills
 *   listener         a notification filter that nobody uses
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(k, skip)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, skip)
#define RETURN(k)	BPF_STMT(BPF_RET | BPF_K, k)
#define KILL		SECCOMP_RET_KILL_PROCESS
#define FAIL(err)	(SECCOMP_RET_ERRNO | (err))

static int install(struct sock_filter *f, size_t n, unsigned int flags)
{
	struct sock_fprog prog = { n, f };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

/* On this system call, or on this argument of socket(), that action. */
static int on_call(unsigned int nr, unsigned int action)
{
	struct sock_filter f[] = { LOAD(nr), UNLESS(nr, 1), RETURN(action), RETURN(SECCOMP_RET_ALLOW) };

	return install(f, 4, 0);
}

static int on_family(unsigned int family, unsigned int action)
{
	struct sock_filter f[] = {
		LOAD(nr), UNLESS(SYS_socket, 3), LOAD(args[0]), UNLESS(family, 1), RETURN(action),
		RETURN(SECCOMP_RET_ALLOW),
	};

	return install(f, 6, 0);
}

static int on_protocol(unsigned int protocol, unsigned int action)
{
	struct sock_filter f[] = {
		LOAD(nr), UNLESS(SYS_socket, 3), LOAD(args[2]), UNLESS(protocol, 1), RETURN(action),
		RETURN(SECCOMP_RET_ALLOW),
	};

	return install(f, 6, 0);
}

static int restrict_families(void)
{
	struct sock_filter f[] = {
		LOAD(nr), UNLESS(SYS_socket, 5), LOAD(args[0]),
		UNLESS(AF_UNIX, 1), RETURN(SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
		RETURN(SECCOMP_RET_ALLOW), RETURN(FAIL(EAFNOSUPPORT)),
	};

	return install(f, 9, 0);
}

static int unused_listener(void)
{
	struct sock_filter f[] = { RETURN(SECCOMP_RET_ALLOW) };
	int fd = install(f, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER);

	return fd < 0 || fcntl(fd, F_SETFD, 0);
}

static int enter(const char *kind)
{
	unsigned int action = strncmp(kind, "kill", 4) ? FAIL(EPERM) : KILL;
	int both = strstr(kind, "-both") != NULL, rc = -1;

	if (!strcmp(kind, "restrict"))
		return restrict_families();
	if (!strcmp(kind, "listener"))
		return unused_listener();
	if (!strcmp(kind, "kill-seccomp"))
		return on_call(SYS_seccomp, KILL);
	if (!strcmp(kind, "kill-setsid"))
		return on_call(SYS_setsid, KILL);
	if (!strcmp(kind, "kill-ioctl"))
		return on_call(SYS_ioctl, KILL);
	if (both || strstr(kind, "-family"))
		rc = on_family(43, action);
	if (both || strstr(kind, "-protocol"))
		rc = on_protocol(256, action);
	return rc;
}

int main(int argc, char **argv)
{
	if (argc < 3 || enter(argv[1])) {
		perror("sandbox");
		return 99;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 99;
}
