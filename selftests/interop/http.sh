#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# nginx on one module, curl and wrk on the other; the counters of both machines must show SMC and no fallback.
# vm-test: timeout=120
. /tests/env
. /tests/perf/libhttp.sh

check() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
	fi
}

if [ "$ROLE" = server ]; then
	http_serve 81 smc_run
	exit
fi
count=0
peer sync serving
head -c 3000000 /dev/zero | tr '\0' x > big
for i in 1 2 3 4 5; do
	smc_run curl -s "http://$PEER:81/big" | cmp - big || break
done
check $? "five downloads of 3 MB arrive unharmed"
before=$(counters)
before_peer=$(peer_counters)
smc_run wrk -t 1 -c 10 -d 5s --timeout 20s -H "Connection: close" "http://$PEER:81/1k" > wrk.out
cat wrk.out
requests=$(awk '/requests in/ { print $1 }' wrk.out)
[ "${requests:-0}" -gt 0 ] && ! grep -q 'Socket errors' wrk.out
check $? "wrk gets answers, no socket errors"
sleep 1
set -- $before $before_peer $(counters) $(peer_counters)
[ $(($5 - $1)) -ge "$requests" ] && [ $(($7 - $3)) -ge "$requests" ]
check $? "$requests requests, $(($5 - $1)) SMC connections here, $(($7 - $3)) there"
[ $(($6 - $2)) -eq 0 ] && [ $(($8 - $4)) -eq 0 ]
check $? "fallbacks: $(($6 - $2)) here, $(($8 - $4)) there"
peer put ask quit
echo "1..$count"
