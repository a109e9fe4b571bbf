#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One allocation in fifty that the module asks for, or somebody below it, fails on both machines: connections may, nothing else, and all
# is well afterwards. Needs the debug kernel's fault injection.
# vm-test: timeout=150
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

fault=/sys/kernel/debug/failslab
grep -q ' /sys/kernel/debug ' /proc/mounts || mount -t debugfs debugfs /sys/kernel/debug 2> /dev/null
if [ ! -e $fault/require-start ]; then
	echo "1..0 # SKIP no fault injection in this kernel"
	exit
fi

# Only where a function of the module is in the stack.
begin() {
	local text=$(cat /sys/module/smcx/sections/.text) size=$(awk '$1 == "smcx" { print $2 }' /proc/modules)
	echo "$text" > $fault/require-start
	printf "0x%x\n" $((text + size)) > $fault/require-end
	echo N > $fault/ignore-gfp-wait
	echo N > $fault/task-filter
	echo 0 > $fault/verbose
	echo 1 > $fault/interval
	echo -1 > $fault/times
	echo 2 > $fault/probability
}

end() { echo 0 > $fault/probability; }

# Whatever comes of them; what one leaves behind may keep the next from being SMC.
storm() {
	local i
	for i in $(seq 150); do
		smc_run curl -m 10 -sS -o page "http://$PEER:81/1k" 2>> errors && echo served >> served
		[ $((i % 25)) -ne 0 ] || { rdma link del rxe0; rdma link add rxe0 type rxe netdev "$DEV"; }
	done
	echo "$(wc -l < served) served; $(sort errors | sed 's/after.*//' | uniq -c | sort -rn | head -n 3)"
	[ "$(wc -l < served)" -gt 20 ]
}

if [ "$ROLE" = server ]; then
	http_start 81 smc_run
	begin
	peer sync begin 60
	peer sync end $((150 * SLOW))
	end
	peer sync well 60
	peer sync done $((60 * SLOW))
	check "nginx has lived through it" kill -0 "$(cat /tmp/nginx-81.pid)"
	kill "$(cat /tmp/nginx-81.pid)"
else
	sysctl -q -w net.smc.path_retry=0
	peer sync begin 60
	begin
	check "some connections succeed" storm
	cat out
	end
	peer sync end 60
	peer sync well 60
	check "afterwards: SMC" until_ok page "$PEER" client_v2
	check "and again" page "$PEER" client_v2
	sysctl -q -w net.smc.path_retry=10
	peer sync done 60
fi
echo "1..$n"
exit $bad
