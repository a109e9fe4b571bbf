#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One round trip to in-tree smc: a listed server that takes TCP's own Fast Open cookies (tcp_fastopen=0x403), 25 ms each way.
# vm-test: timeout=120 client=smcx
. /tests/pair/lib-onertt.sh

if [ "$ROLE" = server ]; then
	sysctl -q -w net.ipv4.tcp_fastopen=0x403
	serve 5310 smc smc.log
	serve 5311 tcp tcp.log
	peer sync up 60
	peer sync end 120
	check "the SMC server saw its client's bytes only" test "$(grep -c WRONG smc.log)" = 0
	check "and so did the TCP server, which is not listed" test "$(grep -c WRONG tcp.log)" = 0
	unserve
else
	peer sync up 60
	client 5310 smc 3 unlisted
	check "not listed: SMC" all_are SMC unlisted
	check "and nothing in a SYN" is sent 0
	smcx trust add "$PEER" port 5310 cookie
	client 5310 smc 1 cookie
	check "listed, without a cookie yet: SMC" all_are SMC cookie
	client 5310 smc 5 warm
	check "with the cookie: SMC" all_are SMC warm
	check "the Proposals were in the SYNs" is acked 5
	# in-tree smc confirms keys for each connection, behind the Accept
	check "which saves a round trip" sh -c "test $(best 1 warm) -lt $(($(best 1 unlisted) - 35000))"
	client 5311 smc 2 plain
	check "a TCP server on a port that is not listed: TCP" test "$(grep -c TCP plain)" = 2
	smcx trust del "$PEER" port 5310
	peer sync end 60
fi
tc qdisc del dev "$DEV" root
echo "1..$n"
exit $bad
