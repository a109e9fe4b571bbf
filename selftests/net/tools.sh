#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# smc_run, smcx and the sysctls on one machine, where every connection must go on as TCP and say why.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/pair/lib-tables.sh

# json COMMAND... PATTERN: some line of the command's JSON matches
json() {
	smcx -j "$1" | tee json | grep -E -q "$2" || { cat json; return 1; }
}

refuses() {
	old=$(cat "/proc/sys/net/smc/$1")
	! bash -c "echo $2 > /proc/sys/net/smc/$1" 2> error && grep -q "Invalid argument" error &&
		[ "$(cat "/proc/sys/net/smc/$1")" = "$old" ]
}

takes() {
	old=$(cat "/proc/sys/net/smc/$1")
	echo "$2" > "/proc/sys/net/smc/$1" && [ "$(cat "/proc/sys/net/smc/$1")" = "$2" ]
	rc=$?
	echo "$old" > "/proc/sys/net/smc/$1"
	return $rc
}

# ---- sysctls ----
smc_sysctls > table
while read -r name low high below above; do
	check "sysctl $name takes $low" takes "$name" "$low"
	check "sysctl $name takes $high" takes "$name" "$high"
	check "sysctl $name refuses $below" refuses "$name" "$below"
	check "sysctl $name refuses $above" refuses "$name" "$above"
	check "sysctl $name refuses words" refuses "$name" words
	echo "$name" >> tried
done < table

check "no sysctl was left out" sh -c 'ls /proc/sys/net/smc | grep -v -x -F -f tried && exit 1 || exit 0'

ip netns add other
own_sysctls() {
	ip netns exec other sh -c 'echo 32768 > /proc/sys/net/smc/rmem && cat /proc/sys/net/smc/rmem' > other &&
		[ "$(cat other)" = 32768 ] && [ "$(cat /proc/sys/net/smc/rmem)" = 65536 ]
}
check "a namespace has sysctls of its own" own_sysctls
check "smcx works in a namespace" ip netns exec other smcx stat
ip netns del other

# ---- the device ----
check "smcx dev shows the port" json dev '"device": "rxe0", "port": 1, "active": true, "netdev": "eth0"'
check "smcx eid shows the default" json eid '"eid": "SMCX.DEFAULT"'
check "smcx pnet is empty" json pnet '^\[\]$'
check "smcx lgr is empty" json lgr '^\[\]$'
check "smcx link is empty" json link '^\[\]$'
check "smcx sock is empty" json sock '^\[\]$'

check "smcx info: host and versions" sh -c 'smcx info | grep -q "host *$(hostname)\$" && smcx info | grep -q "smc_version *2.1"'
check "smcx info: what is loaded" sh -c 'smcx info | grep -q "module_source *$(cat /sys/module/smcx/srcversion)\$"'
check "smcx info: handshakes are not limited" json info '"handshake_limitation": "no"'
echo 1 > /proc/sys/net/smc/limit_smc_hs
check "or they are" json info '"handshake_limitation": "yes"'
echo 0 > /proc/sys/net/smc/limit_smc_hs

# ---- what can be changed ----
check "an EID is added" smcx eid add lower.case-1
check "and shown in upper case" json eid '"eid": "LOWER.CASE-1", "kind": "user", "enabled": true'
fails() {
	want=$1
	words=$2
	shift 2
	"$@" 2> error
	rc=$?
	cat error
	[ $rc = "$want" ] && grep -q "$words" error
}
# netlink's socket must not become the output
check "nothing is written to a closed output" fails 2 "Bad file descriptor" sh -c 'smcx info >&-'
check "not twice" fails 2 "see what is there" smcx eid add LOWER.CASE-1
check "not with a blank in it" fails 1 "letters, digits" smcx eid add "a b"
check "the others fit" sh -c 'smcx eid add B && smcx eid add C'
check "and no fifth" fails 2 "remove one first" smcx eid add D
check "they are removed" sh -c 'smcx eid del B && smcx eid del C && smcx eid del lower.case-1'
check "not twice" fails 2 "see what is there" smcx eid del B
check "a PNET entry is added" smcx pnet add one eth eth0 ib rxe0 port 1
check "and shown" json pnet '"pnetid": "ONE", "netdev": "eth0", "device": null, "port": null|"pnetid": "ONE", "netdev": "eth0", "device": "rxe0", "port": 1'
check "the port shows it" json dev '"pnetid": "ONE", "pnetid_by_user": true'
check "it is removed" sh -c 'smcx pnet del ONE && smcx -j pnet | grep -q "^\[\]$"'
check "one for devices that are not there, with a warning" fails 0 "no such device now: 'eth9'" smcx pnet add TWO eth eth9
check "so is an RDMA device's" fails 0 "no such device now: 'rxe9'" smcx pnet add TWO eth eth0 ib rxe9
check "none for those that are" sh -c 'smcx pnet flush; smcx pnet add TWO eth eth0 ib rxe0 2>&1 | grep . && exit 1 || smcx pnet flush'
check "prefixes are trusted" sh -c 'smcx trust add 10.0.0.0/8 && smcx trust add fd00::/16 port 80 && smcx trust add 192.0.2.1 cookie'
check "three of them" sh -c '[ "$(smcx -j trust | grep -c prefix)" = 3 ]'
check "and none any more" sh -c 'smcx trust flush && smcx -j trust | grep -q "^\[\]$"'
check "nothing to flush is fine" smcx trust flush

# ---- a connection of the machine to itself ----
trace=/sys/kernel/tracing
[ -e $trace/events ] || mount -t tracefs none $trace
smc_traces > traces
while read -r point fields; do
	for field in $fields; do
		check "trace point $point has $field" grep -q "^	field:.*[ *]$field;" $trace/events/smcx/$point/format
	done
	echo "$point" >> points
done < traces
check "there are no other trace points" sh -c "ls -d $trace/events/smcx/*/ | sed 's,/\$,,; s,.*/,,' | grep -v -x -F -f points && exit 1 || exit 0"
echo > $trace/trace
echo 1 > $trace/events/smcx/enable
smc_run socat TCP-LISTEN:5001,reuseaddr,fork EXEC:cat &
listener=$!
check "a listener is listed" until_ok json sock '"state": "LISTEN".*"local_port": 5001'
mkfifo pipe
smc_run socat - TCP:127.0.0.1:5001 < pipe > echo &
client=$!
exec 9> pipe
echo hello >&9
check "the connection works" until_ok grep -q hello echo
check "both ends are listed as TCP" until_ok sh -c 'smcx -j sock tcp | grep -c "\"carrier\": \"TCP\"" | grep -q "^2$"'
check "each with a reason in words" sh -c '[ "$(smcx -j sock tcp | grep -c "\"reason\": \"[A-Z].*\"reason_text\": \"[A-Z]")" = 2 ]'
check "and with its inode" sh -c '
	for inode in $(smcx -j sock tcp | sed "s/.*\"inode\": \([0-9]*\).*/\1/;t;d"); do
		ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q "socket:\[$inode\]" || exit 1
	done'
check "filters: port" sh -c '[ "$(smcx -j sock tcp port 5001 | grep -c reason_code)" = 2 ]'
check "filters: another port" sh -c 'smcx -j sock tcp port 5003 | grep -q "^\[\]$"'
check "filters: address" sh -c '[ "$(smcx -j sock tcp addr 127.0.0.1 | grep -c reason_code)" = 2 ]'
check "filters: state" sh -c '[ "$(smcx -j sock state listen | grep -c reason_code)" = 1 ]'
reason=$(smcx -j sock tcp | sed 's/.*"peer_port": 5001,.* "reason": "\([A-Z_]*\)".*/\1/;t;d' | head -n 1)
check "filters: reason" sh -c "[ \"\$(smcx -j sock reason $reason | grep -c $reason)\" -ge 1 ]"
check "filters: another reason" sh -c 'smcx -j sock reason IPSEC | grep -q "^\[\]$"'
check "processes: the client's number" sh -c "smcx -j -p sock tcp | grep -q '\"pid\": $client,'"
check "processes: by /proc" sh -c '
	smcx -j -p sock tcp | sed "s/.*\"pid\": \([0-9]*\), .*\"inode\": \([0-9]*\).*/\1 \2/;t;d" > pids
	[ "$(wc -l < pids)" = 2 ] || exit 1
	while read -r pid inode; do
		ls -l "/proc/$pid/fd" | grep -q "socket:\[$inode\]" || exit 1
	done < pids'
check "trace point: the client's fallback, its ports and reason" sh -c "
	port=\$(ss -Htn state established '( dport = :5001 )' | awk '{ print \$3 }' | sed 's/.*://' | head -n 1)
	code=\$(smcx -j reason $reason | sed 's/.*\"code\": \"\([0-9a-fx]*\)\".*/\1/;t;d')
	grep \"smcx_fallback:.*sport=\$port dport=5001 role=client reason=\$code\" $trace/trace"
check "and set-up parts" grep -q "smcx_setup:.*dport=5001 role=client phase=SYN us=[0-9]" $trace/trace
check "why: SMC does not run over loopback" sh -c '
	smcx -j why 127.0.0.1 5001 > why
	[ $? = 5 ] && grep -q "\"failed\", \"check\": \"route\"" why && grep -q "\"failed\", \"check\": \"SMC\"" why'
check "why: nobody listens" sh -c 'smcx -j why 127.0.0.1 5009 > why; [ $? = 6 ] && grep -q "refused" why'
check "why: no such host" sh -c 'smcx -j why no.such.host.invalid 80 > why; [ $? = 6 ] && grep -q "\"failed\", \"check\": \"name\"" why'
check "the table says it, too" sh -c 'smcx sock | grep -q "why not SMC: "'
check "fallbacks are counted" sh -c '[ "$(smcnl stat | sed -n "s/^client_fallback //p")" -ge 1 ]'
exec 9>&-
wait $client
check "closed connections are not listed" until_ok json sock '"state": "LISTEN"'
check "nor as TCP" until_ok sh -c 'smcx -j sock tcp | grep -q "^\[\]$"'
kill $listener
check "nor is the listener" until_ok json sock '^\[\]$'

# ---- a peer without SMC ----
socat TCP-LISTEN:5002,reuseaddr EXEC:cat &
until_ok sh -c 'ss -Hltn | grep -q :5002'
smc_run socat - TCP:127.0.0.1:5002 < /dev/null
peernosmc() {
	smcx stat | grep -q "client_PEERNOSMC *[1-9]"
}
check "a peer without SMC is counted as that" peernosmc
check "in a difference, too" sh -c '
	smcx -j --delta=3 stat > delta &
	sleep 1
	socat TCP-LISTEN:5004,reuseaddr OPEN:/dev/null,append &
	until ss -Hltn | grep -q :5004; do sleep 0.1; done
	smc_run socat - TCP:127.0.0.1:5004 < /dev/null
	wait
	grep "\"client_PEERNOSMC\": 1$" delta || grep "\"client_PEERNOSMC\": 1," delta'
check "watching goes on" sh -c '[ "$(limit 3 smcx -j --watch=1 stat | grep -c "\"module\"")" -ge 2 ]'
echo 0 > $trace/events/smcx/enable
wait

# ---- sandboxed programs, and those that cannot be wrapped ----
check "-v says why a static program stays TCP" sh -c 'smc_run -v busybox true 2>&1 | grep -q "statically linked"'
check "-v is silent about SMC where there is SMC" \
	sh -c '! smc_run -v socat -u OPEN:/dev/null TCP:127.0.0.1:1 2>&1 | grep -q "no SMC socket"'
echo "1..$n"
exit $bad
