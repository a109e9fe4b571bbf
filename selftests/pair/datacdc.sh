#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Bytes behind the CDC (one-rtt.rst, DATA): what is on the wire when both sides offer it, and when one does not.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/pair/lib-capture.sh

CONNS=10
probe=/tests/pair/onertt_probe

sent() {
	smcx stat | sed -n 's/^  data_in_cdc *//p'
}

same() {
	echo "$1, want $2"
	[ "$1" = "$2" ]
}

# carried NAME: CONNS connections, a request of 7 bytes and a reply of 5 over each, with a capture
carried() {
	exchange "$1" 5400
	check "$1: all are SMC and got their reply" same "$(grep -c ' SMC$' "$1")" $CONNS
}

count=$(sent)
if [ "$ROLE" = server ]; then
	serve_probe 5400
	peer sync up 60
	peer sync with 60
	check "the replies went with their CDC" same $(($(sent) - count)) $CONNS
	sysctl -q -w net.smc.data_in_cdc=0
	# a new device: the groups end, and the next one knows what is offered now
	rdma link delete "$IBDEV"
	rdma link add "$IBDEV" type rxe netdev "$DEV"
	sleep 1
	peer sync again 60
	peer sync without 60
	check "and no more once it was switched off" same $(($(sent) - count)) $CONNS
	check "no reply but to a whole request" test "$(grep -c WRONG smc.log)" = 0
	kill $pid
	sysctl -q -w net.smc.data_in_cdc=1
else
	peer sync up 60
	carried with
	check "each request is behind its CDC" same "$(decoded cdc ' data=7( |$)')" $CONNS
	check "each reply is" same "$(decoded cdc ' data=5( |$)')" $CONNS
	check "nothing is written" same "$(decoded rdma WRITE)" 0
	check "the counter says so" same $(($(sent) - count)) $CONNS
	peer sync with 60
	peer sync again 60
	carried without
	check "a side that does not offer it gets none" same "$(decoded cdc ' data=')" 0
	check "all is written" same "$(decoded rdma WRITE)" $((2 * CONNS))
	check "the counter stands still" same $(($(sent) - count)) $CONNS
	peer sync without 60
fi
echo "1..$n"
exit $bad
