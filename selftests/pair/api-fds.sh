#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Shared descriptors over SMC.
# vm-test: timeout=200
. /tests/pair/lib-pair.sh
pair_run /tests/net/fds --proto smc,inet6_smc
