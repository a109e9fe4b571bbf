#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What smcx tells of connections between two machines, against values counted another way.
# vm-test: timeout=240
. /tests/pair/lib-check.sh
CONNS=5
BYTES=100000

# value GROUP NAME: of smcx stat
value() {
	smcx stat | sed -n "/^$1\$/,/^\$/s/^  $2 *//p"
}

count() {
	smcx -j "$1" ${3:+"$3"} | tee json | grep -E -c "$2"
}

same() {
	[ "$1" -eq "$2" ] || { echo "got $1, want $2"; cat json 2>/dev/null; false; }
}

# Each established connection of ss is one that smcx shows, and the other way round.
same_as_ss() {
	ss -Htn state established "( sport = :5001 or dport = :5001 )" | awk '{ print $3, $4 }' |
		sed 's/\[::ffff:\([0-9.]*\)\]/\1/g' | sort > ss.list
	smcx -j sock smc | sed -n 's/.*"local": "\([^"]*\)".*"peer": "\([^"]*\)".*/\1 \2/p' | sort > smcx.list
	diff ss.list smcx.list
}

# setup ROLE PART NAME: of smcx stat --setup
setup() {
	smcx stat --setup | sed -n "/^$1_$2\$/,/^\$/s/^  $3 *//p"
}

# Does each connection count in one class, and is the sum of classes their number?
classes_add_up() {
	smcx stat --setup | awk '
		/^[a-z]/ { if (n != sum) bad = 1; n = sum = 0 }
		/^  connections/ { n = $2 }
		/^  (up_to|above)/ { sum += $2 }
		END { exit bad || n != sum }'
}

# traced EVENT PATTERN: how often
traced() {
	grep "smcx_$1:" $trace/trace | grep -E -c "$2"
}

# The groups of earlier tests go with the device.
rdma link delete "$IBDEV"
rdma link add "$IBDEV" type rxe netdev "$DEV"
peer sync tools-alone
check "no link group" until_ok sh -c '! smcx -j lgr | grep -q id'

trace=/sys/kernel/tracing
echo > $trace/trace
echo 1 > $trace/events/smcx/enable
# without the data: what counts is in the heads and in small packets
tcpdump -Z root -i eth0 -U -w capture 'tcp port 5001 or (udp port 4791 and less 250)' 2> /dev/null &
dump=$!
until_ok test -s capture
# No connection may begin in the SYN: each has all of its phases.
fastopen=$(sysctl -n net.ipv4.tcp_fastopen)
sysctl -q -w net.ipv4.tcp_fastopen=1
smcx peers flush
sent=$(value smcr_traffic sent_bytes)
for part in SYN ACCEPT CONFIRM FIRST_BYTE; do
	before[${#before[@]}]=$(setup "$ROLE" $part connections)
done
received=$(value smcr_traffic received_bytes)
if [ "$ROLE" = server ]; then
	# Takes what comes and stays until the peer closes.
	smc_run socat -u TCP6-LISTEN:5001,reuseaddr,fork,ipv6only=0 OPEN:/dev/null &
	listener=$!
	until_ok sh -c 'ss -Hltn | grep -q :5001'
	peer sync tools-up
	good=server_v2
	role=server
else
	peer sync tools-up
	for i in $(seq $CONNS); do
		mkfifo pipe.$i
		smc_run socat -u STDIN "TCP:$PEER:5001" < pipe.$i &
		pids+=($!)
		exec {fd}> pipe.$i
		fds+=($fd)
		head -c $BYTES /dev/zero >&$fd
	done
	good=client_v2
	role=client
fi

check "$CONNS connections are SMC" until_ok sh -c "[ \$(smcx -j sock smc | grep -c '\"state\": \"ACTIVE\", \"carrier\": \"SMC-R\"') -eq $CONNS ]"
check "filters: all have port 5001" same "$(smcx -j sock smc port 5001 | grep -c SMC-R)" $CONNS
check "none is TCP" same "$(count sock TCP tcp)" 0
check "they are those of ss" same_as_ss
check "role and device" same "$(count sock "\"role\": \"$role\", \"device\": \"rxe0/1\"" smc)" $CONNS
check "one link group with $CONNS connections" \
	same "$(count lgr "\"role\": \"$role\", \"version\": \"2.1\".*\"connections\": $CONNS,")" 1
check "the peer's name" same "$(count lgr "\"peer_host\": \"$([ "$ROLE" = server ] && echo client || echo server)\"")" 1
check "one active link" same "$(count link "\"state\": \"active\", \"device\": \"rxe0/1\".*\"connections\": $CONNS,")" 1
check "GIDs are the machines'" \
	same "$(count link "\"gid\": \"::ffff:$SELF\", \"peer_gid\": \"::ffff:$PEER\"")" 1
check "memory of receive buffers is the group's" same "$(value smcr_traffic receive_buffer_bytes)" \
	"$(smcx -j lgr | sed 's/.*"receive_bytes": \([0-9]*\).*/\1/;t;d')"
check "the device has one link" same "$(count dev '"device": "rxe0".*"links": 1,')" 1
check "successes are counted" sh -c "[ $(value smcr_connections $good) -ge $CONNS ]"
if [ "$ROLE" = client ]; then
	check "processes are those started" sh -c "[ \"\$(smcx -j -p sock smc | sed 's/.*\"pid\": \([0-9]*\),.*/\1/;t;d' | sort | tr '\n' ' ')\" = \
		\"$(printf '%s\n' "${pids[@]}" | sort | tr '\n' ' ')\" ]"
else
	check "every socket has a process" same "$(smcx -j -p sock smc | grep -c '"process": "socat\[')" $CONNS
fi
i=0
for part in SYN ACCEPT CONFIRM; do
	check "set-up times: $part of each connection" same $(($(setup "$ROLE" $part connections) - before[i])) $CONNS
	check "trace point: $part of each connection" same "$(traced setup "port=5001 .*role=$ROLE phase=$part ")" $CONNS
	i=$((i + 1))
done
[ "$ROLE" != server ] || check "set-up times: first byte of each connection" \
	same $(($(setup server FIRST_BYTE connections) - before[3])) $CONNS
check "set-up times: the classes add up" classes_add_up
peer sync tools-looked
if [ "$ROLE" = client ]; then
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
	wait "${pids[@]}"
	check "bytes sent" same $(($(value smcr_traffic sent_bytes) - sent)) $((CONNS * BYTES))
fi
peer sync tools-closed
if [ "$ROLE" = server ]; then
	kill $listener
	check "bytes received" \
		until_ok sh -c "[ \$((\$(smcx stat | sed -n '/^smcr_traffic/,/^\$/s/^  received_bytes *//p') - $received)) -eq $((CONNS * BYTES)) ]"
fi
check "no socket is left" until_ok sh -c 'smcx -j sock | grep -q "^\[\]$"'
check "the link group stays for the next one" until_ok \
	sh -c "smcx -j lgr | grep -q '\"connections\": 0,'"

# ---- what went over the wire, as the capture has it ----
peer sync tools-quiet
sleep 1
kill $dump
wait $dump
check "capture: a SYN and its answer with the option for each" same "$(decoded tcp 'SYN(-ACK)? smc_option=yes')" $((2 * CONNS))
for message in Proposal Accept Confirm; do
	check "capture: a $message for each" same "$(decoded clc "CLC $message .*version=2")" $CONNS
done
check "capture: one first contact at most" sh -c "[ $(decoded clc 'Accept .*first_contact=yes') -le 1 ]"
check "capture: tokens are all different" same "$(smcx decode "$PWD/capture" clc | sed 's/.*Accept.*alert_token=\([0-9a-fx]*\).*/\1/;t;d' | sort -u | wc -l)" $CONNS
check "capture: nothing malformed" same "$(decoded clc malformed; true)$(decoded llc malformed; true)" 00
check "capture: each side says that it has closed" same "$(smcx decode "$PWD/capture" cdc |
	sed 's/^[0-9.]* \([0-9.]*\) .*alert_token=\([0-9a-fx]*\).*state_flags=.*C.*/\1 \2/;t;d' | sort -u | wc -l)" $((2 * CONNS))

# ---- why ----
peer sync tools-captured
if [ "$ROLE" = server ]; then
	smc_run socat -u TCP6-LISTEN:5001,reuseaddr,fork,ipv6only=0 OPEN:/dev/null &
	listener=$!
	socat -u TCP-LISTEN:5002,reuseaddr,fork OPEN:/dev/null &
	plain=$!
	until_ok sh -c 'ss -Hltn | grep -q :5002 && ss -Hltn | grep -q :5001'
	peer sync tools-why
	peer sync tools-invite
	sysctl -q -w net.ipv4.tcp_fastopen=3
	peer sync tools-invited
	peer sync tools-asked
	kill $listener $plain
	check "why: seen as a client without EID in common" sh -c 'smcx -j stat | grep -q "\"server_NOUEID\": [1-9]"'
else
	# asks PORT STATUS PATTERN
	asks() {
		smcx -j why "$PEER" "$1" > why
		local rc=$?
		cat why
		[ $rc -eq "$2" ] && grep -E -q "$3" why
	}
	peer sync tools-why
	check "why: SMC, and over which port" asks 5001 0 '"check": "SMC", "detail": "SMC-R in .* over rxe0 port 1"'
	check "why: the option came back" grep -q '"ok", "check": "option"' why
	check "why: no check failed" sh -c '! grep -q failed why'
	check "why: the route's device and address" grep -q "by $DEV, from $SELF\"" why
	check "why: one round trip is allowed" grep -q '"ok", "check": "1-RTT"' why
	check "why: the server does not invite" grep -q '"off", "check": "invitation"' why
	peer sync tools-invite
	peer sync tools-invited
	check "why: it does" asks 5001 0 '"ok", "check": "invitation"'
	sysctl -q -w net.smc.onertt=2
	check "why: or not" asks 5001 0 '"off", "check": "1-RTT", .*onertt is 2'
	sysctl -q -w net.smc.onertt=3
	check "why: the GID" grep -q "::ffff:$SELF, RoCE v2" why
	check "why: a peer without SMC" asks 5002 5 '"failed", "check": "option".*"reason": "PEERNOSMC"'
	check "why: nobody there" asks 5003 6 '"failed", "check": "TCP".*refused'
	smcx eid flush
	check "why: no EID" asks 5001 5 '"failed", "check": "EID"'
	smcx eid add OTHER
	check "why: another EID, and the peer said so" asks 5001 5 '"reason": "PEERDECL", "peer_reason": "NOUEID"'
	smcx eid flush
	smcx eid add SMCX.DEFAULT
	smcx pnet add OWN eth $DEV
	check "why: no port has the device's PNET id" asks 5001 5 '"failed", "check": "device".*PNET id OWN.*pnet add ID ib'
	check "why: and that is the reason" grep -q '"reason": "NO_PNET"' why
	smcx pnet add OWN ib rxe0
	check "why: one has" asks 5001 0 '"ok", "check": "device".*by PNET id OWN'
	smcx pnet flush
	check "why: no route" sh -c 'smcx -j why 192.0.2.1 80 > why; [ $? = 6 ] && grep -q "\"failed\", \"check\": \"route\"" why'
	rdma link del rxe0
	check "why: no RDMA device" asks 5001 5 '"failed", "check": "device"'
	check "trace point: the link is down" until_ok sh -c "grep -q 'smcx_link:.*state=down' $trace/trace"
	check "trace point: so is the group" until_ok sh -c "grep -q 'smcx_group_end:.*role=client' $trace/trace"
	rdma link add rxe0 type rxe netdev $DEV
	check "why: it is back" until_ok asks 5001 0 '"SMC-R in'
	peer sync tools-asked
fi
echo 0 > $trace/events/smcx/enable
sysctl -q -w net.ipv4.tcp_fastopen="$fastopen"
peer sync tools-done
echo "1..$n"
exit $bad
