// SPDX-License-Identifier: GPL-2.0
/* The supervisor's work: see supervise.h. */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS	SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP	(1UL << 0)
#endif

static bool telling;

/* Each news once in a row; a busy server would fill the disk otherwise. */
static void tell(int pid, bool smc, const char *why)
{
	static const char *last;
	static int last_pid;
	char name[32];

	if (!telling || (pid == last_pid && last == why))
		return;
	last = why;
	last_pid = pid;
	caller_name(pid, name, sizeof(name));
	if (smc)
		fprintf(stderr, "smc_run: %s[%d]: TCP sockets become SMC sockets\n", name, pid);
	else
		fprintf(stderr, "smc_run: %s[%d]: no SMC socket (%s): going on with TCP\n", name, pid, why);
}

/* The kernel goes on with the call as the program made it: this never fails but for a caller gone. */
static bool send_continue(int listener, unsigned long long id)
{
	struct seccomp_notif_resp resp = { .id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	return !ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp) || errno == ENOENT;
}

static bool send_socket(int listener, unsigned long long id, int fd, int type)
{
	struct seccomp_notif_addfd add = {
		.id = id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = fd,
		.newfd_flags = type & SOCK_CLOEXEC ? O_CLOEXEC : 0,
	};

	/* ENOENT: the caller was killed. */
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0 || errno == ENOENT;
}

/* An SMC socket, or a TCP socket where that has to have its buffers set; -1: the caller may open it. */
static int open_for(struct smc_opener *o, int pid, int domain, int type)
{
	const char *why = caller_adopt(pid);
	int fd;

	if (why) {
		tell(pid, false, why);
		return -1;
	}
	type |= SOCK_CLOEXEC;
	fd = smc_open(o, domain, type);
	tell(pid, fd >= 0, fd >= 0 ? "" : smc_why_not(errno));
	if (fd < 0 && (o->sndbuf || o->rcvbuf))
		fd = socket(domain, type, 0);
	caller_leave();
	if (fd >= 0)
		smc_set_buffers(o, fd);
	return fd;
}

/* False if the listener is of no more use. */
static bool answer_one(int listener, struct smc_opener *o, struct seccomp_notif *req)
{
	int domain, type, fd;
	bool done;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, req))
		return errno == ENOENT || errno == EINTR;
	domain = req->data.args[0];
	type = req->data.args[1];
	fd = open_for(o, req->pid, domain, type);
	/* Whatever the kernel dislikes about our socket, such as a full table, it may say to the caller itself. */
	done = (fd >= 0 && send_socket(listener, req->id, fd, type)) || send_continue(listener, req->id);
	if (fd >= 0)
		close(fd);
	return done;
}

static size_t request_size(void)
{
	struct seccomp_notif_sizes sizes;

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) ||
	    sizes.seccomp_notif < sizeof(struct seccomp_notif))
		return sizeof(struct seccomp_notif);
	return sizes.seccomp_notif;
}

void answer_all(int listener, struct smc_opener *o, bool verbose)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	size_t size = request_size();
	struct seccomp_notif *req = calloc(1, size);

	telling = verbose;
	/* Caller and supervisor take turns on one processor; not all kernels have it. */
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	while (req && (poll(&p, 1, -1) >= 0 || errno == EINTR)) {
		if (p.revents & POLLIN) {
			/* The kernel wants to find it zeroed. */
			memset(req, 0, size);
			if (!answer_one(listener, o, req))
				break;
		} else if (p.revents) {
			break;
		}
	}
	free(req);
}
