// SPDX-License-Identifier: GPL-2.0
/* RoCEv2 packets: base transport header, messages of several packets. See decode.h. */
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "llc.h"
#include "wire.h"

#define BTH_LEN		12
#define RETH_LEN	16
#define IMM_LEN		4
#define AETH_LEN	4
#define ICRC_LEN	4
#define MESSAGES	64	/* being put together at a time */

enum { F_SEND = 1, F_FIRST = 2, F_LAST = 4, F_RETH = 8, F_IMM = 16, F_AETH = 32, F_QUIET = 64 };
#define F_ONLY	(F_FIRST | F_LAST)

/* Operations of reliable connections; numbers and extension headers are the IBTA's. */
static const struct opcode {
	const char	*name;
	unsigned int	flags;
} opcodes[] = {
	[0x00] = { "SEND_FIRST", F_SEND | F_FIRST },
	[0x01] = { "SEND_MIDDLE", F_SEND },
	[0x02] = { "SEND_LAST", F_SEND | F_LAST },
	[0x03] = { "SEND_LAST_IMM", F_SEND | F_LAST | F_IMM },
	[0x04] = { "SEND_ONLY", F_SEND | F_ONLY },
	[0x05] = { "SEND_ONLY_IMM", F_SEND | F_ONLY | F_IMM },
	[0x06] = { "WRITE_FIRST", F_FIRST | F_RETH },
	[0x07] = { "WRITE_MIDDLE", 0 },
	[0x08] = { "WRITE_LAST", F_LAST },
	[0x09] = { "WRITE_LAST_IMM", F_LAST | F_IMM },
	[0x0A] = { "WRITE_ONLY", F_ONLY | F_RETH },
	[0x0B] = { "WRITE_ONLY_IMM", F_ONLY | F_RETH | F_IMM },
	[0x0C] = { "READ_REQUEST", F_ONLY | F_RETH },
	[0x0D] = { "READ_RESPONSE_FIRST", F_FIRST | F_AETH },
	[0x0E] = { "READ_RESPONSE_MIDDLE", 0 },
	[0x0F] = { "READ_RESPONSE_LAST", F_LAST | F_AETH },
	[0x10] = { "READ_RESPONSE_ONLY", F_ONLY | F_AETH },
	[0x11] = { "ACKNOWLEDGE", F_QUIET },
};

/* A SEND of several packets; LLC messages of version 2 may need it. */
struct message {
	bool		used;
	struct packet	from;
	u32		qpn;
	u32		next_psn;
	size_t		len;	/* of them captured, from the first on */
	size_t		whole;
	u8		buf[SMCX_LLC_LEN_MAX];
};

static struct message *messages;
static unsigned int oldest;

void roce_reset(void)
{
	free(messages);
	messages = NULL;
	oldest = 0;
}

static struct message *find(const struct packet *p, u32 qpn)
{
	unsigned int i;

	for (i = 0; messages && i < MESSAGES; i++) {
		struct message *m = &messages[i];

		if (m->used && m->qpn == qpn && m->from.family == p->family &&
		    !memcmp(m->from.src, p->src, sizeof(p->src)) &&
		    !memcmp(m->from.dst, p->dst, sizeof(p->dst)))
			return m;
	}
	return NULL;
}

static struct message *start(const struct packet *p, u32 qpn)
{
	struct message *m = find(p, qpn);

	if (!messages)
		messages = calloc(MESSAGES, sizeof(*messages));
	if (!messages)
		return NULL;
	if (!m)
		m = &messages[oldest++ % MESSAGES];
	m->used = true;
	m->from = *p;
	m->qpn = qpn;
	m->len = 0;
	m->whole = 0;
	return m;
}

/* Returns false if the message is longer than any. */
static bool append(struct message *m, const u8 *buf, size_t len, size_t whole)
{
	if (whole > sizeof(m->buf) - m->whole)
		return false;
	/* behind bytes that were not captured, no others can be read */
	if (m->len == m->whole) {
		memcpy(m->buf + m->len, buf, len);
		m->len += len;
	}
	m->whole += whole;
	return true;
}

/*
 * A packet that is not the next one is passed over: it is a repetition, or follows a lost one, and then comes again
 * behind that. The message stays open until the next packet comes or another message begins.
 */
static void send(const struct packet *p, unsigned int flags, const struct rdma_op *op,
		 const u8 *buf, size_t len)
{
	struct message *m;

	if ((flags & F_ONLY) == F_ONLY) {
		show_send(p, op->qpn, buf, len, op->len);
		return;
	}
	m = flags & F_FIRST ? start(p, op->qpn) : find(p, op->qpn);
	if (!m)
		return;
	if (!(flags & F_FIRST) && m->next_psn != op->psn)
		return;
	if (!append(m, buf, len, op->len)) {
		m->used = false;
		return;
	}
	m->next_psn = (op->psn + 1) & 0xFFFFFF;
	if (!(flags & F_LAST))
		return;
	m->used = false;
	show_send(p, op->qpn, m->buf, m->len, m->whole);
}

/* Extension headers; false if the packet is too short for them. What of them was not captured is not known. */
static bool extensions(unsigned int flags, struct rdma_op *op, const u8 **buf, size_t *len)
{
	size_t need = (flags & F_RETH ? RETH_LEN : 0) + (flags & F_IMM ? IMM_LEN : 0) +
		      (flags & F_AETH ? AETH_LEN : 0);
	const u8 *at = *buf;

	if (need > op->len)
		return false;
	op->len -= need;
	if (need > *len) {
		*len = 0;
		return true;
	}
	if (flags & F_RETH) {
		op->has_reth = true;
		op->vaddr = smcx_get64(at);
		op->rkey = smcx_get32(at + 8);
		op->total = smcx_get32(at + 12);
		at += RETH_LEN;
	}
	if (flags & F_IMM) {
		op->has_imm = true;
		op->imm = smcx_get32(at);
	}
	*buf += need;
	*len -= need;
	return true;
}

void roce_packet(const struct packet *p, const u8 *buf, size_t len, size_t whole)
{
	const struct opcode *code;
	struct rdma_op op = { 0 };
	size_t trail;
	u8 number;

	if (len < BTH_LEN || whole < BTH_LEN + ICRC_LEN)
		return;
	number = buf[0];
	/* padding to four bytes, its length is in the header */
	trail = ICRC_LEN + ((buf[1] >> 4) & 3);
	op.qpn = smcx_get24(buf + 5);
	op.psn = smcx_get24(buf + 9);
	buf += BTH_LEN;
	len -= BTH_LEN;
	whole -= BTH_LEN;
	if (trail > whole)
		return;
	op.len = whole - trail;
	op.truncated = len < op.len;
	if (!op.truncated)
		len = op.len;
	if (number >= sizeof(opcodes) / sizeof(opcodes[0]) || !opcodes[number].name)
		return;
	code = &opcodes[number];
	op.name = code->name;
	if (code->flags & F_QUIET || !extensions(code->flags, &op, &buf, &len))
		return;
	if (code->flags & F_SEND)
		send(p, code->flags, &op, buf, len);
	else
		show_rdma(p, &op);
}
