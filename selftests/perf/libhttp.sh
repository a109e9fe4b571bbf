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

# http_answer: answer peer_counters until the client says quit.
http_answer() {
	peer sync serving
	while :; do
		case $(peer get ask $((600 * SLOW))) in
		counters) peer put counters "$(counters)" ;;
		*) break ;;
		esac
	done
	cat /tmp/nginx-*.log
}

# http_serve PORT [RUNNER]: both.
http_serve() {
	http_start "$@" && http_answer
}
