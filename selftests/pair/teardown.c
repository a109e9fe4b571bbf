// SPDX-License-Identifier: GPL-2.0
/*
 * What lies under the sockets goes away while eight connections are busy: the
 * RDMA device, the interface, the processes; and the module is asked to leave.
 * Every socket must end with an error (never with a clean end of a stream that
 * was cut, never with a wrong byte), nothing may hang, and afterwards new
 * connections are SMC again.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "stream.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define CONNS 8

struct job {
	pthread_t t;
	int fd, pfd;
	struct peer *peer;
	struct stream_cfg own, other;
	struct stream_result own_res, other_res;
};

static struct job jobs[CONNS];

static void *own_end(void *arg)
{
	struct job *j = arg;
	struct linger lg = { 1, 0 };

	stream_run(j->fd, &j->own, &j->own_res);
	/* An end that failed resets: its close must not look like a good end. */
	if (j->own_res.why[0])
		setsockopt(j->fd, SOL_SOCKET, SO_LINGER, &lg, sizeof(lg));
	close(j->fd);
	return NULL;
}

/* There is nothing to take away from TCP. */
static bool has_device(void)
{
	return st.mode->smc && getenv("IBDEV") && st_two_machines();
}

static void load_start(long bytes)
{
	for (int i = 0; i < CONNS; i++) {
		struct job *j = &jobs[i];

		st_pair(&j->fd, &j->pfd);
		j->own = (struct stream_cfg){
			.seed = st.seed + i, .tx_seed = 1 + i, .rx_seed = 100 + i,
			.bytes = bytes, .rx_bytes = bytes, .max = 60000,
			.flags = STREAM_SEND | STREAM_RECV, .stall_ms = st_ms(20000),
		};
		j->other = j->own;
		j->other.seed += 1000;
		j->other.tx_seed = j->own.rx_seed;
		j->other.rx_seed = j->own.tx_seed;
		j->peer = peer_thread(st.peer);
		REQUIRE(j->peer);
		peer_post(j->peer, P_STREAM, j->pfd, (int64_t[4]){}, &j->other,
			  sizeof(j->other));
		pthread_create(&j->t, NULL, own_end, j);
	}
	st_sleep_ms(500);
}

/* Wrong bytes, a clean end of a cut stream, a stall: none of these. */
static void judge(const char *who, const struct stream_result *r, bool may_end)
{
	if (!r->why[0]) {
		if (!may_end)
			st_fail(__FILE__, __LINE__, "%s went through", who);
		return;
	}
	if (strstr(r->why, "wrong byte") || strstr(r->why, "stalled") ||
	    strstr(r->why, "end of stream") || strstr(r->why, "more bytes"))
		st_fail(__FILE__, __LINE__, "%s: %s", who, r->why);
}

/* @cut: the connections must have ended with an error. */
static void load_end(bool cut, bool may_end)
{
	int errors = 0;

	for (int i = 0; i < CONNS; i++) {
		struct job *j = &jobs[i];
		struct peer_reply r;

		pthread_join(j->t, NULL);
		judge("this end", &j->own_res, may_end);
		if (peer_wait(j->peer, st_ms(30000), &r, &j->other_res,
			      sizeof(j->other_res))) {
			st_fail(__FILE__, __LINE__, "no answer from the other end");
			continue;
		}
		judge("other end", &j->other_res, may_end);
		errors += j->own_res.why[0] || j->other_res.why[0];
		if (!i)
			st_note("this end: %s; other end: %s", j->own_res.why,
				j->other_res.why);
		if (!cut && j->own_res.why[0])
			st_fail(__FILE__, __LINE__, "this end: %s", j->own_res.why);
		p_do(st.peer, P_CLOSE, j->pfd);
		peer_free(j->peer);
	}
	st_note("%d of %d connections ended with an error", errors, CONNS);
}

/*
 * New connections become SMC again, after a while at the latest, in either
 * role: the first may hit a link group the peer has not yet given up.
 */
static void smc_again(void)
{
	enum st_expect expect = st.expect;
	enum st_role role = st.role;

	st.expect = EXPECT_ANY;
	for (st.role = ROLE_CLIENT; st.role <= ROLE_SERVER; st.role++) {
		uint64_t end = st_now_ms() + st_ms(20000);
		bool smc;

		do {
			int fd, pfd;

			st_pair(&fd, &pfd);
			smc = st_carried_by_smc(fd);
			close(fd);
			p_do(st.peer, P_CLOSE, pfd);
			if (!smc)
				st_sleep_ms(500);
		} while (!smc && st_now_ms() < end);
		if (!smc)
			st_fail(__FILE__, __LINE__, "new connections stay on TCP");
	}
	st.expect = expect;
	st.role = role;
}

#define LOTS (1ll << 40)

static void t_device(void)
{
	load_start(LOTS);
	st_shell(peer_self(), "rdma link delete $IBDEV");
	load_end(true, false);
	st_shell(peer_self(), "rdma link add $IBDEV type rxe netdev $DEV");
	smc_again();
}

static void t_device_peer(void)
{
	load_start(LOTS);
	st_shell(st.peer, "rdma link delete $IBDEV");
	load_end(true, false);
	st_shell(st.peer, "rdma link add $IBDEV type rxe netdev $DEV");
	smc_again();
}

/* Short enough for TCP to survive, so either outcome is right for SMC. */
static void t_interface(void)
{
	load_start(20 << 20);
	st_shell(peer_self(), "ip link set $DEV down; sleep 2; ip link set $DEV up;"
		 "ip addr add $SELF6/64 dev $DEV nodad 2>/dev/null");
	load_end(true, true);
	smc_again();
}

static void t_idle_device(void)
{
	int fd[20], pfd[20];

	for (int i = 0; i < 20; i++)
		st_pair(&fd[i], &pfd[i]);
	st_shell(peer_self(), "rdma link delete $IBDEV");
	for (int i = 0; i < 20; i++) {
		/* An idle connection hears of it, too. */
		EXPECT(st_wait(fd[i], POLLIN | POLLRDHUP) & (POLLERR | POLLHUP));
		EQ(recv(fd[i], &(char){ 0 }, 1, 0), -1);
		EXPECT(errno == ENETDOWN || errno == ECONNRESET);
		EXPECT(p_do(st.peer, P_POLL, pfd[i], POLLIN, st_ms(20000)) > 0);
		FAILS(p_do(st.peer, P_RECV, pfd[i], 1), ECONNRESET);
		close(fd[i]);
	}
	st_shell(peer_self(), "rdma link add $IBDEV type rxe netdev $DEV");
	smc_again();
}

/* send() tells the same as the other calls, whatever it meets first of a device that goes. */
static void t_sends(void)
{
	enum { CONNS_IDLE = 40 };
	int fd[CONNS_IDLE], pfd[CONNS_IDLE], left = CONNS_IDLE, down = 0;
	const char *cmd = "sleep 0.2; rdma link delete $IBDEV";
	struct peer *t = st_own_session();
	uint64_t end;

	for (int i = 0; i < CONNS_IDLE; i++)
		st_pair(&fd[i], &pfd[i]);
	peer_post(t, P_SHELL, 0, (int64_t[4]){}, cmd, strlen(cmd));
	end = st_now_ms() + st_ms(20000);
	for (int i = 0; left && st_now_ms() < end; i = (i + 1) % CONNS_IDLE) {
		if (fd[i] < 0 || send(fd[i], "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 || errno == EAGAIN)
			continue;
		if (errno != ENETDOWN && errno != ECONNRESET)
			st_fail(__FILE__, __LINE__, "send(): %s", strerror(errno));
		down += errno == ENETDOWN;
		close(fd[i]);
		fd[i] = -1;
		left--;
	}
	EQ(left, 0);
	p_done(t);
	for (int i = 0; i < CONNS_IDLE; i++)
		p_do(st.peer, P_CLOSE, pfd[i]);
	st_note("ENETDOWN from %d of %d", down, CONNS_IDLE);
	EXPECT(down > CONNS_IDLE / 2);
	st_shell(peer_self(), "rdma link add $IBDEV type rxe netdev $DEV");
	smc_again();
}

/* The module is in use: it stays, and nobody notices the attempt. */
static void t_rmmod_busy(void)
{
	int fd, pfd;

	/* Outlives the others. */
	st_pair(&fd, &pfd);
	load_start(4 << 20);
	for (int i = 0; i < 5; i++) {
		const char *out = st_shell(peer_self(), "rmmod smcx 2>&1");

		EXPECT(strstr(out, "in use") || strstr(out, "busy"));
		out = st_shell(st.peer, "rmmod smcx 2>&1");
		EXPECT(strstr(out, "in use") || strstr(out, "busy"));
	}
	load_end(false, true);
}

/* All processes of one side are killed. */
static void t_killed(void)
{
	pid_t pid;
	int status;

	pid = fork();
	if (!pid) {
		st.peer = peer_open(st.host, st.port);
		load_start(LOTS);
		kill(getpid(), SIGKILL);
	}
	MUST_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status));
	smc_again();
}

/* Connections come up while the device comes and goes. */
static void t_flapping(void)
{
	int port, ok = 0;
	struct peer *t;

	t = st_own_session();
	for (int round = 0; round < 4; round++) {
		const char *cmd = "for i in 1 2 3; do rdma link delete $IBDEV; sleep 0.3;"
				  "rdma link add $IBDEV type rxe netdev $DEV; sleep 0.5; done";
		int ls = st_listen(64, &port);
		uint64_t end = st_now_ms() + st_ms(3000);

		close(ls);
		peer_post(t, P_SHELL, 0, (int64_t[4]){}, cmd, strlen(cmd));
		while (st_now_ms() < end) {
			struct sockaddr_storage me;
			int pfd, a;
			socklen_t l;

			ls = st_listen(8, &port);
			l = st_addr(&me, false, port);
			pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain,
				   SOCK_STREAM, st.mode->proto);
			/* An error is fine, a hang is not. */
			if (!peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me,
				       l, NULL, 0) &&
			    st_poll(ls, POLLIN, st_ms(8000)) == POLLIN) {
				st_nonblock(ls, true);
				a = accept(ls, NULL, NULL);
				ok += a >= 0;
				close(a);
			}
			p_do(st.peer, P_CLOSE, pfd);
			close(ls);
		}
		p_done(t);
	}
	st_note("%d connections came up", ok);
	EXPECT(ok > 0);
	smc_again();
}

static const struct st_case cases[] = {
	{ "module in use", t_rmmod_busy, true, .secs = 60, .exists = has_device },
	{ "device goes", t_device, true, .secs = 60, .exists = has_device },
	{ "device of the peer goes", t_device_peer, true, .secs = 60, .exists = has_device },
	{ "device goes under idle connections", t_idle_device, true, .secs = 60, .exists = has_device },
	{ "device goes while bytes are sent", t_sends, true, .secs = 60, .exists = has_device },
	{ "interface down and up", t_interface, true, .secs = 90, .exists = has_device },
	{ "processes killed", t_killed, .secs = 60, .exists = has_device },
	{ "device comes and goes", t_flapping, .secs = 60, .exists = has_device },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "teardown", cases, ARRAY_SIZE(cases));
}
