#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Urgent data over SMC.
# vm-test: timeout=200
. /tests/pair/lib-pair.sh
pair_run /tests/net/oob --proto smc,inet_smc
