# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that time connections over a path of 25 ms each way.
. /tests/pair/lib-check.sh

probe=/tests/pair/onertt_probe
pids=
fo=$(sysctl -n net.ipv4.tcp_fastopen)

# counter NAME: what it counted since this test began
counter() {
	local v=$(smcx stat | sed -n "s/^  onertt_$1 *//p")
	echo $((v - $(sed -n "s/^  onertt_$1 *//p" before)))
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

serve() {	# serve PORT smc|tcp LOG [ADDRESS]
	$probe server "${4:-0.0.0.0}" "$1" "$2" > "$3" &
	pids="$pids $!"
	last=$!
	until ss -Hltn | grep -q ":$1 "; do sleep 0.1; done
}


# What serve started ends, and Fast Open is what it was.
unserve() {
	kill $pids 2> /dev/null
	wait 2> /dev/null
	sysctl -q -w net.ipv4.tcp_fastopen="$fo"
}

client() {	# client PORT KIND N FILE [nonblock]
	$probe client "$PEER" "$1" "$2" "$3" $5 > "$4"
	sed "s/^/# $4 /" "$4"
}

smcx stat > before
modprobe sch_netem 2> /dev/null
tc qdisc add dev "$DEV" root netem delay 25ms limit 100000
