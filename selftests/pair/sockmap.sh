#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# BPF puts a server's connections into a sockmap before the server knows of them: those of SMC stay SMC, TCP's
# are TCP's, and every socket is freed in the end.
# vm-test: timeout=120
. /tests/pair/lib-hold.sh
raw=/tests/pair/rawsock

sockets()
{
	sed -n 's/^TCP: .* alloc \([0-9]*\) .*/\1/p' /proc/net/sockstat
}

as_before()
{
	[ "$(sockets)" -le "$before" ]
}

if [ "$ROLE" = server ]; then
	mkdir cgroup && mount -t cgroup2 none cgroup
	/tests/pair/sockmap cgroup > bpf.out 2>&1 &
	bpf=$!
	until_ok test -s bpf.out
	peer put sockmap "$(cat bpf.out)"
	umount cgroup
fi
[ "$ROLE" = server ] && have=$(cat bpf.out) || have=$(peer get sockmap)
if [ "$have" = none ]; then
	echo "1..0 # SKIP no sockmaps in this kernel"
	exit 4
fi
check "BPF program is attached" test "$have" = on
before=$(sockets)
serve_hold smc 5001 $CONNS smc_run $raw serve 5001 -- smc_run $raw hold "$PEER" 5001 $CONNS
serve_hold no-client 5002 0 smc_run $raw serve 5002 -- $raw hold "$PEER" 5002 $CONNS
serve_hold no-server 5003 0 $raw serve 5003 -- smc_run $raw hold "$PEER" 5003 $CONNS
[ "$ROLE" = client ] || { killall rawsock 2> /dev/null; kill $bpf; }
check "no socket is left" until_ok as_before
finish
