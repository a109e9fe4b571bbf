// SPDX-License-Identifier: GPL-2.0
/*
 * Readiness: poll, select, epoll in every mode, wake-ups of sleepers, SIGIO.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=180
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "pattern.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#define ALL (POLLIN | POLLOUT | POLLPRI | POLLRDHUP | POLLRDNORM | POLLWRNORM)

static char buf[1 << 20];

static void peer_write(int pfd, int n)
{
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, n), n);
}

static void fill(int fd)
{
	int idle = 0;

	st_nonblock(fd, true);
	while (idle < 10) {
		if (send(fd, buf, 5000, MSG_NOSIGNAL) > 0) {
			idle = 0;
		} else {
			idle++;
			st_sleep_ms(5);
		}
	}
}

static void t_poll(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(st_poll(fd, ALL, 0), POLLOUT | POLLWRNORM);
	EQ(st_poll(fd, POLLIN, 20), 0);
	peer_write(pfd, 3);
	EQ(st_wait(fd, POLLIN), POLLIN);
	EQ(st_poll(fd, ALL, 0), POLLOUT | POLLWRNORM | POLLIN | POLLRDNORM);
	EQ(recv(fd, buf, 2, 0), 2);
	EQ(st_poll(fd, POLLIN, 0), POLLIN);
	EQ(recv(fd, buf, 2, 0), 1);
	EQ(st_poll(fd, POLLIN, 0), 0);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EQ(st_wait(fd, POLLRDHUP), POLLRDHUP);
	EQ(st_poll(fd, ALL, 0), POLLOUT | POLLWRNORM | POLLIN | POLLRDNORM |
	   POLLRDHUP);
	EQ(recv(fd, buf, 1, 0), 0);
	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(st_poll(fd, ALL, st_ms(100)) & POLLHUP, POLLHUP);
}

static void t_select(void)
{
	struct timeval tv = {};
	fd_set r, w, e;
	int fd, pfd;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 2; i++) {
		FD_ZERO(&r);
		FD_ZERO(&w);
		FD_ZERO(&e);
		FD_SET(fd, &r);
		FD_SET(fd, &w);
		FD_SET(fd, &e);
		EQ(select(fd + 1, &r, &w, &e, &tv), 1 + i);
		EQ(!!FD_ISSET(fd, &r), i);
		EQ(!!FD_ISSET(fd, &w), 1);
		EQ(!!FD_ISSET(fd, &e), 0);
		peer_write(pfd, 1);
		st_wait(fd, POLLIN);
	}
}

static void t_shutdown_bits(void)
{
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(shutdown(fd, SHUT_RD), 0);
	EQ(st_poll(fd, ALL, 0), POLLOUT | POLLWRNORM | POLLIN | POLLRDNORM |
	   POLLRDHUP);
	close(fd);
	st_pair(&fd, &pfd);
	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(st_poll(fd, ALL, 0), POLLOUT | POLLWRNORM);
	EQ(shutdown(fd, SHUT_RD), 0);
	EQ(st_poll(fd, ALL, 0), POLLOUT | POLLWRNORM | POLLIN | POLLRDNORM |
	   POLLRDHUP | POLLHUP);
}

static void t_reset_bits(void)
{
	struct linger lg = { 1, 0 };
	int fd, pfd, ev;

	st_pair(&fd, &pfd);
	MUST_EQ(peer_call(st.peer, P_SETSOCKOPT, pfd, (int64_t[4]){ SOL_SOCKET,
			  SO_LINGER }, &lg, sizeof(lg), NULL, 0), 0);
	p_do(st.peer, P_CLOSE, pfd);
	EXPECT(st_wait(fd, POLLERR) & POLLERR);
	ev = st_poll(fd, ALL, 0);
	EQ(ev & (POLLERR | POLLHUP | POLLIN | POLLOUT | POLLRDHUP),
	   POLLERR | POLLHUP | POLLIN | POLLOUT | POLLRDHUP);
	EQ(st_so_error(fd), ECONNRESET);
	EQ(st_poll(fd, ALL, 0) & POLLERR, 0);
	EQ(recv(fd, buf, 1, 0), 0);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
}

static void t_level(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int fd, pfd, ep = epoll_create1(0);

	st_pair(&fd, &pfd);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	EQ(epoll_wait(ep, &ev, 1, 20), 0);
	peer_write(pfd, 10);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EQ(recv(fd, buf, 5, 0), 5);
	EQ(epoll_wait(ep, &ev, 1, 0), 1);
	EQ(recv(fd, buf, 5, 0), 5);
	EQ(epoll_wait(ep, &ev, 1, 20), 0);
	ev.events = EPOLLOUT;
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev), 0);
	EQ(epoll_wait(ep, &ev, 1, 0), 1);
	EQ(ev.events, EPOLLOUT);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_DEL, fd, &ev), 0);
	EQ(epoll_wait(ep, &ev, 1, 20), 0);
}

static void t_edge_in(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int fd, pfd, ep = epoll_create1(0);

	st_pair(&fd, &pfd);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	for (int i = 0; i < 50; i++) {
		peer_write(pfd, 10);
		MUST_EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
		EQ(ev.events, EPOLLIN);
		EQ(epoll_wait(ep, &ev, 1, i ? 0 : 30), 0);
	}
	EQ(recv(fd, buf, sizeof(buf), 0), 500);
}

/* Writers in edge mode hear of room exactly when there is some again. */
static void t_edge_out(void)
{
	struct epoll_event ev = { .events = EPOLLOUT | EPOLLET };
	int fd, pfd, ep = epoll_create1(0);
	long total = 0, k;

	st_pair_opts(&fd, &pfd, 65536, 65536);
	st_nonblock(fd, true);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	EQ(epoll_wait(ep, &ev, 1, 0), 1);
	p_post(st.peer, P_DRAIN, pfd, 0, 0, 0, 0);
	while (total < 4 << 20) {
		pat_fill(0, total, buf, 30000);
		k = send(fd, buf, 30000, 0);
		if (k > 0) {
			total += k;
			continue;
		}
		MUST_EQ(errno, EAGAIN);
		MUST_EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
		REQUIRE(ev.events & EPOLLOUT);
	}
	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(p_done(st.peer), total);
}

static void t_oneshot(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLONESHOT };
	int fd, pfd, ep = epoll_create1(0);

	st_pair(&fd, &pfd);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	peer_write(pfd, 1);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	peer_write(pfd, 1);
	EQ(epoll_wait(ep, &ev, 1, 50), 0);
	ev.events = EPOLLIN | EPOLLONESHOT;
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev), 0);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
}

struct waiter {
	pthread_t t;
	int fd, ep, kind, got;
	struct epoll_event ev;
};

static void *epoll_waiter(void *arg)
{
	struct waiter *w = arg;

	w->got = epoll_wait(w->ep, &w->ev, 1, st_ms(1000));
	return NULL;
}

/* One connection on a shared listener wakes at least one, not all. */
static void t_exclusive(void)
{
	struct sockaddr_storage me;
	struct waiter w[8];
	int port, fd = st_listen(16, &port), woken = 0, pfd;
	socklen_t l = st_addr(&me, false, port);

	st_nonblock(fd, true);
	for (int i = 0; i < 8; i++) {
		struct epoll_event ev = { .events = EPOLLIN | EPOLLEXCLUSIVE };

		w[i] = (struct waiter){ .fd = fd, .ep = epoll_create1(0) };
		MUST_EQ(epoll_ctl(w[i].ep, EPOLL_CTL_ADD, fd, &ev), 0);
		pthread_create(&w[i].t, NULL, epoll_waiter, &w[i]);
	}
	st_sleep_ms(100);
	pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
		   st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l, NULL, 0), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join(w[i].t, NULL);
		woken += w[i].got == 1;
	}
	EXPECT(woken >= 1 && woken < 8);
	st_note("%d of 8 woken", woken);
	EXPECT(accept(fd, NULL, NULL) >= 0);
}

static void *sleeper(void *arg)
{
	struct waiter *w = arg;
	struct epoll_event ev = { .events = EPOLLIN };
	fd_set r;

	FD_ZERO(&r);
	FD_SET(w->fd, &r);
	switch (w->kind % 4) {
	case 0:
		w->got = recv(w->fd, &(char){ 0 }, 1, MSG_PEEK);
		break;
	case 1:
		w->got = st_wait(w->fd, POLLIN) & POLLIN ? 1 : 0;
		break;
	case 2:
		w->ep = epoll_create1(0);
		epoll_ctl(w->ep, EPOLL_CTL_ADD, w->fd, &ev);
		w->got = epoll_wait(w->ep, &ev, 1, st_ms(5000));
		break;
	default:
		w->got = select(w->fd + 1, &r, NULL, NULL, NULL);
	}
	return NULL;
}

/* Each kind of sleeper is woken by data, by the end, by a reset. */
static void wake(int how)
{
	struct linger lg = { 1, 0 };
	struct waiter w[8];
	int fd, pfd;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 8; i++) {
		w[i] = (struct waiter){ .fd = fd, .kind = i };
		pthread_create(&w[i].t, NULL, sleeper, &w[i]);
	}
	st_sleep_ms(50);
	if (how == 0)
		peer_write(pfd, 1);
	else if (how == 1)
		p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	else if (how == 2)
		peer_call(st.peer, P_SETSOCKOPT, pfd, (int64_t[4]){ SOL_SOCKET,
			  SO_LINGER }, &lg, sizeof(lg), NULL, 0);
	if (how == 2)
		p_do(st.peer, P_CLOSE, pfd);
	if (how == 3)
		EQ(shutdown(fd, SHUT_RD), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join(w[i].t, NULL);
		if (i % 4)
			EQ(w[i].got, 1);
		else if (how == 0)
			EQ(w[i].got, 1);
		else if (how == 1 || how == 3)
			EQ(w[i].got, 0);
		else
			EXPECT(w[i].got <= 0);
	}
}

static void t_wake_data(void)
{
	wake(0);
}

static void t_wake_eof(void)
{
	wake(1);
}

static void t_wake_reset(void)
{
	wake(2);
}

static void t_wake_shutdown(void)
{
	wake(3);
}

static void *blocked_writer(void *arg)
{
	struct waiter *w = arg;

	w->got = send(w->fd, buf, sizeof(buf), MSG_NOSIGNAL);
	w->kind = errno;
	return NULL;
}

/* A writer asleep on a full stream is woken by room, by a reset, by shutdown. */
static void t_wake_writer(void)
{
	struct linger lg = { 1, 0 };

	for (int how = 0; how < 3; how++) {
		struct waiter w;
		int fd, pfd;

		st_pair_opts(&fd, &pfd, 32768, 32768);
		fill(fd);
		st_nonblock(fd, false);
		w = (struct waiter){ .fd = fd };
		pthread_create(&w.t, NULL, blocked_writer, &w);
		st_sleep_ms(50);
		if (how == 0) {
			/* Contents do not matter: raw reads. */
			int64_t a[4] = { 65536, 0 };
			long sum = 0;

			while (sum < sizeof(buf))
				sum += peer_call(st.peer, P_READ_RAW, pfd, a, NULL,
						 0, NULL, 0);
		} else if (how == 1) {
			peer_call(st.peer, P_SETSOCKOPT, pfd, (int64_t[4]){
				  SOL_SOCKET, SO_LINGER }, &lg, sizeof(lg), NULL, 0);
			p_do(st.peer, P_CLOSE, pfd);
		} else {
			shutdown(fd, SHUT_WR);
		}
		if (!how) {
			int64_t a[4] = { 65536, MSG_DONTWAIT };

			while (pthread_tryjoin_np(w.t, NULL))
				peer_call(st.peer, P_READ_RAW, pfd, a, NULL, 0,
					  NULL, 0);
			EQ(w.got, sizeof(buf));
		} else {
			pthread_join(w.t, NULL);
			EXPECT(w.got < (int)sizeof(buf));
		}
		close(fd);
	}
}

static volatile int sigios, sig_out, sig_in;

static void on_sigio(int sig, siginfo_t *si, void *uc)
{
	sigios++;
	if (si->si_band & POLLIN)
		sig_in++;
	if (si->si_band & POLLOUT)
		sig_out++;
}

static void wait_for(volatile int *v, int want)
{
	uint64_t end = st_now_ms() + st_ms(5000);

	while (*v < want && st_now_ms() < end)
		st_sleep_ms(2);
	EXPECT(*v >= want);
}

static void arm_sigio(int fd)
{
	struct sigaction sa = { .sa_sigaction = on_sigio, .sa_flags = SA_SIGINFO };

	sigaction(SIGRTMIN, &sa, NULL);
	MUST_EQ(fcntl(fd, F_SETOWN, getpid()), 0);
	MUST_EQ(fcntl(fd, F_SETSIG, SIGRTMIN), 0);
	MUST_EQ(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC | O_NONBLOCK), 0);
}

static void t_sigio(void)
{
	int fd, pfd, n;

	st_pair(&fd, &pfd);
	arm_sigio(fd);
	peer_write(pfd, 1);
	wait_for(&sig_in, 1);
	EQ(recv(fd, buf, 10, 0), 1);
	n = sig_in;
	peer_write(pfd, 1);
	wait_for(&sig_in, n + 1);
	/* Disarmed: silence. */
	MUST_EQ(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_ASYNC), 0);
	n = sigios;
	peer_write(pfd, 1);
	st_wait_inq(fd, 2);
	EQ(sigios, n);
}

/* Armed before connect: one POLL_OUT when it is done. */
static void t_sigio_connect(void)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int ls, fd = st_socket(0);

	ls = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, ls, 8), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL, 0, &ss,
			  sizeof(ss)), 0);
	arm_sigio(fd);
	FAILS(st_connect(fd, st_addr_port(&ss)), EINPROGRESS);
	wait_for(&sig_out, 1);
	/* TCP signals its own part of the set-up, too: the last signal is the one to go by. */
	EQ(st_poll(fd, POLLOUT, st_ms(5000)), POLLOUT);
	EQ(st_so_error(fd), 0);
	st_sleep_ms(50);
	EXPECT(sig_out >= 1 && sig_out <= 1 + st.mode->smc);
	EQ(sig_in, 0);
}

/* The same socket in three epolls, one nested, and two polls: all hear of it. */
static void t_many_sets(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep[3], fd, pfd;

	st_pair(&fd, &pfd);
	for (int i = 0; i < 3; i++) {
		ep[i] = epoll_create1(0);
		MUST_EQ(epoll_ctl(ep[i], EPOLL_CTL_ADD, i == 2 ? ep[0] : fd, &ev), 0);
	}
	EQ(epoll_wait(ep[2], &ev, 1, 20), 0);
	peer_write(pfd, 1);
	for (int i = 2; i >= 0; i--)
		EQ(epoll_wait(ep[i], &ev, 1, st_ms(5000)), 1);
	/* Closing takes the socket out of all of them. */
	close(fd);
	for (int i = 0; i < 3; i++)
		EQ(epoll_wait(ep[i], &ev, 1, 20), 0);
}

static const struct st_case cases[] = {
	{ "poll", t_poll, true },
	{ "select", t_select, true },
	{ "poll after shutdown", t_shutdown_bits, true },
	{ "poll after reset", t_reset_bits, true },
	{ "epoll level", t_level, true },
	{ "epoll edge, in", t_edge_in, true },
	{ "epoll edge, out", t_edge_out, true, .secs = 40 },
	{ "EPOLLONESHOT", t_oneshot, true },
	{ "EPOLLEXCLUSIVE listener", t_exclusive },
	{ "woken by data", t_wake_data, true },
	{ "woken by the end", t_wake_eof, true },
	{ "woken by a reset", t_wake_reset, true },
	{ "woken by own shutdown", t_wake_shutdown, true },
	{ "writers woken", t_wake_writer, true },
	{ "SIGIO", t_sigio, true },
	{ "SIGIO armed before connect", t_sigio_connect },
	{ "several epolls", t_many_sets, true },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "ready", cases, ARRAY_SIZE(cases));
}
