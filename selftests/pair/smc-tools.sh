#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The programs of in-tree smc's administrators, smcss, smcr and smc_pnet, unmodified: they print what smcx prints (which
# pair/fields holds against other sources), and what they set holds. Debian has no package of them: build smc-tools and name the folder
# with the three programs in SMC_TOOLS.
# vm-test: timeout=120
. /tests/pair/lib-check.sh
raw=/tests/pair/rawsock
PATH=$PATH:/tests/bin
if ! command -v smcss > /dev/null || ! command -v smcr > /dev/null || ! command -v smc_pnet > /dev/null; then
	echo "1..0 # SKIP no smcss, smcr, smc_pnet: SMC_TOOLS names no folder with them"
	exit 4
fi

same_text() { [ "$1" = "$2" ] || { printf 'got\n%s\nwant\n%s\n' "$1" "$2"; false; }; }

# words COMMAND...: its lines behind the title, single spaces, sorted
words() { "$@" | tail -n +2 | awk '{ $1 = $1; print }' | sort; }

# of COMMAND FILTER: a line for each row of smcx COMMAND
of() { smcx -j $1 | jq -r ".[] | $2" | sort; }

# gid ADDRESS: as these programs print it
gid() {
	# shellcheck disable=SC2086
	printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' ${1//./ }
}

# stats NAME: number behind it
stats() { smcr -a stats | sed -n "s/^  $1  *\([0-9]*\).*/\1/p" | head -n 1; }

rdma link delete "$IBDEV"
rdma link add "$IBDEV" type rxe netdev "$DEV"
peer sync smc-tools-begin
check "smcr: no link group" same_text "$(words smcr linkgroup)" ""
if [ "$ROLE" = server ]; then
	smc_run $raw serve 5005 &
	servers=$!
	$raw serve 5006 &
	servers+=" $!"
	until_ok sh -c 'ss -Hltn | grep -q :5005 && ss -Hltn | grep -q :5006'
	peer sync smc-tools-up
	side=SERV
	all=$(stats "Total connections handled") smc=$(stats "SMC connections") tcp=$(stats "TCP fallback")
else
	peer sync smc-tools-up
	side=CLNT
	all=$(stats "Total connections handled") smc=$(stats "SMC connections") tcp=$(stats "TCP fallback")
	for port in 5005 5006; do
		mkfifo hold.$port
		smc_run $raw hold "$PEER" $port 2 < hold.$port > up.$port &
		exec {fd}> hold.$port
		fds+=($fd)
		check "connections to port $port" until_ok grep -q up up.$port
	done
fi
peer sync smc-tools-held

line='"\(.state) \(.uid | tostring | "00000"[length:] + .) \(.inode | tostring | "0000000"[length:] + .) \(.local) \(.peer) 0000'
check "smcss: SMC connections" same_text "$(words smcss -a | grep SMCR)" "$(of "sock smc" "$line SMCR\"")"
if [ "$ROLE" = client ]; then
	check "smcss: those that fell back, and why" same_text "$(words smcss | grep TCP)" "$(of "sock tcp" "$line TCP \\(.reason_code)\"")"
	check "smcss: two of them, no answer to the option" sh -c '[ "$(smcss | grep -c "TCP 0x03010000")" = 2 ]'
else
	check "smcss: the listener" sh -c 'smcss -l | grep -q "^LISTEN .*:5005"'
fi
check "smcss: role, device, link, GIDs" same_text \
	"$(words smcss -R -W | cut -d ' ' -f 8- | sort -u)" "$side rxe0 01 01 $(gid "$SELF") $(gid "$PEER")"
check "smcr: the link group" same_text "$(words smcr linkgroup)" "$(of lgr "\"\\(.id) $side SINGLE 0 \\(.connections)\"")"
check "smcr: its link" same_text "$(words smcr -d linkgroup link-show)" \
	"$(of link "\"\\(.group) $side SINGLE \\(.netdev) LINK_ACTIVE 2 \\(.uid) \\(.peer_uid) rxe0 \\(.port)\"")"
smcr -d linkgroup | awk -F ' *: ' '{ print $1 "=" $2 }' > group
check "smcr: version 2.1, peer, EID, directly" sh -c "grep -q '^Version=2' group && grep -q '^Peer-Rel=1' group &&
	grep -q '^Peer-Host=$([ "$ROLE" = client ] && echo server || echo client)' group && grep -q '^Peer-OS=LINUX' group &&
	grep -q '^EID=SMCX.DEFAULT' group && grep -q '^Direct=Yes' group"
check "smcr: memory of receive buffers" grep -q "^RMB=$(of lgr .receive_bytes) B" group
check "smcr: the device" sh -c "smcr device | grep -q '^$DEV  *rxe0  *1  *ACTIVE .* Yes  *1 '"
check "smcr: version and host name" sh -c "smcr info | grep -q '^SMC Version:  *2.1' && smcr info | grep -q '^SMC Hostname:  *$ROLE'"
[ "$ROLE" = server ] || check "smcr: two connections of SMC, two that fell back" same_text \
	"$(($(stats "Total connections handled") - all)) $(($(stats "SMC connections") - smc)) $(($(stats "TCP fallback") - tcp))" "4 2 2"
[ "$ROLE" = client ] || check "smcr: two connections of SMC" same_text \
	"$(($(stats "SMC connections") - smc)) $(($(stats "TCP fallback") - tcp))" "2 0"

check "smcr: an EID of its own" sh -c 'smcr ueid add TOOLS.EID && smcx eid | grep -q TOOLS.EID && smcr ueid show | grep -q TOOLS.EID'
check "smcr: and gone" sh -c 'smcr ueid del TOOLS.EID && ! smcx eid | grep -q TOOLS.EID'
check "smcr: all gone" sh -c 'smcr ueid flush && ! smcr ueid show | grep . && smcr ueid add SMCX.DEFAULT'
check "smc_pnet: entries" sh -c "smc_pnet -a NET1 -I $DEV && smc_pnet -a NET1 -D rxe0 -P 1"
check "smc_pnet: shows them" same_text "$(smc_pnet -s NET1 | sort)" "$(printf "NET1 $DEV n/a 255\nNET1 n/a rxe0 1" | sort)"
check "smc_pnet: smcx has them" same_text "$(of pnet .pnetid | sort -u)" NET1
check "smc_pnet: removes them" sh -c 'smc_pnet -d NET1 && [ -z "$(smc_pnet)" ] && smc_pnet -f'

peer sync smc-tools-looked
if [ "$ROLE" = client ]; then
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
	wait
else
	kill $servers
fi
peer sync smc-tools-done
echo "1..$n"
exit $bad
