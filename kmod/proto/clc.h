/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_CLC_H
#define SMCX_PROTO_CLC_H

#include "eid.h"
#include "host.h"
#include "rmbe.h"

/**
 * DOC: CLC messages
 *
 * The handshake on the TCP connection: Proposal, Accept, Confirm or Decline
 * (protocol.rst chapter 2). A receiver peeks eight bytes, asks smcx_clc_peek_len() for
 * the length, takes exactly that many bytes from the stream (what exceeds
 * %SMCX_CLC_BUF_LEN is read and thrown away) and decodes once into a host struct.
 *
 * Reserved bits and bytes are ignored, lengths and offsets are not: every part
 * must lie inside of the message. Bytes in which a vendor may put something of
 * his own are kept as they are, in the fields called vendor and reserved.
 *
 * Only SMC-R is spoken. The SMC-D parts of a Proposal are bounds-checked and
 * skipped; an Accept or Confirm for SMC-D decodes to its header.
 */

#define SMCX_CLC_HDR_LEN	8
#define SMCX_CLC_TRAILER_LEN	4
#define SMCX_CLC_BUF_LEN	1024	/* bytes of one message worth keeping */
#define SMCX_CLC_EIDS_MAX	8
#define SMCX_CLC_V6_MAX		8
#define SMCX_CLC_ISM_MAX	8
#define SMCX_CLC_GIDS_MAX	8
#define SMCX_CLC_HOST_LEN	32

/* largest messages this module builds */
#define SMCX_CLC_PROPOSAL_LEN_MAX	(80 + 8 + 17 * 8 + 40 + 32 * 8 + 26 + 4)
#define SMCX_CLC_ACCEPT_LEN_MAX		(160 + 4 + 16 * 8)
#define SMCX_CLC_DECLINE_LEN_MAX	44

/** enum smcx_clc_type - message types */
enum smcx_clc_type {
	SMCX_CLC_PROPOSAL	= 1,
	SMCX_CLC_ACCEPT		= 2,
	SMCX_CLC_CONFIRM	= 3,
	SMCX_CLC_DECLINE	= 4,
};

/** enum smcx_clc_smctype - transports offered in a Proposal, for one version */
enum smcx_clc_smctype {
	SMCX_CLC_SMC_R		= 0,
	SMCX_CLC_SMC_D		= 1,
	SMCX_CLC_SMC_NONE	= 2,
	SMCX_CLC_SMC_BOTH	= 3,
};

/** enum smcx_clc_os - operating system types */
enum smcx_clc_os {
	SMCX_CLC_OS_NONE	= 0,
	SMCX_CLC_OS_ZOS		= 1,
	SMCX_CLC_OS_LINUX	= 2,
	SMCX_CLC_OS_AIX		= 3,
};

/**
 * struct smcx_clc_hdr - first eight bytes of every message (protocol.rst 2.1)
 * @len: bytes of the whole message
 * @type: enum smcx_clc_type
 * @version: 1 or 2; other non-zero values are passed on
 * @flags: low nibble of byte 7; its meaning depends on @type
 * @is_smcd: eye catcher is SMC-D's
 */
struct smcx_clc_hdr {
	u16	len;
	u8	type;
	u8	version;
	u8	flags;
	bool	is_smcd;
};

/**
 * struct smcx_clc_v2ext - version 2 extension of a Proposal (protocol.rst 2.3)
 * @n_eids: number of @eids
 * @release: 0 = v2.0, 1 = v2.1
 * @has_seid: a system EID is present (SMC-D)
 * @max_conns: connections per link group wanted (release >= 1)
 * @max_links: links per link group wanted (release >= 1)
 * @features: feature mask (release >= 1)
 * @gid: RoCEv2 GID
 * @reserved: bytes 28..39, free for vendors
 * @eids: user EIDs in order of preference
 */
struct smcx_clc_v2ext {
	u8	n_eids;
	u8	release;
	bool	has_seid;
	u8	max_conns;
	u8	max_links;
	u16	features;
	u8	gid[16];
	u8	reserved[12];
	u8	eids[SMCX_CLC_EIDS_MAX][SMCX_EID_LEN];
};

/**
 * struct smcx_clc_early - client's end of a link, ahead of the Confirm (one-rtt.rst, EARLY)
 * @qpn: queue pair number
 * @mtu: QP MTU code, 1..5
 * @psn: initial packet sequence number
 * @rkey: RMB key
 * @rmb_addr: RMB address
 * @rmbe_idx: index of the element, never 0
 * @rmbe_code: size code of the element
 * @token: alert token
 */
struct smcx_clc_early {
	u32	qpn;
	u8	mtu;
	u32	psn;
	u32	rkey;
	u64	rmb_addr;
	u8	rmbe_idx;
	u8	rmbe_code;
	u32	token;
};

/**
 * struct smcx_clc_proposal - decoded Proposal (protocol.rst 2.3)
 * @version: header version
 * @typev1: enum smcx_clc_smctype offered for version 1
 * @typev2: same for version 2; SMCX_CLC_SMC_NONE if @version is 1
 * @peer_id: sender's peer id
 * @gid_v1: RoCEv1 GID
 * @mac: MAC of the sender's port
 * @vendor_oui: bytes 52..54
 * @vendor: bytes 55..59, free for vendors
 * @has_ip: IP area present, the case unless @typev1 is NONE
 * @v4_len: IPv4 prefix length, 0..32
 * @n_v6: number of @v6; 0 = IPv4 is to be compared
 * @v4_net: IPv4 subnet (address AND mask)
 * @v6: 16 bytes prefix, one byte length, 0..128
 * @has_v2: @v2 is valid
 * @v2: version 2 extension
 * @has_early: @early is valid; the case if @vendor says so, see ext.h
 * @early: first contact in one round trip
 */
struct smcx_clc_proposal {
	u8			version;
	u8			typev1;
	u8			typev2;
	u8			peer_id[8];
	u8			gid_v1[16];
	u8			mac[6];
	u8			vendor_oui[3];
	u8			vendor[5];
	bool			has_ip;
	u8			v4_len;
	u8			n_v6;
	__be32			v4_net;
	u8			v6[SMCX_CLC_V6_MAX][17];
	bool			has_v2;
	struct smcx_clc_v2ext	v2;
	bool			has_early;
	struct smcx_clc_early	early;
};

/**
 * struct smcx_clc_fce - version 2 first contact extension (protocol.rst 2.5)
 * @v2_direct: no gateway between the RoCE ports
 * @os: enum smcx_clc_os of the sender
 * @release: 0 = v2.0, 1 = v2.1
 * @max_conns: connections per link group (release >= 1)
 * @max_links: links per link group (release >= 1)
 * @features: feature mask (release >= 1)
 * @host: host name, blank padded, not terminated
 * @vendor: bytes 144..147 of the message, free for vendors
 * @reserved: bytes 148..155 of the message
 */
struct smcx_clc_fce {
	bool	v2_direct;
	u8	os;
	u8	release;
	u8	max_conns;
	u8	max_links;
	u16	features;
	u8	host[SMCX_CLC_HOST_LEN];
	u8	vendor[4];
	u8	reserved[8];
};

/**
 * struct smcx_clc_accept - decoded Accept or Confirm (protocol.rst 2.5)
 * @is_confirm: Confirm (client), else Accept (server)
 * @is_smcd: for SMC-D; then only @version and @first_contact are valid
 * @version: version of the transport chosen
 * @first_contact: a new link group is set up
 * @rmbe_idx: index of the element in the RMB, 1-based, never 0
 * @rmbe_code: size code of the element, see smcx_rmbe_size()
 * @mtu: QP MTU code, 1 = 256 .. 5 = 4096
 * @qpn: sender's queue pair number
 * @psn: sender's initial packet sequence number
 * @rkey: RMB key on the link used
 * @token: sender's alert token for this connection
 * @rmb_addr: RMB address on the link used, opaque
 * @peer_id: sender's peer id
 * @gid: sender's GID on the link used
 * @mac: MAC of the sender's port
 * @eid: v2: negotiated EID
 * @reserved: v2: bytes 96..103
 * @fce: v2 first contact
 * @n_gids: v2 first contact Confirm: number of @gids
 * @gids: v2 first contact Confirm: client's RoCEv2 GIDs
 */
struct smcx_clc_accept {
	bool			is_confirm;
	bool			is_smcd;
	u8			version;
	bool			first_contact;
	u8			rmbe_idx;
	u8			rmbe_code;
	u8			mtu;
	u32			qpn;
	u32			psn;
	u32			rkey;
	u32			token;
	u64			rmb_addr;
	u8			peer_id[8];
	u8			gid[16];
	u8			mac[6];
	u8			eid[SMCX_EID_LEN];
	u8			reserved[8];
	struct smcx_clc_fce	fce;
	u8			n_gids;
	u8			gids[SMCX_CLC_GIDS_MAX][16];
};

/**
 * struct smcx_clc_decline - decoded Decline (protocol.rst 2.6)
 * @version: 1 = short form, else long form
 * @out_of_sync: receiver must end the whole link group
 * @os: enum smcx_clc_os
 * @peer_id: sender's peer id or zero
 * @diagnosis: enum smcx_reason; peers may send values unknown here
 * @more: long form: four more diagnosis words
 */
struct smcx_clc_decline {
	u8	version;
	bool	out_of_sync;
	u8	os;
	u8	peer_id[8];
	u32	diagnosis;
	u32	more[4];
};

/**
 * smcx_clc_peek_len() - length of the message at the head of the stream
 * @buf: peeked bytes
 * @len: how many
 *
 * Context: Any.
 * Return: bytes of the whole message (12..65535, may exceed %SMCX_CLC_BUF_LEN); 0 if
 * fewer than eight bytes are there; -EPROTO if this is no CLC message (protocol.rst 2.2).
 */
int smcx_clc_peek_len(const u8 *buf, size_t len);

/**
 * smcx_clc_decode_hdr() - read the header
 * @buf: at least the header
 * @len: bytes in @buf
 * @out: result
 *
 * Context: Any.
 * Return: 0, or -EPROTO if too short, unknown eye catcher or type, or version 0.
 */
int smcx_clc_decode_hdr(const u8 *buf, size_t len, struct smcx_clc_hdr *out);

/**
 * smcx_clc_decode_proposal() - read a Proposal
 * @buf: the message
 * @len: bytes in @buf: the whole message, or %SMCX_CLC_BUF_LEN of a longer one
 * @out: result, undefined on error
 *
 * Context: Any.
 * Return: 0, or -EPROTO (protocol.rst 2.3).
 */
int smcx_clc_decode_proposal(const u8 *buf, size_t len,
			     struct smcx_clc_proposal *out);

/**
 * smcx_clc_encode_proposal() - build a Proposal, SMC-R only, laid out as Linux does
 * @in: contents
 * @buf: result
 * @cap: bytes in @buf; %SMCX_CLC_PROPOSAL_LEN_MAX always suffices
 *
 * Context: Any.
 * Return: length; -ENOSPC; or -EINVAL if @in makes no valid Proposal.
 */
int smcx_clc_encode_proposal(const struct smcx_clc_proposal *in, u8 *buf,
			     size_t cap);

/**
 * smcx_clc_decode_accept() - read an Accept or Confirm
 * @buf: the message
 * @len: bytes in @buf: the whole message, or %SMCX_CLC_BUF_LEN of a longer one
 * @out: result, undefined on error
 *
 * The caller checks that @out->is_confirm is what it waits for.
 *
 * Context: Any.
 * Return: 0, or -EPROTO (protocol.rst 2.5).
 */
int smcx_clc_decode_accept(const u8 *buf, size_t len,
			   struct smcx_clc_accept *out);

/**
 * smcx_clc_encode_accept() - build an Accept or Confirm
 * @in: contents; @in->is_confirm says which
 * @buf: result
 * @cap: bytes in @buf; %SMCX_CLC_ACCEPT_LEN_MAX always suffices
 *
 * Context: Any.
 * Return: length; -ENOSPC; or -EINVAL if @in makes no valid message.
 */
int smcx_clc_encode_accept(const struct smcx_clc_accept *in, u8 *buf,
			   size_t cap);

/**
 * smcx_clc_decode_decline() - read a Decline
 * @buf: the message
 * @len: bytes in @buf
 * @out: result, undefined on error
 *
 * Context: Any.
 * Return: 0, or -EPROTO if not 28 (version 1) or 44 bytes (protocol.rst 2.6).
 */
int smcx_clc_decode_decline(const u8 *buf, size_t len,
			    struct smcx_clc_decline *out);

/**
 * smcx_clc_encode_decline() - build a Decline
 * @in: contents; a local @in->diagnosis is refused, see smcx_reason_to_wire()
 * @buf: result
 * @cap: bytes in @buf; %SMCX_CLC_DECLINE_LEN_MAX always suffices
 *
 * Context: Any.
 * Return: length; -ENOSPC; or -EINVAL.
 */
int smcx_clc_encode_decline(const struct smcx_clc_decline *in, u8 *buf,
			    size_t cap);

#endif
