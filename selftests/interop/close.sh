#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All ways to end a connection between this module and the in-tree one: each end learns of it, what was sent before arrives here,
# and no byte is wrong. How in-tree smc words it on its side is its own affair.
# vm-test: timeout=400 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/pair/closematrix --proto smc --oracle 0
