#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A client with many addresses, one connection from each: groups that nobody uses go when together they hold too much.
# vm-test: timeout=300
. /tests/pair/lib-groups.sh

# What they may hold: room.c
most=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 32 / 768 + 1))
many=$((most + 20))
few_groups() { echo "$(groups "$1") groups, at most $most"; [ "$(groups "$1")" -le "$most" ]; }

# addresses add|del: 10.0.1.1 ...
addresses() {
	for i in $(seq "$many"); do
		ip addr "$1" "10.0.1.$i/32" dev "$DEV" || return 1
	done
}

fetch_many() {
	for i in $(seq "$many"); do
		fetch "10.0.1.$i" 1 || return 1
	done
}

if [ "$ROLE" = server ]; then
	http_start 81 smc_run
	ip route add 10.0.1.0/24 dev "$DEV"
	peer sync up 60
	peer sync many 300
	check "$many addresses, few groups" few_groups server
	check "all were SMC" grown $(($(smc_now) - count)) "$many"
	peer sync end 60
	ip route del 10.0.1.0/24
	smc_run nginx -c /tmp/nginx-81.conf -s quit
else
	peer sync up 60
	addresses add
	check "one connection from each of $many addresses" fetch_many
	check "few groups" few_groups client
	check "all were SMC" grown $(($(smc_now) - count)) "$many"
	peer sync many 300
	addresses del
	peer sync end 60
fi
echo "1..$n"
exit $bad
