# SPDX-License-Identifier: GPL-2.0
# Sourced by benchmarks and tests that run nginx on the server machine and ask for its counters.

# counters: SMC connections and fallbacks of this machine, both sides of a connection together.
counters() {
	smcnl stat | awk '/^(client|server)_v[12] / { smc += $2 } /_fallback / { fb += $2 }
			  END { print smc + 0, fb + 0 }'
}

peer_counters() {
	peer put ask counters
	peer get counters
}

# http_start PORT [RUNNER]: nginx with one worker and the pages 1k (random) and big (3 MB of x).
http_start() {
	mkdir -p /tmp/www /tmp/nginx-$1
	[ -e /tmp/www/1k ] || head -c 768 /dev/urandom | base64 -w 0 > /tmp/www/1k
	[ -e /tmp/www/big ] || head -c 3000000 /dev/zero | tr '\0' x > /tmp/www/big
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
	$2 nginx -c /tmp/nginx-$1.conf
}

# setting WORD: how SMC sets up connections (classic: as the standard says; skip: no key exchange for each; onertt: the
# Proposal in the SYN as well), and whether the path is short or takes 25 ms each way (near, far).
setting() {
	case $1 in
	classic) set_up 0 0 ;;
	skip) set_up 0 1 ;;
	onertt) set_up 3 1 ;;
	near) tc qdisc del dev "$DEV" root 2>/dev/null ;;
	far)
		modprobe sch_netem 2>/dev/null
		tc qdisc add dev "$DEV" root netem delay 25ms limit 10000
		;;
	esac
}

# set_up ONERTT RKEY_SKIP: a module that knows nothing of them is what it is.
set_up() {
	echo 3 > /proc/sys/net/ipv4/tcp_fastopen
	[ ! -e /proc/sys/net/smc/onertt ] || echo "$1" > /proc/sys/net/smc/onertt
	[ ! -e /proc/sys/net/smc/rkey_skip ] || echo "$2" > /proc/sys/net/smc/rkey_skip
}

# both WORD: the setting on both machines.
both() {
	setting "$1"
	peer put ask "$1"
	peer get done > /dev/null
}

# http_answer: answer peer_counters and both until the client says quit.
http_answer() {
	peer sync serving
	while :; do
		ask=$(peer get ask $((600 * SLOW)))
		case $ask in
		counters) peer put counters "$(counters)" ;;
		classic | skip | onertt | near | far) setting "$ask"; peer put done ;;
		*) break ;;
		esac
	done
	cat /tmp/nginx-*.log
}

# http_serve PORT [RUNNER]: both.
http_serve() {
	http_start "$@" && http_answer
}
