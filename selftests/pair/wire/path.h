/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path.h - an SMC server that has invited us, with the middle box in between:
 * one connection of an application at a time, and what it must have been.
 */
#ifndef PATH_H
#define PATH_H

#include "early.h"

/**
 * struct e_path - the server of this subtest
 * @box: in between
 * @port: its port
 * @ls: the agent's listener
 */
struct e_path {
	struct midbox *box;
	int port, ls;
};

extern struct e_path ep;

/**
 * struct ep_result - one connection
 * @carrier: CARRIER_SMC or CARRIER_TCP, at both ends
 * @ms: of connect()
 * @v: its packets
 */
struct ep_result {
	enum carrier carrier;
	int ms;
	struct e_view v;
};

void ep_begin(void);
void ep_learn(void);
void ep_one(struct ep_result *r);
void ep_one_on(int fd, struct ep_result *r);
void ep_again(void);
void ep_done(void);

void ep_is_early(const struct ep_result *r);
void ep_is_classic(const struct ep_result *r);
void ep_is_refused(const struct ep_result *r);
void ep_is_tcp(const struct ep_result *r);

#endif
