// SPDX-License-Identifier: GPL-2.0
/* The middle box of wire.h. */
#define _GNU_SOURCE
#include "wire.h"
#include "selftest.h"

#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <pthread.h>
#include <sys/ioctl.h>

#define RULES 8
#define HELD 32

struct rule {
	bool out;
	enum mb_what what;
	enum mb_act act;
	int times;		/* left; negative = for ever */
};

struct midbox {
	pthread_t thread;
	pthread_mutex_t lock;	/* rules, held, log */
	int tap, packet, port, hits, n, nheld;
	volatile bool stop;
	uint8_t mac[6];
	char dev[IFNAMSIZ];
	struct rule rule[RULES];
	struct wire_pkt held[HELD];
	struct wire_pkt log[WIRE_LOG];
};

static bool matches(const struct rule *r, const struct wire_pkt *p)
{
	if (!r->times || r->out != p->out)
		return false;
	switch (r->what) {
	case MB_SYN:
		return (p->flags & (WF_SYN | WF_ACK)) == WF_SYN;
	case MB_SYNACK:
		return (p->flags & (WF_SYN | WF_ACK)) == (WF_SYN | WF_ACK);
	case MB_PROPOSAL:
		return !(p->flags & WF_SYN) && p->clc == CLC_PROPOSAL;
	case MB_ACCEPT:
		return p->clc == CLC_ACCEPT;
	case MB_CONFIRM:
		return p->clc == CLC_CONFIRM;
	case MB_DATA:
		return !(p->flags & WF_SYN) && p->len;
	case MB_RST:
		return p->flags & WF_RST;
	case MB_ALL:
		return true;
	}
	return false;
}

static void pass(struct midbox *m, const struct wire_pkt *p)
{
	ssize_t k;

	if (p->out)
		k = send(m->packet, p->frame, p->size, 0);
	else
		k = write(m->tap, p->frame, p->size);
	(void)k;	/* lost like any packet */
}

static void strip(struct wire_pkt *p)
{
	uint8_t *o = p->frame + p->l4 + 20, *end = p->frame + p->data;

	for (; o + 6 <= end; o++)
		if (o[0] == 254 && o[1] == 6) {
			memset(o, 1, 6);
			break;
		}
}

/* Eight bytes more behind the cookie; whoever sent it meant a server that likes long ones. */
static void grow_cookie(struct wire_pkt *p)
{
	uint8_t *o = p->frame + p->l4 + 20, *end = p->frame + p->data;

	while (o < end && *o != 34 && *o)
		o += *o == 1 ? 1 : o[1];
	if (o >= end || o[0] != 34 || o[1] != 10 || p->data - p->l4 > 52)
		return;
	memmove(o + 18, o + 10, p->frame + p->size - (o + 10));
	memset(o + 10, 0xa5, 8);
	o[1] = 18;
	p->frame[p->l4 + 12] += 2 << 4;
	wire_resize(p, 8);
}

static void cut(struct wire_pkt *p)
{
	wire_resize(p, -p->len);
}

/* Under the lock. */
static void handle(struct midbox *m, struct wire_pkt *p)
{
	struct rule *r = m->rule;

	while (r < m->rule + RULES && !matches(r, p))
		r++;
	if (r == m->rule + RULES) {
		pass(m, p);
		return;
	}
	m->hits++;
	if (r->times > 0)
		r->times--;
	switch (r->act) {
	case MB_DROP:
		return;
	case MB_STRIP:
		strip(p);
		break;
	case MB_CUT:
		cut(p);
		break;
	case MB_BEND:
		p->frame[p->data] ^= 0x10;
		break;
	case MB_COOKIE16:
		grow_cookie(p);
		break;
	case MB_DOUBLE:
		pass(m, p);
		break;
	case MB_HOLD:
		if (m->nheld < HELD)
			m->held[m->nheld++] = *p;
		return;
	}
	wire_checksum(p);
	pass(m, p);
}

static void *run(void *arg)
{
	struct midbox *m = arg;
	struct wire_pkt p;

	while (!m->stop) {
		struct pollfd pfd = { .fd = m->tap, .events = POLLIN };

		if (poll(&pfd, 1, 20) != 1)
			continue;
		p.size = read(m->tap, p.frame, sizeof(p.frame));
		p.us = wire_now_us();
		/* Only what the filters sent here comes from the device's own address. */
		p.out = p.size >= 14 && !memcmp(p.frame + 6, m->mac, 6);
		if (p.size < 54 || !wire_parse(&p) || p.roce ||
		    (p.sport != m->port && p.dport != m->port))
			continue;
		pthread_mutex_lock(&m->lock);
		if (m->n < WIRE_LOG)
			m->log[m->n++] = p;
		handle(m, &p);
		pthread_mutex_unlock(&m->lock);
	}
	return NULL;
}

static void open_devices(struct midbox *m)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	struct sockaddr_ll ll = { .sll_family = AF_PACKET };

	m->tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	REQUIRE(m->tap >= 0);
	strcpy(ifr.ifr_name, "mbx");
	MUST_EQ(ioctl(m->tap, TUNSETIFF, &ifr), 0);
	m->packet = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	REQUIRE(m->packet >= 0);
	memset(&ifr, 0, sizeof(ifr));
	strcpy(ifr.ifr_name, m->dev);
	MUST_EQ(ioctl(m->packet, SIOCGIFHWADDR, &ifr), 0);
	memcpy(m->mac, ifr.ifr_hwaddr.sa_data, 6);
	ll.sll_ifindex = if_nametoindex(m->dev);
	MUST_EQ(bind(m->packet, (void *)&ll, sizeof(ll)), 0);
	/* Past the filter that brought it here. */
	MUST_EQ(st_set_int(m->packet, SOL_PACKET, PACKET_QDISC_BYPASS, 1), 0);
}

/* Both directions and either port, of IPv4 and IPv6. */
static int filters(struct midbox *m)
{
	FILE *f = popen("tc -batch -", "w");

	REQUIRE(f);
	for (int i = 0; i < 8; i++) {
		const char *ip = i & 4 ? "ip6" : "ip";

		fprintf(f, "filter add dev %s %s protocol %s prio %d u32 match %s protocol 6 0xff "
			"match %s %s %d 0xffff action mirred egress redirect dev mbx\n",
			m->dev, i & 1 ? "egress" : "ingress", i & 4 ? "ipv6" : "ip", i & 4 ? 2 : 1, ip,
			ip, i & 2 ? "dport" : "sport", m->port);
	}
	return pclose(f);
}

/**
 * mb_open() - puts the middle box into the path of a port
 * @dev: device
 * @port: port of either side; of both directions
 */
struct midbox *mb_open(const char *dev, int port)
{
	struct midbox *m = calloc(1, sizeof(*m));
	char cmd[300];

	REQUIRE(m);
	m->port = port;
	snprintf(m->dev, sizeof(m->dev), "%s", dev);
	pthread_mutex_init(&m->lock, NULL);
	if (system("modprobe -a tun sch_ingress cls_u32 act_mirred 2>/dev/null"))
		st_note("modules are built in, or missing");
	open_devices(m);
	snprintf(cmd, sizeof(cmd), "ip link set mbx address %02x:%02x:%02x:%02x:%02x:%02x up && { "
		 "tc qdisc del dev %s clsact 2>/dev/null; tc qdisc add dev %s clsact; }", m->mac[0],
		 m->mac[1], m->mac[2], m->mac[3], m->mac[4], m->mac[5], dev, dev);
	MUST_EQ(system(cmd), 0);
	MUST_EQ(pthread_create(&m->thread, NULL, run, m), 0);
	MUST_EQ(filters(m), 0);
	return m;
}

/**
 * mb_rule() - what happens to some packets; the first rule that fits counts
 * @m: from mb_open()
 * @out: those this machine sends
 * @what: which
 * @act: what happens
 * @times: how often, -1 = always
 */
void mb_rule(struct midbox *m, bool out, enum mb_what what, enum mb_act act,
	     int times)
{
	struct rule *r = m->rule;

	pthread_mutex_lock(&m->lock);
	while (r < m->rule + RULES && r->times)
		r++;
	REQUIRE(r < m->rule + RULES);
	*r = (struct rule){ out, what, act, times };
	pthread_mutex_unlock(&m->lock);
}

/** mb_clear() - no rules, nothing in the log */
void mb_clear(struct midbox *m)
{
	pthread_mutex_lock(&m->lock);
	memset(m->rule, 0, sizeof(m->rule));
	m->hits = m->n = m->nheld = 0;
	pthread_mutex_unlock(&m->lock);
}

/** mb_hits() - packets to which a rule applied */
int mb_hits(struct midbox *m)
{
	return m->hits;
}

/** mb_release() - what was held back goes on, in order; no more is held */
void mb_release(struct midbox *m)
{
	pthread_mutex_lock(&m->lock);
	for (int i = 0; i < RULES; i++)
		if (m->rule[i].act == MB_HOLD)
			m->rule[i].times = 0;
	for (int i = 0; i < m->nheld; i++)
		pass(m, &m->held[i]);
	m->nheld = 0;
	pthread_mutex_unlock(&m->lock);
}

/** mb_log() - the packets seen since mb_clear(), as they came in */
const struct wire_pkt *mb_log(struct midbox *m, int *n)
{
	st_sleep_ms(st_ms(30));
	*n = m->n;
	return m->log;
}

/** mb_inject() - sends a packet again, unseen by the rules */
void mb_inject(struct midbox *m, const struct wire_pkt *p)
{
	pthread_mutex_lock(&m->lock);
	pass(m, p);
	pthread_mutex_unlock(&m->lock);
}

/** mb_close() - takes the middle box away */
void mb_close(struct midbox *m)
{
	char cmd[100];

	mb_release(m);
	snprintf(cmd, sizeof(cmd), "tc qdisc del dev %s clsact", m->dev);
	EQ(system(cmd), 0);
	m->stop = true;
	pthread_join(m->thread, NULL);
	close(m->tap);
	close(m->packet);
	free(m);
}
