#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Round trips of set-up over a slow path, from the packets and by the clock.
# vm-test: timeout=300 nodebug
. /tests/pair/lib-pair.sh
pair_run /tests/pair/onertt-trips --proto smc
rc=$?
tc qdisc del dev eth0 root 2>/dev/null
exit $rc
