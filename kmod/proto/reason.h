/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_REASON_H
#define SMCX_PROTO_REASON_H

#include "host.h"

/**
 * DOC: Decline and fallback reasons
 *
 * A reason says why a connection goes on as TCP. It is never an errno: an errno
 * ends the connection, a reason does not. Most reasons are the diagnosis codes of
 * the CLC Decline (protocol.rst 2.11) with their values on the wire. Reasons that
 * say more than the wire can are local (%SMCX_REASON_LOCAL_BASE upwards); before
 * one of them is put into a Decline, smcx_reason_to_wire() gives its nearest code.
 */

/**
 * enum smcx_reason - why a connection is not SMC
 * @SMCX_REASON_NONE: no reason: the connection is SMC, or nothing was decided yet
 * @SMCX_REASON_MEM: out of memory
 * @SMCX_REASON_TIMEOUT_CL: no CONFIRM_LINK in time
 * @SMCX_REASON_TIMEOUT_AL: no ADD_LINK in time
 * @SMCX_REASON_CNFERR: configuration error, no usable IP prefix
 * @SMCX_REASON_PEERNOSMC: peer did not offer SMC (in TCP option or Proposal)
 * @SMCX_REASON_IPSEC: IPsec policy on the socket, or MACsec on its device
 * @SMCX_REASON_NOSMCDEV: no SMC device at all
 * @SMCX_REASON_NOSMCDDEV: no SMC-D device, or Proposal without SMC-R
 * @SMCX_REASON_NOSMCRDEV: no SMC-R device
 * @SMCX_REASON_NOISM2SUPP: no ISMv2 support
 * @SMCX_REASON_NOV2EXT: version 2 claimed without its extension
 * @SMCX_REASON_NOV2DEXT: SMC-Dv2 claimed without its extension
 * @SMCX_REASON_NOSEID: no system EID
 * @SMCX_REASON_NOSMCD2DEV: no matching SMC-Dv2 device
 * @SMCX_REASON_NOUEID: no user EID, or none in common
 * @SMCX_REASON_RELEASEERR: release in Confirm differs
 * @SMCX_REASON_MAXCONNERR: connections per link group out of range
 * @SMCX_REASON_MAXLINKERR: links per link group out of range
 * @SMCX_REASON_MODEUNSUPP: peer chose what was not offered
 * @SMCX_REASON_RMBE_EC: peer wants eye catchers in RMB elements
 * @SMCX_REASON_OPTUNSUPP: TCP Fast Open asked for by the application
 * @SMCX_REASON_DIFFPREFIX: not in the same IP subnet (version 1)
 * @SMCX_REASON_GETVLANERR: VLAN or egress device unknown
 * @SMCX_REASON_ISMVLANERR: SMC-D VLAN registration failed
 * @SMCX_REASON_NOACTLINK: link group without an active link
 * @SMCX_REASON_NOSRVLINK: link named by the server is unknown
 * @SMCX_REASON_VERSMISMAT: version mismatch
 * @SMCX_REASON_MAX_DMB: SMC-D buffer limit
 * @SMCX_REASON_NOROUTE: no route to the server's GID
 * @SMCX_REASON_NOINDIRECT: server says indirect, our route is direct
 * @SMCX_REASON_SYNCERR: server reuses a link group we do not have
 * @SMCX_REASON_PEERDECL: peer sent a Decline (local record, never sent)
 * @SMCX_REASON_INTERR: internal error
 * @SMCX_REASON_ERR_RTOK: no free remote-token slot
 * @SMCX_REASON_ERR_RDYLNK: queue pair could not be readied
 * @SMCX_REASON_ERR_REGBUF: buffer registration or CONFIRM_RKEY failed
 * @SMCX_REASON_NO_SMC_OPTION: other name of @SMCX_REASON_PEERNOSMC
 * @SMCX_REASON_LOCAL_BASE: reasons from here on never go on the wire
 * @SMCX_REASON_LOCAL_NO_NETDEV: the route has no egress device
 * @SMCX_REASON_LOCAL_NO_PORT: egress device has no RDMA port
 * @SMCX_REASON_LOCAL_PORT_DOWN: RDMA port not active
 * @SMCX_REASON_LOCAL_NO_GID: RDMA port without a GID of the flavour needed
 * @SMCX_REASON_LOCAL_NO_PNET: PNET entry names no usable RDMA port
 * @SMCX_REASON_LOCAL_NETNS: RDMA device not visible in this network namespace
 * @SMCX_REASON_LOCAL_NO_UEID: no EID configured on this host
 * @SMCX_REASON_LOCAL_CROSSED_SYN: simultaneous open or connection to itself
 * @SMCX_REASON_LOCAL_ULP: an upper layer protocol (TLS) was put on the socket
 * @SMCX_REASON_LOCAL_REPAIR: TCP_REPAIR was used
 * @SMCX_REASON_LOCAL_LISTENER: the listener itself is plain TCP
 * @SMCX_REASON_LOCAL_NO_PATH: RDMA messages to the server did not get through lately
 */
enum smcx_reason {
	SMCX_REASON_NONE		= 0,
	SMCX_REASON_MEM			= 0x01010000,
	SMCX_REASON_TIMEOUT_CL		= 0x02010000,
	SMCX_REASON_TIMEOUT_AL		= 0x02020000,
	SMCX_REASON_CNFERR		= 0x03000000,
	SMCX_REASON_PEERNOSMC		= 0x03010000,
	SMCX_REASON_IPSEC		= 0x03020000,
	SMCX_REASON_NOSMCDEV		= 0x03030000,
	SMCX_REASON_NOSMCDDEV		= 0x03030001,
	SMCX_REASON_NOSMCRDEV		= 0x03030002,
	SMCX_REASON_NOISM2SUPP		= 0x03030003,
	SMCX_REASON_NOV2EXT		= 0x03030004,
	SMCX_REASON_NOV2DEXT		= 0x03030005,
	SMCX_REASON_NOSEID		= 0x03030006,
	SMCX_REASON_NOSMCD2DEV		= 0x03030007,
	SMCX_REASON_NOUEID		= 0x03030008,
	SMCX_REASON_RELEASEERR		= 0x03030009,
	SMCX_REASON_MAXCONNERR		= 0x0303000A,
	SMCX_REASON_MAXLINKERR		= 0x0303000B,
	SMCX_REASON_MODEUNSUPP		= 0x03040000,
	SMCX_REASON_RMBE_EC		= 0x03050000,
	SMCX_REASON_OPTUNSUPP		= 0x03060000,
	SMCX_REASON_DIFFPREFIX		= 0x03070000,
	SMCX_REASON_GETVLANERR		= 0x03080000,
	SMCX_REASON_ISMVLANERR		= 0x03090000,
	SMCX_REASON_NOACTLINK		= 0x030A0000,
	SMCX_REASON_NOSRVLINK		= 0x030B0000,
	SMCX_REASON_VERSMISMAT		= 0x030C0000,
	SMCX_REASON_MAX_DMB		= 0x030D0000,
	SMCX_REASON_NOROUTE		= 0x030E0000,
	SMCX_REASON_NOINDIRECT		= 0x030F0000,
	SMCX_REASON_SYNCERR		= 0x04000000,
	SMCX_REASON_PEERDECL		= 0x05000000,
	SMCX_REASON_INTERR		= 0x09990000,
	SMCX_REASON_ERR_RTOK		= 0x09990001,
	SMCX_REASON_ERR_RDYLNK		= 0x09990002,
	SMCX_REASON_ERR_REGBUF		= 0x09990003,

	SMCX_REASON_NO_SMC_OPTION	= SMCX_REASON_PEERNOSMC,

	SMCX_REASON_LOCAL_BASE		= 0x0F000000,
	SMCX_REASON_LOCAL_NO_NETDEV,
	SMCX_REASON_LOCAL_NO_PORT,
	SMCX_REASON_LOCAL_PORT_DOWN,
	SMCX_REASON_LOCAL_NO_GID,
	SMCX_REASON_LOCAL_NO_PNET,
	SMCX_REASON_LOCAL_NETNS,
	SMCX_REASON_LOCAL_NO_UEID,
	SMCX_REASON_LOCAL_CROSSED_SYN,
	SMCX_REASON_LOCAL_ULP,
	SMCX_REASON_LOCAL_REPAIR,
	SMCX_REASON_LOCAL_LISTENER,
	SMCX_REASON_LOCAL_NO_PATH,
};

/**
 * smcx_reason_is_local() - may this reason never go on the wire as it is?
 * @reason: enum smcx_reason
 *
 * Context: Any.
 * Return: true for the local range.
 */
static inline bool smcx_reason_is_local(u32 reason)
{
	return reason >> 24 == SMCX_REASON_LOCAL_BASE >> 24;
}

/**
 * smcx_reason_to_wire() - diagnosis code for a Decline
 * @reason: own reason, local or not
 *
 * Context: Any.
 * Return: the code to send; local reasons give the nearest code of protocol.rst 2.11.
 */
u32 smcx_reason_to_wire(u32 reason);

/**
 * smcx_reason_name() - short name for programs and logs
 * @reason: own reason or a peer's diagnosis
 *
 * Context: Any.
 * Return: upper-case word such as "NOSMCRDEV"; "UNKNOWN" if not known. Never NULL.
 */
const char *smcx_reason_name(u32 reason);

/**
 * smcx_reason_at() - walk all reasons
 * @i: 0, 1, 2 ..
 * @found: false beyond the last one
 *
 * Context: Any.
 * Return: enum smcx_reason.
 */
u32 smcx_reason_at(unsigned int i, bool *found);

#endif
