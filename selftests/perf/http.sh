#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# nginx on the server machine, wrk on the client machine; both over TCP (port 80) and over SMC (port 81), in turn.
# Prints for the host: "@result ROUND MODE CONNECTIONS PROTO REQUESTS_PER_SECOND REQUESTS ERRORS" and, for each SMC run,
# "@proof ROUND MODE CONNECTIONS client_smc client_fallback server_smc server_fallback" (differences of the counters).
# Settings: ROUNDS, SECONDS_PER_RUN, CONNECTIONS, MODES.

. /tests/env
ROUNDS=${ROUNDS:-3}
SECONDS_PER_RUN=${SECONDS_PER_RUN:-4}
CONNECTIONS=${CONNECTIONS:-1 10 200}
MODES=${MODES:-close keepalive}

. /tests/perf/libhttp.sh

serve() {
	http_start 80 || exit 1
	http_start 81 smc_run || exit 1
	http_answer
}

# measure ROUND MODE CONNECTIONS PROTO SECONDS
measure() {
	url=http://$PEER:80/1k
	run=
	if [ "$4" = smc ]; then
		url=http://$PEER:81/1k
		run=smc_run
		set -- "$@" $(counters) $(peer_counters)
	fi
	header="X-None: 0"
	[ "$2" != close ] || header="Connection: close"
	$run wrk -t 1 -c "$3" -d "$5s" --timeout 30s -H "$header" $url > /tmp/wrk.out 2>&1
	awk -v tag="$1 $2 $3 $4" '
		/requests in/ { requests = $1 }
		/Requests\/sec/ { rate = $2 }
		/Socket errors/ { gsub(",", ""); errors = $4 + $6 + $8 + $10 }
		/Non-2xx/ { errors += $NF }
		END { print "@result", tag, rate + 0, requests + 0, errors + 0 }' /tmp/wrk.out
	[ "$4" = smc ] || return 0
	# The last connections are still closing on the other side.
	sleep 0.5
	set -- "$@" $(counters) $(peer_counters)
	echo "@proof $1 $2 $3 $((${10} - $6)) $((${11} - $7)) $((${12} - $8)) $((${13} - $9))"
}

drive() {
	peer sync serving
	# Neighbours, link group and caches warm: nobody measures the first contact here.
	for proto in tcp smc; do
		measure 0 close 1 $proto 1
		cat /tmp/wrk.out
	done
	for round in $(seq "$ROUNDS"); do
		for mode in $MODES; do
			for conns in $CONNECTIONS; do
				for proto in tcp smc; do
					measure "$round" $mode $conns $proto "$SECONDS_PER_RUN"
				done
			done
		done
	done
	smcnl stat
	[ ! -x /opt/smcx/bin/smcx ] || [ "$MODULE" != smcx ] || smcx stat
	peer put ask quit
}

if [ "$ROLE" = server ]; then
	serve
else
	drive
fi
