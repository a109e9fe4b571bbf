#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Keys on the wire: none are exchanged per connection on a group of two of ours, and with net.smc.rkey_skip=0 all are.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/pair/lib-capture.sh

CONNS=10
probe=/tests/pair/onertt_probe

# keys_are MESSAGE KIND COUNT: so many are in the capture
keys_are() {
	smcx decode "$PWD/capture" llc
	[ "$(decoded llc "LLC +$1 .*kind=$2")" = "$3" ]
}

# carried NAME: CONNS connections, a request and a reply over each, with a capture
carried() {
	exchange "$1" 5410
	check "$1: all are SMC" test "$(grep -c ' SMC$' "$1")" = $CONNS
	check "their packets are there" test "$(decoded cdc 'CDC +message')" -ge $((2 * CONNS))
}

if [ "$ROLE" = server ]; then
	serve_probe 5410
	peer sync up 60
	peer sync skipped 60
	sysctl -q -w net.smc.rkey_skip=0
	peer sync full 60
	peer sync done 60
	sysctl -q -w net.smc.rkey_skip=1
	check "no reply but to a whole request" test "$(grep -c WRONG smc.log)" = 0
	kill $pid
else
	peer sync up 60
	# the group, whose first contact has messages of its own
	$probe client "$PEER" 5410 smc 1 > first
	sleep 1
	carried skipped
	check "no key is confirmed" keys_are CONFIRM_RKEY request 0
	check "none is deleted" keys_are DELETE_RKEY request 0
	sysctl -q -w net.smc.rkey_skip=0
	peer sync skipped 60
	peer sync full 60
	carried full
	check "each side confirms its key for each connection" keys_are CONFIRM_RKEY request $((2 * CONNS))
	check "and is answered" keys_are CONFIRM_RKEY response $((2 * CONNS))
	sysctl -q -w net.smc.rkey_skip=1
	peer sync done 60
fi
echo "1..$n"
exit $bad
