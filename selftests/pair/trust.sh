#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trusted prefixes between two of ours, 25 ms each way: the Proposal in the SYN of the very first connection.
# vm-test: timeout=120
. /tests/pair/lib-onertt.sh

if [ "$ROLE" = server ]; then
	sysctl -q -w net.ipv4.tcp_fastopen=3
	smcx trust add 10.0.0.0/24
	serve 5300 smc smc.log
	serve 5301 smc smc.log
	peer sync up 60
	peer sync trusted 60
	check "the Proposals without token were let in" is accepted 4
	smcx trust del 10.0.0.0/24
	peer sync withdrawn 60
	peer sync end 60
	check "and no more once the trust was withdrawn" is accepted 4
	check "no server saw anything but its client's bytes" test "$(grep -c WRONG smc.log)" = 0
	unserve
else
	peer sync up 60
	check "an address that is none is refused" sh -c "! smcx trust add 10.0.0.1/33"
	smcx trust add "$PEER" port 5300
	client 5300 smc 1 first
	check "the first connection ever is SMC" all_are SMC first
	check "its Proposal was taken out of the SYN" is acked 1
	smcx peers flush
	client 5300 smc 3 warm
	check "so are the next" all_are SMC warm
	check "connect() takes one round trip" between 49000 $((80000 * SLOW)) "$(best 1 warm)"
	client 5301 smc 1 other
	check "another port's first connection is SMC" all_are SMC other
	check "but its SYN carried nothing" is sent 4
	peer sync trusted 60
	peer sync withdrawn 60
	smcx peers flush
	client 5300 smc 1 refused
	check "a server that does not trust us: SMC all the same" all_are SMC refused
	check "with the Proposal behind the SYN" is acked 4
	smcx trust del "$PEER" port 5300
	check "the list is empty" sh -c "! smcx -j trust | grep -q prefix"
	peer sync end 60
fi
tc qdisc del dev "$DEV" root
echo "1..$n"
exit $bad
