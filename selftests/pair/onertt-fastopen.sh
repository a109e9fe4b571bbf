#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# TCP's own Fast Open beside the Proposal in the SYN. The tests say what must carry a connection.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/pair/onertt-fastopen --proto smc --expect any
rc=$?
sysctl -q -w net.ipv4.tcp_fastopen_blackhole_timeout_sec=0
smcx trust flush
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
