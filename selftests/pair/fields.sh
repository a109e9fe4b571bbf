#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each field of smcx sock, lgr, link, dev and peers, at both ends, against what ss, /proc, rdma and the messages on the wire
# say. No field may be there that is not named here.
# vm-test: timeout=240
. /tests/pair/lib-check.sh
CONNS=2
SMC=5001
TCP=5002

# rows COMMAND...: as JSON
rows() { smcx -j "$@"; }

hold() { jq -e "length > 0 and all(.[]; $1)" json || { cat json; false; }; }

# all TEXT FILTER COMMAND...: the filter holds for each row, and there is one
all() {
	local text=$1 filter=$2
	shift 2
	rows "$@" > json
	check "$text" hold "$filter"
}

no_others() {
	jq -r 'map(with_entries(select(.value != null)) | keys)[] | join(" ")' json > have
	[ -s have ] || return
	while read -r row; do
		tr ' ' '\n' <<< "$row" | sort | diff want.fields - || return
	done < have
}

# named TEXT COMMAND NAME...: these fields have a value in each row, and no others have one
named() {
	local text=$1 command=$2
	shift 2
	# shellcheck disable=SC2086
	rows $command > json
	printf '%s\n' "$@" | sort > want.fields
	check "$text" no_others
}

# of_ss COLUMN PORT: own (4) or the peer's (5) addresses of the connections with this port, as ss has them
of_ss() {
	ss -Htn state established "( sport = :$2 or dport = :$2 )" | awk -v c="$1" '{ print $(c - 1) }' |
		sed 's/\[::ffff:\([0-9.]*\)\]/\1/g' | sort
}

same_text() { [ "$1" = "$2" ] || { printf 'got\n%s\nwant\n%s\n' "$1" "$2"; false; }; }

# strings FIELD COMMAND...: sorted
strings() {
	local field=$1
	shift
	rows "$@" | jq -r ".[] | .$field" | sort
}

# ss_tells WORD STATE PORT: "uid" or "ino" of the sockets in this state with this port; root's have no uid there
ss_tells() {
	ss -Htne state "$2" "( sport = :$3 or dport = :$3 )" | sed "/$1:/!s/.*/0/; s/.*$1:\([0-9]*\).*/\1/" | sort
}

# user_id ADDRESS: of the link, in the CONFIRM_LINK messages from there
user_id() { smcx decode "$PWD/capture" llc | grep "CONFIRM_LINK" | grep -E "^[0-9.]+ $1[ :]" | sed 's/.*link_user_id=0x\([0-9a-f]*\).*/\1/' | sort -u; }

# bytes in regions of the device, as its driver has them
regions() { rdma -j resource show mr dev rxe0 | jq '[.[] | .mrlen] | add'; }

# ---- before ----
rdma link delete rxe0
rdma link add rxe0 type rxe netdev "$DEV"
smcx peers flush
fastopen=$(sysctl -n net.ipv4.tcp_fastopen)
max_conns=$(sysctl -n net.smc.smcr_max_conns_per_lgr)
buf_type=$(sysctl -n net.smc.smcr_buf_type)
sysctl -q -w net.ipv4.tcp_fastopen=3 net.smc.smcr_buf_type=1
[ "$ROLE" = server ] && mine=30 other=client || mine=40 other=server
sysctl -q -w net.smc.smcr_max_conns_per_lgr=$mine
smcx eid flush
smcx eid add FIELDS.TEST
smcx pnet add FIELDS eth "$DEV"
smcx pnet add FIELDS ib rxe0
named "dev: the fields are known, those of PCI stay away from a virtual device" dev \
	device port active netdev links pnetid pnetid_by_user critical
all "dev: no link, and none depends on it" '.links == 0 and .critical == false' dev
all "dev: name, port, state, network device" ".device == \"rxe0\" and .port == 1 and .active == true and .netdev == \"$DEV\"" dev
all "dev: the PNET id is the one given by hand" '.pnetid == "FIELDS" and .pnetid_by_user == true' dev
tcpdump -Z root -i "$DEV" -U -w capture 'udp port 4791 and less 250' 2> /dev/null &
dump=$!
until_ok test -s capture
peer sync fields-begin $((60 * SLOW))
if [ "$ROLE" = server ]; then
	smc_run socat -u TCP6-LISTEN:$SMC,reuseaddr,fork,ipv6only=0 OPEN:/dev/null &
	listeners=$!
	socat -u TCP-LISTEN:$TCP,reuseaddr,fork OPEN:/dev/null &
	listeners+=" $!"
	until_ok sh -c "ss -Hltn | grep -q :$SMC && ss -Hltn | grep -q :$TCP"
fi
peer sync fields-up
held() { [ "$(smcx -j sock smc port $SMC | jq '[.[] | select(.state == "ACTIVE")] | length')" = "$1" ]; }
if [ "$ROLE" = client ]; then
	# The first connection learns of the server, the second one begins in its SYN; it is another user's.
	i=0
	for port in $SMC $SMC $TCP; do
		mkfifo pipe.$i
		[ $i = 1 ] && owner=,user=nobody || owner=
		smc_run socat -u STDIN "TCP:$PEER:$port$owner" < pipe.$i &
		pids+=($!)
		exec {fd}> pipe.$i
		fds+=($fd)
		echo hello >&$fd
		[ $i = 2 ] || until_ok held $((i + 1))
		i=$((i + 1))
	done
	check "a connection to the plain server falls back" until_ok sh -c "smcx -j sock tcp port $TCP | grep -q PEERNOSMC"
fi
peer sync fields-connected
check "$CONNS connections" until_ok held $CONNS

# ---- sock ----
where='state local local_address local_port peer peer_address peer_port uid inode'
named "sock: the fields of SMC are known" "-p sock smc port $SMC" $where process pid carrier role device one_rtt link gid peer_gid
all "sock: state, carrier" '.state == "ACTIVE" and .carrier == "SMC-R"' sock smc port $SMC
all "sock: role, device, link, GIDs" ".role == \"$ROLE\" and .device == \"rxe0/1\" and .gid == \"::ffff:$SELF\" and .peer_gid == \"::ffff:$PEER\"" sock smc port $SMC
all "sock: the link is the one of smcx link" ".link == $(rows link | jq '.[0].link')" sock smc port $SMC
check "sock: own addresses" same_text "$(strings local sock smc port $SMC)" "$(of_ss 4 $SMC)"
check "sock: the peers' addresses" same_text "$(strings peer sock smc port $SMC)" "$(of_ss 5 $SMC)"
all "sock: address and port apart" '.local == "\(.local_address):\(.local_port)" and .peer == "\(.peer_address):\(.peer_port)"' sock smc port $SMC
check "sock: inodes" same_text "$(strings inode sock smc port $SMC)" "$(ss_tells ino established $SMC)"
if [ "$ROLE" = client ]; then
	check "sock: 1-RTT is the second connection" same_text "$(rows sock smc | jq -c 'sort_by(.local_port) | map(.one_rtt) | sort')" "[false,true]"
	check "sock: users" same_text "$(strings uid sock smc)" "$(ss_tells uid established $SMC)"
	check "sock: one of them another user's" same_text "$(strings uid sock smc)" "$(printf '0\n65534')"
	check "sock: processes" same_text "$(strings pid -p sock smc)" "$(printf '%s\n' "${pids[@]:0:2}" | sort)"
	all "sock: their names" '.process == "socat[\(.pid)]"' -p sock smc
	check "sock: a fallback's inode" same_text "$(strings inode sock tcp port $TCP)" "$(ss_tells ino established $TCP)"
	named "sock: the fields of a fallback are known" "-p sock tcp port $TCP" $where process pid carrier reason reason_code reason_text cure
	all "sock: a fallback is explained" ".carrier == \"TCP\" and .reason == \"PEERNOSMC\" and .reason_text == \"$(smcx -j reason | jq -r '.[] | select(.reason == "PEERNOSMC") | .cause')\"" sock tcp port $TCP
	check "sock: code and cure are those of smcx reason" same_text "$(rows sock tcp port $TCP | jq -r '.[] | .reason_code, .cure')" \
		"$(smcx -j reason | jq -r '.[] | select(.reason == "PEERNOSMC") | .code, .cure')"
else
	named "sock: the fields of a listener are known" "-p sock listen" $where process pid
	all "sock: a listener has no carrier and no peer" ".state == \"LISTEN\" and .carrier == null and .peer_port == 0 and .local_port == $SMC" sock listen
	check "sock: its inode" same_text "$(strings inode sock listen)" "$(ss_tells ino listening $SMC)"
fi

# ---- lgr, link ----
named "lgr: the fields are known" lgr id role version type connections max_connections max_links peer_host eid direct \
	pnetid receive_bytes buffer_type peer_os netns_cookie
check "lgr: there is one" same_text "$(rows lgr | jq length)" 1
all "lgr: role, version, type" ".role == \"$ROLE\" and .version == \"2.1\" and .type == \"single\"" lgr
all "lgr: connections" ".connections == $CONNS" lgr
all "lgr: the smaller of both ends' limits, and one link" '.max_connections == 30 and .max_links == 1' lgr
all "lgr: who the peer is" ".peer_host == \"$other\" and .peer_os == \"Linux\" and .eid == \"FIELDS.TEST\"" lgr
all "lgr: no gateway between, and the PNET id" '.direct == true and .pnetid == "FIELDS"' lgr
all "lgr: memory is what the device has registered" ".receive_bytes == $(regions)" lgr
all "lgr: kind of buffers" '.buffer_type == "virtual"' lgr
all "lgr: the namespace" ".netns_cookie == $(/tests/pair/cookie)" lgr
named "link: the fields are known" link group link state device port netdev connections gid peer_gid uid peer_uid
check "link: there is one, of that group" same_text "$(strings group link)" "$(strings id lgr)"
all "link: state, device, port, network device" \
	".state == \"active\" and .device == \"rxe0/1\" and .port == 1 and .netdev == \"$DEV\"" link
all "link: connections, GIDs" ".connections == $CONNS and .gid == \"::ffff:$SELF\" and .peer_gid == \"::ffff:$PEER\"" link
all "dev: the link, and what depends on it" '.links == 1 and .critical == true' dev
sleep 1
kill $dump
wait $dump
check "link: own user id, as on the wire" same_text "$(strings uid link)" "$(user_id "$SELF")"
check "link: the peer's, too" same_text "$(strings peer_uid link)" "$(user_id "$PEER")"

# ---- peers ----
if [ "$ROLE" = client ]; then
	named "peers: the fields are known" peers server address port own_address state idle invitations tried
	all "peers: the server" ".server == \"$PEER:$SMC\" and .address == \"$PEER\" and .port == $SMC" peers
	all "peers: the address that is invited" ".own_address == \"$SELF\"" peers
	all "peers: each connection was invited, the second one came in its SYN" '.state == "invited" and .invitations == 2 and .tried == 1' peers
	idle=$(rows peers | jq '.[0].idle')
	sleep 3
	all "peers: how long nobody used it" ".idle >= $idle + 2 and .idle <= $idle + 3 + 5 * $SLOW" peers
fi
peer sync fields-seen
if [ "$ROLE" = client ]; then
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
	wait "${pids[@]}"
fi
peer sync fields-closed
all "lgr: no connection left, which the link says, too" ".connections == 0 and $(rows link | jq '.[0].connections') == 0" lgr

# ---- a Decline: the peer's reason ----
[ "$ROLE" = server ] || { smcx eid flush; smcx eid add FIELDS.OTHER; smcx peers flush; }
peer sync fields-other
if [ "$ROLE" = client ]; then
	mkfifo pipe.no
	smc_run socat -u STDIN TCP:$PEER:$SMC < pipe.no &
	exec {fd}> pipe.no
	check "without an EID in common it is TCP" until_ok sh -c "smcx -j sock tcp port $SMC | grep -q PEERDECL"
	named "sock: the fields of a Decline are known" "sock tcp port $SMC" $where carrier reason reason_code reason_text \
		peer_reason peer_reason_code peer_reason_text peer_cure
	smcx -j reason | jq -r '.[] | select(.reason == "NOUEID") | .reason, .code, "NOUEID: \(.cause)", .cure' > want
	check "sock: the peer's reason is that of smcx reason" same_text \
		"$(rows sock tcp port $SMC | jq -r '.[] | .peer_reason, .peer_reason_code, .peer_reason_text, .peer_cure')" "$(cat want)"
	exec {fd}>&-
	wait $!
fi
peer sync fields-declined

# ---- as before ----
[ "$ROLE" = client ] || kill $listeners
smcx pnet flush
smcx eid flush
smcx eid add SMCX.DEFAULT
smcx peers flush
sysctl -q -w net.ipv4.tcp_fastopen="$fastopen" net.smc.smcr_max_conns_per_lgr="$max_conns" net.smc.smcr_buf_type="$buf_type"
peer sync fields-done
echo "1..$n"
exit $bad
