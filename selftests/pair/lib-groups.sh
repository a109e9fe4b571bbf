# SPDX-License-Identifier: GPL-2.0
# Sourced by tests that count link groups. Begins with none.
. /tests/pair/lib-check.sh
. /tests/perf/libhttp.sh

groups() { smcx -j lgr | grep -c '"role": "'"$1"; }
groups_are() { smcx lgr; [ "$(groups "$1")" = "$2" ]; }

# A new device: the groups of earlier tests end.
rdma link delete "$IBDEV"
rdma link add "$IBDEV" type rxe netdev "$DEV"
until [ "$(groups .)" = 0 ]; do sleep 0.1; done

# fetch ADDRESS COUNT [SERVER]: pages over SMC from this address of ours
fetch() {
	for i in $(seq "$2"); do
		smc_run curl -sf --interface "$1" -o page "http://${3:-$PEER}:81/1k" && [ "$(wc -c < page)" = 1024 ] || return 1
	done
}

smc_now() { counters | cut -d ' ' -f 1; }
grown() { echo "$1 SMC connections, want $2"; [ "$1" = "$2" ]; }

count=$(smc_now)
