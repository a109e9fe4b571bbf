#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# io_uring over SMC.
# vm-test: timeout=200
. /tests/pair/lib-pair.sh
pair_run /tests/net/uring --proto smc,inet_smc
