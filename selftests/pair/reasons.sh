#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every reason not to be SMC that can be provoked: something is broken, a connection is made and stays, and smcx sock names the reason
# for this very socket, smcx stat counts it, smcx why names it with a cure, and the server, where it knows more, does so, too.
#
# Where the peer must be faulty: pair/faulty (NOSMCDDEV, NOV2EXT, RELEASEERR, MAXCONNERR, MAXLINKERR, MODEUNSUPP, VERSMISMAT, SYNCERR), or
# hostile: pair/hostile (RMBE_EC, ERR_RTOK, ERR_RDYLNK, ERR_REGBUF).
# Not on such machines, or never: DIFFPREFIX needs a port with RoCE v1, which soft-RoCE has not; MEM, INTERR want a kernel without memory;
# NOACTLINK a link that dies between two messages; NO_NETDEV, GETVLANERR a device that goes with the SYN-ACK; TIMEOUT_AL, NOSRVLINK a
# second link; NOISM2SUPP, NOSEID, NOSMCD2DEV, NOV2DEXT, ISMVLANERR, MAX_DMB SMC-D; NOSMCDEV comes from others only,
# CNFERR where version 1 is all there is.
# ULP: TCP takes TLS on established connections only, where SMC refuses it.
# vm-test: timeout=180
. /tests/pair/lib-reasons.sh

# rdma_on DEVICE
rdma_on() {
	rdma link del "$IBDEV" 2> /dev/null
	rdma link add "$IBDEV" type rxe netdev "$1"
}

# The RDMA core's tables follow later.
has_gid() { cat "/sys/class/infiniband/$IBDEV/ports/1/gids/"[0-9] | grep -q '^0000:0000:0000:0000:0000:ffff:'; }

# RoCE packets that come to this machine: the rule must stand before that of local addresses.
block() {
	ip rule add pref 10 lookup local
	ip rule del pref 0
	ip rule add pref 5 ipproto 17 dport 4791 iif "$DEV" blackhole
}

unblock() {
	ip rule del pref 5
	ip rule add pref 0 lookup local
	ip rule del pref 10
}

# esp FROM TO: how such packets are read or written, encrypted by nothing
esp() { ip xfrm state add src "$1" dst "$2" proto esp spi 0x77 mode transport enc cipher_null ""; }

# protect FROM TO: those of port 5100 are to leave like this
protect() { esp "$1" "$2" && ip xfrm policy add src "$1" dst "$2" proto 6 "${@:3}" dir out tmpl proto esp mode transport; }

bare() {
	ip xfrm policy flush
	ip xfrm state flush
}

modprobe -a dummy macvlan xfrm_user esp4 authenc crypto_null
if [ "$ROLE" = server ]; then
	fastopen=$(sysctl -n net.ipv4.tcp_fastopen)
	sysctl -q -w net.ipv4.tcp_fastopen=3 net.smc.onertt=0
	for listener in 5100:none 5101:tcp 5102:fastopen 5103:policy; do
		/tests/pair/stays serve "${listener%:*}" "${listener#*:}" &
		listeners+=($!)
		until_ok sh -c "ss -Hltn | grep -q :${listener%:*}"
	done
	peer sync up 60
	check "what the client asked for" obey
	kill "${listeners[@]}"
	sysctl -q -w net.ipv4.tcp_fastopen="$fastopen" net.smc.onertt=3
else
	peer sync up 60
	row "nothing" true SMC - -

	# ---- RDMA here ----
	ip link add dummy0 type dummy 2> /dev/null
	ip link set dummy0 up
	row "RDMA on another device" "rdma_on dummy0" NO_PORT - PEERDECL device
	row "by PNET id, without IPv4" "smcx pnet add X eth $DEV; smcx pnet add X ib $IBDEV" NO_GID - PEERDECL GID
	row "with an address nobody knows" "ip addr add 10.77.0.2/24 dev dummy0" PEERDECL NOROUTE NOROUTE
	row "port down" "ip link set dummy0 down" PORT_DOWN - PEERDECL port
	row "a PNET id that no port has" "smcx pnet flush; smcx pnet add X eth $DEV" NO_PNET - PEERDECL device
	row "no RDMA device" "smcx pnet flush; rdma link del $IBDEV" NOSMCRDEV - PEERDECL device
	row "RDMA is back" "rdma_on $DEV" SMC - -

	# ---- EIDs ----
	row "no EID" "smcx eid flush" NO_UEID - PEERDECL EID
	row "another EID" "smcx eid add OTHER" PEERDECL NOUEID NOUEID
	row "no EID at the server" "@smcx eid flush" PEERDECL NOUEID NO_UEID
	there smcx eid add SMCX.DEFAULT
	row "EIDs are back" "smcx eid flush; smcx eid add SMCX.DEFAULT" SMC - -

	# ---- RDMA there ----
	there "ip link add dummy0 type dummy 2> /dev/null; ip link set dummy0 up"
	row "the server's RDMA on another device" "@rdma_on dummy0" PEERDECL NOSMCRDEV NO_PORT
	row "by PNET id, without IPv4" "@smcx pnet add X eth $DEV; smcx pnet add X ib $IBDEV" PEERDECL NOSMCRDEV NO_GID
	row "its port down" "@ip addr add 10.78.0.1/24 dev dummy0; ip link set dummy0 down" PEERDECL NOSMCRDEV PORT_DOWN
	ip addr add 10.0.0.7/24 dev "$DEV"
	row "an address behind a gateway nobody knows" \
		"@ip link set dummy0 up; ip route add $SELF/32 via 10.0.0.7 dev $DEV" NOROUTE - PEERDECL
	row "a PNET id that no port has" "@smcx pnet flush; smcx pnet add X eth $DEV" PEERDECL NOSMCRDEV NO_PNET
	row "no RDMA device" "@smcx pnet flush; rdma link del $IBDEV" PEERDECL NOSMCRDEV NOSMCRDEV
	row "the server sees a gateway, the client none" "@rdma_on $DEV" NOINDIRECT - PEERDECL
	ip addr del 10.0.0.7/24 dev "$DEV"
	row "RDMA is back there" "@ip route del $SELF/32; ip link del dummy0" SMC - -

	# ---- IPsec ----
	there esp "$SELF" "$PEER"
	row "IPsec here" "protect $SELF $PEER dport 5100" IPSEC - PEERDECL
	bare
	there bare
	esp "$PEER" "$SELF"
	row "IPsec there" "@protect $PEER $SELF sport 5100" PEERDECL IPSEC IPSEC
	there bare
	row "IPsec has gone" bare SMC - -
	row "a socket's own policy" true IPSEC - PEERNOSMC - "$PEER" 5100 policy
	row "a listener's own policy" true PEERNOSMC - LISTENER "" "$PEER" 5103

	# ---- TCP ----
	row "a server without SMC" true PEERNOSMC - - "" "$PEER" 5101
	row "a client without SMC" true - - PEERNOSMC - "$PEER" 5100 tcp
	row "Fast Open, asked for" true OPTUNSUPP - PEERNOSMC - "$PEER" 5100 fastopen
	row "Fast Open by sendto()" true OPTUNSUPP - PEERNOSMC - "$PEER" 5100 message
	row "a listener of Fast Open" true PEERNOSMC - OPTUNSUPP "" "$PEER" 5102
	row "SYN cookies" "@sysctl -w net.ipv4.tcp_syncookies=2" PEERNOSMC - PEERNOSMC
	there sysctl -w net.ipv4.tcp_syncookies=1
	row "TCP_REPAIR" true REPAIR - - - "$PEER" 5100 repair
	row "a socket connects to itself" true CROSSED_SYN - - - "$SELF" 5199 self

	# ---- from other namespaces ----
	ip netns add inner
	ip link add link "$DEV" name mv0 netns inner type macvlan mode bridge
	ip -n inner addr add 10.0.0.6/24 dev mv0
	ip -n inner link set mv0 up
	in="ip netns exec inner"
	row "a namespace without RDMA" true NETNS - PEERDECL device
	in=
	ip netns del inner

	# ---- RDMA does not get through ----
	rdma_on "$DEV"
	there block
	row "RoCE is blocked" block PEERDECL TIMEOUT_CL TIMEOUT_CL -
	row "and that is known" true NO_PATH - PEERNOSMC
	there unblock
	row "until the list is flushed" "unblock; smcx peers flush" SMC - -

	# ---- without IPv4 ----
	row "no IPv4" "ip -4 addr del $SELF/24 dev $DEV" NO_GID - PEERDECL GID "$PEER6"
	# the group went with the address, and the way to tell the server so
	row "IPv4 is back" "ip addr add $SELF/24 dev $DEV; until_ok has_gid" SYNCERR - PEERDECL -
	row "and with a new group" true SMC - -
	ip link del dummy0
	peer put order end
fi
echo "1..$n"
exit $bad
