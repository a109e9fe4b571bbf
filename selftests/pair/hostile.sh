#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A hostile peer with a queue pair of its own (hostile.c, evil/) against an application of ours that serves and connects
# (victim.c). After each group of attacks a page comes over SMC between the two modules, in the end nothing is left.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/perf/libhttp.sh

value() { smcx stat | awk -v k="$1" '$1 == k { print $2 }'; }

# Nothing but the two listeners: sockets, link groups, elements.
nothing_left() {
	for _ in $(seq $((30 * SLOW))); do
		[ "$(value sockets_now)" = 2 ] && [ "$(value receive_buffer_bytes)" = 0 ] &&
			! smcx -j lgr | grep -q '"role"' && return 0
		sleep 1
	done
	smcx
	smcx lgr
	return 1
}

# attack NAME...: at the same time
attack() {
	check "$*" /tests/pair/hostile "$SELF" 10.0.0.3 "$PEER" 5000 "$@"
	check "a page over SMC after it" page
}

page() {
	local before
	before=$(counters)
	smc_run curl -m $((10 * SLOW)) -sf --interface 10.0.0.3 -o page "http://$PEER:81/1k" && [ "$before" != "$(counters)" ]
}

if [ "$ROLE" = server ]; then
	old=$(sysctl net.smc.rkey_skip net.smc.smcr_testlink_time net.smc.close_timeout net.smc.lgr_free_delay net.smc.path_retry |
		tr -d ' ')
	sysctl -q -w net.smc.rkey_skip=0 net.smc.smcr_testlink_time=1 net.smc.close_timeout=2 net.smc.lgr_free_delay=2 net.smc.path_retry=0
	/tests/pair/victim 5000 &
	http_start 81 smc_run
	peer sync up 60
	peer sync end $((120 * SLOW))
	check "nothing is left" nothing_left
	kill %1 "$(cat /tmp/nginx-81.pid)"
	sysctl -q -w $old
else
	modprobe ib_uverbs
	ip addr add 10.0.0.3/24 dev "$DEV"
	peer sync up 60
	attack well-behaved
	attack wild-cursors flags lengths tokens data-behind never-written cdc-flood
	attack no-receives mute-confirm-link answers-twice wrong-confirm-link eyecatcher mute-confirm-rkey wrong-confirm-rkey \
		unasked-answers mute-delete-rkey
	attack no-more-receives mute-test-link llc-garbage llc-before-link llc-odd-ids rkey-places llc-flood \
		byte-by-byte window-shut
	attack write-wrong-key write-outside write-foreign write-late confirm-again
	attack bogus-qpn bogus-qpn1 bogus-psn bogus-rkey bogus-addr bogus-index bogus-size bogus-mtu bogus-gid bogus-mac \
		bogus-token bogus-peer bogus-eid bogus-release bogus-first
	attack server-well-behaved server-twice server-mute server-no-receives server-no-more-receives server-unknown-group \
		server-bogus-rkey server-bogus-addr
	attack server-bogus-index server-bogus-qpn server-bogus-gid server-leaves server-add-link server-wild-cursors \
		server-write-outside server-other-address
	attack flood-accepts flood-confirms
	attack stuck-groups
	peer sync end 100
	ip addr del 10.0.0.3/24 dev "$DEV"
fi
echo "1..$n"
exit $bad
