# SPDX-License-Identifier: GPL-2.0
# Sourced by tests that compare, for one program after the other, what carried its connections.
. /tests/pair/lib-check.sh
CONNS=4

# smc_on PORT: connections of this port that SMC carries; tcp_on PORT: all of them, as ss sees them
smc_on()
{
	smcx -j sock smc | grep '"state": "ACTIVE", "carrier": "SMC-R"' | grep -E -c ":$1\"|_port\": $1,"
}

tcp_on()
{
	ss -Htn state established "( sport = :$1 or dport = :$1 )" | wc -l
}

carried()
{
	[ "$(smc_on "$1")" -eq "$2" ] && [ "$(tcp_on "$1")" -eq $CONNS ]
}

told_carried()
{
	until_ok carried "$1" "$2" && return
	echo "SMC $(smc_on "$1") of $(tcp_on "$1"), want $2 of $CONNS"
	smcx sock
	return 1
}

# serve_hold NAME PORT SMC SERVER -- CLIENT: both machines; the server's program listens on PORT, the
# client's opens $CONNS connections, says "up" and keeps them until its input ends. SMC of them
# must be SMC. A server "-" still runs from before.
serve_hold()
{
	local name=$1 port=$2 smc=$3 server=() pid= rc
	shift 3
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	if [ "$ROLE" = server ]; then
		if [ "${server[0]}" != - ]; then
			"${server[@]}" &
			pid=$!
			until_ok sh -c "ss -Hltn | grep -q :$port"
		fi
		peer sync "$name-up" || return 1
		peer sync "$name-held"
		check "$name: $smc of $CONNS are SMC" told_carried "$port" "$smc"
		peer sync "$name-seen"
		peer sync "$name-done"
		[ -z "$pid" ] || { kill $pid; wait $pid 2> /dev/null; }
		return
	fi
	peer sync "$name-up" || return 1
	mkfifo "hold.$name"
	"$@" < "hold.$name" > "up.$name" 2> "err.$name" &
	pid=$!
	exec 9> "hold.$name"
	check "$name: the connections work" until_ok grep -q up "up.$name"
	peer sync "$name-held"
	check "$name: $smc of $CONNS are SMC" told_carried "$port" "$smc"
	peer sync "$name-seen"
	exec 9>&-
	wait $pid
	rc=$?
	sed 's/^/# /' "err.$name"
	check "$name: exit status $rc" test $rc = 0
	peer sync "$name-done"
}

finish()
{
	echo "1..$n"
	exit $bad
}
