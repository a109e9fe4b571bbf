#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who may do what: a user with no rights looks and changes nothing; as root of a namespace of his own he sets its sysctls, trusts and
# forgets for it, and the host's EIDs and RDMA ports stay what they are.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
. /tests/pair/lib-tables.sh

as=(/tests/net/asuser)
own=(/tests/net/asuser --own)

# fails STATUS WORDS COMMAND...
fails() {
	local want=$1 words=$2 rc
	shift 2
	"$@" > said 2> error
	rc=$?
	cat said error
	[ $rc = "$want" ] && grep -q -- "$words" error
}

# The host's, all that a test here might change.
state() {
	grep . /proc/sys/net/smc/*
	smcx -j eid
	smcx -j pnet
	smcx -j trust
}
smcx trust add 192.0.2.0/24
state > before

# ---- no rights at all ----
for what in stat lgr link dev eid pnet sock info; do
	check "a user: smcx $what" "${as[@]}" smcx -j $what
done
check "a user: a sysctl is refused" fails 1 "Permission denied" "${as[@]}" bash -c 'echo 65536 > /proc/sys/net/smc/rmem'
denied=(fails 4 "CAP_NET_ADMIN" "${as[@]}" smcx)
check "a user: no EID" "${denied[@]}" eid add NEW
check "a user: nor without one" "${denied[@]}" eid flush
check "a user: no PNET entry" "${denied[@]}" pnet add ONE eth eth0
check "a user: nor without any" "${denied[@]}" pnet flush
check "a user: no trust" "${denied[@]}" trust add 10.0.0.0/8
check "a user: nor less" "${denied[@]}" trust flush
check "a user: servers are not forgotten" "${denied[@]}" peers flush
same_state() { state > after; diff before after; }
check "nothing has changed on the host" same_state

# ---- root of a namespace ----
cat > sets << 'END'
cd /proc/sys/net/smc || exit 1
while read -r name low high below above; do
	for v in $low $high; do
		{ echo "$v" > "$name"; } 2> /dev/null && [ "$(cat "$name")" = "$v" ] || echo "$name does not take $v"
	done
	for v in $below $above words; do
		! { echo "$v" > "$name"; } 2> /tmp/owner.error && grep -q "Invalid argument" /tmp/owner.error || echo "$name: $v"
		[ "$(cat "$name")" = "$high" ] || echo "$name is not $high any more"
	done
done
END
rm -f /tmp/owner.error
sysctls() { smc_sysctls | "${own[@]}" bash -c "$(cat sets)" > said 2>&1; cat said; [ ! -s said ]; }
check "an owner: every sysctl takes its range, and nothing else" sysctls
rm -f /tmp/owner.error
check "an owner: trust" "${own[@]}" sh -c 'smcx trust add 10.0.0.0/8 && smcx -j trust | grep -q 10.0.0.0 && ! smcx -j trust | grep -q 192.0.2 &&
	smcx trust flush && smcx -j trust | grep -q "^\[\]$"'
check "an owner: servers are forgotten" "${own[@]}" smcx peers flush
check "an owner: a PNET entry of his network devices" "${own[@]}" sh -c 'smcx pnet add ONE eth lo && smcx -j pnet | grep -q ONE &&
	smcx pnet flush && smcx -j pnet | grep -q "^\[\]$"'
check "an owner: none of the host's RDMA ports" fails 4 "are the host's" "${own[@]}" smcx pnet add ONE ib "$IBDEV"
check "an owner: no EID" fails 4 "are the host's" "${own[@]}" smcx eid add NEW
check "an owner: nor without one" fails 4 "are the host's" "${own[@]}" smcx eid flush
check "an owner: a connection of his own, TCP" "${own[@]}" sh -c 'ip link set lo up
	smc_run socat -u TCP-LISTEN:5001,reuseaddr OPEN:/dev/null &
	i=0; until ss -Hltn | grep -q :5001; do i=$((i + 1)); [ $i -lt 50 ] || exit 1; sleep 0.1; done
	echo hello | smc_run socat -u - TCP:127.0.0.1:5001 && wait && smcx stat | grep -q "client_fallback *1$"'
check "nothing of it on the host" same_state
smcx trust flush
echo "1..$n"
exit $bad
