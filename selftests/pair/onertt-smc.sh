#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Proposals in SYNs between SMC machines, over a path that loses, strips and doubles. The tests say what must carry a connection.
# vm-test: timeout=400
. /tests/pair/lib-pair.sh
# a client that closes with its Confirm lost may have been given up by the server: only time ends such a connection
timeout=$(sysctl -n net.smc.close_timeout)
sysctl -q -w net.smc.close_timeout=8
pair_run /tests/pair/onertt-smc --proto smc --expect any
rc=$?
sysctl -q -w net.smc.close_timeout="$timeout"
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
