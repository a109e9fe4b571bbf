# SPDX-License-Identifier: GPL-2.0
# Sourced by tests that ask of single sockets why they are TCP. The server does what the client says (obey); the client: row.
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

in=	# a prefix of the client's commands

# ---- the server: does what the client says, and knows its own reasons ----

# listed PORT REASON: this machine's socket, with the client's port
listed() {
	smcx -j sock tcp port "$1" > sock
	cat sock
	grep -q "\"reason\": \"$2\"" sock
}

# told PORT REASON: of this very socket; and one more is counted
declare -A told
told() {
	local v
	until_ok listed "$1" "$2" || return 1
	v=$(value "server_$2")
	[ "$v" -gt "${told[$2]:-0}" ] || return 1
	told[$2]=$v
}

obey() {
	local order rc=0 all=0
	while order=$(peer get order $((60 * SLOW))) && [ "$order" != end ]; do
		eval "$order" > said 2>&1
		rc=$?
		if [ $rc != 0 ]; then
			all=1
			echo "$order"
			cat said
		fi
		peer put done $rc
	done
	return $all
}

# ---- the client ----

there() {
	peer put order "$*"
	[ "$(peer get done $((30 * SLOW)))" = 0 ]
}

# does COMMAND: here, or at the server if it begins with "@"
does() {
	case $1 in
	@*) there "${1#@}" ;;
	*) eval "$1" ;;
	esac
}

# begin ADDRESS PORT OPTION: a connection; its port is in $port
begin() {
	rm -f hold up
	mkfifo hold
	$in /tests/pair/stays connect "$1" "$2" "$3" < hold > up 2> error &
	stays=$!
	exec 9> hold
	until_ok test -s up
	port=$(cat up)
	cat error
	[ -n "$port" ]
}

finish() {
	exec 9>&-
	wait $stays
}

# own REASON PEER'S-REASON: of this very socket
own() {
	local peer='null'
	$in smcx -j sock tcp port "$port" > sock
	cat sock
	[ "$2" = - ] || peer="\"$2\""
	grep -q "\"peer_port\": .*\"reason\": \"$1\".*\"peer_reason\": $peer" sock
}

own_smc() {
	smcx -j sock port "$port" > sock
	cat sock
	grep -q SMC-R sock
}

# asked ADDRESS PORT REASON PEER'S-REASON CHECK: smcx why names both, what to do, and the check that fails
asked() {
	local peer='null'
	$in smcx -j why "$1" "$2" > why
	local rc=$?
	cat why
	[ "$4" = - ] || peer="\"$4\""
	[ $rc = 5 ] && grep -q "\"failed\", \"check\": \"\(SMC\|option\)\".*\"reason\": \"$3\", \"peer_reason\": $peer, \"cure\": \"[A-Z]" why &&
		{ [ -z "$5" ] || grep -q "\"failed\", \"check\": \"$5\".*\"cure\": \"[A-Z]" why; }
}

counted() {
	local now=$($in smcx stat | awk -v k="client_$1" '$1 == k { print $2 }')
	echo "$now, before $2"
	[ "${now:-0}" = $(($2 + 1)) ]
}

# row TEXT COMMAND REASON PEER'S-REASON SERVER'S-REASON [CHECK [ADDRESS [PORT [OPTION]]]]: "-" for no reason, CHECK "-": do not ask why
row() {
	local text=$1 reason=$3 check=$6 address=${7:-$PEER} dport=${8:-5100} option=${9:-none} before
	check "$text" does "$2"
	before=$($in smcx stat | awk -v k="client_$reason" '$1 == k { print $2 }')
	check "$text: TCP, or not" begin "$address" "$dport" "$option"
	if [ "$reason" = SMC ]; then
		check "$text: SMC" own_smc
	elif [ "$reason" != - ]; then
		check "$text: $reason" own "$reason" "$4"
		check "$text: counted" counted "$reason" "${before:-0}"
	fi
	[ "$5" = - ] || check "$text: the server says $5" there told "$port" "$5"
	finish
	[ "$reason" = SMC ] || [ "$check" = - ] || check "$text: why" asked "$address" "$dport" "$reason" "$4" "$check"
}
