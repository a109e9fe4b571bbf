/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rawclient.h - TCP clients made by hand, on an address the kernel does not
 * own: they offer SMC in the SYN and then do what no kernel would do. Packets
 * go over a packet socket on an Ethernet device, or over a tun device of this
 * machine's own.
 */
#ifndef RAWCLIENT_H
#define RAWCLIENT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define RAW_MAX 2000
#define RAW_EID "SMCX.DEFAULT"	/* what a module without configuration has */

struct raw_conn {
	uint16_t port;		/* own */
	uint32_t snd, rcv;	/* next sequence numbers */
	bool open;		/* three-way handshake done */
	bool smc;		/* the SYN-ACK had the option */
	bool gone;		/* reset or FIN seen */
	uint32_t got;		/* bytes received */
	uint8_t first[16];	/* first of them */
};

struct raw_net {
	int fd, arp_fd, ifindex;
	bool tun;
	uint8_t mac[6], dst_mac[6];
	struct in_addr src, dst;
	uint16_t dport;
	struct raw_conn *conn;
	int n;
};

int raw_open(struct raw_net *r, const char *dev, struct in_addr src,
	     struct in_addr dst, uint16_t dport);
void raw_close(struct raw_net *r);
int raw_connect(struct raw_net *r, int n, bool option);
void raw_send(struct raw_net *r, struct raw_conn *c, const void *p, int n);
void raw_reset(struct raw_net *r, struct raw_conn *c);
void raw_poll(struct raw_net *r, int ms);
int raw_proposal(struct raw_net *r, uint8_t *buf);

#endif
