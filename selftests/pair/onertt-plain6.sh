#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The core of onertt-plain over IPv6. The tests say what must carry a connection.
# vm-test: timeout=200
. /tests/pair/lib-pair.sh
pair_run /tests/pair/onertt-plain --proto smc6 --expect any --only "state at,no Fast Open,without a cookie,behind the filter"
rc=$?
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
