#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All ways to end a connection between this module and the in-tree one: each ends, and no byte is wrong. What a program
# sees of the end is in-tree smc's own affair on its side.
# vm-test: timeout=400 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/pair/closematrix --proto smc --oracle 0 --every 2
