#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Keys on the wire with in-tree smc: it announces its own as it likes, and is answered; ours announces none for a connection
# and takes none back (net.smc.rkey_skip), since each Accept and Confirm names one.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/pair/lib-capture.sh

CONNS=10
probe=/tests/pair/onertt_probe

# sent ADDRESS MESSAGE KIND: how many of them went out there, in the group that its last message belongs to: a group of
# an earlier test may still give back buffers
sent() {
	awk -v from="$1" -v what="LLC +$2 .*kind=$3" '
		index($2, from) == 1 && match($0, /dest_qp=[0-9]+/) { qp = substr($0, RSTART, RLENGTH) }
		index($2, from) == 1 && $0 ~ what { n[qp]++ }
		END { print n[qp] + 0 }' llc
}

none_sent() {
	cat llc
	[ "$(sent "$1" "$2" request)" = 0 ]
}

all_answered() {
	cat llc
	[ "$(sent "$1" CONFIRM_RKEY response)" = "$(sent "$2" CONFIRM_RKEY request)" ]
}

if [ "$ROLE" = server ]; then
	serve_probe 5410
	peer sync up 60
	peer sync done 60
	check "no reply but to a whole request" test "$(grep -c WRONG smc.log)" = 0
	kill $pid
else
	ours=$SELF theirs=$PEER
	[ "$MODULE" = smcx ] || ours=$PEER theirs=$SELF
	peer sync up 60
	# the group, whose first contact has messages of its own
	$probe client "$PEER" 5410 smc 1 > first
	sleep 1
	exchange many 5410
	smcx decode "$PWD/capture" llc > llc
	check "all are SMC" test "$(grep -c ' SMC$' many)" = $CONNS
	check "their packets are there" test "$(decoded cdc 'CDC +message')" -ge $((2 * CONNS))
	check "ours confirms no key" none_sent "$ours" CONFIRM_RKEY
	check "and deletes none" none_sent "$ours" DELETE_RKEY
	check "and answers in-tree smc's, $(sent "$theirs" CONFIRM_RKEY request)" all_answered "$ours" "$theirs"
	peer sync done 60
fi
echo "1..$n"
exit $bad
