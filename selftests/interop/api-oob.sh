#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Urgent data against in-tree smc.
# vm-test: timeout=200 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/net/oob --proto smc
