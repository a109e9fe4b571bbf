#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Listeners that are shut down while clients connect, with and without a Proposal in the SYN: no application ever reads a Proposal.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
ROUNDS=60

if [ "$ROLE" = server ]; then
	for fastopen in 1 3; do
		sysctl -q -w net.ipv4.tcp_fastopen=$fastopen
		peer sync begin-$fastopen 60
		/tests/pair/stopper server 5700 $ROUNDS > out.$fastopen
		cat out.$fastopen
		peer sync end-$fastopen $((60 * SLOW))
		set -- $(grep '^rounds' out.$fastopen)
		check "tcp_fastopen=$fastopen: clients were served" test "${4:-0}" -gt $ROUNDS
		check "tcp_fastopen=$fastopen: nobody read a Proposal" test "${6:-1}" = 0
	done
	sysctl -q -w net.ipv4.tcp_fastopen=1
else
	mkfifo input
	for fastopen in 1 3; do
		peer sync begin-$fastopen 60
		/tests/pair/stopper client "$PEER" 5700 < input &
		exec 9> input
		peer sync end-$fastopen $((60 * SLOW))
		exec 9>&-
		check "tcp_fastopen=$fastopen: the client ends" wait $!
	done
	check "some were SMC" sh -c 'smcx stat | grep -q "client_v2 *[1-9]"'
fi
echo "1..$n"
exit $bad
