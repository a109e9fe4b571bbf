// SPDX-License-Identifier: GPL-2.0
/* Reasons in words: see words.h. */
#include "words.h"

#include <stddef.h>

#include "reason.h"

struct reason_text {
	uint32_t	code;
	const char	*cause;
	const char	*cure;
};

#define WIRE(n, cause, cure)	{ SMCX_REASON_##n, cause, cure }
#define LOCAL(n, cause, cure)	{ SMCX_REASON_LOCAL_##n, cause, cure }

#define NO_SMCD	"This module does SMC-R only. For SMC-R, see that the peer offers it, too."
#define FAULTY	"Update the peer's SMC; 'smcx decode' of a capture shows the message for a report."

static const struct reason_text texts[] = {
	WIRE(NONE, "The connection uses SMC, or its fate is not decided yet.",
	     "Nothing to do."),
	WIRE(MEM, "There was no memory for SMC's buffers.",
	     "Look for memory pressure, or lower net.smc.rmem and net.smc.wmem."),
	WIRE(TIMEOUT_CL, "The first message over RDMA did not arrive in time: TCP gets through, RDMA does not.",
	     "Let RoCE traffic (UDP port 4791) pass between the hosts, and see that both have the same MTU."),
	WIRE(TIMEOUT_AL, "A second link was not set up in time.",
	     "Check the path between the second pair of RDMA ports, or set net.smc.smcr_max_links_per_lgr to 1 at the peer."),
	WIRE(CNFERR, "The network device of the connection has no usable IP prefix, or nothing could be offered.",
	     "Check the addresses of the device, or configure an EID ('smcx eid add') so that version 2 is used."),
	WIRE(PEERNOSMC, "The peer did not offer SMC.",
	     "Run the peer's program with smc_run, with the module loaded. If it is, its listener was overrun (SYN cookies, net.smc.limit_smc_hs), or a middlebox removes the TCP option."),
	WIRE(IPSEC, "IPsec or MACsec protects the connection, and RDMA would bypass it.",
	     "Exempt the connection from IPsec to use SMC ('ip xfrm policy'), or leave it on TCP."),
	WIRE(NOSMCDEV, "No device for SMC was found.",
	     "See 'smcx dev': the device must be on the path of the connection or named in the PNET table ('smcx pnet')."),
	WIRE(NOSMCDDEV, "There is no SMC-D device, or the peer offered SMC-D only.", NO_SMCD),
	WIRE(NOSMCRDEV, "No RDMA port belongs to the network device of the connection.",
	     "See 'smcx dev' and 'rdma link', or add a PNET entry ('smcx pnet add')."),
	WIRE(NOISM2SUPP, "The host has no ISM version 2, which only SMC-D needs.", NO_SMCD),
	WIRE(NOV2EXT, "The Proposal claims version 2 but lacks its data: the client's SMC is faulty.", FAULTY),
	WIRE(NOV2DEXT, "The Proposal claims SMC-D version 2 but lacks its data: the client's SMC is faulty.", FAULTY),
	WIRE(NOSEID, "There is no system EID, which only SMC-D needs.", NO_SMCD),
	WIRE(NOSMCD2DEV, "There is no matching SMC-D version 2 device.", NO_SMCD),
	WIRE(NOUEID, "The hosts have no enterprise id (EID) in common.",
	     "Configure the same EID on both: 'smcx eid add SMCX.DEFAULT' (with in-tree smc, 'smcr ueid add SMCX.DEFAULT')."),
	WIRE(RELEASEERR, "Client and server do not mean the same release of version 2: the peer's SMC is faulty.", FAULTY),
	WIRE(MAXCONNERR, "The peers could not agree on the number of connections per link group.",
	     "Set net.smc.smcr_max_conns_per_lgr to 16 .. 255 on both hosts."),
	WIRE(MAXLINKERR, "The peers could not agree on the number of links per link group.",
	     "Set net.smc.smcr_max_links_per_lgr to 1 or 2 on both hosts."),
	WIRE(MODEUNSUPP, "The peer chose a version or transport that was not offered: its SMC is faulty.", FAULTY),
	WIRE(RMBE_EC, "The peer wants eye catchers in receive buffers, which is not supported.",
	     "Switch eye catchers off at the peer."),
	WIRE(OPTUNSUPP, "The application asked for something of TCP that SMC cannot do, such as TCP Fast Open, or shut the socket down first.",
	     "Switch that off in the application's configuration to use SMC, or leave it on TCP."),
	WIRE(DIFFPREFIX, "The hosts are not in the same IP subnet, as version 1 demands.",
	     "Configure the same EID on both ('smcx eid add') so that version 2 is used."),
	WIRE(GETVLANERR, "VLAN or network device of the connection cannot be found.",
	     "Check the route to the peer with 'ip route get'."),
	WIRE(ISMVLANERR, "The VLAN could not be registered with the SMC-D device.", NO_SMCD),
	WIRE(NOACTLINK, "The link group had no active link.",
	     "Check the RDMA ports with 'smcx dev'; the next connection sets up a new group."),
	WIRE(NOSRVLINK, "The server named a link this client does not know.",
	     "Harmless once, while a link went down; if it goes on, update the server's SMC."),
	WIRE(VERSMISMAT, "The peers do not mean the same version of SMC: the peer's SMC is faulty.", FAULTY),
	WIRE(MAX_DMB, "The SMC-D device has no buffer left.", NO_SMCD),
	WIRE(NOROUTE, "There is no route to the peer's RDMA address.",
	     "Add a route, or correct the addresses of the RDMA ports' network devices."),
	WIRE(NOINDIRECT, "The server sees a gateway between the hosts, this client does not.",
	     "Make routes and netmasks on both hosts agree."),
	WIRE(SYNCERR, "The server reused a link group that no longer exists here, for instance after a restart.",
	     "Nothing to do: the next connection sets up a new group."),
	WIRE(PEERDECL, "The peer declined.",
	     "Its reason is shown beside this one: look there for the cause."),
	WIRE(INTERR, "An internal error while setting up the link group.",
	     "See what the RDMA driver says in the kernel log of both hosts."),
	WIRE(ERR_RTOK, "The link group has no place for a further remote buffer, or a server named one it had not announced.",
	     "Nothing to do, as the next connection uses another group; if it stays, look whose address that server has."),
	WIRE(ERR_RDYLNK, "The RDMA queue pair could not be set up.",
	     "See what the RDMA driver says in the kernel log, and 'rdma resource' for limits of the device."),
	WIRE(ERR_REGBUF, "A receive buffer could not be registered or announced.",
	     "See what the RDMA driver says in the kernel log, and 'rdma resource' for limits of the device."),

	LOCAL(NO_NETDEV, "The route to the peer has no network device.",
	      "Check 'ip route get'."),
	LOCAL(NO_PORT, "The network device of the connection has no RDMA port.",
	      "For soft-RoCE: 'rdma link add rxe0 type rxe netdev DEVICE'; else add a PNET entry ('smcx pnet add'). "
	      "Connections to the host itself (127.0.0.1, its own addresses) stay TCP."),
	LOCAL(PORT_DOWN, "The RDMA port of the connection is not active.",
	      "Check cable, 'ip link' and 'rdma link'."),
	LOCAL(NO_GID, "The RDMA port has no GID of the kind needed.",
	      "Version 2 needs an IPv4 address on the port's network device: 'ip address add'."),
	LOCAL(NO_PNET, "The PNET entry of the network device names no usable RDMA port.",
	      "Give its id to a port, too: 'smcx pnet add ID ib DEVICE', or remove the entry; 'smcx pnet' shows the table."),
	LOCAL(NETNS, "The RDMA device cannot be used from this network namespace.",
	      "Soft-RoCE works in the initial one only; for others, see 'rdma system' and 'rdma dev set DEV netns'."),
	LOCAL(NO_UEID, "No enterprise id (EID) is configured on this host, so version 2 cannot be used.",
	      "Add the one the peer has: 'smcx eid add SMCX.DEFAULT'."),
	LOCAL(CROSSED_SYN, "Both ends connected to each other at once, or the socket to itself: there is no server.",
	      "Nothing to do: such connections stay on TCP."),
	LOCAL(ULP, "An upper layer protocol such as kernel TLS was put on the socket, and needs TCP.",
	      "Switch kernel TLS off in the application to use SMC, or leave it on TCP."),
	LOCAL(REPAIR, "TCP_REPAIR was used on the socket: checkpointing needs TCP.",
	      "Nothing to do: restored connections stay on TCP."),
	LOCAL(LISTENER, "The listener itself went on as plain TCP, and so do its connections.",
	      "Look what it sets before it listens: an IPsec policy of its own, or TCP_REPAIR."),
	LOCAL(NO_PATH, "Messages over RDMA did not get through to the server lately, while TCP did.",
	      "Let RoCE (UDP port 4791) pass both ways, firewalls of both hosts included. 'smcx peers' says when it is tried again, 'smcx peers flush' does it at once."),
};

static const struct reason_text *text_find(uint32_t code)
{
	unsigned int i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code)
			return &texts[i];
	return NULL;
}

const char *reason_cause(uint32_t reason)
{
	const struct reason_text *t = text_find(reason);

	return t ? t->cause : "A reason this version does not know.";
}

const char *reason_cure(uint32_t reason)
{
	const struct reason_text *t = text_find(reason);

	return t ? t->cure : "Ask the maker of the peer's SMC for its number.";
}
