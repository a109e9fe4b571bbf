#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# nginx on the server machine, wrk on the client machine; both over TCP (port 80) and over SMC (port 81), in turn.
# Prints for the host: "@result ROUND MODE CONNECTIONS PROTO REQUESTS_PER_SECOND REQUESTS ERRORS" and, for each SMC run,
# "@proof ROUND MODE CONNECTIONS PROTO client_smc client_fallback server_smc server_fallback one_round_trip"
# (differences of the counters). PROTO: tcp, smc (in-tree), or a way smcx sets up connections, see libhttp.sh.
# MODE: close (a connection for each request), keepalive, far (close, over a path of 25 ms each way).
# Settings: ROUNDS, SECONDS_PER_RUN, CONNECTIONS, MODES.

. /tests/env
ROUNDS=${ROUNDS:-3}
SECONDS_PER_RUN=${SECONDS_PER_RUN:-4}
CONNECTIONS=${CONNECTIONS:-1 10 200}
MODES=${MODES:-close far keepalive}

. /tests/perf/libhttp.sh

serve() {
	http_start 80 || exit 1
	http_start 81 smc_run || exit 1
	http_answer
}

# early: connections whose Proposal a server took out of the SYN.
early() {
	smcx -j stat 2>/dev/null | sed -n 's/.*"onertt_acked": \([0-9]*\).*/\1/p' | grep . || echo 0
}

# measure ROUND MODE CONNECTIONS PROTO SECONDS
measure() {
	url=http://$PEER:80/1k
	run=
	if [ "$4" != tcp ]; then
		url=http://$PEER:81/1k
		run=smc_run
		[ "$4" = smc ] || both "$4"
		set -- "$@" $(counters) $(peer_counters) $(early)
	fi
	header="Connection: close"
	[ "$2" != keepalive ] || header="X-None: 0"
	$run wrk -t 1 -c "$3" -d "$5s" --timeout 30s -H "$header" $url > /tmp/wrk.out 2>&1
	awk -v tag="$1 $2 $3 $4" '
		/requests in/ { requests = $1 }
		/Requests\/sec/ { rate = $2 }
		/Socket errors/ { gsub(",", ""); errors = $4 + $6 + $8 + $10 }
		/Non-2xx/ { errors += $NF }
		END { print "@result", tag, rate + 0, requests + 0, errors + 0 }' /tmp/wrk.out
	[ "$4" != tcp ] || return 0
	# The last connections are still closing on the other side.
	sleep 0.5
	set -- "$@" $(counters) $(peer_counters) $(early)
	echo "@proof $1 $2 $3 $4 $((${11} - $6)) $((${12} - $7)) $((${13} - $8)) $((${14} - $9)) $((${15} - ${10}))"
}

# protos MODE: set-up makes no difference to connections that stay.
protos() {
	case $MODULE-$1 in
	smcx-keepalive) echo tcp onertt ;;
	smcx-*) echo tcp classic skip onertt ;;
	*) echo tcp smc ;;
	esac
}

# conns MODE: over the long path one number will do.
conns() {
	case $1 in
	far) echo 10 ;;
	*) echo "$CONNECTIONS" ;;
	esac
}

drive() {
	peer sync serving
	# Neighbours, link group and caches warm: nobody measures the first contact here.
	for proto in $(protos close); do
		measure 0 close 1 $proto 1
		cat /tmp/wrk.out
	done
	for round in $(seq "$ROUNDS"); do
		for mode in $MODES; do
			[ "$mode" != far ] || both far
			for conns in $(conns "$mode"); do
				for proto in $(protos "$mode"); do
					measure "$round" "$mode" "$conns" "$proto" "$SECONDS_PER_RUN"
				done
			done
			[ "$mode" != far ] || both near
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
