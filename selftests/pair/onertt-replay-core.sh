#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A hundredth of onertt-replay, for the debug kernel, too.
# vm-test: timeout=400
. /tests/pair/lib-pair.sh
ports=$(cat /proc/sys/net/ipv4/ip_local_port_range)
pair_run /tests/pair/onertt-replay --n 1000 --proto smc --expect any
rc=$?
echo "$ports" > /proc/sys/net/ipv4/ip_local_port_range
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
