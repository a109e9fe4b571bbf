#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Listeners that are shut down while clients connect, with and without a Proposal in the SYN: no application ever reads a Proposal, and
# neither does a plain listener that takes over what was half open (tcp_migrate_req).
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh
ROUNDS=40

# served NAME FASTOPEN [beside]: listeners come and go
served() {
	sysctl -q -w net.ipv4.tcp_fastopen=$2
	peer sync "begin-$1" 60
	/tests/pair/stopper server 5700 $ROUNDS $3 > out.$1
	cat out.$1
	peer sync "end-$1" $((60 * SLOW))
	set -- "$1" $(grep '^rounds' out.$1)
	check "$1: clients were served" test "${5:-0}" -gt $ROUNDS
	check "$1: nobody read a Proposal" test "${7:-1}" = 0
}

# comes NAME: until the other side has enough
comes() {
	peer sync "begin-$1" 60
	/tests/pair/stopper client "$PEER" 5700 < input &
	exec 9> input
	peer sync "end-$1" $((60 * SLOW))
	exec 9>&-
	check "$1: the client ends" wait $!
}

if [ "$ROLE" = server ]; then
	served plain 1
	served early 3
	# what is half open, or waits, may go on at another listener
	sysctl -q -w net.ipv4.tcp_migrate_req=1
	served migrating 1 beside
	sysctl -q -w net.ipv4.tcp_migrate_req=0
else
	mkfifo input
	no_path=$(value client_NO_PATH) smc=$(value client_v2)
	comes plain
	comes early
	comes migrating
	check "servers that close are not taken for servers without RDMA" test "$(value client_NO_PATH)" = "$no_path"
	check "some were SMC" test "$(value client_v2)" -gt "$smc"
fi
echo "1..$n"
exit $bad
