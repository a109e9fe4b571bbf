// SPDX-License-Identifier: GPL-2.0
/* The seccomp filter: asks about socket() for plain TCP, lets everything else pass. */
#include "supervise.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH	AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH	AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCH	AUDIT_ARCH_S390X
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH	AUDIT_ARCH_RISCV64
#else
#error "name the architecture's AUDIT_ARCH here"
#endif

/* The kernel takes ints: the lower half of each argument. */
#define LOW	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)

#define LOAD(field)		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_ARG(i)		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]) + LOW)
#define IF_EQUAL(k, yes, no)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)

/*
 * For calls other than socket() the kernel works out once that they pass and then no longer runs
 * the filter. Jumps are relative: 13 asks, 14 lets pass.
 */
static struct sock_filter program[] = {
	/*  0 */ LOAD(arch),
	/*  1 */ IF_EQUAL(ARCH, 0, 12),
	/*  2 */ LOAD(nr),
	/*  3 */ IF_EQUAL(SYS_socket, 0, 10),
	/*  4 */ LOAD_ARG(0),
	/*  5 */ IF_EQUAL(AF_INET, 1, 0),
	/*  6 */ IF_EQUAL(AF_INET6, 0, 7),
	/*  7 */ LOAD_ARG(1),
	/*  8 */ BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(unsigned int)(SOCK_CLOEXEC | SOCK_NONBLOCK)),
	/*  9 */ IF_EQUAL(SOCK_STREAM, 0, 4),
	/* 10 */ LOAD_ARG(2),
	/* 11 */ IF_EQUAL(0, 1, 0),
	/* 12 */ IF_EQUAL(IPPROTO_TCP, 0, 1),
	/* 13 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	/* 14 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static int install(unsigned int flags)
{
	const struct sock_fprog prog = { sizeof(program) / sizeof(program[0]), program };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
}

/* Once the supervisor works on it, only a deadly signal may break off a call: programs do not expect EINTR. */
static int install_killable(void)
{
	int fd = install(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);

	return fd < 0 && errno == EINVAL ? install(0) : fd;
}

int filter_install(void)
{
	int fd = install_killable();

	if (fd < 0 && errno == EACCES && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fd = install_killable();
	return fd;
}
