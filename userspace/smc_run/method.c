// SPDX-License-Identifier: GPL-2.0
/* Which method, and why: the decisions of smc_run. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "inspect.h"
#include "sandbox.h"
#include "smc_run.h"
#include "supervise.h"

__attribute__((format(printf, 2, 3))) static void tell(const struct settings *s, const char *format, ...)
{
	va_list args;

	if (!s->verbose)
		return;
	va_start(args, format);
	fputs("smc_run: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

/*
 * A method asked for by name that cannot be had is worth a message always; the program runs over
 * TCP all the same.
 */
static void leave(const struct settings *s, const char *program, const char *why)
{
	if (s->verbose || s->method == METHOD_PRELOAD || s->method == METHOD_SECCOMP)
		fprintf(stderr, "smc_run: %s %s; its sockets stay TCP\n", program, why);
}

static void use_preload(struct settings *s)
{
	const char *library = preload_find();

	if (!library)
		exit(EXIT_SELF);
	if (preload_set(s, library)) {
		perror("smc_run: cannot set the environment");
		exit(EXIT_SELF);
	}
	tell(s, "LD_PRELOAD=%s", getenv("LD_PRELOAD"));
}

static void use_seccomp(struct settings *s, const char *program)
{
	int before = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	char text[160];
	const char *why;

	switch (supervise_start(&s->opener, s->verbose, &why)) {
	case SUPERVISE_FINE:
		tell(s, "a seccomp filter sends its calls of socket() to a supervisor");
		break;
	case SUPERVISE_UNTOUCHED:
		snprintf(text, sizeof(text), "cannot be supervised: %s", why);
		leave(s, program, text);
		break;
	case SUPERVISE_BROKEN:
		fprintf(stderr, "smc_run: %s: start it again\n", why);
		exit(EXIT_SELF);
	}
	if (before != 1 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		tell(s, "no_new_privs is set: setuid programs that it starts get no privilege");
}

/* False if a sandbox leaves no way to SMC. */
static bool look_for_sandbox(struct settings *s, const char *program)
{
	if (!sandbox_filters())
		return true;
	s->opener.ways = sandbox_probe();
	if (!s->opener.ways) {
		leave(s, program, "is in a sandbox that forbids SMC sockets");
		return false;
	}
	if (s->opener.ways != SMC_WAYS)
		tell(s, "a sandbox forbids %s; the other way to SMC is open",
		     s->opener.ways == SMC_WAY_IPPROTO ? "family AF_SMC" : "protocol IPPROTO_SMC");
	return true;
}

static enum method choose(const struct settings *s, const struct verdict *v)
{
	if (s->method != METHOD_AUTO)
		return s->method;
	return v->reach == REACH_PRELOAD ? METHOD_PRELOAD : METHOD_SECCOMP;
}

void method_apply(struct settings *s, const char *program)
{
	static struct verdict v;
	enum method method;

	if (s->method == METHOD_NONE) {
		tell(s, "--method=none: its sockets stay TCP");
		return;
	}
	inspect_program(program, &v);
	if (v.reach != REACH_NOTHING)
		tell(s, "%s %s", v.file, v.why);
	method = choose(s, &v);
	if (v.reach == REACH_NOTHING) {
		leave(s, v.file, v.why);
	} else if (method == METHOD_SECCOMP && (s->only || s->except)) {
		leave(s, v.file, "can be supervised only, which does not tell ports apart");
	} else if (look_for_sandbox(s, v.file)) {
		if (v.reach == REACH_SECCOMP && method == METHOD_PRELOAD)
			leave(s, v.file, v.why);
		if (method == METHOD_PRELOAD)
			use_preload(s);
		else if (sandbox_filters() && !sandbox_rehearse(&s->opener))
			leave(s, v.file, "cannot be supervised: it is in a sandbox, or has a supervisor already");
		else
			use_seccomp(s, v.file);
	}
}
