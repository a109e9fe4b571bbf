/* SPDX-License-Identifier: GPL-2.0 */
/*
 * peer.h - remote hands. An agent executes single socket operations for a test
 * program: in a process on this machine or, with "--peer HOST", on another one.
 * The control channel is always plain TCP.
 *
 * A session is a process of its own on the agent's side: when the session
 * ends, everything it had open is closed. Threads of a session share its
 * descriptors (peer_thread()), so that one may sleep in recv() while another
 * closes.
 */
#ifndef PEER_H
#define PEER_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define PEER_PORT 4343
#define PEER_MAX (1 << 20)	/* payload of one operation */

enum peer_op {
	P_HELLO,	/* -> o[0] = port for more threads of this session */
	P_SOCKET,	/* domain, type, proto -> fd */
	P_BIND,		/* payload: address */
	P_LISTEN,	/* backlog */
	P_CONNECT,	/* payload: address */
	P_ACCEPT,	/* accept4 flags, timeout ms (0 = for ever) -> fd */
	/* The next five: n, stream offset, flags, pattern seed. */
	P_SEND,		/* one call */
	P_SENDALL,	/* until all is taken; an error after some bytes: o[0] */
	P_RECV,		/* one call, bytes verified */
	P_RECVALL,	/* until n bytes or EOF; o[0] = errno that ended it */
	P_DRAIN,	/* until EOF or error; o[0] = errno that ended it */
	P_WRITE_RAW,	/* flags; payload sent as it is */
	P_READ_RAW,	/* n, flags -> payload */
	P_SHUTDOWN,	/* how */
	P_CLOSE,
	P_SETSOCKOPT,	/* level, option; payload */
	P_GETSOCKOPT,	/* level, option, size -> payload */
	P_GETSOCKNAME,	/* -> payload */
	P_GETPEERNAME,	/* -> payload */
	P_POLL,		/* events, ms -> revents (-1 on error) */
	P_IOCTL,	/* request -> o[0] = the int */
	P_NONBLOCK,	/* on */
	P_PROOF,	/* -> payload: struct proof */
	P_ECHO,		/* echoes until EOF -> bytes */
	P_SLEEP,	/* ms */
	P_EXIT,		/* the session's process ends at once, no reply */
	P_ADDR6,	/* -> payload: its own sockaddr_in6; o[0] = its ifindex */
	P_SHELL,	/* payload: shell command -> exit status, its output */
	P_STREAM,	/* payload: struct stream_cfg -> struct stream_result */
	P_ACCEPTLOOP,	/* n, ms: accepts n, answers one byte on each -> served */
	P_ECHOLOOP,	/* n, ms: accepts n, echoes on each until EOF -> served */
};

struct peer;

struct peer_reply {
	int64_t ret;		/* -1 = failed, see err */
	int32_t err;
	uint32_t len;
	int64_t o[2];
};

/* errno of P_RECV, P_RECVALL, P_DRAIN for a wrong byte; o[1] = its offset. */
#define PEER_EBYTES 1000

struct peer *peer_open(const char *host, int port);
struct peer *peer_self(void);
struct peer *peer_thread(struct peer *p);
void peer_free(struct peer *p);
void peer_local_addr(struct peer *p, struct sockaddr_in *sin);
void peer_remote_addr(struct peer *p, struct sockaddr_in *sin);

void peer_post(struct peer *p, enum peer_op op, int fd, const int64_t *a,
	       const void *in, size_t inlen);
int peer_wait(struct peer *p, int timeout_ms, struct peer_reply *r, void *out,
	      size_t outlen);
long peer_call(struct peer *p, enum peer_op op, int fd, const int64_t *a,
	       const void *in, size_t inlen, void *out, size_t outlen);
int64_t peer_out(const struct peer *p, int i);

/* Shorthands: at most four integer arguments, unused ones are zero. */
#define p_do(p, op, fd, ...)						\
	peer_call(p, op, fd, (int64_t[4]){ __VA_ARGS__ }, NULL, 0, NULL, 0)
#define p_post(p, op, fd, ...)						\
	peer_post(p, op, fd, (int64_t[4]){ __VA_ARGS__ }, NULL, 0)
long p_done(struct peer *p);
int p_set_int(struct peer *p, int fd, int level, int opt, int val);
int p_get_int(struct peer *p, int fd, int level, int opt);

int agent_serve(int port, int ready_fd);

#endif
