/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_DECODE_H
#define SMCX_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "host.h"

/**
 * DOC: Decoding captures
 *
 * A capture goes through four steps, a file each: decode.c reads packets from a file (text.c: digits),
 * packet.c finds TCP and UDP in them, stream.c puts the heads of TCP streams in order and
 * cuts CLC messages from them, roce.c does the same for RoCEv2. What they find goes to show.c and
 * show_rdma.c, which read messages with the module's own codec (kmod/proto); line.c prints a line for each.
 *
 * Nothing in a capture is trusted: every step checks what it reads against the bytes that were captured, and
 * all memory is bounded: the oldest stream is forgotten when there are too many. Where less was captured than was
 * sent (a snap length), the bytes there are go with the length on the wire, called whole.
 */

/** enum layer - kinds of lines, to choose from */
enum layer {
	LAYER_TCP	= 1,	/* SYN and SYN-ACK, with or without the SMC option */
	LAYER_CLC	= 2,
	LAYER_LLC	= 4,
	LAYER_CDC	= 8,
	LAYER_RDMA	= 16,	/* what else RoCEv2 carries */
	LAYER_ALL	= 31,
};

/**
 * struct packet - where a message comes from
 * @usec: time of capture, microseconds since 1970
 * @family: AF_INET or AF_INET6; 0 = no capture, time and addresses are not known
 * @src: source address, 4 or 16 bytes
 * @dst: destination address
 * @sport: TCP source port; 0 for RoCE
 * @dport: TCP destination port
 */
struct packet {
	uint64_t	usec;
	int		family;
	u8		src[16];
	u8		dst[16];
	uint16_t	sport;
	uint16_t	dport;
};

/* ---- line.c ---- */

extern unsigned int decode_layers;	/* enum layer: what is printed */

/** decode_begin() - before the first line. */
void decode_begin(void);
/** decode_end() - after the last line. Return: number of lines. */
unsigned long decode_end(void);

/* ---- show.c, show_rdma.c ---- */

/**
 * show_syn() - a SYN that offered SMC, or the answer to one
 * @p: packet
 * @is_ack: SYN-ACK
 * @has_option: with the SMC option
 * @data_len: bytes of data in it
 */
void show_syn(const struct packet *p, bool is_ack, bool has_option, size_t data_len);

/**
 * show_clc() - a CLC message
 * @p: packet
 * @buf: message, or what of a longer one is of interest
 * @len: bytes in @buf; fewer than the message says, and than are of interest: it was cut
 * @in_syn: it came with the SYN
 */
void show_clc(const struct packet *p, const u8 *buf, size_t len, bool in_syn);

/**
 * show_send() - payload of an RDMA SEND: LLC, CDC or foreign
 * @p: packet
 * @qpn: destination queue pair
 * @buf: payload
 * @len: bytes in @buf
 * @whole: bytes of the payload on the wire
 */
void show_send(const struct packet *p, u32 qpn, const u8 *buf, size_t len, size_t whole);

/**
 * struct rdma_op - one packet of another kind
 * @name: operation
 * @qpn: destination queue pair
 * @psn: packet sequence number
 * @len: bytes of data in this packet, on the wire
 * @truncated: not all of the packet was captured
 * @has_reth: @rkey, @vaddr and @total are known
 * @has_imm: @imm is known
 * @rkey: key of the memory region
 * @vaddr: address in it
 * @total: bytes of the whole operation
 * @imm: immediate data
 */
struct rdma_op {
	const char	*name;
	u32		qpn;
	u32		psn;
	size_t		len;
	bool		truncated;
	bool		has_reth;
	bool		has_imm;
	u32		rkey;
	u64		vaddr;
	u32		total;
	u32		imm;
};

/** show_rdma() - another RDMA packet. @p: packet. @op: what it is. */
void show_rdma(const struct packet *p, const struct rdma_op *op);

/* ---- packet.c ---- */

/** packet_knows() - can frames of this link type be read? @link_type: DLT_*. */
bool packet_knows(int link_type);

/**
 * packet_decode() - find SMC in a captured frame
 * @link_type: DLT_* of the capture
 * @usec: time
 * @buf: frame
 * @len: captured bytes
 */
void packet_decode(int link_type, uint64_t usec, const u8 *buf, size_t len);

/* ---- stream.c ---- */

/**
 * struct segment - a TCP segment
 * @seq: sequence number of the first byte, the SYN's own if @syn
 * @ack_seq: next byte awaited from the other side, if @ack
 * @syn: SYN flag
 * @ack: ACK flag
 * @has_option: SMC option present
 * @data: payload
 * @len: bytes of payload that were captured
 * @whole: bytes of payload on the wire
 */
struct segment {
	u32		seq;
	u32		ack_seq;
	bool		syn;
	bool		ack;
	bool		has_option;
	const u8	*data;
	size_t		len;
	size_t		whole;
};

/** stream_segment() - follow a TCP stream. @p: packet. @s: segment. */
void stream_segment(const struct packet *p, const struct segment *s);
/** stream_reset() - forget all streams. */
void stream_reset(void);

/* ---- roce.c ---- */

#define ROCE_PORT	4791

/** roce_packet() - look at a RoCEv2 packet. @p: packet. @buf: UDP payload. @len: bytes in @buf. @whole: on the wire. */
void roce_packet(const struct packet *p, const u8 *buf, size_t len, size_t whole);
/** roce_reset() - forget unfinished messages. */
void roce_reset(void);

/* ---- text.c ---- */

/**
 * decode_text() - messages as hexadecimal digits
 * @read: next character, EOF at the end
 * @arg: for @read
 *
 * Return: 0, or the number of the line that is no such text.
 */
unsigned long decode_text(int (*read)(void *arg), void *arg);

#endif
