// SPDX-License-Identifier: GPL-2.0
/* See rc.h. */
#define _GNU_SOURCE
#include "rc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define IS_RECV (1ull << 32)

unsigned int slow(void)
{
	const char *times = getenv("SLOW");

	return times ? atoi(times) : 1;
}

/* On a slow kernel, time passes slowly: so do all limits. */
uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (t.tv_sec * 1000ull + t.tv_nsec / 1000000) / slow();
}

static bool find_gid(struct rc_dev *d, struct in_addr addr)
{
	uint8_t want[16] = { [10] = 0xff, [11] = 0xff };

	memcpy(want + 12, &addr, 4);
	for (int i = 0; i < 64; i++) {
		if (ibv_query_gid(d->ctx, 1, i, &d->gid))
			break;
		if (!memcmp(d->gid.raw, want, 16)) {
			d->gid_index = i;
			return true;
		}
	}
	return false;
}

/* rc_dev_open() - the RDMA device that has the address; Return: false if there is none */
bool rc_dev_open(struct rc_dev *d, struct in_addr addr)
{
	struct ibv_device **list;
	int n = 0;

	memset(d, 0, sizeof(*d));
	list = ibv_get_device_list(&n);
	if (!list || !n)
		return false;
	d->ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	d->pd = d->ctx ? ibv_alloc_pd(d->ctx) : NULL;
	return d->pd && find_gid(d, addr);
}

static struct ibv_mr *memory(struct rc_dev *d, uint8_t **p, size_t len)
{
	*p = aligned_alloc(4096, len);
	if (!*p)
		return NULL;
	memset(*p, 0, len);
	return ibv_reg_mr(d->pd, *p, len, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

static bool to_init(struct rc *rc)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	};

	return !ibv_modify_qp(rc->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

/* rc_open() - a queue pair with that many receives posted */
bool rc_open(struct rc *rc, struct rc_dev *d, int recvs)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = { RC_SENDS, RC_RECVS, 1, 1, 0 },
	};

	rc->dev = d;
	rc->cq = ibv_create_cq(d->ctx, RC_SENDS + RC_RECVS, NULL, NULL, 0);
	if (!rc->cq)
		return false;
	init.send_cq = rc->cq;
	init.recv_cq = rc->cq;
	rc->qp = ibv_create_qp(d->pd, &init);
	rc->recv_mr = memory(d, &rc->recvs, RC_RECVS * RC_MSG);
	rc->send_mr = memory(d, &rc->sends, RC_SENDS * RC_SEND_MAX);
	rc->rmb_mr = memory(d, &rc->rmb, RC_RMB);
	getrandom(&rc->psn, sizeof(rc->psn), 0);
	rc->psn &= 0xffffff;
	return rc->qp && rc->recv_mr && rc->send_mr && rc->rmb_mr && to_init(rc) && rc_recv(rc, recvs);
}

void rc_close(struct rc *rc)
{
	if (rc->qp)
		ibv_destroy_qp(rc->qp);
	if (rc->recv_mr)
		ibv_dereg_mr(rc->recv_mr);
	if (rc->send_mr)
		ibv_dereg_mr(rc->send_mr);
	if (rc->rmb_mr)
		ibv_dereg_mr(rc->rmb_mr);
	if (rc->cq)
		ibv_destroy_cq(rc->cq);
	free(rc->recvs);
	free(rc->sends);
	free(rc->rmb);
	memset(rc, 0, sizeof(*rc));
}

/* rc_connect() - to the peer's queue pair, both directions */
bool rc_connect(struct rc *rc, const uint8_t *gid, uint32_t qpn, uint32_t psn, int mtu)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = qpn,
		.rq_psn = psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 5,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .sgid_index = rc->dev->gid_index, .hop_limit = 1 },
		},
	};

	memcpy(a.ah_attr.grh.dgid.raw, gid, 16);
	if (ibv_modify_qp(rc->qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		return false;
	memset(&a, 0, sizeof(a));
	a.qp_state = IBV_QPS_RTS;
	a.timeout = slow() > 1 ? 18 : 15;
	a.retry_cnt = 6;	/* with 7, soft-RoCE never gives up */
	a.rnr_retry = 7;
	a.sq_psn = rc->psn;
	a.max_rd_atomic = 1;
	return !ibv_modify_qp(rc->qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

bool rc_recv(struct rc *rc, int n)
{
	struct ibv_recv_wr *bad;

	while (n--) {
		uint64_t slot = rc->posted++ % RC_RECVS;
		struct ibv_sge sge = {
			.addr = (uintptr_t)rc->recvs + slot * RC_MSG,
			.length = RC_MSG,
			.lkey = rc->recv_mr->lkey,
		};
		struct ibv_recv_wr wr = { .wr_id = IS_RECV | slot, .sg_list = &sge, .num_sge = 1 };

		if (ibv_post_recv(rc->qp, &wr, &bad))
			return false;
	}
	return true;
}

static bool post(struct rc *rc, struct ibv_send_wr *wr, const void *data, unsigned int len)
{
	uint8_t *to = rc->sends + rc->sent % RC_SENDS * RC_SEND_MAX;
	struct ibv_sge sge = { .addr = (uintptr_t)to, .length = len, .lkey = rc->send_mr->lkey };
	uint64_t end = now_ms() + 5000;
	struct ibv_send_wr *bad;

	while (rc->sent - rc->done >= RC_SENDS - 1 && !rc->bad && now_ms() < end)
		rc_poll(rc);
	if (rc->bad || rc->sent - rc->done >= RC_SENDS - 1 || len > RC_SEND_MAX)
		return false;
	memcpy(to, data, len);
	wr->sg_list = &sge;
	wr->num_sge = len ? 1 : 0;
	wr->send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
	if (ibv_post_send(rc->qp, wr, &bad))
		return false;
	rc->sent++;
	return true;
}

/* rc_send() - any bytes as a message; Return: false if the queue pair is broken or stuck */
bool rc_send(struct rc *rc, const void *msg, unsigned int len)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	return post(rc, &wr, msg, len);
}

/* rc_write() - any bytes to any place */
bool rc_write(struct rc *rc, const void *data, unsigned int len, uint32_t rkey, uint64_t addr)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	wr.wr.rdma.rkey = rkey;
	wr.wr.rdma.remote_addr = addr;
	return post(rc, &wr, data, len);
}

/* rc_poll() - completions: messages are handed over, receives posted again */
void rc_poll(struct rc *rc)
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(rc->cq, 16, wc);

	for (int i = 0; i < n; i++) {
		uint64_t slot = (uint32_t)wc[i].wr_id;

		if (wc[i].status != IBV_WC_SUCCESS && !rc->bad)
			rc->bad = wc[i].status;
		if (!(wc[i].wr_id & IS_RECV)) {
			rc->done++;
			continue;
		}
		if (wc[i].status != IBV_WC_SUCCESS)
			continue;
		if (rc->on_msg)
			rc->on_msg(rc->ctx, rc->recvs + slot * RC_MSG, wc[i].byte_len);
		if (!rc->no_recv)
			rc_recv(rc, 1);
	}
	if (n <= 0)
		usleep(200);
}

/* rc_flush() - wait until all that was posted is done; Return: false if some of it failed, or is not */
bool rc_flush(struct rc *rc, int ms)
{
	uint64_t end = now_ms() + ms;

	while (rc->done != rc->sent && !rc->bad && now_ms() < end)
		rc_poll(rc);
	return !rc->bad && rc->done == rc->sent;
}
