/* SPDX-License-Identifier: GPL-2.0 */
/* rc.h - a reliable queue pair in user space, by libibverbs. */
#ifndef EVIL_RC_H
#define EVIL_RC_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define RC_MSG 2048	/* bytes of a receive */
#define RC_RECVS 64
#define RC_SENDS 64
#define RC_SEND_MAX 16384
#define RC_RMB (4 * 65536)	/* all elements of ours */

struct rc_dev {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	int gid_index;
	union ibv_gid gid;
	uint8_t mac[6];
};

struct rc {
	struct rc_dev *dev;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *recv_mr, *send_mr, *rmb_mr;
	uint8_t *recvs, *sends, *rmb;
	uint32_t psn;
	unsigned int posted, sent, done;
	bool no_recv;		/* received messages are not followed by new receives */
	int bad;		/* status of the first failed completion */
	void (*on_msg)(void *ctx, const uint8_t *msg, unsigned int len);
	void *ctx;
};

bool rc_dev_open(struct rc_dev *d, struct in_addr addr);
bool rc_open(struct rc *rc, struct rc_dev *d, int recvs);
void rc_close(struct rc *rc);
bool rc_connect(struct rc *rc, const uint8_t *gid, uint32_t qpn, uint32_t psn, int mtu);
bool rc_recv(struct rc *rc, int n);
bool rc_send(struct rc *rc, const void *msg, unsigned int len);
bool rc_write(struct rc *rc, const void *data, unsigned int len, uint32_t rkey, uint64_t addr);
void rc_poll(struct rc *rc);
bool rc_flush(struct rc *rc, int ms);
uint64_t now_ms(void);
unsigned int slow(void);	/* how many times slower than usual this kernel is */

#endif
