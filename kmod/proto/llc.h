/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_LLC_H
#define SMCX_PROTO_LLC_H

#include "host.h"

/**
 * DOC: LLC messages
 *
 * Link layer control: messages that set up, test and take down links and
 * announce buffer keys (protocol.rst chapter 4). 44 bytes; version 2 lets
 * ADD_LINK, REQ_ADD_LINK and DELETE_RKEY be longer. Version 2 carries a 16-bit
 * length in bytes 1..2 which Linux writes in host order: it is ignored on
 * receipt (the completion knows better) and sent big-endian, which every
 * receiver known takes.
 *
 * Two kinds of message share the receive queue: smcx_llc_is_cdc() first.
 */

#define SMCX_LLC_LEN			44
#define SMCX_LLC_LEN_MAX		8192
#define SMCX_LLC_GIDS_MAX		8
#define SMCX_LLC_CONT_TRIPLES_MAX	2
#define SMCX_LLC_RKEY_MORE_MAX		2

/** enum smcx_llc_type - low nibble of byte 0 */
enum smcx_llc_type {
	SMCX_LLC_CONFIRM_LINK		= 1,
	SMCX_LLC_ADD_LINK		= 2,
	SMCX_LLC_ADD_LINK_CONT		= 3,	/* v1 only */
	SMCX_LLC_DELETE_LINK		= 4,
	SMCX_LLC_REQ_ADD_LINK		= 5,	/* v2 only */
	SMCX_LLC_CONFIRM_RKEY		= 6,
	SMCX_LLC_TEST_LINK		= 7,
	SMCX_LLC_CONFIRM_RKEY_CONT	= 8,	/* v1 only, not used by anybody */
	SMCX_LLC_DELETE_RKEY		= 9,
};

/* flags, byte 3 */
#define SMCX_LLC_F_RESP			0x80	/* response */
#define SMCX_LLC_F_REJECT		0x40	/* ADD_LINK: rejected */
#define SMCX_LLC_F_DEL_ALL		0x40	/* DELETE_LINK: all links */
#define SMCX_LLC_F_DEL_ORDERLY		0x20	/* DELETE_LINK: orderly */
#define SMCX_LLC_F_RKEY_NEG		0x20	/* CONFIRM_RKEY, DELETE_RKEY response: negative */
#define SMCX_LLC_F_RKEY_RETRY		0x10	/* CONFIRM_RKEY response: retry later */
#define SMCX_LLC_F_NO_EYECATCHER	0x03	/* CONFIRM_LINK: no RMBE eye catcher */

#define SMCX_LLC_REJ_NO_ALT_PATH	1	/* ADD_LINK reject reason, v1 */

/* DELETE_LINK reasons: requests, then responses */
#define SMCX_LLC_DEL_LOST_PATH		0x00010000
#define SMCX_LLC_DEL_OPERATOR		0x00020000
#define SMCX_LLC_DEL_PROGRAM		0x00030000
#define SMCX_LLC_DEL_PROTOCOL		0x00040000
#define SMCX_LLC_DEL_ASYMMETRIC		0x00050000
#define SMCX_LLC_DEL_RSP_OK		0
#define SMCX_LLC_DEL_RSP_UNKNOWN_LINK	0x00100000
#define SMCX_LLC_DEL_RSP_UNKNOWN_LGR	0x00200000

/**
 * struct smcx_llc_confirm_link - CONFIRM_LINK (protocol.rst 4.3)
 * @mac: sender's MAC
 * @gid: sender's GID on this link
 * @qpn: sender's queue pair number
 * @link_id: link number, the server's value counts
 * @link_uid: sender's link user id, informational
 * @max_links: links per link group
 * @max_conns: connections per link group, 0 before v2.1
 */
struct smcx_llc_confirm_link {
	u8	mac[6];
	u8	gid[16];
	u32	qpn;
	u8	link_id;
	u32	link_uid;
	u8	max_links;
	u8	max_conns;
};

/**
 * struct smcx_llc_triple - one RMB's keys for a link being added
 * @rkey: key on the existing link
 * @rkey_new: key on the new link
 * @addr_new: RMB address on the new link
 */
struct smcx_llc_triple {
	u32	rkey;
	u32	rkey_new;
	u64	addr_new;
};

/**
 * struct smcx_llc_add_link - ADD_LINK (protocol.rst 4.4)
 * @mac: sender's MAC for the new link
 * @gid: sender's GID for the new link
 * @qpn: sender's queue pair number
 * @link_id: number of the new link
 * @mtu: QP MTU code; 0 = the client merely invites the server to add a link
 * @psn: sender's initial packet sequence number
 * @reject_reason: v1 rejection: SMCX_LLC_REJ_*
 * @has_ext: v2: the fields below are valid
 * @v2_direct: no gateway
 * @target_gid: GID again
 * @n_triples: number of triples at @triples
 * @triples: on the wire, inside of the decoded message; read them with
 *	smcx_llc_get_triple(). Not used by the encoder, see smcx_llc_put_triple()
 */
struct smcx_llc_add_link {
	u8		mac[6];
	u8		gid[16];
	u32		qpn;
	u8		link_id;
	u8		mtu;
	u32		psn;
	u8		reject_reason;
	bool		has_ext;
	bool		v2_direct;
	u8		target_gid[16];
	u8		n_triples;
	const u8	*triples;
};

/**
 * struct smcx_llc_add_link_cont - ADD_LINK_CONT (protocol.rst 4.5)
 * @link_id: number of the new link
 * @n_left: triples still to be transferred, this message's included
 * @triples: min(2, @n_left) of them are valid
 */
struct smcx_llc_add_link_cont {
	u8			link_id;
	u8			n_left;
	struct smcx_llc_triple	triples[SMCX_LLC_CONT_TRIPLES_MAX];
};

/**
 * struct smcx_llc_delete_link - DELETE_LINK (protocol.rst 4.6)
 * @link_id: link, 0 with the "all" flag
 * @reason: SMCX_LLC_DEL_*
 */
struct smcx_llc_delete_link {
	u8	link_id;
	u32	reason;
};

/**
 * struct smcx_llc_req_add_link - REQ_ADD_LINK (protocol.rst 4.10)
 * @n_gids: number of @gids; more than eight are ignored; none in responses
 * @gids: GIDs the client could use
 */
struct smcx_llc_req_add_link {
	u8	n_gids;
	u8	gids[SMCX_LLC_GIDS_MAX][16];
};

/**
 * struct smcx_llc_rkey - key of one RMB on one link
 * @link_id: link as the receiver numbers it; 0 = link that carries the message
 * @rkey: key
 * @addr: RMB address
 */
struct smcx_llc_rkey {
	u8	link_id;
	u32	rkey;
	u64	addr;
};

/**
 * struct smcx_llc_confirm_rkey - CONFIRM_RKEY (protocol.rst 4.8)
 * @n_more: valid entries of @more
 * @too_many: more entries announced than a message holds: must be rejected
 * @own: key and address on the link that carries the message
 * @more: the same RMB on the other links
 */
struct smcx_llc_confirm_rkey {
	u8			n_more;
	bool			too_many;
	struct smcx_llc_rkey	own;
	struct smcx_llc_rkey	more[SMCX_LLC_RKEY_MORE_MAX];
};

/**
 * struct smcx_llc_test_link - TEST_LINK (protocol.rst 4.7)
 * @user_data: echoed
 */
struct smcx_llc_test_link {
	u8	user_data[16];
};

/**
 * struct smcx_llc_delete_rkey - DELETE_RKEY (protocol.rst 4.9)
 * @n_rkeys: number of keys; v2 responses carry the number only, no @rkeys
 * @err: responses: v1 mask of unknown keys (0x80 = first), v2 their number
 * @rkeys: keys on the link that carries the message, as they are on the wire: inside of the
 *	decoded message, which must live as long as this. Read them with smcx_llc_get_rkey()
 */
struct smcx_llc_delete_rkey {
	u8		n_rkeys;
	u8		err;
	const u8	*rkeys;
};

/**
 * struct smcx_llc_msg - decoded LLC message, small enough for a stack in softirq
 * @type: selects the union member
 * @version: 1 or 2
 * @flags: byte 3, SMCX_LLC_F_*
 * @confirm_link: CONFIRM_LINK
 * @add_link: ADD_LINK
 * @add_link_cont: ADD_LINK_CONT
 * @delete_link: DELETE_LINK
 * @req_add_link: REQ_ADD_LINK
 * @confirm_rkey: CONFIRM_RKEY
 * @test_link: TEST_LINK
 * @delete_rkey: DELETE_RKEY
 */
struct smcx_llc_msg {
	u8	type;
	u8	version;
	u8	flags;
	union {
		struct smcx_llc_confirm_link	confirm_link;
		struct smcx_llc_add_link	add_link;
		struct smcx_llc_add_link_cont	add_link_cont;
		struct smcx_llc_delete_link	delete_link;
		struct smcx_llc_req_add_link	req_add_link;
		struct smcx_llc_confirm_rkey	confirm_rkey;
		struct smcx_llc_test_link	test_link;
		struct smcx_llc_delete_rkey	delete_rkey;
	};
};

/**
 * smcx_llc_is_cdc() - tell the two kinds of received message apart
 * @buf: received bytes
 * @len: how many
 *
 * Context: Any.
 * Return: true if this is for smcx_cdc_decode().
 */
static inline bool smcx_llc_is_cdc(const u8 *buf, size_t len)
{
	return len && buf[0] == 0xFE;
}

/**
 * smcx_llc_is_response() - is this the answer to a request of ours?
 * @msg: decoded message
 *
 * Context: Any.
 * Return: true for responses, rejections included.
 */
static inline bool smcx_llc_is_response(const struct smcx_llc_msg *msg)
{
	return msg->flags & SMCX_LLC_F_RESP;
}

/**
 * smcx_llc_decode() - read an LLC message
 * @buf: received bytes; must live as long as @out if it is an ADD_LINK or a DELETE_RKEY
 * @len: how many, from the completion
 * @out: result, undefined on error
 *
 * Context: Any.
 * Return: 0; -ENOMSG for a type nobody knows (drop it silently, protocol.rst 4.2); -EPROTO
 * for a known type that is too short or inconsistent.
 */
int smcx_llc_decode(const u8 *buf, size_t len, struct smcx_llc_msg *out);

/**
 * smcx_llc_encode() - build an LLC message
 * @in: contents
 * @buf: result; not the message @in was decoded from
 * @cap: bytes in @buf
 *
 * Triples of a v2 ADD_LINK are zeroed; fill them in with smcx_llc_put_triple().
 *
 * Context: Any.
 * Return: length, 44 or more; -ENOSPC; or -EINVAL if @in makes no valid message.
 */
int smcx_llc_encode(const struct smcx_llc_msg *in, u8 *buf, size_t cap);

/**
 * smcx_llc_get_triple() - one triple of a decoded v2 ADD_LINK
 * @al: decoded message
 * @i: index, below @al->n_triples
 * @out: result
 *
 * Context: Any.
 * Return: 0, or -EINVAL if there is no such triple.
 */
int smcx_llc_get_triple(const struct smcx_llc_add_link *al, unsigned int i,
			struct smcx_llc_triple *out);

/**
 * smcx_llc_put_triple() - fill in one triple of an encoded v2 ADD_LINK
 * @buf: what smcx_llc_encode() built
 * @len: what it returned
 * @i: index
 * @in: the triple
 *
 * Context: Any.
 * Return: 0, or -EINVAL if the message has no such triple.
 */
int smcx_llc_put_triple(u8 *buf, size_t len, unsigned int i,
			const struct smcx_llc_triple *in);

/**
 * smcx_llc_get_rkey() - one key of a DELETE_RKEY
 * @del: decoded message
 * @i: index, below @del->n_rkeys
 * @out: result
 *
 * Context: Any.
 * Return: 0, or -EINVAL if there is no such key.
 */
int smcx_llc_get_rkey(const struct smcx_llc_delete_rkey *del, unsigned int i, u32 *out);

/**
 * smcx_llc_reply() - positive answer to a request: the request with the response flag
 * @req: decoded request
 * @out: result, may be @req
 *
 * Right as it is for TEST_LINK, CONFIRM_RKEY, DELETE_RKEY and DELETE_LINK;
 * CONFIRM_LINK and ADD_LINK answers carry the answering side's own data, which
 * the caller fills in.
 *
 * Context: Any.
 */
void smcx_llc_reply(const struct smcx_llc_msg *req, struct smcx_llc_msg *out);

/**
 * smcx_llc_reject() - negative answer to a request
 * @req: decoded request
 * @out: result, may be @req
 *
 * ADD_LINK: rejected, no alternate path. CONFIRM_RKEY: negative, retry later.
 * DELETE_RKEY: negative, all keys unknown. DELETE_LINK: unknown link. REQ_ADD_LINK: the
 * empty answer. ADD_LINK_CONT: nothing to transfer.
 *
 * Context: Any.
 * Return: 0, or -EINVAL if @req is a response or a type that has no negative answer.
 */
int smcx_llc_reject(const struct smcx_llc_msg *req, struct smcx_llc_msg *out);

#endif
