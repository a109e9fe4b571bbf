#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Options and ioctls over SMC.
# vm-test: timeout=200
. /tests/pair/lib-pair.sh
pair_run /tests/net/sockopt --proto smc,inet6_smc
