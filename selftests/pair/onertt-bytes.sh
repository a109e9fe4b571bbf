#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# SYNs with hostile data beside honest clients.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/pair/onertt-bytes --proto smc --expect any
rc=$?
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
