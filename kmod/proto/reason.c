// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Decline and fallback reasons, protocol.md 2.11 */

#include "reason.h"

/**
 * struct reason - one row of the table
 * @code: enum smcx_reason
 * @wire: code for a Decline
 * @name: short name
 * @text: words for an administrator
 */
struct reason {
	u32		code;
	u32		wire;
	const char	*name;
	const char	*text;
};

#define WIRE(n, t)	{ SMCX_REASON_##n, SMCX_REASON_##n, #n, t }
#define LOCAL(n, w, t)	{ SMCX_REASON_LOCAL_##n, SMCX_REASON_##w, #n, t }

static const struct reason reasons[] = {
	WIRE(NONE, "No reason: the connection uses SMC, or its fate is not decided yet."),
	WIRE(MEM, "Out of memory while setting up SMC. Look for memory pressure, or lower net.smc.rmem and net.smc.wmem."),
	WIRE(TIMEOUT_CL, "The first message over RDMA did not arrive in time: TCP gets through, RDMA does not. Check that RoCE traffic (UDP port 4791) passes between the hosts and that MTU and RoCE settings agree."),
	WIRE(TIMEOUT_AL, "A second link was not set up in time. Check the path between the second pair of RDMA ports."),
	WIRE(CNFERR, "No usable IP prefix on the egress device. Check the addresses of the device, or configure an EID so that version 2 is used."),
	WIRE(PEERNOSMC, "The peer did not offer SMC. Run its program with smc_run or load the module there; a middlebox may also have removed the TCP option."),
	WIRE(IPSEC, "An IPsec policy applies to the connection; RDMA would bypass it, so it stays on TCP. Exempt the connection from IPsec to use SMC."),
	WIRE(NOSMCDEV, "No device for SMC was found. Check 'rdma link', and that the device is on the path of the connection or named in the PNET table."),
	WIRE(NOSMCDDEV, "No SMC-D device, or the peer offered SMC-D only, which this module does not do."),
	WIRE(NOSMCRDEV, "No RDMA port belongs to the network device of the connection. Check 'rdma link', or add a PNET entry."),
	WIRE(NOISM2SUPP, "The host has no ISM version 2 support, which only SMC-D needs."),
	WIRE(NOV2EXT, "The Proposal claims version 2 but lacks its data; the client's SMC is faulty."),
	WIRE(NOV2DEXT, "The Proposal claims SMC-D version 2 but lacks its data; the client's SMC is faulty."),
	WIRE(NOSEID, "No system EID; only SMC-D needs one."),
	WIRE(NOSMCD2DEV, "No matching SMC-D version 2 device."),
	WIRE(NOUEID, "The hosts have no enterprise id (EID) in common. Configure the same EID on both ('smcd ueid add', or SMCX.DEFAULT)."),
	WIRE(RELEASEERR, "Client and server do not mean the same release of SMC version 2; the client's SMC is faulty."),
	WIRE(MAXCONNERR, "The peers could not agree on the number of connections per link group. It must be 16 to 255 on both: net.smc.smcr_max_conns_per_lgr."),
	WIRE(MAXLINKERR, "The peers could not agree on the number of links per link group. It must be 1 or 2 on both: net.smc.smcr_max_links_per_lgr."),
	WIRE(MODEUNSUPP, "The peer chose a version or transport that was not offered; its SMC is faulty."),
	WIRE(RMBE_EC, "The peer wants eye catchers in receive buffers, which is not supported."),
	WIRE(OPTUNSUPP, "The application asked for TCP Fast Open. SMC cannot do that for it; do without Fast Open to use SMC."),
	WIRE(DIFFPREFIX, "The hosts are not in the same IP subnet, as SMC version 1 demands. Configure an EID on both so that version 2 is used."),
	WIRE(GETVLANERR, "VLAN or network device of the connection cannot be found. Check the route to the peer."),
	WIRE(ISMVLANERR, "The VLAN could not be registered with the SMC-D device."),
	WIRE(NOACTLINK, "The link group has no active link. Check the RDMA ports; later connections set up a new group."),
	WIRE(NOSRVLINK, "The server named a link this client does not know. Harmless once, while a link went down; else the server's SMC is faulty."),
	WIRE(VERSMISMAT, "The peers do not mean the same version of SMC; the peer's SMC is faulty."),
	WIRE(MAX_DMB, "The SMC-D device has no buffer left."),
	WIRE(NOROUTE, "There is no route to the peer's RDMA address. Add one, or check the addresses of the RDMA ports."),
	WIRE(NOINDIRECT, "The server sees a gateway between the hosts, this client does not. Check routes and netmasks on both."),
	WIRE(SYNCERR, "The server reused a link group that no longer exists here, for instance after a restart. The next connection sets up a new one."),
	WIRE(PEERDECL, "The peer declined; its reason is shown beside this one. Look there for the cause."),
	WIRE(INTERR, "Internal error while setting up the link group. See the kernel log of both hosts."),
	WIRE(ERR_RTOK, "The link group has no place for a further remote buffer. The next connection uses another group."),
	WIRE(ERR_RDYLNK, "The RDMA queue pair could not be set up. See the kernel log, and 'rdma resource' for limits of the device."),
	WIRE(ERR_REGBUF, "A receive buffer could not be registered or announced. See the kernel log, and limits of the device."),

	LOCAL(SYN_COOKIE, PEERNOSMC, "The listener's queue overflowed and SYN cookies were used, which cannot carry the SMC option. Enlarge the backlog and net.ipv4.tcp_max_syn_backlog."),
	LOCAL(HS_LIMIT, PEERNOSMC, "The listener does not offer SMC while too many handshakes are under way (net.smc.limit_smc_hs)."),
	LOCAL(NO_NETDEV, GETVLANERR, "The route to the peer has no network device. Check 'ip route get'."),
	LOCAL(NO_PORT, NOSMCRDEV, "The network device of the connection has no RDMA port. For soft-RoCE: 'rdma link add rxe0 type rxe netdev DEVICE'; else add a PNET entry."),
	LOCAL(PORT_DOWN, NOSMCRDEV, "The RDMA port of the connection is not active. Check cable, 'ip link' and 'rdma link'."),
	LOCAL(NO_GID, NOSMCRDEV, "The RDMA port has no GID of the kind needed. Version 2 needs an IPv4 address on the port's network device in the subnet of the connection."),
	LOCAL(NO_IPV4, NOSMCRDEV, "SMC version 2 runs over IPv4 only and the connection is IPv6. Use IPv4, or a device with RoCE version 1."),
	LOCAL(NO_PNET, NOSMCRDEV, "The PNET entry of the network device names no usable RDMA port. Correct the PNET table."),
	LOCAL(NETNS, NOSMCRDEV, "The RDMA device cannot be used from this network namespace. Soft-RoCE works in the initial one only; see 'rdma system'."),
	LOCAL(NO_UEID, NOUEID, "No enterprise id (EID) is configured on this host, so version 2 cannot be used. Add one ('smcd ueid add')."),
	LOCAL(DISABLED, NOSMCDEV, "SMC is switched off by the administrator for this connection."),
	LOCAL(CROSSED_SYN, PEERNOSMC, "Both ends connected to each other at once, or the socket to itself; there is no server to talk to."),
	LOCAL(NO_OPT_SPACE, PEERNOSMC, "The TCP header had no room for the SMC option beside others such as MD5 and Fast Open."),
	LOCAL(ULP, OPTUNSUPP, "An upper layer protocol such as kernel TLS was put on the socket; it needs TCP."),
	LOCAL(BPF, OPTUNSUPP, "The socket was put into a BPF socket map, which needs TCP."),
	LOCAL(REPAIR, OPTUNSUPP, "TCP_REPAIR was used on the socket; checkpointing needs TCP."),
	LOCAL(LISTENER, PEERNOSMC, "The listener itself went on as plain TCP, and so do its connections."),
	LOCAL(APP_DATA, PEERNOSMC, "The client offered SMC but then sent application data instead of a Proposal."),
	LOCAL(UNLOAD, INTERR, "The module or the RDMA device was going away."),
	LOCAL(FAMILY, NOSMCDEV, "SMC does not carry this address family or kind of socket."),
	LOCAL(LIMIT, MEM, "A limit of this host is reached (link groups, receive buffers or queue pairs). See net.smc and 'smcx lgr'."),
};

static const struct reason *reason_find(u32 code)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].code == code)
			return &reasons[i];
	}
	return NULL;
}

u32 smcx_reason_to_wire(u32 reason)
{
	const struct reason *r = reason_find(reason);

	if (r)
		return r->wire;
	return smcx_reason_is_local(reason) ? SMCX_REASON_INTERR : reason;
}

const char *smcx_reason_name(u32 reason)
{
	const struct reason *r = reason_find(reason);

	return r ? r->name : "UNKNOWN";
}

const char *smcx_reason_text(u32 reason)
{
	const struct reason *r = reason_find(reason);

	return r ? r->text : "A reason this version does not know.";
}
