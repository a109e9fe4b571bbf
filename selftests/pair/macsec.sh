#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Connections over MACsec stay TCP: RDMA would leave by the device below, unencrypted.
# vm-test: timeout=60
. /tests/pair/lib-check.sh
. /tests/pair/lib-page.sh

# macsec OWN-KEY-ID PEER-KEY-ID ADDRESS
macsec() {
	local key=000102030405060708090a0b0c0d0e0f other
	modprobe -a macsec ctr gcm ghash_generic
	peer put mac "$(cat "/sys/class/net/$DEV/address")"
	other=$(peer get mac)
	ip link add link "$DEV" macsec0 type macsec encrypt on &&
		ip macsec add macsec0 tx sa 0 pn 1 on key "$1" $key &&
		ip macsec add macsec0 rx port 1 address "$other" &&
		ip macsec add macsec0 rx port 1 address "$other" sa 0 pn 1 on key "$2" $key &&
		ip addr add "$3/24" dev macsec0 && ip link set macsec0 up
}

if [ "$ROLE" = server ]; then
	http_start 81 smc_run
	check "MACsec" macsec 01 02 10.9.0.1
	peer sync up 60
	peer sync end $((60 * SLOW))
	kill "$(cat /tmp/nginx-81.pid)"
else
	check "MACsec" macsec 02 01 10.9.0.2
	peer sync up 60
	check "without it: SMC" page "$PEER" client_v2
	check "over it: TCP, for this reason" page 10.9.0.1 client_IPSEC
	check "the page has come encrypted" sh -c 'ip -s macsec show macsec0 | grep -A1 InPktsOK | tail -n 1 | grep -q "[1-9]"'
	peer sync end 60
fi
ip link del macsec0
echo "1..$n"
exit $bad
