#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whose connections share a link group: those of one TCP address of the client. A Proposal says who sends it, and the server
# cannot check that; another host that says the same must not get at the memory behind the first one's group.
# vm-test: timeout=120
. /tests/pair/lib-groups.sh

other=10.0.0.9		# of the client
second=10.0.0.8		# of the server

if [ "$ROLE" = server ]; then
	http_start 81 smc_run
	ip addr add "$second/24" dev "$DEV"
	peer sync up 60
	peer sync one 60
	check "one address of the client, one group" groups_are server 1
	peer sync seen 60
	peer sync two 60
	check "another address, another group, although the Proposals say the same of their sender" groups_are server 2
	check "all were SMC" grown $(($(smc_now) - count)) 9
	peer sync end 60
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
	peer sync end 60
	ip addr del "$other/24" dev "$DEV"
fi
echo "1..$n"
exit $bad
