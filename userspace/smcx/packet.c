// SPDX-License-Identifier: GPL-2.0
/* Captured frames: link layer, VLAN, IP, TCP and UDP. See decode.h. */
#include <pcap/dlt.h>
#include <string.h>
#include <sys/socket.h>

#include "decode.h"
#include "wire.h"

#define ETH_IPV4	0x0800
#define ETH_IPV6	0x86DD
#define ETH_VLAN	0x8100
#define ETH_QINQ	0x88A8

#define PROTO_TCP	6
#define PROTO_UDP	17

#define TCP_SYN		0x02
#define TCP_ACK		0x10
#define OPT_END		0
#define OPT_NOP		1
#define OPT_EXP		254	/* experimental, RFC 6994 */
#define OPT_SMC		0xE2D4C3D9

/* A range of captured bytes, and how many there were on the wire; cut() moves its start. */
struct view {
	const u8	*at;
	size_t		len;
	size_t		whole;	/* @len or more */
};

static bool cut(struct view *v, size_t n)
{
	if (n > v->len)
		return false;
	v->at += n;
	v->len -= n;
	v->whole -= n;
	return true;
}

/* Snap lengths shorten, paddings lengthen: there were @n bytes, a header says. */
static void limit(struct view *v, size_t n)
{
	v->whole = n;
	if (v->len > n)
		v->len = n;
}

static bool has_smc_option(const u8 *opt, size_t len)
{
	while (len && opt[0] != OPT_END) {
		size_t n = 1;

		if (opt[0] != OPT_NOP) {
			if (len < 2 || opt[1] < 2 || opt[1] > len)
				return false;
			n = opt[1];
			if (opt[0] == OPT_EXP && n >= 6 && smcx_get32(opt + 2) == OPT_SMC)
				return true;
		}
		opt += n;
		len -= n;
	}
	return false;
}

static void tcp(struct packet *p, struct view v)
{
	struct segment s = { 0 };
	const u8 *head = v.at;
	size_t head_len;

	if (v.len < 20)
		return;
	head_len = (size_t)(head[12] >> 4) * 4;
	if (head_len < 20 || !cut(&v, head_len))
		return;
	p->sport = smcx_get16(head);
	p->dport = smcx_get16(head + 2);
	s.seq = smcx_get32(head + 4);
	s.ack_seq = smcx_get32(head + 8);
	s.syn = head[13] & TCP_SYN;
	s.ack = head[13] & TCP_ACK;
	s.has_option = has_smc_option(head + 20, head_len - 20);
	s.data = v.at;
	s.len = v.len;
	s.whole = v.whole;
	stream_segment(p, &s);
}

static void udp(struct packet *p, struct view v)
{
	const u8 *head = v.at;

	if (!cut(&v, 8) || smcx_get16(head + 2) != ROCE_PORT || smcx_get16(head + 4) < 8)
		return;
	limit(&v, smcx_get16(head + 4) - 8);
	roce_packet(p, v.at, v.len, v.whole);
}

static void transport(struct packet *p, u8 proto, struct view v)
{
	if (proto == PROTO_TCP)
		tcp(p, v);
	else if (proto == PROTO_UDP)
		udp(p, v);
}

static void ipv4(struct packet *p, struct view v)
{
	const u8 *head = v.at;
	size_t head_len, total;

	if (v.len < 20 || head[0] >> 4 != 4)
		return;
	head_len = (size_t)(head[0] & 15) * 4;
	total = smcx_get16(head + 2);
	/* segmentation offload leaves 0 here in captures of the sender */
	if (total)
		limit(&v, total);
	/* a fragment that is not the first, or not the only one */
	if (smcx_get16(head + 6) & 0x3FFF)
		return;
	if (head_len < 20 || !cut(&v, head_len))
		return;
	p->family = AF_INET;
	memcpy(p->src, head + 12, 4);
	memcpy(p->dst, head + 16, 4);
	transport(p, head[9], v);
}

static void ipv6(struct packet *p, struct view v)
{
	const u8 *head = v.at;
	size_t total;
	u8 next;

	if (!cut(&v, 40) || head[0] >> 4 != 6)
		return;
	total = smcx_get16(head + 4);
	if (total)
		limit(&v, total);
	p->family = AF_INET6;
	memcpy(p->src, head + 8, 16);
	memcpy(p->dst, head + 24, 16);
	next = head[6];
	/* hop-by-hop, routing, destination options */
	while (next == 0 || next == 43 || next == 60) {
		const u8 *ext = v.at;

		if (v.len < 8 || !cut(&v, (size_t)ext[1] * 8 + 8))
			return;
		next = ext[0];
	}
	transport(p, next, v);
}

static void ip(struct packet *p, struct view v)
{
	if (v.len && v.at[0] >> 4 == 4)
		ipv4(p, v);
	else if (v.len && v.at[0] >> 4 == 6)
		ipv6(p, v);
}

static void ethertype(struct packet *p, u16 type, struct view v)
{
	int tags = 4;

	while ((type == ETH_VLAN || type == ETH_QINQ) && tags--) {
		const u8 *tag = v.at;

		if (!cut(&v, 4))
			return;
		type = smcx_get16(tag + 2);
	}
	if (type == ETH_IPV4 || type == ETH_IPV6)
		ip(p, v);
}

/* Bytes before the payload, and where among them the Ethernet type stands (-1: IP follows). */
static const struct link {
	int	type;
	int	len;
	int	ethertype;
} links[] = {
	{ DLT_EN10MB, 14, 12 },
	{ DLT_LINUX_SLL, 16, 14 },
	{ DLT_LINUX_SLL2, 20, 0 },
	{ DLT_RAW, 0, -1 },
	{ DLT_IPV4, 0, -1 },
	{ DLT_IPV6, 0, -1 },
	{ DLT_NULL, 4, -1 },
	{ DLT_LOOP, 4, -1 },
};

static const struct link *find_link(int type)
{
	size_t i;

	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (links[i].type == type)
			return &links[i];
	return NULL;
}

bool packet_knows(int link_type)
{
	return find_link(link_type) != NULL;
}

void packet_decode(int link_type, uint64_t usec, const u8 *buf, size_t len)
{
	const struct link *link = find_link(link_type);
	struct packet p = { .usec = usec };
	struct view v = { buf, len, len };

	if (!link || !cut(&v, link->len))
		return;
	if (link->ethertype < 0)
		ip(&p, v);
	else
		ethertype(&p, smcx_get16(buf + link->ethertype), v);
}
