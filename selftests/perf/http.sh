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

# counters: "smc fallback errors" of this machine, over both sides of a connection.
counters() {
	smcnl stat | awk '/^(client|server)_v[12] / { smc += $2 } /_fallback / { fb += $2 }
			  END { print smc + 0, fb + 0 }'
}

nginx_conf() {
	mkdir -p /tmp/www /tmp/nginx-$1
	head -c 768 /dev/urandom | base64 -w 0 > /tmp/www/1k
	cat > /tmp/nginx-$1.conf <<-END
		user root;
		worker_processes 1;
		pid /tmp/nginx-$1.pid;
		error_log /tmp/nginx-$1.log error;
		events { worker_connections 8192; }
		http {
			access_log off;
			sendfile on;
			keepalive_requests 100000000;
			client_body_temp_path /tmp/nginx-$1;
			proxy_temp_path /tmp/nginx-$1;
			fastcgi_temp_path /tmp/nginx-$1;
			uwsgi_temp_path /tmp/nginx-$1;
			scgi_temp_path /tmp/nginx-$1;
			server {
				listen $1 backlog=8192;
				root /tmp/www;
			}
		}
	END
}

serve() {
	nginx_conf 80
	nginx_conf 81
	nginx -c /tmp/nginx-80.conf || exit 1
	smc_run nginx -c /tmp/nginx-81.conf || exit 1
	peer sync serving
	while :; do
		case $(peer get ask $((600 * SLOW))) in
		counters) peer put counters "$(counters)" ;;
		*) break ;;
		esac
	done
	cat /tmp/nginx-80.log /tmp/nginx-81.log
}

server_counters() {
	peer put ask counters
	peer get counters
}

# measure ROUND MODE CONNECTIONS PROTO SECONDS
measure() {
	url=http://$PEER:80/1k
	run=
	if [ "$4" = smc ]; then
		url=http://$PEER:81/1k
		run=smc_run
		set -- "$@" $(counters) $(server_counters)
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
	set -- "$@" $(counters) $(server_counters)
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
