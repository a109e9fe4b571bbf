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

static size_t ip_head(u8 *at, u8 proto, size_t payload)
{
	static const u8 ends[] = { 10, 0, 0, 2, 10, 0, 0, 1 };

	memcpy(at, eth_ipv4, sizeof(eth_ipv4));
	at += sizeof(eth_ipv4);
	memset(at, 0, 20);
	at[0] = 0x45;
	smcx_put16(at + 2, (u16)(20 + payload));
	at[9] = proto;
	memcpy(at + 12, ends, sizeof(ends));
	return sizeof(eth_ipv4) + 20;
}

static void segment(u32 seq, u8 tcp_flags, const u8 *data, size_t len)
{
	static const u8 option[] = { 254, 6, 0xE2, 0xD4, 0xC3, 0xD9, 1, 1 };
	u8 buf[512];
	size_t at = ip_head(buf, 6, 28 + len);

	memset(buf + at, 0, 20);
	smcx_put16(buf + at, 40000);
	smcx_put16(buf + at + 2, 5001);
	smcx_put32(buf + at + 4, seq);
	buf[at + 12] = 7 << 4;
	buf[at + 13] = tcp_flags;
	memcpy(buf + at + 20, option, sizeof(option));
	at += 28;
	memcpy(buf + at, data, len);
	frame(DLT_EN10MB, buf, at + len);
}

/* A stream cut in pieces, every other pair of them swapped. */
static void stream(const u8 *data, size_t len)
{
	size_t cut = 1 + take(&data, &len), pos;

	segment(999, 2, data, 0);
	for (pos = 0; pos < len; pos += 2 * cut) {
		size_t mid = pos + cut < len ? pos + cut : len;
		size_t end = mid + cut < len ? mid + cut : len;

		segment((u32)(1000 + mid), 16, data + mid, end - mid);
		segment((u32)(1000 + pos), 16, data + pos, mid - pos);
	}
}

/* One message in one SEND, or in several. */
static void sends(const u8 *data, size_t len)
{
	u32 psn = 0xFFFFFE;
	u8 buf[512];

	do {
		size_t n = len < 256 ? len : 256, pad = -n & 3, at;
		bool first = psn == 0xFFFFFE, last = n == len;

		at = ip_head(buf, 17, 8 + 12 + n + pad + 4);
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
		frame(DLT_EN10MB, buf, at + 12 + n + pad + 4);
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
		sends(data, len);
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
