#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Readiness over SMC.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/net/ready --proto smc,inet_smc
