# SPDX-License-Identifier: GPL-2.0
# Sourced by tests that look at the RDMA packets of a few connections.

# serve_probe PORT: the SMC server of such connections, process $pid
serve_probe() {
	$probe server 0.0.0.0 "$1" smc > smc.log &
	pid=$!
	until ss -Hltn | grep -q ":$1 "; do sleep 0.1; done
}

# exchange NAME PORT: CONNS connections, a request and a reply over each, with a capture; what became of them is in the file NAME
exchange() {
	tcpdump -Z root -i "$DEV" -U -w capture udp port 4791 2> /dev/null &
	sleep 1
	$probe client "$PEER" "$2" smc $CONNS > "$1"
	sleep 1
	kill $!
	wait $!
}
