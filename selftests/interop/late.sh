#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In-tree smc closes while bytes still wait for room here, and sends these afterwards: a slow reader must get them all. A sender whose
# last byte just fills our element looks the same: its end must not take longer than others, whether it comes before or after our own
# close, and whatever we write meanwhile.
# vm-test: timeout=120 client=smcx
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

# more than a pipe, a buffer of socat and our element take, and what is left fits into the send buffer: its program has nothing to wait for
BYTES=170000

# fetch FILE READER...: what the server sends next, by this reader
fetch() {
	local file=$1 before
	shift
	before=$(value client_v2)
	smc_run socat -u TCP:"$PEER":5600 - | "$@" > "$file"
	[ "$(value client_v2)" -gt "$before" ]
}

slowly() { sleep 5; cat; }

is_whole() { echo "$(stat -c %s "$1") bytes"; [ "$(md5sum < "$1")" = "$2" ]; }

# The bytes that fill the element, five times; each sender closes at once.
at_once() {
	local begun=$(now_ms) i took
	for i in 1 2 3 4 5; do
		peer sync full-$i 60
		fetch got cat && is_whole got "$1" || return 1
	done
	took=$(($(now_ms) - begun))
	echo "$took ms"
	[ $took -lt $((5000 * SLOW)) ]
}

# We have all bytes, and close first.
closes_first() {
	smc_run socat -u TCP:"$PEER":5600,readbytes="$1" - > got
	echo "$(stat -c %s got) bytes"
	[ "$(stat -c %s got)" = "$1" ]
}

# Connections, of earlier tests, too.
open_now() { smcx -j lgr | sed -n 's/.*"connections": \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'; }
as_before() { [ "$(open_now)" -le "$1" ]; }

# Reads to the end, while something is written every 50 ms for 10 seconds.
writes_on() {
	local begun=$(now_ms) before=$(value client_v2)
	smc_run bash -c 'exec 3<>/dev/tcp/'"$PEER"'/5600
		for i in $(seq 200); do echo word >&3; sleep 0.05; done &
		cat <&3 > got
		kill $! 2>/dev/null'
	echo "$(($(now_ms) - begun)) ms, $(stat -c %s got) bytes"
	[ $(($(now_ms) - begun)) -lt $((6000 * SLOW)) ] && [ "$(value client_v2)" -gt "$before" ] && is_whole got "$1"
}

serve() { smc_run socat -u OPEN:"$1" TCP-LISTEN:5600,reuseaddr & }
listens() { until ss -Hltn | grep -q :5600; do sleep 0.1; done; }

if [ "$ROLE" = server ]; then
	head -c $BYTES /dev/urandom > big
	peer put big "$(md5sum < big)"
	full=$(peer get full)
	head -c "$full" /dev/urandom > full
	peer put sum "$(md5sum < full)"
	for i in 1 2; do
		serve big
		listens
		peer sync big-$i 60
		wait
	done
	for i in 1 2 3 4 5; do
		serve full
		listens
		peer sync full-$i 60
		wait
	done
	{ cat full; sleep 3; } | smc_run socat -u -b 1000000 - TCP-LISTEN:5600,reuseaddr &
	listens
	peer sync first 60
	wait
	smc_run socat -t 20 OPEN:full,rdonly\!\!OPEN:/dev/null,wronly TCP-LISTEN:5600,reuseaddr &
	listens
	peer sync writes 60
	wait
	peer sync done $((60 * SLOW))
	exit
fi
big=$(peer get big)
peer put full "$(sysctl -n net.smc.rmem)"
full=$(peer get sum)
for i in 1 2; do
	peer sync big-$i 60
	check "the sender has closed before we read: over SMC" fetch got slowly
	check "every byte came" is_whole got "$big"
done
check "an element just filled: as quick as ever" at_once "$full"
peer sync first 60
open=$(open_now)
echo "# $open open before"
check "an element just filled, and we close first: every byte" closes_first "$(sysctl -n net.smc.rmem)"
sleep 3
check "the sender's end, after ours, is believed at once" until_ok as_before "$open"
peer sync writes 60
check "an element just filled, and we write on: as quick as ever" writes_on "$full"
peer sync done $((60 * SLOW))
echo "1..$n"
exit $bad
