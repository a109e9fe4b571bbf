#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A Proposal in a SYN meets plain servers of every kind. The tests themselves say what must carry a connection.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/pair/onertt-plain --proto smc --expect any
rc=$?
tc qdisc del dev eth0 clsact 2>/dev/null
exit $rc
