#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Peers that get the handshake wrong: who declines them says why, of this very socket, and what follows is TCP. Those that say nothing, or
# something else, cost an error and no more than handshake_timeout_ms. What is dropped is traced and counted, one for one.
# vm-test: timeout=120
. /tests/pair/lib-reasons.sh

# errors ROLE: handshakes that ended in one
errors() { smcx stat | sed -n "/^handshake_errors/,/^\$/s/^  $1 *//p"; }

uptime_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

# ---- the server ----

trace=/sys/kernel/tracing
drops() { grep 'smcx_drop:' $trace/trace | grep -c "why=$1$"; }

# dropped WHY...: each of them
dropped() {
	grep -o 'why=.*' $trace/trace | sort | uniq -c
	for why; do
		[ "$(drops "$why")" -gt 0 ] || return 1
	done
}

drops_are_counted() {
	echo "traced $(drops '[CL].*'), refused_message $(value refused_message), before $refused"
	[ "$(drops '[CL].*')" = $(($(value refused_message) - refused)) ]
}

# one_error ROLE BEFORE
one_error() {
	errors "$1"
	[ "$(errors "$1")" = $(($2 + 1)) ]
}

# ---- the client, or its fault ----

# client_row TEXT FAULT CODE REASON: the server tells the client CODE and says itself REASON
client_row() {
	rm -f hold up
	mkfifo hold
	/tests/pair/faulty client "$PEER" 5100 "$2" < hold > up 2> error &
	stays=$!
	exec 9> hold
	until_ok test -s up
	check "$1: told $3, then TCP" grep -q " $3\$" up
	check "$1: the server says $4" there told "$(cut -d ' ' -f 1 up)" "$4"
	finish
}

# ends FAULT LEAST MOST: the server has enough of it after so many milliseconds
ends() {
	local begun=$(uptime_ms) took
	/tests/pair/faulty client "$PEER" 5100 "$1" > up
	took=$(($(uptime_ms) - begun))
	cat up
	echo "$took ms"
	grep -q ended up && [ $took -ge "$2" ] && [ $took -le $(($3 * SLOW)) ]
}

# fails PORT WORDS LEAST MOST: connect() does, so and after so long
fails() {
	local begun=$(uptime_ms) took
	! /tests/pair/stays connect "$PEER" "$1" none < /dev/null 2> error
	took=$(($(uptime_ms) - begun))
	cat error
	echo "$took ms"
	grep -q "$2" error && [ $took -ge "$3" ] && [ $took -le $(($4 * SLOW)) ]
}

faults=(version eid release conns links gateway no-route known 0x03050000 0x01020304 mute garbage)
if [ "$ROLE" = server ]; then
	[ -e $trace/events ] || mount -t tracefs none $trace
	echo > $trace/trace
	echo 1 > $trace/events/smcx/smcx_drop/enable
	refused=$(value refused_message)
	/tests/pair/stays serve 5100 none &
	listener=$!
	/tests/pair/faulty server 5200 "${faults[@]}" &
	faulty=$!
	/tests/pair/victim 5000 &
	victim=$!
	until_ok sh -c 'ss -Hltn | grep -q :5100 && ss -Hltn | grep -q :5211 && ss -Hltn | grep -q :5000'
	peer sync up 60
	check "what the client asked for" obey
	check "every kind of drop is traced" dropped CLC LLC CDC CURSOR
	check "each once for one that is counted" drops_are_counted
	echo 0 > $trace/events/smcx/smcx_drop/enable
	kill $listener $faulty $victim
	wait $faulty
	rmdir /sys/fs/cgroup/hostile
else
	modprobe ib_uverbs
	peer sync up 60
	i=0
	for reason in MODEUNSUPP NOUEID RELEASEERR MAXCONNERR MAXLINKERR NOINDIRECT NOROUTE SYNCERR; do
		row "an Accept with a wrong ${faults[i]}" true $reason - - "" "$PEER" $((5200 + i))
		i=$((i + 1))
	done
	row "a Decline" true PEERDECL RMBE_EC - "" "$PEER" 5208
	row "a Decline with a number of its own" true PEERDECL UNKNOWN - "" "$PEER" 5209

	client_row "a Proposal of nothing" nothing 0x03010000 PEERNOSMC
	client_row "a Proposal of SMC-D" smcd 0x03030001 NOSMCDDEV
	client_row "a Proposal without its version 2" no-extension 0x03030004 NOV2EXT
	client_row "a Proposal without EID" no-eid 0x03030008 NOUEID
	client_row "a Proposal with another EID" eid 0x03030008 NOUEID
	client_row "a Proposal of 8 connections" conns 0x0303000a MAXCONNERR
	client_row "a Proposal of no link" links 0x0303000b MAXLINKERR
	client_row "a Proposal of version 1" prefix 0x03030002 NO_GID
	client_row "a Confirm of another release" confirm-release 0x03030009 RELEASEERR
	client_row "a Confirm of 8 connections" confirm-conns 0x0303000a MAXCONNERR
	client_row "a Confirm of 9 links" confirm-links 0x0303000b MAXLINKERR
	client_row "a Confirm of version 1" confirm-version 0x030c0000 VERSMISMAT
	client_row "a Confirm of a group there is none" confirm-known 0x03040000 MODEUNSUPP

	old=$(sysctl -n net.smc.handshake_timeout_ms)
	sysctl -q -w net.smc.handshake_timeout_ms=700
	there sysctl -q -w net.smc.handshake_timeout_ms=900
	before=$(errors client)
	check "a server that says nothing: given up after handshake_timeout_ms" fails 5210 "timed out" 690 2000
	check "and counted" one_error client "$before"
	check "a server that says something else: an error at once" fails 5211 "connect: " 0 600
	check "and counted" one_error client $((before + 1))
	there 'before=$(errors server)'
	check "a client that says nothing: given up after the server's handshake_timeout_ms" ends mute 890 2500
	check "and counted" there 'one_error server $before'
	check "a client that says something else: at once" ends garbage 0 600
	check "and counted" there 'one_error server $((before + 1))'
	sysctl -q -w net.smc.handshake_timeout_ms="$old"
	there sysctl -q -w net.smc.handshake_timeout_ms="$old"

	ip addr add 10.0.0.3/24 dev "$DEV"
	check "a hostile client" /tests/pair/hostile "$SELF" 10.0.0.3 "$PEER" 5000 wild-cursors lengths llc-garbage llc-odd-ids
	ip addr del 10.0.0.3/24 dev "$DEV"
	peer put order end
fi
echo "1..$n"
exit $bad
