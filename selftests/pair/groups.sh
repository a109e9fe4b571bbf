#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whose connections share a link group: those of one TCP address of the client. A Proposal says who sends it, and the server
# cannot check that; another host that says the same must not get at the memory behind the first one's group.
# vm-test: timeout=300
. /tests/pair/lib-check.sh
. /tests/perf/libhttp.sh

other=10.0.0.9		# of the client
second=10.0.0.8		# of the server

groups() { smcx -j lgr | grep -c '"role": "'"$1"; }
groups_are() { smcx lgr; [ "$(groups "$1")" = "$2" ]; }

# A new device: the groups of earlier tests end.
rdma link delete "$IBDEV"
rdma link add "$IBDEV" type rxe netdev "$DEV"
until [ "$(groups .)" = 0 ]; do sleep 0.1; done

# fetch ADDRESS COUNT [SERVER]: pages over SMC from this address of ours
fetch() {
	for i in $(seq "$2"); do
		smc_run curl -sf --interface "$1" -o page "http://${3:-$PEER}:81/1k" && [ "$(wc -c < page)" = 1024 ] || return 1
	done
}

# What groups without connections may hold together: room.c
most=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 32 / 768 + 1))
many=$((most + 20))
few_groups() { echo "$(groups "$1") groups, at most $most"; [ "$(groups "$1")" -le "$most" ]; }

# many_addresses add|del: 10.0.1.1 ...
many_addresses() {
	for i in $(seq "$many"); do
		ip addr "$1" "10.0.1.$i/32" dev "$DEV" || return 1
	done
}

fetch_many() {
	for i in $(seq "$many"); do
		fetch "10.0.1.$i" 1 || return 1
	done
}

smc_now() { counters | cut -d ' ' -f 1; }
grown() { echo "$1 SMC connections, want $2"; [ "$1" = "$2" ]; }

count=$(smc_now)
if [ "$ROLE" = server ]; then
	http_start 81 smc_run
	ip addr add "$second/24" dev "$DEV"
	ip route add 10.0.1.0/24 dev "$DEV"
	peer sync up 60
	peer sync one 60
	check "one address of the client, one group" groups_are server 1
	peer sync seen 60
	peer sync two 60
	check "another address, another group, although the Proposals say the same of their sender" groups_are server 2
	check "all were SMC" grown $(($(smc_now) - count)) 9
	peer sync many 300
	check "$many addresses, groups nobody uses go when they hold too much" few_groups server
	check "all were SMC, too" grown $(($(smc_now) - count)) $((9 + many))
	peer sync end 60
	ip route del 10.0.1.0/24
	ip addr del "$second/24" dev "$DEV"
	smc_run nginx -c /tmp/nginx-81.conf -s quit
else
	ip addr add "$other/24" dev "$DEV"
	peer sync up 60
	check "three connections" fetch "$SELF" 3
	check "are in one group" groups_are client 1
	peer sync one 60
	peer sync seen 60
	check "two from another address" fetch "$other" 2
	check "two from the first one" fetch "$SELF" 2
	check "two to another address of the server" fetch "$SELF" 2 "$second"
	check "are in two groups" groups_are client 2
	check "all were SMC" grown $(($(smc_now) - count)) 9
	peer sync two 60
	many_addresses add
	check "one from each of $many addresses" fetch_many
	check "groups nobody uses go when they hold too much" few_groups client
	peer sync many 300
	many_addresses del
	peer sync end 60
	ip addr del "$other/24" dev "$DEV"
fi
echo "1..$n"
exit $bad
