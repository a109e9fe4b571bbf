#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Random sizes, flags, peeks and splices in both directions against in-tree smc, byte-checked.
# vm-test: timeout=300 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/pair/stream --proto smc
