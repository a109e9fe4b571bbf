/* SPDX-License-Identifier: GPL-2.0 */
/*
 * early.h - what the tests of the Proposal in the SYN share: a client here, a
 * server at the agent that is SMC, plain or both in turn on one port, and the
 * questions asked afterwards.
 */
#ifndef EARLY_H
#define EARLY_H

#include "selftest.h"
#include "wire.h"

#define E_DEV "eth0"

#ifndef TCP_FASTOPEN_NO_COOKIE
#define TCP_FASTOPEN_NO_COOKIE 34
#endif

/* Listener of the agent. */
#define L_SMC		0
#define L_PLAIN		1
#define L_TFO		2	/* plain, TCP_FASTOPEN */
#define L_NO_COOKIE	6	/* plain, TCP_FASTOPEN and TCP_FASTOPEN_NO_COOKIE */
#define L_DUAL		8	/* SMC, IPv6 and IPv4 */

extern struct peer *e_self;	/* shell of this machine */

void e_begin(void);
int e_port(void);
int e_listen(int port, int kind);
int e_socket(bool smc);
int e_dial(int fd, int port);
int e_accept(int ls, int ms);
void e_agent_close(int fd);
void e_meet(int ls, int port);
int e_learn(int port);
enum carrier e_carrier(int fd);
enum carrier e_agent_carrier(int fd);
void e_exchange(int fd, int afd, int n);
void e_finish(int fd, int afd);
long e_count(struct peer *p, const char *name);
long e_netstat(struct peer *p, const char *name);
long e_known(int port, const char *name);
void e_sysctl(struct peer *p, const char *name, const char *value);

/**
 * struct e_view - what the packets of one connection attempt say
 * @syns: SYNs sent
 * @syn_data: bytes in the first
 * @more_data: SYNs after the first that had data
 * @synack_smc: the last SYN-ACK had the SMC option
 * @acked: the first SYN-ACK acknowledged the data
 * @rst_out: resets sent
 * @rst_in: resets received
 * @proposals: segments other than SYNs with a Proposal inside
 */
struct e_view {
	int syns, syn_data, more_data, rst_out, rst_in, proposals;
	bool synack_smc, acked;
};

void e_view(struct midbox *m, struct e_view *v);
void e_taken(struct midbox *m, int port, int ls);
void e_syn(struct midbox *m, struct wire_pkt *syn);
void e_forge(struct wire_pkt *syn, int sport, uint32_t isn, const void *data, int len);

/* Only what must not grow: queue pairs, regions, link groups, sockets, TCP sockets of the ports. */
struct e_state {
	long qp, cq, mr, lgr, conns, socks, tcp;
};

void e_state_take(struct peer *p, struct e_state *s);
void e_fresh_device(void);
void e_state_first(void);
void e_state_last(void);

#endif
