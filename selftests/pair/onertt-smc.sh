#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Proposals in SYNs between SMC machines, over a path that loses, strips and doubles. The tests say what must carry a connection.
# vm-test: timeout=400
. /tests/pair/lib-pair.sh
pair_run /tests/pair/onertt-smc --proto smc --expect any
rc=$?
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
