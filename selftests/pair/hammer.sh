#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Everything at once to shared sockets, on both machines; afterwards nothing is left.
# vm-test: timeout=150 reload
. /tests/pair/lib-check.sh

idle() {
	local i
	for i in $(seq $((60 * SLOW))); do
		[ "$(smcx -j stat | sed -n 's/.*"sockets_now": \([0-9]*\).*/\1/p')" = 0 ] &&
			[ "$(smcx -j lgr | grep -c '"id"')" = 0 ] && return
		sleep 0.5
	done
	smcx stat
	smcx sock
	smcx lgr
	return 1
}

delay=$(sysctl -n net.smc.lgr_free_delay) timeout=$(sysctl -n net.smc.close_timeout)
# who closes a listener with a Confirm on its way never learns of the connection: its client gives up by itself
sysctl -q -w net.smc.lgr_free_delay=1 net.smc.close_timeout=15
peer sync begin 60
# its points are the first two
/tests/pair/hammer "$SELF" "$PEER" 20 || { bad=1; smcx stat | sed 's/^/# /'; }
n=2
peer sync end $((120 * SLOW))
check "no socket and no link group is left" idle
sysctl -q -w net.smc.lgr_free_delay="$delay" net.smc.close_timeout="$timeout"
peer sync gone $((60 * SLOW))
echo "1..$n"
exit $bad
