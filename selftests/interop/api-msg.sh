#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# send and recv against in-tree smc.
# vm-test: timeout=200 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/net/msg --proto smc
