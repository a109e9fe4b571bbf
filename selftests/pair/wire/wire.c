// SPDX-License-Identifier: GPL-2.0
/* Packets taken apart, and the recorder of wire.h. */
#define _GNU_SOURCE
#include "wire.h"
#include "selftest.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <time.h>

#define ROCE_PORT 4791

static const uint8_t eye[] = { 0xe2, 0xd4, 0xc3, 0xd9 };

uint64_t wire_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000ull + ts.tv_nsec / 1000;
}

static void parse_options(struct wire_pkt *p)
{
	const uint8_t *o = p->frame + p->l4 + 20, *end = p->frame + p->data;

	while (o < end && *o) {
		if (*o == 1) {
			o++;
			continue;
		}
		if (o + 2 > end || o[1] < 2 || o + o[1] > end)
			return;
		if (o[0] == 254 && o[1] == 6 && !memcmp(o + 2, eye, 4))
			p->smc = true;
		if (o[0] == 34)
			p->cookie = o[1] - 2;
		o += o[1];
	}
}

static bool parse_tcp(struct wire_pkt *p, int end)
{
	const struct tcphdr *th = (const void *)(p->frame + p->l4);

	if (p->l4 + 20 > end)
		return false;
	p->sport = ntohs(th->source);
	p->dport = ntohs(th->dest);
	p->seq = ntohl(th->seq);
	p->ack = ntohl(th->ack_seq);
	p->flags = p->frame[p->l4 + 13];
	p->data = p->l4 + th->doff * 4;
	if (p->data > end)
		return false;
	p->len = end - p->data;
	parse_options(p);
	if (p->len >= 5 && !memcmp(p->frame + p->data, eye, 4) &&
	    p->frame[p->data + 4] <= CLC_DECLINE)
		p->clc = p->frame[p->data + 4];
	return true;
}

/**
 * wire_parse() - takes a frame apart
 * @p: frame and size are given, the rest is filled in
 *
 * Return: true if it is TCP or RoCE, over IPv4 or IPv6.
 */
bool wire_parse(struct wire_pkt *p)
{
	int type = p->frame[12] << 8 | p->frame[13], proto, end;

	p->smc = p->roce = false;
	p->cookie = -1;
	p->len = 0;
	p->clc = CLC_NONE;
	if (type == ETH_P_IP && p->size >= 34) {
		const struct iphdr *ip = (const void *)(p->frame + 14);

		p->l4 = 14 + ip->ihl * 4;
		proto = ip->protocol;
		end = 14 + ntohs(ip->tot_len);
	} else if (type == ETH_P_IPV6 && p->size >= 54) {
		const struct ip6_hdr *ip6 = (const void *)(p->frame + 14);

		p->l4 = 54;
		proto = ip6->ip6_nxt;
		end = 54 + ntohs(ip6->ip6_plen);
	} else {
		return false;
	}
	if (end > p->size)
		end = p->size;
	if (proto == IPPROTO_TCP)
		return parse_tcp(p, end);
	if (proto != IPPROTO_UDP || p->l4 + 8 > end)
		return false;
	p->dport = p->frame[p->l4 + 2] << 8 | p->frame[p->l4 + 3];
	p->roce = p->dport == ROCE_PORT;
	return p->roce;
}

/** wire_is() - a TCP packet in that direction whose SYN, ACK, RST and FIN are as in @flags */
bool wire_is(const struct wire_pkt *p, bool out, int flags)
{
	const int mask = WF_SYN | WF_ACK | WF_RST | WF_FIN;

	return !p->roce && p->out == out && (p->flags & mask) == (flags & mask);
}

/** wire_has_proposal() - is there a Proposal anywhere in the payload? */
bool wire_has_proposal(const struct wire_pkt *p)
{
	uint8_t want[5] = { 0xe2, 0xd4, 0xc3, 0xd9, CLC_PROPOSAL };

	return p->len && memmem(p->frame + p->data, p->len, want, sizeof(want));
}

static uint32_t sum16(const uint8_t *b, int n, uint32_t sum)
{
	for (int i = 0; i + 1 < n; i += 2)
		sum += b[i] << 8 | b[i + 1];
	return n & 1 ? sum + (b[n - 1] << 8) : sum;
}

static void put_sum(uint8_t *at, uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	at[0] = ~sum >> 8;
	at[1] = ~sum;
}

static bool is_v6(const struct wire_pkt *p)
{
	return p->frame[12] == ETH_P_IPV6 >> 8 && p->frame[13] == (ETH_P_IPV6 & 0xff);
}

/** wire_resize() - a packet, and the length in its IP header, grow by @by bytes; the checksums are wrong then */
void wire_resize(struct wire_pkt *p, int by)
{
	uint8_t *at = p->frame + (is_v6(p) ? 18 : 16);
	int len = (at[0] << 8 | at[1]) + by;

	at[0] = len >> 8;
	at[1] = len;
	p->size += by;
}

/** wire_checksum() - makes the checksums of a TCP packet right again */
void wire_checksum(struct wire_pkt *p)
{
	uint8_t *ip = p->frame + 14, *th = p->frame + p->l4;
	uint32_t sum;
	int tlen;

	if (is_v6(p)) {
		tlen = ip[4] << 8 | ip[5];
		sum = sum16(ip + 8, 32, IPPROTO_TCP + tlen);
	} else {
		int ihl = (ip[0] & 15) * 4;

		tlen = (ip[2] << 8 | ip[3]) - ihl;
		memset(ip + 10, 0, 2);
		put_sum(ip + 10, sum16(ip, ihl, 0));
		sum = sum16(ip + 12, 8, IPPROTO_TCP + tlen);
	}
	memset(th + 16, 0, 2);
	put_sum(th + 16, sum16(th, tlen, sum));
}

/** wire_show() - prints packets as diagnostics */
void wire_show(const struct wire_pkt *p, int n)
{
	static const char *const clc[] = { "", " Proposal", " Accept", " Confirm", " Decline" };
	uint64_t t0 = n ? p->us : 0;

	for (int i = 0; i < n && i < 40; i++, p++) {
		if (p->roce) {
			st_note("%8.1f ms %s RoCE", (p->us - t0) / 1000.0, p->out ? "->" : "<-");
			continue;
		}
		st_note("%8.1f ms %s %u>%u %s%s%s%s%s seq %08x ack %08x len %d%s%s",
			(p->us - t0) / 1000.0, p->out ? "->" : "<-", p->sport, p->dport,
			p->flags & WF_SYN ? "S" : "", p->flags & WF_ACK ? "." : "",
			p->flags & WF_FIN ? "F" : "", p->flags & WF_RST ? "R" : "",
			p->flags & WF_PSH ? "P" : "", p->seq, p->ack, p->len,
			p->smc ? " smc" : "", clc[p->clc]);
	}
}

struct wire_tap {
	pthread_t thread;
	int fd, port, n;
	volatile bool stop;
	struct wire_pkt pkt[WIRE_LOG];
};

static void *record(void *arg)
{
	struct wire_tap *t = arg;

	while (!t->stop && t->n < WIRE_LOG) {
		struct wire_pkt *p = &t->pkt[t->n];
		struct sockaddr_ll ll;
		struct iovec iov = { p->frame, sizeof(p->frame) };
		char ctl[256];
		struct msghdr msg = { &ll, sizeof(ll), &iov, 1, ctl, sizeof(ctl), 0 };
		struct pollfd pfd = { .fd = t->fd, .events = POLLIN };
		struct timespec *ts = NULL;

		if (poll(&pfd, 1, 20) != 1)
			continue;
		p->size = recvmsg(t->fd, &msg, 0);
		if (p->size < 34)
			continue;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
			if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
				ts = (void *)CMSG_DATA(c);
		p->us = ts ? ts->tv_sec * 1000000ull + ts->tv_nsec / 1000 : wire_now_us();
		p->out = ll.sll_pkttype == PACKET_OUTGOING;
		if (wire_parse(p) && (p->roce || p->sport == t->port || p->dport == t->port))
			t->n++;
	}
	return NULL;
}

/**
 * wire_tap_start() - records the packets of a TCP port, and RoCE
 * @dev: device
 * @port: port of either side
 */
struct wire_tap *wire_tap_start(const char *dev, int port)
{
	struct wire_tap *t = calloc(1, sizeof(*t));
	struct sockaddr_ll ll = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = if_nametoindex(dev) };
	int size = 8 << 20;

	REQUIRE(t);
	t->port = port;
	t->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	REQUIRE(t->fd >= 0);
	setsockopt(t->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	MUST_EQ(st_set_int(t->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1), 0);
	MUST_EQ(bind(t->fd, (void *)&ll, sizeof(ll)), 0);
	MUST_EQ(pthread_create(&t->thread, NULL, record, t), 0);
	return t;
}

/** wire_tap_stop() - ends the recording; the packets stay */
const struct wire_pkt *wire_tap_stop(struct wire_tap *t, int *n)
{
	st_sleep_ms(st_ms(30));
	t->stop = true;
	pthread_join(t->thread, NULL);
	close(t->fd);
	*n = t->n;
	return t->pkt;
}

/**
 * wire_trips() - round trips by the packets
 * @p: packets of a recorder on the client
 * @n: how many
 * @from: begin, us
 * @to: end, us
 * @way_us: what the delaying qdisc adds on each machine
 *
 * A packet can be caused only by one that passed the recorder at least one delay before: what arrives
 * was sent that long after our packet was on the line, and what we send waits as long
 * before it is. Each arrival that an earlier packet of ours may have caused is one
 * round trip more than that packet. A busy machine makes packets late, not early, so it
 * can add to the count only what is later by a whole round trip.
 *
 * Return: the most round trips of anything that arrived by the end.
 */
int wire_trips(const struct wire_pkt *p, int n, uint64_t from, uint64_t to,
	       int way_us)
{
	int trips[2][WIRE_LOG] = {}, most = 0;
	uint64_t early = way_us - way_us / 25;

	for (int i = 0; i < n; i++) {
		bool out = p[i].out;

		if (p[i].us < from || p[i].us > to + early)
			continue;
		for (int k = 0; k < i; k++)
			if (p[k].us >= from && p[k].out != out && p[k].us + early <= p[i].us &&
			    trips[p[k].out][k] > trips[out][i])
				trips[out][i] = trips[p[k].out][k];
		if (out)
			continue;
		trips[0][i]++;
		if (p[i].us <= to && trips[0][i] > most)
			most = trips[0][i];
	}
	return most;
}
