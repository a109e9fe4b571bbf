#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All ways to end a connection between this module and the in-tree one.
# vm-test: timeout=900 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/pair/closematrix --proto smc --every 3
