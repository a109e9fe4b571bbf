#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The RDMA device is found by itself where the connection leaves through a VLAN device or a bond; smcx why finds it, too. Through
# a VXLAN device it stays TCP: RDMA would leave by the device below, outside the tunnel.
# vm-test: timeout=60
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

modprobe -a 8021q bonding vxlan
[ "$ROLE" = server ] && own=1 || own=2

# told STATUS ADDRESS PATTERN: smcx why says so
told() {
	smcx -j why "$2" 81 > why
	local rc=$?
	cat why
	[ $rc -eq "$1" ] && grep -E -q "$3" why
}

vlan() { ip link add link "$DEV" name "$DEV.$1" type vlan id "$1" && ip link set "$DEV.$1" up; }

over_vlan() { vlan 5 && ip addr add 10.5.0.$own/24 dev "$DEV.5"; }

over_bond() {
	vlan 6 && ip link add bond7 type bond mode active-backup miimon 100 && ip link set "$DEV.6" down &&
		ip link set "$DEV.6" master bond7 && ip addr add 10.6.0.$own/24 dev bond7 && ip link set bond7 up
}

tunnel() {
	ip link add vx7 type vxlan id 7 remote "$PEER" dev "$DEV" dstport 4789 && ip addr add 10.7.0.$own/24 dev vx7 && ip link set vx7 up
}

# The port of the device below cannot receive what arrives by a bond, with soft-RoCE.
rdma_on() { rdma link del rxe0; rdma link add rxe0 type rxe netdev "$1"; }

check "a VLAN device" over_vlan
check "a bond" over_bond
if ip link add vx7 type vxlan id 7 dev "$DEV" dstport 4789 2> /dev/null; then
	ip link del vx7
	check "a VXLAN tunnel" tunnel
	tunnels=1
else
	check "a VXLAN tunnel # SKIP no such device in this kernel" true
	tunnels=
fi
[ "$ROLE" = client ] || http_start 81 smc_run
peer sync up 60
if [ "$ROLE" = client ]; then
	check "over the VLAN: SMC" until_ok page 10.5.0.1 client_v2
	check "the group is of this VLAN" sh -c 'smcx -j lgr | jq -e "any(.[]; .vlan == 5)"'
	check "why: by the port of the device below" told 0 10.5.0.1 "\"ok\", \"check\": \"device\".*rxe0 port 1 belongs to $DEV\.5"
	smcx pnet add LAN eth "$DEV"
	check "a PNET id of the device below counts" page 10.5.0.1 client_NO_PNET
	smcx pnet add LAN ib rxe0
	check "and with a port that has it: SMC" page 10.5.0.1 client_v2
	check "why: by this id" told 0 10.5.0.1 "\"check\": \"device\".*by PNET id LAN"
	smcx pnet flush
	[ -z "$tunnels" ] || check "through the tunnel: TCP" until_ok page 10.7.0.1 client_NO_PORT
fi
peer sync vlan $((60 * SLOW))
check "RDMA over the bond" rdma_on bond7
peer sync bond 60
if [ "$ROLE" = client ]; then
	check "over the bond: SMC" until_ok page 10.6.0.1 client_v2
	check "why: by the bond's port" told 0 10.6.0.1 "\"ok\", \"check\": \"device\".*rxe0 port 1 belongs to bond7"
	check "beside it, where there is no port any more: TCP" page 10.5.0.1 client_NO_PORT
	check "why: no port there" told 5 10.5.0.1 '"failed", "check": "device"'
fi
peer sync end $((60 * SLOW))
[ "$ROLE" = client ] || kill "$(cat /tmp/nginx-81.pid)"
[ -z "$tunnels" ] || ip link del vx7
ip link del bond7
ip link del "$DEV.6"
ip link del "$DEV.5"
check "RDMA where it was" rdma_on "$DEV"
echo "1..$n"
exit $bad
