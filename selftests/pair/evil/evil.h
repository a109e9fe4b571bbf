/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evil.h - an SMC-R peer in user space that says what it likes: CLC on a TCP socket, LLC and CDC on a queue pair of its own.
 * Without a wish of the attack it behaves.
 */
#ifndef EVIL_H
#define EVIL_H

#include "rc.h"
#include "proto/cdc.h"
#include "proto/clc.h"
#include "proto/llc.h"

#define EVIL_CONNS 256
#define EVIL_ELEM 16384u	/* bytes of an element of ours */

struct evil;

struct evil_conn {
	struct evil *e;
	int fd;
	uint32_t token;			/* ours */
	struct smcx_clc_accept peer;	/* Accept or Confirm of the other side */
	struct smcx_clc_accept mine;	/* what we said */
	uint8_t *elem;
	struct smcx_cursor prod, cons;
	uint16_t seq;
	struct smcx_cdc_msg last;	/* last CDC received */
	unsigned int cdcs;
};

/* struct evil - a link group of ours; an attack sets the wishes before it begins */
struct evil {
	/* wishes */
	bool server, no_qp;		/* no_qp: no queue pair at all */
	bool no_recvs, no_repost;	/* post no receives; none but the first */
	int recvs;			/* receives posted at first */
	uint16_t caps;
	struct in_addr from;		/* own address of connections, 0: the route's */
	uint16_t mute, twice, wrong;	/* by LLC type: never answer, answer twice, answer with another content */
	void (*bend)(struct smcx_clc_accept *clc);	/* change our Accept or Confirm */
	/* state */
	struct rc_dev *dev;
	struct rc rc;
	struct in_addr addr;
	uint16_t port;
	int listener;
	uint8_t peer_id[8];
	uint32_t decline;		/* reason of the last Decline received, or ~0 if the connection ended */
	bool up, ended;			/* first contact done; DELETE_LINK for all received */
	unsigned int llc[16], answers[16];	/* requests and responses received */
	uint8_t req[16][SMCX_LLC_LEN];	/* last request */
	uint8_t resp[16][SMCX_LLC_LEN];
	struct evil_conn conn[EVIL_CONNS];
	int n;
};

#define BIT(n) (1u << (n))

void evil_init(struct evil *e, struct rc_dev *dev, struct in_addr addr, uint16_t port);
void evil_close(struct evil *e);
int evil_tcp(struct evil *e);
struct evil_conn *evil_offer(struct evil *e);
bool evil_accepted(struct evil_conn *c);
struct evil_conn *evil_propose(struct evil *e);
bool evil_say_confirm(struct evil_conn *c);
bool evil_confirm(struct evil_conn *c);
struct evil_conn *evil_connect(struct evil *e);
struct evil_conn *evil_accept(struct evil *e);
bool evil_listen(struct evil *e, uint16_t port);
void evil_pump(struct evil *e, int ms);
bool evil_gone(struct evil *e, int ms);
bool evil_answered(struct evil *e, int type, unsigned int n, int ms);
bool evil_llc(struct evil *e, struct smcx_llc_msg *msg);
bool evil_cdc(struct evil_conn *c, struct smcx_cdc_msg *msg);
bool evil_tell(struct evil_conn *c, uint8_t prod_flags, uint8_t state);
bool evil_put(struct evil_conn *c, const void *data, unsigned int n);
bool evil_get(struct evil_conn *c, void *data, unsigned int n, int ms);
bool evil_echo(struct evil_conn *c, unsigned int n);
bool evil_state(struct evil_conn *c, uint8_t state, int ms);
bool evil_tcp_ended(struct evil_conn *c, int ms);

#endif
