/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire.h - what travels between two machines: a passive recorder, and a
 * middle box that loses, strips, doubles, holds back and replays TCP packets
 * by rule. Both keep the packets they saw, taken apart.
 *
 * The middle box sits on this machine's device: filters of the traffic control
 * hand every packet of one port to a tap device, and what is let through goes
 * out of a packet socket or comes in by the tap. It needs sch_ingress, cls_u32,
 * act_mirred and tun, nothing of netfilter.
 */
#ifndef WIRE_H
#define WIRE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define WIRE_FRAME 1600
#define WIRE_LOG 4096		/* packets kept */

#define WF_FIN 0x01
#define WF_SYN 0x02
#define WF_RST 0x04
#define WF_PSH 0x08
#define WF_ACK 0x10

/* CLC messages a segment may begin with (RFC 7609, appendix A). */
enum wire_clc { CLC_NONE, CLC_PROPOSAL, CLC_ACCEPT, CLC_CONFIRM, CLC_DECLINE };

/**
 * struct wire_pkt - one packet
 * @us: when, CLOCK_REALTIME
 * @out: this machine sent it
 * @roce: UDP to port 4791; nothing of TCP below is set
 * @sport: source port, host order
 * @dport: destination port, host order
 * @seq: sequence number
 * @ack: acknowledgement
 * @flags: WF_*
 * @smc: has the SMC option
 * @cookie: length of a Fast Open cookie, -1 = no such option
 * @len: bytes of payload
 * @clc: CLC message it begins with
 * @l4: offset of the TCP header in @frame
 * @data: offset of the payload in @frame
 * @size: of @frame
 * @frame: the packet from the Ethernet header on
 */
struct wire_pkt {
	uint64_t us;
	bool out, roce;
	uint16_t sport, dport;
	uint32_t seq, ack;
	uint8_t flags;
	bool smc;
	int cookie;
	int len;
	enum wire_clc clc;
	int l4, data, size;
	uint8_t frame[WIRE_FRAME];
};

uint64_t wire_now_us(void);
bool wire_parse(struct wire_pkt *p);
bool wire_is(const struct wire_pkt *p, bool out, int flags);
void wire_resize(struct wire_pkt *p, int by);
void wire_checksum(struct wire_pkt *p);
bool wire_has_proposal(const struct wire_pkt *p);
void wire_show(const struct wire_pkt *p, int n);

/* The recorder. */
struct wire_tap;

struct wire_tap *wire_tap_start(const char *dev, int port);
const struct wire_pkt *wire_tap_stop(struct wire_tap *t, int *n);
int wire_trips(const struct wire_pkt *p, int n, uint64_t from, uint64_t to,
	       int way_us);

/* The middle box. */
enum mb_what {
	MB_SYN,			/* SYN without ACK */
	MB_SYNACK,
	MB_PROPOSAL,		/* a segment that begins with it, not a SYN */
	MB_ACCEPT,
	MB_CONFIRM,
	MB_DATA,		/* any payload behind the SYN */
	MB_RST,
	MB_ALL,
};

enum mb_act {
	MB_DROP,
	MB_STRIP,		/* the SMC option becomes NOPs */
	MB_CUT,			/* the payload goes, the SYN stays */
	MB_BEND,		/* first byte of the payload changes */
	MB_DOUBLE,
	MB_HOLD,		/* until mb_release() */
	MB_COOKIE16,		/* its Fast Open cookie grows to 16 bytes */
};

struct midbox;

struct midbox *mb_open(const char *dev, int port);
void mb_rule(struct midbox *m, bool out, enum mb_what what, enum mb_act act,
	     int times);
void mb_clear(struct midbox *m);
int mb_hits(struct midbox *m);
void mb_release(struct midbox *m);
const struct wire_pkt *mb_log(struct midbox *m, int *n);
void mb_inject(struct midbox *m, const struct wire_pkt *p);
void mb_close(struct midbox *m);

#endif
