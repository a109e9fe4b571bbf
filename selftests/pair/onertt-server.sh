#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The server of Proposals in SYNs: restarts, settings, too many clients. The tests say what must carry a connection.
# vm-test: timeout=400
. /tests/pair/lib-pair.sh
pair_run /tests/pair/onertt-server --proto smc --expect any
rc=$?
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
