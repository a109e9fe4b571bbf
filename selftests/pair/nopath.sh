#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# TCP reaches the server and RoCE does not. In both directions: a connection is TCP after seconds. In one direction, or with a first
# contact in one round trip: it is lost. Those after it are TCP at once, until the path is good again.
# vm-test: timeout=180
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

# RoCE packets that come to this machine: the rule must stand before that of local addresses.
block() {
	ip rule add pref 5 ipproto 17 dport 4791 iif "$DEV" blackhole
}

unblock() { ip rule del pref 5; }

# fetch LIMIT_MS: a page in this time, whatever carries it
fetch() {
	local begun=$(now_ms) took
	smc_run curl -m $((15 * SLOW)) -sSf -o page "http://$PEER:81/1k" || return 1
	took=$(($(now_ms) - begun))
	echo "$took ms"
	[ $took -lt $(($1 * SLOW)) ]
}

over_smc() {
	local before=$(value client_v2)
	fetch 3000 && [ "$(value client_v2)" -gt "$before" ]
}

# at_once: TCP without a word of SMC
at_once() {
	local before=$(value client_NO_PATH)
	fetch 1000 && [ "$(value client_NO_PATH)" -gt "$before" ]
}

says_no_path() {
	smcx -j peers | tee peers
	grep -q "\"address\": \"$PEER\", \"port\": 0.*\"no path\"" peers
}

eight() {
	local pids=() pid rc=0
	for _ in 1 2 3 4 5 6 7 8; do
		"$@" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || rc=1
	done
	return $rc
}

# remembered_for SECONDS: at most
remembered_for() {
	local left=$(smcx -j peers | sed -n 's/.*"port": 0,.*"no path", "seconds": \([0-9]*\),.*/\1/p')
	echo "$left seconds"
	[ "${left:-0}" -ge 1 ] && [ "$left" -le "$1" ]
}

why() {
	smcx -j why "$PEER" 81 > why
	local rc=$?
	cat why
	[ $rc -eq 5 ] && grep -q "$1" why
}

fails() { ! "$@"; }

ip rule add pref 10 lookup local
ip rule del pref 0
if [ "$ROLE" = server ]; then
	old=$(sysctl net.smc.lgr_free_delay net.ipv4.tcp_fastopen | tr -d ' ')
	sysctl -q -w net.smc.lgr_free_delay=0 net.ipv4.tcp_fastopen=3
	http_start 81 smc_run
	block
	peer sync in-blocked 60
	peer sync in-done $((60 * SLOW))
	unblock
	peer sync open 60
	peer sync open-done $((60 * SLOW))
	# no group that could be used again
	until ! smcx -j lgr | grep -q '"role"'; do sleep 0.2; done
	block
	peer sync early-blocked 60
	peer sync early-done $((60 * SLOW))
	unblock
	peer sync open-again 60
	peer sync open-again-done $((60 * SLOW))
	until ! smcx -j lgr | grep -q '"role"'; do sleep 0.2; done
	block
	peer sync both-blocked 60
	peer sync both-done $((60 * SLOW))
	unblock
	kill "$(cat /tmp/nginx-81.pid)"
	sysctl -q -w $old
	check "the server has seen first contacts fail" [ "$(value server_TIMEOUT_CL)" -ge 1 ]
else
	retry=$(sysctl -n net.smc.path_retry)
	smcx peers flush
	peer sync in-blocked 60
	check "client to server blocked: lost, as the documentation says" fails fetch 12000
	check "the next one at once" at_once
	check "smcx peers says it" says_no_path
	check "smcx why says it" why '"reason": "NO_PATH"'
	check "the log says what to do" sh -c 'dmesg | grep -q "smcx: server .*UDP port 4791"'
	peer sync in-done 60
	peer sync open 60
	smcx peers flush
	check "the path is good again: SMC" over_smc
	check "an invitation has come" sh -c 'smcx peers | grep -q invited'
	peer sync open-done 60
	peer sync early-blocked 60
	sysctl -q -w net.smc.path_retry=5
	check "first contact in one round trip, blocked: lost, and smcx why sees it" why 'no message got through'
	check "the next one is TCP at once" at_once
	peer sync early-done 60
	peer sync open-again 60
	sleep 5
	check "by itself SMC again" over_smc
	check "and nothing is remembered" fails says_no_path
	peer sync open-again-done 60
	block
	peer sync both-blocked 60
	sysctl -q -w net.smc.path_retry=0
	smcx peers flush
	check "both blocked: TCP in the end" fetch 12000
	check "not remembered if that is off" fails at_once
	sysctl -q -w net.smc.path_retry="$retry"
	check "both blocked: TCP once more, all of eight" eight fetch 12000
	check "eight that failed at the same time count as one" remembered_for 10
	check "and then at once" at_once
	peer sync both-done 60
	unblock
	smcx peers flush
fi
ip rule add pref 0 lookup local
ip rule del pref 10
echo "1..$n"
exit $bad
