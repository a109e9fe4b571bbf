// SPDX-License-Identifier: GPL-2.0
/* sandbox_probe(), see sandbox.h. */
#include "sandbox.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/smcx.h>

#include "open.h"
#include "process.h"
#include "supervise.h"

#define LONGEST_TRY_S	5

static bool opens(int domain, int protocol)
{
	int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	return fd >= 0 || smc_is_absent(errno) || smc_is_real_error(errno);
}

static bool try_protocol(const struct smc_opener *o)
{
	return opens(AF_INET, IPPROTO_SMC);
}

static bool try_family(const struct smc_opener *o)
{
	return opens(AF_SMC, SMCX_PROTO_SMC);
}

static bool try_supervisor(const struct smc_opener *o)
{
	const char *why;

	return supervise_start(o, false, &why) == SUPERVISE_FINE && socket(AF_INET, SOCK_STREAM, 0) >= 0;
}

/* Does a child come through it alive, in bounded time, and with success? */
static bool survives(bool (*attempt)(const struct smc_opener *o), const struct smc_opener *o)
{
	const struct rlimit none = { 0, 0 };
	sigset_t alarms;
	int status;
	pid_t pid;

	pid = process_fork();
	if (pid < 0)
		return false;
	if (!pid) {
		/* A death here is nobody's crash report. */
		setrlimit(RLIMIT_CORE, &none);
		sigemptyset(&alarms);
		sigaddset(&alarms, SIGALRM);
		signal(SIGALRM, SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &alarms, NULL);
		alarm(LONGEST_TRY_S);
		_exit(attempt(o) ? 0 : 1);
	}
	return process_wait(pid, &status) && WIFEXITED(status) && !WEXITSTATUS(status);
}

/*
 * EAFNOSUPPORT may be a kernel without the module, or systemd's RestrictAddressFamilies=:
 * either way it does no harm to ask again later.
 */
unsigned int sandbox_probe(void)
{
	return (survives(try_protocol, NULL) ? SMC_WAY_IPPROTO : 0) |
	       (survives(try_family, NULL) ? SMC_WAY_FAMILY : 0);
}

bool sandbox_rehearse(const struct smc_opener *o)
{
	return survives(try_supervisor, o);
}
