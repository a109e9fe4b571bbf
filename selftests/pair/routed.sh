#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A router stands between client and server: RDMA goes through it, as TCP does (RoCE v2). The server's machine plays the router, too, in a
# network namespace of its own.
# vm-test: timeout=60
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

modprobe -a veth macvlan

# client 10.9.0.2 -- 10.9.0.254 router 10.8.0.254 -- 10.8.0.1 server
router() {
	ip netns add router && ip link add mv7 link "$DEV" netns router type macvlan mode bridge &&
		ip link add ve7 type veth peer name ve8 netns router &&
		ip -n router addr add 10.9.0.254/24 dev mv7 && ip -n router link set mv7 up &&
		ip -n router addr add 10.8.0.254/24 dev ve8 && ip -n router link set ve8 up &&
		ip netns exec router sysctl -q -w net.ipv4.ip_forward=1
}

behind_it() {
	ip addr add 10.8.0.1/24 dev ve7 && ip link set ve7 up && ip route add 10.9.0.0/24 via 10.8.0.254 &&
		rdma link add rxe7 type rxe netdev ve7
}

# The devices have 1500, and so has the server's route.
ROUTE_MTU=1000
before_it() { ip addr add 10.9.0.2/24 dev "$DEV" && ip route add 10.8.0.0/24 via 10.9.0.254 mtu $ROUTE_MTU; }

# The router takes one of 64 hops.
came_through_it() {
	tcpdump -Z root -r capture -nv 'udp dst port 4791 and src 10.8.0.1' > text
	grep -q 'ttl 63' text && ! grep 'ttl' text | grep -v -q 'ttl 63'
}

# The page is longer than what a packet of RDMA holds on the devices (1024) or on the route (512).
suits_the_route() {
	local largest=$(sed -n 's/.*proto UDP (17), length \([0-9]*\)).*/\1/p' text | sort -n | tail -n 1)
	echo "# largest packet of RDMA: $largest"
	[ "$largest" -gt 512 ] && [ "$largest" -le $ROUTE_MTU ]
}

if [ "$ROLE" = server ]; then
	check "a router" router
	check "the server behind it" behind_it
	http_start 81 smc_run
	peer sync up 60
	peer sync end $((60 * SLOW))
	check "over SMC here, too" test "$(value server_v2)" -ge 3
	kill "$(cat /tmp/nginx-81.pid)"
	rdma link del rxe7
	ip netns del router
else
	check "a way to it" before_it
	peer sync up 60
	tcpdump -Z root -U -i "$DEV" -w capture udp port 4791 2> /dev/null &
	until_ok test -s capture
	check "by the router: SMC" until_ok page 10.8.0.1 client_v2
	check "again, in the same group" page 10.8.0.1 client_v2
	smcx -j why 10.8.0.1 81 > why
	check "why: by the gateway" grep -q "\"ok\", \"check\": \"route\".*through the gateway 10.9.0.254" why
	check "why: nothing failed" sh -c '! grep failed why'
	check "RDMA came through the router" until_ok came_through_it
	check "in packets of the route's size" suits_the_route
	kill %1
	wait
	peer sync end 60
	ip route del 10.8.0.0/24
	ip addr del 10.9.0.2/24 dev "$DEV"
fi
echo "1..$n"
exit $bad
