/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_CDC_H
#define SMCX_PROTO_CDC_H

#include "cursor.h"
#include "host.h"

/**
 * DOC: CDC messages
 *
 * Connection data control: 44 bytes that tell the peer how far one side has
 * written into the peer's ring, how far it has read its own, and flags
 * (protocol.rst 5.1). The flags of every accepted message replace the
 * former ones, so senders repeat the state flags for ever once set.
 */

#define SMCX_CDC_TYPE			0xFE
#define SMCX_CDC_LEN			44
#define SMCX_CDC_LEN_MIN		26	/* least a receiver takes */
#define SMCX_CDC_DATA_MAX		2004	/* bytes that may follow (one-rtt.rst, DATA) */

/* producer flags */
#define SMCX_CDC_PROD_BLOCKED		0x80	/* write blocked */
#define SMCX_CDC_PROD_URG_PENDING	0x40	/* urgent data will come */
#define SMCX_CDC_PROD_URG_PRESENT	0x20	/* last byte written is urgent */
#define SMCX_CDC_PROD_CURS_UPDATE	0x10	/* please tell your consumer cursor */
#define SMCX_CDC_PROD_FAILOVER		0x08	/* failover validation: ignore the cursors */

/* connection state flags */
#define SMCX_CDC_STATE_DONE_WRITING	0x80
#define SMCX_CDC_STATE_CLOSED		0x40
#define SMCX_CDC_STATE_ABORT		0x20

/**
 * struct smcx_cdc_msg - decoded CDC message
 * @token: alert token of the receiver of the message
 * @seqno: sequence number, first message of a connection carries 1
 * @prod_flags: SMCX_CDC_PROD_*; unknown bits are kept
 * @state_flags: SMCX_CDC_STATE_*; unknown bits are kept
 * @prod: producer cursor, in the receiver's ring
 * @cons: consumer cursor, in the sender's ring
 */
struct smcx_cdc_msg {
	u32			token;
	u16			seqno;
	u8			prod_flags;
	u8			state_flags;
	struct smcx_cursor	prod;
	struct smcx_cursor	cons;
};

/**
 * smcx_cdc_encode() - build a CDC message
 * @in: contents
 * @buf: 44 bytes, overwritten
 *
 * Context: Any.
 */
void smcx_cdc_encode(const struct smcx_cdc_msg *in, u8 buf[SMCX_CDC_LEN]);

/**
 * smcx_cdc_decode() - read a CDC message
 * @buf: received bytes
 * @len: how many, from the completion
 * @out: result
 *
 * Cursors are taken as they are: only the connection knows the ring they must
 * fit (smcx_cursor_check_advance()).
 *
 * Context: Any.
 * Return: 0, or -EPROTO: no CDC, too short or wrong length byte (protocol.rst 5.1).
 */
int smcx_cdc_decode(const u8 *buf, size_t len, struct smcx_cdc_msg *out);

/**
 * smcx_cdc_data_len() - how much data came behind a CDC message (one-rtt.rst, DATA)
 * @len: length of the message, from the completion
 *
 * Only for peers that were told that they may do so; others' messages may be longer, and mean nothing by it.
 *
 * Context: Any.
 * Return: bytes from offset SMCX_CDC_LEN on, 0 if there are none, or -EPROTO: more than is allowed.
 */
static inline int smcx_cdc_data_len(size_t len)
{
	if (len <= SMCX_CDC_LEN)
		return 0;
	len -= SMCX_CDC_LEN;
	return len <= SMCX_CDC_DATA_MAX ? (int)len : -EPROTO;
}

/**
 * smcx_cdc_seq_is_old() - is a sequence number behind the last one?
 * @last: last accepted
 * @seqno: received; equal is not old (protocol.rst 5.1)
 *
 * Context: Any.
 * Return: true if the message must be dropped.
 */
static inline bool smcx_cdc_seq_is_old(u16 last, u16 seqno)
{
	return (s16)(seqno - last) < 0;
}

#endif
