#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The Proposal in the SYN, 25 ms each way: connect() takes one round trip, plain servers see nothing.
# vm-test: timeout=240
. /tests/pair/lib-onertt.sh

# The TCP server of port $1 that takes the SMC server's place, with tcp_fastopen=$2.
replace() {
	kill $last
	while ss -Hltn | grep -q ":$1 "; do sleep 0.1; done
	sysctl -q -w net.ipv4.tcp_fastopen="$2"
	serve "$1" tcp "plain.$1"
}

no_group() {
	local i
	for i in $(seq $((100 * SLOW))); do
		smcx -j lgr | grep -q '"id"' || return 0
		sleep 0.2
	done
	smcx lgr
	return 1
}

held=

# hold PORT: one more connection that stays open; returns when it is SMC
hold() {
	local before=$(smcx -j sock smc port "$1" | grep -c one_rtt) tries=0
	smc_run socat -u STDIN "TCP:$PEER:$1" <> pipe &
	held="$held $!"
	until [ "$(smcx -j sock smc port "$1" | grep -c '"one_rtt": \(true\|false\)')" -gt "$before" ]; do
		tries=$((tries + 1))
		[ $tries -lt $((50 * SLOW)) ] || return 1
		sleep 0.1
	done
}

# is_shown TWO ONE: so many connections of port 5106 took more than a round trip, so many one
is_shown() {
	smcx -j sock smc port 5106 > sock.json
	[ "$(grep -c '"one_rtt": false' sock.json)" = "$1" ] && [ "$(grep -c '"one_rtt": true' sock.json)" = "$2" ] ||
		{ cat sock.json; false; }
}

# Those of one round trip are those whose only Proposal was in the SYN.
is_captured() {
	sed -n 's/.*"local_port": \([0-9]*\),.*"one_rtt": true.*/\1/p' sock.json | sort > shown
	sleep 1
	smcx decode "$PWD/capture" clc | grep "CLC Proposal" | tee proposals |
		awk '{ n[$2]++ } /in_syn=yes/ { in_syn[$2] = 1 }
		     END { for (end in in_syn) if (n[end] == 1) { sub(/.*[.:]/, "", end); print end } }' | sort > seen
	diff shown seen || { cat proposals; false; }
}

if [ "$ROLE" = server ]; then
	sysctl -q -w net.ipv4.tcp_fastopen=3
	serve 5102 tcp tcp.log
	serve 5101 smc smc6.log ::
	serve 5105 smc smc.log
	serve 5100 smc smc.log
	peer sync up 60
	peer sync warm 120
	check "the guard let the Proposals in" is accepted 19
	replace 5100 3
	peer sync plain 60
	peer sync plain-done 60
	sysctl -q -w net.ipv4.tcp_fastopen=3
	serve 5103 smc smc.log
	peer sync leak 60
	peer sync leak-known 60
	replace 5103 0x603
	peer sync leak-plain 60
	peer sync leak-done 60
	sysctl -q -w net.ipv4.tcp_fastopen=3
	serve 5104 smc smc.log
	peer sync filter 60
	peer sync filter-known 60
	sysctl -q -w net.smc.onertt_filter=1
	replace 5104 0x603
	peer sync filter-plain 60
	peer sync filter-done 60
	check "the filter cut it off" is filtered 1
	sysctl -q -w net.smc.onertt_filter=0 net.ipv4.tcp_fastopen=3
	# a new device: the groups end, here and, by DELETE_LINK, on the client
	rdma link delete "$IBDEV"
	rdma link add "$IBDEV" type rxe netdev "$DEV"
	sleep 1
	peer sync early 60
	peer sync early-done 60
	sysctl -q -w net.smc.rkey_skip=0
	peer sync rkey 60
	peer sync rkey-done 60
	sysctl -q -w net.smc.rkey_skip=1
	smc_run socat -u TCP-LISTEN:5106,reuseaddr,fork OPEN:/dev/null &
	pids="$pids $!"
	until ss -Hltn | grep -q ":5106 "; do sleep 0.1; done
	peer sync shown 60
	peer sync shown-open 120
	check "smcx sock shows how each was set up" is_shown 1 4
	peer sync shown-done 60
	check "each became a connection" is committed "$(counter accepted)"
	check "one plain server has seen a Proposal, once" test "$(cat plain.* | grep -c WRONG)" = 1 -a \
		"$(grep -c WRONG plain.5103)" = 1
	check "no other server saw anything but its client's bytes" test \
		"$(cat tcp.log smc.log smc6.log | grep -c WRONG)" = 0
	unserve
else
	peer sync up 60
	client 5102 tcp 5 tcp
	client 5100 smc 1 first
	client 5100 smc 9 warm
	client 5100 smc 5 nonblock nonblock
	$probe client "$PEER6" 5101 smc 1 > first6
	$probe client "$PEER6" 5101 smc 5 > warm6
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
	client 5105 smc 1 other
	peer sync warm 120

	peer sync plain 60
	client 5100 smc 3 plain
	check "a plain server instead: TCP" test "$(grep -c SMC plain)" = 0 -a "$(wc -l < plain)" = 3
	check "in one round trip" between 49000 $((80000 * SLOW)) "$(best 1 plain)"
	check "the Proposal was taken back once" is purged 1
	check "and not tried again" is sent 20
	peer sync plain-done 60

	peer sync leak 60
	client 5103 smc 1 known
	peer sync leak-known 60
	peer sync leak-plain 60
	client 5103 smc 2 leak
	check "a plain server that takes anything: TCP" test "$(grep -c TCP leak)" = 2
	check "after a reset" is reset 1
	check "it is banned" sh -c "smcx peers | grep -q '5103.*banned'"
	peer sync leak-done 60

	peer sync filter 60
	client 5104 smc 1 known
	peer sync filter-known 60
	peer sync filter-plain 60
	client 5104 smc 1 filtered
	check "the same behind the filter: TCP" test "$(grep -c TCP filtered)" = 1
	check "without a reset" is reset 1
	peer sync filter-done 60

	peer sync early 60
	check "the link group is gone" no_group
	client 5105 smc 1 early
	check "first contact is SMC" all_are SMC early
	check "its Proposal was taken out of the SYN" is acked 20
	# three round trips without the extension; making queue pairs takes its time on an emulated processor
	check "and it does not take three round trips" between 49000 $((145000 * SLOW)) "$(best 1 early)"
	sleep 1
	client 5105 smc 2 early2
	check "its link group is used" all_are SMC early2
	sysctl -q -w net.smc.rkey_skip=0
	peer sync early-done 60

	peer sync rkey 60
	client 5105 smc 1 rkey1
	client 5105 smc 3 rkey
	check "with keys exchanged per connection it is SMC" all_are SMC rkey
	check "and takes three round trips" between 148000 $((300000 * SLOW)) "$(best 1 rkey)"
	sysctl -q -w net.smc.rkey_skip=1
	peer sync rkey-done 60

	peer sync shown 60
	tcpdump -Z root -i "$DEV" -U -w capture 'tcp port 5106' 2> /dev/null &
	dump=$!
	until test -s capture; do sleep 0.1; done
	mkfifo pipe
	for i in 1 2 3 4; do
		hold 5106
	done
	check "smcx sock shows how each was set up" is_shown 1 3
	check "as it went over the wire" is_captured
	sysctl -q -w net.smc.rkey_skip=0
	hold 5106
	sysctl -q -w net.smc.rkey_skip=1
	check "keys that are waited for are a round trip more" is_shown 2 3
	peer sync shown-open 120
	peer sync shown-done 60
	kill $dump $held
	wait
fi
tc qdisc del dev "$DEV" root
echo "1..$n"
exit $bad
