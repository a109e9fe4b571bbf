// SPDX-License-Identifier: GPL-2.0
/* Start of the supervisor, and the handing over of the listener: see supervise.h. */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process.h"

static bool send_listener(int channel, int listener)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &listener, sizeof(int));
	return sendmsg(channel, &msg, MSG_NOSIGNAL) == 1;
}

static int receive_listener(int channel)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int listener = -1;

	if (recvmsg(channel, &msg, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&listener, CMSG_DATA(c), sizeof(int));
	return listener;
}

static bool say(int channel)
{
	return send(channel, "", 1, MSG_NOSIGNAL) == 1;
}

static bool hear(int channel)
{
	ssize_t n;
	char byte;

	do
		n = recv(channel, &byte, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/*
 * Lets go of all that is the program's: whoever waits for the end of its pipes must not wait
 * for us. Our own limit on descriptors is raised where the program's is low.
 */
static int settle(int channel, bool verbose)
{
	struct rlimit files;
	int null, fd, moved;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	moved = fcntl(channel, F_DUPFD_CLOEXEC, 3);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (fd = 0; fd < 3; fd++)
		if (fd != STDERR_FILENO || !verbose)
			null < 0 ? close(fd) : dup2(null, fd);
	if (moved < 0 || dup2(moved, 3) < 0)
		return -1;
	close_range(4, ~0U, 0);
	return chdir("/") ? -1 : 3;
}

__attribute__((noreturn)) static void supervise(int channel, struct smc_opener *o, bool verbose)
{
	sigset_t all;
	int listener;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	channel = settle(channel, verbose);
	if (channel < 0 || !say(channel))
		_exit(1);
	listener = receive_listener(channel);
	if (listener < 0 || !say(channel))
		_exit(1);
	close(channel);
	answer_all(listener, o, verbose);
	_exit(0);
}

/* A grandchild, so that it becomes init's. */
static bool start(int channel, int peer, struct smc_opener *o, bool verbose)
{
	pid_t pid = process_fork();
	int status;

	if (pid < 0)
		return false;
	if (pid)
		return process_wait(pid, &status) && !status;
	close(peer);
	setsid();
	pid = process_fork();
	if (!pid)
		supervise(channel, o, verbose);
	_exit(pid < 0);
}

static const char *reason(int err)
{
	switch (err) {
	case EBUSY:
		return "it has a seccomp supervisor already";
	case EACCES:
	case EPERM:
		return "a sandbox forbids seccomp filters";
	case EINVAL:
	case ENOSYS:
		return "the kernel has no seccomp user notification";
	default:
		return strerrordesc_np(err);
	}
}

static enum supervise hand_over(int channel, const char **why)
{
	enum supervise rc = SUPERVISE_FINE;
	int listener;

	if (!hear(channel)) {
		*why = "the supervisor did not start";
		return SUPERVISE_UNTOUCHED;
	}
	listener = filter_install();
	if (listener < 0) {
		*why = reason(errno);
		return SUPERVISE_UNTOUCHED;
	}
	if (!send_listener(channel, listener) || !hear(channel)) {
		*why = "the supervisor died";
		rc = SUPERVISE_BROKEN;
	}
	close(listener);
	return rc;
}

enum supervise supervise_start(const struct smc_opener *o, bool verbose, const char **why)
{
	struct smc_opener copy = { .socket = o->socket, .ways = o->ways, .sndbuf = o->sndbuf, .rcvbuf = o->rcvbuf };
	enum supervise rc = SUPERVISE_UNTOUCHED;
	int ends[2];

	*why = NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		*why = strerrordesc_np(errno);
		return rc;
	}
	if (!start(ends[1], ends[0], &copy, verbose))
		*why = "no process can be started for its supervisor";
	/* Only the supervisor holds that end from here on, so its death is heard. */
	close(ends[1]);
	if (!*why)
		rc = hand_over(ends[0], why);
	close(ends[0]);
	return rc;
}
