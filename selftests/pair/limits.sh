#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Limits that have an effect: connections of a link group, places of a listener; what they make happen is counted, by both ends alike.
# vm-test: timeout=120
. /tests/pair/lib-groups.sh
. /tests/pair/lib-reasons.sh

# grown_by NAME N: since "mark"
mark() { smcx stat > mark; }
grown_by() {
	local was=$(awk -v k="$1" '$1 == k { print $2 }' mark)
	echo "$1 was $was, is $(value "$1")"
	[ "$(value "$1")" = $((${was:-0} + $2)) ]
}

# split COUNT...: connections of the groups there are
split() {
	smcx -j lgr | sed -n 's/.*"connections": \([0-9]*\),.*/\1/p' | sort -n | tr '\n' ' ' > split
	cat split
	[ "$(cat split)" = "$* " ]
}

# hold NAME N: so many connections, till release NAME
hold() {
	mkfifo "hold.$1"
	smc_run /tests/pair/held hold "$PEER" 5100 "$2" < "hold.$1" > "up.$1" &
	eval "exec $3> hold.$1"
	until_ok grep -q up "up.$1"
}

# counts TEXT FIRST REUSED: of the connections since "mark", here and there
counts() {
	check "$1: link groups made" grown_by first_contact "$2"
	check "$1: link groups used again" grown_by group_reuse "$3"
	check "$1: elements from fresh memory and used again" elements $(($2 + $3))
	check "$1: at the server, too" there "grown_by first_contact $2 && grown_by group_reuse $3 && elements $(($2 + $3))"
}

# elements N: so many taken, one for each connection
elements() {
	local fresh=$(awk '$1 == "receive_element_alloc" { print $2 }' mark) reused=$(awk '$1 == "receive_element_reuse" { print $2 }' mark)
	fresh=$(($(value receive_element_alloc) - fresh))
	reused=$(($(value receive_element_reuse) - reused))
	echo "$fresh fresh, $reused used again, want $1"
	[ $((fresh + reused)) = "$1" ]
}

# The set-up times of smcx stat are those of the trace point: the same number in each class, the same sum.
times_begin() {
	[ -e $trace/events ] || mount -t tracefs none $trace
	smcx stat --setup > times
	echo > $trace/trace
	echo 1 > $trace/events/smcx/smcx_setup/enable
}

times_agree() {
	echo 0 > $trace/events/smcx/smcx_setup/enable
	smcx stat --setup > now
	grep -o 'role=.*' $trace/trace | tr '=' ' ' > traced
	[ -s traced ] && awk '
		function add(file, sign) {
			while ((getline < file) > 0)
				if (NF == 1)
					group = $1
				else if ($1 != "mean_us")
					all[group " " $1] += sign * $2
		}
		BEGIN { add("now", 1); add("times", -1) }
		{
			group = $2 "_" $4
			for (most = 32; most < $6 && most < 16777216; most *= 2)
				;
			all[group " connections"]--
			all[group " sum_us"] -= $6
			all[group " " ($6 > most ? "above_" : "up_to_") most "_us"]--
		}
		END {
			for (name in all)
				if (all[name]) {
					print name, "differs by", all[name]
					bad = 1
				}
			exit bad
		}' traced
}

trace=/sys/kernel/tracing
backlog_drops() { grep -c 'smcx_drop:.*why=BACKLOG' $trace/trace; }
drops_counted() {
	echo "traced $(backlog_drops), accept_drop $(value accept_drop)"
	[ "$(backlog_drops)" -gt 0 ] && grown_by accept_drop "$(backlog_drops)"
}

# new_device: the groups end, at the other end as well
new_device() {
	rdma link delete "$IBDEV"
	rdma link add "$IBDEV" type rxe netdev "$DEV"
}

# memory_is N SIZE: receive buffers of N connections take their elements, and at most one region of 2 MiB more
memory_is() {
	local bytes=$(value receive_buffer_bytes)
	echo "$bytes bytes for $1 elements of $2"
	[ "$bytes" -ge $(($1 * $2)) ] && [ "$bytes" -le $(($1 * $2 + 2097152)) ]
}

no_group() { ! smcx -j lgr | grep -q '"role"'; }

# mute N: there are so many clients that say nothing
mutes=()
all_mute() { [ "$(ss -Htn state established '( dport = :5102 )' | wc -l)" = "$1" ]; }
mute() {
	while [ ${#mutes[@]} -lt "$1" ]; do
		/tests/pair/faulty client "$PEER" 5102 mute > /dev/null &
		mutes+=($!)
	done
	until_ok all_mute "$1"
}

if [ "$ROLE" = server ]; then
	times_begin
	old=$(sysctl net.smc.smcr_max_conns_per_lgr net.core.somaxconn | tr -d ' ')
	sysctl -q -w net.smc.smcr_max_conns_per_lgr=16
	/tests/pair/stays serve 5100 none &
	listener=$!
	until_ok sh -c 'ss -Hltn | grep -q :5100'
	peer sync up 60
	check "what the client asked for" obey
	check "set-up times, class by class" times_agree
	kill $listener
	sysctl -q -w $old
else
	times_begin
	peer sync up 60
	# ---- smcr_max_conns_per_lgr ----
	mark
	there mark
	check "16 connections" hold one 16 5
	check "are one group" split 16
	check "a 17th" hold two 1 6
	check "begins another" split 1 16
	check "at the server, too" there split 1 16
	counts "17 connections" 2 15
	exec 6>&-
	check "it ends" until_ok split 0 16
	check "and is filled first" hold three 1 6
	check "before a third would be made" split 1 16
	exec 5>&- 6>&-
	check "all end" until_ok split 0 0
	check "at the server" there until_ok split 0 0
	mark
	there mark
	check "five, on groups that are there" hold four 5 5
	counts "five more" 0 5
	check "no memory for them" grown_by receive_element_alloc 0

	# ---- the death of their group ----
	there "mark"
	mark
	new_device
	check "five connections killed with their group" until_ok grown_by killed_with_group 5
	check "at the server, too" there until_ok grown_by killed_with_group 5
	exec 5>&-
	check "the groups are gone" until_ok no_group
	check "there, too" there until_ok no_group

	# ---- the client's offer counts as well ----
	there sysctl -q -w net.smc.smcr_max_conns_per_lgr=255
	sysctl -q -w net.smc.smcr_max_conns_per_lgr=17
	check "18 connections of a client that wants 17 at most" hold five 18 5
	check "are two groups" split 1 17
	exec 5>&-
	sysctl -q -w net.smc.smcr_max_conns_per_lgr=255

	# ---- memory of idle connections ----
	for size in 65536 16384; do
		sysctl -q -w net.smc.rmem=$size
		new_device
		check "no group is left" until_ok no_group
		check "there neither" there until_ok no_group
		check "100 idle connections" hold "idle$size" 100 5
		check "their receive buffers, with net.smc.rmem=$size" memory_is 100 $size
		exec 5>&-
	done
	sysctl -q -w net.smc.rmem=65536
	check "they end" until_ok split 0

	# ---- handshakes that pile up ----
	there "sysctl -q -w net.core.somaxconn=16; /tests/pair/stays serve 5102 none & late=\$!; until_ok sh -c 'ss -Hltn | grep -q :5102'"
	check "eight clients that say nothing" mute 8
	row "8 of 16 places taken by clients that say nothing" true SMC - - - "$PEER" 5102
	check "and a ninth" mute 9
	row "9 of them" true PEERNOSMC - PEERNOSMC - "$PEER" 5102
	kill "${mutes[@]}"
	wait "${mutes[@]}"
	row "none any more" "sleep 0.5" SMC - - - "$PEER" 5102
	rmdir /sys/fs/cgroup/hostile
	there 'kill $late'

	# ---- an accept queue that is full ----
	there "mark; echo 1 > $trace/events/smcx/smcx_drop/enable; /tests/pair/stays serve 5101 asleep &"
	there "until_ok sh -c 'ss -Hltn | grep -q :5101'"
	for i in 1 2 3 4 5; do
		/tests/pair/stays connect "$PEER" 5101 none &
		late+=($!)
	done
	sleep 2
	check "connections that find no place are traced and counted, one for one" there until_ok drops_counted
	kill "${late[@]}"
	there "kill \$!; echo 0 > $trace/events/smcx/smcx_drop/enable"
	check "set-up times, class by class" times_agree
	peer put order end
fi
echo "1..$n"
exit $bad
