/* SPDX-License-Identifier: GPL-2.0 */
/*
 * selftest.h - what every socket test shares: TAP output, one process and one
 * watchdog per subtest, the socket kinds under test, and connected pairs whose
 * far end is driven by an agent (peer.h) on this or on another machine.
 *
 * Plain TCP is the oracle: a program is written against "--proto tcp" and must
 * hold unchanged for each SMC kind.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"
#include "proof.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/**
 * struct st_mode - one kind of socket under test
 * @name: as given to --proto
 * @domain: first argument of socket()
 * @proto: third argument of socket()
 * @af: family of the addresses used, AF_INET or AF_INET6
 * @mapped: use IPv4-mapped IPv6 addresses
 * @smc: an SMC kind: subject to the proof
 */
struct st_mode {
	const char *name;
	int domain;
	int proto;
	int af;
	bool mapped;
	bool smc;
};

enum st_role { ROLE_CLIENT, ROLE_SERVER };

/**
 * struct st_case - one subtest
 * @name: short name
 * @fn: runs in a process of its own; returning means success
 * @roles: run once with the local end as client, once as server
 * @secs: watchdog in seconds before scaling, 0 = 20
 * @exists: is there such a case for st.mode and this peer at all? NULL = always
 */
struct st_case {
	const char *name;
	void (*fn)(void);
	bool roles;
	int secs;
	bool (*exists)(void);
};

/* What an SMC connection is expected to be carried by. */
enum st_expect { EXPECT_SMC, EXPECT_TCP, EXPECT_ANY };

struct st_env {
	const struct st_mode *mode;
	enum st_role role;
	enum st_expect expect;
	struct peer *peer;
	const char *host;	/* of the agent; NULL = an agent of our own */
	int port;		/* control port of the agent */
	int own_port;		/* control port of the agent on this machine */
	int scale;		/* multiplies every time limit */
	uint64_t seed;
	void (*prepare)(int fd);	/* of st_pair(): the local socket before it connects or is connected to; may be NULL */
	int argc;		/* arguments left over for the program */
	char **argv;
};

extern struct st_env st;

int st_main(int argc, char **argv, const char *suite,
	    const struct st_case *cases, int n);
const struct st_mode *st_mode_find(const char *name);
const char *st_arg(const char *name, const char *dflt);
long st_arg_num(const char *name, long dflt);

void st_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void st_die(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
bool st_two_machines(void);
bool st_is_ipv6(void);
void st_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
bool st_failed(void);
void st_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Fails the subtest and ends it. */
#define REQUIRE(c) do { int _e = errno; if (!(c))			\
	st_die(__FILE__, __LINE__, "%s (errno %d %s)", #c, errno,	\
	       strerror(errno)); errno = _e; } while (0)
/* Fails the subtest and goes on. */
#define EXPECT(c) do { if (!(c))					\
	st_fail(__FILE__, __LINE__, "%s (errno %d %s)", #c, errno,	\
		strerror(errno)); } while (0)
/* Both take the two values once and print them. */
#define EQ(got, want) do { long long _g = (got); int _e = errno;	\
	long long _w = (want); if (_g != _w)				\
	st_fail(__FILE__, __LINE__, "%s = %lld, want %lld (errno %d %s)",\
		#got, _g, _w, _e, strerror(_e)); } while (0)
#define MUST_EQ(got, want) do { long long _g = (got); int _e = errno;	\
	long long _w = (want); if (_g != _w)				\
	st_die(__FILE__, __LINE__, "%s = %lld, want %lld (errno %d %s)",\
	       #got, _g, _w, _e, strerror(_e)); } while (0)
/* The call fails with exactly this errno. */
#define FAILS(call, want) do { errno = 0; long long _g = (call);	\
	int _e = errno; if (_g != -1 || _e != (want))			\
	st_fail(__FILE__, __LINE__, "%s = %lld errno %d %s, want %s",	\
		#call, _g, _e, strerror(_e), #want); } while (0)

/* A session with an agent on this machine, so that it can be ended. */
struct peer *st_own_session(void);
/* Output of a shell command here or at the peer; needs no free. */
const char *st_shell(struct peer *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Time. */
uint64_t st_now_ms(void);
void st_sleep_ms(int ms);
int st_ms(int ms);		/* a limit, scaled */

/* Addresses of the kind under test. */
socklen_t st_addr(struct sockaddr_storage *ss, bool remote, int port);
int st_addr_port(const struct sockaddr_storage *ss);
socklen_t st_addr_any(struct sockaddr_storage *ss, int port);

/* Local sockets of the kind under test. */
int st_socket(int type_flags);
int st_listen(int backlog, int *port);
int st_connect(int fd, int port);
int st_unused_port(bool remote);

/* Connected pair: local descriptor and the agent's descriptor. */
void st_pair(int *lfd, int *pfd);
void st_pair_opts(int *lfd, int *pfd, int rcvbuf, int sndbuf);
void st_prove(int lfd);
void st_prove_peer(int pfd);
bool st_carried_by_smc(int lfd);

/* Event waits with the scaled limit; return revents. */
int st_poll(int fd, int events, int ms);
int st_wait(int fd, int events);
bool st_quiet(int fd, int events, int ms);
int st_so_error(int fd);
int st_int_opt(int fd, int level, int opt);
int st_set_int(int fd, int level, int opt, int val);
int st_inq(int fd);
int st_wait_inq(int fd, int want);
void st_nonblock(int fd, bool on);

#endif
