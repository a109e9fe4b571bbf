/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _UAPI_LINUX_SMCX_H
#define _UAPI_LINUX_SMCX_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/in.h>	/* newer ones have IPPROTO_SMC in an enum */
#endif

/**
 * DOC: User interface
 *
 * What in-tree smc offers keeps its names and numbers (linux/smc.h,
 * linux/smc_diag.h): address family 43, SMC_GEN_NETLINK, SMC_PNETID, sock_diag of
 * family 43, net.smc sysctls. This header holds the socket constants that user
 * space headers of the supported distributions lack, and the generic netlink family
 * SMCX with what is new here.
 */

#ifndef AF_SMC
#define AF_SMC			43
#endif
#ifndef PF_SMC
#define PF_SMC			AF_SMC
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC		256
#endif
#ifndef SOL_SMC
#define SOL_SMC			286
#endif

/* protocols of AF_SMC sockets */
#define SMCX_PROTO_SMC		0	/* over TCP/IPv4 */
#define SMCX_PROTO_SMC6		1	/* over TCP/IPv6 */

/* options of level SOL_SMC */
#define SMCX_SO_LIMIT_HS	1	/* int: SMC_LIMIT_HS of in-tree smc */
#define SMCX_SO_PLAIN_TCP	256	/* int, not 0: be plain TCP; before connect() and listen() only */

#define SMCX_GENL_NAME		"SMCX"
#define SMCX_GENL_VERSION	1

/**
 * enum smcx_genl_cmd - commands of the SMCX family
 * @SMCX_CMD_UNSPEC: none
 * @SMCX_CMD_GET_FALLBACK: dump: sockets of this namespace that went on as TCP and why,
 *	one SMCX_ATTR_FALLBACK nest a message
 * @SMCX_CMD_GET_FB_COUNT: dump: how often each reason occurred, one
 *	SMCX_ATTR_FB_COUNT nest a message
 * @SMCX_CMD_GET_COUNTERS: dump: the module's own counters, one
 *	SMCX_ATTR_COUNTER nest a message
 * @SMCX_CMD_GET_PEERS: dump: servers known from earlier connections, one SMCX_ATTR_PEER
 *	nest a message
 * @SMCX_CMD_FLUSH_PEERS: forget them; needs CAP_NET_ADMIN of the namespace
 * @SMCX_CMD_GET_TRUST: dump: trusted prefixes, one SMCX_ATTR_TRUST nest a message
 * @SMCX_CMD_ADD_TRUST: trust the prefix in SMCX_ATTR_TRUST; needs CAP_NET_ADMIN of the namespace
 * @SMCX_CMD_DEL_TRUST: trust it no more; the same
 * @SMCX_CMD_GET_SETUP: dump: how long connections took to set up, one
 *	SMCX_ATTR_SETUP nest for each role and part
 * @__SMCX_CMD_MAX: end of the list
 */
enum smcx_genl_cmd {
	SMCX_CMD_UNSPEC,
	SMCX_CMD_GET_FALLBACK,
	SMCX_CMD_GET_FB_COUNT,
	SMCX_CMD_GET_COUNTERS,
	SMCX_CMD_GET_PEERS,
	SMCX_CMD_FLUSH_PEERS,
	SMCX_CMD_GET_TRUST,
	SMCX_CMD_ADD_TRUST,
	SMCX_CMD_DEL_TRUST,
	SMCX_CMD_GET_SETUP,
	__SMCX_CMD_MAX,
};
#define SMCX_CMD_MAX		(__SMCX_CMD_MAX - 1)

/**
 * enum smcx_attr - attributes of the top level
 * @SMCX_ATTR_UNSPEC: none
 * @SMCX_ATTR_FALLBACK: nest, enum smcx_fallback_attr
 * @SMCX_ATTR_FB_COUNT: nest, enum smcx_fb_count_attr
 * @SMCX_ATTR_COUNTER: nest, enum smcx_counter_attr
 * @SMCX_ATTR_PEER: nest, enum smcx_peer_attr
 * @SMCX_ATTR_TRUST: nest, enum smcx_trust_attr
 * @SMCX_ATTR_SETUP: nest, enum smcx_setup_attr
 * @__SMCX_ATTR_MAX: end of the list
 */
enum smcx_attr {
	SMCX_ATTR_UNSPEC,
	SMCX_ATTR_FALLBACK,
	SMCX_ATTR_FB_COUNT,
	SMCX_ATTR_COUNTER,
	SMCX_ATTR_PEER,
	SMCX_ATTR_TRUST,
	SMCX_ATTR_SETUP,
	__SMCX_ATTR_MAX,
};
#define SMCX_ATTR_MAX		(__SMCX_ATTR_MAX - 1)

/**
 * enum smcx_fallback_attr - one socket that fell back
 * @SMCX_FB_UNSPEC: none
 * @SMCX_FB_COOKIE: u64, socket cookie as sock_diag shows it
 * @SMCX_FB_FAMILY: u16, AF_INET or AF_INET6
 * @SMCX_FB_SPORT: u16, local port, host order
 * @SMCX_FB_DPORT: u16, peer port, host order
 * @SMCX_FB_SADDR: 4 or 16 bytes, local address
 * @SMCX_FB_DADDR: 4 or 16 bytes, peer address
 * @SMCX_FB_IFINDEX: u32, bound device or 0
 * @SMCX_FB_REASON: u32, own reason, see proto/reason.h
 * @SMCX_FB_PEER_REASON: u32, diagnosis of the peer's Decline or 0
 * @SMCX_FB_IS_SERVER: u8, 1 = passive side
 * @SMCX_FB_NAME: string, short name of the reason
 * @SMCX_FB_PAD: alignment
 * @__SMCX_FB_MAX: end of the list
 */
enum smcx_fallback_attr {
	SMCX_FB_UNSPEC,
	SMCX_FB_COOKIE,
	SMCX_FB_FAMILY,
	SMCX_FB_SPORT,
	SMCX_FB_DPORT,
	SMCX_FB_SADDR,
	SMCX_FB_DADDR,
	SMCX_FB_IFINDEX,
	SMCX_FB_REASON,
	SMCX_FB_PEER_REASON,
	SMCX_FB_IS_SERVER,
	SMCX_FB_NAME,
	SMCX_FB_PAD,
	__SMCX_FB_MAX,
};
#define SMCX_FB_MAX		(__SMCX_FB_MAX - 1)

/**
 * enum smcx_fb_count_attr - count of one reason
 * @SMCX_FBC_UNSPEC: none
 * @SMCX_FBC_REASON: u32
 * @SMCX_FBC_COUNT: u32, since module load
 * @SMCX_FBC_IS_SERVER: u8, 1 = passive side
 * @SMCX_FBC_NAME: string, short name of the reason
 * @__SMCX_FBC_MAX: end of the list
 */
enum smcx_fb_count_attr {
	SMCX_FBC_UNSPEC,
	SMCX_FBC_REASON,
	SMCX_FBC_COUNT,
	SMCX_FBC_IS_SERVER,
	SMCX_FBC_NAME,
	__SMCX_FBC_MAX,
};
#define SMCX_FBC_MAX		(__SMCX_FBC_MAX - 1)

/**
 * enum smcx_counter_attr - one counter
 * @SMCX_CNTR_UNSPEC: none
 * @SMCX_CNTR_NAME: string
 * @SMCX_CNTR_VALUE: u64
 * @SMCX_CNTR_PAD: alignment
 * @__SMCX_CNTR_MAX: end of the list
 */
enum smcx_counter_attr {
	SMCX_CNTR_UNSPEC,
	SMCX_CNTR_NAME,
	SMCX_CNTR_VALUE,
	SMCX_CNTR_PAD,
	__SMCX_CNTR_MAX,
};
#define SMCX_CNTR_MAX		(__SMCX_CNTR_MAX - 1)

/**
 * enum smcx_peer_attr - one known server
 * @SMCX_PEER_UNSPEC: none
 * @SMCX_PEER_FAMILY: u16, AF_INET or AF_INET6
 * @SMCX_PEER_PORT: u16, its port, host order
 * @SMCX_PEER_ADDR: 4 or 16 bytes, its address
 * @SMCX_PEER_OWN: 4 or 16 bytes, own address
 * @SMCX_PEER_HAS_TOKEN: u8, 1 = it has invited us; the token itself is not shown
 * @SMCX_PEER_IDLE: u32, seconds since it was used last
 * @SMCX_PEER_BAN: u32, seconds for which nothing is sent in SYNs because a plain server took it, or 0
 * @SMCX_PEER_LOST: u32, seconds for which nothing is sent in SYNs because one was lost, or 0
 * @SMCX_PEER_LEARNT: u32, invitations received
 * @SMCX_PEER_TRIED: u32, SYNs with a Proposal
 * @SMCX_PEER_NO_PATH: u32, seconds for which connections to the host (port 0) are TCP because RDMA did not get through, or 0
 * @__SMCX_PEER_MAX: end of the list
 */
enum smcx_peer_attr {
	SMCX_PEER_UNSPEC,
	SMCX_PEER_FAMILY,
	SMCX_PEER_PORT,
	SMCX_PEER_ADDR,
	SMCX_PEER_OWN,
	SMCX_PEER_HAS_TOKEN,
	SMCX_PEER_IDLE,
	SMCX_PEER_BAN,
	SMCX_PEER_LOST,
	SMCX_PEER_LEARNT,
	SMCX_PEER_TRIED,
	SMCX_PEER_NO_PATH,
	__SMCX_PEER_MAX,
};
#define SMCX_PEER_MAX		(__SMCX_PEER_MAX - 1)

/**
 * enum smcx_trust_attr - one trusted prefix
 * @SMCX_TRUST_UNSPEC: none
 * @SMCX_TRUST_FAMILY: u16, AF_INET or AF_INET6
 * @SMCX_TRUST_PREFIX: 4 or 16 bytes, address
 * @SMCX_TRUST_LEN: u8, prefix length
 * @SMCX_TRUST_PORT: u16, server's port, host order, 0 = any
 * @SMCX_TRUST_COOKIE: u8, 1 = clients use TCP's own Fast Open cookies
 * @__SMCX_TRUST_MAX: end of the list
 */
enum smcx_trust_attr {
	SMCX_TRUST_UNSPEC,
	SMCX_TRUST_FAMILY,
	SMCX_TRUST_PREFIX,
	SMCX_TRUST_LEN,
	SMCX_TRUST_PORT,
	SMCX_TRUST_COOKIE,
	__SMCX_TRUST_MAX,
};
#define SMCX_TRUST_ATTR_MAX	(__SMCX_TRUST_MAX - 1)

/**
 * enum smcx_setup_attr - times of one part of the set-up
 * @SMCX_SETUP_UNSPEC: none
 * @SMCX_SETUP_IS_SERVER: u8, 1 = passive side
 * @SMCX_SETUP_PHASE: string: SYN, ACCEPT, CONFIRM or FIRST_BYTE
 * @SMCX_SETUP_SUM_US: u64, sum of all times, microseconds
 * @SMCX_SETUP_CLASSES: nest of u64 attributes 1..21: connections that took up to
 *	32 << (n - 1) microseconds; the last one: all that took longer
 * @SMCX_SETUP_PAD: alignment
 * @__SMCX_SETUP_MAX: end of the list
 */
enum smcx_setup_attr {
	SMCX_SETUP_UNSPEC,
	SMCX_SETUP_IS_SERVER,
	SMCX_SETUP_PHASE,
	SMCX_SETUP_SUM_US,
	SMCX_SETUP_CLASSES,
	SMCX_SETUP_PAD,
	__SMCX_SETUP_MAX,
};
#define SMCX_SETUP_MAX		(__SMCX_SETUP_MAX - 1)

#endif
