// SPDX-License-Identifier: GPL-2.0
/* CLC messages on the TCP connection (protocol.rst 2.2). */
#include <linux/uio.h>
#include <net/sock.h>

#include "hs_priv.h"

static int smcx_chan_read(struct sock *sk, u8 *buf, size_t len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	int addr_len = 0;
	int rc;

	iov_iter_kvec(&msg.msg_iter, READ, &vec, 1, len);
	rc = sk->sk_prot->recvmsg(sk, &msg, len, MSG_DONTWAIT, &addr_len);
	if (rc == 0)
		return -ECONNRESET;
	return rc == -EAGAIN ? 0 : rc;
}

/* Reads on, at most up to @upto bytes of the message. Return as smcx_chan_recv(). */
static int smcx_chan_fill(struct smcx_hs *hs, u32 upto)
{
	struct smcx_clc_chan *ch = &hs->chan;
	u8 surplus[64];

	while (ch->got < upto) {
		u32 room = ch->got < sizeof(ch->buf) ? sizeof(ch->buf) - ch->got : 0;
		int rc;

		if (room)
			rc = smcx_chan_read(hs->sk, ch->buf + ch->got,
					    min(room, upto - ch->got));
		else
			rc = smcx_chan_read(hs->sk, surplus,
					    min_t(u32, sizeof(surplus), upto - ch->got));
		if (rc <= 0)
			return rc;
		ch->got += rc;
	}
	return 1;
}

int smcx_chan_recv(struct smcx_hs *hs, struct smcx_clc_hdr *hdr)
{
	struct smcx_clc_chan *ch = &hs->chan;
	int rc;

	if (!ch->len) {
		rc = smcx_chan_fill(hs, SMCX_CLC_HDR_LEN);
		if (rc <= 0)
			return rc;
		rc = smcx_clc_peek_len(ch->buf, ch->got);
		if (rc < 0) {
			smcx_drop_note(hs->sn, SMCX_DROP_CLC);
			return rc;
		}
		ch->len = rc;
	}
	rc = smcx_chan_fill(hs, ch->len);
	if (rc <= 0)
		return rc;
	rc = smcx_clc_decode_hdr(ch->buf, smcx_chan_len(hs), hdr);
	return rc ? rc : 1;
}

size_t smcx_chan_len(const struct smcx_hs *hs)
{
	return min_t(size_t, hs->chan.got, sizeof(hs->chan.buf));
}

void smcx_chan_next(struct smcx_hs *hs)
{
	hs->chan.got = 0;
	hs->chan.len = 0;
}

int smcx_chan_send(struct smcx_hs *hs, const u8 *buf, int len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct kvec vec = { .iov_base = (void *)buf, .iov_len = len };
	int rc;

	if (len < 0)
		return len;
	iov_iter_kvec(&msg.msg_iter, WRITE, &vec, 1, len);
	rc = hs->ops->send(hs->sk, &msg, len);
	if (rc < 0)
		return rc;
	return rc == len ? 0 : -ENOBUFS;
}

int smcx_chan_decline(struct smcx_hs *hs, u32 reason, bool out_of_sync)
{
	struct smcx_clc_decline dec = {
		/* of an Accept that is newer than we are, too */
		.version	= min_t(u8, hs->version, 2),
		.out_of_sync	= out_of_sync,
		.os		= hs->version > 1 ? SMCX_CLC_OS_LINUX : SMCX_CLC_OS_NONE,
		.diagnosis	= smcx_reason_to_wire(reason),
	};
	u8 buf[SMCX_CLC_DECLINE_LEN_MAX];

	smcx_rdma_peer_id(dec.peer_id);
	return smcx_chan_send(hs, buf, smcx_clc_encode_decline(&dec, buf, sizeof(buf)));
}
