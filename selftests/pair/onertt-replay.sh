#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# 100,000 replayed SYNs with a Proposal. nodebug: the number is what is tested, the debug kernel gets onertt-replay-core.
# vm-test: timeout=900 nodebug
. /tests/pair/lib-pair.sh
ports=$(cat /proc/sys/net/ipv4/ip_local_port_range)
pair_run /tests/pair/onertt-replay --proto smc --expect any
rc=$?
echo "$ports" > /proc/sys/net/ipv4/ip_local_port_range
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
