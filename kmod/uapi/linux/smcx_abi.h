/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _UAPI_LINUX_SMCX_ABI_H
#define _UAPI_LINUX_SMCX_ABI_H

#include <linux/inet_diag.h>
#include <linux/types.h>

/**
 * DOC: The user interface of in-tree smc, by number
 *
 * What protocol.rst 7.1 to 7.3 list, under names of our own: linux/smc.h of kernel 6.1 lacks
 * the attributes of 6.12, and a file that includes it as well must not meet names twice.
 * Attributes that only 6.12 has are marked so; readers take their absence as "not known".
 */

/* ---- sock_diag, family 43 ---- */

/* idiag ext bit k-1 asks for attribute k */
enum {
	SMCX_DIAG_CONNINFO = 1,	/* struct smcx_diag_conninfo, on request */
	SMCX_DIAG_LGRINFO,	/* struct smcx_diag_lgrinfo, on request */
	SMCX_DIAG_SHUTDOWN,	/* u8 */
	SMCX_DIAG_DMBINFO,	/* SMC-D only */
	SMCX_DIAG_FALLBACK,	/* struct smcx_diag_fallback */
	__SMCX_DIAG_MAX
};
#define SMCX_DIAG_MAX	(__SMCX_DIAG_MAX - 1)

/*
 * Of this module only; far from the others, which may grow.
 * FAMILY: u8, AF_INET or AF_INET6; ONE_RTT: u8, with every SMC connection: 1 = set up in one round trip
 */
#define SMCX_DIAG_FAMILY	30
#define SMCX_DIAG_ONE_RTT	31

/* what carries the bytes */
enum {
	SMCX_DIAG_MODE_SMCR,
	SMCX_DIAG_MODE_TCP,
	SMCX_DIAG_MODE_SMCD,
};

/**
 * struct smcx_diag_req - request, 52 bytes
 * @family: 43
 * @pad: zero
 * @ext: attributes asked for
 * @id: not used as a filter
 */
struct smcx_diag_req {
	__u8			family;
	__u8			pad[2];
	__u8			ext;
	struct inet_diag_sockid	id;
};

/**
 * struct smcx_diag_msg - head of an answer, 64 bytes
 * @family: family of the socket
 * @state: in-tree smc's state number
 * @mode: what carries the bytes, SMCX_DIAG_MODE_*
 * @shutdown: zero, see the attribute
 * @id: addresses, ports, cookie
 * @uid: owner
 * @inode: inode of the socket's file
 */
struct smcx_diag_msg {
	__u8			family;
	__u8			state;
	__u8			mode;
	__u8			shutdown;
	struct inet_diag_sockid	id;
	__u32			uid;
	__aligned_u64		inode;
};

/** struct smcx_diag_cursor - ring cursor in host order */
struct smcx_diag_cursor {
	__u16	reserved;
	__u16	wrap;
	__u32	count;
};

/** struct smcx_diag_conninfo - 76 bytes, see protocol.rst 7.1 */
struct smcx_diag_conninfo {
	__u32			token;
	__u32			sndbuf_size;
	__u32			rmbe_size;
	__u32			peer_rmbe_size;
	struct smcx_diag_cursor	rx_prod;
	struct smcx_diag_cursor	rx_cons;
	struct smcx_diag_cursor	tx_prod;
	struct smcx_diag_cursor	tx_cons;
	__u8			rx_prod_flags;
	__u8			rx_conn_state_flags;
	__u8			tx_prod_flags;
	__u8			tx_conn_state_flags;
	struct smcx_diag_cursor	tx_prep;
	struct smcx_diag_cursor	tx_sent;
	struct smcx_diag_cursor	tx_fin;
};

/** struct smcx_diag_lgrinfo - 147 bytes, strings NUL terminated, role 0 = client */
struct smcx_diag_lgrinfo {
	__u8	link_id;
	__u8	ibname[64];
	__u8	ibport;
	__u8	gid[40];
	__u8	peer_gid[40];
	__u8	role;
};

/** struct smcx_diag_fallback - own reason, and the diagnosis of the peer's Decline */
struct smcx_diag_fallback {
	__u32	reason;
	__u32	peer_diagnosis;
};

/* ---- generic netlink SMC_GEN_NETLINK ---- */

#define SMCX_GEN_NAME		"SMC_GEN_NETLINK"
#define SMCX_GEN_VERSION	1

enum {
	SMCX_GEN_GET_SYS_INFO = 1,
	SMCX_GEN_GET_LGR_SMCR,
	SMCX_GEN_GET_LINK_SMCR,
	SMCX_GEN_GET_LGR_SMCD,
	SMCX_GEN_GET_DEV_SMCD,
	SMCX_GEN_GET_DEV_SMCR,
	SMCX_GEN_GET_STATS,
	SMCX_GEN_GET_FBACK_STATS,
	SMCX_GEN_DUMP_UEID,
	SMCX_GEN_ADD_UEID,
	SMCX_GEN_REMOVE_UEID,
	SMCX_GEN_FLUSH_UEID,
	SMCX_GEN_DUMP_SEID,
	SMCX_GEN_ENABLE_SEID,
	SMCX_GEN_DISABLE_SEID,
	SMCX_GEN_DUMP_HS_LIMITATION,
	SMCX_GEN_ENABLE_HS_LIMITATION,
	SMCX_GEN_DISABLE_HS_LIMITATION,
};

/* top level attributes of the answers */
enum {
	SMCX_GEN_SYS_INFO = 1,
	SMCX_GEN_LGR_SMCR,
	SMCX_GEN_LINK_SMCR,
	SMCX_GEN_LGR_SMCD,
	SMCX_GEN_DEV_SMCD,
	SMCX_GEN_DEV_SMCR,
	SMCX_GEN_STATS,
	SMCX_GEN_FBACK_STATS,
	__SMCX_GEN_MAX
};
#define SMCX_GEN_MAX	(__SMCX_GEN_MAX - 1)

/* alignment in the counters' nests; link groups have one of their own */
#define SMCX_GEN_PAD	0

enum {
	SMCX_SYS_VER = 1,	/* u8 */
	SMCX_SYS_REL,		/* u8 */
	SMCX_SYS_IS_ISM_V2,	/* u8 */
	SMCX_SYS_LOCAL_HOST,	/* string, blank padded */
	SMCX_SYS_SEID,		/* string, only with ISM version 2 */
	SMCX_SYS_IS_SMCR_V2,	/* u8 */
	__SMCX_SYS_MAX
};
#define SMCX_SYS_MAX	(__SMCX_SYS_MAX - 1)

enum {
	SMCX_LGR_ID = 1,	/* u32 */
	SMCX_LGR_ROLE,		/* u8 */
	SMCX_LGR_TYPE,		/* u8 */
	SMCX_LGR_PNETID,	/* string */
	SMCX_LGR_VLAN_ID,	/* u8 */
	SMCX_LGR_CONNS,		/* u32 */
	SMCX_LGR_V2_COMMON,	/* nest */
	SMCX_LGR_V2,		/* nest */
	SMCX_LGR_NET_COOKIE,	/* u64 */
	SMCX_LGR_PAD,
	SMCX_LGR_BUF_TYPE,	/* u8 */
	SMCX_LGR_SNDBUF,	/* uint, 6.12 */
	SMCX_LGR_RMB,		/* uint, 6.12 */
	__SMCX_LGR_MAX
};
#define SMCX_LGR_MAX	(__SMCX_LGR_MAX - 1)

/* the one list that begins at 0 */
enum {
	SMCX_LGR_V2_VER,	/* u8 */
	SMCX_LGR_V2_REL,	/* u8 */
	SMCX_LGR_V2_OS,		/* u8 */
	SMCX_LGR_V2_EID,	/* string */
	SMCX_LGR_V2_PEER_HOST,	/* string */
	__SMCX_LGR_V2_COMMON_MAX
};
#define SMCX_LGR_V2_COMMON_MAX	(__SMCX_LGR_V2_COMMON_MAX - 1)

enum {
	SMCX_LGR_V2_DIRECT = 1,	/* u8 */
	SMCX_LGR_V2_MAX_CONNS,	/* u8, 6.12 */
	SMCX_LGR_V2_MAX_LINKS,	/* u8, 6.12 */
	__SMCX_LGR_V2_MAX
};
#define SMCX_LGR_V2_MAX	(__SMCX_LGR_V2_MAX - 1)

enum {
	SMCX_LINK_ID = 1,	/* u8 */
	SMCX_LINK_IB_DEV,	/* string */
	SMCX_LINK_IB_PORT,	/* u8 */
	SMCX_LINK_GID,		/* string */
	SMCX_LINK_PEER_GID,	/* string */
	SMCX_LINK_CONNS,	/* u32 */
	SMCX_LINK_NET_DEV,	/* u32, ifindex */
	SMCX_LINK_UID,		/* u32, raw bytes */
	SMCX_LINK_PEER_UID,	/* u32, raw bytes */
	SMCX_LINK_STATE,	/* u32 */
	__SMCX_LINK_MAX
};
#define SMCX_LINK_MAX	(__SMCX_LINK_MAX - 1)

enum {
	SMCX_DEV_USE_CNT = 1,	/* u32, SMC-D */
	SMCX_DEV_IS_CRIT,	/* u8 */
	SMCX_DEV_PCI_FID,	/* u32 */
	SMCX_DEV_PCI_CHID,	/* u16 */
	SMCX_DEV_PCI_VENDOR,	/* u16 */
	SMCX_DEV_PCI_DEVICE,	/* u16 */
	SMCX_DEV_PCI_ID,	/* string */
	SMCX_DEV_PORT,		/* nest */
	SMCX_DEV_PORT2,		/* nest */
	SMCX_DEV_IB_NAME,	/* string */
	__SMCX_DEV_MAX
};
#define SMCX_DEV_MAX	(__SMCX_DEV_MAX - 1)

enum {
	SMCX_PORT_PNET_USR = 1,	/* u8 */
	SMCX_PORT_PNETID,	/* string */
	SMCX_PORT_NETDEV,	/* u32, ifindex */
	SMCX_PORT_STATE,	/* u8, 1 = active */
	SMCX_PORT_VALID,	/* u8 */
	SMCX_PORT_LNK_CNT,	/* u32 */
	__SMCX_PORT_MAX
};
#define SMCX_PORT_MAX	(__SMCX_PORT_MAX - 1)

enum {
	SMCX_STATS_SMCD = 1,	/* nest */
	SMCX_STATS_SMCR,	/* nest */
	SMCX_STATS_CLNT_HS_ERR,	/* u64 */
	SMCX_STATS_SRV_HS_ERR,	/* u64 */
	__SMCX_STATS_MAX
};
#define SMCX_STATS_MAX	(__SMCX_STATS_MAX - 1)

enum {
	SMCX_TECH_TX_RMB_SIZE = 1,	/* nest of classes */
	SMCX_TECH_RX_RMB_SIZE,
	SMCX_TECH_TX_PAYLOAD,
	SMCX_TECH_RX_PAYLOAD,
	SMCX_TECH_TX_RMB,		/* nest, SMCX_RMB_* */
	SMCX_TECH_RX_RMB,
	SMCX_TECH_CLNT_V1_OK,		/* u64 from here on */
	SMCX_TECH_CLNT_V2_OK,
	SMCX_TECH_SRV_V1_OK,
	SMCX_TECH_SRV_V2_OK,
	SMCX_TECH_SENDPAGE,
	SMCX_TECH_SPLICE,
	SMCX_TECH_CORK,
	SMCX_TECH_NODELAY,
	SMCX_TECH_URGENT,
	SMCX_TECH_RX_BYTES,
	SMCX_TECH_TX_BYTES,
	SMCX_TECH_RX_CALLS,
	SMCX_TECH_TX_CALLS,
	SMCX_TECH_RX_RMB_USAGE,		/* uint, 6.12 */
	SMCX_TECH_TX_RMB_USAGE,		/* uint, 6.12 */
	__SMCX_TECH_MAX
};
#define SMCX_TECH_MAX	(__SMCX_TECH_MAX - 1)

/* size classes <=8K, 16K .. 1024K, more: attributes 1..9 */
#define SMCX_CLASSES	9

enum {
	SMCX_RMB_SIZE_SM_PEER = 1,	/* u64 */
	SMCX_RMB_SIZE_SM,
	SMCX_RMB_FULL_PEER,
	SMCX_RMB_FULL,
	SMCX_RMB_REUSE,
	SMCX_RMB_ALLOC,
	SMCX_RMB_DGRADE,
	__SMCX_RMB_MAX
};
#define SMCX_RMB_MAX	(__SMCX_RMB_MAX - 1)

enum {
	SMCX_FBACK_TYPE = 1,	/* u8, 1 = server */
	SMCX_FBACK_SRV_CNT,	/* u64, first message only */
	SMCX_FBACK_CLNT_CNT,	/* u64, first message only */
	SMCX_FBACK_RSN_CODE,	/* u32 */
	SMCX_FBACK_RSN_CNT,	/* u16 */
	__SMCX_FBACK_MAX
};
#define SMCX_FBACK_MAX	(__SMCX_FBACK_MAX - 1)

/* attribute 1 of the EID and handshake limitation commands */
#define SMCX_EID_ENTRY		1	/* string, 32 bytes and NUL */
#define SMCX_SEID_ENTRY		1
#define SMCX_SEID_ENABLED	2
#define SMCX_HS_LIMITED		1	/* u8 */
#define SMCX_EID_ENTRY_LEN	32

/* ---- generic netlink SMC_PNETID ---- */

#define SMCX_PNET_GENL_NAME	"SMC_PNETID"
#define SMCX_PNET_GENL_VERSION	1

enum {
	SMCX_PNET_CMD_GET = 1,
	SMCX_PNET_CMD_ADD,
	SMCX_PNET_CMD_DEL,
	SMCX_PNET_CMD_FLUSH,
};

enum {
	SMCX_PNET_NAME = 1,	/* string */
	SMCX_PNET_ETH,		/* string, "n/a" = none */
	SMCX_PNET_IB,		/* string, "n/a" = none */
	SMCX_PNET_PORT,		/* u8, 255 = none */
	__SMCX_PNET_MAX
};
#define SMCX_PNET_MAX	(__SMCX_PNET_MAX - 1)

#endif
