#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The Proposal in the SYN, 25 ms each way: connect() takes one round trip, plain servers see nothing.
# vm-test: timeout=150 core
n=0
bad=0
check() {
	n=$((n + 1))
	local text=$1
	shift
	if "$@" > out 2>&1; then
		echo "ok $n - $text"
	else
		sed 's/^/# /' out
		echo "not ok $n - $text"
		bad=1
	fi
}

counter() {
	smcx stat | sed -n "s/^  onertt_$1 *//p"
}

is() {	# is NAME WANT
	local v=$(counter "$1")
	[ "$v" -eq "$2" ] || { echo "$1 is $v, not $2"; smcx stat | grep onertt; false; }
}

# The best of column $1 of file $2: what else runs on the host must not decide.
best() {
	awk -v c="$1" 'NR == 1 || $c < m { m = $c } END { print m }' "$2"
}

between() {	# between LOW HIGH VALUE
	echo "$3 us, want $1..$2"
	[ "$3" -ge "$1" ] && [ "$3" -le "$2" ]
}

all_are() {
	cat "$2"
	[ -s "$2" ] && ! grep -v -q " $1\$" "$2"
}

probe=/tests/pair/onertt_probe
modprobe sch_netem 2> /dev/null
tc qdisc add dev "$DEV" root netem delay 25ms limit 100000
if [ "$ROLE" = server ]; then
	fo=$(sysctl -n net.ipv4.tcp_fastopen)
	sysctl -q -w net.ipv4.tcp_fastopen=3
	$probe server 0.0.0.0 5100 smc > smc.log &
	pids=$!
	$probe server :: 5101 smc > smc6.log &
	pids="$pids $!"
	$probe server 0.0.0.0 5102 tcp > tcp.log &
	pids="$pids $!"
	until ss -Hltn | grep -q :5102; do sleep 0.1; done
	sleep 0.5
	peer sync up 60
	peer sync warm 120
	# a plain server takes the SMC server's place
	kill ${pids%% *}
	sleep 0.5
	$probe server 0.0.0.0 5100 tcp > plain.log &
	pids="$pids $!"
	sleep 0.5
	peer sync plain 60
	peer sync done 120
	check "the guard let the Proposals in" test "$(counter accepted)" -ge 15
	check "each became a connection" is committed "$(counter accepted)"
	check "the plain server saw its own bytes only" test ! "$(grep -c WRONG plain.log tcp.log smc.log smc6.log | grep -v :0)"
	kill $pids 2> /dev/null
	wait 2> /dev/null
	sysctl -q -w net.ipv4.tcp_fastopen="$fo"
else
	peer sync up 60
	$probe client "$PEER" 5102 tcp 5 > tcp
	cat tcp | sed 's/^/# tcp /'
	$probe client "$PEER" 5100 smc 1 > first
	cat first | sed 's/^/# first contact /'
	$probe client "$PEER" 5100 smc 9 > warm
	cat warm | sed 's/^/# warm /'
	$probe client "$PEER" 5100 smc 5 nonblock > nonblock
	$probe client "$PEER6" 5101 smc 1 > first6
	$probe client "$PEER6" 5101 smc 5 > warm6
	cat warm6 | sed 's/^/# warm6 /'
	t=$(best 1 tcp)
	check "plain TCP takes a round trip" between 49000 $((80000 * SLOW)) "$t"
	check "warm connections are SMC" all_are SMC warm
	check "a warm connect() takes one round trip" between 49000 $((80000 * SLOW)) "$(best 1 warm)"
	check "with request and reply two" between 98000 $((140000 * SLOW)) "$(best 2 warm)"
	check "non-blocking ones are SMC" all_are SMC nonblock
	check "and take one round trip" between 49000 $((80000 * SLOW)) "$(best 1 nonblock)"
	check "IPv6 is SMC" all_are SMC warm6
	check "and takes one round trip" between 49000 $((80000 * SLOW)) "$(best 1 warm6)"
	check "SYNs carried the Proposal" is sent 19
	check "and were taken" is acked 19
	peer sync warm 120
	peer sync plain 60
	$probe client "$PEER" 5100 smc 3 > plain
	cat plain | sed 's/^/# plain /'
	check "a plain server instead: TCP" test "$(grep -c SMC plain)" = 0 -a "$(wc -l < plain)" = 3
	check "in one round trip" between 49000 $((80000 * SLOW)) "$(best 1 plain)"
	check "the Proposal was taken back once" is purged 1
	check "and not tried again" is sent 20
	peer sync done 120
fi
tc qdisc del dev "$DEV" root
echo "1..$n"
exit $bad
