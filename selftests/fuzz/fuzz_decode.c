// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * smcx decode: bytes as frames of a capture, as messages in one, and as text. The first byte of the input says which.
 * Nothing but printable characters may come out, and as JSON no line may break the form.
 */
#include <pcap/dlt.h>

#include "decode.h"
#include "fuzz.h"
#include "out.h"
#include "wire.h"

static const u8 eth_ipv4[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0 };

int LLVMFuzzerInitialize(int *argc, char ***argv);

static char *printed;
static size_t printed_len;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	stdout = open_memstream(&printed, &printed_len);
	return !stdout;
}

/* Each in memory of its own, so that reading too far is found. */
static void frame(int link_type, const u8 *data, size_t len)
{
	static uint64_t now;
	u8 *copy = malloc(len ? len : 1);

	if (len)
		memcpy(copy, data, len);
	packet_decode(link_type, now++, copy, len);
	free(copy);
}

static void frames(int link_type, const u8 *data, size_t len)
{
	while (len) {
		size_t n = take(&data, &len);

		n = n < len ? n : len;
		frame(link_type, data, n);
		data += n;
		len -= n;
	}
}

static size_t ip_head(u8 *at, u8 proto, size_t payload, bool back)
{
	static const u8 ends[] = { 10, 0, 0, 2, 10, 0, 0, 1, 10, 0, 0, 2 };

	memcpy(at, eth_ipv4, sizeof(eth_ipv4));
	at += sizeof(eth_ipv4);
	memset(at, 0, 20);
	at[0] = 0x45;
	smcx_put16(at + 2, (u16)(20 + payload));
	at[9] = proto;
	memcpy(at + 12, ends + (back ? 4 : 0), 8);
	return sizeof(eth_ipv4) + 20;
}

/* What a segment is, as a byte of the input says it; the upper two bits are the connection. */
enum {
	SYN	= 0x01,
	ACK	= 0x02,
	OPTION	= 0x04,
	BACK	= 0x08,
	REFUSE	= 0x10,	/* acknowledge no more than the SYN */
	SNAP	= 0x20,	/* captured up to the middle of the data */
};

/* One end of a connection. */
struct end {
	u32	syn;
	u32	next;
};

static void segment(u8 how, const struct end *from, u32 ack, const u8 *data, size_t len)
{
	static const u8 option[] = { 254, 6, 0xE2, 0xD4, 0xC3, 0xD9, 1, 1 };
	bool back = how & BACK;
	u8 buf[512];
	size_t at = ip_head(buf, 6, 28 + len, back);

	memset(buf + at, 0, 20);
	/* the connections are in one bucket */
	smcx_put16(buf + at + (back ? 2 : 0), 40000 ^ how >> 6);
	smcx_put16(buf + at + (back ? 0 : 2), 5001 ^ how >> 6);
	smcx_put32(buf + at + 4, how & SYN ? from->syn : from->next);
	smcx_put32(buf + at + 8, ack);
	buf[at + 12] = 7 << 4;
	buf[at + 13] = (how & SYN ? 2 : 0) | (how & ACK ? 16 : 0);
	memset(buf + at + 20, 1, sizeof(option));
	if (how & OPTION)
		memcpy(buf + at + 20, option, sizeof(option));
	at += 28;
	memcpy(buf + at, data, len);
	frame(DLT_EN10MB, buf, at + (how & SNAP ? len / 2 : len));
}

/* Segments of four connections, both ways: kind, how far from the last one, length, data. */
static void stream(const u8 *data, size_t len)
{
	struct end ends[4][2];
	size_t i;

	for (i = 0; i < 8; i++)
		ends[i / 2][i % 2] = (struct end){ 999, 1000 };
	while (len) {
		u8 how = take(&data, &len);
		struct end *from = &ends[how >> 6][how & BACK ? 1 : 0];
		const struct end *to = &ends[how >> 6][how & BACK ? 0 : 1];
		int8_t shift = (int8_t)take(&data, &len);
		size_t n = take(&data, &len);

		n = n < len ? n : len;
		from->next = how & SYN ? from->syn + 1 : from->next + (u32)shift;
		segment(how, from, how & REFUSE ? to->syn + 1 : to->next, data, n);
		from->next += (u32)n;
		data += n;
		len -= n;
	}
}

/* One message in one SEND, or in several. @snap: bytes of each that were not captured, 15 at most. */
static void sends(const u8 *data, size_t len, size_t snap)
{
	u32 psn = 0xFFFFFE;
	u8 buf[512];

	do {
		size_t n = len < 256 ? len : 256, pad = -n & 3, at;
		bool first = psn == 0xFFFFFE, last = n == len;

		at = ip_head(buf, 17, 8 + 12 + n + pad + 4, false);
		memset(buf + at, 0, sizeof(buf) - at);
		smcx_put16(buf + at + 2, ROCE_PORT);
		smcx_put16(buf + at + 4, (u16)(8 + 12 + n + pad + 4));
		at += 8;
		buf[at] = first && last ? 4 : first ? 0 : last ? 2 : 1;
		buf[at + 1] = (u8)(pad << 4);
		smcx_put24(buf + at + 9, psn);
		psn = (psn + 1) & 0xFFFFFF;
		if (n)
			memcpy(buf + at + 12, data, n);
		frame(DLT_EN10MB, buf, at + 12 + n + pad + 4 - snap);
		data += n;
		len -= n;
	} while (len);
}

struct text {
	const u8	*at;
	size_t		len;
};

static int next(void *arg)
{
	struct text *t = arg;

	return t->len ? take(&t->at, &t->len) : EOF;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	static const int links[] = { DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_RAW, DLT_NULL };
	u8 kind = take(&data, &len);
	struct text t = { data, len };
	size_t i;

	rewind(stdout);
	out_json = kind & 0x80;
	decode_begin();
	switch (kind & 7) {
	case 0:
		stream(data, len);
		break;
	case 1:
		sends(data, len, kind >> 3 & 15);
		break;
	case 2:
		decode_text(next, &t);
		break;
	default:
		frames(links[(kind & 7) - 3], data, len);
	}
	decode_end();
	stream_reset();
	roce_reset();
	fflush(stdout);
	for (i = 0; i < printed_len; i++)
		MUST(printed[i] == '\n' || (printed[i] >= ' ' && printed[i] <= '~'));
	return 0;
}
