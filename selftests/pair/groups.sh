#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whose connections share a link group: those of one TCP address of the client. A Proposal says who sends it, and the server
# cannot check that; another host that says the same must not get at the memory behind the first one's group.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/perf/libhttp.sh

other=10.0.0.9

groups() { smcx -j lgr | grep -c '"role": "'"$1"; }
groups_are() { smcx lgr; [ "$(groups "$1")" = "$2" ]; }

# A new device: the groups of earlier tests end.
rdma link delete "$IBDEV"
rdma link add "$IBDEV" type rxe netdev "$DEV"
until [ "$(groups .)" = 0 ]; do sleep 0.1; done

# fetch ADDRESS COUNT: pages over SMC from this address of ours
fetch() {
	for i in $(seq "$2"); do
		smc_run curl -sf --interface "$1" -o page "http://$PEER:81/1k" && [ "$(wc -c < page)" = 1024 ] || return 1
	done
}

smc_now() { counters | cut -d ' ' -f 1; }
grown() { echo "$1 SMC connections, want $2"; [ "$1" = "$2" ]; }

count=$(smc_now)
if [ "$ROLE" = server ]; then
	http_start 81 smc_run
	peer sync up 60
	peer sync one 60
	check "one address of the client, one group" groups_are server 1
	peer sync seen 60
	peer sync two 60
	check "another address, another group, although the Proposals say the same of their sender" groups_are server 2
	check "all were SMC" grown $(($(smc_now) - count)) 7
	peer sync end 60
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
	check "are in two groups" groups_are client 2
	check "all were SMC" grown $(($(smc_now) - count)) 7
	peer sync two 60
	peer sync end 60
	ip addr del "$other/24" dev "$DEV"
fi
echo "1..$n"
exit $bad
