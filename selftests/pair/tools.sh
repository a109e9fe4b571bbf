#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What smcx tells of connections between two machines, against values counted another way.
# vm-test: timeout=120 core
n=0
bad=0
CONNS=5
BYTES=100000

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

until_ok() {
	local tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt $((50 * SLOW)) ] || return 1
		sleep 0.1
	done
}

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

sent=$(value smcr_traffic sent_bytes)
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
check "none is TCP" same "$(count sock TCP tcp)" 0
check "they are those of ss" same_as_ss
check "role and device" same "$(count sock "\"role\": \"$role\", \"device\": \"rxe0/1\"" smc)" $CONNS
check "one link group with $CONNS connections" \
	same "$(count lgr "\"role\": \"$role\", \"version\": \"2.1\".*\"connections\": $CONNS,")" 1
check "the peer's name" same "$(count lgr "\"peer_host\": \"$([ "$ROLE" = server ] && echo client || echo server)\"")" 1
check "one active link" same "$(count link "\"state\": \"active\", \"device\": \"rxe0/1\".*\"connections\": $CONNS,")" 1
check "GIDs are the machines'" \
	same "$(count link "\"gid\": \"::ffff:$SELF\", \"peer_gid\": \"::ffff:$PEER\"")" 1
check "the device has one link" same "$(count dev '"device": "rxe0".*"links": 1,')" 1
check "successes are counted" sh -c "[ $(value smcr_connections $good) -ge $CONNS ]"
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
peer sync tools-done
echo "1..$n"
exit $bad
