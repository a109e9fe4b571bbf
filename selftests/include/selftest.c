// SPDX-License-Identifier: GPL-2.0
/* TAP runner of selftest.h. */
#define _GNU_SOURCE
#include "selftest.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

struct st_env st = { .scale = 1 };

/* Shared with the subtest processes. */
struct st_shared {
	int carrier[CARRIER_SMC_NOLGR + 1];
	char skip[200];
};

static struct st_shared *shared;
static bool failed;		/* in the subtest's process */
static pid_t agent_pid;

static const struct st_mode modes[] = {
	{ "tcp", AF_INET, 0, AF_INET, false, false },
	{ "tcp6", AF_INET6, 0, AF_INET6, false, false },
	{ "tcpmap", AF_INET6, 0, AF_INET6, true, false },
	{ "smc", AF_SMC, 0, AF_INET, false, true },
	{ "smc6", AF_SMC, 1, AF_INET6, false, true },
	{ "smcmap", AF_SMC, 1, AF_INET6, true, true },
	{ "inet_smc", AF_INET, IPPROTO_SMC, AF_INET, false, true },
	{ "inet6_smc", AF_INET6, IPPROTO_SMC, AF_INET6, false, true },
	{ "inetmap_smc", AF_INET6, IPPROTO_SMC, AF_INET6, true, true },
};

enum { EXIT_PASS, EXIT_FAIL, EXIT_SKIP = 4 };

const struct st_mode *st_mode_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

/** st_arg() - value of "--name VALUE" among the program's own arguments */
const char *st_arg(const char *name, const char *dflt)
{
	for (int i = 1; i + 1 < st.argc; i++)
		if (!strncmp(st.argv[i], "--", 2) && !strcmp(st.argv[i] + 2, name))
			return st.argv[i + 1];
	return dflt;
}

long st_arg_num(const char *name, long dflt)
{
	const char *v = st_arg(name, NULL);

	return v ? strtol(v, NULL, 0) : dflt;
}

static void vdiag(const char *fmt, va_list ap)
{
	fputs("# ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout);
}

void st_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vdiag(fmt, ap);
	va_end(ap);
}

void st_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("# %s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
	       line);
	va_start(ap, fmt);
	vdiag(fmt, ap);
	va_end(ap);
	failed = true;
}

void st_die(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("# %s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
	       line);
	va_start(ap, fmt);
	vdiag(fmt, ap);
	va_end(ap);
	_exit(EXIT_FAIL);
}

bool st_failed(void)
{
	return failed;
}

void st_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(shared->skip, sizeof(shared->skip), fmt, ap);
	va_end(ap);
	_exit(failed ? EXIT_FAIL : EXIT_SKIP);
}

struct peer *st_own_session(void)
{
	struct peer *p = peer_open("127.0.0.1", st.own_port);

	REQUIRE(p);
	return p;
}

const char *st_shell(struct peer *p, const char *fmt, ...)
{
	static char out[PEER_MAX + 1];
	char cmd[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	memset(out, 0, sizeof(out));
	if (peer_call(p, P_SHELL, 0, (int64_t[4]){}, cmd, strlen(cmd), out,
		      PEER_MAX) < 0)
		st_die(__FILE__, __LINE__, "cannot run %s", cmd);
	return out;
}

uint64_t st_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

void st_sleep_ms(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

int st_ms(int ms)
{
	return ms * st.scale;
}

void st_prove(int lfd)
{
	struct proof p;

	REQUIRE(!proof_of(lfd, &p));
	__atomic_add_fetch(&shared->carrier[p.carrier], 1, __ATOMIC_RELAXED);
	if (!st.mode->smc) {
		REQUIRE(p.carrier == CARRIER_TCP || p.carrier == CARRIER_UNKNOWN);
		return;
	}
	if (st.expect == EXPECT_SMC && p.carrier != CARRIER_SMC)
		st_die(__FILE__, __LINE__, "carried by %s, reason %#x peer %#x",
		       proof_name(p.carrier), p.reason, p.peer_reason);
	if (st.expect == EXPECT_TCP && p.carrier == CARRIER_SMC)
		st_die(__FILE__, __LINE__, "carried by SMC, expected TCP");
}

void st_prove_peer(int pfd)
{
	struct proof p;

	MUST_EQ(peer_call(st.peer, P_PROOF, pfd, (int64_t[4]){}, NULL, 0, &p,
			  sizeof(p)), 0);
	if (st.mode->smc && st.expect == EXPECT_SMC && p.carrier != CARRIER_SMC)
		st_die(__FILE__, __LINE__, "peer carried by %s, reason %#x peer %#x",
		       proof_name(p.carrier), p.reason, p.peer_reason);
}

bool st_carried_by_smc(int lfd)
{
	struct proof p;

	return !proof_of(lfd, &p) && p.carrier == CARRIER_SMC;
}

static void dump_file(const char *what, const char *path)
{
	char buf[4096], *line, *save;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return;
	buf[n] = 0;
	for (line = strtok_r(buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		printf("#   %s: %s\n", what, line);
}

/* Where does a subtest hang? */
static void dump_stacks(pid_t pid)
{
	static const char *const what[] = { "wchan", "syscall", "stack" };
	char path[300];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
			snprintf(path, sizeof(path), "/proc/%d/task/%s/%s", pid,
				 d->d_name, what[i]);
			dump_file(what[i], path);
		}
	}
	if (dir)
		closedir(dir);
}

static void agent_start(void)
{
	int pfd[2], port = 0;

	if (pipe(pfd))
		exit(1);
	fflush(stdout);
	agent_pid = fork();
	if (!agent_pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		close(pfd[0]);
		agent_serve(0, pfd[1]);
		_exit(1);
	}
	close(pfd[1]);
	if (read(pfd[0], &port, sizeof(port)) != sizeof(port)) {
		printf("Bail out! no agent\n");
		exit(1);
	}
	close(pfd[0]);
	st.own_port = port;
	if (st.host)
		return;
	st.host = "127.0.0.1";
	st.port = port;
}

static void run_child(const struct st_case *c)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_IGN);
	st.peer = peer_open(st.host, st.port);
	if (!st.peer)
		st_die(__FILE__, __LINE__, "no agent at %s:%d", st.host, st.port);
	c->fn();
	fflush(stdout);
	_exit(failed ? EXIT_FAIL : EXIT_PASS);
}

/* Return: exit status of the subtest, -1 = watchdog. */
static int run_case(const struct st_case *c)
{
	uint64_t end = st_now_ms() + (c->secs ?: 20) * 1000ull * st.scale;
	int status = 0;
	pid_t pid;

	memset(shared->skip, 0, sizeof(shared->skip));
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_child(c);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (st_now_ms() > end) {
			printf("# watchdog after %d s\n", (c->secs ?: 20) * st.scale);
			dump_stacks(pid);
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		usleep(2000);
	}
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status)) {
		printf("# killed by signal %d\n", WTERMSIG(status));
		return EXIT_FAIL;
	}
	return WEXITSTATUS(status);
}

static int report(int num, const char *suite, const struct st_case *c, int rc,
		  uint64_t ms)
{
	const char *role = !c->roles ? "" :
			   st.role == ROLE_CLIENT ? " client" : " server";

	printf("%sok %d - %s: %s %s%s (%d ms)", rc == EXIT_PASS || rc == EXIT_SKIP ? "" :
	       "not ", num, suite, c->name, st.mode->name, role, (int)ms);
	if (rc == EXIT_SKIP)
		printf(" # SKIP %s", shared->skip);
	if (rc == -1)
		printf(" # TIMEOUT");
	putchar('\n');
	fflush(stdout);
	return rc != EXIT_PASS && rc != EXIT_SKIP;
}

static void usage(const char *prog)
{
	printf("usage: %s [--proto LIST] [--peer HOST[:PORT]] [--expect smc|tcp|any]\n"
	       "       [--only TEXT[,TEXT]] [--role client|server] [--seed N] [--list] [args]\n"
	       "  kinds:", prog);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		printf(" %s", modes[i].name);
	printf("\n  environment: SMCX_PROTO, SMCX_PEER, SMCX_EXPECT, SMCX_SCALE\n");
	exit(2);
}

static void set_peer(const char *arg)
{
	char *colon;

	st.host = strdup(arg);
	st.port = PEER_PORT;
	colon = strchr(st.host, ':');
	if (colon) {
		*colon = 0;
		st.port = atoi(colon + 1);
	}
}

static void set_expect(const char *v, bool remote)
{
	if (!v)
		st.expect = remote ? EXPECT_SMC : EXPECT_ANY;
	else
		st.expect = !strcmp(v, "smc") ? EXPECT_SMC :
			    !strcmp(v, "tcp") ? EXPECT_TCP : EXPECT_ANY;
}

/* In a guest of the harness MODULE names what is loaded. */
static const char *default_modes(void)
{
	const char *mod = getenv("MODULE");

	if (getenv("SMCX_PROTO"))
		return getenv("SMCX_PROTO");
	if (!mod || !strcmp(mod, "none"))
		return "tcp,tcp6,tcpmap";
	if (!strcmp(mod, "smc"))
		return "smc";
	return "smc,smc6,smcmap,inet_smc,inet6_smc,inetmap_smc";
}

/* Does one of the texts in the comma separated list occur in the name? */
static bool is_wanted(const char *name, const char *list)
{
	char *copy = strdup(list), *save, *text;
	bool found = false;

	for (text = strtok_r(copy, ",", &save); text && !found; text = strtok_r(NULL, ",", &save))
		found = strstr(name, text);
	free(copy);
	return found;
}

/* Conditions for struct st_case.exists. */
bool st_two_machines(void)
{
	return st.host && strncmp(st.host, "127.", 4);
}

bool st_is_ipv6(void)
{
	return st.mode->af == AF_INET6;
}

struct plan {
	const char *suite;
	const struct st_case *cases;
	int n;
	const char *only;
	const char *role;
};

static bool wanted(const struct plan *p, const struct st_case *c, int role)
{
	if (p->only && !is_wanted(c->name, p->only))
		return false;
	if (c->exists && !c->exists())
		return false;
	if (!c->roles)
		return role == ROLE_CLIENT;
	return !p->role || !strcmp(p->role, role == ROLE_CLIENT ? "client" :
					    "server");
}

static int count(const struct plan *p)
{
	int sum = 0;

	for (int i = 0; i < p->n; i++)
		sum += wanted(p, &p->cases[i], ROLE_CLIENT) +
		       wanted(p, &p->cases[i], ROLE_SERVER);
	return sum;
}

static int run_mode(const struct plan *p, int *num)
{
	int bad = 0;

	for (int i = 0; i < p->n; i++) {
		for (int role = ROLE_CLIENT; role <= ROLE_SERVER; role++) {
			uint64_t t0 = st_now_ms();
			int rc;

			if (!wanted(p, &p->cases[i], role))
				continue;
			st.role = role;
			rc = run_case(&p->cases[i]);
			bad += report(++*num, p->suite, &p->cases[i], rc,
				      st_now_ms() - t0);
		}
	}
	return bad;
}

static bool parse_modes(char *list, const struct st_mode **m, int *n)
{
	char *save, *name;

	for (name = strtok_r(list, ",", &save); name && *n < 16;
	     name = strtok_r(NULL, ",", &save)) {
		m[*n] = st_mode_find(name);
		if (!m[*n])
			return false;
		++*n;
	}
	return *n > 0;
}

/**
 * st_main() - runs the subtests of one program
 * @argc: as given to main()
 * @argv: as given to main()
 * @suite: name of the program, start of every TAP line
 * @cases: the subtests
 * @n: how many
 *
 * Return: exit status, 0 = all passed.
 */
int st_main(int argc, char **argv, const char *suite,
	    const struct st_case *cases, int n)
{
	struct plan p = { .suite = suite, .cases = cases, .n = n };
	const struct st_mode *m[16];
	const char *v;
	int nm = 0, num = 0, bad = 0, planned = 0;

	st.argc = argc;
	st.argv = argv;
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		usage(argv[0]);
	p.only = st_arg("only", NULL);
	p.role = st_arg("role", NULL);
	v = st_arg("peer", getenv("SMCX_PEER"));
	if (v)
		set_peer(v);
	set_expect(st_arg("expect", getenv("SMCX_EXPECT")), v != NULL);
	v = getenv("SMCX_SCALE") ?: getenv("SLOW");
	st.scale = v && atoi(v) > 0 ? atoi(v) : 1;
	st.seed = st_arg_num("seed", time(NULL));
	if (!parse_modes(strdup(st_arg("proto", default_modes())), m, &nm))
		usage(argv[0]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	setlinebuf(stdout);
	agent_start();
	for (int i = 0; i < nm; i++) {
		st.mode = m[i];
		planned += count(&p);
	}
	printf("TAP version 13\n1..%d\n", planned);
	for (int i = 0; i < nm; i++) {
		st.mode = m[i];
		bad += run_mode(&p, &num);
	}
	printf("# %s: %d of %d failed; connections proven: SMC %d, fallback %d, TCP %d, unknown %d\n",
	       suite, bad, num, shared->carrier[CARRIER_SMC],
	       shared->carrier[CARRIER_FALLBACK], shared->carrier[CARRIER_TCP],
	       shared->carrier[CARRIER_UNKNOWN]);
	fflush(stdout);
	if (agent_pid)
		kill(-agent_pid, SIGKILL);
	return bad != 0;
}
