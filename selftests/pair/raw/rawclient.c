// SPDX-License-Identifier: GPL-2.0
/* See rawclient.h. */
#define _GNU_SOURCE
#include "rawclient.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FIRST_PORT 20000

static int tun_open(const char *name)
{
	struct ifreq ifr = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &ifr))
		return -1;
	return fd;
}

/* The kernel resolved the address when the control channel was opened. */
static bool find_mac(struct raw_net *r)
{
	char line[200], ip[64], mac[64];
	FILE *f = fopen("/proc/net/arp", "r");
	bool found = false;

	while (f && fgets(line, sizeof(line), f)) {
		unsigned int m[6];

		if (sscanf(line, "%63s %*s %*s %63s", ip, mac) != 2 ||
		    inet_addr(ip) != r->dst.s_addr ||
		    sscanf(mac, "%x:%x:%x:%x:%x:%x", &m[0], &m[1], &m[2], &m[3],
			   &m[4], &m[5]) != 6)
			continue;
		for (int i = 0; i < 6; i++)
			r->dst_mac[i] = m[i];
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

static int packet_open(struct raw_net *r, const char *dev)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET };
	struct ifreq ifr = {};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", dev);
	r->fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_IP));
	r->arp_fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ARP));
	if (r->fd < 0 || r->arp_fd < 0 || ioctl(r->fd, SIOCGIFHWADDR, &ifr))
		return -1;
	memcpy(r->mac, ifr.ifr_hwaddr.sa_data, 6);
	r->ifindex = if_nametoindex(dev);
	ll.sll_ifindex = r->ifindex;
	ll.sll_protocol = htons(ETH_P_IP);
	if (bind(r->fd, (void *)&ll, sizeof(ll)))
		return -1;
	ll.sll_protocol = htons(ETH_P_ARP);
	if (bind(r->arp_fd, (void *)&ll, sizeof(ll)))
		return -1;
	if (!find_mac(r)) {
		errno = EHOSTUNREACH;
		return -1;
	}
	return 0;
}

/**
 * raw_open() - opens a way to send and receive IPv4 packets
 * @r: filled in
 * @dev: "tun:NAME" for a tun device, or the name of an Ethernet device
 * @src: address of the clients
 * @dst: the server
 * @dport: its port
 *
 * Return: 0 or -1 with errno.
 */
int raw_open(struct raw_net *r, const char *dev, struct in_addr src,
	     struct in_addr dst, uint16_t dport)
{
	int size = 8 << 20;

	memset(r, 0, sizeof(*r));
	r->src = src;
	r->dst = dst;
	r->dport = dport;
	r->arp_fd = -1;
	r->conn = calloc(RAW_MAX, sizeof(*r->conn));
	r->tun = !strncmp(dev, "tun:", 4);
	if (r->tun) {
		r->fd = tun_open(dev + 4);
		return r->fd < 0 ? -1 : 0;
	}
	if (packet_open(r, dev))
		return -1;
	setsockopt(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	return 0;
}

void raw_close(struct raw_net *r)
{
	close(r->fd);
	if (r->arp_fd >= 0)
		close(r->arp_fd);
	free(r->conn);
}

static uint32_t sum16(const void *p, int n, uint32_t sum)
{
	const uint8_t *b = p;

	for (int i = 0; i + 1 < n; i += 2)
		sum += b[i] << 8 | b[i + 1];
	if (n & 1)
		sum += b[n - 1] << 8;
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons(~sum);
}

static void output(struct raw_net *r, const void *pkt, int len)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_halen = 6,
				  .sll_protocol = htons(ETH_P_IP),
				  .sll_ifindex = r->ifindex };
	ssize_t k;

	memcpy(ll.sll_addr, r->dst_mac, 6);
	if (r->tun)
		k = write(r->fd, pkt, len);
	else
		k = sendto(r->fd, pkt, len, 0, (void *)&ll, sizeof(ll));
	(void)k;	/* lost like any packet */
}

static void segment(struct raw_net *r, struct raw_conn *c, int flags,
		    const void *opt, int optlen, const void *data, int n)
{
	static uint16_t id;
	uint8_t pkt[2048] = {};
	struct iphdr *ip = (void *)pkt;
	struct tcphdr *th = (void *)(pkt + sizeof(*ip));
	int tlen = sizeof(*th) + optlen + n;
	uint32_t sum;

	ip->version = 4;
	ip->ihl = 5;
	ip->tot_len = htons(sizeof(*ip) + tlen);
	ip->id = htons(id++);
	ip->ttl = 64;
	ip->protocol = IPPROTO_TCP;
	ip->saddr = r->src.s_addr;
	ip->daddr = r->dst.s_addr;
	ip->check = fold(sum16(ip, sizeof(*ip), 0));
	th->source = htons(c->port);
	th->dest = htons(r->dport);
	th->seq = htonl(c->snd);
	th->ack_seq = flags & 0x10 ? htonl(c->rcv) : 0;
	th->doff = (sizeof(*th) + optlen) / 4;
	((uint8_t *)th)[13] = flags;
	th->window = htons(60000);
	if (optlen)
		memcpy(th + 1, opt, optlen);
	if (n)
		memcpy((uint8_t *)(th + 1) + optlen, data, n);
	sum = sum16(&ip->saddr, 8, IPPROTO_TCP + tlen);
	th->check = fold(sum16(th, tlen, sum));
	output(r, pkt, sizeof(*ip) + tlen);
}

static void syn(struct raw_net *r, struct raw_conn *c, bool option)
{
	static const uint8_t opt[] = { 2, 4, 0x05, 0xb4, 1, 1, 254, 6, 0xe2, 0xd4,
				       0xc3, 0xd9 };

	segment(r, c, 0x02, opt, option ? sizeof(opt) : 4, NULL, 0);
}

/**
 * raw_connect() - starts connections and waits until they stand
 * @r: from raw_open()
 * @n: how many more
 * @option: offer SMC
 *
 * Return: how many of them stand.
 */
int raw_connect(struct raw_net *r, int n, bool option)
{
	int first = r->n, up = 0;

	for (int i = 0; i < n && r->n < RAW_MAX; i++) {
		struct raw_conn *c = &r->conn[r->n];

		memset(c, 0, sizeof(*c));
		c->port = FIRST_PORT + r->n++;
		getrandom(&c->snd, sizeof(c->snd), 0);
		syn(r, c, option);
		c->snd++;
		if (i % 16 == 15)
			raw_poll(r, 1);
	}
	for (int try = 0; try < 40; try++) {
		raw_poll(r, 50);
		up = 0;
		for (int i = first; i < r->n; i++)
			up += r->conn[i].open;
		if (up == r->n - first)
			break;
		for (int i = first; i < r->n && try % 10 == 9; i++)
			if (!r->conn[i].open) {
				r->conn[i].snd--;
				syn(r, &r->conn[i], option);
				r->conn[i].snd++;
			}
	}
	return up;
}

void raw_send(struct raw_net *r, struct raw_conn *c, const void *p, int n)
{
	segment(r, c, 0x18, NULL, 0, p, n);
	c->snd += n;
}

void raw_reset(struct raw_net *r, struct raw_conn *c)
{
	segment(r, c, 0x14, NULL, 0, NULL, 0);
	c->open = false;
}

static bool has_smc(const struct tcphdr *th)
{
	static const uint8_t want[] = { 254, 6, 0xe2, 0xd4, 0xc3, 0xd9 };
	const uint8_t *o = (const uint8_t *)(th + 1);
	int n = th->doff * 4 - sizeof(*th);

	for (int i = 0; i + 6 <= n; i++)
		if (!memcmp(o + i, want, 6))
			return true;
	return false;
}

static void input(struct raw_net *r, const uint8_t *pkt, int len)
{
	const struct iphdr *ip = (const void *)pkt;
	const struct tcphdr *th = (const void *)(pkt + ip->ihl * 4);
	struct raw_conn *c;
	int n, i;

	if (len < 40 || ip->protocol != IPPROTO_TCP ||
	    ip->daddr != r->src.s_addr || ntohs(th->source) != r->dport)
		return;
	i = ntohs(th->dest) - FIRST_PORT;
	if (i < 0 || i >= r->n)
		return;
	c = &r->conn[i];
	n = ntohs(ip->tot_len) - ip->ihl * 4 - th->doff * 4;
	if (th->rst) {
		c->gone = true;
		return;
	}
	if (th->syn && th->ack) {
		c->rcv = ntohl(th->seq) + 1;
		c->smc = has_smc(th);
		c->open = true;
		segment(r, c, 0x10, NULL, 0, NULL, 0);
		return;
	}
	if (!c->open || ntohl(th->seq) != c->rcv || (!n && !th->fin))
		return;
	for (int k = 0; k < n; k++, c->got++)
		if (c->got < sizeof(c->first))
			c->first[c->got] = ((const uint8_t *)th)[th->doff * 4 + k];
	c->rcv += n + th->fin;
	c->gone |= th->fin;
	segment(r, c, 0x10, NULL, 0, NULL, 0);
}

/* Nobody else answers for the address of the clients. */
static void answer_arp(struct raw_net *r)
{
	struct {
		struct arphdr h;
		uint8_t smac[6], sip[4], tmac[6], tip[4];
	} __attribute__((packed)) a;
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_halen = 6,
				  .sll_protocol = htons(ETH_P_ARP),
				  .sll_ifindex = r->ifindex };

	while (recv(r->arp_fd, &a, sizeof(a), MSG_DONTWAIT) >= (int)sizeof(a)) {
		if (a.h.ar_op != htons(ARPOP_REQUEST) ||
		    memcmp(a.tip, &r->src, 4))
			continue;
		a.h.ar_op = htons(ARPOP_REPLY);
		memcpy(a.tmac, a.smac, 6);
		memcpy(a.tip, a.sip, 4);
		memcpy(a.smac, r->mac, 6);
		memcpy(a.sip, &r->src, 4);
		memcpy(ll.sll_addr, a.tmac, 6);
		sendto(r->arp_fd, &a, sizeof(a), 0, (void *)&ll, sizeof(ll));
	}
}

/** raw_poll() - handles what comes for at least @ms milliseconds */
void raw_poll(struct raw_net *r, int ms)
{
	struct pollfd p[2] = { { r->fd, POLLIN, 0 }, { r->arp_fd, POLLIN, 0 } };
	struct timespec a, b;
	uint8_t pkt[4096];

	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		if (poll(p, r->arp_fd < 0 ? 1 : 2, 1) > 0) {
			if (p[0].revents) {
				int n = read(r->fd, pkt, sizeof(pkt));

				if (n > 0)
					input(r, pkt, n);
			}
			if (r->arp_fd >= 0 && p[1].revents)
				answer_arp(r);
		}
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

/**
 * raw_proposal() - a correct version 2 Proposal (protocol.rst 2.3)
 * @r: whose address and MAC to offer
 * @buf: room for 160 bytes
 *
 * Return: its length.
 */
int raw_proposal(struct raw_net *r, uint8_t *buf)
{
	static const uint8_t eye[] = { 0xe2, 0xd4, 0xc3, 0xd9 };
	uint8_t *v2 = buf + 80;
	int len = 80 + 40 + 32 + 4;

	memset(buf, 0, len);
	memcpy(buf, eye, 4);
	buf[4] = 1;
	put16(buf + 5, len);
	buf[7] = 0x22;
	buf[8] = 0x12;
	buf[9] = 0x34;
	memcpy(buf + 10, r->mac, 6);
	memcpy(buf + 32, r->mac, 6);
	put16(buf + 50, 28);
	v2[0] = 1;
	v2[3] = 0x10;
	v2[18] = v2[19] = 0xff;
	memcpy(v2 + 20, &r->src, 4);
	v2[24] = 255;
	v2[25] = 1;
	memset(v2 + 40, ' ', 32);
	memcpy(v2 + 40, RAW_EID, sizeof(RAW_EID) - 1);
	memcpy(buf + len - 4, eye, 4);
	return len;
}
