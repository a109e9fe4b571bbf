#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packets are lost while streams run and ever more connections make both ends register memory: no connection ends by that. On
# soft-RoCE a registration in the queue behind a message that must be sent again breaks the queue pair.
# vm-test: timeout=240
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

PORT=81
lose() { modprobe sch_netem; tc qdisc replace dev "$DEV" root netem loss 2%; }

# streams and growth on a link group of its own
grow() {
	local pids="" pid rc=0
	for _ in 1 2 3; do
		smc_run curl -m $((60 * SLOW)) -sf -o /dev/null "http://$PEER:$PORT/big" &
		pids="$pids $!"
	done
	smc_run wrk -t 1 -c 60 -d 4s --timeout 30s "http://$PEER:$PORT/1k"
	for pid in $pids; do
		wait "$pid" || rc=1
	done
	return $rc
}

killed() { value killed_with_group; }

old=$(sysctl net.smc.lgr_free_delay | tr -d ' ')
sysctl -q -w net.smc.lgr_free_delay=1
if [ "$ROLE" = server ]; then
	http_start $PORT smc_run
	lose
	before=$(killed)
	peer sync up 60
	peer sync end $((220 * SLOW))
	check "no connection was killed here" [ "$(killed)" = "$before" ]
	kill "$(cat /tmp/nginx-$PORT.pid)"
else
	peer sync up 60
	lose
	before=$(killed)
	for round in 1 2 3 4; do
		smc=$(value client_v2)
		check "streams to their end, while connections come" grow
		check "over SMC" [ $(($(value client_v2) - smc)) -ge 60 ]
		sleep 3
	done
	check "no connection was killed" [ "$(killed)" = "$before" ]
	peer sync end 60
fi
tc qdisc del dev "$DEV" root
sysctl -q -w $old
echo "1..$n"
exit $bad
